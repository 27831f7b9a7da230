/* FFTW as a plugin: its plans, made one at a time and kept. Built only where FFTW is, and not a part of the library,
 * since FFTW's licence is not the library's. TESS_FFTW=measure has it try plans out, which takes long; "estimate" is
 * the default. */
#include <fftw3.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/fft/plugin.h"

enum { KEPT = 256 /* plans */ };

/* What a plan depends on: a problem whose pointers say how they are aligned and whether they are the same. */
typedef struct key {
    tess__fft_problem problem;
    int32_t           aligned[2], in_place;
} key;

typedef struct kept {
    key      key;
    void    *plan;
    uint64_t last; /* when it was used */
    int      users;
} kept;

static kept            plans[KEPT];
static uint64_t        clock_now;
static bool            measures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the plans, and of FFTW's planner */

/* A child of fork must not find the lock taken, or the planner at work, by a thread that it does not have. */
static void before_fork(void) { (void)pthread_mutex_lock(&lock); }
static void after_fork(void) { (void)pthread_mutex_unlock(&lock); }
static void watch_forks(void) { (void)pthread_atfork(before_fork, after_fork, after_fork); }

static pthread_once_t watched = PTHREAD_ONCE_INIT;

/* ---- FFTW in both precisions ---- */

#define REAL float
#define FFTW(name) fftwf_##name
#define SUFFIX(name) name##_f32
#include "fftw/precision.c.inc"

#define REAL double
#define FFTW(name) fftw_##name
#define SUFFIX(name) name##_f64
#include "fftw/precision.c.inc"

/* ---- Plans that are kept ---- */

static key key_of(const tess__fft_problem *p)
{
    key k;
    memset(&k, 0, sizeof k); /* keys are compared as bytes */
    k.problem.kind = p->kind, k.problem.wide = p->wide;
    if (p->kind == TESS__PLUGIN_R2R) k.problem.r2r = p->r2r;
    else k.problem.sign = p->sign;
    k.problem.n_dims = p->n_dims, k.problem.n_many = p->n_many;
    memcpy(k.problem.dims, p->dims, (size_t)p->n_dims * sizeof *p->dims);
    memcpy(k.problem.many, p->many, (size_t)p->n_many * sizeof *p->many);
    k.in_place = p->in && p->in == p->out;
    if (p->in) k.aligned[0] = p->wide ? aligned_f64(p->in) : aligned_f32(p->in);
    if (p->out) k.aligned[1] = p->wide ? aligned_f64(p->out) : aligned_f32(p->out);
    return k;
}

static void drop(kept *k)
{
    if (k->plan && k->key.problem.wide) fftw_destroy_plan(k->plan);
    else if (k->plan) fftwf_destroy_plan(k->plan);
    memset(k, 0, sizeof *k);
}

/* A place for another plan: the one not used for longest; NULL if all are in use. */
static kept *place(void)
{
    kept *oldest = NULL;
    for (int i = 0; i < KEPT; i++) {
        if (!plans[i].plan) return &plans[i];
        if (plans[i].users == 0 && (!oldest || plans[i].last < oldest->last)) oldest = &plans[i];
    }
    if (oldest) drop(oldest);
    return oldest;
}

/* Elements before and after the first that a problem reaches. */
static void reach(const tess__fft_problem *p, bool out, size_t *before, size_t *after)
{
    ptrdiff_t low = 0, high = 0;
    for (int i = 0; i < p->n_dims + p->n_many; i++) {
        const tess__fft_dim *d = i < p->n_dims ? &p->dims[i] : &p->many[i - p->n_dims];
        const ptrdiff_t      end = (ptrdiff_t)((d->n - 1) * (out ? d->out : d->in));
        if (end < 0) low += end;
        else high += end;
    }
    *before = (size_t)-low;
    *after = (size_t)high + 1;
}

/* Arrays to try plans out on, aligned as those of the key. */
static int plan_on_scratch(kept *k, const key *wanted)
{
    const size_t      element = (wanted->problem.wide ? sizeof(double) : sizeof(float)) * 2; /* or less */
    tess__fft_problem p = wanted->problem;
    size_t            before[2], after[2];
    char             *room[2] = { NULL, NULL };
    for (int i = 0; i < 2; i++) {
        reach(&p, i == 1, &before[i], &after[i]);
        if (i == 1 && wanted->in_place) break;
        room[i] = fftw_malloc((before[i] + after[i] + 8) * element);
    }
    const bool good = room[0] && (room[1] || wanted->in_place);
    if (good) {
        p.in = room[0] + (before[0] * element + 63) / 64 * 64 + (size_t)wanted->aligned[0];
        p.out = wanted->in_place ? p.in : room[1] + (before[1] * element + 63) / 64 * 64 + (size_t)wanted->aligned[1];
        k->plan = p.wide ? plan_f64(&p, FFTW_MEASURE) : plan_f32(&p, FFTW_MEASURE);
    }
    fftw_free(room[0]);
    fftw_free(room[1]);
    return good ? TESS__PLUGIN_DONE : TESS__PLUGIN_NO_MEMORY;
}

/* With FFTW_ESTIMATE arrays are not touched, so addresses alone will do. */
static int make(kept *k, const key *wanted)
{
    static _Alignas(64) char somewhere[256];
    tess__fft_problem        p = wanted->problem;
    p.in = somewhere + wanted->aligned[0];
    p.out = wanted->in_place ? p.in : somewhere + 128 + wanted->aligned[1];
    const int said = measures ? plan_on_scratch(k, wanted) : TESS__PLUGIN_DONE;
    if (!measures) k->plan = p.wide ? plan_f64(&p, FFTW_ESTIMATE) : plan_f32(&p, FFTW_ESTIMATE);
    if (said != TESS__PLUGIN_DONE) return said;
    k->key = *wanted;
    return k->plan ? TESS__PLUGIN_DONE : TESS__PLUGIN_CANNOT;
}

/* The plan for a key, found or made; `*found` has one more user. */
static int get(kept **found, const key *wanted)
{
    for (int i = 0; i < KEPT; i++)
        if (plans[i].plan && memcmp(&plans[i].key, wanted, sizeof *wanted) == 0) {
            plans[i].users++;
            *found = &plans[i];
            return TESS__PLUGIN_DONE;
        }
    kept *k = place();
    if (!k) return TESS__PLUGIN_NO_MEMORY;
    const int said = make(k, wanted);
    if (said == TESS__PLUGIN_DONE) k->users = 1;
    else memset(k, 0, sizeof *k);
    *found = k;
    return said;
}

static int run(const tess__fft_problem *p)
{
    const key wanted = key_of(p);
    kept     *found = NULL;
    (void)pthread_once(&watched, watch_forks);
    (void)pthread_mutex_lock(&lock);
    const int said = get(&found, &wanted);
    if (said == TESS__PLUGIN_DONE) found->last = ++clock_now;
    (void)pthread_mutex_unlock(&lock);
    if (said != TESS__PLUGIN_DONE) return said;
    if (p->in && p->wide) execute_f64(found->plan, p);
    else if (p->in) execute_f32(found->plan, p);
    (void)pthread_mutex_lock(&lock);
    found->users--;
    (void)pthread_mutex_unlock(&lock);
    return TESS__PLUGIN_DONE;
}

static void clear(void)
{
    (void)pthread_mutex_lock(&lock);
    for (int i = 0; i < KEPT; i++)
        if (plans[i].users == 0) drop(&plans[i]);
    (void)pthread_mutex_unlock(&lock);
}

static char fault[120];

static const tess__fft_plugin plugins[3] = {
    { TESS__FFT_PLUGIN_VERSION, "fftw", "FFTW_ESTIMATE", NULL, run, clear },
    { TESS__FFT_PLUGIN_VERSION, "fftw", "FFTW_MEASURE", NULL, run, clear },
    { TESS__FFT_PLUGIN_VERSION, "fftw", "none", fault, run, clear },
};

__attribute__((visibility("default"))) const tess__fft_plugin *tess_fft_plugin(void);

const tess__fft_plugin *tess_fft_plugin(void)
{
    const char *wish = getenv("TESS_FFTW");
    if (!wish || !*wish || strcmp(wish, "estimate") == 0) return &plugins[0];
    measures = strcmp(wish, "measure") == 0;
    if (measures) return &plugins[1];
    (void)snprintf(fault, sizeof fault, "TESS_FFTW is \"%.40s\"; estimate and measure are allowed", wish);
    return &plugins[2];
}
