/* Filters of spectra: the multiplier at a frequency, and where a coefficient lies in another layout. */
#ifndef TESS_FORMULAS_SPECTRUM_FILTER_OP_H
#define TESS_FORMULAS_SPECTRUM_FILTER_OP_H

#include "formulas/ctf.op.h"
#include "formulas/filter_spec.op.h"
#include "formulas/fourier_mask.op.h"

/* One side of a pass band. f^2 is compared, so that hard edges do not depend on a square root. */
typedef struct tess__filter_side {
    double cutoff, inverse_width; /* of the Butterworth: 1 / cutoff^2 */
    double pass, stop;            /* squares, from which on multipliers are 1 and 0 */
} tess__filter_side;

/* Constants of the parameters of a batch. */
typedef struct tess__filter_values {
    tess__filter_side low, high;
    double            rate; /* BFACTOR: of f^2 in the exponent; DOSE: minus half the dose; SCALE: the number */
    double            inverse_pixel2;  /* DOSE */
    double            critical_factor; /* DOSE: of the critical dose */
    tess__ctf_values  ctf;
    tess__mask_values mask;
} tess__filter_values;

/* ---- Constants ---- */

#define TESS__HARD_EDGE 1e-6

/* 1 / cutoff^2 of a Butterworth, finite for the smallest cutoff too: frequency 0 times it must be 0. */
TESS_FN double tess__filter_inverse_square(double cutoff) { return 1.0 / (cutoff < 1e-150 ? 1e-300 : cutoff * cutoff); }

/* The lower side of the band: a high-pass. */
TESS_FN tess__filter_side tess__filter_low_side(const tess__filter_spec *s, double cutoff, double width)
{
    tess__filter_side side;
    const double      end = cutoff - width;
    side.cutoff = cutoff;
    side.pass = cutoff < 0.0 ? -1.0 : cutoff * cutoff;
    side.inverse_width = 1.0 / width;
    if (s->edge == TESS__EDGE_BUTTERWORTH && cutoff > 0.0) {
        side.inverse_width = tess__filter_inverse_square(cutoff);
        side.pass = __builtin_inf();
        side.stop = -1.0;
    } else if (s->edge == TESS__EDGE_BUTTERWORTH || width <= TESS__HARD_EDGE) {
        side.stop = __builtin_inf();
    } else {
        side.stop = s->edge == TESS__EDGE_GAUSSIAN || end < 0.0 ? -1.0 : end * end;
    }
    return side;
}

/* The upper side of the band: a low-pass. */
TESS_FN tess__filter_side tess__filter_high_side(const tess__filter_spec *s, double cutoff, double width)
{
    tess__filter_side side;
    const double      end = cutoff + width;
    side.cutoff = cutoff;
    side.pass = cutoff < 0.0 ? -1.0 : cutoff * cutoff;
    side.inverse_width = 1.0 / width;
    if (s->edge == TESS__EDGE_BUTTERWORTH && cutoff > 0.0) {
        side.inverse_width = tess__filter_inverse_square(cutoff);
        side.pass = -1.0;
        side.stop = __builtin_inf();
    } else if (s->edge == TESS__EDGE_BUTTERWORTH || width <= TESS__HARD_EDGE) {
        side.stop = -1.0;
    } else {
        side.stop = s->edge == TESS__EDGE_GAUSSIAN ? __builtin_inf() : end < 0.0 ? -1.0 : end * end;
    }
    return side;
}

/* Edges that are centred on the cutoffs begin at frequency 0 or above, so that the mean stays. */
TESS_FN void tess__filter_pass_constants(tess__filter_values *v, const tess__filter_spec *s, const double *p)
{
    double low = p[TESS__PASS_LOW], low_width = p[TESS__PASS_LOW_WIDTH];
    double high = p[TESS__PASS_HIGH], high_width = p[TESS__PASS_HIGH_WIDTH];
    if (s->centred) {
        const double low_begin = low > low_width / 2.0 ? low - low_width / 2.0 : 0.0;
        const double high_begin = high > high_width / 2.0 ? high - high_width / 2.0 : 0.0;
        low += low_width / 2.0;
        low_width = low - low_begin;
        high_width = high + high_width / 2.0 - high_begin;
        high = high_begin;
    }
    v->low = tess__filter_low_side(s, low, low_width);
    v->high = tess__filter_high_side(s, high, high_width);
    if (!s->has_low) v->low.pass = -1.0;
    if (!s->has_high) v->high.pass = __builtin_inf();
}

TESS_FN void tess__filter_bfactor_constants(tess__filter_values *v, const double *p)
{
    v->rate = -0.25 * p[TESS__BFACTOR_B] / (p[TESS__BFACTOR_PIXEL] * p[TESS__BFACTOR_PIXEL]);
}

TESS_FN void tess__filter_dose_constants(tess__filter_values *v, const double *p)
{
    v->rate = -0.5 * p[TESS__DOSE_DOSE];
    v->inverse_pixel2 = 1.0 / (p[TESS__DOSE_PIXEL] * p[TESS__DOSE_PIXEL]);
    v->critical_factor = p[TESS__DOSE_FACTOR];
}

/* Its low side stops at frequency 0 alone. */
TESS_FN void tess__filter_scale_constants(tess__filter_values *v, const double *p)
{
    v->rate = p[TESS__SCALE_FACTOR];
    v->low.stop = 0.0;
    v->low.pass = v->high.pass = v->high.stop = __builtin_inf();
}

/* Constants of one batch, those that its kind has, from the columns of its parameters. */
TESS_FN void tess__filter_values_of(tess__filter_values *v, const tess__filter_spec *s, const double *p)
{
    switch (s->kind) {
#define FILTER(KIND, name, cost, cuts, constants, multiplier)                                                          \
    case TESS__FILTER_##KIND:                                                                                          \
        constants;                                                                                                     \
        break;
#include "formulas/filters.def"
    case TESS__FILTER_DOSE: tess__filter_dose_constants(v, p); break;
    case TESS__FILTER_CTF: v->ctf = tess__ctf_values_of(p); break;
    default: break;
    }
}

/* ---- Multipliers ---- */

TESS_FN int tess__filter_class(const tess__filter_values *v, double f2)
{
    const int low = f2 >= v->low.pass   ? TESS__FILTER_PASSES
                    : f2 <= v->low.stop ? TESS__FILTER_STOPS
                                        : TESS__FILTER_EDGE;
    const int high = f2 <= v->high.pass   ? TESS__FILTER_PASSES
                     : f2 >= v->high.stop ? TESS__FILTER_STOPS
                                          : TESS__FILTER_EDGE;
    return low < high ? low : high;
}

TESS_FN double tess__filter_raised(double x, int n)
{
    double y = x;
    for (int i = 1; i < n; i++) y *= x;
    return y;
}

/* The edge of one side, where it neither passes nor stops; `beyond` is how far outside the band f lies. */
TESS_FN double tess__filter_edge(const tess__filter_spec *s, double beyond, double ratio)
{
    if (s->edge == TESS__EDGE_GAUSSIAN) return tess__exp_f64(-0.5 * beyond * beyond);
    if (s->edge == TESS__EDGE_BUTTERWORTH) return 1.0 / __builtin_sqrt(1.0 + tess__filter_raised(ratio, s->order));
    return __builtin_fma(0.5, tess__cos_fast_f64(TESS_PI * beyond), 0.5);
}

TESS_FN double tess__filter_pass_at(const tess__filter_spec *s, const tess__filter_values *v, double f2)
{
    const double f = __builtin_sqrt(f2);
    double       m = 1.0;
    if (!(f2 >= v->low.pass))
        m = tess__filter_edge(s, (v->low.cutoff - f) * v->low.inverse_width, 1.0 / (f2 * v->low.inverse_width));
    if (!(f2 <= v->high.pass))
        m *= tess__filter_edge(s, (f - v->high.cutoff) * v->high.inverse_width, f2 * v->high.inverse_width);
    return m;
}

/* Linear between the values of a curve; that of the last beyond it. */
TESS_FN double tess__filter_curve_at(const tess__filter_spec *s, const double *curve, int64_t stride, double f2)
{
    const double  at = __builtin_sqrt(f2) / s->curve_stop * (double)(s->curve_n - 1);
    const int64_t last = s->curve_n - 1, i = at >= (double)last ? last : (int64_t)at;
    const double  low = curve[i * stride];
    return i == last ? low : __builtin_fma(at - (double)i, curve[(i + 1) * stride] - low, low);
}

/* The largest finite multipliers of both precisions. */
#define TESS__FILTER_MOST_F32 0x1.fffffep+127
#define TESS__FILTER_MOST_F64 0x1.fffffffffffffp+1023

/* 1 / sqrt of the curve, at most `most`, so that a coefficient of 0 stays 0; 0 where the curve is 0. */
TESS_FN double tess__filter_whiten_at(const tess__filter_spec *s, const double *curve, int64_t stride, double f2,
                                      double most)
{
    const double power = tess__filter_curve_at(s, curve, stride, f2);
    const double m = power > 0.0 ? 1.0 / __builtin_sqrt(power) : 0.0;
    return m < most ? m : most;
}

/* Reciprocal of the critical dose, in square angstrom an electron: 0 at zero frequency. */
TESS_FN double tess__filter_inverse_dose(const tess__filter_values *v, double f2)
{
    const double power = tess__pow_f64(f2 * v->inverse_pixel2, -0.5 * 1.665);
    return 1.0 / (v->critical_factor * __builtin_fma(0.245, power, 2.81));
}

/* A sum of squares of exposure filters, with one more. */
TESS_FN double tess__filter_dose_add(double sum, double rate, double inverse)
{
    const double factor = tess__exp_f64(rate * inverse);
    return __builtin_fma(factor, factor, sum);
}

/* The reciprocal of the root of that sum over all batches; one value counts for all of them. */
TESS_FN double tess__filter_dose_root(double sum, int64_t n_values, int64_t batches)
{
    const double all = n_values == 1 ? sum * (double)batches : sum;
    return all > 0.0 ? 1.0 / __builtin_sqrt(all) : 0.0;
}

/* What exposure filters are divided by, so that the sum of all batches keeps the power of noise; its reciprocal. */
TESS_FN double tess__filter_dose_norm(const tess__filter_values *v, int64_t n_values, int64_t batches, double inverse)
{
    double sum = 0.0;
    for (int64_t b = 0; b < n_values; b++) sum = tess__filter_dose_add(sum, v[b].rate, inverse);
    return tess__filter_dose_root(sum, n_values, batches);
}

/* ---- Products ---- */

/* x m, where `sign` is -1 for the conjugate of x. Fused by hand: gcc 12 fuses one of two rounded products on some
 * processors. */
TESS_FN tess_c32 tess__filter_product_c32(tess_c32 x, tess_c32 m, float sign)
{
    tess_c32    y;
    const float im = x.im * sign;
    y.re = __builtin_fmaf(x.re, m.re, -(im * m.im));
    y.im = __builtin_fmaf(x.re, m.im, im * m.re);
    return y;
}

TESS_FN tess_c64 tess__filter_product_c64(tess_c64 x, tess_c64 m, double sign)
{
    tess_c64     y;
    const double im = x.im * sign;
    y.re = __builtin_fma(x.re, m.re, -(im * m.im));
    y.im = __builtin_fma(x.re, m.im, im * m.re);
    return y;
}

/* The product of the factors of D and H, times that of W; 1 beyond a cutoff. */
TESS_FN tess_c64 tess__filter_axes_at(const tess__filter_spec *s, tess_c64 row, tess_c64 w, double f2)
{
    const tess_c64 m = tess__filter_product_c64(row, w, 1.0);
    tess_c64       one;
    one.re = 1.0;
    one.im = 0.0;
    return f2 > s->cutoff * s->cutoff ? one : m;
}

/* |x|^2. */
TESS_FN float  tess__filter_power_c32(tess_c32 x) { return __builtin_fmaf(x.re, x.re, x.im * x.im); }
TESS_FN double tess__filter_power_c64(tess_c64 x) { return __builtin_fma(x.re, x.re, x.im * x.im); }

/* ---- Frequencies and layouts ---- */

TESS_FN double tess__filter_frequency(const tess__filter_axis *a, int64_t k)
{
    return a->start + (double)k * a->span / a->count;
}

/* Is the coefficient of k along W not in the input, so that it is the conjugate of that of the negative frequency? The
 * lowest frequency, -n/2, of an even size is: it stands for n/2 as well. */
TESS_FN int tess__filter_mirrored(const tess__filter_axis *w, int64_t k)
{
    return w->in == TESS__ORDER_HALF && k < 0 && 2 * k != -w->n;
}

#endif
