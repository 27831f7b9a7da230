/* PNG writer: one image, grey or coloured, the top row first. */
#include "io/png/png.h"

#ifdef TESS_HAVE_PNG

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/device/stream.h"
#include "core/check/text.h"
#include "io/file/byteswap.h"

/* A PNG being written, all of it in one call. */
typedef struct printer {
    tess__png_guard   guard;
    tess_writer      *writer;
    const tess_array *planes; /* one, or red, green and blue */
    png_structp       png;
    png_infop         info;
    unsigned char    *row;
    char              size[72]; /* of a pixel, as text */
} printer;

tess_dtype tess__png_nearest(const tess_writer *writer, tess_dtype dtype)
{
    (void)writer;
    return dtype == TESS_BOOL ? TESS_U8 : dtype;
}

tess_status tess__png_start(tess_writer *writer)
{
    char              text[TESS__SHAPE_TEXT];
    const tess_shape *n = &writer->shape;
    TESS_CHECK(n->b == 1 && n->d == (writer->opts.rgb ? 3 : 1), TESS_ESHAPE,
               "writer_open: %s: the shape is %s; a PNG file holds one image: {1,1,h,w}, or {1,3,h,w} with `opts->rgb`",
               writer->path, tess__shape_text(text, n->dim));
    TESS_CHECK(n->h > 0 && n->w > 0 && n->h <= INT32_MAX && n->w <= INT32_MAX / 8, TESS_ESHAPE,
               "writer_open: %s: an image of %" PRId64 " x %" PRId64 "; PNG rows have 1 to %" PRId32 " pixels",
               writer->path, n->w, n->h, INT32_MAX / 8);
    TESS_CHECK(writer->dtype == TESS_U8 || writer->dtype == TESS_U16, TESS_EUNSUPPORTED,
               "writer_open: %s: elements of %s; PNG holds u8 or u16: scale them, and choose one with `opts->dtype`",
               writer->path, tess_dtype_name(writer->dtype));
    return TESS_OK;
}

/* ---- libpng ---- */

static void write_some(png_structp png, png_bytep bytes, size_t n)
{
    printer          *p = png_get_io_ptr(png);
    const tess_status status = tess__sink_write(p->writer->sink, bytes, (int64_t)n);
    if (status != TESS_OK) tess__png_leave(&p->guard, status);
}

static void flush_none(png_structp png) { (void)png; }

static void make_structs(void *context)
{
    printer *p = context;
    p->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &p->guard, tess__png_fail, tess__png_ignore, &p->guard,
                                       tess__png_alloc, tess__png_free);
    if (p->png) p->info = png_create_info_struct(p->png);
}

static tess_status begin(printer *p)
{
    const tess_writer *w = p->writer;
    p->row = tess__alloc((size_t)(w->shape.w * w->shape.d * tess__dtype_size(w->dtype)));
    TESS_CHECK(p->row && tess__png_run(&p->guard, make_structs, p) && p->info, TESS_ENOMEM,
               "writer_append: %s: no memory to write a png", w->path);
    png_set_write_fn(p->png, p, write_some, flush_none);
    png_set_user_limits(p->png, 0x7fffffff, 0x7fffffff);
    return TESS_OK;
}

static void set_pixel_size(printer *p)
{
    const double *size = p->writer->meta.pixel_size;
    char          h[32], w[32], keyword[] = TESS__PNG_PIXEL_SIZE;
    if (!(size[1] > 0 && size[2] > 0 && isfinite(size[1]) && isfinite(size[2]))) return;
    (void)snprintf(p->size, sizeof p->size, "%s %s", tess__number_text(h, size[1]), tess__number_text(w, size[2]));
    png_text text = { .compression = PNG_TEXT_COMPRESSION_NONE, .key = keyword, .text = p->size };
    png_set_text(p->png, p->info, &text, 1);
}

/* A row of the page, from its planes. */
static tess_status take_row(const printer *p, int64_t y)
{
    const tess_writer *w = p->writer;
    const int64_t      planes = w->shape.d, from = w->opts.keep_rows ? y : w->shape.h - 1 - y;
    for (int64_t k = 0; k < planes; k++) {
        tess_array in = *p->planes;
        tess_array out = { .shape = TESS_SHAPE(1, 1, 1, w->shape.w), .dtype = w->dtype, .device = tess_cpu() };
        in.shape = out.shape;
        in.data = (char *)in.data + (k * in.strides.b + from * in.strides.h) * tess__dtype_size(in.dtype);
        out.data = p->row + k * tess__dtype_size(w->dtype);
        out.strides = TESS_STRIDES(0, 0, 0, planes);
        TESS_TRY(tess_cast(&out, &in, w->dtype, NULL));
    }
    TESS_TRY(tess__sync("writer_append", tess_cpu()));
    return TESS_OK;
}

static void write_all(void *context)
{
    printer           *p = context;
    const tess_writer *w = p->writer;
    const bool         stored = w->opts.compression == TESS_COMPRESSION_NONE;
    png_set_compression_level(p->png, stored ? 0 : w->opts.level ? w->opts.level : 6);
    png_set_IHDR(p->png, p->info, (png_uint_32)w->shape.w, (png_uint_32)w->shape.h, w->dtype == TESS_U16 ? 16 : 8,
                 w->opts.rgb ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    set_pixel_size(p);
    png_write_info(p->png, p->info);
    if (w->dtype == TESS_U16 && tess__is_little_endian()) png_set_swap(p->png);
    for (int64_t y = 0; y < w->shape.h; y++) {
        const tess_status status = take_row(p, y);
        if (status != TESS_OK) tess__png_leave(&p->guard, status);
        png_write_row(p->png, p->row);
    }
    png_write_end(p->png, p->info);
}

static tess_status print(printer *p)
{
    TESS_TRY(begin(p));
    if (tess__png_run(&p->guard, write_all, p)) return TESS_OK;
    if (p->guard.failed != TESS_OK) TESS_TRY(p->guard.failed);
    TESS_FAIL(p->guard.no_memory ? TESS_ENOMEM : TESS_EIO, "writer_append: %s: cannot write: libpng: %s",
              p->writer->path, p->guard.said);
}

tess_status tess__png_append(tess_writer *writer, const tess_array *images)
{
    printer *p = tess__alloc(sizeof *p);
    TESS_CHECK(p, TESS_ENOMEM, "writer_append: %s: no memory to write a png", writer->path);
    memset(p, 0, sizeof *p);
    p->writer = writer;
    p->planes = images;
    const tess_status status = print(p);
    png_destroy_write_struct(&p->png, &p->info);
    tess__free(p->row);
    tess__free(p);
    TESS_TRY(status);
    return TESS_OK;
}

#endif
