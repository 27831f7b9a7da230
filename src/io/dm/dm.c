/* DM3 and DM4 files (Gatan DigitalMicrograph): one image of the list in their tags. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "io/dm/images.h"
#include "io/dm/tags.h"
#include "io/file/byteswap.h"
#include "io/file/colour.h"
#include "io/text/length_unit.h"

enum { MAX_UNIT = 16 }; /* letters of a unit */

/* ---- Types ---- */

typedef struct type_info {
    int         type;  /* DigitalMicrograph's number */
    tess_dtype  dtype; /* of elements; NONE: it is not read */
    int         size;  /* bytes of an element in the file */
    const char *name;
} type_info;

static const type_info known_types[] = {
    { 1, TESS_I16, 2, "i16" },
    { 2, TESS_F32, 4, "f32" },
    { 3, TESS_C32, 8, "c32" },
    { 5, TESS_DTYPE_NONE, 4, "packed complex half transform" },
    { 6, TESS_U8, 1, "u8" },
    { 7, TESS_I32, 4, "i32" },
    { 8, TESS_U8, 4, "colours" },
    { 9, TESS_I8, 1, "i8" },
    { 10, TESS_U16, 2, "u16" },
    { 11, TESS_U32, 4, "u32" },
    { 12, TESS_F64, 8, "f64" },
    { 13, TESS_C64, 16, "c64" },
    { 14, TESS_BOOL, 1, "bool" },
    { 23, TESS_U8, 4, "colours" },
    { 27, TESS_DTYPE_NONE, 4, "packed complex half transform" },
    { 28, TESS_DTYPE_NONE, 8, "packed complex half transform" },
    { 39, TESS_I64, 8, "i64" },
    { 40, TESS_U64, 8, "u64" },
};

static const type_info *type_of(int64_t type)
{
    static const type_info unknown = { .name = "an unknown type" };
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++)
        if (known_types[i].type == type) return &known_types[i];
    return &unknown;
}

static bool is_colour(int64_t type) { return type == 8 || type == 23; }

/* Numbers, no colours. */
static bool is_numeric(int64_t type) { return type_of(type)->dtype != TESS_DTYPE_NONE && !is_colour(type); }

/* Colours are integers of 32 bits: blue is the lowest byte, then green and red. */
static void decode_grey(const unsigned char *row, int64_t first, int64_t n, void *elements, const tess_file *file)
{
    const unsigned char *from = row + 4 * first;
    const bool           big_endian = file->info.big_endian != 0;
    tess__grey(elements, from + (big_endian ? 1 : 2), from + (big_endian ? 2 : 1), from + (big_endian ? 3 : 0), 4, n,
               TESS_U8);
}

static void decode_bool(const unsigned char *row, int64_t first, int64_t n, void *elements, const tess_file *file)
{
    (void)file;
    bool *to = elements;
    for (int64_t i = 0; i < n; i++) to[i] = row[first + i] != 0;
}

/* ---- Which image ---- */

/* Is image a a better choice than b? Thumbnails are the last choice, then what is not read as numbers, then what the
 * document does not display, then smaller images; of equals the later one is taken: copies lie before it. */
static bool is_better(const tess__dm_image *a, const tess__dm_image *b)
{
    if (a->is_thumbnail != b->is_thumbnail) return !a->is_thumbnail;
    if (is_numeric(a->type) != is_numeric(b->type)) return is_numeric(a->type);
    if (a->is_shown != b->is_shown) return a->is_shown;
    const int64_t n_a = tess__dm_elements(a), n_b = tess__dm_elements(b);
    return n_a != n_b ? n_a > n_b : a->index > b->index;
}

/* Drop thumbnails where there is another image: what is left are the pages. */
static void drop_thumbnails(tess__dm_images *images)
{
    int64_t n = 0;
    for (int64_t i = 0; i < images->n; i++)
        if (!images->all[i].is_thumbnail) images->all[n++] = images->all[i];
    if (n > 0) images->n = n;
}

static tess_status choose(const tess__dm_image **chosen, tess_file *file, const tess__dm_images *images)
{
    const tess_read_opts *o = &file->opts;
    char                  found[24], used[24];
    TESS_CHECK(images->n > 0, TESS_EFORMAT, "open: %s: its tags have no image", file->path);
    TESS_CHECK(o->n_pages <= 1, TESS_EARG,
               "open: %s: `opts->n_pages` is %" PRId32 "; only one image of a dm file can be read", file->path,
               o->n_pages);
    TESS_CHECK(o->page < images->n, TESS_ERANGE,
               "open: %s: `opts->page` is %" PRId64 "; the file has images 0 to %" PRId64, file->path, o->page,
               images->n - 1);
    *chosen = &images->all[o->page < 0 ? 0 : o->page];
    if (o->page >= 0) return TESS_OK;
    for (int64_t i = 1; i < images->n; i++)
        if (is_better(&images->all[i], *chosen)) *chosen = &images->all[i];
    if (images->n == 1) return TESS_OK;
    (void)snprintf(found, sizeof found, "%" PRId64, images->n);
    (void)snprintf(used, sizeof used, "%" PRId64, (int64_t)(*chosen - images->all));
    tess__file_warn(file, TESS_ODD_FRAME, "ImageList", found, used,
                    "the file has %s images; number %s, counted from 0, is read (`opts->page` chooses another)", found,
                    used);
    return TESS_OK;
}

/* ---- The image ---- */

/* A letter of UTF-16 as UTF-8, at `to`; how many bytes. No unit has one of two halves. */
static size_t put_letter(char *to, unsigned letter)
{
    if (letter < 0x80) return to[0] = (char)letter, 1;
    const unsigned last = 0x80 | (letter & 63), middle = letter >> 6;
    if (letter < 0x800) return to[0] = (char)(0xc0 | middle), to[1] = (char)last, 2;
    return to[0] = (char)(0xe0 | middle >> 6), to[1] = (char)(0x80 | (middle & 63)), to[2] = (char)last, 3;
}

/* The Å of a unit whose name has n letters of UTF-16; 0: it is no length. */
static double unit_of(const tess_file *file, int64_t at, int64_t n)
{
    unsigned char bytes[2 * MAX_UNIT];
    char          text[3 * MAX_UNIT];
    int64_t       got = 0;
    size_t        length = 0;
    const int     high = file->info.big_endian ? 0 : 1;
    if (n < 1 || n > MAX_UNIT || tess__source_read(file->source, at, bytes, 2 * n, &got) != TESS_OK || got < 2 * n) {
        tess_error_clear();
        return 0;
    }
    for (int64_t i = 0; i < n; i++)
        length += put_letter(text + length, (unsigned)bytes[2 * i + high] << 8 | bytes[2 * i + !high]);
    return tess__length_unit(text, length);
}

static void take_pixel_size(tess_file *file, const tess__dm_image *m)
{
    for (int k = 0; k < 3; k++)
        file->info.meta.pixel_size[2 - k] =
            tess__length_in(m->scale[k], unit_of(file, m->unit_at[k], m->unit_length[k]));
}

/* Sections are images, as of a movie or a tilt series, unless there are volumes of them. */
static tess_status settle_shape(tess_file *file, const tess__dm_image *m)
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
static tess_status check_data(const tess_file *file, const tess__dm_image *m, int64_t size)
{
    const int64_t bytes = tess__dm_elements(m) * size;
    TESS_CHECK(bytes <= m->bytes, TESS_EFORMAT,
               "open: %s: image %" PRId64 " of its list has %" PRId64 " bytes; its sizes need %" PRId64, file->path,
               m->index, m->bytes, bytes);
    return TESS_OK;
}

static tess_status settle_type(tess_file *file, const tess__dm_image *m)
{
    const type_info *type = type_of(m->type);
    TESS_CHECK(type->dtype != TESS_DTYPE_NONE, TESS_EUNSUPPORTED,
               "open: %s: DigitalMicrograph type %" PRId64
               " (%s) is not supported; expected integers, floats, complex numbers or bool",
               file->path, m->type, type->name);
    TESS_CHECK(!is_colour(m->type) || file->opts.grey, TESS_EUNSUPPORTED,
               "open: %s: DigitalMicrograph type %" PRId64 " holds colours; `opts->grey` reads them as grey",
               file->path, m->type);
    if (is_colour(m->type))
        tess__file_warn(file, TESS_ODD_COLOUR, "DataType", "colour", "grey", "colours are read as grey");
    file->info.dtype = type->dtype;
    return TESS_OK;
}

static tess_status open_image(tess_file *file, const tess__dm_image *m)
{
    TESS_CHECK(m->n_dims <= TESS__DM_AXES, TESS_EUNSUPPORTED, "open: %s: image with more than %d axes", file->path,
               (int)TESS__DM_AXES);
    TESS_TRY(settle_type(file, m));
    TESS_TRY(settle_shape(file, m));
    const int64_t size = type_of(m->type)->size;
    TESS_TRY(check_data(file, m, size));
    take_pixel_size(file, m);
    file->info.data_offset = m->at;
    file->flat = (tess__flat){ .offset = m->at,
                               .axis = { 0, 1, 2, 3 },
                               .row_bytes = m->dims[0] * size,
                               .dtype = file->info.dtype,
                               .swapped = (file->info.big_endian != 0) == tess__is_little_endian(),
                               .reversed = !file->opts.keep_rows };
    if (is_colour(m->type)) file->flat.decode = decode_grey;
    if (file->info.dtype == TESS_BOOL) file->flat.decode = decode_bool;
    return TESS_OK;
}

static tess_status open_file(tess_file *file)
{
    tess__dm_images       images = { .n = 0 };
    const tess__dm_image *chosen = NULL;
    tess_status           status = TESS_OK;
    TESS_CHECK(tess__source_size(file->source) >= 0, TESS_EUNSUPPORTED,
               "open: %s: the file is compressed, which is not supported for DM files; decompress it first",
               file->path);
    TESS_GOTO(done, status, tess__dm_images_read(&images, file));
    drop_thumbnails(&images);
    TESS_GOTO(done, status, choose(&chosen, file, &images));
    TESS_GOTO(done, status, open_image(file, chosen));
done:
    tess__free(images.all);
    return status;
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
    .has_pages = true,
    .recognises = recognises,
    .open = open_file,
};
