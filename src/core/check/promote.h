/* Type promotion: the dtype that an operation computes in, from those of its inputs. */
#ifndef TESS_CORE_CHECK_PROMOTE_H
#define TESS_CORE_CHECK_PROMOTE_H

#include "tessera/array.h"

/* The common dtype of n arrays of scalars. Weak scalars are ignored, unless all are weak: then f64. A weak scalar that
 * integers cannot hold makes f64 of them. Inputs are of scalar dtypes. */
tess_dtype tess__promote_all(const tess_array *const *inputs, int n);

/* The same with a fast path: one dtype of all that are not weak, which no weak number changes if it is a
 * float or complex one. */
static inline tess_dtype tess__promote(const tess_array *const *inputs, int n)
{
    tess_dtype common = TESS_DTYPE_NONE;
    bool       weak = false;
    for (int k = 0; k < n; k++) {
        const tess_dtype dtype = inputs[k]->dtype;
        if (inputs[k]->flags & TESS_WEAK) weak = true;
        else if (common == TESS_DTYPE_NONE || common == dtype) common = dtype;
        else return tess__promote_all(inputs, n);
    }
    return common >= TESS_F16 || (common != TESS_DTYPE_NONE && !weak) ? common : tess__promote_all(inputs, n);
}

/* The float or complex that a function such as sqrt is computed in: f32 for bool and integers up to 16 bits, f64 for
 * wider ones, floats and complex themselves. */
tess_dtype tess__float_of(tess_dtype dtype);

/* The dtype that many of them are summed to: i64 and u64 for integers, f32 for f16, c32 for c16. */
tess_dtype tess__sum_of(tess_dtype dtype);

/* f32 for f16 and c32 for c16, which they are computed in; all others as they are. */
static inline tess_dtype tess__half_to_single(tess_dtype dtype)
{
    return dtype == TESS_F16 ? TESS_F32 : dtype == TESS_C16 ? TESS_C32 : dtype;
}

#endif
