/* The text of transform.op.h for one type of reals: included there, with the macros that it sets, and undefined here.
 * Complex elements are two reals beside each other, `parts` is 2, and each is a sum of its own. */
#include "tessera/math/fn.h"

#ifdef TESS__SAMPLE

#define TESS__S_CAT_(a, b) a##b
#define TESS__S_CAT(a, b) TESS__S_CAT_(a, b)
#define TESS__S(name) TESS__S_CAT(name, TESS__SAMPLE_NAME)
#define TESS__T TESS__SAMPLE

/* Weights of an axis; where two elements are mixed, w[0] is the fraction of the second. */
TESS__FAST_FN void TESS__S(tess__sample_weights_)(int method, double t, TESS__T *w)
{
    if (tess__interp_taps(method) == 2) w[0] = TESS__S(tess__interp_fraction_)(method, (TESS__T)t);
    else TESS__S(tess__interp_weights_)(method, (TESS__T)t, w);
}

/* The sum of the first k taps of an axis with tap k, which is `value`. */
TESS__FAST_FN TESS__T TESS__S(tess__sample_add_)(int method, int k, const TESS__T *w, TESS__T value, TESS__T sum)
{
    if (tess__interp_taps(method) == 1) return value;
    if (tess__interp_taps(method) == 2) return k == 0 ? value : TESS__SAMPLE_FMA(w[0], value - sum, sum);
    return k == 0 ? w[0] * value : TESS__SAMPLE_FMA(w[k], value, sum);
}

/* ---- Windows that reach outside ---- */

/* Whether tap k of an axis has no weight. */
TESS__FAST_FN int TESS__S(tess__sample_is_idle_)(int taps, int k, const TESS__T *w)
{
    return taps == 1 ? 0 : taps == 2 ? w[0] == (TESS__T)(1 - k) : w[k] == 0;
}

/* Of a window along an axis: elements that stand for its taps, -1: none; taps without weight; weights. */
typedef struct TESS__S(tess__sample_axis_) {
    int64_t index[TESS__TRANSFORM_TAPS];
    int     idle[TESS__TRANSFORM_TAPS];
    TESS__T w[TESS__TRANSFORM_TAPS];
    int     any; /* a tap is inside */
} TESS__S(tess__sample_axis_);

TESS_FN void TESS__S(tess__sample_axis_of_)(TESS__S(tess__sample_axis_) * a, int method, double c, int64_t n,
                                            int32_t border)
{
    double        t;
    const int     taps = tess__interp_taps(method);
    const int64_t first = tess__transform_window(method, c, &t);
    TESS__S(tess__sample_weights_)(method, t, a->w);
    a->any = (first < n) & (first + taps > 0);
    for (int k = 0; k < taps; k++) {
        a->index[k] = tess_border_index((tess_border)border, first + k, n);
        a->idle[k] = TESS__S(tess__sample_is_idle_)(taps, k, a->w);
    }
}

/* One part of tap z, y, x. */
TESS_FN TESS__T TESS__S(tess__sample_tap_)(const tess__transform_source *s, int           dims,
                                           const TESS__S(tess__sample_axis_) * a, int64_t z, int64_t y, int64_t x,
                                           int parts)
{
    const int64_t k = dims == 3 ? a[0].index[z] : 0, i = a[1].index[y], j = a[2].index[x];
    const int     idle = (dims == 3 ? a[0].idle[z] : 0) | a[1].idle[y] | a[2].idle[x];
    if ((k < 0) | (i < 0) | (j < 0)) return idle ? (TESS__T)0 : (TESS__T)s->outside[0];
    return ((const TESS__T *)s->data)[(k * s->stride[0] + i * s->stride[1] + j * s->stride[2]) * parts];
}

/* The sum of one part: that which `s` has first. */
TESS_FN TESS__T TESS__S(tess__sample_part_)(const tess__transform_source *s, int dims, int parts, int method,
                                            const TESS__S(tess__sample_axis_) * a)
{
    const int taps = tess__interp_taps(method), deep = dims == 3 ? taps : 1;
    TESS__T   all = 0;
    for (int z = 0; z < deep; z++) {
        TESS__T plane = 0;
        for (int y = 0; y < taps; y++) {
            TESS__T row = 0;
            for (int x = 0; x < taps; x++)
                row = TESS__S(tess__sample_add_)(method, x, a[2].w,
                                                 TESS__S(tess__sample_tap_)(s, dims, a, z, y, x, parts), row);
            plane = TESS__S(tess__sample_add_)(method, y, a[1].w, row, plane);
        }
        all = dims == 2 ? plane : TESS__S(tess__sample_add_)(method, z, a[0].w, plane, all);
    }
    return all;
}

/* Whether the nearest element exists along all axes. */
TESS_FN int TESS__S(tess__sample_near_)(const tess__transform_source *s, int dims, const double *c)
{
    for (int k = 3 - dims; k < 3; k++)
        if (!((c[k] >= -0.5) & (c[k] < (double)s->shape[k] - 0.5))) return 0;
    return 1;
}

/* Any window; with the border NOTHING positions beyond the array give no result, and 0 is returned. */
TESS_FN int TESS__S(tess__sample_edge_)(TESS__T *result, const tess__transform_source *s, int dims, int parts,
                                        int method, const double *c)
{
    TESS__S(tess__sample_axis_) a[3];
    double    unknown = 0;
    int       any = 1;
    const int left = s->border == TESS_BORDER_NOTHING;
    if (left && !TESS__S(tess__sample_near_)(s, dims, c)) return 0;
    for (int k = 3 - dims; k < 3; k++) {
        TESS__S(tess__sample_axis_of_)(&a[k], method, c[k], s->shape[k], left ? TESS_BORDER_CLAMP : s->border);
        any &= a[k].any;
        if (c[k] != c[k]) unknown = c[k];
    }
    const int constant = (s->border == TESS_BORDER_ZERO) | (s->border == TESS_BORDER_VALUE);
    for (int part = 0; part < parts; part++) {
        tess__transform_source one = *s;
        one.data = (const TESS__T *)s->data + part;
        one.outside[0] = s->outside[part];
        result[part] = unknown != unknown ? (TESS__T)unknown
                       : constant && !any ? (TESS__T)one.outside[0]
                                          : TESS__S(tess__sample_part_)(&one, dims, parts, method, a);
    }
    return 1;
}

/* ---- Windows inside, and any ---- */

/* The input at coordinates c, in `parts` numbers; 0, and nothing is written: the window reaches outside. */
TESS__FAST_FN int TESS__S(tess__sample_inside_)(TESS__T *result, const tess__transform_source *s, int dims, int parts,
                                                int method, const double *c)
{
    TESS__T       w[3][TESS__TRANSFORM_TAPS];
    const int     taps = tess__interp_taps(method), deep = dims == 3 ? taps : 1;
    int64_t       at = 0;
    int           inside = 1;
    const int64_t sz = s->stride[0] * parts, sy = s->stride[1] * parts, sx = s->stride[2] * parts;
    TESS__UNROLL_ALL
    for (int k = 3 - dims; k < 3; k++) {
        double        t;
        const int64_t i = tess__transform_window(method, c[k], &t), starts = s->shape[k] - taps + 1;
        inside &= (i >= 0) & (i < starts) & (t == t);
        at += i * s->stride[k];
        TESS__S(tess__sample_weights_)(method, t, w[k]);
    }
    if (!inside) return 0;
    const TESS__T *p = (const TESS__T *)s->data + at * parts;
    for (int part = 0; part < parts; part++, p++) {
        TESS__T all = 0;
        TESS__UNROLL_Z
        for (int z = 0; z < deep; z++) {
            TESS__T plane = 0;
            TESS__UNROLL_ALL
            for (int y = 0; y < taps; y++) {
                TESS__T row = 0;
                TESS__UNROLL_ALL
                for (int x = 0; x < taps; x++)
                    row = TESS__S(tess__sample_add_)(method, x, w[2], p[z * sz + y * sy + x * sx], row);
                plane = TESS__S(tess__sample_add_)(method, y, w[1], row, plane);
            }
            all = dims == 2 ? plane : TESS__S(tess__sample_add_)(method, z, w[0], plane, all);
        }
        result[part] = all;
    }
    return 1;
}

/* The same for any window; 0: there is no result. */
TESS__FAST_FN int TESS__S(tess__sample_)(TESS__T *result, const tess__transform_source *s, int dims, int parts,
                                         int method, const double *c)
{
    return TESS__S(tess__sample_inside_)(result, s, dims, parts, method, c) ||
           TESS__S(tess__sample_edge_)(result, s, dims, parts, method, c);
}

#undef TESS__S_CAT_
#undef TESS__S_CAT
#undef TESS__S
#undef TESS__T
#undef TESS__SAMPLE
#undef TESS__SAMPLE_NAME
#undef TESS__SAMPLE_FMA

#endif
