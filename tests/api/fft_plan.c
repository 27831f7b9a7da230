/* Plans of Fourier transforms, the cache of plans, and the limit of workspace. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/arrays.h"
#include "support/hooks.h"

static tess_array waves(tess_dtype dtype, int64_t b, int64_t d, int64_t h, int64_t w)
{
    tess_array a = numbers(dtype, b, d, h, w);
    CHECK_OK(tess_mul(&a, &a, &tess_num(0.7)));
    CHECK_OK(tess_sin(&a, &a));
    return a;
}

static bool same_bytes(const tess_array *x, const tess_array *y)
{
    return tess_same_shape(x, y) && memcmp(x->data, y->data, (size_t)tess_n_bytes(x)) == 0;
}

/* ---- Plans ---- */

TEST(a_plan_transforms_as_the_function_does)
{
    const tess_shape    shape = TESS_SHAPE(3, 1, 12, 15);
    const tess_fft_opts opts = { .norm = TESS_FFT_NORM_ORTHO };
    tess_array          a = waves(TESS_F32, 3, 1, 12, 15), got = { 0 }, want = { 0 }, back = { 0 }, other = { 0 };
    tess_fft_plan      *plan[3] = { NULL };
    for (int kind = TESS_FFT_R2C; kind <= TESS_FFT_C2C; kind++)
        CHECK_OK(tess_fft_plan_new(&plan[kind - 1], (tess_fft_kind)kind, shape, TESS_F32, tess_cpu(), &opts));
    CHECK_OK(tess_fft_plan_run(plan[0], &got, &a, TESS_FFT_FORWARD));
    CHECK_OK(tess_fft_r2c(&want, &a, &opts));
    CHECK(same_bytes(&got, &want));
    CHECK_OK(tess_fft_plan_run(plan[1], &back, &got, TESS_FFT_BACKWARD));
    CHECK_OK(tess_fft_c2r(&other, &got, shape, &opts));
    CHECK(same_bytes(&back, &other));
    tess_release(&got);
    tess_release(&want);
    for (int sign = -1; sign <= 1; sign += 2) {
        CHECK_OK(tess_fft_plan_run(plan[2], &got, &a, (tess_fft_sign)sign));
        CHECK_OK(tess_fft_c2c(&want, &a, (tess_fft_sign)sign, &opts));
        CHECK(same_bytes(&got, &want));
        CHECK_OK(tess_fft_plan_run(plan[2], &got, &got, (tess_fft_sign)sign)); /* in place */
    }
    for (int i = 0; i < 3; i++) {
        tess_fft_plan_retain(plan[i]);
        tess_fft_plan_release(plan[i]);
        tess_fft_plan_release(plan[i]);
    }
    tess_release(&a);
    tess_release(&got);
    tess_release(&want);
    tess_release(&back);
    tess_release(&other);
}

/* Single lines, by each of their algorithms; a plan that is held looks nothing up. */
TEST(a_plan_of_one_line_holds_all)
{
    static const int lengths[] = { 2, 15, 64, 101, 250, 1000, 1018, 4093, 12000, 16411 };
    for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); i++)
        for (int kind = TESS_FFT_R2C; kind <= TESS_FFT_C2C; kind += 2) {
            tess_array          a = waves(TESS_F64, 1, 1, 1, lengths[i]), got = { 0 }, want = { 0 };
            tess_fft_plan      *plan = NULL;
            tess_info_fft_cache before, after;
            CHECK_OK(tess_fft_plan_new(&plan, (tess_fft_kind)kind, a.shape, TESS_F64, tess_cpu(), NULL));
            CHECK_OK(tess_fft_cache_info(&before));
            CHECK_OK(tess_fft_plan_run(plan, &got, &a, TESS_FFT_FORWARD));
            CHECK_OK(tess_fft_cache_info(&after));
            CHECK_I64(after.hits, before.hits);
            CHECK_I64(after.misses, before.misses);
            if (kind == TESS_FFT_R2C) CHECK_OK(tess_fft_r2c(&want, &a, NULL));
            else CHECK_OK(tess_fft_c2c(&want, &a, TESS_FFT_FORWARD, NULL));
            CHECK(same_bytes(&got, &want));
            tess_fft_plan_release(plan);
            tess_release(&a);
            tess_release(&got);
            tess_release(&want);
        }
}

TEST(a_plan_may_be_released_before_its_work_is_done)
{
    tess_array   a = waves(TESS_F32, 1, 1, 1, 960), got = { 0 }, want = { 0 };
    tess_stream *stream = NULL;
    CHECK_OK(tess_fft_r2c(&want, &a, NULL));
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    for (int i = 0; i < 50; i++) {
        tess_fft_plan *plan = NULL;
        CHECK_OK(tess_fft_plan_new(&plan, TESS_FFT_R2C, a.shape, TESS_F32, tess_cpu(), NULL));
        CHECK_OK(tess_fft_plan_run(plan, &got, &a, TESS_FFT_FORWARD));
        tess_fft_plan_release(plan);
        tess_fft_cache_clear();
    }
    CHECK_OK(tess_stream_sync(stream));
    CHECK(same_bytes(&got, &want));
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(stream);
    tess_release(&a);
    tess_release(&got);
    tess_release(&want);
}

TEST(facts_of_a_plan)
{
    tess_fft_plan     *plan = NULL;
    tess_info_fft_plan info;
    CHECK_OK(tess_fft_plan_new(&plan, TESS_FFT_R2C, TESS_SHAPE(2, 1, 30, 512), TESS_F32, tess_cpu(), NULL));
    memset(&info, 1, sizeof info);
    CHECK_OK(tess_fft_plan_info(&info, plan));
    CHECK_TEXT(info.provider, "native");
    CHECK(info.workspace >= 0 && info.memory >= 0);
    for (int i = 0; i < 8; i++) CHECK(info.reserved[i] == 0);
    CHECK(strstr(info.method, "w 256:") && strstr(info.method, "h 30"));
    CHECK_FAILS(tess_fft_plan_info(NULL, plan), TESS_EARG, "fft_plan_info", "info is NULL");
    CHECK_FAILS(tess_fft_plan_info(&info, NULL), TESS_EARG, "fft_plan_info", "plan is NULL");
    tess_fft_plan_release(plan);
    tess_fft_plan_release(NULL);
    tess_fft_plan_retain(NULL);
}

TEST(plans_of_nothing)
{
    tess_fft_plan     *plan = NULL;
    tess_info_fft_plan info;
    tess_array         a = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(0, 1, 3, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_fft_plan_new(&plan, TESS_FFT_R2C, a.shape, TESS_F64, tess_cpu(), NULL));
    CHECK_OK(tess_fft_plan_info(&info, plan));
    CHECK_OK(tess_fft_plan_run(plan, &out, &a, TESS_FFT_FORWARD));
    CHECK_DIMS(out.shape, 0, 1, 3, 3);
    tess_fft_plan_release(plan);
    tess_release(&a);
    tess_release(&out);
}

TEST(half_precision_by_a_plan_in_f32)
{
    tess_fft_plan *plan = NULL;
    tess_array     a = waves(TESS_F16, 1, 1, 6, 8), got = { 0 }, want = { 0 };
    CHECK_OK(tess_fft_plan_new(&plan, TESS_FFT_R2C, a.shape, TESS_F32, tess_cpu(), NULL));
    CHECK_OK(tess_fft_plan_run(plan, &got, &a, TESS_FFT_FORWARD));
    CHECK_OK(tess_fft_r2c(&want, &a, NULL));
    CHECK(got.dtype == TESS_C16 && same_bytes(&got, &want));
    tess_fft_plan_release(plan);
    tess_release(&a);
    tess_release(&got);
    tess_release(&want);
}

TEST(bad_plans)
{
    const tess_shape    shape = TESS_SHAPE(1, 1, 6, 8);
    const tess_fft_opts bad_norm = { .norm = 7 }, no_width = { .axes = TESS_H }, number = { .axes = 2 };
    tess_fft_plan      *plan = NULL;
    CHECK_FAILS(tess_fft_plan_new(NULL, TESS_FFT_R2C, shape, TESS_F32, tess_cpu(), NULL), TESS_EARG, "fft_plan_new",
                "plan is NULL");
    CHECK_FAILS(tess_fft_plan_new(&plan, (tess_fft_kind)0, shape, TESS_F32, tess_cpu(), NULL), TESS_EARG, "kind is 0",
                "TESS_FFT_C2C (3)");
    CHECK_FAILS(tess_fft_plan_new(&plan, (tess_fft_kind)4, shape, TESS_F32, tess_cpu(), NULL), TESS_EARG, "kind is 4");
    CHECK_FAILS(tess_fft_plan_new(&plan, TESS_FFT_C2C, shape, TESS_C32, tess_cpu(), NULL), TESS_EDTYPE, "dtype is c32",
                "f32 or f64");
    CHECK_FAILS(tess_fft_plan_new(&plan, TESS_FFT_C2C, shape, TESS_F16, tess_cpu(), NULL), TESS_EDTYPE, "dtype is f16");
    CHECK_FAILS(tess_fft_plan_new(&plan, TESS_FFT_C2C, shape, (tess_dtype)12345, tess_cpu(), NULL), TESS_EDTYPE,
                "fft_plan_new: dtype is 12345", "1 (bool)");
    CHECK_FAILS(tess_fft_plan_new(&plan, TESS_FFT_C2C, TESS_SHAPE(1, 1, 0, 2), TESS_F32, tess_gpu(0), NULL),
                TESS_EDEVICE, "fft_plan_new", "gpu");
    CHECK_FAILS(tess_fft_plan_new(&plan, TESS_FFT_C2C, TESS_SHAPE(1, 1, -1, 2), TESS_F32, tess_cpu(), NULL),
                TESS_ESHAPE, "fft_plan_new", "shape is {1,1,-1,2}");
    CHECK_FAILS(tess_fft_plan_new(&plan, TESS_FFT_R2C, shape, TESS_F32, tess_gpu(0), NULL), TESS_EDEVICE,
                "fft_plan_new", "gpu");
    CHECK_FAILS(tess_fft_plan_new(&plan, TESS_FFT_R2C, shape, TESS_F32, tess_cpu(), &bad_norm), TESS_EARG,
                "fft_plan_new", "opts->norm is 7");
    CHECK_FAILS(tess_fft_plan_new(&plan, TESS_FFT_R2C, shape, TESS_F32, tess_cpu(), &no_width), TESS_EARG,
                "fft_plan_new", "TESS_W");
    CHECK_FAILS(tess_fft_plan_new(&plan, TESS_FFT_C2C, shape, TESS_F32, tess_cpu(), &number), TESS_ERANGE,
                "opts->axes is 0x2");
    CHECK(plan == NULL);
}

TEST(arrays_that_are_not_of_the_plan)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 6, 8);
    tess_fft_plan   *plan[3] = { NULL };
    tess_array       f = waves(TESS_F32, 1, 1, 6, 8), c = waves(TESS_C32, 1, 1, 6, 8), d = waves(TESS_F64, 1, 1, 6, 8);
    tess_array       small = waves(TESS_F32, 1, 1, 6, 7), out = { 0 }, far = on_gpu(f);
    for (int kind = TESS_FFT_R2C; kind <= TESS_FFT_C2C; kind++)
        CHECK_OK(tess_fft_plan_new(&plan[kind - 1], (tess_fft_kind)kind, shape, TESS_F32, tess_cpu(), NULL));
    CHECK_FAILS(tess_fft_plan_run(NULL, &out, &f, TESS_FFT_FORWARD), TESS_EARG, "fft_plan_run", "plan is NULL");
    CHECK_FAILS(tess_fft_plan_run(plan[0], NULL, &f, TESS_FFT_FORWARD), TESS_EARG, "out is NULL");
    CHECK_FAILS(tess_fft_plan_run(plan[0], &out, NULL, TESS_FFT_FORWARD), TESS_EARG, "in is NULL");
    CHECK_FAILS(tess_fft_plan_run(plan[0], &out, &c, TESS_FFT_FORWARD), TESS_EDTYPE, "in is c32", "real to complex",
                "f32");
    CHECK_FAILS(tess_fft_plan_run(plan[1], &out, &f, TESS_FFT_BACKWARD), TESS_EDTYPE, "in is f32", "complex to real");
    CHECK_FAILS(tess_fft_plan_run(plan[2], &out, &d, TESS_FFT_FORWARD), TESS_EDTYPE, "in is f64", "f32");
    CHECK_FAILS(tess_fft_plan_run(plan[0], &out, &small, TESS_FFT_FORWARD), TESS_ESHAPE, "{1,1,6,7}", "{1,1,6,8}");
    CHECK_FAILS(tess_fft_plan_run(plan[1], &out, &c, TESS_FFT_BACKWARD), TESS_ESHAPE, "{1,1,6,8}", "{1,1,6,5}");
    CHECK_FAILS(tess_fft_plan_run(plan[0], &out, &f, TESS_FFT_BACKWARD), TESS_EARG, "sign is 1", "forward (-1)");
    CHECK_FAILS(tess_fft_plan_run(plan[2], &out, &f, (tess_fft_sign)3), TESS_EARG, "sign is 3");
    CHECK_FAILS(tess_fft_plan_run(plan[0], &small, &f, TESS_FFT_FORWARD), TESS_ESHAPE, "fft_plan_run", "{1,1,6,5}");
    CHECK_FAILS(tess_fft_plan_run(plan[0], &out, &far, TESS_FFT_FORWARD), TESS_EDEVICE, "fft_plan_run", "gpu");
    CHECK(is_zeroed(&out));
    for (int i = 0; i < 3; i++) tess_fft_plan_release(plan[i]);
    tess_release(&f);
    tess_release(&c);
    tess_release(&d);
    tess_release(&small);
}

static hooks h;

TEST(plans_without_memory)
{
    tess_fft_plan *plan = NULL;
    bool           fired = true;
    hooks_on(&h);
    for (long at = 1; at < 1000 && fired; at++) {
        tess_fft_cache_clear();
        atomic_store(&h.calls, 0);
        atomic_store(&h.fired, 0);
        atomic_store(&h.fail_at, at);
        const tess_status status =
            tess_fft_plan_new(&plan, TESS_FFT_C2C, TESS_SHAPE(1, 1, 34, 1022), TESS_F32, tess_cpu(), NULL);
        atomic_store(&h.fail_at, 0);
        fired = atomic_load(&h.fired) > 0;
        if (status == TESS_OK) {
            tess_fft_plan_release(plan);
            plan = NULL;
        } else {
            CHECK_FAILS(status, TESS_ENOMEM, "fft_plan_new", "memory");
        }
        CHECK(plan == NULL);
    }
    CHECK(!fired);
    tess_fft_cache_clear();
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
}

/* ---- The cache ---- */

static tess_info_fft_cache cache(void)
{
    tess_info_fft_cache info;
    memset(&info, 1, sizeof info);
    CHECK_OK(tess_fft_cache_info(&info));
    for (int i = 0; i < 8; i++) CHECK(info.reserved[i] == 0);
    return info;
}

TEST(a_size_is_planned_once)
{
    tess_array a = waves(TESS_F32, 1, 1, 22, 26), out = { 0 };
    tess_fft_cache_clear();
    const tess_info_fft_cache start = cache();
    CHECK(start.plans == 0 && start.bytes == 0 && start.limit == INT64_C(64) << 20);
    CHECK_OK(tess_fft_r2c(&out, &a, NULL));
    const tess_info_fft_cache first = cache();
    CHECK(first.misses > start.misses && first.plans > 0 && first.bytes > 0 && first.bytes <= first.limit);
    CHECK_OK(tess_fft_r2c(&out, &a, NULL));
    const tess_info_fft_cache second = cache();
    CHECK(second.misses == first.misses && second.hits > first.hits && second.plans == first.plans);
    CHECK(second.bytes == first.bytes);
    tess_fft_cache_clear();
    CHECK(cache().plans == 0 && cache().bytes == 0);
    CHECK_FAILS(tess_fft_cache_info(NULL), TESS_EARG, "fft_cache_info", "info is NULL");
    tess_release(&a);
    tess_release(&out);
}

TEST(the_cache_is_bounded)
{
    const int64_t limit = 40000;
    CHECK_OK(tess_fft_cache_limit_set(limit));
    CHECK_I64(cache().limit, limit);
    for (int64_t n = 200; n < 400; n++) {
        tess_array a = waves(TESS_C64, 1, 1, 1, n), out = { 0 };
        CHECK_OK(tess_fft_c2c(&out, &a, TESS_FFT_FORWARD, NULL));
        CHECK(cache().bytes <= limit);
        tess_release(&a);
        tess_release(&out);
    }
    CHECK(cache().plans > 0);
    CHECK_OK(tess_fft_cache_limit_set(0));
    CHECK(cache().plans == 0 && cache().bytes == 0);
    tess_array a = waves(TESS_C64, 1, 1, 1, 100), out = { 0 };
    CHECK_OK(tess_fft_c2c(&out, &a, TESS_FFT_FORWARD, NULL));
    CHECK(cache().plans == 0);
    CHECK_FAILS(tess_fft_cache_limit_set(-1), TESS_EARG, "fft_cache_limit", "-1");
    CHECK_OK(tess_fft_cache_limit_set(INT64_C(64) << 20));
    tess_release(&a);
    tess_release(&out);
}

TEST(the_newest_plan_is_kept_however_large)
{
    tess_array a = waves(TESS_F32, 4, 1, 1, 1000), out = { 0 };
    CHECK_OK(tess_fft_cache_limit_set(1));
    CHECK_OK(tess_fft_c2c(&out, &a, TESS_FFT_FORWARD, NULL));
    const int64_t misses = cache().misses;
    CHECK_OK(tess_fft_c2c(&out, &a, TESS_FFT_FORWARD, NULL));
    CHECK_I64(cache().misses, misses);
    CHECK_I64(cache().plans, 1);
    CHECK_OK(tess_fft_cache_limit_set(INT64_C(64) << 20));
    tess_release(&a);
    tess_release(&out);
}

TEST(a_plan_that_is_held_stays)
{
    tess_fft_plan *plan = NULL;
    tess_array     a = waves(TESS_F32, 1, 1, 18, 28), out = { 0 };
    CHECK_OK(tess_fft_plan_new(&plan, TESS_FFT_R2C, a.shape, TESS_F32, tess_cpu(), NULL));
    CHECK_OK(tess_fft_cache_limit_set(0));
    const int64_t misses = cache().misses;
    CHECK_OK(tess_fft_plan_run(plan, &out, &a, TESS_FFT_FORWARD));
    CHECK_OK(tess_fft_r2c(&out, &a, NULL));
    CHECK_I64(cache().misses, misses);
    tess_fft_plan_release(plan);
    CHECK_OK(tess_fft_cache_limit_set(INT64_C(64) << 20));
    tess_release(&a);
    tess_release(&out);
}

TEST(the_workspace_is_bounded)
{
    tess_fft_plan     *plan = NULL;
    tess_info_fft_plan info;
    tess_array         a = waves(TESS_C64, 1, 1, 64, 1009), out = { 0 };
    CHECK_OK(tess_fft_plan_new(&plan, TESS_FFT_C2C, a.shape, TESS_F64, tess_cpu(), NULL));
    CHECK_OK(tess_fft_plan_info(&info, plan));
    CHECK(info.workspace > 0 && info.memory > 0);
    CHECK_OK(tess_fft_workspace_limit_set(1));
    CHECK_FAILS(tess_fft_c2c(&out, &a, TESS_FFT_FORWARD, NULL), TESS_ENOMEM, "fft_c2c", "workspace", "bytes");
    CHECK(is_zeroed(&out));
    CHECK_OK(tess_fft_workspace_limit_set(0));
    CHECK_OK(tess_fft_c2c(&out, &a, TESS_FFT_FORWARD, NULL));
    CHECK_FAILS(tess_fft_workspace_limit_set(-1), TESS_EARG, "fft_workspace_limit", "-1");
    tess_fft_plan_release(plan);
    tess_release(&a);
    tess_release(&out);
}

/* ---- Many threads ---- */

enum { SIZES = 24, THREADS = 4 };

typedef struct sized {
    tess_array in[SIZES], want[SIZES];
    int        wrong[THREADS];
} sized;

typedef struct worker {
    sized    *all;
    int       index;
    pthread_t thread;
} worker;

static void *transform_all(void *context)
{
    const worker *w = context;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < SIZES; i++) {
            const int  k = (i * (2 * w->index + 1)) % SIZES;
            tess_array out = { 0 };
            if (tess_fft_r2c(&out, &w->all->in[k], NULL) != TESS_OK || !same_bytes(&out, &w->all->want[k]))
                w->all->wrong[w->index]++;
            tess_release(&out);
            if (i % 7 == 0) tess_fft_cache_clear();
        }
    return NULL;
}

/* Plans are made and dropped while others empty the cache. */
static void *hold_plans(void *context)
{
    const worker *w = context;
    for (int round = 0; round < 300; round++) {
        tess_fft_plan *plan = NULL;
        const int64_t  n = 20 + 2 * ((round + 5 * w->index) % 12);
        if (w->index % 2) tess_fft_cache_clear();
        else if (tess_fft_plan_new(&plan, TESS_FFT_R2C, TESS_SHAPE(1, 1, n, n), TESS_F32, tess_cpu(), NULL) != TESS_OK)
            w->all->wrong[w->index]++;
        tess_fft_plan_release(plan);
    }
    return NULL;
}

TEST(plans_come_and_go_at_once)
{
    static sized s;
    worker       workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){ .all = &s, .index = i };
        CHECK(pthread_create(&workers[i].thread, NULL, hold_plans, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(workers[i].thread, NULL) == 0);
        CHECK_I64(s.wrong[i], 0);
    }
}

static atomic_bool enough;

static void *plan_until_enough(void *context)
{
    for (int64_t n = 0; !atomic_load(&enough); n++) {
        tess_fft_plan *plan = NULL;
        if (tess_fft_plan_new(&plan, TESS_FFT_C2C, TESS_SHAPE(1, 1, 1, 16 + n % 40), TESS_F32, tess_cpu(), NULL) !=
            TESS_OK)
            return context;
        tess_fft_plan_release(plan);
    }
    return NULL;
}

TEST(a_child_of_fork_can_transform)
{
    tess_array a = waves(TESS_F32, 1, 1, 12, 14), out = { 0 };
    pthread_t  thread;
    CHECK_OK(tess_fft_r2c(&out, &a, NULL));
    CHECK(pthread_create(&thread, NULL, plan_until_enough, NULL) == 0);
    for (int i = 0; i < 40; i++) {
        const pid_t child = fork();
        if (child == 0) {
            (void)alarm(test_seconds(20));
            /* Killed, it is not asked about memory of threads that it does not have. */
            if (tess_fft_r2c(&out, &a, NULL) == TESS_OK) (void)raise(SIGKILL);
            _exit(1);
        }
        int status = -1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    atomic_store(&enough, true);
    CHECK(pthread_join(thread, NULL) == 0);
    tess_release(&a);
    tess_release(&out);
}

TEST(threads_plan_and_transform_at_once)
{
    static sized s;
    worker       workers[THREADS];
    for (int i = 0; i < SIZES; i++) {
        s.in[i] = waves(i % 2 ? TESS_F32 : TESS_F64, 2, 1, 5 + i, 61 + 3 * i);
        CHECK_OK(tess_fft_r2c(&s.want[i], &s.in[i], NULL));
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){ .all = &s, .index = i };
        CHECK(pthread_create(&workers[i].thread, NULL, transform_all, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(workers[i].thread, NULL) == 0);
        CHECK_I64(s.wrong[i], 0);
    }
    for (int i = 0; i < SIZES; i++) {
        tess_release(&s.in[i]);
        tess_release(&s.want[i]);
    }
}
