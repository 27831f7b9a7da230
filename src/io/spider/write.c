/* SPIDER files, written: an image or a volume behind its header, or a stack with a header of its own before them. */
#include <inttypes.h>
#include <string.h>

#include "core/dtype.h"
#include "core/check/marks.h"
#include "core/device/memory.h"
#include "core/check/text.h"
#include "io/file/byteswap.h"
#include "io/spider/header.h"

enum { CHUNK = 1 << 12 /* elements that are byte-swapped at a time */ };

static int64_t record_bytes(const tess_writer *w) { return 4 * w->shape.w; }

/* Headers are whole records, of at least 1024 bytes. */
static int64_t header_records(const tess_writer *w)
{
    return (4 * TESS__SPIDER_MIN_WORDS + record_bytes(w) - 1) / record_bytes(w);
}

/* ---- Headers ---- */

/* What all headers of a file have. */
static void put_sizes(float *words, const tess_writer *w)
{
    const int64_t records = header_records(w);
    words[TESS__SPIDER_SLICES] = (float)w->shape.d;
    words[TESS__SPIDER_ROWS] = (float)w->shape.h;
    words[TESS__SPIDER_RECORDS] = (float)(records + w->shape.d * w->shape.h);
    words[TESS__SPIDER_FORM] = w->shape.d > 1 ? TESS__SPIDER_VOLUME : TESS__SPIDER_IMAGE;
    words[TESS__SPIDER_COLUMNS] = (float)w->shape.w;
    words[TESS__SPIDER_HEADER_RECORDS] = (float)records;
    words[TESS__SPIDER_HEADER_BYTES] = (float)(records * record_bytes(w));
    words[TESS__SPIDER_RECORD_BYTES] = (float)record_bytes(w);
    words[TESS__SPIDER_PIXEL_SIZE] = (float)w->meta.pixel_size[2];
}

static void put_stats(float *words, const tess_meta *meta)
{
    const int32_t all = TESS_STATS_MINMAX | TESS_STATS_MEAN | TESS_STATS_STD;
    if ((meta->stats & all) != all) return;
    words[TESS__SPIDER_HAS_STATS] = 1;
    words[TESS__SPIDER_MAX] = (float)meta->max;
    words[TESS__SPIDER_MIN] = (float)meta->min;
    words[TESS__SPIDER_MEAN] = (float)meta->mean;
    words[TESS__SPIDER_STD] = (float)meta->std;
}

/* The label to add, or the newest that the array has. */
static void put_title(float *words, const tess_writer *w)
{
    const int32_t n = w->meta.n_labels;
    const char   *title = w->opts.label ? w->opts.label : n > 0 ? w->meta.labels[n - 1] : "";
    const size_t  length = strlen(title) < 160 ? strlen(title) : 160;
    memcpy(words + TESS__SPIDER_TITLE, title, length);
}

typedef enum header_kind { OF_STACK, OF_MEMBER, OF_ONE } header_kind;

/* A header: of a stack, of image `number` in one, from 1, or of a single image; the next bytes, or the first again. */
static tess_status write_header(tess_writer *w, header_kind kind, int64_t number, bool patches)
{
    const int64_t n = header_records(w) * w->shape.w;
    float        *words = tess__alloc((size_t)n * sizeof *words);
    tess_status   status = TESS_OK;
    TESS_CHECK(words, TESS_ENOMEM, "write: %s: no memory for a header", w->path);
    memset(words, 0, (size_t)n * sizeof *words);
    put_sizes(words, w);
    if (kind == OF_STACK) {
        words[TESS__SPIDER_STACK] = 2;
        words[TESS__SPIDER_IMAGES] = (float)w->shape.b;
    }
    if (kind == OF_MEMBER) words[TESS__SPIDER_NUMBER] = (float)number;
    if (kind == OF_ONE && (patches || w->stats_known)) put_stats(words, &w->meta);
    if (w->swapped) TESS_GOTO(done, status, tess__byteswap(words, n, TESS_F32));
    if (kind != OF_MEMBER) put_title(words, w);
    if (patches) TESS_GOTO(done, status, tess__sink_patch(w->sink, words, 4 * n));
    else TESS_GOTO(done, status, tess__sink_write(w->sink, words, 4 * n));
done:
    tess__free(words);
    return status;
}

/* ---- Images of a stack ---- */

static tess_status write_elements(tess_writer *w, const float *elements, int64_t n)
{
    float chunk[CHUNK];
    if (!w->swapped) TESS_TRY(tess__sink_write(w->sink, elements, 4 * n));
    for (int64_t done = 0; w->swapped && done < n; done += CHUNK) {
        const int64_t some = n - done < CHUNK ? n - done : CHUNK;
        memcpy(chunk, elements + done, (size_t)some * sizeof *chunk);
        TESS_TRY(tess__byteswap(chunk, some, TESS_F32));
        TESS_TRY(tess__sink_write(w->sink, chunk, 4 * some));
    }
    return TESS_OK;
}

/* Sections come one at a time; a header stands before the first of each image or volume. */
static tess_status append_to_stack(tess_writer *w, const tess_array *images)
{
    int64_t *next = w->state;
    for (int64_t i = 0; i < images->shape.b; i++, ++*next) {
        if (*next % w->shape.d == 0) TESS_TRY(write_header(w, OF_MEMBER, *next / w->shape.d + 1, false));
        TESS_TRY(
            write_elements(w, (const float *)images->data + i * images->strides.b, images->shape.h * images->shape.w));
    }
    return TESS_OK;
}

static void drop_stack(tess_writer *w) { tess__free(w->state); }

static const tess__format stack_format = {
    .name = "spider", .id = TESS_FORMAT_SPIDER, .append = append_to_stack, .drop = drop_stack
};

/* ---- Beginning and end ---- */

tess_dtype tess__spider_nearest(const tess_writer *writer, tess_dtype dtype)
{
    (void)writer;
    return tess_dtype_kind(dtype) <= TESS_KIND_FLOAT ? TESS_F32 : dtype;
}

static tess_status check(const tess_writer *w)
{
    char             text[TESS__SHAPE_TEXT];
    const tess_shape s = w->shape;
    TESS_CHECK(w->dtype == TESS_F32, TESS_EUNSUPPORTED, "writer_open: %s: SPIDER files hold f32; %s is %s", w->path,
               w->opts.dtype ? TESS__MARK("opts->dtype") : "the array", tess_dtype_name(w->dtype));
    TESS_CHECK(s.b >= 1 && s.d >= 1 && s.h >= 1 && s.w >= 1, TESS_ESHAPE,
               "writer_open: %s: the shape is %s; SPIDER files need sizes of 1 or more", w->path,
               tess__shape_text(text, s.dim));
    TESS_CHECK(s.b <= TESS__SPIDER_MAX_SIZE && s.d <= TESS__SPIDER_MAX_SIZE && s.h <= TESS__SPIDER_MAX_SIZE &&
                   s.w <= TESS__SPIDER_MAX_COLUMNS,
               TESS_ESHAPE,
               "writer_open: %s: the shape is %s; SPIDER files hold at most %d images, slices or rows, and %d columns",
               w->path, tess__shape_text(text, s.dim), (int)TESS__SPIDER_MAX_SIZE, (int)TESS__SPIDER_MAX_COLUMNS);
    return TESS_OK;
}

/* Images have no size along z. */
static void add_notes(tess_writer *writer)
{
    const double *p = writer->meta.pixel_size, *o = writer->meta.origin;
    if ((writer->shape.d > 1 && p[0] != p[2]) || p[1] != p[2])
        tess__writer_add_note(writer, "SPIDER stores one pixel size; that along x is written for all axes");
    if (o[0] != 0 || o[1] != 0 || o[2] != 0) tess__writer_add_note(writer, "SPIDER cannot store the origin");
}

tess_status tess__spider_start(tess_writer *writer)
{
    TESS_TRY(check(writer));
    add_notes(writer);
    if (writer->shape.b > 1) {
        int64_t *next = tess__alloc(sizeof *next);
        TESS_CHECK(next, TESS_ENOMEM, "writer_open: %s: no memory to write a stack", writer->path);
        *next = 0;
        writer->state = next;
        writer->format = &stack_format;
    }
    TESS_TRY(write_header(writer, writer->shape.b > 1 ? OF_STACK : OF_ONE, 0, false));
    return TESS_OK;
}

tess_status tess__spider_end(tess_writer *writer)
{
    if (!tess__sink_can_patch(writer->sink)) return TESS_OK; /* what was known at the start stays */
    TESS_TRY(write_header(writer, OF_ONE, 0, true));
    return TESS_OK;
}

int64_t tess__spider_head(const tess_writer *writer)
{
    const tess_shape s = writer->shape;
    return s.b == 1 && s.w >= 1 && s.w <= TESS__SPIDER_MAX_COLUMNS ? header_records(writer) * record_bytes(writer) : 0;
}
