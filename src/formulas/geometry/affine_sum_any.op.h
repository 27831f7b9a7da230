/* The text of affine_sum.op.h for one type of reals: included there, with the macros that it sets, and undefined here.
 * Complex elements are two reals beside each other: `parts` is 2, and each is a sum of its own. */
#include "tessera/math/fn.h"

#ifdef TESS__SAMPLE

#define TESS__S_CAT_(a, b) a##b
#define TESS__S_CAT(a, b) TESS__S_CAT_(a, b)
#define TESS__S(name) TESS__S_CAT(name, TESS__SAMPLE_NAME)
#define TESS__T TESS__SAMPLE

/* A window: its first elements and its weights, along z, y, x. */
typedef struct TESS__S(tess__sum_taps_) {
    int64_t first[3];
    TESS__T w[3][TESS__SUM_TAPS];
} TESS__S(tess__sum_taps_);

/* One part of an element, or what is outside. */
TESS__FAST_FN TESS__T TESS__S(tess__sum_tap_)(const tess__sum_source *s, int parts, int part, int64_t z, int64_t y,
                                              int64_t x)
{
    if ((z < 0) | (y < 0) | (x < 0)) return (TESS__T)s->outside[part];
    return ((const TESS__T *)s->data)[(z * s->stride[0] + y * s->stride[1] + x * s->stride[2]) * parts + part];
}

/* A window that reaches outside, tap by tap. */
TESS_FN TESS__T TESS__S(tess__sum_edge_)(const tess__sum_source *s, const TESS__S(tess__sum_taps_) * a, int taps,
                                         int parts, int part)
{
    const int         deep = s->dims == 3 ? taps : 1;
    const tess_border border = (tess_border)s->border;
    TESS__T           all = 0, plane = 0, row = 0;
    for (int z = 0; z < deep; z++) {
        const int64_t at_z = s->dims == 3 ? tess_border_index(border, a->first[0] + z, s->shape[0]) : 0;
        for (int y = 0; y < taps; y++) {
            const int64_t at_y = tess_border_index(border, a->first[1] + y, s->shape[1]);
            for (int x = 0; x < taps; x++) {
                const int64_t at_x = tess_border_index(border, a->first[2] + x, s->shape[2]);
                const TESS__T v = TESS__S(tess__sum_tap_)(s, parts, part, at_z, at_y, at_x);
                row = x == 0 ? a->w[2][0] * v : TESS__SAMPLE_FMA(a->w[2][x], v, row);
            }
            plane = y == 0 ? a->w[1][0] * row : TESS__SAMPLE_FMA(a->w[1][y], row, plane);
        }
        if (s->dims == 2) return plane;
        all = z == 0 ? a->w[0][0] * plane : TESS__SAMPLE_FMA(a->w[0][z], plane, all);
    }
    return all;
}

/* A window that is inside. */
TESS__FAST_FN TESS__T TESS__S(tess__sum_inner_)(const tess__sum_source *s, const TESS__S(tess__sum_taps_) * a, int taps,
                                                int parts, int part)
{
    const int      deep = s->dims == 3 ? taps : 1;
    const int64_t  at_z = s->dims == 3 ? a->first[0] * s->stride[0] : 0;
    const int64_t  sz = s->stride[0] * parts, sy = s->stride[1] * parts, sx = s->stride[2] * parts;
    const TESS__T *p =
        (const TESS__T *)s->data + (at_z + a->first[1] * s->stride[1] + a->first[2] * s->stride[2]) * parts + part;
    TESS__T all = 0, plane = 0, row = 0;
    for (int z = 0; z < deep; z++) {
        for (int y = 0; y < taps; y++) {
            for (int x = 0; x < taps; x++) {
                const TESS__T v = p[z * sz + y * sy + x * sx];
                row = x == 0 ? a->w[2][0] * v : TESS__SAMPLE_FMA(a->w[2][x], v, row);
            }
            plane = y == 0 ? a->w[1][0] * row : TESS__SAMPLE_FMA(a->w[1][y], row, plane);
        }
        if (s->dims == 2) return plane;
        all = z == 0 ? a->w[0][0] * plane : TESS__SAMPLE_FMA(a->w[0][z], plane, all);
    }
    return all;
}

/* The array at coordinates c, in `parts` numbers. */
TESS__FAST_FN void TESS__S(tess__sum_sample_)(TESS__T *result, const tess__sum_source *s, int32_t method, int parts,
                                              const double *c)
{
    const int taps = tess__interp_taps(method);
    TESS__S(tess__sum_taps_) a;
    int inside = 1, outside = 0;
    for (int k = 3 - s->dims; k < 3; k++) {
        double t;
        a.first[k] = tess__sum_window(method, c[k], &t);
        inside &= (a.first[k] >= 0) & (a.first[k] + taps <= s->shape[k]);
        outside |= (a.first[k] + taps <= 0) | (a.first[k] >= s->shape[k]);
        TESS__S(tess__interp_weights_)(method, (TESS__T)t, a.w[k]);
    }
    const int constant = (s->border == TESS_BORDER_ZERO) | (s->border == TESS_BORDER_VALUE);
    for (int part = 0; part < parts; part++)
        result[part] = inside               ? TESS__S(tess__sum_inner_)(s, &a, taps, parts, part)
                       : outside & constant ? (TESS__T)s->outside[part]
                                            : TESS__S(tess__sum_edge_)(s, &a, taps, parts, part);
}

#undef TESS__S_CAT_
#undef TESS__S_CAT
#undef TESS__S
#undef TESS__T
#undef TESS__SAMPLE
#undef TESS__SAMPLE_NAME
#undef TESS__SAMPLE_FMA

#endif
