/* Matrices of arrays: how they are converted, and what factorisations of all kinds need. */
#include "cpu/linalg/matrices.h"

#include <math.h>

#include "core/dtype.h"

tess__matrices tess__matrices_of(const tess_array *a, tess_dtype from, tess_dtype to)
{
    return (tess__matrices){ .conversion = tess__conversion_of(from, to, TESS__CLAMP, TESS_PART_DEFAULT),
                             .strides = { a->strides.h, a->strides.w },
                             .size = tess__dtype_size(a->dtype) };
}

tess__power tess__power_of_two(int exponent)
{
    const int second = exponent > 1023 ? exponent - 1023 : 0;
    return (tess__power){ ldexp(1, exponent - second), ldexp(1, second) };
}

void tess__sort_falling(const double *size, int64_t *order, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0 && size[order[at - 1]] < size[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}
