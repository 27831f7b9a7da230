/* Dynamic loading of libhdf5: the first of its known names that is installed, of version 1.10 or newer. */
#include "io/hdf5/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static tess__h5_functions functions;
static pthread_once_t     once = PTHREAD_ONCE_INIT;
static pthread_mutex_t    lock = PTHREAD_MUTEX_INITIALIZER;
static char               obstacle[160]; /* "": it is loaded */
static tess__h5_printer  *printer;       /* the program's, while calls are made here */
static void              *printer_context;

typedef struct symbol {
    const char *name;
    size_t      offset;
} symbol;

static const symbol symbols[] = {
#define FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        "H5" #name, offsetof(tess__h5_functions, name)                                                                 \
    }
    FUNCTION(open),
    FUNCTION(get_libversion),
    FUNCTION(Eget_auto2),
    FUNCTION(Eset_auto2),
    FUNCTION(Fopen),
    FUNCTION(Fclose),
    FUNCTION(free_memory),
    FUNCTION(Lexists),
    FUNCTION(Gopen2),
    FUNCTION(Gclose),
    FUNCTION(Gget_info_by_name),
    FUNCTION(Aexists_by_name),
    FUNCTION(Aopen_by_name),
    FUNCTION(Aget_space),
    FUNCTION(Aget_type),
    FUNCTION(Aread),
    FUNCTION(Aclose),
    FUNCTION(Dopen2),
    FUNCTION(Dget_space),
    FUNCTION(Dget_type),
    FUNCTION(Dget_create_plist),
    FUNCTION(Dget_storage_size),
    FUNCTION(Dread),
    FUNCTION(Dclose),
    FUNCTION(Pget_layout),
    FUNCTION(Pget_chunk),
    FUNCTION(Pclose),
    FUNCTION(Screate_simple),
    FUNCTION(Sget_simple_extent_ndims),
    FUNCTION(Sget_simple_extent_dims),
    FUNCTION(Sget_simple_extent_npoints),
    FUNCTION(Sselect_hyperslab),
    FUNCTION(Sclose),
    FUNCTION(Tget_class),
    FUNCTION(Tget_size),
    FUNCTION(Tget_sign),
    FUNCTION(Tis_variable_str),
    FUNCTION(Tget_nmembers),
    FUNCTION(Tget_member_index),
    FUNCTION(Tget_member_type),
    FUNCTION(Tcreate),
    FUNCTION(Tinsert),
    FUNCTION(Tclose),
#undef FUNCTION
    { "H5T_NATIVE_INT8_g", offsetof(tess__h5_functions, native_i8) },
    { "H5T_NATIVE_UINT8_g", offsetof(tess__h5_functions, native_u8) },
    { "H5T_NATIVE_INT16_g", offsetof(tess__h5_functions, native_i16) },
    { "H5T_NATIVE_UINT16_g", offsetof(tess__h5_functions, native_u16) },
    { "H5T_NATIVE_INT32_g", offsetof(tess__h5_functions, native_i32) },
    { "H5T_NATIVE_UINT32_g", offsetof(tess__h5_functions, native_u32) },
    { "H5T_NATIVE_INT64_g", offsetof(tess__h5_functions, native_i64) },
    { "H5T_NATIVE_UINT64_g", offsetof(tess__h5_functions, native_u64) },
    { "H5T_NATIVE_FLOAT_g", offsetof(tess__h5_functions, native_f32) },
    { "H5T_NATIVE_DOUBLE_g", offsetof(tess__h5_functions, native_f64) },
};

/* Of several names for a function the first that there is counts; without any it is NULL. */
static const symbol alternatives[] = {
    { "H5Literate", offsetof(tess__h5_functions, Literate) },
    { "H5Literate1", offsetof(tess__h5_functions, Literate) },
    { "H5Literate2", offsetof(tess__h5_functions, Literate) },
    { "H5Dget_num_chunks", offsetof(tess__h5_functions, Dget_num_chunks) },
};

static void *open_any(void)
{
    static const char *const names[] = { "libhdf5.so.310", "libhdf5_serial.so.310",
                                         "libhdf5.so.200", "libhdf5_serial.so.200",
                                         "libhdf5.so.103", "libhdf5_serial.so.103",
                                         "libhdf5.so",     "libhdf5_serial.so" };
    void                    *handle = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !handle; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return handle;
}

/* Put the address of a function into the table; false: there is none. */
static bool take(void *handle, const symbol *wanted)
{
    void *address = dlsym(handle, wanted->name);
    if (address) memcpy((char *)&functions + wanted->offset, &address, sizeof address);
    return address != NULL;
}

static void load(void)
{
    unsigned major = 0, minor = 0, release = 0;
    void    *handle = open_any();
    if (!handle) {
        (void)snprintf(obstacle, sizeof obstacle, "libhdf5 is not installed");
        return;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        if (take(handle, &symbols[i])) continue;
        (void)snprintf(obstacle, sizeof obstacle, "libhdf5 has no %s", symbols[i].name);
        return;
    }
    for (size_t i = sizeof alternatives / sizeof *alternatives; i-- > 0;) (void)take(handle, &alternatives[i]);
    if (!functions.Literate) {
        (void)snprintf(obstacle, sizeof obstacle, "libhdf5 has no H5Literate");
        return;
    }
    if (functions.open() < 0 || functions.get_libversion(&major, &minor, &release) < 0 || (major == 1 && minor < 10))
        (void)snprintf(obstacle, sizeof obstacle, "libhdf5 is %u.%u.%u; version 1.10 or newer is required", major,
                       minor, release);
}

const tess__h5_functions *tess__h5_load(const char **why)
{
    (void)pthread_once(&once, load);
    *why = obstacle;
    return obstacle[0] ? NULL : &functions;
}

void tess__h5_enter(void)
{
    (void)pthread_mutex_lock(&lock);
    printer = NULL;
    (void)functions.Eget_auto2(0, &printer, &printer_context);
    (void)functions.Eset_auto2(0, NULL, NULL);
}

void tess__h5_leave(void)
{
    (void)functions.Eset_auto2(0, printer, printer_context);
    (void)pthread_mutex_unlock(&lock);
}
