/* NPY header: a magic number, a version, and a Python dict literal as text. */
#ifndef TESS_IO_NPY_HEADER_H
#define TESS_IO_NPY_HEADER_H

#include "tessera/io.h"

/* Bytes that tell the size of the header. */
enum { TESS__NPY_START = 12 };

/* Bytes that tess__npy_make may need. */
enum { TESS__NPY_MAX_HEADER = 256 };

typedef struct tess__npy {
    tess_dtype dtype;
    bool       big_endian;
    bool       fortran;
    int        rank;        /* 0 to 4 */
    int64_t    sizes[4];    /* the first `rank` of them */
    int64_t    data_offset; /* bytes of the header */
    int64_t    data_size;   /* bytes of the elements */
} tess__npy;

/* Is this the beginning of NPY data? */
bool tess__npy_is(const unsigned char *bytes, int64_t n);

/* Size of the header, from its first n bytes (at most TESS__NPY_START, fewer if shorter). `name` is the file's. */
tess_status tess__npy_length(int64_t *length, const char *name, const unsigned char *start, int64_t n);

/* Parse a header of `length` bytes. Sizes are not negative and data_size does not overflow. */
tess_status tess__npy_parse(tess__npy *npy, const char *name, const unsigned char *bytes, int64_t length);

/* Write the header of an array in C order with the last `rank` of its axes, version 1.0; `bytes` has
 * TESS__NPY_MAX_HEADER. */
tess_status tess__npy_make(unsigned char *bytes, int64_t *length, const char *name, tess_shape shape, int rank,
                           tess_dtype dtype, bool big_endian);

#endif
