/* TIFF writer: each image is a page of strips, the top row first. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/check/error.h"
#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/device/stream.h"
#include "io/file/system.h"

enum { STRIP_BYTES = 1 << 18 /* of rows in a strip, about */ };

/* Where libtiff writes: the sink's file; or, where the sink is not seekable, memory written to it at the end. */
typedef struct tiff_output {
    TIFF              *tiff;
    int                fd;       /* -1: memory */
    int64_t            at, size; /* libtiff's file position; bytes so far */
    unsigned char     *memory;
    int64_t            capacity; /* bytes of `memory` */
    int                error;    /* errno of a call that failed; 0: none did */
    bool               dropped;  /* nothing may be written any more */
    tess__tiff_message message;
    unsigned char     *strip; /* workspace for a strip */
    int64_t            strip_rows;
    int                samples; /* of a pixel: 1, or 3 colours */
    bool               begun;   /* the first page, which has the description, is there */
} tiff_output;

/* ---- libtiff's calls ---- */

static tmsize_t read_back(thandle_t context, void *bytes, tmsize_t n)
{
    tiff_output *o = context;
    int64_t      got = o->size - o->at < n ? o->size - o->at : n;
    if (n < 0 || got < 0) return 0;
    if (o->fd < 0) memcpy(bytes, o->memory + o->at, (size_t)got);
    else got = tess__read_fully(o->fd, bytes, got, o->at);
    if (got < 0) {
        o->error = errno;
        return 0; /* as in reading: libtiff may use what this returns before it looks at it */
    }
    o->at += got;
    return (tmsize_t)got;
}

static bool reserve(tiff_output *o, int64_t n)
{
    if (n <= o->capacity) return true;
    const int64_t  capacity = n > 2 * o->capacity ? n : 2 * o->capacity;
    unsigned char *memory = tess__alloc((size_t)capacity);
    if (!memory) return false;
    if (o->size) memcpy(memory, o->memory, (size_t)o->size);
    memset(memory + o->size, 0, (size_t)(capacity - o->size));
    tess__free(o->memory);
    o->memory = memory;
    o->capacity = capacity;
    return true;
}

static tmsize_t write_some(thandle_t context, void *bytes, tmsize_t n)
{
    tiff_output *o = context;
    if (n < 0 || o->dropped) return -1;
    if (o->fd < 0) {
        if (!reserve(o, o->at + n)) {
            o->error = ENOMEM;
            return -1;
        }
        memcpy(o->memory + o->at, bytes, (size_t)n);
    } else if (tess__write_fully(o->fd, bytes, n, o->at) != 0) {
        o->error = errno;
        return -1;
    }
    o->at += n;
    if (o->at > o->size) o->size = o->at;
    return n;
}

static toff_t seek(thandle_t context, toff_t to, int from)
{
    tiff_output  *o = context;
    const int64_t base = from == SEEK_CUR ? o->at : from == SEEK_END ? o->size : 0;
    o->at = base + (int64_t)to;
    return (toff_t)o->at;
}

static int close_none(thandle_t context)
{
    (void)context;
    return 0;
}

static toff_t size_of(thandle_t context)
{
    const tiff_output *o = context;
    return (toff_t)o->size;
}

/* What went wrong: a call of the system's, or libtiff. */
static tess_status failure(const tess_writer *writer, const tiff_output *o, const char *what)
{
    TESS_CHECK(o->error != ENOMEM, TESS_ENOMEM, "writer_append: %s: no memory for %s", writer->path, what);
    if (o->error) TESS__FAIL_SYSTEM(o->error, "writer_append: %s: %s could not be written", writer->path, what);
    TESS_FAIL(TESS_EIO, "writer_append: %s: %s could not be written%s", writer->path, what,
              tess__tiff_said(&o->message));
}

/* ---- Beginning ---- */

static uint16_t number_of(int32_t compression)
{
    switch (compression) {
    case TESS_COMPRESSION_LZW: return COMPRESSION_LZW;
    case TESS_COMPRESSION_DEFLATE: return COMPRESSION_ADOBE_DEFLATE;
    case TESS_COMPRESSION_ZSTD: return COMPRESSION_ZSTD;
    default: return COMPRESSION_NONE;
    }
}

static uint16_t compression_of(const tess_writer *writer) { return number_of(writer->opts.compression); }

static bool is_ours(int32_t c)
{
    return c == TESS_COMPRESSION_DEFAULT || c == TESS_COMPRESSION_NONE || c == TESS_COMPRESSION_LZW ||
           c == TESS_COMPRESSION_DEFLATE || c == TESS_COMPRESSION_ZSTD;
}

bool tess__tiff_supports(tess_compression compression)
{
    return is_ours((int32_t)compression) && TIFFIsCODECConfigured(number_of((int32_t)compression)) == 1;
}

static tess_status check_compression(const tess_writer *writer)
{
    const int32_t c = writer->opts.compression;
    TESS_CHECK(is_ours(c), TESS_EUNSUPPORTED,
               "writer_open: %s: `opts->compression` is %" PRId32 "; TIFF files have NONE, LZW, DEFLATE or ZSTD",
               writer->path, c);
    TESS_CHECK(TIFFIsCODECConfigured(compression_of(writer)) == 1, TESS_EUNSUPPORTED,
               "writer_open: %s: this libtiff does not support %s compression", writer->path,
               tess__tiff_codec(compression_of(writer)));
    return TESS_OK;
}

tess_dtype tess__tiff_nearest(const tess_writer *writer, tess_dtype dtype)
{
    (void)writer;
    return dtype == TESS_BOOL ? TESS_U8 : dtype == TESS_C16 ? TESS_C32 : dtype;
}

static tess_status check_shape(const tess_writer *writer)
{
    const tess_shape *n = &writer->shape;
    TESS_CHECK(n->h > 0 && n->w > 0 && n->b > 0 && n->d > 0, TESS_ESHAPE,
               "writer_open: %s: the shape is {%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
               "}; TIFF files cannot be empty",
               writer->path, n->b, n->d, n->h, n->w);
    TESS_CHECK(n->h <= INT32_MAX && n->w <= INT32_MAX / 16, TESS_ESHAPE,
               "writer_open: %s: images of %" PRId64 " x %" PRId64 " pixels; TIFF files have fewer per row or column",
               writer->path, n->w, n->h);
    return TESS_OK;
}

/* Beyond 4 GB offsets take 8 bytes: a BigTIFF. Compression may make data longer, by half at most. */
static bool needs_big(const tess_writer *writer)
{
    const double n = (double)writer->n_images * (double)writer->shape.h * (double)writer->shape.w;
    const double bytes = n * (double)tess__dtype_size(writer->dtype) + 1024 * (double)writer->n_images;
    return bytes * (compression_of(writer) == COMPRESSION_NONE ? 1.01 : 1.6) > 4.2e9;
}

static TIFF *open_tiff(const tess_writer *writer, tiff_output *o)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(options, tess__tiff_on_error, &o->message);
    TIFFOpenOptionsSetWarningHandlerExtR(options, tess__tiff_ignore, NULL);
    /* l: the lowest byte first, on every machine; m: no mapping; 8: a BigTIFF */
    TIFF *tiff = TIFFClientOpenExt(writer->path, needs_big(writer) ? "wlm8" : "wlm", o, read_back, write_some, seek,
                                   close_none, size_of, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

static void add_notes(tess_writer *writer)
{
    const tess_meta *m = &writer->meta;
    const bool       is_volume = writer->shape.d > 1 && !writer->opts.rgb;
    bool             is_placed = is_volume && m->pixel_size[0] != m->pixel_size[2];
    for (int k = 0; k < 3; k++) is_placed |= m->origin[k] != 0 || m->start[k] != 0;
    if (tess__tiff_can_describe(writer)) return;
    if (is_volume)
        tess__writer_add_note(
            writer, "TIFF files with this element type hold pages, not volumes, and are read back as a stack");
    if (is_placed)
        tess__writer_add_note(writer, "this TIFF file cannot store the origin, the start and the pixel size along z");
}

tess_status tess__tiff_start(tess_writer *writer)
{
    TESS_CHECK(writer->dtype < TESS_SCALAR_DTYPE_COUNT && tess__tiff_nearest(writer, writer->dtype) == writer->dtype,
               TESS_EUNSUPPORTED, "writer_open: %s: TIFF files cannot hold %s", writer->path,
               tess_dtype_name(writer->dtype));
    TESS_TRY(check_compression(writer));
    TESS_TRY(check_shape(writer));
    tiff_output *o = tess__alloc(sizeof *o);
    TESS_CHECK(o, TESS_ENOMEM, "writer_open: %s: no memory to write a tiff", writer->path);
    *o = (tiff_output){ .fd = tess__sink_descriptor(writer->sink), .samples = writer->opts.rgb ? 3 : 1 };
    writer->state = o;
    add_notes(writer);
    const int64_t row = writer->shape.w * tess__dtype_size(writer->dtype) * o->samples;
    o->strip_rows = row >= STRIP_BYTES ? 1 : STRIP_BYTES / row;
    if (o->strip_rows > writer->shape.h) o->strip_rows = writer->shape.h;
    o->strip = tess__alloc((size_t)(o->strip_rows * row));
    TESS_CHECK(o->strip, TESS_ENOMEM, "writer_open: %s: no memory for %" PRId64 " rows", writer->path, o->strip_rows);
    o->tiff = open_tiff(writer, o);
    if (!o->tiff) TESS_TRY(failure(writer, o, "the header"));
    return TESS_OK;
}

/* ---- Pages ---- */

static uint16_t format_of(tess_dtype dtype)
{
    switch (tess_dtype_kind(dtype)) {
    case TESS_KIND_INT: return SAMPLEFORMAT_INT;
    case TESS_KIND_UINT: return SAMPLEFORMAT_UINT;
    case TESS_KIND_FLOAT: return SAMPLEFORMAT_IEEEFP;
    default: return SAMPLEFORMAT_COMPLEXIEEEFP;
    }
}

/* Pixels a centimetre along rows and columns, where the size of a pixel is known and a TIFF can say it. */
static void set_resolution(const tess_writer *writer, TIFF *tiff)
{
    const double h = writer->meta.pixel_size[1], w = writer->meta.pixel_size[2];
    const double max = 4294967295.0;
    if (!(h > 0 && w > 0 && isfinite(h) && isfinite(w)) || 1e8 / h > max || 1e8 / w > max) return;
    (void)TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER);
    (void)TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 1e8 / w);
    (void)TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 1e8 / h);
}

/* OME's description, on the first page alone. */
static int set_description(const tess_writer *writer, tiff_output *o)
{
    char text[TESS__TIFF_DESCRIPTION];
    if (o->begun) return 1;
    o->begun = true;
    tess__tiff_describe(text, sizeof text, writer);
    return text[0] ? TIFFSetField(o->tiff, TIFFTAG_IMAGEDESCRIPTION, text) : 1;
}

static tess_status begin_page(const tess_writer *writer, tiff_output *o)
{
    TIFF          *t = o->tiff;
    const uint16_t compression = compression_of(writer);
    int            ok = TIFFSetField(t, TIFFTAG_IMAGEWIDTH, (uint32_t)writer->shape.w);
    ok &= TIFFSetField(t, TIFFTAG_IMAGELENGTH, (uint32_t)writer->shape.h);
    ok &= TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, (int)(8 * tess__dtype_size(writer->dtype)));
    ok &= TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, o->samples);
    ok &= TIFFSetField(t, TIFFTAG_SAMPLEFORMAT, (int)format_of(writer->dtype));
    ok &= TIFFSetField(t, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    ok &= TIFFSetField(t, TIFFTAG_PHOTOMETRIC, o->samples == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    ok &= TIFFSetField(t, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    ok &= TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, (uint32_t)o->strip_rows);
    ok &= TIFFSetField(t, TIFFTAG_COMPRESSION, (int)compression);
    if (writer->opts.level && compression == COMPRESSION_ADOBE_DEFLATE)
        ok &= TIFFSetField(t, TIFFTAG_ZIPQUALITY, (int)writer->opts.level);
    if (writer->opts.level && compression == COMPRESSION_ZSTD)
        ok &= TIFFSetField(t, TIFFTAG_ZSTD_LEVEL, (int)writer->opts.level);
    set_resolution(writer, t);
    ok &= set_description(writer, o);
    if (!ok) TESS_TRY(failure(writer, o, "the tags of a page"));
    return TESS_OK;
}

/* A view of n rows from `row` on of one plane of a page, the top row first. */
static tess_array rows_of(const tess_writer *writer, const tess_array *planes, int plane, int64_t row, int64_t n)
{
    const bool    flip = !writer->opts.keep_rows;
    const int64_t from = flip ? planes->shape.h - 1 - row : row;
    tess_array    view = *planes;
    view.shape = TESS_SHAPE(1, 1, n, planes->shape.w);
    view.data =
        (char *)planes->data + (plane * planes->strides.b + from * planes->strides.h) * tess__dtype_size(planes->dtype);
    if (flip) view.strides.h = -planes->strides.h;
    return view;
}

static tess_status convert(const tess_writer *writer, unsigned char *to, const tess_array *from, int step)
{
    const int64_t w = from->shape.w;
    tess_array    out = { .shape = from->shape, .data = to, .dtype = writer->dtype, .device = tess_cpu() };
    out.strides = TESS_STRIDES(0, 0, w * step, step);
    TESS_TRY(tess_cast(&out, from, writer->dtype, NULL));
    TESS_TRY(tess__sync("writer_append", tess_cpu()));
    return TESS_OK;
}

/* An image, or three planes of colours. */
static tess_status write_page(const tess_writer *writer, tiff_output *o, const tess_array *planes)
{
    const int64_t row_bytes = writer->shape.w * tess__dtype_size(writer->dtype) * o->samples;
    TESS_TRY(begin_page(writer, o));
    for (int64_t row = 0; row < writer->shape.h; row += o->strip_rows) {
        const int64_t  left = writer->shape.h - row, n = left < o->strip_rows ? left : o->strip_rows;
        const tmsize_t bytes = (tmsize_t)(n * row_bytes);
        for (int k = 0; k < o->samples; k++) {
            const tess_array rows = rows_of(writer, planes, k, row, n);
            TESS_TRY(convert(writer, o->strip + k * tess__dtype_size(writer->dtype), &rows, o->samples));
        }
        if (TIFFWriteEncodedStrip(o->tiff, (uint32_t)(row / o->strip_rows), o->strip, bytes) != bytes)
            TESS_TRY(failure(writer, o, "a strip"));
    }
    if (TIFFWriteDirectory(o->tiff) != 1) TESS_TRY(failure(writer, o, "the directory of a page"));
    return TESS_OK;
}

tess_status tess__tiff_append(tess_writer *writer, const tess_array *images)
{
    tiff_output *o = writer->state;
    for (int64_t i = 0; i < images->shape.b; i += o->samples) {
        tess_array page = *images;
        page.shape.b = o->samples;
        page.data = (char *)images->data + i * images->strides.b * tess__dtype_size(images->dtype);
        TESS_TRY(write_page(writer, o, &page));
    }
    return TESS_OK;
}

tess_status tess__tiff_end(tess_writer *writer)
{
    tiff_output *o = writer->state;
    TIFFClose(o->tiff);
    o->tiff = NULL;
    if (o->error || o->message.text[0]) TESS_TRY(failure(writer, o, "the end of the file"));
    if (o->fd < 0) TESS_TRY(tess__sink_write(writer->sink, o->memory, o->size));
    return TESS_OK;
}

void tess__tiff_drop(tess_writer *writer)
{
    tiff_output *o = writer->state;
    if (!o) return;
    o->dropped = true;
    if (o->tiff) TIFFClose(o->tiff);
    tess__free(o->strip);
    tess__free(o->memory);
    tess__free(o);
    writer->state = NULL;
}

#endif
