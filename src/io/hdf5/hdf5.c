/* HDF5 files as EMAN2 writes them: image N is the dataset /MDF/images/N/image, with attributes EMAN.*; read by libhdf5
 * where it is installed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/memory.h"
#include "core/stream.h"
#include "io/file/file.h"
#include "io/hdf5/library.h"

enum { MAX_RATIO = 1040 /* decompression bomb limit: bytes that one byte of DEFLATE can expand to */ };

/* Images of which integers were made: value = first + stored * step. */
typedef struct scaling {
    double first, step;
    bool   is_needed;
} scaling;

/* An open dataset: tess_file.state. */
typedef struct state {
    const tess__h5_functions *h5;
    tess__hid                 file, data, space; /* 0: not open */
    int64_t                   image;             /* that `data` is; -1: none */
    int                       rank;
    int64_t                   depth;  /* of each image */
    tess_dtype                stored; /* elements in the file */
    scaling                   scaling;
} state;

/* ---- Datasets ---- */

static void close_image(state *s)
{
    if (s->space > 0) (void)s->h5->Sclose(s->space);
    if (s->data > 0) (void)s->h5->Dclose(s->data);
    s->space = s->data = 0;
    s->image = -1;
}

/* Types of elements: how libhdf5 describes them, and what it calls them in memory. */
static const struct {
    tess_dtype dtype;
    int        kind; /* TESS__H5_INTEGER or FLOAT */
    bool       is_signed;
    size_t     native; /* offset of the type in the table of functions */
} types[] = {
    { TESS_I8, TESS__H5_INTEGER, true, offsetof(tess__h5_functions, native_i8) },
    { TESS_U8, TESS__H5_INTEGER, false, offsetof(tess__h5_functions, native_u8) },
    { TESS_I16, TESS__H5_INTEGER, true, offsetof(tess__h5_functions, native_i16) },
    { TESS_U16, TESS__H5_INTEGER, false, offsetof(tess__h5_functions, native_u16) },
    { TESS_I32, TESS__H5_INTEGER, true, offsetof(tess__h5_functions, native_i32) },
    { TESS_U32, TESS__H5_INTEGER, false, offsetof(tess__h5_functions, native_u32) },
    { TESS_F32, TESS__H5_FLOAT, true, offsetof(tess__h5_functions, native_f32) },
    { TESS_F64, TESS__H5_FLOAT, true, offsetof(tess__h5_functions, native_f64) },
};

enum { N_TYPES = sizeof types / sizeof *types };

static tess_dtype dtype_of(const state *s)
{
    const tess__h5_functions *h5 = s->h5;
    const tess__hid           type = h5->Dget_type(s->data);
    if (type <= 0) return TESS_DTYPE_NONE;
    const int     kind = h5->Tget_class(type);
    const bool    is_signed = kind != TESS__H5_INTEGER || h5->Tget_sign(type) > 0;
    const int64_t size = (int64_t)h5->Tget_size(type);
    (void)h5->Tclose(type);
    for (int i = 0; i < N_TYPES; i++)
        if (types[i].kind == kind && types[i].is_signed == is_signed && tess__dtype_size(types[i].dtype) == size)
            return types[i].dtype;
    return TESS_DTYPE_NONE;
}

/* The type of elements in memory, of one of the table. */
static tess__hid native_of(const tess__h5_functions *h5, tess_dtype dtype)
{
    const tess__hid *native;
    int              i = 0;
    while (i < N_TYPES - 1 && types[i].dtype != dtype) i++;
    memcpy(&native, (const char *)h5 + types[i].native, sizeof native);
    return *native;
}

/* An attribute of an image that is one number; `value` stays as it is if there is none. */
static void read_attribute(double *value, const state *s, int64_t image, const char *name)
{
    const tess__h5_functions *h5 = s->h5;
    char                      object[48];
    double                    number = 0;
    (void)snprintf(object, sizeof object, "/MDF/images/%" PRId64, image);
    if (h5->Aexists_by_name(s->file, object, name, 0) <= 0) return;
    const tess__hid attribute = h5->Aopen_by_name(s->file, object, name, 0, 0);
    if (attribute <= 0) return;
    const tess__hid space = h5->Aget_space(attribute);
    const bool      is_one = space > 0 && h5->Sget_simple_extent_npoints(space) == 1;
    if (is_one && h5->Aread(attribute, *h5->native_f64, &number) >= 0) *value = number;
    if (space > 0) (void)h5->Sclose(space);
    (void)h5->Aclose(attribute);
}

/* EMAN2 writes integers of some bits for a range of values. */
static scaling read_scaling(const state *s, int64_t image)
{
    double min = 0, max = 0, bits = 0;
    read_attribute(&min, s, image, "EMAN.stored_rendermin");
    read_attribute(&max, s, image, "EMAN.stored_rendermax");
    read_attribute(&bits, s, image, "EMAN.stored_renderbits");
    const bool is_needed = isfinite(min) && isfinite(max) && max > min && bits >= 1 && bits <= 32;
    return (scaling){ min, is_needed ? (max - min) / (exp2(bits) - 1) : 1, is_needed };
}

/* Open the dataset of an image, with its sizes: slices, rows, columns. */
static tess_status open_image(const tess_file *file, int64_t image, uint64_t sizes[3])
{
    state                    *s = file->state;
    const tess__h5_functions *h5 = s->h5;
    char                      name[48];
    uint64_t                  all[TESS__H5_MAX_RANK] = { 0 };
    close_image(s);
    (void)snprintf(name, sizeof name, "/MDF/images/%" PRId64 "/image", image);
    s->data = h5->Dopen2(s->file, name, 0);
    TESS_CHECK(s->data > 0, TESS_EFORMAT, "open: %s: it has no dataset %s; images as EMAN2 writes them are read",
               file->path, name);
    s->space = h5->Dget_space(s->data);
    s->rank = s->space > 0 ? h5->Sget_simple_extent_ndims(s->space) : -1;
    TESS_CHECK(s->rank >= 1 && s->rank <= 3 && h5->Sget_simple_extent_dims(s->space, all, NULL) == s->rank,
               TESS_EUNSUPPORTED, "open: %s: dataset %s has %d axes; 1 to 3 are read", file->path, name, s->rank);
    s->stored = dtype_of(s);
    TESS_CHECK(s->stored != TESS_DTYPE_NONE, TESS_EUNSUPPORTED,
               "open: %s: the elements of %s are neither integers of 8 to 32 bits nor floats of 32 or 64", file->path,
               name);
    for (int k = 0; k < 3; k++) sizes[k] = k < 3 - s->rank ? 1 : all[k - (3 - s->rank)];
    s->scaling = read_scaling(s, image);
    s->image = image;
    return TESS_OK;
}

/* ---- Opening ---- */

static tess_status open_library(tess_file *file)
{
    const char *why = "";
    state      *s = tess__alloc(sizeof *s);
    TESS_CHECK(s, TESS_ENOMEM, "open: %s: no memory to read an HDF5 file", file->path);
    *s = (state){ .h5 = tess__h5_load(&why), .image = -1 };
    file->state = s;
    TESS_CHECK(s->h5, TESS_EUNSUPPORTED, "open: %s: an HDF5 file; %s", file->path, why);
    TESS_CHECK(tess__source_descriptor(file->source) >= 0, TESS_EUNSUPPORTED,
               "open: %s: libhdf5 reads files on disk alone", file->path);
    return TESS_OK;
}

static tess_status count_images(const tess_file *file, int64_t *n)
{
    state         *s = file->state;
    tess__h5_group info = { .n_links = 0 };
    s->file = s->h5->Fopen(file->path, 0, 0);
    TESS_CHECK(s->file > 0, TESS_EFORMAT, "open: %s: libhdf5 cannot open it: damaged, cut short or being written",
               file->path);
    TESS_CHECK(s->h5->Lexists(s->file, "/MDF", 0) > 0 && s->h5->Lexists(s->file, "/MDF/images", 0) > 0 &&
                   s->h5->Gget_info_by_name(s->file, "/MDF/images", &info, 0) >= 0,
               TESS_EUNSUPPORTED, "open: %s: it has no group /MDF/images; of HDF5 files those of EMAN2 are read",
               file->path);
    TESS_CHECK(info.n_links > 0 && info.n_links <= INT32_MAX, TESS_EFORMAT,
               "open: %s: /MDF/images has %" PRIu64 " images; 1 or more are needed", file->path, info.n_links);
    *n = (int64_t)info.n_links;
    return TESS_OK;
}

static tess_status fill_info(tess_file *file)
{
    static const char *const names[] = { "EMAN.apix_z", "EMAN.apix_y", "EMAN.apix_x" };
    state                   *s = file->state;
    tess_info_file          *info = &file->info;
    int64_t                  n = 0, bytes = 0;
    uint64_t                 sizes[3];
    TESS_TRY(count_images(file, &n));
    TESS_TRY(open_image(file, 0, sizes));
    for (int k = 0; k < 3; k++)
        TESS_CHECK(sizes[k] >= 1 && sizes[k] <= INT32_MAX, TESS_EFORMAT,
                   "open: %s: an image of %" PRIu64 " x %" PRIu64 " x %" PRIu64, file->path, sizes[2], sizes[1],
                   sizes[0]);
    const int64_t all[4] = { n, (int64_t)sizes[0], (int64_t)sizes[1], (int64_t)sizes[2] };
    const int64_t element = tess__dtype_size(s->stored);
    s->depth = all[1];
    info->shape = TESS_SHAPE(1, 1, all[2], all[3]);
    TESS_TRY(tess__file_take_sections(file, n * s->depth, s->depth));
    info->dtype = s->scaling.is_needed ? TESS_F32 : s->stored;
    TESS_CHECK(tess__bytes_of(&bytes, all, 4, element) && bytes / n / MAX_RATIO <= info->file_size &&
                   (uint64_t)(bytes / n) / MAX_RATIO <= s->h5->Dget_storage_size(s->data),
               TESS_EFORMAT,
               "open: %s: %" PRId64 " images of %" PRId64 " x %" PRId64 " x %" PRId64 " cannot be in a file of %" PRId64
               " bytes",
               file->path, n, all[3], all[2], all[1], info->file_size);
    info->compression = TESS_COMPRESSION_OTHER;
    info->stored[0] = all[3];
    info->stored[1] = all[2];
    info->stored[2] = n * all[1];
    for (int k = 0; k < 3; k++) {
        double *size = &info->meta.pixel_size[k];
        read_attribute(size, s, 0, names[k]);
        if (!isfinite(*size) || !(*size > 0)) *size = 0;
    }
    return TESS_OK;
}

static tess_status open_file(tess_file *file)
{
    TESS_TRY(open_library(file));
    tess__h5_enter();
    const tess_status status = fill_info(file);
    tess__h5_leave();
    TESS_TRY(status);
    return TESS_OK;
}

static void close_file(tess_file *file)
{
    state *s = file->state;
    if (!s) return;
    if (s->h5) {
        tess__h5_enter();
        close_image(s);
        if (s->file > 0) (void)s->h5->Fclose(s->file);
        tess__h5_leave();
    }
    tess__free(s);
    file->state = NULL;
}

/* ---- Reading ---- */

/* A section of an image, as it is stored, into a buffer. */
static tess_status read_section(const tess_file *file, int64_t index, const tess_array *buffer)
{
    state                    *s = file->state;
    const tess__h5_functions *h5 = s->h5;
    const int64_t             d = s->depth, image = index / d;
    uint64_t                  sizes[3];
    if (s->image != image) {
        TESS_TRY(open_image(file, image, sizes));
        TESS_CHECK(sizes[0] == (uint64_t)d && sizes[1] == (uint64_t)file->info.shape.h &&
                       sizes[2] == (uint64_t)file->info.shape.w && s->stored == buffer->dtype,
                   TESS_EUNSUPPORTED,
                   "file_read: %s: image %" PRId64 " is %" PRIu64 " x %" PRIu64 " x %" PRIu64
                   " of %s, unlike the first",
                   file->path, image, sizes[2], sizes[1], sizes[0], tess_dtype_name(s->stored));
    }
    const uint64_t  from[3] = { (uint64_t)(index % d), 0, 0 };
    const uint64_t  n[3] = { 1, (uint64_t)buffer->shape.h, (uint64_t)buffer->shape.w };
    const int       skipped = 3 - s->rank;
    const tess__hid memory = h5->Screate_simple(s->rank, n + skipped, NULL);
    const bool      is_read =
        memory > 0 &&
        h5->Sselect_hyperslab(s->space, TESS__H5_SELECT_SET, from + skipped, NULL, n + skipped, NULL) >= 0 &&
        h5->Dread(s->data, native_of(h5, buffer->dtype), memory, s->space, 0, buffer->data) >= 0;
    if (memory > 0) (void)h5->Sclose(memory);
    TESS_CHECK(is_read, TESS_EFORMAT,
               "file_read: %s: libhdf5 cannot read section %" PRId64 " of image %" PRId64
               ": damaged, or a filter that it has not",
               file->path, index % d, image);
    return TESS_OK;
}

/* The values that stored integers stand for, as f32. */
static tess_status restore_range(tess_array *values, const tess_array *stored, const scaling *range)
{
    TESS_TRY(tess_cast(values, stored, TESS_F32, NULL));
    float *const v = values->data;
    TESS_TRY(tess__sync("file_read", tess_cpu()));
    for (int64_t i = 0; i < values->shape.h * values->shape.w; i++)
        v[i] = (float)(range->first + (double)v[i] * range->step);
    return TESS_OK;
}

static tess_status read_one(const tess_file *file, int64_t index, const tess_array *out, tess_array *buffer,
                            tess_array *values)
{
    state     *s = file->state;
    tess_array to = *out;
    tess__h5_enter();
    const tess_status status = read_section(file, index, buffer);
    tess__h5_leave();
    TESS_TRY(status);
    if (s->scaling.is_needed) TESS_TRY(restore_range(values, buffer, &s->scaling));
    TESS_TRY(tess_cast(&to, s->scaling.is_needed ? values : buffer, TESS_DTYPE_NONE, NULL));
    TESS_TRY(tess__sync("file_read", tess_cpu()));
    return TESS_OK;
}

static tess_status read_images(tess_file *file, int64_t first, const tess_array *out)
{
    const state *s = file->state;
    tess_array   buffer = { .data = NULL }, values = { .data = NULL };
    tess_status  status = TESS_OK;
    TESS_TRY(tess_empty(&buffer, TESS_SHAPE(1, 1, out->shape.h, out->shape.w), s->stored, tess_cpu()));
    for (int64_t i = 0; i < out->shape.b; i++) {
        tess_array one = *out;
        one.shape.b = 1;
        one.data = (char *)out->data + i * out->strides.b * tess__dtype_size(out->dtype);
        TESS_GOTO(done, status, read_one(file, first + i, &one, &buffer, &values));
    }
done:
    tess_release(&buffer);
    tess_release(&values);
    return status;
}

static bool recognises(const unsigned char *bytes, int64_t n)
{
    static const char magic[] = "\x89HDF\r\n\x1a\n";
    return (n >= 8 && memcmp(bytes, magic, 8) == 0) || (n >= 520 && memcmp(bytes + 512, magic, 8) == 0);
}

static bool supports(tess_compression compression)
{
    const char *why;
    return compression <= TESS_COMPRESSION_NONE && tess__h5_load(&why) != NULL;
}

const tess__format tess__format_hdf5 = {
    .name = "hdf5",
    .extensions = "hdf hdf5 h5",
    .id = TESS_FORMAT_HDF5,
    .recognises = recognises,
    .open = open_file,
    .read = read_images,
    .close = close_file,
    .supports = supports,
};
