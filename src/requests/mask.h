/* Elements selected by a mask: counted, compressed or replaced. */
#ifndef TESS_REQUESTS_MASK_H
#define TESS_REQUESTS_MASK_H

#include "tessera/array.h"

/* Work with elements chosen by a mask, in b, d, h, w order. */
enum {
    TESS__MASK_COUNT,    /* fill `counts`, and `*total` if it is not NULL */
    TESS__MASK_COMPRESS, /* chosen elements of `array` to `values`, their indices to `indices` */
    TESS__MASK_PLACE     /* `values` in order to the chosen elements of `array`; there must be as many */
};

/* The elements of a block, whose chosen ones are counted first. */
enum { TESS__MASK_BLOCK = 8192 };

/* Plain data. */
typedef struct tess__mask {
    const char *name;
    int32_t     kind;    /* a TESS__MASK_ */
    tess_array  array;   /* whose elements are chosen */
    tess_array  mask;    /* of its shape */
    tess_array  counts;  /* i64, contiguous: how many each block has */
    tess_array  values;  /* contiguous, of array's dtype; data NULL: not wanted */
    bool        same;    /* TESS__MASK_PLACE: `values` are a block of copies of one number, for all; no counts */
    tess_array  indices; /* contiguous, i64; data NULL: not wanted */
    int64_t    *total;
} tess__mask;

#endif
