/* SER files (FEI's TIA): a series of images or spectra, each with a header of its own, found by an array of offsets. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "io/file/byteswap.h"
#include "io/file/file.h"
#include "io/file/numbers.h"

enum {
    SPECTRA = 0x4120,
    IMAGES = 0x4122,
    WIDE = 0x0220,    /* the version from which offsets have 64 bits */
    START = 34,       /* bytes of the header before its dimensions, with such offsets */
    OF_SPECTRUM = 26, /* bytes before the data of an element */
    OF_IMAGE = 50
};

typedef struct series {
    int64_t  kind;    /* SPECTRA or IMAGES */
    int64_t  total;   /* elements that there is a place for */
    int64_t  n;       /* elements that are there */
    int64_t  offsets; /* where the array of offsets begins */
    int      width;   /* bytes of an offset */
    int64_t  first;   /* the first element that is read */
    int64_t *at;      /* where the data of each element that is read begin */
} series;

/* The header of an element. */
typedef struct element {
    int64_t    at; /* of the data */
    int64_t    columns, rows;
    tess_dtype dtype;
    double     delta[2]; /* between columns and rows */
} element;

/* ---- The header ---- */

static bool recognises(const unsigned char *bytes, int64_t n)
{
    return n >= 6 && memcmp(bytes, "II\x97\x01", 4) == 0 && bytes[5] == 0x02;
}

static tess_status read_header(series *s, const tess_file *file)
{
    unsigned char h[START];
    TESS_TRY(tess__source_read_all(file->source, 0, h, sizeof h, "the header"));
    const int version = (int)tess__load(h + 4, 2, false);
    TESS_CHECK(recognises(h, sizeof h), TESS_EFORMAT,
               "open: %s: not a SER file: expected the bytes 49 49 97 01 first, then version 0x0200 to 0x02ff",
               file->path);
    s->kind = tess__load_i32(h + 6, false);
    TESS_CHECK(s->kind == SPECTRA || s->kind == IMAGES, TESS_EUNSUPPORTED,
               "open: %s: series of kind 0x%" PRIx64 " is not supported; expected 0x4120 (spectra) or 0x4122 (images)",
               file->path, (uint64_t)s->kind);
    s->width = version >= WIDE ? 8 : 4;
    s->total = tess__load_i32(h + 14, false);
    s->n = tess__load_i32(h + 18, false);
    s->offsets = (int64_t)tess__load(h + 22, s->width, false);
    TESS_CHECK(s->total >= 0 && s->n >= 0 && s->n <= s->total, TESS_EFORMAT,
               "open: %s: the header says that %" PRId64 " of %" PRId64 " elements are valid", file->path, s->n,
               s->total);
    TESS_CHECK(s->n > 0, TESS_EFORMAT, "open: %s: the header says that 0 of %" PRId64 " elements are valid", file->path,
               s->total);
    const int64_t size = tess__source_size(file->source);
    TESS_CHECK(s->offsets >= START - 8 + s->width && s->offsets <= size && s->n <= (size - s->offsets) / s->width,
               TESS_EFORMAT,
               "open: %s: the offsets of %" PRId64 " elements begin at byte %" PRId64 "; the file has %" PRId64
               " bytes",
               file->path, s->n, s->offsets, size);
    return TESS_OK;
}

/* ---- Elements ---- */

static tess_dtype dtype_of(int type)
{
    static const tess_dtype dtypes[] = { TESS_DTYPE_NONE, TESS_U8,  TESS_U16, TESS_U32, TESS_I8, TESS_I16,
                                         TESS_I32,        TESS_F32, TESS_F64, TESS_C32, TESS_C64 };
    return type >= 0 && type < (int)(sizeof dtypes / sizeof *dtypes) ? dtypes[type] : TESS_DTYPE_NONE;
}

static tess_status read_element(element *e, const tess_file *file, const series *s, int64_t i)
{
    unsigned char h[OF_IMAGE], bytes[8];
    const bool    is_image = s->kind == IMAGES;
    const int     length = is_image ? OF_IMAGE : OF_SPECTRUM, type_at = is_image ? 40 : 20;
    const int64_t size = tess__source_size(file->source);
    TESS_TRY(tess__source_read_all(file->source, s->offsets + i * s->width, bytes, s->width, "an offset"));
    const int64_t at = (int64_t)tess__load(bytes, s->width, false);
    TESS_CHECK(at > 0 && at <= size - length, TESS_EFORMAT,
               "open: %s: element %" PRId64 " begins at byte %" PRId64 "; the file has %" PRId64 " bytes", file->path,
               i, at, size);
    TESS_TRY(tess__source_read_all(file->source, at, h, length, "an element"));
    const int type = (int)tess__load(h + type_at, 2, false);
    *e = (element){ .at = at + length,
                    .columns = tess__load_i32(h + type_at + 2, false),
                    .rows = is_image ? tess__load_i32(h + type_at + 6, false) : 1,
                    .dtype = dtype_of(type),
                    .delta = { tess__load_f64(h + 8, false), is_image ? tess__load_f64(h + 28, false) : 0 } };
    TESS_CHECK(e->dtype != TESS_DTYPE_NONE, TESS_EUNSUPPORTED,
               "open: %s: element %" PRId64 " has type %d; expected 1 to 10", file->path, i, type);
    TESS_CHECK(e->columns > 0 && e->rows > 0, TESS_EFORMAT,
               "open: %s: element %" PRId64 " has %" PRId64 " x %" PRId64 " pixels; expected 1 or more", file->path, i,
               e->columns, e->rows);
    return TESS_OK;
}

/* The data of an element must lie in the file, and n of them fit into it: they do not share bytes. */
static tess_status check_data(const tess_file *file, const element *e, int64_t i, int64_t n)
{
    const int64_t sizes[3] = { e->columns, e->rows, n }, size = tess__source_size(file->source);
    int64_t       bytes, all;
    const bool    possible = tess__bytes_of(&bytes, sizes, 2, tess__dtype_size(e->dtype)) &&
                          tess__bytes_of(&all, sizes, 3, tess__dtype_size(e->dtype));
    TESS_CHECK(possible && ((bytes <= size - e->at && all <= size) || (file->opts.salvage && all - bytes <= size)),
               TESS_EFORMAT,
               "open: %s: element %" PRId64 ", %" PRId64 " x %" PRId64 " of %s, does not fit into the file of %" PRId64
               " bytes beside %" PRId64 " others (`opts->salvage` reads what there is)",
               file->path, i, e->columns, e->rows, tess_dtype_name(e->dtype), size, n - 1);
    return TESS_OK;
}

/* With opts.salvage, elements behind damage are left out. */
static tess_status read_elements(element *head, tess_file *file, series *s, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        element     e;
        tess_status status = read_element(&e, file, s, s->first + i);
        if (status == TESS_OK) status = check_data(file, &e, s->first + i, n);
        if (status == TESS_EFORMAT && file->opts.salvage && i > 0) {
            tess__file_warn(file, TESS_ODD_FRAME, "elements", "", "", "elements from %" PRId64 " on are skipped: %.90s",
                            s->first + i, tess_error_message());
            tess_error_clear();
            s->n = i;
            return TESS_OK;
        }
        TESS_TRY(status);
        if (i == 0) *head = e;
        TESS_CHECK(e.columns == head->columns && e.rows == head->rows && e.dtype == head->dtype, TESS_EUNSUPPORTED,
                   "open: %s: element %" PRId64 " is %" PRId64 " x %" PRId64 " of %s, but the first is %" PRId64
                   " x %" PRId64 " of %s; `opts->page` reads one of them",
                   file->path, s->first + i, e.columns, e.rows, tess_dtype_name(e.dtype), head->columns, head->rows,
                   tess_dtype_name(head->dtype));
        s->at[i] = e.at;
    }
    s->n = n;
    return TESS_OK;
}

/* ---- Opening ---- */

static tess_status choose_elements(int64_t *n, tess_file *file, series *s)
{
    const tess_read_opts *o = &file->opts;
    char                  found[24], used[24];
    const int64_t         first = o->page < 0 ? 0 : o->page;
    TESS_CHECK(first < s->n, TESS_ERANGE, "open: %s: `opts->page` is %" PRId64 "; the file has elements 0 to %" PRId64,
               file->path, first, s->n - 1);
    TESS_CHECK(o->n_pages <= s->n - first, TESS_ERANGE,
               "open: %s: `opts->n_pages` is %" PRId32 "; the file has %" PRId64 " elements from %" PRId64 " on",
               file->path, o->n_pages, s->n - first, first);
    s->first = first;
    *n = o->n_pages ? o->n_pages : s->n - first;
    if (s->n == s->total) return TESS_OK;
    (void)snprintf(found, sizeof found, "%" PRId64, s->total);
    (void)snprintf(used, sizeof used, "%" PRId64, s->n);
    tess__file_warn(file, TESS_ODD_FRAME, "ValidNumberElements", found, used,
                    "the header plans %s elements; the file has %s", found, used);
    return TESS_OK;
}

/* Metres between pixels, where they are that: diffraction patterns have numbers beyond 1. */
static double angstroms(double delta) { return isfinite(delta) && delta > 0 && delta < 1e-3 ? delta * 1e10 : 0; }

static tess_status settle_info(tess_file *file, const series *s, const element *head)
{
    tess_info_file *info = &file->info;
    info->dtype = head->dtype;
    info->shape = TESS_SHAPE(1, 1, head->rows, head->columns);
    TESS_TRY(tess__file_take_sections(file, s->n, 1));
    info->stored[0] = head->columns;
    info->stored[1] = head->rows;
    info->stored[2] = s->n;
    if (s->kind == IMAGES) {
        info->meta.pixel_size[1] = angstroms(head->delta[1]);
        info->meta.pixel_size[2] = angstroms(head->delta[0]);
    }
    file->flat = (tess__flat){ .axis = { 0, 1, 2, 3 },
                               .row_bytes = head->columns * tess__dtype_size(head->dtype),
                               .dtype = head->dtype,
                               .swapped = !tess__is_little_endian() };
    return TESS_OK;
}

static tess_status open_file(tess_file *file)
{
    element head = { .at = 0 };
    int64_t n = 0;
    series *s = tess__alloc(sizeof *s);
    TESS_CHECK(s, TESS_ENOMEM, "open: %s: no memory to open a series", file->path);
    *s = (series){ .at = NULL };
    file->state = s;
    TESS_CHECK(tess__source_size(file->source) >= 0, TESS_EUNSUPPORTED,
               "open: %s: the file is compressed, which is not supported for SER files; decompress it first",
               file->path);
    TESS_TRY(read_header(s, file));
    TESS_TRY(choose_elements(&n, file, s));
    s->at = tess__alloc((size_t)n * sizeof *s->at);
    TESS_CHECK(s->at, TESS_ENOMEM, "open: %s: no memory for %" PRId64 " offsets", file->path, n);
    TESS_TRY(read_elements(&head, file, s, n));
    TESS_TRY(settle_info(file, s, &head));
    return TESS_OK;
}

static void close_file(tess_file *file)
{
    series *s = file->state;
    if (s) tess__free(s->at);
    tess__free(s);
}

/* ---- Reading ---- */

/* Element by element: the data of each are flat. */
static tess_status read_region(tess_file *file, const tess__file_region *region, const tess_array *out)
{
    const series     *s = file->state;
    const int64_t     size = tess__dtype_size(out->dtype);
    tess_file         one = *file;
    tess__file_region part = *region;
    tess_array        to = *out;
    one.info.shape.b = one.info.shape.d = to.shape.b = to.shape.d = 1;
    for (int k = 0; k < 2; k++) part.from[k] = 0, part.step[k] = 1, part.n[k] = 1;
    for (int64_t i = 0; i < region->n[0] * region->n[1]; i++) {
        const int64_t b = i / region->n[1], d = i % region->n[1];
        const int64_t image =
            (region->from[0] + b * region->step[0]) * file->info.shape.d + region->from[1] + d * region->step[1];
        to.data = (char *)out->data + (b * out->strides.b + d * out->strides.d) * size;
        one.flat.offset = s->at[image];
        TESS_TRY(tess__flat_read(&one, &part, &to));
    }
    return TESS_OK;
}

const tess__format tess__format_ser = {
    .name = "ser",
    .extensions = "ser",
    .id = TESS_FORMAT_SER,
    .has_pages = true,
    .recognises = recognises,
    .open = open_file,
    .read_region = read_region,
    .close = close_file,
};
