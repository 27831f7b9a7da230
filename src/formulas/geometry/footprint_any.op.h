/* The text of footprint.op.h for one type of reals: included there, with the macros that it sets, and undefined here.
 * */
#include "tessera/math/fn.h"

#ifdef TESS__SAMPLE

#define TESS__S_CAT_(a, b) a##b
#define TESS__S_CAT(a, b) TESS__S_CAT_(a, b)
#define TESS__S(name) TESS__S_CAT(name, TESS__SAMPLE_NAME)
#define TESS__T TESS__SAMPLE

/* The weight of pixel `at` along an axis for a voxel that falls on coordinate c. */
TESS__FAST_FN TESS__T TESS__S(tess__footprint_weight_)(int32_t method, double c, int64_t at)
{
    TESS__T       w[TESS__SUM_TAPS];
    double        t;
    const int64_t tap = at - tess__sum_window(method, c, &t);
    if ((tap < 0) | (tap >= tess__interp_taps(method))) return 0;
    TESS__S(tess__interp_weights_)(method, (TESS__T)t, w);
    return w[tap];
}

/* Add the voxels columns[0] to columns[1] of a row of a plane. */
TESS__FAST_FN void TESS__S(tess__footprint_row_)(double *sum, const tess__sum_source *s, const tess__footprint_view *v,
                                                 int parts, const int64_t *pixel, int64_t *voxel,
                                                 const int64_t *columns)
{
    for (int64_t i = columns[0]; i <= columns[1]; i++) {
        voxel[v->column] = i;
        const tess__sum_row row = tess__sum_row_of(v->map, 0, (double)voxel[0], (double)voxel[1]);
        const int32_t       method = tess__sum_method(&row, 2, v->method);
        const TESS__T       y =
            TESS__S(tess__footprint_weight_)(method, tess__sum_coordinate(&row, 1, (double)voxel[2]), pixel[0]);
        if (y == 0) continue;
        const TESS__T x =
            TESS__S(tess__footprint_weight_)(method, tess__sum_coordinate(&row, 2, (double)voxel[2]), pixel[1]);
        if (x == 0) continue;
        const TESS__T *at = (const TESS__T *)s->data +
                            (voxel[0] * s->stride[0] + voxel[1] * s->stride[1] + voxel[2] * s->stride[2]) * parts;
        for (int part = 0; part < parts; part++)
            sum[part] = __builtin_fma((double)(y * x), (double)at[part], sum[part]);
    }
}

/* The sum of all voxels for a pixel (h, w), to sum[parts]. */
TESS_FN void TESS__S(tess__footprint_)(double *sum, const tess__sum_source *s, const tess__footprint_view *v, int parts,
                                       int64_t h, int64_t w)
{
    const int64_t pixel[2] = { h, w };
    const double  point[2] = { (double)h, (double)w }, reach = tess__footprint_reach(v->method, 1);
    const double  both[2] = { reach, reach };
    int64_t       voxel[3], rows[2], columns[2];
    double        left[2];
    for (int part = 0; part < parts; part++) sum[part] = 0;
    for (int64_t plane = 0; plane < s->shape[v->plane]; plane++) {
        voxel[v->plane] = plane;
        tess__footprint_rows(rows, left, v, point, both, plane, s->shape[v->row]);
        for (int64_t row = rows[0]; row <= rows[1]; row++) {
            voxel[v->row] = row;
            tess__footprint_columns(columns, v, left, both, row, s->shape[v->column]);
            TESS__S(tess__footprint_row_)(sum, s, v, parts, pixel, voxel, columns);
        }
    }
}

#undef TESS__S_CAT_
#undef TESS__S_CAT
#undef TESS__S
#undef TESS__T
#undef TESS__SAMPLE
#undef TESS__SAMPLE_NAME

#endif
