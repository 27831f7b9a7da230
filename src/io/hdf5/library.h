/* libhdf5, loaded when a file needs it; its calls are made one at a time, and it prints nothing meanwhile. */
#ifndef TESS_IO_HDF5_LIBRARY_H
#define TESS_IO_HDF5_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What HDF5's headers (1.10 and newer) declare, as far as it is used here. */
typedef int64_t tess__hid;

typedef struct tess__h5_group {
    int      storage;
    uint64_t n_links;
    int64_t  max_order;
    bool     is_mounted;
} tess__h5_group;

/* Classes of types, layouts of datasets, ways of selecting. */
enum { TESS__H5_INTEGER = 0, TESS__H5_FLOAT = 1, TESS__H5_STRING = 3, TESS__H5_COMPOUND = 6 };
enum { TESS__H5_CONTIGUOUS = 1, TESS__H5_CHUNKED = 2 };
enum { TESS__H5_SELECT_SET = 0, TESS__H5_MAX_RANK = 32 };

typedef int tess__h5_printer(tess__hid stack, void *context);

/* For each link of a group; 0: go on. `info` differs between versions and is not used. */
typedef int tess__h5_visitor(tess__hid group, const char *name, const void *info, void *context);

/* Its functions, by their names without H5. */
typedef struct tess__h5_functions {
    int (*open)(void);
    int (*get_libversion)(unsigned *major, unsigned *minor, unsigned *release);
    int (*Eget_auto2)(tess__hid stack, tess__h5_printer **printer, void **context);
    int (*Eset_auto2)(tess__hid stack, tess__h5_printer *printer, void *context);
    tess__hid (*Fopen)(const char *name, unsigned flags, tess__hid access);
    int (*Fclose)(tess__hid file);
    int (*free_memory)(void *memory);
    int (*Lexists)(tess__hid at, const char *name, tess__hid access);
    int (*Literate)(tess__hid group, int by, int order, uint64_t *from, tess__h5_visitor *visit, void *context);
    tess__hid (*Gopen2)(tess__hid at, const char *name, tess__hid access);
    int (*Gclose)(tess__hid group);
    int (*Gget_info_by_name)(tess__hid at, const char *name, tess__h5_group *info, tess__hid access);
    int (*Aexists_by_name)(tess__hid at, const char *object, const char *name, tess__hid access);
    tess__hid (*Aopen_by_name)(tess__hid at, const char *object, const char *name, tess__hid a, tess__hid b);
    tess__hid (*Aget_space)(tess__hid attribute);
    tess__hid (*Aget_type)(tess__hid attribute);
    int (*Aread)(tess__hid attribute, tess__hid type, void *value);
    int (*Aclose)(tess__hid attribute);
    tess__hid (*Dopen2)(tess__hid at, const char *name, tess__hid access);
    tess__hid (*Dget_space)(tess__hid data);
    tess__hid (*Dget_type)(tess__hid data);
    tess__hid (*Dget_create_plist)(tess__hid data);
    uint64_t (*Dget_storage_size)(tess__hid data);
    int (*Dget_num_chunks)(tess__hid data, tess__hid space, uint64_t *n); /* NULL before 1.10.5 */
    int (*Dread)(tess__hid data, tess__hid type, tess__hid to, tess__hid from, tess__hid how, void *values);
    int (*Dclose)(tess__hid data);
    int (*Pget_layout)(tess__hid properties);
    int (*Pget_chunk)(tess__hid properties, int max, uint64_t *sizes);
    int (*Pclose)(tess__hid properties);
    tess__hid (*Screate_simple)(int rank, const uint64_t *sizes, const uint64_t *max);
    int (*Sget_simple_extent_ndims)(tess__hid space);
    int (*Sget_simple_extent_dims)(tess__hid space, uint64_t *sizes, uint64_t *max);
    int64_t (*Sget_simple_extent_npoints)(tess__hid space);
    int (*Sselect_hyperslab)(tess__hid space, int how, const uint64_t *from, const uint64_t *step, const uint64_t *n,
                             const uint64_t *block);
    int (*Sclose)(tess__hid space);
    int (*Tget_class)(tess__hid type);
    size_t (*Tget_size)(tess__hid type);
    int (*Tget_sign)(tess__hid type);
    int (*Tis_variable_str)(tess__hid type);
    int (*Tget_nmembers)(tess__hid type);
    int (*Tget_member_index)(tess__hid type, const char *name);
    tess__hid (*Tget_member_type)(tess__hid type, unsigned member);
    tess__hid (*Tcreate)(int kind, size_t size);
    int (*Tinsert)(tess__hid type, const char *name, size_t offset, tess__hid member);
    int (*Tclose)(tess__hid type);
    /* Types of values in memory. */
    const tess__hid *native_i8, *native_u8, *native_i16, *native_u16, *native_i32, *native_u32, *native_i64,
        *native_u64, *native_f32, *native_f64;
} tess__h5_functions;

/* The functions; NULL and why, in words: there is no libhdf5, or it is too old. */
const tess__h5_functions *tess__h5_load(const char **why);

/* Before and after calls: other threads wait, messages are not printed. What the program itself does with libhdf5 at
 * the same time is safe only if that was built to be. */
void tess__h5_enter(void);
void tess__h5_leave(void);

#endif
