/* Row conversions between dtypes, real and complex, composed of the cast kernels. */
#ifndef TESS_CPU_CONVERT_CONVERT_H
#define TESS_CPU_CONVERT_CONVERT_H

#include "cpu/convert/kernels.h"
#include "requests/ewise.h"

/* Kernels that together convert a row; what is not needed is NULL. */
typedef struct tess__conversion {
    tess__row_fn *row;                         /* to be called, with this struct as its param */
    tess__row_fn *real;                        /* the parts, or the only one */
    tess__row_fn *part;                        /* complex to real, before `real` */
    tess__row_fn *zero;                        /* sets imaginary parts */
    int           real_size_in, real_size_out; /* bytes of a real */
} tess__conversion;

/* `mode` is TESS__CLAMP or TESS__WRAP; `part`, for complex to real, TESS_PART_ABS or TESS_PART_POWER. */
tess__conversion tess__conversion_of(tess_dtype from, tess_dtype to, int mode, int part);

/* Before a lossless cast: TESS_ERANGE, with the position and value of the first element that would change. */
tess_status tess__check_lossless(const tess__ewise *work);

#endif
