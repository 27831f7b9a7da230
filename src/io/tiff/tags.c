/* TIFF tags of pages: sample format, layout in strips or tiles, checks against the file, pixel size. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/dtype.h"

/* ---- Compressions ---- */

/* Names, and the decompression bomb limit: how many bytes one stored byte can expand to. */
static const struct {
    uint16_t    number;
    const char *name;
    int64_t     max_ratio;
} codecs[] = {
    { COMPRESSION_NONE, "none", 1 },
    { COMPRESSION_LZW, "LZW", 2000 },
    { COMPRESSION_JPEG, "JPEG", 1 << 14 },
    { COMPRESSION_ADOBE_DEFLATE, "deflate", 1040 },
    { COMPRESSION_DEFLATE, "deflate", 1040 },
    { COMPRESSION_PACKBITS, "PackBits", 64 },
    { COMPRESSION_LZMA, "LZMA", 1 << 14 },
    { COMPRESSION_ZSTD, "zstd", 1 << 16 },
    { COMPRESSION_WEBP, "WebP", 1 << 16 },
    { COMPRESSION_LERC, "LERC", 1 << 16 },
    { COMPRESSION_CCITTRLE, "CCITT", 1 << 16 },
    { COMPRESSION_CCITTFAX3, "CCITT fax 3", 1 << 16 },
    { COMPRESSION_CCITTFAX4, "CCITT fax 4", 1 << 16 },
    { COMPRESSION_OJPEG, "old JPEG", 1 << 14 },
    { COMPRESSION_JP2000, "JPEG 2000", 1 << 16 },
    { COMPRESSION_JXL, "JPEG XL", 1 << 16 },
    { 65000, "EER", 1 },
    { 65001, "EER", 1 },
    { 65002, "EER", 1 },
};

enum { N_CODECS = sizeof codecs / sizeof *codecs };

const char *tess__tiff_codec(uint16_t compression)
{
    for (int i = 0; i < N_CODECS; i++)
        if (codecs[i].number == compression) return codecs[i].name;
    return "";
}

static int64_t max_ratio_of(uint16_t compression)
{
    for (int i = 0; i < N_CODECS; i++)
        if (codecs[i].number == compression) return codecs[i].max_ratio;
    return 1 << 16;
}

static tess_status check_codec(uint16_t compression, const char *name, int64_t page)
{
    TESS_CHECK(compression < 65000 || compression > 65002, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has compression %u: this is an EER movie, and these are not read", name,
               page, (unsigned)compression);
    TESS_CHECK(TIFFIsCODECConfigured(compression) == 1, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has compression %u (%s), which this libtiff does not have", name, page,
               (unsigned)compression, tess__tiff_codec(compression)[0] ? tess__tiff_codec(compression) : "unknown");
    return TESS_OK;
}

/* ---- Kinds of samples ---- */

static tess_dtype dtype_of(uint16_t bits, uint16_t format)
{
    static const struct {
        uint16_t   bits, format;
        tess_dtype dtype;
    } kinds[] = {
        { 4, SAMPLEFORMAT_UINT, TESS_U8 },
        { 8, SAMPLEFORMAT_UINT, TESS_U8 },
        { 16, SAMPLEFORMAT_UINT, TESS_U16 },
        { 32, SAMPLEFORMAT_UINT, TESS_U32 },
        { 64, SAMPLEFORMAT_UINT, TESS_U64 },
        { 8, SAMPLEFORMAT_INT, TESS_I8 },
        { 16, SAMPLEFORMAT_INT, TESS_I16 },
        { 32, SAMPLEFORMAT_INT, TESS_I32 },
        { 64, SAMPLEFORMAT_INT, TESS_I64 },
        { 16, SAMPLEFORMAT_IEEEFP, TESS_F16 },
        { 32, SAMPLEFORMAT_IEEEFP, TESS_F32 },
        { 64, SAMPLEFORMAT_IEEEFP, TESS_F64 },
        { 64, SAMPLEFORMAT_COMPLEXIEEEFP, TESS_C32 },
        { 128, SAMPLEFORMAT_COMPLEXIEEEFP, TESS_C64 },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].bits == bits && kinds[i].format == format) return kinds[i].dtype;
    return TESS_DTYPE_NONE;
}

static const char *format_name(uint16_t format)
{
    static const char *const names[] = {
        "", "unsigned integers", "integers", "floats", "untyped numbers", "complex integers", "complex floats"
    };
    return format < sizeof names / sizeof *names ? names[format] : "";
}

static tess_status read_samples(tess__tiff_kind *kind, TIFF *tiff, const char *name, int64_t page)
{
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &kind->bits);
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &kind->format);
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &kind->samples);
    if (kind->format == SAMPLEFORMAT_VOID) kind->format = SAMPLEFORMAT_UINT;
    kind->dtype = dtype_of(kind->bits, kind->format);
    TESS_CHECK(kind->dtype, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has samples of %u bits, format %u (%s); unsigned integers of 4, 8, 16, 32 "
               "and 64 bits, integers of 8 to 64, floats of 16 to 64 and complex floats of 64 and 128 are read",
               name, page, (unsigned)kind->bits, (unsigned)kind->format, format_name(kind->format));
    return TESS_OK;
}

static tess_status read_colours(tess__tiff_kind *kind, TIFF *tiff, const char *name, int64_t page)
{
    uint16_t  n_extra = 0;
    uint16_t *extra = NULL;
    kind->photometric = PHOTOMETRIC_MINISBLACK;
    (void)TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &kind->photometric);
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &n_extra, &extra);
    /* libtiff counts every sample beyond the colours as extra; with grey it must be declared as alpha. */
    kind->alpha = n_extra == 1 && (kind->samples == 4 || (kind->samples == 2 && extra[0] != EXTRASAMPLE_UNSPECIFIED));
    const int  colours = kind->samples - kind->alpha;
    const bool grey = kind->photometric <= PHOTOMETRIC_MINISBLACK || kind->photometric == PHOTOMETRIC_MASK;
    TESS_CHECK((colours == 1 && (grey || kind->photometric == PHOTOMETRIC_PALETTE)) ||
                   (colours == 3 && (kind->photometric == PHOTOMETRIC_RGB || kind->photometric == PHOTOMETRIC_YCBCR)),
               TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has %u samples a pixel of photometric interpretation %u; one sample (grey, "
               "palette) and three (red, green, blue) are read",
               name, page, (unsigned)kind->samples, (unsigned)kind->photometric);
    return TESS_OK;
}

/* ---- Strips and tiles ---- */

int64_t tess__tiff_row_bytes(const tess__tiff_kind *kind, const tess__tiff_page *page)
{
    const int64_t samples = page->separate ? 1 : kind->samples;
    return ((int64_t)page->block_w * samples * kind->bits + 7) / 8;
}

static tess_status read_blocks(tess__tiff_page *page, const tess__tiff_kind *kind, TIFF *tiff, const char *name,
                               int64_t index)
{
    uint16_t planar = PLANARCONFIG_CONTIG, fill = FILLORDER_MSB2LSB;
    uint32_t rows = kind->height;
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_FILLORDER, &fill);
    page->tiled = TIFFIsTiled(tiff) != 0;
    page->separate = planar == PLANARCONFIG_SEPARATE && kind->samples > 1;
    page->raw = page->compression == COMPRESSION_NONE && fill == FILLORDER_MSB2LSB && kind->samples == 1;
    page->block_w = kind->width;
    page->block_h = kind->height;
    if (page->tiled) {
        (void)TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &page->block_w);
        (void)TIFFGetField(tiff, TIFFTAG_TILELENGTH, &page->block_h);
    } else if (TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows) && rows < kind->height) page->block_h = rows;
    TESS_CHECK(page->block_w > 0 && page->block_h > 0 && page->block_w <= INT32_MAX && page->block_h <= INT32_MAX,
               TESS_EFORMAT, "open: %s: page %" PRId64 " has %s of %" PRIu32 " x %" PRIu32 "; 1 x 1 or more is needed",
               name, index, page->tiled ? "tiles" : "strips", page->block_w, page->block_h);
    return TESS_OK;
}

tess_status tess__tiff_tags(tess__tiff_kind *kind, tess__tiff_page *page, tess__tiff_handle *handle, int64_t index)
{
    const char *name = tess__source_name(handle->source);
    TIFF       *tiff = handle->tiff;
    *kind = (tess__tiff_kind){ .width = 0 };
    page->compression = COMPRESSION_NONE;
    (void)TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &kind->width);
    (void)TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &kind->height);
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &page->compression);
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &kind->orientation);
    TESS_CHECK(kind->width > 0 && kind->height > 0 && kind->width <= INT32_MAX && kind->height <= INT32_MAX,
               TESS_EFORMAT, "open: %s: page %" PRId64 " is %" PRIu32 " x %" PRIu32 "; 1 x 1 or more is needed", name,
               index, kind->width, kind->height);
    TESS_TRY(check_codec(page->compression, name, index));
    TESS_TRY(read_samples(kind, tiff, name, index));
    TESS_TRY(read_colours(kind, tiff, name, index));
    TESS_CHECK(kind->photometric != PHOTOMETRIC_YCBCR || page->compression == COMPRESSION_JPEG, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has colours as brightness and two differences (YCbCr), which are read from "
               "JPEG only",
               name, index);
    TESS_TRY(read_blocks(page, kind, tiff, name, index));
    return TESS_OK;
}

tess_status tess__tiff_alike(const tess__tiff_kind *first, const tess__tiff_kind *other, const char *name,
                             int64_t index)
{
    TESS_CHECK(first->width == other->width && first->height == other->height, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " is %" PRIu32 " x %" PRIu32 " and page 0 is %" PRIu32 " x %" PRIu32
               "; only pages of one size are read",
               name, index, other->width, other->height, first->width, first->height);
    TESS_CHECK(first->bits == other->bits && first->dtype == other->dtype, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has %s of %u bits and page 0 %s of %u; only pages of one type are read",
               name, index, format_name(other->format), (unsigned)other->bits, format_name(first->format),
               (unsigned)first->bits);
    TESS_CHECK(first->samples == other->samples && first->photometric == other->photometric &&
                   first->alpha == other->alpha,
               TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has %u samples a pixel of photometric interpretation %u and page 0 %u of "
               "%u; only pages of one type are read",
               name, index, (unsigned)other->samples, (unsigned)other->photometric, (unsigned)first->samples,
               (unsigned)first->photometric);
    TESS_CHECK(first->orientation == other->orientation, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has orientation %u and page 0 %u; only pages that are alike are read", name,
               index, (unsigned)other->orientation, (unsigned)first->orientation);
    return TESS_OK;
}

/* ---- Bytes of strips and tiles ---- */

typedef struct block {
    int64_t at, n; /* bytes in the file */
    int64_t full;  /* bytes once decoded */
} block;

static tess_status check_block(const tess_file *file, const tess__tiff_page *page, int64_t index, uint32_t i,
                               const block *b)
{
    const char   *name = tess__source_name(file->source), *what = page->tiled ? "tile" : "strip";
    const int64_t size = tess__source_size(file->source);
    TESS_CHECK(b->n >= 0 && b->at >= 0 && b->at <= size && b->n <= size - b->at, TESS_EFORMAT,
               "open: %s: page %" PRId64 ", %s %" PRIu32 " takes %" PRId64 " bytes from byte %" PRId64
               " on; the file has %" PRId64,
               name, index, what, i, b->n, b->at, size);
    TESS_CHECK(b->full / max_ratio_of(page->compression) <= b->n, TESS_EFORMAT,
               "open: %s: page %" PRId64 ", %s %" PRIu32 " has %" PRId64 " bytes, which cannot hold the %" PRId64
               " of its pixels",
               name, index, what, i, b->n, b->full);
    return TESS_OK;
}

/* Strips and tiles may not overlap: else a small file could claim any amount of data. */
static tess_status add_block(tess_file *file, const tess__tiff_page *page, int64_t index, uint32_t i, const block *b)
{
    tess__tiff_file *state = file->state;
    const int64_t    n = page->compression == COMPRESSION_NONE && b->full < b->n ? b->full : b->n;
    const int64_t    size = tess__source_size(file->source);
    TESS_CHECK(n <= size - state->stored, TESS_EFORMAT,
               "open: %s: up to page %" PRId64 ", %s %" PRIu32 " the pages need %" PRId64 " + %" PRId64
               " bytes; the file has %" PRId64 ", and pages that share bytes are not read",
               tess__source_name(file->source), index, page->tiled ? "tile" : "strip", i, state->stored, n, size);
    state->stored += n;
    return TESS_OK;
}

static int64_t as_size(uint64_t value) { return value > INT64_MAX ? -1 : (int64_t)value; }

tess_status tess__tiff_check_blocks(tess_file *file, tess__tiff_handle *handle, const tess__tiff_page *page,
                                    int64_t index)
{
    const tess__tiff_file *state = file->state;
    const int64_t          row = tess__tiff_row_bytes(&state->kind, page), height = state->kind.height;
    const int64_t          across = ((int64_t)state->kind.width + page->block_w - 1) / page->block_w;
    const int64_t          down = (height + page->block_h - 1) / page->block_h;
    const int64_t          n = across * down; /* below 2^62 */
    const int64_t          found = page->tiled ? TIFFNumberOfTiles(handle->tiff) : TIFFNumberOfStrips(handle->tiff);
    const char            *name = tess__source_name(file->source);
    TESS_CHECK(n <= found && found == n * (page->separate ? state->kind.samples : 1), TESS_EFORMAT,
               "open: %s: page %" PRId64 " has %" PRId64 " %s; %" PRId64 " are needed for each sample", name, index,
               found, page->tiled ? "tiles" : "strips", n);
    TESS_CHECK(row < (INT64_C(1) << 62) / page->block_h, TESS_EFORMAT,
               "open: %s: page %" PRId64 " has %s of %" PRIu32 " rows of %" PRId64 " bytes, more than there can be",
               name, index, page->tiled ? "tiles" : "strips", page->block_h, row);
    /* What is allocated for one call, whatever is missing of it. */
    const int64_t at_once = page->raw ? row : row * page->block_h, size = tess__source_size(file->source);
    TESS_CHECK(at_once / max_ratio_of(page->compression) <= size, TESS_EFORMAT,
               "open: %s: page %" PRId64 " has %s of %" PRIu32 " rows of %" PRId64 " bytes; the file has %" PRId64,
               name, index, page->tiled ? "tiles" : "strips", page->block_h, row, size);
    for (uint32_t i = 0; i < found; i++) {
        const int64_t first = (i / across) % down * page->block_h;
        const int64_t rows = page->tiled || height - first > page->block_h ? page->block_h : height - first;
        int           failed = 0;
        handle->message.text[0] = '\0';
        const block b = { .at = as_size(TIFFGetStrileOffsetWithErr(handle->tiff, i, &failed)),
                          .n = as_size(TIFFGetStrileByteCountWithErr(handle->tiff, i, &failed)),
                          .full = rows * row };
        if (handle->failed != TESS_OK) TESS_TRY(handle->failed);
        TESS_CHECK(!failed, TESS_EFORMAT,
                   "open: %s: page %" PRId64 " has no place or length of strip or tile %" PRIu32 "%s", name, index, i,
                   tess__tiff_said(&handle->message));
        if (file->opts.salvage) continue;
        TESS_TRY(check_block(file, page, index, i, &b));
        TESS_TRY(add_block(file, page, index, i, &b));
    }
    return TESS_OK;
}

/* ---- The size of a pixel ---- */

/* Resolutions are floats: of all sizes that come from the same float, the one with the fewest digits was meant. */
static double shortest(double unit, float resolution)
{
    const double size = unit / (double)resolution;
    const int    before = (int)floor(log10(size));
    for (int digits = 1; digits <= 8; digits++) {
        const int    k = digits - 1 - before;
        const double scale = pow(10, k < 0 ? -k : k);
        const double rounded = k < 0 ? nearbyint(size / scale) * scale : nearbyint(size * scale) / scale;
        if (rounded > 0 && (float)(unit / rounded) == resolution) return rounded;
    }
    return size;
}

static bool is_for_print(uint16_t unit, float resolution)
{
    const double inch = unit == RESUNIT_INCH ? (double)resolution : (double)resolution * 2.54;
    return fabs(inch - 72) < 0.01 || fabs(inch - 96) < 0.01 || fabs(inch - 300) < 0.01;
}

void tess__tiff_pixel_size(double size[2], tess__tiff_handle *handle)
{
    float    resolution[2] = { 0, 0 };
    uint16_t unit = RESUNIT_INCH;
    size[0] = size[1] = 0;
    (void)TIFFGetFieldDefaulted(handle->tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (unit != RESUNIT_INCH && unit != RESUNIT_CENTIMETER) return;
    if (!TIFFGetField(handle->tiff, TIFFTAG_XRESOLUTION, &resolution[1])) return;
    (void)TIFFGetField(handle->tiff, TIFFTAG_YRESOLUTION, &resolution[0]);
    if (resolution[0] == 0) resolution[0] = resolution[1]; /* as it is if there was none */
    for (int i = 0; i < 2; i++)
        if (isfinite(resolution[i]) && resolution[i] > 0 && !is_for_print(unit, resolution[i]))
            size[i] = shortest(unit == RESUNIT_INCH ? 2.54e8 : 1e8, resolution[i]);
}

#endif
