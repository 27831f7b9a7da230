/* Calls of the simulated driver: one lock, their log, failures on demand. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

static struct {
    pthread_mutex_t lock;
    bool            ready, initialized, forked, lazy, reverse;
    int64_t         calls;   /* that could have failed */
    int64_t         fail_at; /* the number of the call; 0: none */
    int             fail_code, sticky;
    bool            fail_forever;
    const char    **log;
    int64_t         logged, capacity;
    int64_t         plans, handles, programs;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local bool in_host_function;

pthread_mutex_t *sim_mutex(void) { return &state.lock; }

void sim_die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("simulated device: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

static void read_environment(void)
{
    if (state.ready) return;
    state.ready = true;
    const char *lazy = getenv("TESS_SIM_LAZY"), *order = getenv("TESS_SIM_ORDER"), *fail = getenv("TESS_SIM_FAIL");
    const char *code = getenv("TESS_SIM_FAIL_CODE");
    state.lazy = lazy != NULL && strcmp(lazy, "0") != 0 && *lazy != '\0';
    state.reverse = order != NULL && strcmp(order, "reverse") == 0;
    if (fail == NULL) return;
    char *end = NULL;
    state.fail_at = strtoll(fail, &end, 10);
    state.fail_forever = *end == '+';
    state.fail_code = code != NULL ? atoi(code) : SIM_OUT_OF_MEMORY;
}

int sim_take_lock(void)
{
    pthread_mutex_lock(&state.lock);
    read_environment();
    return 1;
}

void sim_drop_lock(const int *held)
{
    (void)held;
    pthread_mutex_unlock(&state.lock);
}

void sim_note(const char *name)
{
    if (state.logged == state.capacity) {
        state.capacity = state.capacity == 0 ? 1024 : state.capacity * 2;
        state.log = realloc(state.log, (size_t)state.capacity * sizeof *state.log);
        if (state.log == NULL) sim_die("no memory for the log");
    }
    state.log[state.logged++] = name;
}

/* Errors that a real context never recovers from. */
static bool sticks(int code)
{
    return code >= SIM_ILLEGAL_ADDRESS && code <= SIM_LAUNCH_FAILED && code != SIM_OUT_OF_RESOURCES;
}

static int count_call(void)
{
    if (state.sticky != SIM_OK) return state.sticky;
    state.calls++;
    if (state.fail_at == 0 || state.calls < state.fail_at) return SIM_OK;
    if (state.calls > state.fail_at && !state.fail_forever) return SIM_OK;
    if (sticks(state.fail_code)) state.sticky = state.fail_code;
    return state.fail_code;
}

static void after_fork(void)
{
    /* The lock may be held by a thread that does not exist here. */
    state.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    state.forked = true;
}

int sim_begin(const char *name, int needs)
{
    SIM_REQUIRE(!state.forked, SIM_NOT_INITIALIZED);
    SIM_REQUIRE(!in_host_function, SIM_NOT_PERMITTED);
    sim_note(name);
    SIM_RETURN_IF(count_call());
    if ((needs & SIM_AFTER_INIT) != 0) SIM_REQUIRE(state.initialized, SIM_NOT_INITIALIZED);
    if (needs == SIM_IN_CONTEXT) SIM_REQUIRE(sim_current() != NULL, SIM_INVALID_CONTEXT);
    return SIM_OK;
}

int sim_begin_release(const char *name)
{
    SIM_REQUIRE(!state.forked && state.initialized, SIM_NOT_INITIALIZED);
    SIM_REQUIRE(!in_host_function, SIM_NOT_PERMITTED);
    sim_note(name);
    return SIM_OK;
}

int  sim_sticky(void) { return state.sticky; }
bool sim_is_lazy(void) { return state.lazy; }
bool sim_is_reverse(void) { return state.reverse; }
void sim_set_in_host_function(bool inside) { in_host_function = inside; }

SIM_API int cuInit(unsigned int flags)
{
    SIM_CALL(SIM_ANY_TIME);
    SIM_REQUIRE(flags == 0, SIM_INVALID_VALUE);
    SIM_REQUIRE(sim_device_count() > 0, SIM_NO_DEVICE);
    if (state.initialized) return SIM_OK;
    SIM_RETURN_IF(sim_memory_init(sim_device_count()));
    SIM_REQUIRE(pthread_atfork(NULL, NULL, after_fork) == 0, SIM_OUT_OF_MEMORY);
    state.initialized = true;
    return SIM_OK;
}

SIM_API int cuDriverGetVersion(int *version)
{
    SIM_CALL(SIM_ANY_TIME);
    SIM_REQUIRE(version != NULL, SIM_INVALID_VALUE);
    *version = 13000;
    return SIM_OK;
}

void sim_fail(int64_t n, int code, int forever)
{
    SIM_LOCKED();
    state.fail_at = n > 0 ? state.calls + n : 0;
    state.fail_code = code;
    state.fail_forever = forever != 0;
    state.sticky = SIM_OK;
}

int64_t sim_calls(void)
{
    SIM_LOCKED();
    return state.calls;
}

void sim_lazy(int lazy)
{
    SIM_LOCKED();
    if (lazy == 0) sim_drain_device(-1);
    state.lazy = lazy != 0;
}

void sim_reverse(int reverse)
{
    SIM_LOCKED();
    state.reverse = reverse != 0;
}

static int64_t live_of_libraries(const char *what)
{
    if (strcmp(what, "plans") == 0) return state.plans;
    if (strcmp(what, "handles") == 0) return state.handles;
    if (strcmp(what, "programs") == 0) return state.programs;
    return -1;
}

int64_t sim_live(const char *what)
{
    SIM_LOCKED();
    int64_t (*const parts[])(const char *) = { sim_live_memory,  sim_live_host,     sim_live_streams,
                                               sim_live_modules, sim_live_contexts, live_of_libraries };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        const int64_t count = parts[k](what);
        if (count >= 0) return count;
    }
    return -1;
}

int64_t sim_logged(void)
{
    SIM_LOCKED();
    return state.logged;
}

const char *sim_log(int64_t k)
{
    SIM_LOCKED();
    return k >= 0 && k < state.logged ? state.log[k] : NULL;
}

int64_t sim_count(const char *name)
{
    SIM_LOCKED();
    int64_t count = 0;
    for (int64_t k = 0; k < state.logged; k++) count += strcmp(state.log[k], name) == 0;
    return count;
}

int sim_library_call(const char *name)
{
    SIM_LOCKED();
    return sim_begin(name, SIM_ANY_TIME);
}

void sim_library_release(const char *name)
{
    SIM_LOCKED();
    sim_note(name);
}

void sim_track(const char *what, int change)
{
    SIM_LOCKED();
    if (strcmp(what, "plans") == 0) state.plans += change;
    if (strcmp(what, "handles") == 0) state.handles += change;
    if (strcmp(what, "programs") == 0) state.programs += change;
}
