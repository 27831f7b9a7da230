/* PNG reader: the header is checked against the size of the file; then all rows are decoded in one call. */
#include "io/png/png.h"

#ifdef TESS_HAVE_PNG

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "core/device/stream.h"
#include "io/file/byteswap.h"
#include "io/file/colour.h"
#include "io/text/text.h"

enum {
    MAX_RATIO = 1040,          /* decompression bomb limit: bytes that one byte of DEFLATE can expand to */
    MAX_CHUNK_BYTES = 8 << 20, /* bytes of a text or profile */
    MAX_CHUNKS = 1000,         /* kept texts and the like */
    MAX_PIXEL_BYTES = 8,       /* of a pixel: four samples of 16 bits */
    LIBPNG_BYTES = 1 << 16,    /* its structs, and the padding of its buffers */
    MAX_SIDE = 0x7fffffff      /* what the format allows */
};

/* A PNG being read. Created for each call: libpng cannot seek back. */
typedef struct reader {
    tess__png_guard guard;
    tess_file      *file;
    int64_t         at; /* in the source */
    png_structp     png;
    png_infop       info;
    png_uint_32     width, height;
    int             bits, colour; /* as they are stored */
    int             samples;      /* as libpng gives them: 1 or 3 */
    size_t          row_bytes;    /* of a row that libpng gives */
    bool            alpha;
    unsigned char  *pixels; /* of all rows */
    png_bytep      *rows;
} reader;

/* ---- libpng ---- */

static void read_some(png_structp png, png_bytep bytes, size_t n)
{
    reader *r = png_get_io_ptr(png);
    int64_t got = 0;
    if (n > INT64_MAX) png_error(png, "a chunk is too long");
    const tess_status status = tess__source_read(r->file->source, r->at, bytes, (int64_t)n, &got);
    if (status != TESS_OK) tess__png_leave(&r->guard, status);
    if (got < (int64_t)n) png_error(png, "the file is truncated");
    r->at += got;
}

static void make_structs(void *context)
{
    reader *r = context;
    r->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &r->guard, tess__png_fail, tess__png_ignore, &r->guard,
                                      tess__png_alloc, tess__png_free);
    if (r->png) r->info = png_create_info_struct(r->png);
}

/* libpng allocates, and clears, the length of a chunk before it reads the chunk: a damaged length must not cost
 * gigabytes. No chunk is longer than the file, or than its text where it is compressed; a row has
 * `row` bytes. */
static void limit_allocations(reader *r, int64_t row)
{
    const int64_t chunk = tess__max(tess__source_size(r->file->source), MAX_CHUNK_BYTES);
    r->guard.most = (size_t)(tess__max(chunk, row) + LIBPNG_BYTES);
}

static tess_status begin(reader *r)
{
    limit_allocations(r, 0);
    TESS_CHECK(tess__png_run(&r->guard, make_structs, r) && r->info, TESS_ENOMEM, "open: %s: no memory to read a png",
               tess__source_name(r->file->source));
    png_set_read_fn(r->png, r, read_some);
    png_set_user_limits(r->png, MAX_SIDE, MAX_SIDE);
    png_set_chunk_cache_max(r->png, MAX_CHUNKS);
    png_set_chunk_malloc_max(r->png, MAX_CHUNK_BYTES);
    return TESS_OK;
}

static void end(reader *r)
{
    png_destroy_read_struct(&r->png, &r->info, NULL);
    tess__free(r->pixels);
    tess__free(r->rows);
}

/* The status of a step that failed. */
static tess_status failure(const reader *r, const char *what)
{
    const char *name = tess__source_name(r->file->source);
    if (r->guard.failed != TESS_OK) TESS_TRY(r->guard.failed);
    TESS_CHECK(!r->guard.no_memory, TESS_ENOMEM, "open: %s: no memory for %s: libpng: %s", name, what, r->guard.said);
    TESS_FAIL(TESS_EFORMAT, "open: %s: %s cannot be read: libpng: %s", name, what, r->guard.said);
}

static void read_header(void *context)
{
    reader *r = context;
    png_read_info(r->png, r->info);
    (void)png_get_IHDR(r->png, r->info, &r->width, &r->height, &r->bits, &r->colour, NULL, NULL, NULL);
    r->alpha = (r->colour & PNG_COLOR_MASK_ALPHA) || png_get_valid(r->png, r->info, PNG_INFO_tRNS);
    r->samples = r->colour & PNG_COLOR_MASK_COLOR ? 3 : 1;
}

/* The transformations of rows; after this libpng has a buffer for one. */
static void prepare_rows(void *context)
{
    reader *r = context;
    if (r->colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(r->png);
    if (r->colour == PNG_COLOR_TYPE_GRAY && r->bits < 8) png_set_expand_gray_1_2_4_to_8(r->png);
    if (r->alpha) png_set_strip_alpha(r->png);
    if (r->bits == 16 && tess__is_little_endian()) png_set_swap(r->png);
    (void)png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    r->row_bytes = png_get_rowbytes(r->png, r->info);
}

static void read_rows(void *context)
{
    reader *r = context;
    png_read_image(r->png, r->rows);
    png_read_end(r->png, NULL);
}

/* ---- Opening ---- */

/* The frames of an animated PNG: the number in its chunk acTL, before the pixels; 1 without it. libpng ignores it. */
static tess_status count_frames(int64_t *n, tess__source *source)
{
    enum { SIGNATURE = 8, HEAD = 12 /* length, name, and the number of frames */, MOST = 1000 /* chunks */ };
    unsigned char head[HEAD];
    int64_t       at = SIGNATURE, got = 0;
    *n = 1;
    for (int k = 0; k < MOST; k++) {
        TESS_TRY(tess__source_read(source, at, head, HEAD, &got));
        if (got < HEAD || memcmp(head + 4, "IDAT", 4) == 0) return TESS_OK;
        if (memcmp(head + 4, "acTL", 4) == 0) {
            *n = (int64_t)png_get_uint_32(head + 8);
            return TESS_OK;
        }
        at += HEAD + (int64_t)png_get_uint_32(head);
    }
    return TESS_OK;
}

static tess_status warn_of_frames(tess_file *file)
{
    int64_t n;
    TESS_TRY(count_frames(&n, file->source));
    if (n > 1)
        tess__file_warn(file, TESS_ODD_FRAME, "acTL", "", "1",
                        "an animation of %" PRId64 " frames; only its default image is read", n);
    return TESS_OK;
}

/* "1.0742 1.0742": height and width. */
static void take_text(double *sizes, const char *text)
{
    double      h, w;
    const char *blank = strchr(text, ' ');
    if (!blank || !tess__text_f64(&h, text, blank - text)) return;
    if (!tess__text_f64(&w, blank + 1, (int64_t)strlen(blank + 1))) return;
    if (!(h > 0 && w > 0 && isfinite(h) && isfinite(w))) return;
    sizes[1] = h;
    sizes[2] = w;
}

static void take_pixel_size(reader *r)
{
    png_textp texts = NULL;
    int       n = 0;
    (void)png_get_text(r->png, r->info, &texts, &n);
    for (int i = 0; i < n; i++)
        if (strcmp(texts[i].key, TESS__PNG_PIXEL_SIZE) == 0 && texts[i].text)
            take_text(r->file->info.meta.pixel_size, texts[i].text);
}

/* Before anything is allocated for them: can the pixels be in the file? */
static tess_status check_size(const reader *r)
{
    const char   *name = tess__source_name(r->file->source);
    const int64_t stored = (r->colour == PNG_COLOR_TYPE_PALETTE ? 1 : r->samples) +
                           (r->colour & PNG_COLOR_MASK_ALPHA ? 1 : 0); /* samples of a pixel */
    const int64_t sizes[4] = { r->width, r->height, stored, r->bits };
    const int64_t size = tess__source_size(r->file->source);
    int64_t       bits;
    TESS_CHECK(tess__bytes_of(&bits, sizes, 4, 1) && (bits - 1) / 8 / MAX_RATIO < size, TESS_EFORMAT,
               "open: %s: %" PRIu32 " x %" PRIu32 " pixels of %d bits cannot be in a file of %" PRId64 " bytes", name,
               (uint32_t)r->width, (uint32_t)r->height, r->bits, size);
    return TESS_OK;
}

static tess_status settle(reader *r)
{
    tess_file *file = r->file;
    TESS_TRY(check_size(r));
    TESS_CHECK(r->samples == 1 || file->opts.grey, TESS_EUNSUPPORTED,
               "open: %s: its pixels are %s; `opts->grey` reads them as grey", tess__source_name(file->source),
               r->colour == PNG_COLOR_TYPE_PALETTE ? "indices into a colour palette" : "red, green and blue");
    if (r->samples == 3)
        tess__file_warn(file, TESS_ODD_COLOUR, "colour type", "colour", "grey", "colours were converted to grey");
    if (r->alpha) tess__file_warn(file, TESS_ODD_COLOUR, "alpha", "", "", "the transparency was dropped");
    file->info.dtype = r->bits == 16 ? TESS_U16 : TESS_U8;
    file->info.shape = TESS_SHAPE(1, 1, r->height, r->width);
    file->info.compression = TESS_COMPRESSION_DEFLATE;
    file->info.sections = TESS_AS_STACK;
    file->info.stored[0] = r->width;
    file->info.stored[1] = r->height;
    file->info.stored[2] = 1;
    take_pixel_size(r);
    return TESS_OK;
}

tess_status tess__png_open(tess_file *file)
{
    reader *r = tess__alloc(sizeof *r);
    TESS_CHECK(r, TESS_ENOMEM, "open: %s: no memory to read a png", tess__source_name(file->source));
    memset(r, 0, sizeof *r);
    r->file = file;
    tess_status status = begin(r);
    if (status == TESS_OK) status = tess__png_run(&r->guard, read_header, r) ? settle(r) : failure(r, "the header");
    if (status == TESS_OK) status = warn_of_frames(file);
    end(r);
    tess__free(r);
    TESS_TRY(status);
    return TESS_OK;
}

void tess__png_close(tess_file *file) { (void)file; }

/* ---- Pixels ---- */

static tess_status make_rows(reader *r)
{
    const char  *name = tess__source_name(r->file->source);
    const size_t n = r->row_bytes * r->height;
    r->pixels = tess__alloc(n);
    r->rows = tess__alloc(r->height * sizeof *r->rows);
    TESS_CHECK(r->pixels && r->rows, TESS_ENOMEM, "file_read: %s: no memory for %zu bytes of pixels", name, n);
    if (r->file->opts.salvage) memset(r->pixels, 0, n);
    for (png_uint_32 y = 0; y < r->height; y++) r->rows[y] = r->pixels + r->row_bytes * y;
    return TESS_OK;
}

static tess_status copy_out(const reader *r, const tess_array *out)
{
    const tess_dtype dtype = r->file->info.dtype;
    const int64_t    size = tess__dtype_size(dtype), width = r->width, height = r->height;
    tess_array       from = { .shape = out->shape, .data = r->pixels, .dtype = dtype, .device = tess_cpu() };
    tess_array       to = *out;
    from.strides = TESS_STRIDES(0, 0, width, 1);
    if (r->samples == 3)
        tess__grey(r->pixels, r->pixels, r->pixels + size, r->pixels + 2 * size, 3, width * height, dtype);
    if (!r->file->opts.keep_rows) {
        from.data = r->pixels + (height - 1) * width * size;
        from.strides.h = -width;
    }
    TESS_TRY(tess_cast(&to, &from, to.dtype, NULL));
    TESS_TRY(tess__sync("file_read", tess_cpu()));
    return TESS_OK;
}

static tess_status read_pixels(reader *r, const tess_array *out)
{
    TESS_TRY(begin(r));
    if (!tess__png_run(&r->guard, read_header, r)) TESS_TRY(failure(r, "the header"));
    TESS_TRY(check_size(r));
    limit_allocations(r, (int64_t)r->width * MAX_PIXEL_BYTES);
    if (!tess__png_run(&r->guard, prepare_rows, r)) TESS_TRY(failure(r, "its rows"));
    TESS_CHECK((int64_t)r->height == out->shape.h && (int64_t)r->width == out->shape.w, TESS_EFORMAT,
               "file_read: %s: its size changed since it was opened", tess__source_name(r->file->source));
    TESS_TRY(make_rows(r));
    if (!tess__png_run(&r->guard, read_rows, r)) {
        if (r->guard.failed != TESS_OK || !r->file->opts.salvage) TESS_TRY(failure(r, "its pixels"));
        tess__file_warn(r->file, TESS_ODD_FRAME, "", "", "",
                        "the pixel data are truncated; missing pixels are 0: libpng: %.60s", r->guard.said);
    }
    TESS_TRY(copy_out(r, out));
    return TESS_OK;
}

tess_status tess__png_read(tess_file *file, int64_t first, const tess_array *out)
{
    reader *r = tess__alloc(sizeof *r);
    (void)first; /* there is one */
    TESS_CHECK(r, TESS_ENOMEM, "file_read: %s: no memory to read a png", tess__source_name(file->source));
    memset(r, 0, sizeof *r);
    r->file = file;
    const tess_status status = read_pixels(r, out);
    end(r);
    tess__free(r);
    TESS_TRY(status);
    return TESS_OK;
}

#endif
