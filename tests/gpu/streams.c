/* Streams and events of a GPU, two GPUs, threads, fork, the end of a process. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/arrays.h"
#include "support/gpu.h"

/* The elements of an array on a GPU are this number. */
static bool are(const tess_array *a, double value)
{
    tess_array here = { 0 };
    const bool good = CHECK_OK(tess_to_device(&here, a, tess_cpu())) && all_are(&here, value);
    tess_release(&here);
    return good;
}

static tess_stream *stream_on(tess_device gpu)
{
    tess_stream *s = NULL;
    CHECK_OK(tess_stream_new(&s, gpu, NULL));
    return s;
}

/* ---- What is there ---- */

TEST(a_gpu_is_known)
{
    tess_device gpu, d = { 9, 9 };
    if (!test_gpu(&gpu)) return;
    tess_info_device info;
    memset(&info, 0xff, sizeof info);
    CHECK_OK(tess_device_info(&info, gpu));
    CHECK(info.name[0] && memchr(info.name, 0, sizeof info.name));
    CHECK(strncmp(info.isa, "sm_", 3) == 0 && memchr(info.isa, 0, sizeof info.isa));
    CHECK(info.memory_total > 0 && info.memory_free > 0 && info.memory_free <= info.memory_total);
    CHECK(info.cores > 0 && info.threads == 0);
    CHECK(info.compute_capability >= 50 && info.driver_version >= 11020);
    CHECK(info.fft_version == 0 || info.fft_version >= 10000);
    CHECK(info.blas_version == 0 || info.blas_version >= 11000);
    CHECK_OK(tess_device_parse(&d, "gpu"));
    CHECK(d.kind == TESS_GPU && d.index == 0);
    CHECK_OK(tess_device_parse(&d, "cuda:0"));
    CHECK_FAILS(tess_device_parse(&d, "gpu:31"), TESS_EDEVICE, "device_parse: there is no gpu:31; ", "gpu:0", "available");
    CHECK_FAILS(tess_device_info(&info, tess_gpu(-1)), TESS_EDEVICE, "gpu:-1");
    CHECK(tess_stream_current(tess_gpu(31)) == NULL);
}

static int64_t free_memory(int index)
{
    tess_info_device info;
    return tess_device_info(&info, tess_gpu(index)) == TESS_OK ? info.memory_free : -1;
}

/* Other programs may take memory meanwhile: a little less than the most will do. */
static void check_free_gpu(const char *text)
{
    tess_device d = { 9, 9 };
    int64_t     most = 0;
    for (int i = 0; i < tess_device_count(TESS_GPU); i++) most = free_memory(i) > most ? free_memory(i) : most;
    CHECK_OK(tess_device_parse(&d, text));
    CHECK(d.kind == TESS_GPU && free_memory(d.index) >= most - most / 50);
}

TEST(the_gpu_with_the_most_free_memory)
{
    tess_device gpu, d = { 9, 9 };
    tess_array  taken = { 0 };
    if (!test_gpu(&gpu)) return;
    check_free_gpu("gpu:free");
    CHECK_OK(tess_device_parse(&d, "cuda:free"));
    const int64_t bytes = free_memory(d.index) / 4;
    CHECK_OK(tess_empty(&taken, TESS_SHAPE(1, 1, 1, bytes), TESS_U8, d));
    check_free_gpu("gpu:free");
    tess_release(&taken);
    CHECK_FAILS(tess_device_parse(&d, "gpu:free "), TESS_EPARSE, "device_parse: text is \"gpu:free \"", "\"gpu:free\"");
}

/* ---- Streams ---- */

TEST(streams_run_in_order_and_wait_for_events)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_stream *first = stream_on(gpu), *second = stream_on(gpu);
    tess_event  *ready = NULL;
    tess_array   a = { 0 }, b = { 0 };
    CHECK_OK(tess_event_new(&ready, gpu));
    CHECK(!tess_event_busy(ready));
    CHECK_OK(tess_event_sync(ready)); /* never recorded: reached */
    CHECK_OK(tess_stream_set_current(first));
    CHECK(tess_stream_current(gpu) == first);
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 1, 1000), TESS_F32, gpu, 1));
    CHECK_OK(tess_add(&a, &a, &a));
    CHECK_OK(tess_event_record(ready, first));
    CHECK_OK(tess_stream_set_current(second));
    CHECK_OK(tess_event_wait(ready, second));
    CHECK_OK(tess_add(&b, &a, &a));
    tess_release(&a); /* while both streams may still work with it */
    CHECK(are(&b, 4));
    CHECK(!tess_stream_busy(second));
    tess_release(&b);
    CHECK_OK(tess_stream_set_current(tess_stream_default(gpu)));
    tess_event_free(ready);
    tess_stream_free(first);
    tess_stream_free(second);
}

TEST(storage_lives_as_long_as_the_work)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    enum { N = 19 };
    tess_stream *streams[N];
    tess_array   sums[N] = { { .dtype = 0 } }, a = { 0 };
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 10, 100), TESS_F32, gpu, 3));
    CHECK_OK(tess_stream_sync(tess_stream_current(gpu)));
    for (int i = 0; i < N; i++) { /* more than storage remembers */
        streams[i] = stream_on(gpu);
        CHECK_OK(tess_stream_set_current(streams[i]));
        CHECK_OK(tess_add(&sums[i], &a, &a));
    }
    tess_release(&a);
    CHECK_OK(tess_stream_set_current(tess_stream_default(gpu)));
    CHECK_OK(tess_stream_sync(tess_stream_default(gpu)));     /* the others still work with it */
    for (int i = 0; i < N; i++) tess_stream_free(streams[i]); /* arrays still know them */
    for (int i = 0; i < N; i++) {
        CHECK(are(&sums[i], 6));
        tess_release(&sums[i]);
    }
}

static void count_drop(void *context) { ++*(int *)context; }

/* Work on the current stream that uses memory of somebody's, who gives it up. */
static void use_and_give_up(const tess_array *memory, tess_device gpu, int *dropped)
{
    tess_array           w = { 0 };
    const tess_wrap_opts o = { .device = gpu, .drop = count_drop, .context = dropped };
    CHECK_OK(tess_wrap(&w, memory->data, memory->shape, memory->dtype, &o));
    CHECK_OK(tess_fill(&w, 6));
    tess_release(&w);
}

TEST(what_is_kept_goes_with_the_next_work)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    int         dropped = 0;
    tess_array  a = { 0 };
    tess_event *done = NULL;
    CHECK_OK(tess_event_new(&done, gpu));
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 3, 4), TESS_F32, gpu, 5));
    use_and_give_up(&a, gpu, &dropped);
    CHECK_OK(tess_event_record(done, tess_stream_current(gpu)));
    CHECK_OK(tess_event_sync(done));
    CHECK_OK(tess_fill(&a, 7));
    CHECK_I64(dropped, 1);
    CHECK(are(&a, 7));
    tess_release(&a);
    tess_event_free(done);
}

TEST(a_freed_stream_is_finished)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    int          dropped = 0;
    tess_array   a = { 0 };
    tess_stream *s = stream_on(gpu);
    CHECK_OK(tess_stream_set_current(s));
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 3, 4), TESS_F32, gpu, 5));
    use_and_give_up(&a, gpu, &dropped);
    CHECK_OK(tess_stream_set_current(tess_stream_default(gpu)));
    tess_stream_free(s); /* the array lives on */
    CHECK_I64(dropped, 1);
    CHECK(are(&a, 6));
    tess_release(&a);
}

TEST(the_default_stream_stays)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_array a = { 0 };
    for (int i = 0; i < 2; i++) tess_stream_free(tess_stream_default(gpu));
    tess_stream_free(tess_stream_current(gpu));
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 3, 4), TESS_F32, gpu, 5));
    CHECK(are(&a, 5));
    tess_release(&a);
    CHECK_OK(tess_stream_sync(tess_stream_default(gpu)));
}

TEST(events_measure_time)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_event *start = NULL, *end = NULL, *host = NULL;
    double      ms = -1;
    CHECK_OK(tess_event_new(&start, gpu));
    CHECK_OK(tess_event_new(&end, gpu));
    CHECK_OK(tess_event_new(&host, tess_cpu()));
    tess_stream *s = tess_stream_current(gpu);
    CHECK_FAILS(tess_event_elapsed(&ms, start, end), TESS_EARG, "event_elapsed: start was never recorded");
    CHECK_OK(tess_event_record(start, s));
    CHECK_OK(tess_event_record(end, s));
    CHECK_OK(tess_event_sync(end));
    CHECK_OK(tess_event_elapsed(&ms, start, end));
    CHECK(ms >= 0 && ms < 1e4);
    CHECK_FAILS(tess_event_record(host, s), TESS_EDEVICE, "event_record: ", "cpu", "gpu:0");
    CHECK_FAILS(tess_event_elapsed(&ms, start, host), TESS_EDEVICE, "event_elapsed: start is of gpu:0 and end of cpu");
    tess_event_free(start);
    tess_event_free(end);
    tess_event_free(host);
}

/* An array that outlives many streams does not hold on to all of them. */
TEST(streams_that_ended_are_forgotten)
{
    tess_device  gpu;
    gpu_controls sim;
    tess_array   a = { .data = NULL };
    if (!test_gpu(&gpu)) return;
    const bool    simulated = gpu_simulated(&sim);
    const int64_t before = simulated ? sim.live("streams") : 0;
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 1, 10), TESS_F32, gpu));
    for (int i = 0; i < 50; i++) {
        tess_stream *s = stream_on(gpu);
        CHECK_OK(tess_stream_set_current(s));
        CHECK_OK(tess_fill(&a, i));
        CHECK_OK(tess_stream_set_current(tess_stream_default(gpu)));
        tess_stream_free(s);
    }
    if (simulated) CHECK(sim.live("streams") - before <= 16);
    double value = 0;
    CHECK_OK(tess_get_f64(&value, &a, 0, 0, 0, 9));
    CHECK(value == 49);
    tess_release(&a);
    if (simulated) CHECK_I64(sim.live("streams"), before);
}

TEST(streams_of_others_are_adopted)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_stream *theirs = stream_on(gpu), *ours = NULL, *standard = NULL;
    void        *handle = tess_stream_handle(theirs);
    tess_array   a = { 0 };
    CHECK(handle != NULL && tess_stream_handle(tess_stream_current(tess_cpu())) == NULL);
    CHECK_OK(tess_stream_adopt(&ours, gpu, handle));
    CHECK(tess_stream_handle(ours) == handle && tess_stream_device(ours).kind == TESS_GPU);
    CHECK_OK(tess_stream_set_current(ours));
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 1, 100), TESS_F32, gpu, 1));
    CHECK_OK(tess_stream_set_current(theirs)); /* the same queue: no event is needed */
    CHECK_OK(tess_add(&a, &a, &a));
    tess_stream_free(ours);
    CHECK(are(&a, 2));
    CHECK_OK(tess_stream_adopt(&standard, gpu, NULL)); /* CUDA's own default stream */
    CHECK(tess_stream_handle(standard) == NULL);
    CHECK_OK(tess_stream_set_current(standard));
    CHECK_OK(tess_add(&a, &a, &a));
    CHECK(are(&a, 4));
    CHECK_OK(tess_stream_set_current(tess_stream_default(gpu)));
    tess_release(&a);
    tess_stream_free(standard);
    tess_stream_free(theirs);
    CHECK_FAILS(tess_stream_adopt(&ours, tess_cpu(), NULL), TESS_EDEVICE, "stream_adopt: device is cpu", "GPU");
    CHECK_FAILS(tess_stream_adopt(NULL, gpu, NULL), TESS_EARG, "stream is NULL");
    CHECK_FAILS(tess_stream_adopt(&ours, gpu, (void *)2), TESS_EARG,
                "stream_adopt: cuda_stream is CU_STREAM_PER_THREAD");
}

TEST(arrays_outlive_streams_that_were_adopted)
{
    tess_device  gpu;
    gpu_controls sim;
    if (!test_gpu(&gpu)) return;
    const bool    simulated = gpu_simulated(&sim);
    const int64_t before = simulated ? sim.live("allocations") : 0;
    tess_stream  *theirs = stream_on(gpu), *ours = NULL;
    tess_array    a = { 0 }, b = { 0 };
    CHECK_OK(tess_full(&b, TESS_SHAPE(1, 1, 1, 100), TESS_F32, gpu, 3));
    CHECK_OK(tess_stream_adopt(&ours, gpu, tess_stream_handle(theirs)));
    CHECK_OK(tess_stream_set_current(ours));
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 1, 100), TESS_F32, gpu, 1));
    CHECK_OK(tess_add(&a, &a, &b));
    CHECK_OK(tess_stream_set_current(tess_stream_default(gpu)));
    tess_stream_free(ours);
    tess_stream_free(theirs); /* destroys what was adopted */
    CHECK(are(&a, 4));
    CHECK_OK(tess_mul(&b, &a, &b));
    CHECK(are(&b, 12));
    tess_release(&a);
    tess_release(&b);
    if (simulated) CHECK_I64(sim.live("allocations"), before);
}

/* ---- Two GPUs ---- */

TEST(arrays_go_from_gpu_to_gpu)
{
    tess_device gpu, other = tess_gpu(1);
    if (!test_gpu(&gpu)) return;
    if (tess_device_count(TESS_GPU) < 2) {
        test_skip("there is one GPU");
        return;
    }
    tess_array a = numbers(TESS_F32, 1, 3, 4, 5), near = { 0 }, far = { 0 }, turned = { 0 }, sum = { 0 };
    CHECK_OK(tess_to_device(&near, &a, gpu));
    CHECK_OK(tess_to_device(&far, &near, other));
    CHECK_OK(tess_fill(&near, -1)); /* behind the copy */
    (void)gpu_same(&far, &a, "from gpu:0 to gpu:1");
    CHECK_OK(tess_transpose(&turned, &far));
    tess_release(&near);
    CHECK_OK(tess_to_device(&near, &turned, gpu));
    (void)gpu_same(&near, &turned, "turned, from gpu:1 to gpu:0");
    CHECK_FAILS(tess_add(&sum, &near, &turned), TESS_EDEVICE, "add: x is on gpu:0 and y on gpu:1", "tess_to_device");
    CHECK_FAILS(tess_copy(&near, &turned), TESS_EDEVICE, "copy: in is on gpu:1", "gpu:0");
    tess_release(&a);
    tess_release(&near);
    tess_release(&far);
}

TEST(streams_and_events_of_two_gpus)
{
    tess_device gpu, other = tess_gpu(1);
    if (!test_gpu(&gpu)) return;
    if (tess_device_count(TESS_GPU) < 2) {
        test_skip("there is one GPU");
        return;
    }
    tess_event *event = NULL, *far = NULL;
    double      ms = -1;
    CHECK_OK(tess_event_new(&event, gpu));
    CHECK_OK(tess_event_new(&far, other));
    CHECK_FAILS(tess_event_record(event, tess_stream_current(other)), TESS_EDEVICE, "event_record: ", "gpu:0", "gpu:1");
    CHECK_OK(tess_event_record(event, tess_stream_current(gpu)));
    CHECK_OK(tess_event_wait(event, tess_stream_current(other)));
    CHECK_OK(tess_event_sync(event));
    CHECK_OK(tess_event_record(far, tess_stream_current(other)));
    CHECK_FAILS(tess_event_elapsed(&ms, event, far), TESS_EDEVICE, "event_elapsed: start is of gpu:0 and end of gpu:1");
    tess_event_free(far);
    tess_event_free(event);
}

/* ---- Threads ---- */

static void *work(void *unused)
{
    static const tess_shape shape = { { 1, 1, 30, 40 } };
    bool                    good = true;
    for (int i = 0; i < 6 && good; i++) {
        tess_array a = { 0 }, there = { 0 }, sum = { 0 }, back = { 0 };
        good = tess_full(&a, shape, TESS_F32, tess_cpu(), i) == TESS_OK &&
               tess_to_device(&there, &a, tess_gpu(0)) == TESS_OK && tess_add(&sum, &there, &there) == TESS_OK &&
               tess_to_device(&back, &sum, tess_cpu()) == TESS_OK && all_are(&back, 2 * i);
        tess_release(&a);
        tess_release(&there);
        tess_release(&sum);
        tess_release(&back);
    }
    return good ? NULL : unused;
}

static void *work_on_a_stream(void *context)
{
    tess_stream *s = NULL;
    if (tess_stream_new(&s, tess_gpu(0), NULL) != TESS_OK || tess_stream_set_current(s) != TESS_OK) return context;
    tess_stream_free(s); /* it stays this thread's current one */
    return work(context);
}

TEST(many_threads_at_once)
{
    enum { N = 8 };
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    pthread_t threads[N];
    int       failed = 0;
    for (int i = 0; i < N; i++)
        if (!CHECK(pthread_create(&threads[i], NULL, i % 2 ? work : work_on_a_stream, &failed) == 0)) return;
    for (int i = 0; i < N; i++) {
        void *bad = NULL;
        (void)pthread_join(threads[i], &bad);
        CHECK(bad == NULL);
    }
    CHECK_I64(tess_memory_used(gpu), 0);
}

/* ---- Processes ---- */

static int wait_for(pid_t child)
{
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* In a child that was forked after the driver was opened: a clear message, and everything can be freed. */
static int use_after_fork(tess_array *a, tess_stream *s, tess_event *e)
{
    tess_array       out = { 0 };
    tess_info_device info;
    if (tess_device_count(TESS_GPU) != 0) return 1;
    if (tess_device_info(&info, tess_gpu(0)) != TESS_EDEVICE || !strstr(tess_error_message(), "forked")) return 2;
    if (tess_add(&out, a, a) != TESS_EDEVICE || !strstr(tess_error_message(), "add: device gpu:0")) return 3;
    if (tess_stream_sync(s) != TESS_EDEVICE || tess_event_sync(e) != TESS_EDEVICE) return 4;
    tess_error_clear();
    if (tess_stream_busy(s) || tess_event_busy(e)) return 5;
    tess_release(a);
    tess_event_free(e);
    tess_stream_free(s);
    if (tess_error_status() != TESS_OK) return 6;
    if (tess_full(&out, TESS_SHAPE(1, 1, 3, 4), TESS_F32, tess_cpu(), 1) != TESS_OK || !all_are(&out, 1)) return 7;
    return 0;
}

TEST(a_forked_child_is_told)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    tess_array  a = { 0 };
    tess_event *e = NULL;
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 1, 100), TESS_F32, gpu, 2));
    CHECK_OK(tess_event_new(&e, gpu));
    tess_stream *s = stream_on(gpu);
    const pid_t  child = fork();
    if (child == 0) _exit(use_after_fork(&a, s, e));
    CHECK_I64(wait_for(child), 0);
    CHECK(are(&a, 2)); /* here nothing has changed */
    tess_release(&a);
    tess_event_free(e);
    tess_stream_free(s);
}

/* The process ends with arrays, streams and work that nobody freed or waited for. */
TEST(exit_with_live_objects)
{
    tess_device gpu;
    if (!test_gpu(&gpu)) return;
    if (!test_is_again()) {
        CHECK_I64(test_again("exit_with_live_objects"), 0);
        return;
    }
    static tess_array a, b, pinned;
    tess_stream      *s = stream_on(gpu);
    CHECK_OK(tess_stream_set_current(s));
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 1, 100), TESS_F32, gpu, 2));
    CHECK_OK(tess_add(&b, &a, &a));
    CHECK_OK(tess_empty_pinned(&pinned, TESS_SHAPE(1, 1, 1, 100), TESS_F32));
    CHECK_OK(tess_to_device(&pinned, &b, tess_cpu()));
}
