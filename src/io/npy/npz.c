/* NPZ files: arrays of NumPy's in a ZIP archive, stored or deflated. */
#include "io/npy/npz.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/device/stream.h"
#include "io/file/byteswap.h"
#include "io/file/tiles.h"
#include "io/npy/npy.h"

enum { TILE_BYTES = 1 << 20 /* bytes decompressed at a time */, MAX_LIST = 240 /* bytes of names in a message */ };

/* Of an open file. */
typedef struct archive {
    tess__zip              *zip;
    const tess__zip_member *member;
    int64_t                 offset;   /* of the member's bytes in the file */
    tess__inflater         *inflater; /* of a deflated member */
    tess__npy               npy;
    bool                    checked;  /* the checksum of a stored member was compared */
    tess__source           *outer;    /* the file, when file->source is what was decompressed */
    tess_array              unpacked; /* a deflated array in Fortran order, as bytes */
} archive;

/* ---- Members by name ---- */

/* Bytes of a member's name without ".npy"; -1: it is no array. */
static int array_name(const tess__zip_member *m)
{
    const size_t n = strlen(m->name);
    return n > 4 && n < 200000 && strcmp(m->name + n - 4, ".npy") == 0 ? (int)n - 4 : -1;
}

/* "a, b, c". */
static const char *list_names(const tess__zip *zip, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int64_t i = 0; i < zip->n_members; i++) {
        const int n = array_name(&zip->members[i]);
        if (n < 0) continue;
        if (used + (size_t)n + 8 > size) {
            (void)snprintf(text + used, size - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? ", " : "", n, zip->members[i].name);
    }
    return text;
}

/* The last one of a name, as Python does: of those without ".npy", as they are listed, or else of those with it. */
static const tess__zip_member *find_text(const tess__zip *zip, const char *name)
{
    const tess__zip_member *whole = NULL;
    for (int64_t i = zip->n_members - 1; i >= 0; i--) {
        const tess__zip_member *m = &zip->members[i];
        const int               n = array_name(m);
        if (n >= 0 && (size_t)n == strlen(name) && strncmp(m->name, name, (size_t)n) == 0) return m;
        if (!whole && strcmp(m->name, name) == 0) whole = m;
    }
    return whole;
}

/* A member by its name as it is listed, or as it is in the file. */
static tess_status find_member(const tess__zip_member **found, const tess__zip *zip, const char *name)
{
    const char  *file_name = tess__source_name(zip->source);
    const size_t n = strlen(name);
    char         names[MAX_LIST], *encoded = n < SIZE_MAX / 4 ? tess__alloc(3 * n + 1) : NULL;
    TESS_CHECK(encoded, TESS_ENOMEM, "open: %s: no memory for the name of a member", file_name);
    (void)tess__zip_copy_name(encoded, (const unsigned char *)name, (int64_t)n);
    *found = find_text(zip, name);
    if (!*found) *found = find_text(zip, encoded);
    const tess_status status =
        *found ? TESS_OK
               : tess__fail(TESS_EARG, __FILE__, __LINE__, __func__, "open: %s has no array '%.60s'; it has %s",
                            file_name, encoded, list_names(zip, names, sizeof names));
    tess__free(encoded);
    return status;
}

static tess_status choose_member(const tess_file *file, archive *a)
{
    const char *file_name = tess__source_name(file->source), *wanted = file->opts.member;
    char        names[MAX_LIST];
    int64_t     n = 0;
    for (int64_t i = 0; i < a->zip->n_members; i++)
        if (array_name(&a->zip->members[i]) >= 0) n++, a->member = &a->zip->members[i];
    TESS_CHECK(n > 0, TESS_EFORMAT, "open: %s: the archive holds no array: no member ends in .npy", file_name);
    TESS_CHECK(n == 1 || wanted, TESS_EARG,
               "open: %s has %" PRId64 " arrays; choose one with `member|opts->member or `%s:NAME: %s", file_name, n,
               file_name, list_names(a->zip, names, sizeof names));
    if (!wanted) return TESS_OK;
    TESS_TRY(find_member(&a->member, a->zip, wanted));
    return TESS_OK;
}

/* ---- Opening ---- */

static bool recognises(const unsigned char *bytes, int64_t n)
{
    return n >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

/* Bytes of the member, decompressed. */
static tess_status read_member(const tess_file *file, archive *a, int64_t offset, void *bytes, int64_t n)
{
    if (a->inflater) TESS_TRY(tess__inflater_read(a->inflater, offset, bytes, n));
    else TESS_TRY(tess__source_read_all(file->source, a->offset + offset, bytes, n, "an array"));
    return TESS_OK;
}

static tess_status read_header(const tess_file *file, archive *a, const char *name)
{
    const int64_t size = a->member->size, n = size < TESS__NPY_START ? size : TESS__NPY_START;
    unsigned char start[TESS__NPY_START];
    int64_t       length;
    TESS_TRY(read_member(file, a, 0, start, n));
    TESS_TRY(tess__npy_length(&length, name, start, n));
    TESS_CHECK(length <= size, TESS_EFORMAT,
               "open: %s: the NPY header claims %" PRId64 " bytes; the member has %" PRId64, name, length, size);
    unsigned char *bytes = tess__alloc((size_t)length);
    TESS_CHECK(bytes, TESS_ENOMEM, "open: %s: no memory for a header of %" PRId64 " bytes", name, length);
    tess_status status = read_member(file, a, 0, bytes, length);
    if (status == TESS_OK) status = tess__npy_parse(&a->npy, name, bytes, length);
    tess__free(bytes);
    TESS_TRY(status);
    return TESS_OK;
}

static int64_t bytes_needed(const archive *a) { return a->npy.data_offset + a->npy.data_size; }

static tess_status check_length(tess_file *file, const archive *a, const char *name)
{
    const int64_t needed = bytes_needed(a), size = a->member->size;
    char          found[32], used[32];
    TESS_CHECK(needed <= size || file->opts.salvage, TESS_EFORMAT,
               "open: %s: a header and its array need %" PRId64 " bytes; the member has %" PRId64, name, needed, size);
    if (needed >= size || a->member->cut) return TESS_OK;
    (void)snprintf(found, sizeof found, "%" PRId64, size);
    (void)snprintf(used, sizeof used, "%" PRId64, needed);
    tess__file_warn(file, TESS_ODD_LENGTH, "size", found, used,
                    "the member has %" PRId64 " bytes, %" PRId64 " more than its array needs", size, size - needed);
    return TESS_OK;
}

static const tess__format deflated_format;

/* The member that is wanted, by the directory or, if `scan`, without it. */
static tess_status find_array(const tess_file *file, archive *a, bool scan)
{
    TESS_TRY((scan ? tess__zip_scan : tess__zip_open)(&a->zip, file->source));
    TESS_TRY(choose_member(file, a));
    TESS_TRY(tess__zip_locate(&a->offset, a->zip, a->member));
    return TESS_OK;
}

static tess_status find_or_salvage(tess_file *file, archive *a)
{
    const tess_status status = find_array(file, a, false);
    if (status != TESS_EFORMAT || !file->opts.salvage) {
        TESS_TRY(status);
        return TESS_OK;
    }
    tess_error_clear();
    tess__npz_warn_lost(file);
    tess__zip_close(a->zip);
    a->zip = NULL;
    TESS_TRY(find_array(file, a, true));
    return TESS_OK;
}

static tess_status open_member(tess_file *file, archive *a)
{
    char name[512];
    TESS_TRY(find_or_salvage(file, a));
    (void)snprintf(name, sizeof name, "%.400s:%.100s", tess__source_name(file->source), a->member->name);
    const bool deflated = a->member->method == TESS__ZIP_DEFLATED;
    if (deflated) TESS_TRY(tess__inflater_new(&a->inflater, a->zip, a->member, a->offset));
    if (deflated && file->opts.salvage) tess__inflater_forgive(a->inflater);
    TESS_TRY(read_header(file, a, name));
    TESS_TRY(check_length(file, a, name));
    TESS_TRY(tess__npy_describe(file, &a->npy, deflated ? 0 : a->offset, name));
    if (file->opts.salvage) {
        TESS_TRY(tess__npz_salvage(file, a->zip, a->member, a->offset, a->inflater, bytes_needed(a)));
        a->checked = true; /* damage was reported as a warning */
    }
    if (!deflated) return TESS_OK;
    file->info.compression = TESS_COMPRESSION_DEFLATE;
    file->info.data_offset = -1;
    file->format = &deflated_format;
    return TESS_OK;
}

static tess_status open_npz(tess_file *file)
{
    archive *a = tess__alloc(sizeof *a);
    TESS_CHECK(a, TESS_ENOMEM, "open: %s: no memory for an archive", tess__source_name(file->source));
    *a = (archive){ .zip = NULL };
    file->state = a;
    TESS_TRY(open_member(file, a));
    return TESS_OK;
}

static void close_npz(tess_file *file)
{
    archive *a = file->state;
    if (!a) return;
    tess__inflater_free(a->inflater);
    tess__zip_close(a->zip);
    tess__source_close(a->outer);
    tess_release(&a->unpacked);
    tess__free(a);
    file->state = NULL;
}

/* ---- Reading ---- */

/* The checksum of a stored member, once. */
static tess_status verify(tess_file *file)
{
    archive *a = file->state;
    if (a->checked) return TESS_OK;
    TESS_TRY(tess__zip_check_stored(a->zip, a->member, a->offset));
    a->checked = true;
    return TESS_OK;
}

/* Images of a deflated member in C order, tile by tile. */
static tess_status read_tiles(tess_file *file, archive *a, int64_t first, const tess_array *out, void *buffer)
{
    const tess_dtype dtype = file->info.dtype;
    const int64_t    size = tess__dtype_size(dtype), h = file->info.shape.h, w = file->info.shape.w;
    for (int64_t i = 0; i < out->shape.b; i++) {
        const int64_t    offset = a->npy.data_offset + (first + i) * h * w * size;
        tess__image_tile p = { .h = h, .w = w, .max = TILE_BYTES / size };
        while (tess__image_tile_next(&p)) {
            const int64_t n = p.rows * p.columns;
            tess_array    to = tess__image_tile_of(&p, out, i);
            TESS_TRY(tess__inflater_read(a->inflater, offset + (p.row * w + p.column) * size, buffer, n * size));
            if (file->flat.swapped) TESS_TRY(tess__byteswap(buffer, n, dtype));
            const tess_array from = tess__image_tile_buffer(&p, buffer, dtype);
            TESS_TRY(tess_cast(&to, &from, TESS_DTYPE_NONE, NULL));
            TESS_TRY(tess__sync("read", tess_cpu())); /* the buffer is used again */
        }
    }
    return TESS_OK;
}

/* In Fortran order the elements of an image lie all over the array: all of it is decompressed first. */
static tess_status unpack(tess_file *file, archive *a)
{
    const int64_t n = bytes_needed(a);
    tess__source *memory;
    if (a->outer) return TESS_OK;
    TESS_TRY(tess_empty(&a->unpacked, TESS_SHAPE(1, 1, 1, n), TESS_U8, tess_cpu()));
    TESS_TRY(tess__inflater_read(a->inflater, 0, a->unpacked.data, n));
    TESS_TRY(tess__source_memory(&memory, tess__source_name(file->source), a->unpacked.data, n));
    a->outer = file->source;
    file->source = memory;
    return TESS_OK;
}

static tess_status read_unpacked(tess_file *file, int64_t first, const tess_array *out)
{
    for (int64_t i = 0; i < out->shape.b; i++) {
        const int64_t     image = first + i, depth = file->info.shape.d;
        tess__file_region region = { .from = { image / depth, image % depth, 0, 0 }, .step = { 1, 1, 1, 1 } };
        tess_array        to = *out;
        region.n[0] = region.n[1] = to.shape.b = 1, region.n[2] = out->shape.h, region.n[3] = out->shape.w;
        to.data = (char *)out->data + i * out->strides.b * tess__dtype_size(out->dtype);
        TESS_TRY(tess__flat_read(file, &region, &to));
    }
    return TESS_OK;
}

static tess_status read_deflated(tess_file *file, int64_t first, const tess_array *out)
{
    archive *a = file->state;
    if (a->npy.fortran) {
        TESS_TRY(unpack(file, a));
        TESS_TRY(read_unpacked(file, first, out));
        return TESS_OK;
    }
    void *buffer = tess__alloc(TILE_BYTES);
    TESS_CHECK(buffer, TESS_ENOMEM, "read: %s: no memory for a buffer", tess__source_name(file->source));
    const tess_status status = read_tiles(file, a, first, out, buffer);
    tess__free(buffer);
    TESS_TRY(status);
    return TESS_OK;
}

static bool supports(tess_compression compression)
{
#ifdef TESS_HAVE_ZLIB
    if (compression == TESS_COMPRESSION_DEFLATE) return true;
#endif
    return compression <= TESS_COMPRESSION_NONE;
}

const tess__format tess__format_npz = {
    .name = "npz",
    .extensions = "npz",
    .id = TESS_FORMAT_NPZ,
    .has_members = true,
    .recognises = recognises,
    .open = open_npz,
    .close = close_npz,
    .verify = verify,
    .supports = supports,
    .head = tess__npz_head,
    .start = tess__npz_start,
    .append = tess__npz_append,
    .end = tess__npz_end,
    .drop = tess__npz_drop,
};

/* What an open file turns into when its member is deflated: its images are not flat. */
static const tess__format deflated_format = {
    .name = "npz",
    .extensions = "npz",
    .id = TESS_FORMAT_NPZ,
    .has_members = true,
    .read = read_deflated,
    .close = close_npz,
};
