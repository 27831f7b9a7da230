/* Devices, streams, events, threads, fork and allocators. */
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/arrays.h"
#include "support/gate.h"
#include "support/hooks.h"
#include "support/sanitizers.h"

static void wait_ms(long ms)
{
    const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
    (void)nanosleep(&time, NULL);
}

static double now_ms(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static tess_stream *async_stream(void)
{
    tess_stream *s = NULL;
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    return s;
}

/* A new asynchronous stream, current on this thread. */
static tess_stream *enter(void)
{
    tess_stream *s = async_stream();
    CHECK_OK(tess_stream_set_current(s));
    return s;
}

/* Back to the default stream. */
static void leave(tess_stream *s)
{
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(s);
}

/* ---- Devices ---- */

TEST(parse_knows_the_cpu)
{
    tess_device d = { 9, 9 };
    CHECK_OK(tess_device_parse(&d, "cpu"));
    CHECK(d.kind == TESS_CPU && d.index == 0);
}

TEST(parse_tells_of_gpus_that_are_not_here)
{
    static const char *const texts[][2] = { { "gpu", "gpu:0" },      { "gpu:0", "gpu:0" },
                                            { "gpu:1", "gpu:1" },    { "cuda", "gpu:0" },
                                            { "cuda:0", "gpu:0" },   { "cuda:7", "gpu:7" },
                                            { "gpu:007", "gpu:7" },  { "gpu:12345", "gpu:12345" },
                                            { "gpu:free", "gpu:0" }, { "cuda:free", "gpu:0" } };
    if (tess_device_count(TESS_GPU) > 0) {
        test_skip("there is a GPU here");
        return;
    }
    for (int i = 0; i < 10; i++) {
        tess_device d = { 9, 9 };
        CHECK_FAILS(tess_device_parse(&d, texts[i][0]), TESS_EDEVICE, "device_parse: ", texts[i][1], "NVIDIA driver");
        CHECK(d.kind == 9 && d.index == 9);
    }
}

TEST(parse_refuses_text_that_is_no_device)
{
    static const char *const texts[] = { "",        "CPU",       "cpu ",     " cpu",    "cp",
                                         "cpux",    "gpu:",      "gpu:-1",   "gpu:+1",  "gpu: 1",
                                         "gpu:1 ",  "gpu:x",     "gpu:1x",   "gpu:1:2", "gpux",
                                         "gpu1",    "cuda:",     "cuda:1.0", "CUDA",    "tpu",
                                         "gpu:0x1", "cud",       "gp",       "gpu,1",   "gpu:99999999999999999999",
                                         "gpu:fre", "gpu:freed", "cpu:free", "gpu:FREE" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tess_device d = { 9, 9 };
        char        quoted[32];
        (void)snprintf(quoted, sizeof quoted, "\"%.20s", texts[i]);
        CHECK_FAILS(tess_device_parse(&d, texts[i]), TESS_EPARSE, "device_parse: ", quoted, "\"cpu\"", "\"gpu:N\"",
                    "\"gpu:free\"");
        CHECK(d.kind == 9 && d.index == 9);
    }
}

TEST(parse_refuses_null_and_cuts_long_texts)
{
    static char text[100000];
    tess_device d = { 9, 9 };
    memset(text, 'x', sizeof text - 1);
    CHECK_FAILS(tess_device_parse(&d, text), TESS_EPARSE, "\"xxxx");
    CHECK(strlen(tess_error_message()) < 300);
    CHECK_FAILS(tess_device_parse(&d, "cpu\n"), TESS_EPARSE, "\"cpu");
    CHECK(strchr(tess_error_message(), '\n') == NULL);
    CHECK_FAILS(tess_device_parse(NULL, "cpu"), TESS_EARG, "device is NULL");
    CHECK_FAILS(tess_device_parse(&d, NULL), TESS_EARG, "text is NULL");
}

TEST(devices_have_names)
{
    char text[24];
    CHECK_TEXT(tess_device_name(text, sizeof text, tess_cpu()), "cpu");
    CHECK_TEXT(tess_device_name(text, sizeof text, tess_gpu(3)), "gpu:3");
    CHECK_TEXT(tess_device_name(text, sizeof text, tess_gpu(INT32_MIN)), "gpu:-2147483648");
    CHECK(tess_device_name(text, sizeof text, (tess_device){ INT32_MIN, 0 }) == text && strlen(text) < 24);
    CHECK_TEXT(tess_device_name(text, 5, tess_gpu(12)), "gpu:");
    CHECK_TEXT(tess_device_name(text, 1, tess_cpu()), "");
    CHECK(tess_device_name(NULL, 0, tess_cpu()) == NULL);
}

TEST(devices_are_counted)
{
    CHECK_I64(tess_device_count(TESS_CPU), 1);
    CHECK(tess_device_count(TESS_GPU) >= 0);
    CHECK_I64(tess_device_count(7), 0);
    CHECK_I64(tess_device_count(-1), 0);
}

/* Whether there is a driver is a question, not a failure. */
TEST(counting_gpus_records_no_failure)
{
    tess_error_clear();
    (void)tess_device_count(TESS_GPU);
    CHECK(tess_error_status() == TESS_OK && tess_error_message()[0] == '\0');
    CHECK_I64(tess_memory_used(tess_gpu(0)), 0);
    CHECK(tess_error_status() == TESS_OK);
}

/* Without a driver, or with one that shows no GPU, a message says what was tried and what there is. */
TEST(what_only_a_gpu_has_is_refused_without_one)
{
    tess_array   a = { 0 };
    tess_stream *s = NULL;
    if (tess_device_count(TESS_GPU) > 0) {
        test_skip("there is a GPU here");
        return;
    }
    CHECK_FAILS(tess_empty_pinned(&a, TESS_SHAPE(1, 1, 1, 4), TESS_F32), TESS_EDEVICE, "empty_pinned: ", "gpu:0",
                "driver");
    CHECK_FAILS(tess_stream_adopt(&s, tess_gpu(0), NULL), TESS_EDEVICE, "stream_adopt: device gpu:0 is not available");
    CHECK_FAILS(tess_stream_adopt(&s, tess_cpu(), NULL), TESS_EDEVICE, "stream_adopt: device is cpu");
    CHECK_FAILS(tess_memory_trim(tess_gpu(0)), TESS_EDEVICE, "memory_trim: device gpu:0 is not available");
    CHECK_OK(tess_memory_trim(tess_cpu()));
    CHECK_FAILS(tess_device_memory_limit_set(tess_gpu(0), 1), TESS_EDEVICE, "device_memory_limit_set: ", "gpu:0");
    CHECK_FAILS(tess_device_memory_limit_set(tess_cpu(), -1), TESS_EARG, "bytes is -1");
    CHECK_OK(tess_device_memory_limit_set(tess_cpu(), 0));
    CHECK(tess_stream_default(tess_gpu(0)) == NULL && tess_stream_current(tess_gpu(0)) == NULL);
    CHECK(tess_stream_default(tess_cpu()) == tess_stream_current(tess_cpu()));
    CHECK(tess_stream_handle(tess_stream_default(tess_cpu())) == NULL && tess_stream_handle(NULL) == NULL);
    CHECK(is_zeroed(&a) && s == NULL);
}

TEST(the_cpu_is_known)
{
    tess_info_device info;
    memset(&info, 0xff, sizeof info);
    CHECK_OK(tess_device_info(&info, tess_cpu()));
    CHECK(memchr(info.name, 0, sizeof info.name) && info.name[0] != '\0');
    CHECK(memchr(info.isa, 0, sizeof info.isa) && info.isa[0] != '\0');
    CHECK(info.memory_total > 0 && info.memory_free > 0 && info.memory_free <= info.memory_total);
    CHECK(info.cores >= 1);
    CHECK_I64(info.threads, tess_threads_get());
    CHECK(info.compute_capability == 0 && info.driver_version == 0 && info.compiler_version == 0);
    CHECK(info.fft_version == 0 && info.blas_version == 0);
    for (int i = 0; i < 3; i++) CHECK(info.reserved[i] == 0);
}

TEST(device_info_refuses)
{
    tess_info_device info;
    CHECK_FAILS(tess_device_info(NULL, tess_cpu()), TESS_EARG, "device_info: ", "info is NULL");
    CHECK_FAILS(tess_device_info(&info, tess_gpu(99)), TESS_EDEVICE, "device_info: ", "gpu:99");
    CHECK_FAILS(tess_device_info(&info, (tess_device){ 5, 0 }), TESS_EDEVICE, "kind 5");
    CHECK_FAILS(tess_device_info(&info, (tess_device){ TESS_CPU, 2 }), TESS_EDEVICE, "index 2");
}

/* ---- Streams ---- */

TEST(the_default_stream_is_synchronous)
{
    tess_stream *s = tess_stream_current(tess_cpu());
    tess_array   a = constant(TESS_F32, 1, 1, 1000, 1000, 0);
    CHECK(s != NULL && tess_stream_device(s).kind == TESS_CPU);
    CHECK_OK(tess_fill(&a, 3));
    CHECK(((float *)a.data)[999999] == 3);
    CHECK(!tess_stream_busy(s) && !tess_stream_busy(NULL));
    CHECK_OK(tess_stream_sync(s));
    CHECK_OK(tess_stream_sync(NULL));
    tess_release(&a);
}

TEST(a_stream_without_options_is_synchronous)
{
    tess_stream *s = NULL;
    tess_array   a = constant(TESS_F64, 1, 1, 100, 100, 0.5), out = { 0 };
    CHECK_OK(tess_stream_new(&s, tess_cpu(), NULL));
    CHECK_OK(tess_stream_set_current(s));
    CHECK(tess_stream_current(tess_cpu()) == s);
    CHECK_OK(tess_fill(&a, 3.5));
    CHECK(((double *)a.data)[9999] == 3.5);
    CHECK_FAILS(tess_cast(&out, &a, TESS_I32, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }), TESS_ERANGE, "3.5");
    CHECK_OK(tess_stream_sync(s));
    leave(s);
    tess_release(&a);
}

TEST(stream_new_refuses)
{
    tess_stream     *s = NULL;
    tess_stream_opts flag = { .async = 2 }, newer = { .reserved = { 0, 0, 0, 0, 0, 0, 1 } };
    CHECK_FAILS(tess_stream_new(NULL, tess_cpu(), NULL), TESS_EARG, "stream_new: ", "stream is NULL");
    CHECK_FAILS(tess_stream_new(&s, tess_gpu(99), NULL), TESS_EDEVICE, "gpu:99");
    CHECK_FAILS(tess_stream_new(&s, tess_cpu(), &flag), TESS_ERANGE, "opts->async is 2");
    CHECK_FAILS(tess_stream_new(&s, tess_cpu(), &newer), TESS_EARG, "reserved");
    CHECK(s == NULL);
    tess_stream_free(NULL);
}

TEST(async_work_is_done_in_order)
{
    tess_array   a = constant(TESS_F32, 1, 1, 300, 300, 0), copies[20] = { { .dtype = 0 } };
    tess_stream *s = enter();
    for (int i = 0; i < 20; i++) {
        CHECK_OK(tess_fill(&a, i));
        CHECK_OK(tess_copy(&copies[i], &a));
    }
    CHECK_OK(tess_fill(&a, -1));
    CHECK_OK(tess_stream_sync(s));
    for (int i = 0; i < 20; i++) {
        const float *x = copies[i].data;
        CHECK(x[0] == (float)i && x[45000] == (float)i && x[89999] == (float)i);
        tess_release(&copies[i]);
    }
    CHECK(((float *)a.data)[0] == -1);
    leave(s);
    tess_release(&a);
}

TEST(async_results_are_those_of_the_default_stream)
{
    tess_array a = numbers(TESS_F32, 2, 3, 40, 50), v = { 0 }, here[4] = { { .dtype = 0 } };
    tess_array there[4] = { { .dtype = 0 } };
    CHECK_OK(tess_subregion_text(&v, &a, "::-1, :, ::2, ::-1"));
    for (int round = 0; round < 2; round++) {
        tess_array  *out = round ? there : here;
        tess_stream *s = round ? enter() : NULL;
        CHECK_OK(tess_cast(&out[0], &v, TESS_U8, &(tess_cast_opts){ .mode = TESS_CAST_WRAP }));
        CHECK_OK(tess_permute_copy(&out[1], &out[0], 3, 1, 2, 0));
        const tess_array parts[2] = { out[1], out[1] };
        CHECK_OK(tess_concatenate(&out[2], parts, 2, 2));
        CHECK_OK(tess_linspace(&out[3], TESS_SHAPE(1, 2, 30, 40), TESS_F64, tess_cpu(), 0, 1, NULL));
        if (s) CHECK_OK(tess_stream_sync(s));
        if (s) leave(s);
    }
    for (int i = 0; i < 4; i++) {
        CHECK(memcmp(here[i].data, there[i].data, (size_t)tess_n_bytes(&here[i])) == 0);
        tess_release(&here[i]);
        tess_release(&there[i]);
    }
    tess_release(&a);
}

TEST(busy_while_work_is_queued)
{
    static gate  g;
    tess_stream *s = async_stream();
    CHECK(!tess_stream_busy(s));
    if (!gate_close(&g, s)) return;
    CHECK(tess_stream_busy(s));
    gate_open(&g);
    CHECK_OK(tess_stream_sync(s));
    CHECK(!tess_stream_busy(s));
    tess_stream_free(s);
}

TEST(calls_return_before_async_work_is_done)
{
    static gate  g;
    tess_array   a = constant(TESS_F32, 1, 1, 10, 10, 0);
    tess_stream *s = async_stream();
    if (!gate_close(&g, s)) return;
    CHECK_OK(tess_stream_set_current(s));
    CHECK_OK(tess_fill(&a, 5));
    CHECK(((float *)a.data)[0] == 0);
    gate_open(&g);
    CHECK_OK(tess_stream_sync(NULL));
    CHECK(((float *)a.data)[0] == 5);
    leave(s);
    tess_release(&a);
}

TEST(exact_errors_come_out_at_sync_once)
{
    const tess_cast_opts exact = { .mode = TESS_CAST_EXACT };
    tess_array           a = constant(TESS_F64, 1, 1, 2, 3, 1.5), b = constant(TESS_F64, 1, 1, 2, 3, 2.25);
    tess_array           x = constant(TESS_I32, 1, 1, 2, 3, -1), y = constant(TESS_I32, 1, 1, 2, 3, -1), z = { 0 };
    tess_stream         *s = enter();
    tess_error_clear();
    CHECK_OK(tess_cast(&x, &a, TESS_I32, &exact));
    CHECK_OK(tess_cast(&y, &b, TESS_I32, &exact));
    CHECK_OK(tess_cast(&z, &b, TESS_I32, NULL));
    wait_ms(5);
    CHECK(tess_error_status() == TESS_OK);
    CHECK_FAILS(tess_stream_sync(s), TESS_ERANGE, "cast: ", "1.5", "{0,0,0,0}", "i32");
    CHECK_OK(tess_stream_sync(s));
    CHECK(all_are(&x, -1) && all_are(&y, -1) && all_are(&z, 2));
    leave(s);
    tess_release(&a);
    tess_release(&b);
    tess_release(&x);
    tess_release(&y);
    tess_release(&z);
}

TEST(an_error_stays_on_its_stream)
{
    tess_array   a = constant(TESS_F64, 1, 1, 2, 3, 1.5), x = { 0 };
    tess_stream *other = async_stream(), *s = enter();
    CHECK_OK(tess_cast(&x, &a, TESS_I32, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }));
    CHECK_OK(tess_stream_sync(other));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK_OK(tess_stream_sync(NULL));
    CHECK_FAILS(tess_stream_sync(s), TESS_ERANGE, "1.5");
    tess_stream_free(s);
    tess_stream_free(other);
    tess_release(&a);
    tess_release(&x);
}

TEST(errors_nobody_asked_for_are_lost)
{
    tess_array   a = constant(TESS_F64, 1, 1, 2, 3, 1.5), x = { 0 };
    tess_stream *s = enter();
    tess_error_clear();
    CHECK_OK(tess_cast(&x, &a, TESS_I32, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }));
    leave(s);
    CHECK(tess_error_status() == TESS_OK);
    tess_release(&a);
    tess_release(&x);
}

TEST(argument_errors_are_synchronous_on_every_stream)
{
    static gate  g;
    tess_array   a = numbers(TESS_F32, 1, 1, 2, 3), zero = { 0 }, out = { 0 }, f64 = constant(TESS_F64, 1, 1, 2, 3, 0);
    tess_stream *s = async_stream();
    if (!gate_close(&g, s)) return;
    CHECK_OK(tess_stream_set_current(s));
    CHECK_FAILS(tess_copy(&out, &zero), TESS_EARG, "zeroed");
    CHECK_FAILS(tess_copy(&f64, &a), TESS_EDTYPE, "f64");
    CHECK_FAILS(tess_cast(&out, &a, 99, NULL), TESS_EDTYPE, "99");
    CHECK_FAILS(tess_concatenate(&out, &a, 0, 0), TESS_EARG, "n is 0");
    CHECK_FAILS(tess_fill(&zero, 1), TESS_EARG, "zeroed");
    gate_open(&g);
    CHECK_OK(tess_stream_sync(s));
    leave(s);
    tess_release(&a);
    tess_release(&f64);
}

/* The workspace of a reduction is that of the threads there were when it was queued. */
TEST(threads_may_change_before_queued_work_runs)
{
    static gate g[2];
    tess_array  a = { 0 };
    CHECK_OK(tess_arange(&a, TESS_SHAPE(1, 1, 300, 5000), TESS_I32, tess_cpu(), 0, 1));
    for (int more = 0; more < 2; more++) {
        tess_array   most = { 0 }, any = { 0 }, columns = { 0 };
        tess_stream *s = async_stream();
        CHECK_OK(tess_threads_set(more ? 1 : 16));
        if (!gate_close(&g[more], s)) return;
        CHECK_OK(tess_stream_set_current(s));
        CHECK_OK(tess_max(&most, &a, TESS_ALL_AXES, NULL));
        CHECK_OK(tess_any(&any, &a, TESS_ALL_AXES));
        CHECK_OK(tess_max(&columns, &a, TESS_H, NULL));
        CHECK_OK(tess_threads_set(more ? 16 : 1));
        gate_open(&g[more]);
        CHECK_OK(tess_stream_sync(s));
        leave(s);
        CHECK(((int32_t *)most.data)[0] == 1499999 && ((uint8_t *)any.data)[0] == 1);
        for (int i = 0; i < 5000; i++) CHECK(((int32_t *)columns.data)[i] == 1495000 + i);
        tess_release(&most), tess_release(&any), tess_release(&columns);
    }
    CHECK_OK(tess_threads_set(0));
    tess_release(&a);
}

TEST(storage_released_after_queueing_stays_alive)
{
    const int64_t used = tess_memory_used(tess_cpu());
    tess_stream  *s = enter();
    for (int i = 0; i < 200; i++) {
        tess_array a = { 0 }, b = { 0 }, c = { 0 };
        CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 100, 100), TESS_F32, tess_cpu(), i));
        CHECK_OK(tess_copy(&b, &a));
        tess_release(&a);
        CHECK_OK(tess_cast(&c, &b, TESS_I16, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }));
        tess_release(&b);
        CHECK_OK(tess_fill(&c, 1));
        tess_release(&c);
    }
    CHECK_OK(tess_stream_sync(s));
    CHECK_I64(tess_memory_used(tess_cpu()), used);
    leave(s);
}

TEST(views_of_released_arrays_stay_alive_too)
{
    tess_array   a = numbers(TESS_F32, 1, 1, 200, 300), v = { 0 }, out = { 0 };
    tess_stream *s = enter();
    CHECK_OK(tess_subregion_text(&v, &a, "..., ::-1, 100:200"));
    CHECK_OK(tess_copy(&out, &v));
    tess_release(&a);
    CHECK(value_at(&out, 0, 0, 0, 0) == 199 * 300 + 100);
    leave(s);
    tess_release(&out);
}

TEST(element_access_waits_for_queued_work)
{
    tess_array   a = constant(TESS_F32, 1, 1, 1000, 1000, 0);
    tess_stream *s = enter();
    for (int i = 1; i <= 10; i++) CHECK_OK(tess_fill(&a, i));
    CHECK(value_at(&a, 0, 0, 999, 999) == 10);
    CHECK_OK(tess_fill(&a, 11));
    CHECK_OK(tess_set_f64(&a, 0, 0, 999, 999, -1));
    CHECK_OK(tess_stream_sync(s));
    CHECK(((float *)a.data)[999999] == -1 && ((float *)a.data)[999998] == 11);
    leave(s);
    tess_release(&a);
}

typedef struct current_view {
    tess_stream *seen, *set;
    bool         took;
} current_view;

static void *look_at_current(void *context)
{
    current_view *v = context;
    v->seen = tess_stream_current(tess_cpu());
    v->took = tess_stream_set_current(v->set) == TESS_OK && tess_stream_current(tess_cpu()) == v->set;
    return NULL;
}

TEST(the_current_stream_is_of_the_thread)
{
    tess_stream *first = tess_stream_current(tess_cpu()), *other = async_stream(), *s = enter();
    current_view v = { .set = other };
    pthread_t    thread;
    CHECK(pthread_create(&thread, NULL, look_at_current, &v) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(v.seen == first && v.took);
    CHECK(tess_stream_current(tess_cpu()) == s);
    leave(s);
    CHECK(tess_stream_current(tess_cpu()) == first);
    tess_stream_free(other);
}

TEST(a_stream_freed_while_current_lives_on)
{
    tess_array   a = constant(TESS_F32, 1, 1, 100, 100, 0);
    tess_stream *s = enter();
    CHECK_OK(tess_fill(&a, 1));
    tess_stream_free(s);
    CHECK(tess_stream_current(tess_cpu()) == s);
    CHECK_OK(tess_fill(&a, 2));
    CHECK_OK(tess_stream_sync(s));
    CHECK(((float *)a.data)[0] == 2);
    CHECK_OK(tess_fill(&a, 3));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(((float *)a.data)[9999] == 3);
    tess_release(&a);
}

static void *keep_current(void *stream) { return tess_stream_set_current(stream) == TESS_OK ? stream : NULL; }

TEST(a_thread_that_ends_gives_its_stream_back)
{
    static hooks h;
    hooks_on(&h);
    tess_stream *s = async_stream();
    pthread_t    thread;
    void        *result = NULL;
    CHECK(pthread_create(&thread, NULL, keep_current, s) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == s);
    tess_stream_free(s);
    CHECK_I64(atomic_load(&h.live), 0);
    hooks_off();
}

TEST(setting_the_current_stream_again_is_no_harm)
{
    tess_stream *first = tess_stream_current(tess_cpu()), *s = async_stream();
    for (int i = 0; i < 10; i++) CHECK_OK(tess_stream_set_current(s));
    CHECK_OK(tess_stream_set_current(first));
    CHECK_OK(tess_stream_set_current(first));
    CHECK(tess_stream_current(tess_cpu()) == first);
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(tess_stream_current(tess_cpu()) == first);
    tess_stream_free(s);
}

TEST(a_thousand_items_are_queued)
{
    static gate  g;
    tess_array   a = { 0 }, v = { 0 };
    tess_stream *s = async_stream();
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 1, 1000), TESS_I32, tess_cpu()));
    if (!gate_close(&g, s)) return;
    CHECK_OK(tess_stream_set_current(s));
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(tess_index(&v, &a, 3, i));
        CHECK_OK(tess_fill(&v, i + 1));
    }
    for (int i = 0; i < 1000; i++) CHECK(((int32_t *)a.data)[i] == 0);
    gate_open(&g);
    CHECK_OK(tess_stream_sync(s));
    for (int i = 0; i < 1000; i++) CHECK(((int32_t *)a.data)[i] == i + 1);
    leave(s);
    tess_release(&a);
}

TEST(free_finishes_queued_work)
{
    static gate  g;
    tess_array   a = { 0 }, v = { 0 };
    tess_stream *s = async_stream();
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 1, 1000), TESS_I32, tess_cpu()));
    if (!gate_close(&g, s)) return;
    CHECK_OK(tess_stream_set_current(s));
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(tess_index(&v, &a, 3, i));
        CHECK_OK(tess_fill(&v, i + 1));
    }
    CHECK_OK(tess_stream_set_current(NULL));
    gate_open(&g);
    tess_stream_free(s);
    for (int i = 0; i < 1000; i++) CHECK(((int32_t *)a.data)[i] == i + 1);
    tess_release(&a);
}

TEST(many_streams_work_at_once)
{
    tess_stream *streams[16];
    tess_array   arrays[16] = { { .dtype = 0 } };
    for (int i = 0; i < 16; i++) streams[i] = async_stream();
    for (int round = 0; round < 5; round++)
        for (int i = 0; i < 16; i++) {
            CHECK_OK(tess_stream_set_current(streams[i]));
            if (round == 0) CHECK_OK(tess_zeros(&arrays[i], TESS_SHAPE(1, 1, 200, 200), TESS_F32, tess_cpu()));
            CHECK_OK(tess_fill(&arrays[i], 100 * round + i));
        }
    CHECK_OK(tess_stream_set_current(NULL));
    for (int i = 0; i < 16; i++) {
        CHECK_OK(tess_stream_sync(streams[i]));
        CHECK(((float *)arrays[i].data)[39999] == (float)(400 + i));
        tess_stream_free(streams[i]);
        tess_release(&arrays[i]);
    }
}

/* ---- Events ---- */

static tess_event *new_event(void)
{
    tess_event *e = NULL;
    CHECK_OK(tess_event_new(&e, tess_cpu()));
    return e;
}

TEST(an_event_never_recorded_counts_as_reached)
{
    tess_event  *e = new_event();
    tess_stream *s = async_stream();
    CHECK(!tess_event_busy(e));
    CHECK_OK(tess_event_sync(e));
    CHECK_OK(tess_event_wait(e, s));
    CHECK_OK(tess_stream_sync(s));
    tess_event_free(e);
    tess_event_free(NULL);
    tess_stream_free(s);
}

TEST(an_event_of_a_synchronous_stream_is_reached_at_once)
{
    tess_event  *start = new_event(), *end = new_event();
    double       ms = -1;
    const double began = now_ms();
    CHECK_OK(tess_event_record(start, NULL));
    CHECK(!tess_event_busy(start));
    wait_ms(2);
    CHECK_OK(tess_event_record(end, tess_stream_current(tess_cpu())));
    CHECK_OK(tess_event_sync(end));
    CHECK_OK(tess_event_elapsed(&ms, start, end));
    CHECK(ms >= 2 && ms < now_ms() - began + 1);
    CHECK_OK(tess_event_elapsed(&ms, start, start));
    CHECK(ms == 0);
    tess_event_free(start);
    tess_event_free(end);
}

TEST(an_event_is_reached_when_the_work_before_it_is_done)
{
    static gate  g;
    tess_event  *start = new_event(), *end = new_event();
    tess_stream *s = async_stream();
    double       ms = -1;
    if (!gate_close(&g, s)) return;
    CHECK_OK(tess_event_record(start, s));
    CHECK_OK(tess_event_record(end, s));
    CHECK(tess_event_busy(start) && tess_event_busy(end));
    CHECK_FAILS(tess_event_elapsed(&ms, start, end), TESS_EARG, "event_elapsed: ", "start has not been reached");
    gate_open(&g);
    CHECK_OK(tess_event_sync(end));
    CHECK(!tess_event_busy(start) && !tess_event_busy(end));
    CHECK_OK(tess_event_elapsed(&ms, start, end));
    CHECK(ms >= 0);
    tess_event_free(start);
    tess_event_free(end);
    tess_stream_free(s);
}

TEST(a_second_record_moves_the_mark)
{
    static gate  g;
    tess_event  *e = new_event();
    tess_stream *s = async_stream();
    CHECK_OK(tess_event_record(e, s));
    CHECK_OK(tess_event_sync(e));
    CHECK(!tess_event_busy(e));
    if (!gate_close(&g, s)) return;
    CHECK_OK(tess_event_record(e, s));
    CHECK(tess_event_busy(e));
    gate_open(&g);
    CHECK_OK(tess_event_sync(e));
    tess_event_free(e);
    tess_stream_free(s);
}

TEST(a_stream_waits_for_another)
{
    static gate  g;
    tess_array   x = constant(TESS_F32, 1, 1, 100, 100, 0), y = constant(TESS_F32, 1, 1, 100, 100, 0);
    tess_event  *e = new_event();
    tess_stream *a = async_stream(), *b = async_stream();
    if (!gate_close(&g, a)) return;
    CHECK_OK(tess_stream_set_current(a));
    CHECK_OK(tess_fill(&x, 1));
    CHECK_OK(tess_event_record(e, a));
    CHECK_OK(tess_event_wait(e, b));
    CHECK_OK(tess_stream_set_current(b));
    CHECK_OK(tess_copy(&y, &x));
    wait_ms(20);
    CHECK(tess_stream_busy(b));
    gate_open(&g);
    CHECK_OK(tess_stream_sync(b));
    CHECK(((float *)y.data)[9999] == 1);
    CHECK_OK(tess_stream_set_current(NULL));
    tess_event_free(e);
    tess_stream_free(a);
    tess_stream_free(b);
    tess_release(&x);
    tess_release(&y);
}

TEST(two_streams_play_ping_pong)
{
    tess_array   x = constant(TESS_I32, 1, 1, 100, 100, 0), y = constant(TESS_I32, 1, 1, 100, 100, 0), next = { 0 };
    tess_event  *ab = new_event(), *ba = new_event();
    tess_stream *a = async_stream(), *b = async_stream();
    CHECK_OK(tess_like(&next, &x));
    for (int i = 1; i <= 100; i++) {
        CHECK_OK(tess_stream_set_current(a));
        CHECK_OK(tess_event_wait(ba, a));
        CHECK_OK(tess_fill(&x, i));
        CHECK_OK(tess_event_record(ab, a));
        CHECK_OK(tess_stream_set_current(b));
        CHECK_OK(tess_event_wait(ab, b));
        CHECK_OK(tess_copy(&y, &x));
        CHECK_OK(tess_event_record(ba, b));
    }
    CHECK_OK(tess_stream_sync(b));
    CHECK(((int32_t *)y.data)[0] == 100 && ((int32_t *)y.data)[9999] == 100);
    CHECK_OK(tess_stream_set_current(NULL));
    tess_event_free(ab);
    tess_event_free(ba);
    tess_stream_free(a);
    tess_stream_free(b);
    tess_release(&x);
    tess_release(&y);
    tess_release(&next);
}

TEST(an_event_freed_while_waited_for_still_holds)
{
    static gate  g;
    tess_array   x = constant(TESS_F32, 1, 1, 100, 100, 0);
    tess_event  *e = new_event();
    tess_stream *a = async_stream(), *b = async_stream();
    if (!gate_close(&g, a)) return;
    CHECK_OK(tess_event_record(e, a));
    CHECK_OK(tess_event_wait(e, b));
    tess_event_free(e);
    CHECK_OK(tess_stream_set_current(b));
    CHECK_OK(tess_fill(&x, 1));
    wait_ms(20);
    CHECK(tess_stream_busy(b) && ((float *)x.data)[0] == 0);
    gate_open(&g);
    CHECK_OK(tess_stream_sync(b));
    CHECK(((float *)x.data)[0] == 1);
    leave(b);
    tess_stream_free(a);
    tess_release(&x);
}

TEST(a_wait_is_for_the_mark_as_it_was)
{
    static gate  g;
    tess_array   x = constant(TESS_F32, 1, 1, 100, 100, 0);
    tess_event  *e = new_event();
    tess_stream *a = async_stream(), *b = async_stream(), *idle = async_stream();
    if (!gate_close(&g, a)) return;
    CHECK_OK(tess_event_record(e, a));
    CHECK_OK(tess_event_wait(e, b));
    CHECK_OK(tess_event_record(e, idle));
    CHECK_OK(tess_event_sync(e));
    CHECK_OK(tess_stream_set_current(b));
    CHECK_OK(tess_fill(&x, 1));
    wait_ms(20);
    CHECK(tess_stream_busy(b) && ((float *)x.data)[0] == 0);
    gate_open(&g);
    CHECK_OK(tess_stream_sync(b));
    leave(b);
    tess_event_free(e);
    tess_stream_free(a);
    tess_stream_free(idle);
    tess_release(&x);
}

TEST(events_refuse)
{
    tess_event *e = NULL, *never = new_event(), *once = new_event();
    double      ms = -1;
    CHECK_OK(tess_event_record(once, NULL));
    CHECK_FAILS(tess_event_new(NULL, tess_cpu()), TESS_EARG, "event_new: ", "event is NULL");
    CHECK_FAILS(tess_event_new(&e, tess_gpu(99)), TESS_EDEVICE, "event_new: ", "gpu:99");
    CHECK_FAILS(tess_event_record(NULL, NULL), TESS_EARG, "event_record: ", "event is NULL");
    CHECK_FAILS(tess_event_sync(NULL), TESS_EARG, "event_sync: ", "event is NULL");
    CHECK_FAILS(tess_event_wait(NULL, NULL), TESS_EARG, "event_wait: ", "event is NULL");
    CHECK_FAILS(tess_event_elapsed(NULL, once, once), TESS_EARG, "ms is NULL");
    CHECK_FAILS(tess_event_elapsed(&ms, NULL, once), TESS_EARG, "start is NULL");
    CHECK_FAILS(tess_event_elapsed(&ms, once, NULL), TESS_EARG, "end is NULL");
    CHECK_FAILS(tess_event_elapsed(&ms, never, once), TESS_EARG, "start was never recorded");
    CHECK_FAILS(tess_event_elapsed(&ms, once, never), TESS_EARG, "end was never recorded");
    CHECK(!tess_event_busy(NULL));
    CHECK(e == NULL && ms == -1);
    tess_event_free(never);
    tess_event_free(once);
}

/* ---- Threads ---- */

TEST(threads_are_set_and_told)
{
    const int first = tess_threads_get();
    CHECK(first >= 1);
    for (int n = 1; n <= 64; n *= 2) {
        CHECK_OK(tess_threads_set(n));
        CHECK_I64(tess_threads_get(), n);
    }
    CHECK_OK(tess_threads_set(0));
    CHECK_I64(tess_threads_get(), first);
}

TEST(threads_refuse_bad_numbers)
{
    const int first = tess_threads_get();
    CHECK_FAILS(tess_threads_set(-1), TESS_ERANGE, "threads_set: ", "n is -1");
    CHECK_FAILS(tess_threads_set(INT32_MIN), TESS_ERANGE, "n is -2147483648");
    CHECK_FAILS(tess_threads_set(INT32_MAX), TESS_ERANGE, "n is 2147483647");
    CHECK_I64(tess_threads_get(), first);
}

/* A number that depends on every byte of the results of large work. */
static uint64_t hash_of_work(void)
{
    uint64_t   hash = 14695981039346656037u;
    tess_array a = { 0 }, out[5] = { { .dtype = 0 } }, v = { 0 };
    CHECK_OK(tess_linspace(&a, TESS_SHAPE(3, 2, 301, 407), TESS_F64, tess_cpu(), -4e4, 4e4, NULL));
    CHECK_OK(tess_permute_copy(&out[0], &a, 3, 1, 2, 0));
    CHECK_OK(tess_cast(&out[1], &a, TESS_I16, &(tess_cast_opts){ .mode = TESS_CAST_WRAP }));
    CHECK_OK(tess_subregion_text(&v, &a, "::-1, :, ::3, ::-2"));
    CHECK_OK(tess_cast(&out[2], &v, TESS_F16, NULL));
    CHECK_OK(tess_eye(&out[3], TESS_SHAPE(2, 2, 400, 300), TESS_F32, tess_cpu()));
    const tess_array parts[2] = { v, v };
    CHECK_OK(tess_concatenate(&out[4], parts, 2, 3));
    for (int i = 0; i < 5; i++) {
        const unsigned char *bytes = out[i].data;
        for (int64_t k = 0; k < tess_n_bytes(&out[i]); k++) hash = (hash ^ bytes[k]) * 1099511628211u;
        tess_release(&out[i]);
    }
    tess_release(&a);
    return hash;
}

TEST(results_do_not_depend_on_threads)
{
    CHECK_OK(tess_threads_set(1));
    const uint64_t one = hash_of_work();
    CHECK_OK(tess_threads_set(2));
    CHECK(hash_of_work() == one);
    CHECK_OK(tess_threads_set(7));
    CHECK(hash_of_work() == one);
    CHECK_OK(tess_threads_set(0));
    CHECK(hash_of_work() == one);
}

/* ---- Many threads at once ---- */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

typedef struct user {
    uint32_t state;
    int      wrong;
} user;

static tess_status random_work(uint32_t *state, int *wrong)
{
    const int64_t h = 1 + next_random(state) % 200, w = 1 + next_random(state) % 300;
    tess_array    a = { 0 }, t = { 0 }, b = { 0 }, c = { 0 };
    tess_status   status = TESS_OK;
    TESS_GOTO(done, status, tess_arange(&a, TESS_SHAPE(1, 1, h, w), TESS_F32, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_transpose(&t, &a));
    TESS_GOTO(done, status, tess_copy(&b, &t));
    TESS_GOTO(done, status, tess_cast(&c, &b, TESS_I32, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }));
    for (int64_t i = 0; i < h * w; i++) *wrong += ((int32_t *)c.data)[i] != i % h * w + i / h;
done:
    tess_release(&a);
    tess_release(&b);
    tess_release(&c);
    return status;
}

static void *use(void *context)
{
    user *u = context;
    for (int i = 0; i < 200; i++)
        if (random_work(&u->state, &u->wrong) != TESS_OK) u->wrong++;
    return NULL;
}

static atomic_bool stop_changing;

static void *change_threads(void *wrong)
{
    for (int i = 0; !atomic_load(&stop_changing); i++)
        if (tess_threads_set(i % 5) != TESS_OK) ++*(int *)wrong;
    return NULL;
}

TEST(threads_work_at_once_while_their_number_changes)
{
    pthread_t threads[8], changer;
    user      users[8];
    int       wrong = 0;
    atomic_store(&stop_changing, false);
    CHECK(pthread_create(&changer, NULL, change_threads, &wrong) == 0);
    for (int i = 0; i < 8; i++) {
        users[i] = (user){ (uint32_t)i + 1, 0 };
        CHECK(pthread_create(&threads[i], NULL, use, &users[i]) == 0);
    }
    for (int i = 0; i < 8; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK_I64(users[i].wrong, 0);
    }
    atomic_store(&stop_changing, true);
    CHECK(pthread_join(changer, NULL) == 0);
    CHECK_I64(wrong, 0);
    CHECK_OK(tess_threads_set(0));
}

typedef struct sharer {
    tess_stream       *stream;
    pthread_barrier_t *all_have_it;
    int                wrong;
} sharer;

static void *share(void *context)
{
    sharer    *s = context;
    tess_array a = { 0 };
    if (tess_stream_set_current(s->stream) != TESS_OK) s->wrong++;
    (void)pthread_barrier_wait(s->all_have_it);
    for (int i = 0; i < 50; i++) {
        if (tess_full(&a, TESS_SHAPE(1, 1, 50, 50), TESS_F32, tess_cpu(), i) != TESS_OK) s->wrong++;
        tess_release(&a);
    }
    if (tess_stream_sync(NULL) != TESS_OK) s->wrong++;
    return NULL;
}

TEST(threads_share_an_async_stream)
{
    tess_stream      *stream = async_stream();
    pthread_t         threads[8];
    sharer            sharers[8];
    pthread_barrier_t all_have_it;
    CHECK(pthread_barrier_init(&all_have_it, NULL, 9) == 0);
    for (int i = 0; i < 8; i++) {
        sharers[i] = (sharer){ stream, &all_have_it, 0 };
        CHECK(pthread_create(&threads[i], NULL, share, &sharers[i]) == 0);
    }
    (void)pthread_barrier_wait(&all_have_it);
    tess_stream_free(stream);
    for (int i = 0; i < 8; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK_I64(sharers[i].wrong, 0);
    }
    (void)pthread_barrier_destroy(&all_have_it);
}

/* ---- Fork ---- */

/* Large copies in parallel; false if one is wrong. Prints nothing: it runs in children. */
static bool large_copies(int64_t n)
{
    tess_array a = { 0 }, b = { 0 };
    bool       good = tess_threads_set(4) == TESS_OK &&
                tess_arange(&a, TESS_SHAPE(1, 1, n, n), TESS_F32, tess_cpu(), 0, 1) == TESS_OK &&
                tess_permute_copy(&b, &a, 0, 1, 3, 2) == TESS_OK;
    for (int64_t i = 0; i < n && good; i++)
        good = TESS_AT(float, b, 0, 0, i, n - 1) == TESS_AT(float, a, 0, 0, n - 1, i);
    tess_release(&a);
    tess_release(&b);
    return good;
}

/* Run in a child, which is ended if it hangs; true if it ended well. */
static bool in_child(bool (*work)(void *), void *context)
{
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(test_seconds(20));
        _exit(work(context) ? 0 : 1);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool copy_much(void *context)
{
    (void)context;
    return large_copies(1500) && large_copies(1500);
}

static bool copy_some(void *context)
{
    (void)context;
    return large_copies(400);
}

TEST(a_child_works_after_parallel_work)
{
    if (THREAD_SANITIZER) {
        test_skip("the thread sanitizer does not allow threads in a child");
        return;
    }
    CHECK(large_copies(1500));
    CHECK(in_child(copy_much, NULL));
    CHECK(large_copies(1500));
    CHECK_OK(tess_threads_set(0));
}

TEST(many_forks)
{
    if (THREAD_SANITIZER) {
        test_skip("the thread sanitizer does not allow threads in a child");
        return;
    }
    for (int i = 0; i < 200; i++) {
        CHECK(large_copies(400));
        if (!CHECK(in_child(copy_some, NULL))) break;
    }
    CHECK_OK(tess_threads_set(0));
}

static atomic_bool stop_working;

static void *work_on(void *context)
{
    while (!atomic_load(&stop_working))
        if (!large_copies(300)) ++*(int *)context;
    return NULL;
}

TEST(forks_while_another_thread_works)
{
    if (THREAD_SANITIZER) {
        test_skip("the thread sanitizer does not allow threads in a child");
        return;
    }
    if (ADDRESS_SANITIZER) {
        test_skip("the address sanitizer may have locked its own memory when a thread forks");
        return;
    }
    pthread_t thread;
    int       wrong = 0;
    atomic_store(&stop_working, false);
    CHECK(pthread_create(&thread, NULL, work_on, &wrong) == 0);
    for (int i = 0; i < 50; i++)
        if (!CHECK(in_child(copy_some, NULL))) break;
    atomic_store(&stop_working, true);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_I64(wrong, 0);
    CHECK_OK(tess_threads_set(0));
}

/* In the child: a stream from before the fork rejects, says why, and is no harm; a new one works. */
static bool old_stream_refuses(void *stream)
{
    tess_array   a = { 0 };
    tess_stream *fresh = NULL;
    bool         good = tess_stream_set_current(stream) == TESS_OK;
    good = good && tess_empty(&a, TESS_SHAPE(1, 1, 10, 10), TESS_F32, tess_cpu()) == TESS_OK;
    good = good && tess_fill(&a, 1) == TESS_EDEVICE && strstr(tess_error_message(), "fork") != NULL;
    good = good && tess_stream_sync(stream) == TESS_EDEVICE && strstr(tess_error_message(), "fork") != NULL;
    good = good && !tess_stream_busy(stream) && tess_stream_set_current(NULL) == TESS_OK;
    tess_stream_free(stream);
    good = good && tess_fill(&a, 2) == TESS_OK && ((float *)a.data)[99] == 2;
    good = good && tess_stream_new(&fresh, tess_cpu(), &(tess_stream_opts){ .async = 1 }) == TESS_OK;
    good = good && tess_stream_set_current(fresh) == TESS_OK && tess_fill(&a, 3) == TESS_OK;
    good = good && tess_stream_sync(fresh) == TESS_OK && ((float *)a.data)[99] == 3;
    good = good && tess_stream_set_current(NULL) == TESS_OK;
    tess_stream_free(fresh);
    tess_release(&a);
    return good;
}

TEST(an_async_stream_from_before_the_fork_refuses_in_the_child)
{
    if (THREAD_SANITIZER) {
        test_skip("the thread sanitizer does not allow threads in a child");
        return;
    }
    tess_array   a = constant(TESS_F32, 1, 1, 10, 10, 0);
    tess_stream *s = enter();
    CHECK_OK(tess_fill(&a, 1));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(in_child(old_stream_refuses, s));
    CHECK_OK(tess_stream_sync(s));
    CHECK(((float *)a.data)[99] == 1);
    tess_stream_free(s);
    tess_release(&a);
}

static bool old_event_does_not_hang(void *event)
{
    const tess_status status = tess_event_sync(event);
    return status == TESS_OK || status == TESS_EDEVICE;
}

TEST(an_event_from_before_the_fork_does_not_hang_the_child)
{
    static gate  g;
    tess_event  *e = new_event();
    tess_stream *s = async_stream();
    if (!gate_close(&g, s)) return;
    CHECK_OK(tess_event_record(e, s));
    CHECK(in_child(old_event_does_not_hang, e));
    gate_open(&g);
    CHECK_OK(tess_event_sync(e));
    tess_event_free(e);
    tess_stream_free(s);
}

/* ---- Allocators ---- */

TEST(all_memory_comes_from_the_allocator)
{
    static hooks h;
    tess_array   a = { 0 }, b = { 0 };
    tess_stream *s = NULL;
    tess_event  *e = NULL;
    hooks_on(&h);
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 10, 10), TESS_F32, tess_cpu()));
    CHECK(atomic_load(&h.live) >= 1 && atomic_load(&h.bytes) >= 400);
    CHECK_OK(tess_zeros(&b, TESS_SHAPE(1, 1, 1500, 1000), TESS_F32, tess_cpu()));
    CHECK(atomic_load(&h.bytes) >= 6000400);
    CHECK((uintptr_t)a.data % 64 == 0 && (uintptr_t)b.data % 64 == 0);
    CHECK(((float *)b.data)[1499999] == 0);
    const long arrays = atomic_load(&h.live);
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_event_new(&e, tess_cpu()));
    CHECK(atomic_load(&h.live) >= arrays + 2);
    CHECK_OK(tess_stream_set_current(s));
    CHECK_OK(tess_fill(&a, 1));
    CHECK_OK(tess_stream_sync(s));
    CHECK_OK(tess_stream_set_current(NULL));
    tess_event_free(e);
    tess_stream_free(s);
    tess_release(&a);
    tess_release(&b);
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    CHECK_I64(atomic_load(&h.bytes), 0);
    CHECK_I64(atomic_load(&h.wrong), 0);
}

TEST(memory_goes_back_to_the_functions_it_came_from)
{
    static hooks first, second;
    tess_array   before = { 0 }, a = { 0 }, b = { 0 };
    CHECK_OK(tess_zeros(&before, TESS_SHAPE(1, 1, 10, 10), TESS_F32, tess_cpu()));
    hooks_on(&first);
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 10, 10), TESS_F32, tess_cpu()));
    hooks_on(&second);
    CHECK_OK(tess_zeros(&b, TESS_SHAPE(1, 1, 10, 10), TESS_F32, tess_cpu()));
    tess_release(&before);
    const long live = atomic_load(&second.live);
    tess_release(&a);
    CHECK_I64(atomic_load(&first.live), 0);
    CHECK_I64(atomic_load(&second.live), live);
    hooks_off();
    tess_release(&b);
    CHECK_I64(atomic_load(&second.live), 0);
    const long calls = atomic_load(&first.calls) + atomic_load(&second.calls);
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 10, 10), TESS_F32, tess_cpu()));
    tess_release(&a);
    CHECK_I64(atomic_load(&first.calls) + atomic_load(&second.calls), calls);
}

TEST(an_allocator_that_has_nothing_is_out_of_memory)
{
    static hooks h;
    tess_array   a = { 0 };
    atomic_store(&h.fail_at, 1);
    atomic_store(&h.for_good, true);
    hooks_on(&h);
    const int64_t used = tess_memory_used(tess_cpu());
    CHECK_FAILS(tess_zeros(&a, TESS_SHAPE(1, 1, 10, 10), TESS_F32, tess_cpu()), TESS_ENOMEM, "zeros: ", "400 bytes");
    CHECK_I64(tess_memory_used(tess_cpu()), used);
    hooks_off();
}

/* Functions that go before the program ends. */
static bool is_gone;

static void *passing_alloc(void *context, size_t size, size_t alignment)
{
    (void)context;
    return aligned_alloc(alignment, size);
}

static void passing_free(void *context, void *memory, size_t size)
{
    (void)context, (void)size;
    if (is_gone) _exit(3);
    free(memory);
}

TESS_EWISE(plus_one, (in(f32, x), out(f32, y)), y = x + 1.0f;)

/* Plans of transforms and operators that are defined stay for the next call. */
static bool fill_caches(void)
{
    static const tess_allocator passing = { passing_alloc, passing_free, NULL };
    tess_array                  a = { 0 }, b = { 0 };
    bool                        good = tess_allocator_set(&passing) == TESS_OK;
    good = good && tess_zeros(&a, TESS_SHAPE(1, 1, 1, 360), TESS_F32, tess_cpu()) == TESS_OK;
    good = good && tess_fft_r2c(&b, &a, NULL) == TESS_OK && tess_call(&plus_one, &a, &a) == TESS_OK;
    tess_release(&a);
    tess_release(&b);
    return good;
}

TEST(no_allocator_is_called_at_the_end_of_the_program)
{
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(test_seconds(20));
        if (!fill_caches()) _exit(1);
        is_gone = true;
        exit(0);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK_I64(WEXITSTATUS(status), 0);
}

TEST(set_allocator_refuses_half_an_allocator)
{
    tess_allocator bad = { hooks_alloc, NULL, NULL };
    CHECK_FAILS(tess_allocator_set(&bad), TESS_EARG, "allocator_set: ", "free is NULL");
    bad = (tess_allocator){ NULL, hooks_free, NULL };
    CHECK_FAILS(tess_allocator_set(&bad), TESS_EARG, "allocator_set: ", "alloc is NULL");
    tess_array a = constant(TESS_F32, 1, 1, 2, 2, 1);
    tess_release(&a);
}

/* ---- Callbacks on a stream's thread ---- */

static void fail_otherwise(void *unused)
{
    tess_array v = { 0 };
    (void)unused;
    (void)!tess_transpose(&v, NULL);
}

TEST(a_late_error_keeps_its_own_message)
{
    static int32_t number[1] = { 300 };
    tess_array     in = { 0 }, out = { 0 };
    tess_stream   *s = enter();
    CHECK_OK(tess_wrap(&in, number, TESS_SHAPE(1, 1, 1, 1), TESS_I32, &(tess_wrap_opts){ .drop = fail_otherwise }));
    CHECK_OK(tess_cast(&out, &in, TESS_U8, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }));
    tess_release(&in);
    CHECK_FAILS(tess_stream_sync(s), TESS_ERANGE, "cast: in is 300");
    leave(s);
    tess_release(&out);
}

static atomic_int freed;
static pthread_t  maker; /* of the stream; the last reference may go on its thread too, if the work was done by then */

static void free_stream(void *stream)
{
    if (!pthread_equal(pthread_self(), maker)) CHECK_FAILS(tess_stream_sync(stream), TESS_EARG, "wait for itself");
    tess_stream_free(stream);
    atomic_store(&freed, 1);
}

TEST(a_stream_may_be_freed_by_its_own_work)
{
    static float number[1];
    tess_array   a = { 0 };
    tess_stream *s = enter();
    maker = pthread_self();
    atomic_store(&freed, 0);
    CHECK_OK(tess_wrap(&a, number, TESS_SHAPE(1, 1, 1, 1), TESS_F32,
                       &(tess_wrap_opts){ .drop = free_stream, .context = s }));
    CHECK_OK(tess_fill(&a, 1));
    CHECK_OK(tess_stream_set_current(NULL));
    tess_release(&a);
    for (unsigned i = 0; i < test_seconds(20) * 1000 && !atomic_load(&freed); i++) wait_ms(1);
    CHECK(atomic_load(&freed));
    wait_ms(20);
}

TEST(cpu_limit_takes_what_the_processor_has)
{
    tess_info_device info;
    CHECK_OK(tess_cpu_limit_set("base"));
    CHECK_OK(tess_device_info(&info, tess_cpu()));
    CHECK(strstr(info.isa, "requested") != NULL);
    CHECK_FAILS(tess_cpu_limit_set("avx2"), TESS_EDEVICE, "cpu_limit_set: isa is \"avx2\"", "this processor supports");
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_device_info(&info, tess_cpu()));
    CHECK(strstr(info.isa, "best of this processor") != NULL);
}
