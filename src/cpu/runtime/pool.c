/* Thread pool with dynamic scheduling: started when first needed, safe across fork, asleep when idle.
 *
 * One job at a time. Its owner publishes it under the lock, works on it like the workers, and takes it back when no
 * task is left; then it waits for the workers that still run one. A worker that wakes too late finds no job.
 */
#define _GNU_SOURCE
#include "cpu/runtime/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/device/cancel.h"
#include "core/device/device.h"
#include "core/device/float_env.h"
#include "tessera/device.h"

enum {
    MAX_WORKERS = 255,
    SPINS = 2000 /* polls for new work before a worker sleeps: some ten microseconds */
};

typedef struct job {
    tess__task_fn  *task;
    void           *context;
    tess__call     *call; /* that it is part of */
    int64_t         n, grain;
    _Atomic int64_t next; /* first item that nobody has taken */
} job;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  work_there = PTHREAD_COND_INITIALIZER;
static pthread_cond_t  work_done = PTHREAD_COND_INITIALIZER;

/* Under the lock, but for the two that are also read while spinning. */
static job       *current;   /* NULL: none to join */
static int        vacancies; /* workers that may still join the job */
static atomic_int joined;    /* workers inside the job */
static atomic_int published; /* counts jobs */
static pthread_t  workers[MAX_WORKERS];
static int        n_workers;
static bool       stopping;

static atomic_bool        in_use; /* some thread owns the pool */
static atomic_int         forks;
static atomic_int         threads_wanted; /* 0: the default */
static _Thread_local bool inside;         /* this thread runs a task of some job */

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

/* ---- Fork ---- */

static void before_fork(void) { (void)pthread_mutex_lock(&lock); }

static void after_fork_in_parent(void) { (void)pthread_mutex_unlock(&lock); }

/* Only the forking thread lives on: it starts with no workers and no job. */
static void after_fork_in_child(void)
{
    (void)pthread_mutex_init(&lock, NULL);
    (void)pthread_cond_init(&work_there, NULL);
    (void)pthread_cond_init(&work_done, NULL);
    current = NULL;
    n_workers = 0;
    atomic_store(&joined, 0);
    atomic_store(&in_use, false);
    atomic_fetch_add(&forks, 1);
}

/* At load, so that streams created before any parallel work know of forks too. */
__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

int tess__fork_count(void) { return atomic_load(&forks); }

/* ---- Numbers of threads ---- */

int tess__processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

static int            default_threads;
static pthread_once_t default_once = PTHREAD_ONCE_INIT;

static void find_default(void)
{
    const char *text = getenv("TESS_THREADS");
    char       *end = NULL;
    const long  n = text ? strtol(text, &end, 10) : 0;
    default_threads = text && end != text && *end == '\0' && n >= 1 ? (int)(n < MAX_WORKERS + 1 ? n : MAX_WORKERS + 1)
                                                                    : tess__processors();
    if (default_threads > MAX_WORKERS + 1) default_threads = MAX_WORKERS + 1;
}

static int threads_set(void)
{
    const int n = atomic_load_explicit(&threads_wanted, memory_order_relaxed);
    if (n) return n;
    (void)pthread_once(&default_once, find_default);
    return default_threads;
}

int tess_threads_get(void)
{
    const int n = threads_set(), cap = tess__threads_capped();
    return cap > 0 && cap < n ? cap : n;
}

tess_status tess_threads_set(int n)
{
    TESS_CHECK(n >= 0 && n <= MAX_WORKERS + 1, TESS_ERANGE, "threads_set: `n` is %d; 0 (the default) to %d is allowed",
               n, MAX_WORKERS + 1);
    atomic_store(&threads_wanted, n);
    return TESS_OK;
}

/* ---- Work ---- */

static void take_tasks(job *j)
{
    inside = true;
    while (!tess__cancelled()) {
        const int64_t first = atomic_fetch_add_explicit(&j->next, j->grain, memory_order_relaxed);
        if (first >= j->n) break;
        j->task(j->context, first, j->n - first < j->grain ? j->n : first + j->grain);
    }
    inside = false;
}

static void help(job *j)
{
    tess__call *before = tess__call_join(j->call);
    take_tasks(j);
    tess__call_quit(before);
}

static void work_alone(job *j)
{
    for (int64_t first = 0; first < j->n && !tess__cancelled(); first += j->grain)
        j->task(j->context, first, j->n - first < j->grain ? j->n : first + j->grain);
}

/* With the lock held. */
static void sleep_until_work(int seen)
{
    while (!stopping && !(current && vacancies > 0) && atomic_load(&published) == seen)
        (void)pthread_cond_wait(&work_there, &lock);
}

static void *worker(void *unused)
{
    (void)unused;
    int seen = 0;
    tess__float_begin_thread();
    (void)pthread_mutex_lock(&lock);
    while (!stopping) {
        if (current && vacancies > 0) {
            job *j = current;
            vacancies--;
            atomic_fetch_add(&joined, 1);
            (void)pthread_mutex_unlock(&lock);
            help(j);
            (void)pthread_mutex_lock(&lock);
            if (atomic_fetch_sub(&joined, 1) == 1) (void)pthread_cond_signal(&work_done);
            continue;
        }
        seen = atomic_load(&published);
        (void)pthread_mutex_unlock(&lock);
        for (int i = 0; i < SPINS && atomic_load_explicit(&published, memory_order_relaxed) == seen; i++) relax();
        (void)pthread_mutex_lock(&lock);
        sleep_until_work(seen);
    }
    (void)pthread_mutex_unlock(&lock);
    return NULL;
}

/* With the lock held. Fewer workers than wanted are no error: the work is done all the same. */
static void grow(int wanted)
{
    sigset_t all, old;
    if (n_workers >= wanted || stopping) return;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are for the program's own threads */
    while (n_workers < wanted && pthread_create(&workers[n_workers], NULL, worker, NULL) == 0) n_workers++;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void publish(job *j, int helpers)
{
    (void)pthread_mutex_lock(&lock);
    grow(helpers);
    current = j;
    vacancies = helpers;
    atomic_fetch_add(&published, 1);
    (void)pthread_cond_broadcast(&work_there);
    (void)pthread_mutex_unlock(&lock);
}

/* With the lock held: until the last worker is done, or it is time to ask whether to cancel. */
static void wait_for_workers(void)
{
    if (!tess__has_to_ask()) {
        (void)pthread_cond_wait(&work_done, &lock);
        return;
    }
    const struct timespec until = tess__ask_time();
    (void)pthread_cond_timedwait(&work_done, &lock, &until);
    (void)pthread_mutex_unlock(&lock);
    (void)tess__cancelled();
    (void)pthread_mutex_lock(&lock);
}

static void retract(void)
{
    (void)pthread_mutex_lock(&lock);
    current = NULL;
    if (atomic_load(&joined) > 0) { /* the last tasks nearly always end within these spins */
        (void)pthread_mutex_unlock(&lock);
        for (int i = 0; i < SPINS && atomic_load_explicit(&joined, memory_order_relaxed) > 0; i++) relax();
        (void)pthread_mutex_lock(&lock);
    }
    while (atomic_load(&joined) > 0) wait_for_workers();
    (void)pthread_mutex_unlock(&lock);
}

void tess__parallel(int64_t n, int64_t grain, tess__task_fn *task, void *context)
{
    const int64_t tasks = grain > 0 && n > grain ? (n - 1) / grain + 1 : 1;
    if (tasks == 1) {
        if (n > 0) task(context, 0, n);
        return;
    }
    const int threads = inside ? 1 : tess_threads_get();
    job       j = { .task = task, .context = context, .call = tess__call_here(), .n = n, .grain = grain };
    if (threads <= 1 || atomic_exchange(&in_use, true)) {
        work_alone(&j);
        return;
    }
    atomic_init(&j.next, 0);
    publish(&j, (int)(tasks - 1 < threads - 1 ? tasks - 1 : threads - 1));
    take_tasks(&j);
    retract();
    atomic_store(&in_use, false);
}

/* When the library is unloaded or the program ends, no worker may be left running its code. */
__attribute__((destructor)) static void stop_workers(void)
{
    (void)pthread_mutex_lock(&lock);
    stopping = true;
    atomic_fetch_add(&published, 1);
    (void)pthread_cond_broadcast(&work_there);
    const int n = n_workers;
    n_workers = 0;
    (void)pthread_mutex_unlock(&lock);
    for (int i = 0; i < n; i++) (void)pthread_join(workers[i], NULL);
}
