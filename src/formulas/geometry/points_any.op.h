/* The text of points.op.h for one type of reals: included there, with the macros that it sets, and undefined here. */
#include "tessera/math/fn.h"

#ifdef TESS__POINT

#define TESS__P_CAT_(a, b) a##b
#define TESS__P_CAT(a, b) TESS__P_CAT_(a, b)
#define TESS__P(name) TESS__P_CAT(name, TESS__POINT_NAME)
#define TESS__T TESS__POINT

/* ---- Samples ---- */

/* A sample whose window may reach outside; 0: there is none. */
TESS_FN int TESS__P(tess__point_edge_)(TESS__T *result, const tess__transform_source *s, int dims, int parts,
                                       int method, int cut, const double *c)
{
    const int constant = (s->border == TESS_BORDER_ZERO) | (s->border == TESS_BORDER_VALUE);
    if ((cut && tess__point_is_beyond(s->shape, dims, c)) || (constant && tess__point_is_far(s->shape, dims, c))) {
        for (int part = 0; part < parts; part++) result[part] = (TESS__T)s->outside[part];
        return 1;
    }
    tess__transform_source inner = *s; /* whose value outside is that of `cut`: the border ZERO has another */
    if (s->border == TESS_BORDER_ZERO) inner.outside[0] = inner.outside[1] = 0;
    return TESS__P(tess__sample_edge_)(result, &inner, dims, parts, method, c);
}

/* Any sample. */
TESS__FAST_FN int TESS__P(tess__point_sample_)(TESS__T *result, const tess__transform_source *s, int dims, int parts,
                                               int method, int cut, const double *c)
{
    /* The window of a nearest element may be inside where its point is beyond an end. */
    const int skip = cut && method == TESS_INTERP_NEAREST && tess__point_is_beyond(s->shape, dims, c);
    return (!skip && TESS__P(tess__sample_inside_)(result, s, dims, parts, method, c)) ||
           TESS__P(tess__point_edge_)(result, s, dims, parts, method, cut, c);
}

/* ---- The adjoint ---- */

/* A window along an axis: elements that stand for its taps, -1: none; their weights. */
typedef struct TESS__P(tess__point_axis_) {
    int64_t index[TESS__TRANSFORM_TAPS];
    TESS__T w[TESS__TRANSFORM_TAPS];
} TESS__P(tess__point_axis_);

/* The elements that the windows of a method stand for, at coordinate c of n elements, and the fraction of c. */
TESS__FAST_FN double TESS__P(tess__point_taps_)(TESS__P(tess__point_axis_) * a, int method, double c, int64_t n,
                                                int32_t border)
{
    double        t;
    const int     taps = tess__interp_taps(method);
    const int64_t first = tess__transform_window(method, c, &t);
    if ((first >= 0) & (first + taps <= n)) {
        TESS__UNROLL_ALL
        for (int k = 0; k < taps; k++) a->index[k] = first + k;
    } else {
        TESS__UNROLL_ALL
        for (int k = 0; k < taps; k++) a->index[k] = tess_border_index((tess_border)border, first + k, n);
    }
    return t;
}

TESS__FAST_FN void TESS__P(tess__point_weights_)(TESS__P(tess__point_axis_) * a, int method, double t)
{
    if (tess__interp_taps(method) == 1) {
        a->w[0] = 1;
    } else if (tess__interp_taps(method) == 2) {
        a->w[1] = TESS__P(tess__interp_fraction_)(method, (TESS__T)t);
        a->w[0] = 1 - a->w[1];
    } else {
        TESS__P(tess__interp_weights_)(method, (TESS__T)t, a->w);
    }
}

/* Whether a value at c is added: not at a NaN, nor, with the border NOTHING or `cut`, beyond the array. */
TESS_FN int TESS__P(tess__point_counts_)(const tess__transform_source *s, int dims, int cut, const double *c)
{
    for (int k = 3 - dims; k < 3; k++)
        if (c[k] != c[k]) return 0;
    if (cut && tess__point_is_beyond(s->shape, dims, c)) return 0;
    return s->border != TESS_BORDER_NOTHING || TESS__P(tess__sample_near_)(s, dims, c);
}

#undef TESS__P_CAT_
#undef TESS__P_CAT
#undef TESS__P
#undef TESS__T
#undef TESS__POINT
#undef TESS__POINT_NAME

#endif
