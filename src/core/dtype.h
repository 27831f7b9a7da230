/* Properties of an element type; see tessera/dtype.h. */
#ifndef TESS_CORE_DTYPE_H
#define TESS_CORE_DTYPE_H

#include "tessera/dtype.h"

typedef struct tess__dtype_row {
    const char *name;
    uint8_t     size;  /* bytes of an element */
    uint8_t     real;  /* a tess_dtype */
    uint8_t     reals; /* how many of them */
    uint8_t     kind;  /* a tess_kind */
} tess__dtype_row;

/* Indexed by tess_dtype; row 0 is "none" with size 0. */
extern const tess__dtype_row tess__dtypes[TESS_DTYPE_COUNT];

static inline bool tess__dtype_valid(tess_dtype dtype) { return dtype > 0 && dtype < TESS_DTYPE_COUNT; }

/* Of a valid dtype. */
static inline int64_t tess__dtype_size(tess_dtype dtype) { return tess__dtypes[dtype].size; }

/* Bytes of one real, which is also the alignment an element needs. */
static inline int64_t tess__dtype_alignment(tess_dtype dtype) { return tess__dtypes[tess__dtypes[dtype].real].size; }

#endif
