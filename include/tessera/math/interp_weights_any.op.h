/* The functions of interp_weights.op.h for one type of weights: included there with macros, which are undefined
 * here. */
#include "tessera/math/fn.h"

#ifdef TESS__WEIGHT

#define TESS__W_CAT_(a, b) a##b
#define TESS__W_CAT(a, b) TESS__W_CAT_(a, b)
#define TESS__W(name) TESS__W_CAT(name, TESS__WEIGHT_NAME)
#define TESS__T TESS__WEIGHT

/* The element to which the first one is relative: the one below the coordinate, or the nearest one. */
TESS__FAST_FN int64_t TESS__W(tess__interp_base_)(int32_t method, int64_t i, TESS__T t)
{
    return i + (method == TESS_INTERP_NEAREST && t >= (TESS__T)0.5 ? 1 : 0);
}

/* The fraction in which linear and cosine interpolation are a + fraction (b - a). */
TESS__FAST_FN TESS__T TESS__W(tess__interp_fraction_)(int32_t method, TESS__T t)
{
    const TESS__T s = TESS__W(tess__sin_pi_)((TESS__T)0.5 * t);
    return method == TESS_INTERP_COSINE ? s * s : t;
}

/* Of Keys' cubic with a = -1/2. */
TESS__FAST_FN void TESS__W(tess__cubic_weights_)(TESS__T *w, TESS__T t)
{
    const TESS__T half = (TESS__T)0.5, more = (TESS__T)1.5;
    w[0] = TESS__WEIGHT_FMA(TESS__WEIGHT_FMA(-half, t, (TESS__T)1), t, -half) * t;
    w[1] = TESS__WEIGHT_FMA(TESS__WEIGHT_FMA(more, t, (TESS__T)-2.5) * t, t, (TESS__T)1);
    w[2] = TESS__WEIGHT_FMA(TESS__WEIGHT_FMA(-more, t, (TESS__T)2), t, half) * t;
    w[3] = TESS__WEIGHT_FMA(half, t, -half) * t * t;
}

/* Of the cubic B-spline: 2/3 - s s + s s s / 2 at a distance s of at most 1, (2 - s)^3 / 6 beyond. */
TESS__FAST_FN void TESS__W(tess__bspline_weights_)(TESS__T *w, TESS__T t)
{
    const TESS__T s = 1 - t, sixth = (TESS__T)(1.0 / 6.0), middle = (TESS__T)(2.0 / 3.0);
    w[0] = s * s * s * sixth;
    w[1] = TESS__WEIGHT_FMA(TESS__WEIGHT_FMA((TESS__T)0.5, t, (TESS__T)-1) * t, t, middle);
    w[2] = TESS__WEIGHT_FMA(TESS__WEIGHT_FMA((TESS__T)0.5, s, (TESS__T)-1) * s, s, middle);
    w[3] = t * t * t * sixth;
}

TESS__FAST_FN void TESS__W(tess__cubic_slopes_)(TESS__T *w, TESS__T t)
{
    const TESS__T half = (TESS__T)0.5, more = (TESS__T)1.5, most = (TESS__T)4.5;
    w[0] = TESS__WEIGHT_FMA(TESS__WEIGHT_FMA(-more, t, (TESS__T)2), t, -half);
    w[1] = TESS__WEIGHT_FMA(most, t, (TESS__T)-5) * t;
    w[2] = TESS__WEIGHT_FMA(TESS__WEIGHT_FMA(-most, t, (TESS__T)4), t, half);
    w[3] = TESS__WEIGHT_FMA(more, t, (TESS__T)-1) * t;
}

TESS__FAST_FN void TESS__W(tess__bspline_slopes_)(TESS__T *w, TESS__T t)
{
    const TESS__T s = 1 - t, half = (TESS__T)0.5, more = (TESS__T)1.5;
    w[0] = -half * s * s;
    w[1] = TESS__WEIGHT_FMA(more, t, (TESS__T)-2) * t;
    w[2] = TESS__WEIGHT_FMA(-more, s, (TESS__T)2) * s;
    w[3] = half * t * t;
}

/* Lanczos' window of 2 a elements: with x = k - t, sinc x sinc x/a is proportional to (-1)^k sin(pi x / a) / x^2, since
 * |sin pi x| is the same for all. By the addition theorem all sines follow from one sine and one cosine; `sines` and
 * `cosines` are (-1)^k times those of pi k / a, of k from 1 - a to a. Beyond the middle weights are those of 1 - t in
 * the opposite order: so the sine of the nearest element, which outweighs the others, is never a difference. */
typedef struct TESS__W(tess__lanczos_angle_) {
    int     beyond, at_element;
    TESS__T inner, sine, cosine;
} TESS__W(tess__lanczos_angle_);

TESS__FAST_FN TESS__W(tess__lanczos_angle_) TESS__W(tess__lanczos_angle_of_)(TESS__T t, int a)
{
    TESS__W(tess__lanczos_angle_) angle;
    angle.beyond = t > (TESS__T)0.5;
    const TESS__T near = TESS__W(tess__choose_)(angle.beyond, 1 - t, t);
    angle.at_element = near < TESS__WEIGHT_TINY;
    angle.inner = TESS__W(tess__choose_)(angle.at_element, (TESS__T)0.5, near);
    const TESS__T u = angle.inner / (TESS__T)a;
    angle.sine = TESS__W(tess__sin_pi_)(u);
    angle.cosine = TESS__W(tess__sin_pi_)((TESS__T)0.5 - u);
    return angle;
}

/* Weights are multiplied by the squares of all x, so that one division is enough: `before` and `after` are products of
 * those below and above i. */
TESS__FAST_FN void TESS__W(tess__lanczos_)(TESS__T *w, TESS__T t, int a, const TESS__T *sines, const TESS__T *cosines)
{
    const TESS__W(tess__lanczos_angle_) angle = TESS__W(tess__lanczos_angle_of_)(t, a);
    TESS__T v[8], square[8], before = 1, after = 1, sum = 0;
    TESS__UNROLL_FEW
    for (int i = 0; i < 2 * a; i++) {
        const TESS__T x = (TESS__T)(i - a + 1) - angle.inner;
        square[i] = x * x;
        v[i] = TESS__WEIGHT_FMA(sines[i], angle.cosine, -(cosines[i] * angle.sine)) * before;
        before = before * square[i];
    }
    TESS__UNROLL_FEW
    for (int i = 2 * a - 1; i >= 0; i--) {
        v[i] = v[i] * after;
        after = after * square[i];
        sum += v[i];
    }
    const TESS__T scale = 1 / sum;
    TESS__UNROLL_FEW
    for (int i = 0; i < 2 * a; i++)
        v[i] = TESS__W(tess__choose_)(angle.at_element, i == a - 1 ? (TESS__T)1 : (TESS__T)0, v[i] * scale);
    TESS__UNROLL_FEW
    for (int i = 0; i < 2 * a; i++) w[i] = TESS__W(tess__choose_)(angle.beyond, v[2 * a - 1 - i], v[i]);
}

/* Their derivatives, (v' - w sum v') / sum v. That of the nearest element is what the others leave of 0, since it would
 * be the difference of two huge numbers. */
TESS__FAST_FN void TESS__W(tess__lanczos_slopes_)(TESS__T *w, TESS__T t, int a, const TESS__T *sines,
                                                  const TESS__T *cosines)
{
    const TESS__W(tess__lanczos_angle_) angle = TESS__W(tess__lanczos_angle_of_)(t, a);
    const TESS__T pi = (TESS__T)TESS_PI, rate = pi / (TESS__T)a;
    TESS__T       v[8], slope[8], sum = 0, slopes = 0, others = 0;
    TESS__UNROLL_FEW
    for (int i = 0; i < 2 * a; i++) {
        const TESS__T x = (TESS__T)(i - a + 1) - angle.inner, square = x * x;
        const TESS__T turned = TESS__WEIGHT_FMA(cosines[i], angle.cosine, sines[i] * angle.sine) * rate / square;
        v[i] = TESS__WEIGHT_FMA(sines[i], angle.cosine, -(cosines[i] * angle.sine)) / square;
        slope[i] = TESS__WEIGHT_FMA(2 / x, v[i], -turned);
        sum += v[i];
        slopes += slope[i];
    }
    const TESS__T scale = 1 / sum;
    TESS__UNROLL_FEW
    for (int i = 0; i < 2 * a; i++) {
        const int     k = i - a + 1;
        const TESS__T here = TESS__WEIGHT_FMA(-(v[i] * scale), slopes, slope[i]) * scale;
        const TESS__T there = k == 0 ? (TESS__T)0 : -sines[i] / (rate * (TESS__T)(k * k));
        slope[i] = angle.at_element ? there : here;
        others += k == 0 ? (TESS__T)0 : slope[i];
    }
    slope[a - 1] = -others;
    TESS__UNROLL_FEW
    for (int i = 0; i < 2 * a; i++) w[i] = angle.beyond ? -slope[2 * a - 1 - i] : slope[i];
}

/* Weights, or their derivatives. */
TESS__FAST_FN void TESS__W(tess__lanczos_weights_)(TESS__T *w, TESS__T t, int taps, int slopes)
{
    const TESS__T h = (TESS__T)0.70710678118654752440, r = (TESS__T)0.86602540378443864676, q = (TESS__T)0.5;
    const TESS__T sines4[4] = { 1, 0, -1, 0 }, cosines4[4] = { 0, 1, 0, -1 };
    const TESS__T sines6[6] = { -r, r, 0, -r, r, 0 }, cosines6[6] = { -q, -q, 1, -q, -q, 1 };
    const TESS__T sines8[8] = { h, -1, h, 0, -h, 1, -h, 0 }, cosines8[8] = { h, 0, -h, 1, -h, 0, h, -1 };
    if (taps == 4 && slopes) TESS__W(tess__lanczos_slopes_)(w, t, 2, sines4, cosines4);
    else if (taps == 6 && slopes) TESS__W(tess__lanczos_slopes_)(w, t, 3, sines6, cosines6);
    else if (slopes) TESS__W(tess__lanczos_slopes_)(w, t, 4, sines8, cosines8);
    else if (taps == 4) TESS__W(tess__lanczos_)(w, t, 2, sines4, cosines4);
    else if (taps == 6) TESS__W(tess__lanczos_)(w, t, 3, sines6, cosines6);
    else TESS__W(tess__lanczos_)(w, t, 4, sines8, cosines8);
}

/* The weights of tess__interp_taps elements. */
TESS__FAST_FN void TESS__W(tess__interp_weights_)(int32_t method, TESS__T t, TESS__T *w)
{
    if (method == TESS_INTERP_NEAREST) {
        w[0] = t != t ? t : (TESS__T)1;
    } else if (method <= TESS_INTERP_COSINE) {
        w[1] = TESS__W(tess__interp_fraction_)(method, t);
        w[0] = 1 - w[1];
    } else if (method == TESS_INTERP_CUBIC) {
        TESS__W(tess__cubic_weights_)(w, t);
    } else if (method == TESS_INTERP_CUBIC_BSPLINE) {
        TESS__W(tess__bspline_weights_)(w, t);
    } else {
        TESS__W(tess__lanczos_weights_)(w, t, tess__interp_taps(method), 0);
    }
}

/* Derivatives of the weights with respect to the coordinate, for a method with weights; at an element, that of linear
 * is the one of the interval above. */
TESS__FAST_FN void TESS__W(tess__interp_slopes_)(int32_t method, TESS__T t, TESS__T *w)
{
    if (method <= TESS_INTERP_COSINE) {
        const TESS__T even = t != t ? t : (TESS__T)1, half_pi = (TESS__T)(TESS_PI / 2);
        const TESS__T near = t > (TESS__T)0.5 ? 1 - t : t;
        w[1] = method == TESS_INTERP_COSINE ? half_pi * TESS__W(tess__sin_pi_)(near) : even;
        w[0] = -w[1];
    } else if (method == TESS_INTERP_CUBIC) {
        TESS__W(tess__cubic_slopes_)(w, t);
    } else if (method == TESS_INTERP_CUBIC_BSPLINE) {
        TESS__W(tess__bspline_slopes_)(w, t);
    } else {
        TESS__W(tess__lanczos_weights_)(w, t, tess__interp_taps(method), 1);
    }
}

/* Weights along an axis for sums that mix two elements as a + w[0] (b - a), of which one number is enough; or their
 * derivatives, of which all are needed. */
TESS__FAST_FN void TESS__W(tess__interp_shares_)(int32_t method, int slopes, TESS__T t, TESS__T *w)
{
    if (slopes) TESS__W(tess__interp_slopes_)(method, t, w);
    else if (tess__interp_taps(method) == 2) w[0] = TESS__W(tess__interp_fraction_)(method, t);
    else TESS__W(tess__interp_weights_)(method, t, w);
}

/* Weights along an axis, or their derivatives, only of the taps with an index, which add up to 1. */
TESS__FAST_FN void TESS__W(tess__interp_inside_)(int32_t method, int slopes, TESS__T t, const int64_t *index,
                                                 TESS__T *w)
{
    const int taps = tess__interp_taps(method);
    TESS__T   weights[8], sum = 0, rate = 0;
    TESS__W(tess__interp_weights_)(method, t, weights);
    if (slopes) TESS__W(tess__interp_slopes_)(method, t, w);
    for (int k = 0; k < taps; k++) {
        if (index[k] < 0) weights[k] = w[k] = 0;
        sum += weights[k];
        rate += slopes ? w[k] : (TESS__T)0;
    }
    const TESS__T scale = sum == 0 ? (TESS__T)0 : 1 / sum;
    for (int k = 0; k < taps; k++) {
        const TESS__T share = weights[k] * scale;
        w[k] = slopes ? TESS__WEIGHT_FMA(-share, rate, w[k]) * scale : share;
    }
}

#undef TESS__W_CAT_
#undef TESS__W_CAT
#undef TESS__W
#undef TESS__T
#undef TESS__WEIGHT
#undef TESS__WEIGHT_NAME
#undef TESS__WEIGHT_FMA
#undef TESS__WEIGHT_TINY

#endif
