/* What the operations of correlation share: checks and the dtypes they compute in. */
#ifndef TESS_OPS_SIGNAL_CORRELATE_CORRELATE_H
#define TESS_OPS_SIGNAL_CORRELATE_CORRELATE_H

#include "core/table/table.h"
#include "tessera/correlate.h"

extern const tess_choice tess__correlate_modes[];

/* f32 for numbers that it holds exactly, else f64; c32 or c64 of complex ones. */
tess_dtype tess__correlate_dtype(tess_dtype a, tess_dtype b);

/* The factors that move lag 0 to n/2, of rows and of columns; zeroed where it stays at 0. To be released. */
typedef struct tess__correlate_factors {
    tess_array row, column;
} tess__correlate_factors;

tess_status tess__correlate_factors_make(tess__correlate_factors *factors, tess_shape shape, tess_dtype dtype,
                                         tess_device device);
void        tess__correlate_factors_release(tess__correlate_factors *factors);

/* The product of two half spectra of the same complex dtype, c16, c32 or c64, in a mode: that of c16 is c32. `out` may
 * be either of them, of c32 and c64. */
tess_status tess__correlate_product(tess_array *out, const tess_array *lhs, const tess_array *rhs, int mode,
                                    tess__correlate_factors *factors);

/* The b of two arrays, one of which may be 1; names are for the message. */
tess_status tess__check_batches(int64_t *b, const char *fn, const char *arg, const tess_array *a, const char *other,
                                const tess_array *with);

/* Real numbers. */
tess_status tess__check_real(const char *fn, const char *arg, const tess_array *a);

#endif
