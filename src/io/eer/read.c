/* Rendering of EER movies: electrons of a group of frames counted in an image. Some frames are loaded at a time and cut
 * into bands of rows, a thread for each frame; then each thread counts all electrons of a band while it is in cache. */
#include <inttypes.h>
#include <string.h>

#include "core/device/device.h"
#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "core/device/stream.h"
#include "io/eer/decode.h"

enum { BAND_BYTES = 1 << 17, MAX_FRAMES = 64 /* in memory at a time */ };

/* A frame in memory. */
typedef struct loaded {
    unsigned char    *bytes; /* with zeros behind them */
    tess__eer_cursor *bands;
} loaded;

/* Some frames of some images: whole groups, or a part of one. */
typedef struct batch {
    tess_file       *file;
    tess__eer_frame *frames;
    int64_t          n_frames;
    int64_t          group;     /* frames of an image among them */
    bool             is_begun;  /* images have electrons of frames before */
    tess_array       counts;    /* {n,1,h,w} of info.dtype, rows contiguous */
    int64_t          band_rows; /* of the camera */
    int64_t          n_bands;
    loaded           loaded[MAX_FRAMES];
} batch;

/* ---- Frames ---- */

static tess_status load_bytes(loaded *l, const batch *b, const tess__eer_frame *frame)
{
    const tess__eer_file *movie = b->file->state;
    int64_t               at = 0;
    l->bytes = tess__alloc((size_t)frame->bytes + TESS__EER_PADDING);
    l->bands = tess__alloc((size_t)b->n_bands * sizeof *l->bands);
    TESS_CHECK(l->bytes && l->bands, TESS_ENOMEM, "file_read: %s: no memory for %" PRId64 " bytes of a frame",
               b->file->path, frame->bytes);
    for (int64_t i = frame->strip; i < frame->strip + frame->n_strips; i++) {
        const tess__eer_strip *strip = &movie->strips[i];
        TESS_TRY(tess__source_read_all(b->file->source, strip->offset, l->bytes + at, strip->bytes, "a frame"));
        at += strip->bytes;
    }
    memset(l->bytes + frame->bytes, 0, TESS__EER_PADDING);
    return TESS_OK;
}

static tess_status load_frame(void *context, int64_t i)
{
    batch           *b = context;
    tess__eer_frame *frame = &b->frames[i];
    loaded          *l = &b->loaded[i];
    if (frame->bad) return TESS_OK;
    TESS_TRY(load_bytes(l, b, frame));
    frame->bad = !tess__eer_find_bands(l->bands, b->n_bands, b->file->state, l->bytes, frame->bytes, b->band_rows);
    return TESS_OK;
}

/* ---- Bands ---- */

static void clear_rows(const tess_array *image, int64_t from, int64_t to)
{
    const int64_t size = tess__dtype_size(image->dtype);
    for (int64_t y = from; y < to; y++)
        memset((char *)image->data + y * image->strides.h * size, 0, (size_t)(image->shape.w * size));
}

/* Task i: one band of one image. */
static tess_status count_band(void *context, int64_t i)
{
    const batch          *b = context;
    const tess__eer_file *movie = b->file->state;
    const int64_t         k = i / b->n_bands, band = i % b->n_bands, first = band * b->band_rows;
    const int64_t         end = tess__min(first + b->band_rows, movie->height);
    tess_array            image = b->counts;
    image.data = (char *)image.data + k * image.strides.b * tess__dtype_size(image.dtype);
    if (!b->is_begun) clear_rows(&image, first << movie->shift, end << movie->shift);
    const tess__eer_image counted = { image.data, image.strides.h, image.dtype };
    for (int64_t f = k * b->group; f < (k + 1) * b->group; f++)
        if (!b->frames[f].bad) tess__eer_count(&counted, movie, &b->loaded[f].bands[band], end);
    return TESS_OK;
}

static tess_status count_batch(batch *b, int threads)
{
    tess_status status = TESS_OK;
    memset(b->loaded, 0, sizeof b->loaded);
    TESS_GOTO(done, status, tess__parallel_tasks(b->n_frames, threads, load_frame, b));
    TESS_GOTO(done, status, tess__parallel_tasks(b->n_frames / b->group * b->n_bands, threads, count_band, b));
done:
    for (int64_t i = 0; i < b->n_frames; i++) {
        tess__free(b->loaded[i].bytes);
        tess__free(b->loaded[i].bands);
    }
    return status;
}

/* ---- Images ---- */

/* Count the electrons of images from `first` on: as many whole groups at a time as fit, or parts of one. */
static tess_status count_images(batch *b, const tess_array *counts, int64_t first, int threads)
{
    const tess__eer_file *movie = b->file->state;
    const int64_t         group = b->file->opts.eer_group, images = tess__max(INT64_C(1), MAX_FRAMES / group);
    for (int64_t i = 0; i < counts->shape.b; i += images) {
        b->counts = *counts;
        b->counts.shape.b = tess__min(images, counts->shape.b - i);
        b->counts.data = (char *)counts->data + i * counts->strides.b * tess__dtype_size(counts->dtype);
        for (int64_t done = 0; done < group; done += b->group) {
            b->group = tess__min((int64_t)MAX_FRAMES, group - done);
            b->n_frames = b->group * b->counts.shape.b;
            b->frames = movie->frames + (first + i) * group + done;
            b->is_begun = done > 0;
            TESS_TRY(count_batch(b, threads));
        }
    }
    return TESS_OK;
}

/* Counts in workspace, a few images at a time, converted to what is wanted. */
static tess_status count_and_convert(batch *b, const tess_array *out, int64_t first, int threads)
{
    const int64_t some = tess__min((int64_t)threads, out->shape.b);
    tess_array    counts = { .data = NULL };
    tess_status   status = TESS_OK;
    TESS_TRY(tess_empty(&counts, TESS_SHAPE(some, 1, out->shape.h, out->shape.w), b->file->info.dtype, tess_cpu()));
    for (int64_t i = 0; i < out->shape.b; i += some) {
        tess_array to = *out, from = counts;
        to.shape.b = from.shape.b = tess__min(some, out->shape.b - i);
        to.data = (char *)out->data + i * out->strides.b * tess__dtype_size(out->dtype);
        TESS_GOTO(done, status, count_images(b, &from, first + i, threads));
        TESS_GOTO(done, status, tess_cast(&to, &from, TESS_DTYPE_NONE, NULL));
        TESS_GOTO(done, status, tess__sync("file_read", tess_cpu()));
    }
done:
    tess_release(&counts);
    return status;
}

static void tell_bad_frames(tess_file *file, tess__eer_frame *frames, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (!frames[i].bad || frames[i].is_told) continue;
        frames[i].is_told = true;
        tess__file_warn(file, TESS_ODD_FRAME, "frame", "", "",
                        "the electrons of frame %" PRId64 " do not end at its last pixel; it was skipped",
                        frames[i].number);
    }
}

tess_status tess__eer_read(tess_file *file, int64_t first, const tess_array *out)
{
    const tess__eer_file *movie = file->state;
    const int             threads = tess__source_is_shared(file->source) ? tess_threads_get() : 1;
    const int64_t         row_bytes = out->shape.w * tess__dtype_size(file->info.dtype) << movie->shift;
    const int64_t         group = file->opts.eer_group;
    batch                *b = tess__alloc(sizeof *b);
    TESS_CHECK(b, TESS_ENOMEM, "file_read: %s: no memory to count electrons", file->path);
    memset(b, 0, sizeof *b);
    b->file = file;
    b->band_rows = tess__max(INT64_C(1), BAND_BYTES / row_bytes);
    b->n_bands = (movie->height + b->band_rows - 1) / b->band_rows;
    const bool        is_direct = out->dtype == file->info.dtype && out->strides.w == 1;
    const tess_status status = (is_direct ? count_images : count_and_convert)(b, out, first, threads);
    tess__free(b);
    tell_bad_frames(file, movie->frames + first * group, out->shape.b * group);
    TESS_TRY(status);
    return TESS_OK;
}
