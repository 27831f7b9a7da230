/* Work in the background: an asynchronous stream, storage that queued work keeps alive, and a deferred error. */
#include <stdio.h>

#include "tessera.h"

static tess_status run(void)
{
    const tess_stream_opts in_background = { .async = 1 };
    tess_stream           *stream = NULL;
    tess_event            *start = NULL, *end = NULL;
    tess_array             image = { 0 }, bytes = { 0 };
    double                 ms, last;
    TESS_TRY(tess_stream_new(&stream, tess_cpu(), &in_background));
    TESS_TRY(tess_event_new(&start, tess_cpu()));
    TESS_TRY(tess_event_new(&end, tess_cpu()));
    TESS_TRY(tess_stream_set_current(stream));

    /* Every call returns at once; the stream keeps the order. */
    TESS_TRY(tess_event_record(start, stream));
    TESS_TRY(tess_arange(&image, TESS_SHAPE(1, 1, 1024, 1024), TESS_F32, tess_cpu(), 0, 0.25));
    TESS_TRY(tess_cast(&bytes, &image, TESS_U8, NULL));
    TESS_TRY(tess_event_record(end, stream));
    tess_release(&image); /* still in use by the queued cast: freed when that is done */

    TESS_TRY(tess_get_f64(&last, &bytes, 0, 0, -1, -1)); /* a value: waits for the work */
    TESS_TRY(tess_event_elapsed(&ms, start, end));
    printf("the last element, 262143.75, became %g; the work took %.2f ms\n", last, ms);

    /* What depends on the data can only go wrong later. It stays on the stream until somebody asks. */
    tess_array number = { 0 }, small = { 0 };
    TESS_TRY(tess_full(&number, TESS_SHAPE(1, 1, 1, 3), TESS_I32, tess_cpu(), 300));
    TESS_TRY(tess_cast(&small, &number, TESS_U8, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }));
    if (tess_stream_sync(stream) != TESS_OK) printf("at sync: %s\n", tess_error_message());

    tess_release(&number);
    tess_release(&small);
    tess_release(&bytes);
    tess_event_free(start);
    tess_event_free(end);
    TESS_TRY(tess_stream_set_current(NULL));
    tess_stream_free(stream);
    return TESS_OK;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
