/* The same work on a GPU, if there is one, and on the CPU, with page-locked storage, streams and events. */
#include <stdio.h>

#include "tessera.h"

/* out = |a - b| * 2, wherever the arrays are. */
static tess_status difference(tess_array *out, const tess_array *a, const tess_array *b)
{
    TESS_TRY(tess_sub(out, a, b));
    TESS_TRY(tess_abs(out, out));
    TESS_TRY(tess_mul(out, out, &tess_f32(2)));
    return TESS_OK;
}

static tess_status run(tess_device gpu)
{
    const tess_shape shape = TESS_SHAPE(8, 1, 256, 256);
    tess_array       a = { 0 }, b = { 0 }, here = { 0 };          /* on the host */
    tess_array       a_gpu = { 0 }, b_gpu = { 0 }, there = { 0 }; /* on the GPU */
    tess_array       back = { 0 };                                /* page-locked */
    tess_event      *start = NULL, *end = NULL;
    tess_stream     *stream = NULL;
    tess_info_device info;
    double           ms, x, y;
    TESS_TRY(tess_device_info(&info, gpu));
    printf("%s: %s, %.0f GiB\n", info.name, info.isa, (double)info.memory_total / 0x1p30);
    TESS_TRY(tess_empty(&a, shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(&a, 0, 1, 7, NULL));
    TESS_TRY(tess_arange(&b, shape, TESS_F32, tess_cpu(), 0, 1e-6));
    TESS_TRY(difference(&here, &a, &b));

    /* A new stream: its work is done in order while this thread continues. */
    TESS_TRY(tess_stream_new(&stream, gpu, NULL));
    TESS_TRY(tess_stream_set_current(stream));
    TESS_TRY(tess_event_new(&start, gpu));
    TESS_TRY(tess_event_new(&end, gpu));
    TESS_TRY(tess_to_device(&a_gpu, &a, gpu));
    TESS_TRY(tess_to_device(&b_gpu, &b, gpu));
    TESS_TRY(tess_event_record(start, stream));
    TESS_TRY(difference(&there, &a_gpu, &b_gpu));
    TESS_TRY(tess_event_record(end, stream));
    TESS_TRY(tess_empty_pinned(&back, shape, TESS_F32));
    TESS_TRY(tess_to_device(&back, &there, tess_cpu())); /* page-locked: queued as well */
    TESS_TRY(tess_stream_sync(stream));                  /* now it is there */

    TESS_TRY(tess_event_elapsed(&ms, start, end));
    TESS_TRY(tess_get_f64(&x, &here, 7, 0, 255, 255));
    TESS_TRY(tess_get_f64(&y, &back, 7, 0, 255, 255));
    printf("the last element is %.9g on the CPU and %.9g on the GPU; three kernels and their start took %.2f ms\n", x,
           y, ms);
    tess_array *arrays[] = { &a, &b, &here, &a_gpu, &b_gpu, &there, &back };
    for (int i = 0; i < 7; i++) tess_release(arrays[i]);
    TESS_TRY(tess_stream_set_current(tess_stream_default(gpu)));
    tess_event_free(start);
    tess_event_free(end);
    tess_stream_free(stream);
    return TESS_OK;
}

int main(void)
{
    tess_device gpu;
    if (tess_device_parse(&gpu, "gpu") != TESS_OK) {
        printf("%s\n", tess_error_message());
        return 0;
    }
    if (run(gpu) == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
