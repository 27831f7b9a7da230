/* HDF5 datasets: types of elements, chunks, hyperslabs; and attributes that are numbers or texts. */
#include "io/hdf5/dataset.h"

#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"

/* ---- Types of elements ---- */

/* How libhdf5 describes them, and what it calls them in memory. */
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
    { TESS_I64, TESS__H5_INTEGER, true, offsetof(tess__h5_functions, native_i64) },
    { TESS_U64, TESS__H5_INTEGER, false, offsetof(tess__h5_functions, native_u64) },
    { TESS_F32, TESS__H5_FLOAT, true, offsetof(tess__h5_functions, native_f32) },
    { TESS_F64, TESS__H5_FLOAT, true, offsetof(tess__h5_functions, native_f64) },
};

enum { N_TYPES = sizeof types / sizeof *types };

/* Bytes of a member of a compound that is a float; 0: it is something else, or there is none of this name. */
static size_t size_of_float(const tess__h5_functions *h5, tess__hid type, const char *name)
{
    const int       member = h5->Tget_member_index(type, name);
    const tess__hid part = member >= 0 ? h5->Tget_member_type(type, (unsigned)member) : 0;
    if (part <= 0) return 0;
    const size_t size = h5->Tget_class(part) == TESS__H5_FLOAT ? h5->Tget_size(part) : 0;
    (void)h5->Tclose(part);
    return size;
}

/* Complex numbers as h5py has them: two floats of one size named r and i, wherever they are in an element. */
static tess_dtype complex_of(const tess__h5_functions *h5, tess__hid type)
{
    const size_t size = size_of_float(h5, type, "r");
    if (h5->Tget_nmembers(type) != 2 || size != size_of_float(h5, type, "i")) return TESS_DTYPE_NONE;
    return size == 4 ? TESS_C32 : size == 8 ? TESS_C64 : TESS_DTYPE_NONE;
}

static tess_dtype dtype_of(const tess__h5_functions *h5, tess__hid type)
{
    const int     kind = h5->Tget_class(type);
    const bool    is_signed = kind != TESS__H5_INTEGER || h5->Tget_sign(type) > 0;
    const int64_t size = (int64_t)h5->Tget_size(type);
    if (kind == TESS__H5_COMPOUND) return complex_of(h5, type);
    for (int i = 0; i < N_TYPES; i++)
        if (types[i].kind == kind && types[i].is_signed == is_signed && tess__dtype_size(types[i].dtype) == size)
            return types[i].dtype;
    return TESS_DTYPE_NONE;
}

static tess__hid native_real(const tess__h5_functions *h5, tess_dtype dtype)
{
    const tess__hid *native;
    int              i = 0;
    while (i < N_TYPES - 1 && types[i].dtype != dtype) i++;
    memcpy(&native, (const char *)h5 + types[i].native, sizeof native);
    return *native;
}

/* The type of elements in memory; one of those of the table is not to be closed. Members are found by their names. */
static tess__hid native_of(const tess__h5_dataset *d, bool *closes)
{
    const tess__h5_functions *h5 = d->h5;
    *closes = d->dtype == TESS_C32 || d->dtype == TESS_C64;
    if (!*closes) return native_real(h5, d->dtype);
    const size_t    half = (size_t)tess__dtype_size(d->dtype) / 2;
    const tess__hid part = native_real(h5, d->dtype == TESS_C32 ? TESS_F32 : TESS_F64);
    const tess__hid type = h5->Tcreate(TESS__H5_COMPOUND, 2 * half);
    if (type <= 0 || (h5->Tinsert(type, "r", 0, part) >= 0 && h5->Tinsert(type, "i", half, part) >= 0)) return type;
    (void)h5->Tclose(type);
    return -1;
}

/* ---- Datasets ---- */

bool tess__h5_open(tess__h5_dataset *d, const tess__h5_functions *h5, tess__hid file, const char *name)
{
    *d = (tess__h5_dataset){ .h5 = h5 };
    d->data = h5->Dopen2(file, name, 0);
    if (d->data <= 0) return d->data = 0, false;
    d->space = h5->Dget_space(d->data);
    d->rank = d->space > 0 ? h5->Sget_simple_extent_ndims(d->space) : -1;
    const tess__hid type = h5->Dget_type(d->data);
    if (type > 0) d->dtype = dtype_of(h5, type);
    if (type > 0) (void)h5->Tclose(type);
    if (d->rank < 1 || d->rank > TESS__H5_MAX_RANK ||
        h5->Sget_simple_extent_dims(d->space, d->sizes, NULL) != d->rank) {
        tess__h5_close(d);
        return false;
    }
    d->bytes = h5->Dget_storage_size(d->data);
    return true;
}

void tess__h5_close(tess__h5_dataset *d)
{
    if (d->space > 0) (void)d->h5->Sclose(d->space);
    if (d->data > 0) (void)d->h5->Dclose(d->data);
    d->space = d->data = 0;
}

/* Chunks that cover a dataset; 0: it is not chunked, or they cannot be counted. */
static int64_t count_chunks(const tess__h5_dataset *d, tess__hid properties)
{
    uint64_t chunk[TESS__H5_MAX_RANK] = { 0 };
    int64_t  n = 1;
    if (d->h5->Pget_chunk(properties, TESS__H5_MAX_RANK, chunk) != d->rank) return 0;
    for (int k = 0; k < d->rank; k++) {
        const uint64_t along = chunk[k] ? (d->sizes[k] + chunk[k] - 1) / chunk[k] : 0;
        if (along > INT32_MAX || __builtin_mul_overflow(n, (int64_t)along, &n)) return 0;
    }
    return n;
}

int64_t tess__h5_missing_chunks(const tess__h5_dataset *d)
{
    const tess__h5_functions *h5 = d->h5;
    const tess__hid           properties = h5->Dget_create_plist(d->data);
    if (properties <= 0) return 0;
    const int layout = h5->Pget_layout(properties);
    int64_t   missing = 0;
    if (layout == TESS__H5_CONTIGUOUS) {
        missing = d->bytes == 0;
    } else if (layout == TESS__H5_CHUNKED) {
        const int64_t all = count_chunks(d, properties);
        uint64_t      there = d->bytes ? (uint64_t)all : 0;
        if (h5->Dget_num_chunks && h5->Dget_num_chunks(d->data, d->space, &there) < 0) there = (uint64_t)all;
        missing = there < (uint64_t)all ? all - (int64_t)there : 0;
    }
    (void)h5->Pclose(properties);
    return missing;
}

/* libhdf5 1.10 reads anywhere in memory where the bytes of a dataset do not fit into 64 bits. */
static bool bytes_fit(const tess__h5_dataset *d)
{
    int64_t bytes = 16; /* of the largest element */
    for (int k = 0; k < d->rank; k++)
        if (d->sizes[k] > INT64_MAX || __builtin_mul_overflow(bytes, (int64_t)d->sizes[k], &bytes)) return false;
    return true;
}

bool tess__h5_read(const tess__h5_dataset *d, const uint64_t *from, const uint64_t *n, void *values)
{
    const tess__h5_functions *h5 = d->h5;
    uint64_t                  count = 1;
    bool                      closes;
    if (!bytes_fit(d)) return false;
    for (int k = 0; k < d->rank; k++) count *= n[k];
    const tess__hid memory = h5->Screate_simple(1, &count, NULL), type = native_of(d, &closes);
    const bool      is_read = memory > 0 && type > 0 &&
                         h5->Sselect_hyperslab(d->space, TESS__H5_SELECT_SET, from, NULL, n, NULL) >= 0 &&
                         h5->Dread(d->data, type, memory, d->space, 0, values) >= 0;
    if (memory > 0) (void)h5->Sclose(memory);
    if (closes && type > 0) (void)h5->Tclose(type);
    return is_read;
}

/* ---- Attributes ---- */

/* An attribute of one value; 0: there is none. */
static tess__hid open_attribute(const tess__h5_functions *h5, tess__hid file, const char *object, const char *name)
{
    if (h5->Aexists_by_name(file, object, name, 0) <= 0) return 0;
    const tess__hid attribute = h5->Aopen_by_name(file, object, name, 0, 0);
    if (attribute <= 0) return 0;
    const tess__hid space = h5->Aget_space(attribute);
    const bool      is_one = space > 0 && h5->Sget_simple_extent_npoints(space) == 1;
    if (space > 0) (void)h5->Sclose(space);
    if (is_one) return attribute;
    (void)h5->Aclose(attribute);
    return 0;
}

void tess__h5_number(double *value, const tess__h5_functions *h5, tess__hid file, const char *object, const char *name)
{
    double          number = 0;
    const tess__hid attribute = open_attribute(h5, file, object, name);
    if (!attribute) return;
    if (h5->Aread(attribute, *h5->native_f64, &number) >= 0) *value = number;
    (void)h5->Aclose(attribute);
}

/* Texts are of a fixed length, or allocated by the library. */
static void read_text(char *text, size_t size, const tess__h5_functions *h5, tess__hid attribute, tess__hid type)
{
    const size_t length = h5->Tget_size(type);
    char        *made = NULL;
    if (h5->Tis_variable_str(type) > 0) {
        if (h5->Aread(attribute, type, &made) >= 0 && made) (void)snprintf(text, size, "%s", made);
        if (made) (void)h5->free_memory(made);
        return;
    }
    if (length == 0 || length > 1 << 20) return;
    made = tess__alloc(length + 1);
    if (!made) return;
    made[length] = '\0';
    if (h5->Aread(attribute, type, made) >= 0) (void)snprintf(text, size, "%s", made);
    tess__free(made);
}

void tess__h5_text(char *text, size_t size, const tess__h5_functions *h5, tess__hid file, const char *object,
                   const char *name)
{
    text[0] = '\0';
    const tess__hid attribute = open_attribute(h5, file, object, name);
    if (!attribute) return;
    const tess__hid type = h5->Aget_type(attribute);
    if (type > 0 && h5->Tget_class(type) == TESS__H5_STRING) read_text(text, size, h5, attribute, type);
    if (type > 0) (void)h5->Tclose(type);
    (void)h5->Aclose(attribute);
}
