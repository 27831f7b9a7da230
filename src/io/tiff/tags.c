/* TIFF tags of pages: sample format, layout in strips or tiles, checks against the file, pixel size. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include <inttypes.h>
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
               "open: %s: page %" PRId64
               " has compression %u: this is a frame of an EER movie; read it with format eer",
               name, page, (unsigned)compression);
    TESS_CHECK(TIFFIsCODECConfigured(compression) == 1, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has compression %u (%s), which this libtiff does not support", name, page,
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
        { 1, SAMPLEFORMAT_UINT, TESS_U8 },
        { 2, SAMPLEFORMAT_UINT, TESS_U8 },
        { 4, SAMPLEFORMAT_UINT, TESS_U8 },
        { 8, SAMPLEFORMAT_UINT, TESS_U8 },
        { 10, SAMPLEFORMAT_UINT, TESS_U16 },
        { 12, SAMPLEFORMAT_UINT, TESS_U16 },
        { 14, SAMPLEFORMAT_UINT, TESS_U16 },
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

void tess__tiff_sample_type(tess__tiff_kind *kind, TIFF *tiff)
{
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &kind->bits);
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &kind->format);
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &kind->samples);
    if (kind->format == SAMPLEFORMAT_VOID) kind->format = SAMPLEFORMAT_UINT;
    kind->dtype = dtype_of(kind->bits, kind->format);
}

static tess_status read_samples(tess__tiff_kind *kind, TIFF *tiff, const char *name, int64_t page)
{
    tess__tiff_sample_type(kind, tiff);
    TESS_CHECK(kind->dtype, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64
               " has samples of %u bits, format %u (%s); expected unsigned integers of 1, 2, 4, 8, 10, 12, 14, 16, 32 "
               "or 64 bits, integers of 8 to 64, floats of 16 to 64, or complex floats of 64 or 128",
               name, page, (unsigned)kind->bits, (unsigned)kind->format, format_name(kind->format));
    return TESS_OK;
}

/* Colours that libtiff converts to red, green and blue. */
static bool is_converted(const tess__tiff_kind *kind, uint16_t compression)
{
    if (kind->photometric == PHOTOMETRIC_SEPARATED) return kind->samples == 4 && kind->bits != 16;
    if (kind->photometric == PHOTOMETRIC_YCBCR) return kind->samples == 3 && compression != COMPRESSION_JPEG;
    return kind->photometric == PHOTOMETRIC_CIELAB && kind->samples == 3;
}

static tess_status check_converted(const tess__tiff_kind *kind, TIFF *tiff, const char *name, int64_t page)
{
    char why[1024] = "";
    TESS_CHECK(kind->dtype == TESS_U8 && kind->bits == 8 && TIFFRGBAImageOK(tiff, why) == 1, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64
               " has colours of photometric interpretation %u and %u bits; expected 8 bits, or CMYK of 16%s%.100s",
               name, page, (unsigned)kind->photometric, (unsigned)kind->bits, why[0] ? ": " : "", why);
    return TESS_OK;
}

static tess_status read_colours(tess__tiff_kind *kind, TIFF *tiff, const tess__tiff_page *page, const char *name)
{
    uint16_t  n_extra = 0;
    uint16_t *extra = NULL;
    kind->photometric = PHOTOMETRIC_MINISBLACK;
    (void)TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &kind->photometric);
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &n_extra, &extra);
    /* libtiff counts every sample beyond the colours as extra; with grey it must be declared as alpha. */
    kind->alpha = n_extra == 1 && (kind->samples == 4 || (kind->samples == 2 && extra[0] != EXTRASAMPLE_UNSPECIFIED));
    kind->rgba = is_converted(kind, page->compression);
    if (kind->rgba) return check_converted(kind, tiff, name, page->number);
    const int  colours = kind->samples - kind->alpha;
    const bool inks = kind->photometric == PHOTOMETRIC_SEPARATED && kind->dtype == TESS_U16 && colours == 4;
    const bool grey = kind->photometric <= PHOTOMETRIC_MINISBLACK || kind->photometric == PHOTOMETRIC_MASK;
    TESS_CHECK(inks || (colours == 1 && (grey || kind->photometric == PHOTOMETRIC_PALETTE)) ||
                   (colours == 3 && (kind->photometric == PHOTOMETRIC_RGB || kind->photometric == PHOTOMETRIC_YCBCR)),
               TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has %u samples per pixel of photometric interpretation %u; expected one "
               "(grey, palette), three (RGB, YCbCr, CIE L*a*b*) or four (CMYK)",
               name, page->number, (unsigned)kind->samples, (unsigned)kind->photometric);
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
    TESS_CHECK(kind->photometric != PHOTOMETRIC_SEPARATED || kind->bits == 8 || !page->separate, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64
               " has CMYK of 16 bits in separate planes; only interleaved samples are supported",
               name, index);
    page->raw = page->compression == COMPRESSION_NONE && fill == FILLORDER_MSB2LSB && !page->separate && !kind->rgba;
    page->block_w = kind->width;
    page->block_h = kind->height;
    if (page->tiled) {
        (void)TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &page->block_w);
        (void)TIFFGetField(tiff, TIFFTAG_TILELENGTH, &page->block_h);
    } else if (TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows) && rows < kind->height) page->block_h = rows;
    TESS_CHECK(page->block_w > 0 && page->block_h > 0 && page->block_w <= INT32_MAX && page->block_h <= INT32_MAX,
               TESS_EFORMAT, "open: %s: page %" PRId64 " has %s of %" PRIu32 " x %" PRIu32 "; expected 1 x 1 or more",
               name, index, page->tiled ? "tiles" : "strips", page->block_w, page->block_h);
    return TESS_OK;
}

tess_status tess__tiff_tags(tess__tiff_kind *kind, tess__tiff_page *page, tess__tiff_handle *handle)
{
    const char   *name = tess__source_name(handle->source);
    TIFF         *tiff = handle->tiff;
    const int64_t index = page->number;
    *kind = (tess__tiff_kind){ .width = 0 };
    page->compression = COMPRESSION_NONE;
    (void)TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &kind->width);
    (void)TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &kind->height);
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &page->compression);
    (void)TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &kind->orientation);
    TESS_CHECK(kind->width > 0 && kind->height > 0 && kind->width <= INT32_MAX && kind->height <= INT32_MAX,
               TESS_EFORMAT, "open: %s: page %" PRId64 " is %" PRIu32 " x %" PRIu32 "; expected 1 x 1 or more", name,
               index, kind->width, kind->height);
    TESS_TRY(check_codec(page->compression, name, index));
    TESS_TRY(read_samples(kind, tiff, name, index));
    TESS_TRY(read_colours(kind, tiff, page, name));
    TESS_TRY(read_blocks(page, kind, tiff, name, index));
    return TESS_OK;
}

tess_status tess__tiff_alike(const tess__tiff_file *state, const tess__tiff_kind *other, const tess__tiff_page *page,
                             const char *name)
{
    const tess__tiff_kind *first = &state->kind;
    const int64_t          index = page->number, before = state->pages[0].number;
    TESS_CHECK(first->width == other->width && first->height == other->height, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " is %" PRIu32 " x %" PRIu32 " and page %" PRId64 " is %" PRIu32 " x %" PRIu32
               "; pages that are read together must have one size",
               name, index, other->width, other->height, before, first->width, first->height);
    TESS_CHECK(first->bits == other->bits && first->dtype == other->dtype, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has %s of %u bits and page %" PRId64
               " %s of %u; pages that are read together must have one type",
               name, index, format_name(other->format), (unsigned)other->bits, before, format_name(first->format),
               (unsigned)first->bits);
    TESS_CHECK(first->samples == other->samples && first->photometric == other->photometric &&
                   first->alpha == other->alpha && first->rgba == other->rgba,
               TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has %u samples per pixel of photometric interpretation %u and page %" PRId64
               " %u of %u; pages that are read together must have one type",
               name, index, (unsigned)other->samples, (unsigned)other->photometric, before, (unsigned)first->samples,
               (unsigned)first->photometric);
    TESS_CHECK(first->orientation == other->orientation, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has orientation %u and page %" PRId64
               " %u; pages that are read together must be alike",
               name, index, (unsigned)other->orientation, before, (unsigned)first->orientation);
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
               " bytes; the file has %" PRId64 ", and pages must not share bytes",
               tess__source_name(file->source), index, page->tiled ? "tile" : "strip", i, state->stored, n, size);
    state->stored += n;
    return TESS_OK;
}

static int64_t as_size(uint64_t value) { return value > INT64_MAX ? -1 : (int64_t)value; }

tess_status tess__tiff_check_blocks(tess_file *file, tess__tiff_handle *handle, const tess__tiff_page *page)
{
    const tess__tiff_file *state = file->state;
    const int64_t          index = page->number;
    const int64_t          row = tess__tiff_row_bytes(&state->kind, page), height = state->kind.height;
    const int64_t          across = ((int64_t)state->kind.width + page->block_w - 1) / page->block_w;
    const int64_t          down = (height + page->block_h - 1) / page->block_h;
    const int64_t          n = across * down; /* below 2^62 */
    const int64_t          found = page->tiled ? TIFFNumberOfTiles(handle->tiff) : TIFFNumberOfStrips(handle->tiff);
    const char            *name = tess__source_name(file->source);
    TESS_CHECK(n <= found && found == n * (page->separate ? state->kind.samples : 1), TESS_EFORMAT,
               "open: %s: page %" PRId64 " has %" PRId64 " %s; expected %" PRId64 " per sample", name, index, found,
               page->tiled ? "tiles" : "strips", n);
    TESS_CHECK(row < (INT64_C(1) << 62) / page->block_h, TESS_EFORMAT,
               "open: %s: page %" PRId64 " has %s of %" PRIu32 " rows of %" PRId64 " bytes, which is too many", name,
               index, page->tiled ? "tiles" : "strips", page->block_h, row);
    /* What is allocated for one call, whatever is missing of it. */
    const int64_t at_once = page->raw ? row : row * page->block_h, size = tess__source_size(file->source);
    TESS_CHECK(at_once / max_ratio_of(page->compression) <= size, TESS_EFORMAT,
               "open: %s: page %" PRId64 " has %s of %" PRIu32 " rows of %" PRId64 " bytes; the file has %" PRId64,
               name, index, page->tiled ? "tiles" : "strips", page->block_h, row, size);
    const bool subsampled = state->kind.photometric == PHOTOMETRIC_YCBCR; /* the brightness is there of each pixel */
    for (uint32_t i = 0; i < found; i++) {
        const int64_t first = (i / across) % down * page->block_h;
        const int64_t rows = page->tiled || height - first > page->block_h ? page->block_h : height - first;
        int           failed = 0;
        handle->message.text[0] = '\0';
        const block b = { .at = as_size(TIFFGetStrileOffsetWithErr(handle->tiff, i, &failed)),
                          .n = as_size(TIFFGetStrileByteCountWithErr(handle->tiff, i, &failed)),
                          .full = subsampled ? rows * page->block_w : rows * row };
        if (handle->failed != TESS_OK) TESS_TRY(handle->failed);
        TESS_CHECK(!failed, TESS_EFORMAT,
                   "open: %s: page %" PRId64 " lacks the offset or length of strip or tile %" PRIu32 "%s", name, index,
                   i, tess__tiff_said(&handle->message));
        if (file->opts.salvage) continue;
        TESS_TRY(check_block(file, page, index, i, &b));
        TESS_TRY(add_block(file, page, index, i, &b));
    }
    return TESS_OK;
}

#endif
