/* Affine matrices of z, y, x as the library takes them. */
#include "measure/matrices.h"

#include <string.h>

tess_status matrices_array(tess_array *out, const tess_mat34_f64 *matrices, int64_t n, bool volume)
{
    TESS_TRY(tess_empty(out, volume ? TESS_SHAPE(n, 1, 3, 4) : TESS_SHAPE(n, 1, 2, 3), TESS_F64, tess_cpu()));
    double *to = out->data;
    for (int64_t i = 0; i < n; ++i) {
        const double *m = matrices[i].at;
        if (volume) memcpy(to + 12 * i, m, 12 * sizeof *m);
        for (int k = 0; k < 6 && !volume; ++k) to[6 * i + k] = m[(k / 3 + 1) * 4 + k % 3 + 1];
    }
    return TESS_OK;
}
