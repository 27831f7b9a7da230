/* Fault injection: each call of the driver and the compiler fails, once or from then on: a clear status, no leak, and
 * later calls work. On the simulated libraries only. */
#include <stdlib.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/gpu.h"
#include "support/hooks.h"

enum { OUT_OF_MEMORY = 2, INVALID_VALUE = 1, DEINITIALISED = 4, ILLEGAL_ADDRESS = 700, LAUNCH_FAILED = 719 };

static gpu_controls sim;

static bool simulated(void)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return false;
    if (gpu_simulated(&sim)) return true;
    test_skip("calls fail in the simulated libraries only");
    return false;
}

/* ---- Scenarios: each gives everything back, whether it fails or not ---- */

static tess_status move(tess_device gpu)
{
    tess_array  a[6] = { { .dtype = 0 } }, turned = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_full(&a[0], TESS_SHAPE(1, 1, 30, 40), TESS_F32, tess_cpu(), 2));
    TESS_GOTO(done, status, tess_transpose(&turned, &a[0]));
    TESS_GOTO(done, status, tess_to_device(&a[1], &a[0], gpu));
    TESS_GOTO(done, status, tess_to_device(&a[2], &turned, gpu));
    TESS_GOTO(done, status, tess_to_device(&a[0], &a[1], tess_cpu()));
    TESS_GOTO(done, status, tess_transpose(&turned, &a[1]));
    TESS_GOTO(done, status, tess_to_device(&a[3], &turned, tess_cpu()));
    TESS_GOTO(done, status, tess_set_f64(&a[1], 0, 0, 1, 1, 5));
    double value;
    TESS_GOTO(done, status, tess_get_f64(&value, &a[1], 0, 0, 1, 1));
    TESS_GOTO(done, status, tess_empty_pinned(&a[4], TESS_SHAPE(1, 1, 30, 40), TESS_F32));
    TESS_GOTO(done, status, tess_to_device(&a[4], &a[1], tess_cpu()));
    TESS_GOTO(done, status, tess_to_device(&a[5], &a[4], gpu));
    TESS_GOTO(done, status, tess_stream_sync(tess_stream_current(gpu)));
done:
    for (int i = 0; i < 6; i++) tess_release(&a[i]);
    return status;
}

static tess_status move_large(tess_device gpu)
{
    tess_array  a[3] = { { .dtype = 0 } };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_zeros(&a[0], TESS_SHAPE(1, 1, 1, 9 << 20), TESS_U8, tess_cpu()));
    TESS_GOTO(done, status, tess_to_device(&a[1], &a[0], gpu));
    TESS_GOTO(done, status, tess_to_device(&a[2], &a[1], tess_cpu()));
done:
    for (int i = 0; i < 3; i++) tess_release(&a[i]);
    return status;
}

static tess_status compute(tess_device gpu)
{
    tess_array  a[4] = { { .dtype = 0 } };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_full(&a[0], TESS_SHAPE(1, 1, 1, 1000), TESS_F32, gpu, 2));
    TESS_GOTO(done, status, tess_zeros(&a[1], TESS_SHAPE(1, 1, 1, 1000), TESS_F32, gpu));
    TESS_GOTO(done, status, tess_add(&a[2], &a[0], &a[1]));
    TESS_GOTO(done, status, tess_copy(&a[1], &a[2]));
    TESS_GOTO(done, status, tess_cast(&a[3], &a[2], TESS_I32, NULL));
    TESS_GOTO(done, status, tess_to_device(&a[0], &a[2], gpu));
    TESS_GOTO(done, status, tess_memory_trim(gpu));
done:
    for (int i = 0; i < 4; i++) tess_release(&a[i]);
    return status;
}

/* Parts of results and of vectors, and chunks of sums into bins, need workspace; numbers go to the host. */
static tess_status reduce(tess_device gpu)
{
    tess_array  a[4] = { { .dtype = 0 } };
    tess_op    *op = NULL;
    double      mean, std;
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_full(&a[0], TESS_SHAPE(1, 1, 1, 9000), TESS_F32, gpu, 2));
    TESS_GOTO(done, status, tess_sum(&a[1], &a[0], 0, NULL));
    TESS_GOTO(done, status, tess_host_mean_std(&mean, &std, &a[0], NULL));
    TESS_GOTO(done, status, tess_cumsum(&a[2], &a[0], 3, NULL));
    TESS_GOTO(done, status, tess_op_text(&op, "op g(in f32 x, scatter f64 s) { s[0,0,0,w % 32] += x; }"));
    TESS_GOTO(done, status, tess_zeros(&a[3], TESS_SHAPE(1, 1, 1, 32), TESS_F64, gpu));
    TESS_GOTO(done, status, tess_call(op, &a[0], &a[3]));
done:
    tess_op_release(op);
    for (int i = 0; i < 4; i++) tess_release(&a[i]);
    return status;
}

static int  dropped, wrapped;
static void count_drop(void *unused)
{
    (void)unused;
    dropped++;
}

static tess_status use_streams(tess_device gpu)
{
    tess_stream         *s = NULL, *adopted = NULL;
    tess_event          *e[2] = { NULL, NULL };
    tess_array           a = { 0 }, b = { 0 }, theirs = { 0 };
    tess_info_device     info;
    tess_status          status = TESS_OK;
    const tess_wrap_opts own = { .device = gpu, .drop = count_drop };
    TESS_GOTO(done, status, tess_device_info(&info, gpu));
    TESS_GOTO(done, status, tess_full(&a, TESS_SHAPE(1, 1, 1, 100), TESS_F32, gpu, 2));
    TESS_GOTO(done, status, tess_stream_new(&s, gpu, NULL));
    TESS_GOTO(done, status, tess_event_new(&e[0], gpu));
    TESS_GOTO(done, status, tess_event_new(&e[1], gpu));
    TESS_GOTO(done, status, tess_event_record(e[0], tess_stream_default(gpu)));
    TESS_GOTO(done, status, tess_event_wait(e[0], s));
    TESS_GOTO(done, status, tess_stream_set_current(s));
    TESS_GOTO(done, status, tess_add(&b, &a, &a));
    TESS_GOTO(done, status, tess_wrap(&theirs, b.data, b.shape, TESS_F32, &own));
    wrapped++;
    TESS_GOTO(done, status, tess_fill(&theirs, 1));
    TESS_GOTO(done, status, tess_event_record(e[1], s));
    TESS_GOTO(done, status, tess_event_sync(e[1]));
    TESS_GOTO(done, status, tess_stream_sync(s));
    TESS_GOTO(done, status, tess_stream_adopt(&adopted, gpu, NULL));
    TESS_GOTO(done, status, tess_stream_sync(adopted));
done:
    tess_release(&theirs);
    tess_release(&a);
    tess_release(&b);
    if (tess_stream_set_current(tess_stream_default(gpu)) != TESS_OK) status = TESS_EDEVICE;
    for (int i = 0; i < 2; i++) tess_event_free(e[i]);
    tess_stream_free(adopted);
    tess_stream_free(s);
    return status;
}

static tess_status cross(tess_device gpu)
{
    const tess_device other = tess_gpu(1 - gpu.index);
    tess_array        a = { 0 }, b = { 0 };
    tess_status       status = TESS_OK;
    TESS_GOTO(done, status, tess_full(&a, TESS_SHAPE(1, 1, 1, 100), TESS_F32, gpu, 2));
    TESS_GOTO(done, status, tess_to_device(&b, &a, other));
    TESS_GOTO(done, status, tess_to_device(&a, &b, gpu));
    TESS_GOTO(done, status, tess_stream_sync(tess_stream_current(gpu)));
    TESS_GOTO(done, status, tess_stream_sync(tess_stream_current(other)));
done:
    tess_release(&a);
    tess_release(&b);
    return status;
}

/* ---- Failing in turn ---- */

static const char *const kinds[] = { "allocations", "streams", "events", "host", "contexts", "programs" };

enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* What is alive when all work is done. */
static void count_live(int64_t live[N_KINDS])
{
    sim.fail(0, 0, 0);
    for (int i = 0; i < tess_device_count(TESS_GPU); i++) CHECK_OK(tess_stream_sync(tess_stream_default(tess_gpu(i))));
    for (int i = 0; i < N_KINDS; i++) live[i] = sim.live(kinds[i]);
}

static void check_live(const int64_t before[N_KINDS], const char *name, int64_t at)
{
    int64_t now[N_KINDS];
    count_live(now);
    for (int i = 0; i < N_KINDS; i++)
        if (now[i] != before[i])
            (void)test_failed(__FILE__, __LINE__, "%s, call %" PRId64 " failing: %" PRId64 " %s, not %" PRId64, name,
                              at, now[i], kinds[i], before[i]);
}

static void check_status(tess_status status, int code, bool fired, const char *name, int64_t at)
{
    const tess_status wanted = code == OUT_OF_MEMORY ? TESS_ENOMEM : code == INVALID_VALUE ? TESS_EARG : TESS_EDEVICE;
    const bool        good = status == TESS_OK || (fired && (status == TESS_EDEVICE || status == wanted));
    if (!good)
        (void)test_failed(__FILE__, __LINE__, "%s, call %" PRId64 " failing with %d: %s: %s", name, at, code,
                          tess_status_name(status), tess_error_message());
    if (status != TESS_OK) CHECK(strstr(tess_error_message(), ": ") != NULL);
}

static void each_fails(const char *name, tess_status (*scenario)(tess_device), int code)
{
    int64_t           live[N_KINDS];
    const tess_device gpu = tess_gpu(0);
    CHECK_OK(scenario(gpu)); /* what is made once is made */
    CHECK_OK(scenario(gpu));
    count_live(live);
    for (int forever = 0; forever < 2; forever++) {
        sim.lazy(!forever); /* when every wait fails, there is no order to be kept */
        for (int64_t at = 1; at < 1000; at++) {
            const int64_t before = sim.calls();
            sim.fail(at, code, forever);
            const tess_status status = scenario(gpu);
            const bool        fired = sim.calls() - before >= at;
            check_status(status, code, fired, name, at);
            check_live(live, name, at);
            CHECK_OK(scenario(gpu));
            if (!fired) {
                CHECK(at > 10);
                break;
            }
        }
    }
    sim.lazy(1);
}

TEST(copies_fail)
{
    if (!simulated()) return;
    each_fails("move", move, OUT_OF_MEMORY);
    each_fails("move", move, INVALID_VALUE);
}

TEST(large_copies_fail)
{
    if (!simulated()) return;
    each_fails("move_large", move_large, INVALID_VALUE);
}

TEST(work_fails)
{
    if (!simulated()) return;
    each_fails("compute", compute, OUT_OF_MEMORY);
    each_fails("compute", compute, INVALID_VALUE);
    each_fails("compute", compute, DEINITIALISED);
    each_fails("reduce", reduce, OUT_OF_MEMORY);
}

TEST(streams_and_events_fail)
{
    if (!simulated()) return;
    each_fails("use_streams", use_streams, OUT_OF_MEMORY);
    each_fails("use_streams", use_streams, INVALID_VALUE);
    CHECK_I64(dropped, wrapped);
}

TEST(copies_between_gpus_fail)
{
    if (!simulated()) return;
    each_fails("cross", cross, INVALID_VALUE);
}

/* ---- Memory of the host ---- */

static hooks h;

/* What is kept for work is let go when that is waited for. */
static tess_status all_of_it(void)
{
    const tess_device gpu = tess_gpu(0);
    tess_status       status;
    TESS_GOTO(done, status, move(gpu));
    TESS_GOTO(done, status, compute(gpu));
    TESS_GOTO(done, status, use_streams(gpu));
done:
    CHECK_OK(tess_stream_sync(tess_stream_default(gpu)));
    return status;
}

TEST(no_memory_on_the_host)
{
    if (!simulated()) return;
    sim.lazy(0); /* work that is done holds nothing */
    hooks_each_fails(&h, all_of_it, 20);
    sim.lazy(1);
}

/* ---- Kernels ---- */

/* A kernel that nothing else in this program needs: it is compiled here. */
static tess_status compile(int k)
{
    static const tess_dtype dtypes[] = { TESS_I8, TESS_U16, TESS_U32, TESS_I64, TESS_U64, TESS_F64, TESS_I16, TESS_U8 };
    tess_array              a = { 0 };
    tess_status             status;
    TESS_GOTO(done, status, tess_zeros(&a, TESS_SHAPE(1, 1, 1, 30), dtypes[k], tess_gpu(0)));
    TESS_GOTO(done, status, tess_maximum(&a, &a, &a));
done:
    tess_release(&a);
    return status;
}

TEST(compiling_fails)
{
    if (!simulated()) return;
    CHECK(setenv("XDG_CACHE_HOME", in_folder("cache"), 1) == 0); /* where nothing is yet */
    CHECK_OK(compile(5));                                        /* the device is open */
    const int64_t modules = sim.live("modules");
    int           failures = 0, loaded_again = 0, k = 0;
    for (int64_t at = 1; k < 4; at++) {
        const int64_t loads = sim.count("cuModuleLoadData");
        sim.fail(at, OUT_OF_MEMORY, 0);
        const tess_status status = compile(k);
        sim.fail(0, 0, 0);
        CHECK(status == TESS_OK || status == TESS_ENOMEM || status == TESS_EDEVICE);
        CHECK_I64(sim.live("programs"), 0);
        loaded_again += status == TESS_OK && sim.count("cuModuleLoadData") - loads == 2;
        if (status == TESS_OK) k++; /* a call failed that may */
        else failures++;
    }
    CHECK(failures >= 8 && loaded_again == 1);
    CHECK_I64(sim.live("modules"), modules + 4);
    CHECK_OK(compile(4));
}

/* ---- One more try ---- */

/* Work whose call number `at` finds no memory, and all that it needs is there before. */

static tess_status transform(int at)
{
    tess_array a = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 1, 20 + at), TESS_C32, tess_gpu(0)));
    sim.fail(at, OUT_OF_MEMORY, 0);
    const tess_status status = tess_fft_c2c(&a, &a, TESS_FFT_FORWARD, NULL); /* each length has its own plan */
    tess_release(&a);
    return status;
}

static tess_status multiply(int at)
{
    tess_array a = { 0 }, out = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 8, 8), TESS_F32, tess_gpu(0)));
    CHECK_OK(tess_zeros(&out, TESS_SHAPE(1, 1, 8, 8), TESS_F32, tess_gpu(0)));
    sim.fail(at, OUT_OF_MEMORY, 0);
    const tess_status status = tess_matmul(&out, &a, &a, NULL);
    tess_release(&a);
    tess_release(&out);
    return status;
}

static tess_status pin(int at)
{
    tess_array a = { 0 };
    sim.fail(at, OUT_OF_MEMORY, 0);
    const tess_status status = tess_empty_pinned(&a, TESS_SHAPE(1, 1, 1, 100), TESS_F32);
    tess_release(&a);
    return status;
}

/* When this call fails it is made again, and all is well. */
static void is_tried_again(const char *call, tess_status (*work)(int at))
{
    for (int at = 1; at < 40; at++) {
        const int64_t     before = sim.count(call);
        const tess_status status = work(at);
        sim.fail(0, 0, 0);
        if (sim.count(call) - before < 2) continue;
        CHECK_OK(status);
        return;
    }
    (void)test_failed(__FILE__, __LINE__, "%s was never called twice", call);
}

TEST(without_memory_it_is_tried_again)
{
    if (!simulated()) return;
    CHECK_OK(pin(0)); /* the device is open */
    is_tried_again("cuMemHostAlloc", pin);
    is_tried_again("cublasCreate_v2", multiply);
    is_tried_again("cufftMakePlanMany64", transform);
}

/* In a process of its own. */
static void try_processor(int capability)
{
    if (capability >= 75) CHECK_OK(compute(tess_gpu(0)));
    else if (capability >= 70)
        CHECK_FAILS(compute(tess_gpu(0)), TESS_EDEVICE, "full: the GPU has compute capability 7.2", "7.5 and later");
    else
        CHECK_FAILS(compute(tess_gpu(0)), TESS_EDEVICE, "full: device gpu:0 has compute capability 3.5",
                    "7.0 or later");
}

/* A GPU that the compiler does not know gets a text, which its driver compiles; an older one cannot be helped. */
TEST(other_processors)
{
    static const char *const capabilities[] = { "199", "101", "72", "35" };
    const char              *now = getenv("TESS_SIM_CC");
    if (test_is_again() && now) try_processor(atoi(now));
    if (test_is_again() || !simulated()) return;
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) {
        CHECK(setenv("TESS_SIM_CC", capabilities[i], 1) == 0);
        CHECK_I64(test_again("other_processors"), 0);
    }
    CHECK(unsetenv("TESS_SIM_CC") == 0);
}

/* ---- Opening ---- */

/* In a process of its own, one of whose first calls to the driver fails (TESS_SIM_FAIL). A driver that did not start
 * stays so; all else works at the second try. */
static void open_and_use(void)
{
    const tess_status first = compute(tess_gpu(0));
    if (first != TESS_OK) {
        CHECK(first == TESS_EDEVICE || first == TESS_ENOMEM);
        CHECK(strstr(tess_error_message(), "gpu:0") != NULL);
    }
    if (tess_device_count(TESS_GPU) > 0) CHECK_OK(compute(tess_gpu(0)));
    else CHECK_FAILS(compute(tess_gpu(0)), TESS_EDEVICE, "gpu:0 is not available");
}

TEST(opening_fails)
{
    if (test_is_again()) {
        open_and_use();
        return;
    }
    if (!simulated()) return;
    for (int at = 1; at <= 24; at++) {
        char number[16];
        (void)snprintf(number, sizeof number, "%d", at);
        CHECK(setenv("TESS_SIM_FAIL", number, 1) == 0);
        if (!CHECK(test_again("opening_fails") == 0)) break;
    }
    CHECK(setenv("TESS_SIM_FAIL_CODE", "46", 1) == 0); /* another process has it for itself */
    for (int at = 4; at <= 12; at++) {
        char number[16];
        (void)snprintf(number, sizeof number, "%d", at);
        CHECK(setenv("TESS_SIM_FAIL", number, 1) == 0);
        if (!CHECK(test_again("opening_fails") == 0)) break;
    }
    CHECK(unsetenv("TESS_SIM_FAIL") == 0 && unsetenv("TESS_SIM_FAIL_CODE") == 0);
}

/* ---- A device that is lost ---- */

/* Work on a stream that keeps memory which its owner has given up. */
static void keep_on(tess_stream *s, const tess_array *memory)
{
    tess_array           w = { 0 };
    const tess_wrap_opts own = { .device = memory->device, .drop = count_drop };
    CHECK_OK(tess_wrap(&w, memory->data, memory->shape, memory->dtype, &own));
    CHECK_OK(tess_stream_set_current(s));
    CHECK_OK(tess_fill(&w, 1));
    CHECK_OK(tess_stream_set_current(tess_stream_default(memory->device)));
    tess_release(&w);
}

/* The last test, on the second device, which is of no use afterwards. */
TEST(a_device_is_lost)
{
    if (!simulated()) return;
    if (tess_device_count(TESS_GPU) < 2) {
        test_skip("one of two devices is lost here");
        return;
    }
    const tess_device gpu = tess_gpu(1);
    tess_array        a = { 0 }, out = { 0 };
    tess_event       *e = NULL;
    tess_stream      *s = NULL;
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 1, 100), TESS_F32, gpu, 2));
    CHECK_OK(tess_event_new(&e, gpu));
    CHECK_OK(tess_stream_new(&s, gpu, NULL));
    CHECK_OK(tess_add(&a, &a, &a));
    CHECK_OK(tess_stream_sync(tess_stream_default(gpu)));
    keep_on(s, &a);
    const int64_t before = sim.calls();
    CHECK_OK(tess_add(&a, &a, &a));
    const int64_t calls = sim.calls() - before;
    sim.fail(calls, ILLEGAL_ADDRESS, 0); /* its launch */
    CHECK_FAILS(tess_add(&a, &a, &a), TESS_EDEVICE, "add: device gpu:1 is lost", "error 700", "new process");
    const int64_t after = sim.calls();
    CHECK_FAILS(tess_add(&out, &a, &a), TESS_EDEVICE, "add: device gpu:1 was lost before", "error 700");
    const int64_t marks = sim.count("cuEventDestroy_v2");
    const int     drops = dropped;
    CHECK_FAILS(tess_stream_sync(s), TESS_EDEVICE, "stream_sync: device gpu:1 was lost");
    CHECK_I64(dropped, drops + 1);                    /* what was kept is its owner's again, */
    CHECK_I64(sim.count("cuEventDestroy_v2"), marks); /* without the driver */
    CHECK_FAILS(tess_to_device(&out, &a, tess_cpu()), TESS_EDEVICE, "to_device: device gpu:1 was lost");
    CHECK_I64(sim.calls(), after); /* the driver is not asked any more */
    sim.fail(0, 0, 0);
    tess_error_clear();
    CHECK(!tess_stream_busy(s) && !tess_event_busy(e));
    tess_release(&a);
    tess_event_free(e);
    tess_stream_free(s);
    CHECK(tess_error_status() == TESS_OK); /* freeing is silent */
    CHECK_I64(tess_memory_used(gpu), 0);
    CHECK(is_zeroed(&out));
    CHECK_OK(compute(tess_gpu(0)));
}

/* Whichever call fails, once or from then on: a GPU, or an error. */
TEST(the_free_gpu_is_one)
{
    if (!simulated()) return;
    tess_device   d = { 9, 9 };
    const int64_t before = sim.calls();
    CHECK_OK(tess_device_parse(&d, "gpu:free"));
    const int64_t calls = sim.calls() - before;
    CHECK(calls > 0);
    for (int64_t n = 1; n <= calls; n++)
        for (int forever = 0; forever < 2; forever++) {
            d = (tess_device){ 9, 9 };
            sim.fail(n, INVALID_VALUE, forever);
            const tess_status status = tess_device_parse(&d, "gpu:free");
            sim.fail(0, 0, 0);
            CHECK(d.kind == (status == TESS_OK ? TESS_GPU : 9));
            if (status != TESS_OK) CHECK(strncmp(tess_error_message(), "device_parse: ", 14) == 0);
        }
}
