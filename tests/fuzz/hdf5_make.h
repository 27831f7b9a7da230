/* Well-formed HDF5 files whose content is drawn from a string of bytes: groups, datasets and attributes of every type,
 * rank, layout and size, written by libhdf5. */
#ifndef TESS_FUZZ_HDF5_MAKE_H
#define TESS_FUZZ_HDF5_MAKE_H

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/cases.h"
#include "io/hdf5/library.h"

/* ---- Functions of libhdf5 that the library itself does not need ---- */

typedef tess__hid hid;

#define MAKE_FUNCTIONS(F)                                                                                              \
    F(hid, Fcreate, (const char *, unsigned, hid, hid))                                                                \
    F(int, Fclose, (hid))                                                                                              \
    F(hid, Gcreate2, (hid, const char *, hid, hid, hid))                                                               \
    F(int, Gclose, (hid))                                                                                              \
    F(hid, Acreate2, (hid, const char *, hid, hid, hid, hid))                                                          \
    F(int, Awrite, (hid, hid, const void *))                                                                           \
    F(int, Aclose, (hid))                                                                                              \
    F(hid, Dcreate2, (hid, const char *, hid, hid, hid, hid, hid))                                                     \
    F(int, Dwrite, (hid, hid, hid, hid, hid, const void *))                                                            \
    F(int, Dclose, (hid))                                                                                              \
    F(hid, Screate, (int))                                                                                             \
    F(hid, Screate_simple, (int, const uint64_t *, const uint64_t *))                                                  \
    F(int, Sselect_hyperslab, (hid, int, const uint64_t *, const uint64_t *, const uint64_t *, const uint64_t *))      \
    F(int, Sclose, (hid))                                                                                              \
    F(hid, Pcreate, (hid))                                                                                             \
    F(int, Pset_chunk, (hid, int, const uint64_t *))                                                                   \
    F(int, Pset_deflate, (hid, unsigned))                                                                              \
    F(int, Pset_layout, (hid, int))                                                                                    \
    F(int, Pset_userblock, (hid, uint64_t))                                                                            \
    F(int, Pclose, (hid))                                                                                              \
    F(hid, Tcopy, (hid))                                                                                               \
    F(hid, Tcreate, (int, size_t))                                                                                     \
    F(int, Tget_class, (hid))                                                                                          \
    F(int, Tset_size, (hid, size_t))                                                                                   \
    F(int, Tinsert, (hid, const char *, size_t, hid))                                                                  \
    F(int, Tclose, (hid))                                                                                              \
    F(int, Lcreate_soft, (const char *, hid, const char *, hid, hid))                                                  \
    F(int, Lcreate_hard, (hid, const char *, hid, const char *, hid, hid))                                             \
    F(int, Inmembers, (int, uint64_t *))

static struct {
#define DECLARE(result, name, arguments) result(*name) arguments;
    MAKE_FUNCTIONS(DECLARE)
#undef DECLARE
    void *library;
} make;

/* A constant of the library, as H5T_NATIVE_INT; -1: there is none of this name. */
static hid make_constant(const char *name)
{
    const hid *address = dlsym(make.library, name);
    return address ? *address : -1;
}

/* False: libhdf5 is missing, or lacks something. */
static bool make_load(const char **why)
{
    const tess__h5_functions *h5 = tess__h5_load(why);
    Dl_info                   where;
    void                     *address = NULL;
    if (!h5) return false;
    memcpy(&address, &h5->open, sizeof address);
    *why = "libhdf5 is not found again";
    if (!dladdr(address, &where)) return false;
    make.library = dlopen(where.dli_fname, RTLD_NOW | RTLD_LOCAL);
    if (!make.library) return false;
#define LOAD(result, name, arguments)                                                                                  \
    address = dlsym(make.library, "H5" #name);                                                                         \
    if (!address) return *why = "libhdf5 has no H5" #name, false;                                                      \
    memcpy((void *)&make.name, &address, sizeof address);
    MAKE_FUNCTIONS(LOAD)
#undef LOAD
    return true;
}

/* ---- Decisions ---- */

static struct {
    const uint8_t *at, *end;
} decisions;

/* A number below n; after the last byte, 0. */
static size_t draw(size_t n)
{
    const size_t value = decisions.at < decisions.end ? *decisions.at++ : 0;
    return value % n;
}

static bool one_in(size_t n) { return draw(n) == n - 1; }

/* Mostly what a pixel size or a number of bits may be, else one at a limit of something. */
static double draw_number(void)
{
    static const double limits[] = { 0,      -0.0, 1,        2,         -1,    8,          16,          32,
                                     33,     0.1,  1e10,     1e-10,     1e300, -1e300,     1e308,       -1e308,
                                     5e-324, NAN,  INFINITY, -INFINITY, 3e38,  2147483647, 2147483648., 1e19 };
    return one_in(3) ? limits[draw(sizeof limits / sizeof *limits)] : (double)(1 + draw(40)) / 8;
}

static const char *draw_text(void)
{
    static const char *const texts[] = { "m",   "nm", "[n_m]", "A",      "\xc3\x85",    "\xc2\xb5m", "x",
                                         "y",   "z",  "array", "1/m",    "deg",         "",          "  nm ",
                                         "pm",  "um", "px",    "angles", "[[[____]]]A", "Angstroms", "a\xff\xfe",
                                         "%s%n" };
    static char              longer[300];
    if (!one_in(12)) return texts[draw(sizeof texts / sizeof *texts)];
    const size_t n = 1 + draw(256);
    memset(longer, "nm_x["[draw(5)], n);
    longer[n] = '\0';
    return longer;
}

/* ---- Attributes ---- */

static void put_attribute(hid object, const char *name, hid type, hid space, const void *value)
{
    const hid attribute = make.Acreate2(object, name, type, space, 0, 0);
    if (attribute > 0 && value) (void)make.Awrite(attribute, type, value);
    if (attribute > 0) (void)make.Aclose(attribute);
}

static void put_number(hid object, const char *name, hid space)
{
    const double number = draw_number();
    const double two[2] = { number, number };
    const float  f[2] = { (float)number, (float)number };
    const int    i = fabs(number) < 1e9 ? (int)number : 0x7fffffff;
    const int    ints[2] = { i, i };
    switch (draw(6)) {
    case 0: put_attribute(object, name, make_constant("H5T_NATIVE_FLOAT_g"), space, f); return;
    case 1: put_attribute(object, name, make_constant("H5T_NATIVE_INT_g"), space, ints); return;
    case 2: put_attribute(object, name, make_constant("H5T_STD_I8BE_g"), space, ints); return;
    default: put_attribute(object, name, make_constant("H5T_NATIVE_DOUBLE_g"), space, two); return;
    }
}

/* Of variable length; or of a fixed one, which may cut it or be longer. */
static void put_text(hid object, const char *name, hid space)
{
    const hid   type = make.Tcopy(make_constant("H5T_C_S1_g"));
    const char *text = draw_text();
    char        fixed[640] = "";
    if (one_in(2)) {
        (void)make.Tset_size(type, SIZE_MAX);
        const char *pointers[2] = { text, text };
        put_attribute(object, name, type, space, one_in(9) ? NULL : pointers);
    } else {
        (void)make.Tset_size(type, one_in(3) ? 1 + draw(20) : strlen(text) + 1);
        (void)snprintf(fixed, sizeof fixed, "%s", text);
        put_attribute(object, name, type, space, fixed);
    }
    (void)make.Tclose(type);
}

/* An attribute that should be a number, or a text: it is mostly there, and mostly one of them. */
static void put_some(hid object, const char *name, bool is_text)
{
    if (one_in(6)) return;
    const uint64_t two = 2;
    const size_t   shape = draw(12);
    const hid      space = shape == 0   ? make.Screate(2)
                           : shape == 1 ? make.Screate_simple(1, &two, NULL)
                           : shape < 4  ? make.Screate_simple(1, (const uint64_t[]){ 1 }, NULL)
                                        : make.Screate(0);
    if (is_text != one_in(8)) put_text(object, name, space);
    else put_number(object, name, space);
    (void)make.Sclose(space);
}

/* ---- Datasets ---- */

enum { MOST = 4096 /* elements that are written */ };

/* Values by their index: small, so that every type holds them. */
static double value_of(uint64_t i) { return (double)(i * 7 % 100); }

/* Two floats as h5py has complex numbers; or not quite. Unlike those, the type may have gaps and another order. */
static hid draw_compound(void)
{
    const hid    f32 = make_constant("H5T_NATIVE_FLOAT_g"), f64 = make_constant("H5T_NATIVE_DOUBLE_g");
    const bool   is_double = one_in(3), swaps = one_in(6), has_gap = one_in(6);
    const size_t half = is_double || has_gap ? 8 : 4;
    const hid    type = make.Tcreate(TESS__H5_COMPOUND, 2 * half);
    (void)make.Tinsert(type, one_in(8) ? "x" : "r", swaps ? half : 0, is_double ? f64 : f32);
    (void)make.Tinsert(type, "i", swaps ? 0 : half, is_double && !one_in(8) ? f64 : f32);
    return type;
}

/* A type to be closed. Mostly `usual`, where that is not NULL. */
static hid draw_type(const char *usual)
{
    static const char *const names[] = { "H5T_NATIVE_INT8_g",   "H5T_NATIVE_UINT8_g",  "H5T_NATIVE_INT16_g",
                                         "H5T_NATIVE_UINT16_g", "H5T_NATIVE_INT32_g",  "H5T_NATIVE_UINT32_g",
                                         "H5T_NATIVE_INT64_g",  "H5T_NATIVE_UINT64_g", "H5T_NATIVE_FLOAT_g",
                                         "H5T_NATIVE_DOUBLE_g", "H5T_STD_I16BE_g",     "H5T_STD_U32BE_g",
                                         "H5T_IEEE_F32BE_g",    "H5T_IEEE_F64BE_g",    "H5T_STD_B8LE_g",
                                         "H5T_C_S1_g",          "H5T_NATIVE_LDOUBLE_g" };
    if (usual && !one_in(5)) return make.Tcopy(make_constant(usual));
    if (one_in(5)) return draw_compound();
    return make.Tcopy(make_constant(names[draw(sizeof names / sizeof *names)]));
}

/* Sizes: mostly small; else none, or more than there can be. */
static int draw_sizes(uint64_t sizes[5], int usual)
{
    static const uint64_t limits[] = { 0,          1000,       65536,      1 << 20,    (1u << 31) - 1,
                                       1ull << 31, 1ull << 33, 1ull << 40, 1ull << 62, UINT64_MAX - 1 };
    const int             rank = usual && !one_in(5) ? usual : (int)draw(6);
    const bool            is_odd = one_in(5);
    for (int k = 0; k < rank; k++)
        sizes[k] = is_odd && one_in(2) ? limits[draw(sizeof limits / sizeof *limits)] : 1 + draw(6);
    return rank;
}

/* In one piece, in its header, in chunks, compressed. */
static hid draw_layout(const uint64_t *sizes, int rank, bool *is_chunked)
{
    const hid    properties = make.Pcreate(make_constant("H5P_CLS_DATASET_CREATE_ID_g"));
    uint64_t     chunk[5];
    const size_t kind = draw(4);
    *is_chunked = rank > 0 && kind >= 2;
    if (kind == 1) (void)make.Pset_layout(properties, 0);
    for (int k = 0; k < rank; k++) chunk[k] = one_in(2) || !sizes[k] ? 1 + draw(4) : sizes[k] > 1000 ? 16 : sizes[k];
    if (*is_chunked) (void)make.Pset_chunk(properties, rank, chunk);
    if (*is_chunked && kind == 3) (void)make.Pset_deflate(properties, 6);
    return properties;
}

/* What the file is made of, as far as the test must know. */
static struct {
    bool has_holes; /* values that were not written */
    bool is_scaled; /* integers that may stand for a range */
    bool is_eman2;
} made;

/* All values, or those of index 0 along the first axis; imaginary parts are real ones + 1. Where there are too many, none:
 * libhdf5 crashes where the bytes of a dataset do not fit into 64 bits. */
static void put_values(hid data, bool is_complex, const uint64_t *sizes, int rank, bool is_part)
{
    double         values[2 * MOST];
    const uint64_t zeros[5] = { 0 };
    double         all_sizes = 1;
    uint64_t       n = 1, part[5] = { 1, 1, 1, 1, 1 };
    const hid      f64 = make_constant("H5T_NATIVE_DOUBLE_g"), pair = make.Tcreate(TESS__H5_COMPOUND, 16);
    hid            all = 0, memory = 0;
    for (int k = 0; k < rank; k++) {
        part[k] = is_part && k == 0 ? 1 : sizes[k];
        all_sizes *= (double)sizes[k];
        n = n <= MOST && part[k] <= MOST ? n * part[k] : MOST + 1;
    }
    for (uint64_t i = 0; n <= MOST && i < 2 * n; i++)
        values[i] = is_complex ? value_of(i / 2) + (double)(i % 2) : value_of(i);
    (void)make.Tinsert(pair, "r", 0, f64);
    (void)make.Tinsert(pair, "i", 8, f64);
    if (is_part) {
        all = make.Screate_simple(rank, sizes, NULL);
        memory = make.Screate_simple(1, &n, NULL);
        (void)make.Sselect_hyperslab(all, TESS__H5_SELECT_SET, zeros, NULL, part, NULL);
    }
    if (n > MOST || all_sizes > 1e15) made.has_holes = true;
    else (void)make.Dwrite(data, is_complex ? pair : f64, memory, all, 0, values);
    if (all > 0) (void)make.Sclose(all);
    if (memory > 0) (void)make.Sclose(memory);
    (void)make.Tclose(pair);
}

/* A dataset, open; 0: libhdf5 would not make it. */
static hid put_dataset(hid at, const char *name, const char *usual_type, int usual_rank)
{
    uint64_t   sizes[5], unlimited[5];
    bool       is_chunked;
    const int  rank = draw_sizes(sizes, usual_rank);
    const hid  properties = draw_layout(sizes, rank, &is_chunked);
    const bool is_part = is_chunked && one_in(6), is_empty = one_in(12), grows = is_chunked && one_in(4);
    for (int k = 0; k < rank; k++) unlimited[k] = UINT64_MAX;
    const hid type = draw_type(usual_type);
    const hid space =
        rank ? make.Screate_simple(rank, sizes, grows ? unlimited : NULL) : make.Screate(one_in(2) ? 2 : 0);
    const hid data = make.Dcreate2(at, name, type, space, 0, properties, 0);
    if (data > 0 && !is_empty) put_values(data, make.Tget_class(type) == TESS__H5_COMPOUND, sizes, rank, is_part);
    made.has_holes |= is_part || is_empty;
    (void)make.Tclose(type);
    if (space > 0) (void)make.Sclose(space);
    (void)make.Pclose(properties);
    return data > 0 ? data : 0;
}

#endif
