/* Binning: sums or means of blocks. */
#ifndef TESS_REQUESTS_BIN_H
#define TESS_REQUESTS_BIN_H

#include "tessera/array.h"

/* Sums or means of blocks; the last block along an axis may be incomplete. Plain data. */
typedef struct tess__bin {
    const char *name;
    tess_array  out, in; /* not empty */
    int64_t     factor[4];
    bool        mean;
} tess__bin;

/* Blocks of two rows of two f32 numbers: their sums are f32, and f64 only where those are not finite. */
static inline bool tess__bin_is_quad(const tess__bin *work)
{
    const bool two_rows = work->factor[0] * work->factor[1] * work->factor[2] == 2;
    return work->in.dtype == TESS_F32 && work->out.dtype == TESS_F32 && two_rows && work->factor[3] == 2;
}

#endif
