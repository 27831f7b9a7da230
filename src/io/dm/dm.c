/* DM3 and DM4 files (Gatan DigitalMicrograph): the largest image of the list in their tags; others are thumbnails. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "io/dm/tags.h"
#include "io/file/byteswap.h"

enum { MAX_DIMS = 4, MAX_UNIT = 8 };

/* An entry of the list of images. */
typedef struct image {
    int64_t index; /* in the list */
    int64_t type;  /* DigitalMicrograph's number */
    int64_t dims[MAX_DIMS];
    int     n_dims;
    int64_t at, bytes; /* the data */
    double  scale[MAX_DIMS];
    int64_t unit_at[MAX_DIMS], unit_length[MAX_DIMS]; /* texts of 16 bits a letter */
} image;

typedef struct search {
    image current, largest;
} search;

/* ---- Tags ---- */

static int64_t elements_of(const image *m)
{
    int64_t n = 1;
    if (m->n_dims == 0 || m->bytes == 0) return 0;
    for (int k = 0; k < m->n_dims && k < MAX_DIMS; k++) {
        if (m->dims[k] < 1 || n > INT64_MAX / 64 / m->dims[k]) return 0;
        n *= m->dims[k];
    }
    return n;
}

/* The last of those that are as large is kept: copies lie before it. */
static void keep_larger(search *s)
{
    if (elements_of(&s->current) >= elements_of(&s->largest)) s->largest = s->current;
}

static bool is_named(const tess__dm_tag *tag, int level, const char *name)
{
    return level < tag->depth && strcmp(tag->path[level].name, name) == 0;
}

static int64_t whole_of(double value) { return value >= 0 && value <= 0x1p53 ? (int64_t)value : -1; }

/* Calibrations/Dimension/K/Scale or Units. */
static void take_calibration(image *m, const tess__dm_tag *tag)
{
    if (tag->depth != 7 || !is_named(tag, 4, "Dimension")) return;
    const int64_t k = tag->path[5].index;
    if (k >= MAX_DIMS) return;
    if (is_named(tag, 6, "Scale") && !tag->is_array) m->scale[k] = tag->number;
    if (is_named(tag, 6, "Units") && tag->is_array && tag->type == TESS__DM_U16) {
        m->unit_at[k] = tag->at;
        m->unit_length[k] = tag->count;
    }
}

/* ImageList/I/ImageData/… */
static void visit(void *context, const tess__dm_tag *tag)
{
    search *s = context;
    image  *m = &s->current;
    if (!is_named(tag, 0, "ImageList") || !is_named(tag, 2, "ImageData") || tag->depth < 4) return;
    if (tag->path[1].index != m->index) {
        keep_larger(s);
        *m = (image){ .index = tag->path[1].index };
    }
    if (is_named(tag, 3, "Calibrations")) take_calibration(m, tag);
    if (is_named(tag, 3, "DataType") && tag->depth == 4) m->type = whole_of(tag->number);
    if (is_named(tag, 3, "Data") && tag->depth == 4 && tag->is_array) {
        m->at = tag->at;
        m->bytes = tag->count * tag->size;
    }
    if (is_named(tag, 3, "Dimensions") && tag->depth == 5 && !tag->is_array) {
        const int64_t k = tag->path[4].index;
        if (k < MAX_DIMS) m->dims[k] = whole_of(tag->number);
        if (k >= m->n_dims) m->n_dims = (int)(k < MAX_DIMS ? k + 1 : MAX_DIMS + 1);
    }
}

/* ---- The image ---- */

static tess_dtype dtype_of(int64_t type)
{
    static const struct {
        int        type;
        tess_dtype dtype;
    } known[] = {
        { 1, TESS_I16 },  { 2, TESS_F32 },  { 3, TESS_C32 },  { 6, TESS_U8 },   { 7, TESS_I32 }, { 9, TESS_I8 },
        { 10, TESS_U16 }, { 11, TESS_U32 }, { 12, TESS_F64 }, { 13, TESS_C64 }, { 14, TESS_U8 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].type == type) return known[i].dtype;
    return TESS_DTYPE_NONE;
}

/* Ångström of a unit of length; 0: it is none. */
static double unit_of(const tess_file *file, int64_t at, int64_t n)
{
    static const struct {
        const char *name;
        double      size;
    } units[] = { { "nm", 10 }, { "um", 1e4 }, { "\xb5m", 1e4 }, { "\xbcm", 1e4 },
                  { "A", 1 },   { "\xc5", 1 }, { "pm", 0.01 },   { "m", 1e10 } };
    unsigned char bytes[2 * MAX_UNIT];
    char          text[MAX_UNIT + 1] = { 0 };
    int64_t       got = 0;
    if (n < 1 || n > MAX_UNIT || tess__source_read(file->source, at, bytes, 2 * n, &got) != TESS_OK || got < 2 * n) {
        tess_error_clear();
        return 0;
    }
    /* Of letters beyond ASCII the low byte is enough: micro, mu and Å. */
    for (int64_t i = 0; i < n; i++) text[i] = (char)bytes[2 * i + (file->info.big_endian ? 1 : 0)];
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text, units[i].name) == 0) return units[i].size;
    return 0;
}

static void take_pixel_size(tess_file *file, const image *m)
{
    for (int k = 0; k < 3; k++) {
        const double size = m->scale[k] * unit_of(file, m->unit_at[k], m->unit_length[k]);
        file->info.meta.pixel_size[2 - k] = isfinite(size) && size > 0 ? size : 0;
    }
}

/* Sections are images, as of a movie or a tilt series, unless there are volumes of them. */
static tess_status settle_shape(tess_file *file, const image *m)
{
    tess_info_file *info = &file->info;
    const int64_t   h = m->n_dims > 1 ? m->dims[1] : 1, third = m->n_dims > 2 ? m->dims[2] : 1;
    const int64_t   n = third * (m->n_dims > 3 ? m->dims[3] : 1);
    info->shape = TESS_SHAPE(1, 1, h, m->dims[0]);
    info->stored[0] = m->dims[0];
    info->stored[1] = h;
    info->stored[2] = n;
    TESS_TRY(tess__file_take_sections(file, n, m->n_dims > 3 ? third : 1));
    return TESS_OK;
}

/* The elements must lie in their tag; that this lies in the file is known. */
static tess_status check_data(const tess_file *file, const image *m)
{
    const int64_t bytes = elements_of(m) * tess__dtype_size(file->info.dtype);
    TESS_CHECK(bytes <= m->bytes, TESS_EFORMAT,
               "open: %s: image %" PRId64 " of its list has %" PRId64 " bytes; its sizes need %" PRId64, file->path,
               m->index, m->bytes, bytes);
    return TESS_OK;
}

static tess_status open_file(tess_file *file)
{
    search       s = { .current = { .index = -1 }, .largest = { .index = -1 } };
    const image *m = &s.largest;
    TESS_CHECK(tess__source_size(file->source) >= 0, TESS_EUNSUPPORTED,
               "open: %s: a dm file that is compressed as a whole; decompress it first", file->path);
    TESS_TRY(tess__dm_walk(file, visit, &s));
    keep_larger(&s);
    TESS_CHECK(elements_of(m) > 0, TESS_EFORMAT, "open: %s: its tags have no image", file->path);
    TESS_CHECK(m->n_dims <= MAX_DIMS, TESS_EUNSUPPORTED, "open: %s: an image of more than %d axes", file->path,
               (int)MAX_DIMS);
    file->info.dtype = dtype_of(m->type);
    TESS_CHECK(file->info.dtype != TESS_DTYPE_NONE, TESS_EUNSUPPORTED,
               "open: %s: its elements are of DigitalMicrograph's type %" PRId64
               "; 1, 2, 3, 6, 7 and 9 to 14 are read (real and complex numbers, no colours)",
               file->path, m->type);
    TESS_TRY(settle_shape(file, m));
    TESS_TRY(check_data(file, m));
    take_pixel_size(file, m);
    file->info.data_offset = m->at;
    file->flat = (tess__flat){ .offset = m->at,
                               .axis = { 0, 1, 2, 3 },
                               .row_bytes = m->dims[0] * tess__dtype_size(file->info.dtype),
                               .dtype = file->info.dtype,
                               .swapped = (file->info.big_endian != 0) == tess__is_little_endian(),
                               .reversed = !file->opts.keep_rows };
    return TESS_OK;
}

/* A version alone could be the width of a big-endian MRC file: the first tag is a group or a value, too. */
static bool recognises(const unsigned char *bytes, int64_t n)
{
    const int version = tess__dm_version(bytes, n), first_tag = version == 4 ? 26 : 18;
    return version != 0 && n > first_tag && (bytes[first_tag] == 20 || bytes[first_tag] == 21);
}

const tess__format tess__format_dm = {
    .name = "dm",
    .extensions = "dm3 dm4",
    .id = TESS_FORMAT_DM,
    .evidence = TESS__BY_AGREEMENT,
    .recognises = recognises,
    .open = open_file,
};
