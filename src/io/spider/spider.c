/* SPIDER files: images, volumes and stacks of either, of f32 in either byte order, behind headers of f32. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/file/byteswap.h"
#include "io/file/labels.h"
#include "io/file/numbers.h"
#include "io/spider/header.h"

static float word_of(const unsigned char *bytes, int k, bool big_endian)
{
    return tess__load_f32(bytes + 4 * k, big_endian);
}

/* ---- Recognition ---- */

/* There is no magic, but some words must agree: the form, the bytes of a record, which is a row, and those of the
 * header itself. */
static bool agrees(const unsigned char *bytes, bool big_endian)
{
    const float form = word_of(bytes, TESS__SPIDER_FORM, big_endian),
                columns = word_of(bytes, TESS__SPIDER_COLUMNS, big_endian);
    const float records = word_of(bytes, TESS__SPIDER_HEADER_RECORDS, big_endian);
    const float header = word_of(bytes, TESS__SPIDER_HEADER_BYTES, big_endian),
                row = word_of(bytes, TESS__SPIDER_RECORD_BYTES, big_endian);
    const bool known = form == 1 || form == 3 || form == -11 || form == -12 || form == -21 || form == -22;
    return known && columns >= 1 && columns <= TESS__SPIDER_MAX_COLUMNS && row == 4 * columns && records >= 1 &&
           header == records * row && header <= 1e9f;
}

static bool recognises(const unsigned char *bytes, int64_t n)
{
    return n >= 4 * TESS__SPIDER_WORDS && (agrees(bytes, false) || agrees(bytes, true));
}

/* ---- Opening ---- */

typedef struct header {
    float words[TESS__SPIDER_WORDS];
    bool  big_endian;
} header;

static tess_status read_header(header *h, const tess_file *file)
{
    unsigned char bytes[4 * TESS__SPIDER_WORDS];
    TESS_TRY(tess__source_read_all(file->source, 0, bytes, sizeof bytes, "the header"));
    h->big_endian = agrees(bytes, true);
    TESS_CHECK(h->big_endian || agrees(bytes, false), TESS_EFORMAT,
               "open: %s: not a SPIDER file: form, columns and header length are inconsistent in either byte order",
               file->path);
    for (int k = 0; k < TESS__SPIDER_WORDS; k++) h->words[k] = word_of(bytes, k, h->big_endian);
    return TESS_OK;
}

/* A size: a whole number from 1 to 2^24. */
static tess_status take_size(int64_t *size, const tess_file *file, const char *name, float word)
{
    TESS_CHECK(word >= 1 && word <= 0x1p24f && word == floorf(word), TESS_EFORMAT,
               "open: %s: the number of %s is %g; expected an integer from 1 to 16777216", file->path, name,
               (double)word);
    *size = (int64_t)word;
    return TESS_OK;
}

/* Sizes of the whole: images of a stack, slices, rows, columns. */
static tess_status take_sizes(int64_t sizes[4], const tess_file *file, const header *h)
{
    const float form = h->words[TESS__SPIDER_FORM], stack = h->words[TESS__SPIDER_STACK];
    TESS_CHECK(form == TESS__SPIDER_IMAGE || form == TESS__SPIDER_VOLUME, TESS_EUNSUPPORTED,
               "open: %s: SPIDER form %g, a Fourier transform, is not supported; expected an image (1) or a volume (3)",
               file->path, (double)form);
    TESS_CHECK(stack >= 0, TESS_EUNSUPPORTED,
               "open: %s: indexed SPIDER stacks (ISTACK %g) are not supported; expected a stack without an index",
               file->path, (double)stack);
    sizes[0] = 1;
    if (stack > 0) TESS_TRY(take_size(&sizes[0], file, "images", h->words[TESS__SPIDER_IMAGES]));
    TESS_TRY(take_size(&sizes[1], file, "slices", h->words[TESS__SPIDER_SLICES]));
    TESS_TRY(take_size(&sizes[2], file, "rows", h->words[TESS__SPIDER_ROWS]));
    TESS_TRY(take_size(&sizes[3], file, "columns", h->words[TESS__SPIDER_COLUMNS]));
    return TESS_OK;
}

/* The file says what sections are; opts.as may say otherwise unless they are those of several volumes. */
static tess_status settle_shape(tess_file *file, const int64_t sizes[4])
{
    tess_info_file *info = &file->info;
    const int       as = file->opts.as;
    const int64_t   n = sizes[0] * sizes[1];
    info->shape = TESS_SHAPE(sizes[0], sizes[1], sizes[2], sizes[3]);
    info->sections = sizes[1] == 1 ? TESS_AS_STACK : sizes[0] == 1 ? TESS_AS_VOLUME : TESS_AS_VOLUMES;
    if (!as || (as == info->sections && as != TESS_AS_VOLUMES)) return TESS_OK;
    if (as == TESS_AS_VOLUMES && file->opts.depth == sizes[1]) return TESS_OK;
    TESS_CHECK(info->sections != TESS_AS_VOLUMES && as != TESS_AS_VOLUMES, TESS_EARG,
               "open: %s: the file has %" PRId64 " images or volumes of %" PRId64
               " sections each; `opts->as` can only read one stack as a volume, or one volume as a stack",
               file->path, sizes[0], sizes[1]);
    info->sections = as;
    info->sections_rule = 1;
    info->shape.b = as == TESS_AS_STACK ? n : 1;
    info->shape.d = as == TESS_AS_STACK ? 1 : n;
    return TESS_OK;
}

static void fill_meta(tess_meta *meta, const header *h)
{
    const float pixel = h->words[TESS__SPIDER_PIXEL_SIZE], std = h->words[TESS__SPIDER_STD];
    for (int k = 0; k < 3; k++) meta->pixel_size[k] = isfinite(pixel) && pixel > 0 ? (double)pixel : 0;
    if (h->words[TESS__SPIDER_HAS_STATS] != 1 || h->words[TESS__SPIDER_STACK] > 0) return;
    meta->min = (double)h->words[TESS__SPIDER_MIN];
    meta->max = (double)h->words[TESS__SPIDER_MAX];
    meta->mean = (double)h->words[TESS__SPIDER_MEAN];
    meta->std = (double)std;
    meta->stats = TESS_STATS_MINMAX | TESS_STATS_MEAN | (std >= 0 ? TESS_STATS_STD : 0);
}

static tess_status settle_data(tess_file *file, const header *h, const int64_t sizes[4])
{
    const int64_t   header_bytes = (int64_t)h->words[TESS__SPIDER_HEADER_BYTES];
    const bool      is_stack = h->words[TESS__SPIDER_STACK] > 0;
    tess_info_file *info = &file->info;
    char            what[120];
    int64_t         bytes;
    (void)snprintf(what, sizeof what,
                   "%" PRId64 " x %" PRId64 " x %" PRId64 " x %" PRId64 " values of f32, with headers,", sizes[3],
                   sizes[2], sizes[1], sizes[0]);
    TESS_CHECK(tess__bytes_of(&bytes, sizes, 4, 4) && header_bytes * sizes[0] <= INT64_MAX / 4 - bytes, TESS_EFORMAT,
               "open: %s: %s are more bytes than a file can hold", file->path, what);
    TESS_TRY(tess__file_check_size(file, is_stack ? header_bytes : 0, header_bytes * sizes[0] + bytes, what));
    info->data_offset = header_bytes * (is_stack ? 2 : 1);
    /* Stacks that are read as a volume still have their gaps along the slowest axis of the file. */
    const bool is_turned = is_stack && info->sections == TESS_AS_VOLUME && sizes[0] > 1;
    file->flat = (tess__flat){ .offset = info->data_offset,
                               .axis = { is_turned ? 1 : 0, is_turned ? 0 : 1, 2, 3 },
                               .row_bytes = 4 * sizes[3],
                               .dtype = TESS_F32,
                               .swapped = h->big_endian == tess__is_little_endian(),
                               .gap = is_stack ? header_bytes : 0 };
    return TESS_OK;
}

/* A header may be shorter than the place of the title. */
static tess_status take_title(tess_file *file)
{
    char    title[160];
    int64_t n = 0;
    if (file->info.data_offset < 4 * TESS__SPIDER_MIN_WORDS) return TESS_OK;
    TESS_TRY(tess__source_read(file->source, 4 * TESS__SPIDER_TITLE, title, sizeof title, &n));
    tess__add_label(&file->info.meta, title, (int)n);
    return TESS_OK;
}

static tess_status open_file(tess_file *file)
{
    header  h;
    int64_t sizes[4] = { 0 };
    TESS_TRY(read_header(&h, file));
    TESS_TRY(take_sizes(sizes, file, &h));
    TESS_TRY(settle_shape(file, sizes));
    TESS_TRY(settle_data(file, &h, sizes));
    file->info.dtype = TESS_F32;
    file->info.big_endian = h.big_endian;
    file->info.stored[0] = sizes[3];
    file->info.stored[1] = sizes[2];
    file->info.stored[2] = sizes[0] * sizes[1];
    fill_meta(&file->info.meta, &h);
    TESS_TRY(take_title(file));
    return TESS_OK;
}

const tess__format tess__format_spider = {
    .name = "spider",
    .extensions = "spi xmp",
    .id = TESS_FORMAT_SPIDER,
    .evidence = TESS__BY_AGREEMENT,
    .whole_compression = true,
    .recognises = recognises,
    .open = open_file,
    .nearest = tess__spider_nearest,
    .start = tess__spider_start,
    .end = tess__spider_end,
    .head = tess__spider_head,
};
