/* Masks in Fourier space: how far a frequency lies outside a shape around zero frequency, and the raised-cosine edge of
 * the shape. */
#ifndef TESS_FORMULAS_FOURIER_MASK_OP_H
#define TESS_FORMULAS_FOURIER_MASK_OP_H

#include "formulas/ctf.op.h"
#include "formulas/filter_spec.op.h"
#include "tessera/constants.h"

/* Constants of the parameters of a batch; vectors are (d, h, w). */
typedef struct tess__mask_values {
    double along[3];  /* WEDGE: its middle, a unit vector; CONE: its direction, too; ELLIPSOID: reciprocals of radii */
    double across[3]; /* WEDGE: normal of its middle plane */
    double cosine, sine; /* WEDGE, CONE: of half the opening */
    double limit;        /* CROSS */
    double width, inverse_width, keep;
} tess__mask_values;

/* Distances from a surface, in cycles per pixel, that are taken for rounding: the surface itself is inside. */
#define TESS__MASK_ROUNDING 1e-12

TESS_FN void tess__mask_wedge_of(tess__mask_values *v, const tess__filter_spec *s, const double *p)
{
    const int    low = s->axes & 4 ? 1 : 2, high = s->axes & 1 ? 1 : 0; /* of the plane across the axis */
    const double middle = 0.5 * (p[TESS__MASK_SIZE] + p[TESS__MASK_SIZE + 1]);
    const double half = 0.5 * (p[TESS__MASK_SIZE + 1] - p[TESS__MASK_SIZE]);
    const double c = tess__cos_f64(middle), sn = tess__sin_f64(middle);
    v->along[low] = c, v->along[high] = sn;
    v->across[low] = -sn, v->across[high] = c;
    v->cosine = tess__cos_f64(half), v->sine = tess__sin_f64(half);
}

TESS_FN void tess__mask_cone_of(tess__mask_values *v, const double *p)
{
    const double *n = p + TESS__MASK_DIRECTION;
    const double  length = __builtin_sqrt(__builtin_fma(n[0], n[0], __builtin_fma(n[1], n[1], n[2] * n[2])));
    for (int k = 0; k < 3; k++) v->along[k] = n[k] / length;
    v->cosine = tess__cos_f64(p[TESS__MASK_SIZE]), v->sine = tess__sin_f64(p[TESS__MASK_SIZE]);
}

TESS_FN void tess__mask_values_of(tess__mask_values *v, const tess__filter_spec *s, const double *p)
{
    for (int k = 0; k < 3; k++) v->along[k] = v->across[k] = 0.0;
    v->cosine = v->sine = 0.0;
    v->limit = p[TESS__MASK_SIZE];
    v->width = p[TESS__MASK_WIDTH] > 1e-6 ? p[TESS__MASK_WIDTH] : 0.0;
    v->inverse_width = 1.0 / v->width;
    v->keep = p[TESS__MASK_KEEP];
    if (s->mode == TESS__MASK_WEDGE) tess__mask_wedge_of(v, s, p);
    if (s->mode == TESS__MASK_CONE) tess__mask_cone_of(v, p);
    if (s->mode == TESS__MASK_ELLIPSOID)
        for (int k = 0; k < 3; k++) v->along[k] = 1.0 / p[TESS__MASK_SIZE + k];
}

TESS_FN double tess__mask_dot(const double *a, const double *f)
{
    return __builtin_fma(a[0], f[0], __builtin_fma(a[1], f[1], a[2] * f[2]));
}

/* Outside the planes of a wedge, or the surface of a cone: `p` is along its middle, and `q` across. */
TESS_FN double tess__mask_beside(const tess__mask_values *v, double p, double q)
{
    return __builtin_fma(__builtin_fabs(q), v->cosine, -(__builtin_fabs(p) * v->sine));
}

TESS_FN double tess__mask_cone_distance(const tess__mask_values *v, const double *f)
{
    const double p = tess__mask_dot(v->along, f);
    double       rest[3];
    for (int k = 0; k < 3; k++) rest[k] = __builtin_fma(-p, v->along[k], f[k]);
    return tess__mask_beside(v, p, __builtin_sqrt(tess__mask_dot(rest, rest)));
}

/* Along the ray from zero frequency. */
TESS_FN double tess__mask_ellipsoid_distance(const tess__mask_values *v, const double *f)
{
    double scaled[3];
    for (int k = 0; k < 3; k++) scaled[k] = f[k] * v->along[k];
    const double square = tess__mask_dot(scaled, scaled);
    return square <= 1.0 ? 0.0 : __builtin_sqrt(tess__mask_dot(f, f)) * (1.0 - 1.0 / __builtin_sqrt(square));
}

/* From the nearest of the axes. */
TESS_FN double tess__mask_cross_distance(const tess__filter_spec *s, const tess__mask_values *v, const double *f)
{
    double least = __builtin_inf();
    for (int k = 0; k < 3; k++) {
        const double a = f[k == 0 ? 1 : 0], b = f[k == 2 ? 1 : 2], square = __builtin_fma(a, a, b * b);
        if (s->axes & 1 << k && square < least) least = square;
    }
    return __builtin_sqrt(least) - v->limit;
}

TESS_FN double tess__mask_edge(const tess__mask_values *v, double beyond)
{
    if (beyond <= TESS__MASK_ROUNDING) return 1.0;
    if (!(beyond < v->width)) return 0.0;
    return __builtin_fma(0.5, tess__cos_fast_f64(TESS_PI * (beyond * v->inverse_width)), 0.5);
}

/* The multiplier at a frequency (d, h, w). */
TESS_FN double tess__mask_at(const tess__filter_spec *s, const tess__mask_values *v, const double *f)
{
    const double beyond = s->mode == TESS__MASK_WEDGE
                              ? tess__mask_beside(v, tess__mask_dot(v->along, f), tess__mask_dot(v->across, f))
                          : s->mode == TESS__MASK_CONE      ? tess__mask_cone_distance(v, f)
                          : s->mode == TESS__MASK_ELLIPSOID ? tess__mask_ellipsoid_distance(v, f)
                                                            : tess__mask_cross_distance(s, v, f);
    double       m = tess__mask_edge(v, beyond);
    if (s->invert) m = 1.0 - m;
    if (v->keep > 0.0) {
        const double kept = tess__mask_edge(v, __builtin_sqrt(tess__mask_dot(f, f)) - v->keep);
        if (kept > m) m = kept;
    }
    return m;
}

#endif
