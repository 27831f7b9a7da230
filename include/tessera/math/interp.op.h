/* Reading of arrays at any position, also outside and between elements, for your own loops and operators.
 *
 *     const tess_view_f32 v = tess__view_f32(data, stride, shape, TESS_BORDER_CLAMP, 0, NULL);
 *     float a = tess__at_f32(&v, b, d, h, w), c = tess__interp_linear_f32_f32(&v, b, d, y, x);
 *
 * A view is data, strides in elements, shape and border; there is one type for each element type. The border applies to
 * every index, also b and d; for the border VALUE, tess__view_with_f32(v, value) sets the value outside. Operators
 * compiled with the program use tess_at(v, b, d, h, w) and tessm_interp_linear(v, b, d, y, x): tessera/op_define.h.
 *
 * tess__interp_METHOD_ELEMENT_COORDINATE is for images (b, d, y, x), tess__interp3_.. for volumes (b, z, y, x); METHOD
 * is nearest, linear, cosine, cubic, bspline, lanczos4, lanczos6 or lanczos8 (tessera/interp.h; bspline reads the
 * coefficients computed by tess_bspline_prefilter), ELEMENT is f32, f64, c32 or c64, and COORDINATE is f32 or f64.
 * Element (i, j) is at y = i, x = j. floor(c) and t = c - floor(c) are computed in the type of the coordinate c; t is
 * then rounded to the real type of the element, in which weights are computed. Sums are along x, then y, then z, each
 * fused and in the order of the elements (linear and cosine as a + t (b - a)), so that all compilers give identical
 * bits.
 *
 * tess__interp_along_f32_f32(&v, TESS_INTERP_CUBIC, 1, b, d, y, x) is the derivative along x, and with 2 that along y;
 * tess__interp3_along_f32_f32 with 3 gives that along z. Along that axis the derivatives of the weights are used, also
 * for two elements.
 *
 * A NaN coordinate gives NaN (complex: both parts), with all borders. Coordinates beyond 2^62 and infinite ones count
 * as 2^62, with their sign. Nothing is ever read outside the view; an empty view reads as 0, or the value.
 *
 * With the border VALUE, a window completely outside gives the value exactly, and a tap outside with weight 0 is
 * ignored, so that a NaN value does not affect results at elements. With NOTHING, only the taps inside are used: along
 * each axis their weights are divided by their sum.
 *
 * With a spectrum layout, TESS__BORDER_SPECTRUM_, the indices d, h, w and coordinates z, y, x are signed frequencies in
 * samples, and b is an index. Frequencies range from -n/2 to n/2 along an axis of n; for an even n the two ends are one
 * coefficient. In a half spectrum of width s, those along w range from 1 - s to s - 1. For negative w the element is
 * the conjugate of the one at -d, -h, -w, or, for reals, equal to it. Everything else is 0. Each tap of a window is
 * read in this way.
 */
#ifndef TESSERA_MATH_INTERP_OP_H
#define TESSERA_MATH_INTERP_OP_H

#include "tessera/border.h"
#include "tessera/dtype.h"
#include "tessera/math/fn.h"
#include "tessera/math/frequency.op.h"
#include "tessera/math/interp_weights.op.h"

/* The border along an axis (b is 0). In spectra b is an index, and so is w if only non-negative frequencies are
 * stored. */
TESS__FAST_FN int32_t tess__border_along(int32_t border, int axis)
{
    if (!tess__is_spectrum(border)) return border;
    if ((axis == 0) | ((axis == 3) & tess__is_half_spectrum(border))) return TESS_BORDER_ZERO;
    const int centred = (border == TESS__BORDER_SPECTRUM_FC) | (border == TESS__BORDER_SPECTRUM_HC);
    return centred ? TESS__BORDER_SPECTRUM_FC : TESS__BORDER_SPECTRUM_F;
}

/* -k if `yes`; the least integer stays. */
TESS__FAST_FN int64_t tess__opposite(int yes, int64_t k) { return yes ? (int64_t)(0 - (uint64_t)k) : k; }

/* Returns whether index i maps to an element, and its index in *index (otherwise undefined): tess_border_index, without
 * a branch where that is fast. For spectra, the border is one of tess__border_along. */
TESS__FAST_FN int tess__reach(int32_t border, int64_t i, int64_t n, int64_t *index)
{
    const int inside = (uint64_t)i < (uint64_t)n;
    if (border == TESS_BORDER_CLAMP) {
        const int64_t edge = i < 0 ? 0 : n - 1;
        *index = inside ? i : edge;
        return n > 0;
    }
    if (tess__border_repeats(border)) {
        *index = inside ? i : n > 0 ? tess_border_index((tess_border)border, i, n) : 0;
        return n > 0;
    }
    if (tess__is_spectrum(border)) {
        const int order = border == TESS__BORDER_SPECTRUM_FC ? TESS__ORDER_CENTRED : TESS__ORDER_FIRST;
        const int there = (n > 0) & tess__frequency_exists(n, i);
        *index = tess__frequency_index(order, n, there ? i : 0);
        return there;
    }
    *index = i;
    return inside;
}

/* The same as one number: -1 if i maps to no element. */
TESS__FAST_FN int64_t tess__reach_index(int32_t border, int64_t i, int64_t n)
{
    int64_t   index;
    const int any = tess__reach(border, i, n, &index);
    return any ? index : -1;
}

/* Whether the frequencies of a spectrum from `first` on along an axis, negated if `turns`, follow one another in
 * memory, upwards or, negated, downwards; and the index of the first. */
TESS__FAST_FN int tess__spectrum_run(int32_t border, int axis, int64_t first, int count, int turns, int64_t n,
                                     int64_t *index)
{
    const int32_t along = tess__border_along(border, axis);
    const int64_t last = (int64_t)((uint64_t)first + (uint64_t)(count - 1));
    int64_t       from, to;
    const int     there = tess__reach(along, tess__opposite(turns, first), n, &from) &
                      tess__reach(along, tess__opposite(turns, last), n, &to);
    *index = from;
    return there & ((turns ? from - to : to - from) == count - 1);
}

/* The distance of a position from the first element, or 0: a safe address. Far indices wrap, and are not inside. */
TESS__FAST_FN int64_t tess__distance(const int64_t *position, const int64_t *stride, int inside)
{
    const uint64_t b = (uint64_t)position[0] * (uint64_t)stride[0], d = (uint64_t)position[1] * (uint64_t)stride[1];
    const uint64_t h = (uint64_t)position[2] * (uint64_t)stride[2], w = (uint64_t)position[3] * (uint64_t)stride[3];
    return (int64_t)((b + d + h + w) * (uint64_t)inside);
}

/* x, or 0 if not `yes`: a bit operation, so that reading x does not depend on a branch, which would prevent moving it
 * out of a loop. */
#define TESS__KEEP_INTEGER(name, T)                                                                                    \
    TESS__FAST_FN T tess__keep_##name(int yes, T x)                                                                    \
    {                                                                                                                  \
        const T mask = yes ? (T) ~(T)0 : (T)0;                                                                         \
        return (T)(x & mask);                                                                                          \
    }
TESS__KEEP_INTEGER(bool, uint8_t)
TESS__KEEP_INTEGER(i8, int8_t)
TESS__KEEP_INTEGER(i16, int16_t)
TESS__KEEP_INTEGER(i32, int32_t)
TESS__KEEP_INTEGER(i64, int64_t)
TESS__KEEP_INTEGER(u8, uint8_t)
TESS__KEEP_INTEGER(u16, uint16_t)
TESS__KEEP_INTEGER(u32, uint32_t)
TESS__KEEP_INTEGER(u64, uint64_t)
#undef TESS__KEEP_INTEGER

TESS__FAST_FN float tess__keep_f32(int yes, float x)
{
    return tess__f32_of_bits(tess__keep_u32(yes, tess__bits_of_f32(x)));
}

TESS__FAST_FN double tess__keep_f64(int yes, double x)
{
    return tess__f64_of_bits(tess__keep_u64(yes, tess__bits_of_f64(x)));
}

TESS__FAST_FN tess_f16 tess__keep_f16(int yes, tess_f16 x)
{
    x.bits = tess__keep_u16(yes, x.bits);
    return x;
}

TESS__FAST_FN tess_c16 tess__keep_c16(int yes, tess_c16 x)
{
    x.re = tess__keep_f16(yes, x.re);
    x.im = tess__keep_f16(yes, x.im);
    return x;
}

TESS__FAST_FN tess_c32 tess__keep_c32(int yes, tess_c32 x)
{
    x.re = tess__keep_f32(yes, x.re);
    x.im = tess__keep_f32(yes, x.im);
    return x;
}

TESS__FAST_FN tess_c64 tess__keep_c64(int yes, tess_c64 x)
{
    x.re = tess__keep_f64(yes, x.re);
    x.im = tess__keep_f64(yes, x.im);
    return x;
}

/* The conjugate of x if `yes`; of reals x. */
#define TESS__CONJUGATE_REAL(name, T)                                                                                  \
    TESS__FAST_FN T tess__conjugate_##name(int yes, T x)                                                               \
    {                                                                                                                  \
        (void)yes;                                                                                                     \
        return x;                                                                                                      \
    }
TESS__CONJUGATE_REAL(bool, uint8_t)
TESS__CONJUGATE_REAL(i8, int8_t)
TESS__CONJUGATE_REAL(i16, int16_t)
TESS__CONJUGATE_REAL(i32, int32_t)
TESS__CONJUGATE_REAL(i64, int64_t)
TESS__CONJUGATE_REAL(u8, uint8_t)
TESS__CONJUGATE_REAL(u16, uint16_t)
TESS__CONJUGATE_REAL(u32, uint32_t)
TESS__CONJUGATE_REAL(u64, uint64_t)
TESS__CONJUGATE_REAL(f16, tess_f16)
TESS__CONJUGATE_REAL(f32, float)
TESS__CONJUGATE_REAL(f64, double)
#undef TESS__CONJUGATE_REAL

TESS__FAST_FN tess_c16 tess__conjugate_c16(int yes, tess_c16 x)
{
    x.im.bits = (uint16_t)(x.im.bits ^ (yes ? 0x8000 : 0));
    return x;
}

TESS__FAST_FN tess_c32 tess__conjugate_c32(int yes, tess_c32 x)
{
    x.im = yes ? -x.im : x.im;
    return x;
}

TESS__FAST_FN tess_c64 tess__conjugate_c64(int yes, tess_c64 x)
{
    x.im = yes ? -x.im : x.im;
    return x;
}

TESS_FN void tess__note_fault(tess_fault *fault, int32_t number, int64_t b, int64_t d, int64_t h, int64_t w)
{
    if (!fault || fault->set) return;
    fault->set = 1;
    fault->view = number;
    fault->index[0] = b;
    fault->index[1] = d;
    fault->index[2] = h;
    fault->index[3] = w;
}

/* For each element type: the view, its constructor, and reading an element. Tests are joined by & and the element is
 * read from a safe address, so that there is no branch with the borders ZERO and CLAMP. */
#define TESS__VIEW(NAME, name, T, REAL)                                                                                \
    typedef struct tess_view_##name {                                                                                  \
        const T    *data;                                                                                              \
        int64_t     stride[4], shape[4];                                                                               \
        int32_t     border; /* a tess_border, or a TESS__BORDER_ */                                                    \
        int32_t     number; /* of the parameter: for `fault` */                                                        \
        tess_fault *fault;  /* may be NULL */                                                                          \
        T           value;  /* what lies outside, with the border VALUE */                                             \
    } tess_view_##name;                                                                                                \
                                                                                                                       \
    TESS_FN tess_view_##name tess__view_##name(const void *data, const int64_t *stride, const int64_t *shape,          \
                                               int32_t border, int32_t number, tess_fault *fault)                      \
    {                                                                                                                  \
        static const T   nothing[1] = TESS__VIEW_ZERO;                                                                 \
        tess_view_##name v;                                                                                            \
        const int        empty = (shape[0] == 0) | (shape[1] == 0) | (shape[2] == 0) | (shape[3] == 0);                \
        v.data = empty ? nothing : (const T *)data;                                                                    \
        v.stride[0] = empty ? 0 : stride[0];                                                                           \
        v.stride[1] = empty ? 0 : stride[1];                                                                           \
        v.stride[2] = empty ? 0 : stride[2];                                                                           \
        v.stride[3] = empty ? 0 : stride[3];                                                                           \
        v.shape[0] = shape[0];                                                                                         \
        v.shape[1] = shape[1];                                                                                         \
        v.shape[2] = shape[2];                                                                                         \
        v.shape[3] = shape[3];                                                                                         \
        v.border = border;                                                                                             \
        v.number = number;                                                                                             \
        v.fault = fault;                                                                                               \
        v.value = nothing[0];                                                                                          \
        return v;                                                                                                      \
    }                                                                                                                  \
                                                                                                                       \
    TESS_FN tess_view_##name tess__view_with_##name(tess_view_##name v, T value)                                       \
    {                                                                                                                  \
        v.value = value;                                                                                               \
        return v;                                                                                                      \
    }                                                                                                                  \
                                                                                                                       \
    TESS__FAST_FN T tess__at_##name(const tess_view_##name *v, int64_t b, int64_t d, int64_t h, int64_t w)             \
    {                                                                                                                  \
        int64_t       position[4];                                                                                     \
        const int32_t border = v->border;                                                                              \
        const int     turns = tess__is_half_spectrum(border) & (w < 0);                                                \
        const int64_t z = tess__opposite(turns, d), y = tess__opposite(turns, h), x = tess__opposite(turns, w);        \
        const int     near = tess__reach(tess__border_along(border, 0), b, v->shape[0], &position[0]) &                \
                         tess__reach(tess__border_along(border, 1), z, v->shape[1], &position[1]);                     \
        const int inside = near & tess__reach(tess__border_along(border, 2), y, v->shape[2], &position[2]) &           \
                           tess__reach(tess__border_along(border, 3), x, v->shape[3], &position[3]);                   \
        if ((v->border == TESS__BORDER_FAULT) & !inside) tess__note_fault(v->fault, v->number, b, d, h, w);            \
        const T found = tess__keep_##name(inside, v->data[tess__distance(position, v->stride, inside)]);               \
        return border == TESS_BORDER_VALUE && !inside ? v->value : tess__conjugate_##name(turns, found);               \
    }

/* An initialiser that zeroes any type, in C and in C++. */
#ifdef __cplusplus
#define TESS__VIEW_ZERO                                                                                                \
    {                                                                                                                  \
    }
#else
#define TESS__VIEW_ZERO                                                                                                \
    {                                                                                                                  \
        0                                                                                                              \
    }
#endif
TESS_SCALAR_DTYPES(TESS__VIEW)
#undef TESS__VIEW

/* Replaces the index of a tap outside; it is negative, and the tap has no weight. */
enum { TESS__TAP_IDLE = -2 };

/* ---- Arithmetic of the four types of elements ---- */

TESS__FAST_FN float  tess__mix_f32(float a, float b, float t) { return __builtin_fmaf(t, b - a, a); }
TESS__FAST_FN double tess__mix_f64(double a, double b, double t) { return __builtin_fma(t, b - a, a); }

TESS__FAST_FN tess_c32 tess__mix_c32(tess_c32 a, tess_c32 b, float t)
{
    tess_c32 z;
    z.re = tess__mix_f32(a.re, b.re, t);
    z.im = tess__mix_f32(a.im, b.im, t);
    return z;
}

TESS__FAST_FN tess_c64 tess__mix_c64(tess_c64 a, tess_c64 b, double t)
{
    tess_c64 z;
    z.re = tess__mix_f64(a.re, b.re, t);
    z.im = tess__mix_f64(a.im, b.im, t);
    return z;
}

/* A sum of weights times elements with element k, which is `value`. */
TESS__FAST_FN float tess__tap_f32(int k, const float *w, float value, float sum)
{
    return k == 0 ? w[0] * value : __builtin_fmaf(w[k], value, sum);
}

TESS__FAST_FN double tess__tap_f64(int k, const double *w, double value, double sum)
{
    return k == 0 ? w[0] * value : __builtin_fma(w[k], value, sum);
}

TESS__FAST_FN tess_c32 tess__tap_c32(int k, const float *w, tess_c32 value, tess_c32 sum)
{
    tess_c32 z;
    z.re = tess__tap_f32(k, w, value.re, sum.re);
    z.im = tess__tap_f32(k, w, value.im, sum.im);
    return z;
}

TESS__FAST_FN tess_c64 tess__tap_c64(int k, const double *w, tess_c64 value, tess_c64 sum)
{
    tess_c64 z;
    z.re = tess__tap_f64(k, w, value.re, sum.re);
    z.im = tess__tap_f64(k, w, value.im, sum.im);
    return z;
}

/* NaN if t is NaN, for methods without weights. */
TESS__FAST_FN float  tess__taint_f32(float v, float t) { return t != t ? t : v; }
TESS__FAST_FN double tess__taint_f64(double v, double t) { return t != t ? t : v; }

TESS__FAST_FN tess_c32 tess__taint_c32(tess_c32 v, float t)
{
    tess_c32 z;
    z.re = tess__taint_f32(v.re, t);
    z.im = tess__taint_f32(v.im, t);
    return z;
}

TESS__FAST_FN tess_c64 tess__taint_c64(tess_c64 v, double t)
{
    tess_c64 z;
    z.re = tess__taint_f64(v.re, t);
    z.im = tess__taint_f64(v.im, t);
    return z;
}

/* ---- Coordinates ---- */

/* Returns the integer below, and the remainder in *t. If the fast test fails, which is rare, the slow path is taken. */
TESS__FAST_FN int64_t tess__coordinate_f32(float c, float *t)
{
    if (!(__builtin_fabsf(c) < 0x1p62f)) {
        *t = c != c ? c : 0.0f;
        return c > 0 ? (int64_t)1 << 62 : c < 0 ? -((int64_t)1 << 62) : 0;
    }
    const float whole = __builtin_floorf(c);
    *t = c - whole;
    return (int64_t)whole;
}

TESS__FAST_FN int64_t tess__coordinate_f64(double c, double *t)
{
    if (!(__builtin_fabs(c) < 0x1p62)) {
        *t = c != c ? c : 0.0;
        return c > 0 ? (int64_t)1 << 62 : c < 0 ? -((int64_t)1 << 62) : 0;
    }
    const double whole = __builtin_floor(c);
    *t = c - whole;
    return (int64_t)whole;
}

/* The same for two coordinates, with one test. */
#define TESS__COORDINATES(name, C, fabs, floor)                                                                        \
    TESS__FAST_FN void tess__coordinates_##name(C y, C x, int64_t *i, int64_t *j, C *ty, C *tx)                        \
    {                                                                                                                  \
        if (fabs(y) + fabs(x) < (C)0x1p62) {                                                                           \
            const C below = floor(y), left = floor(x);                                                                 \
            *ty = y - below;                                                                                           \
            *tx = x - left;                                                                                            \
            *i = (int64_t)below;                                                                                       \
            *j = (int64_t)left;                                                                                        \
        } else {                                                                                                       \
            *i = tess__coordinate_##name(y, ty);                                                                       \
            *j = tess__coordinate_##name(x, tx);                                                                       \
        }                                                                                                              \
    }
TESS__COORDINATES(f32, float, __builtin_fabsf, __builtin_floorf)
TESS__COORDINATES(f64, double, __builtin_fabs, __builtin_floor)
#undef TESS__COORDINATES

#define TESS__INTERP_ELEMENT f32
#define TESS__INTERP_T float
#define TESS__INTERP_REAL_NAME f32
#define TESS__INTERP_REAL float
#include "tessera/math/interp_any.op.h"

#define TESS__INTERP_ELEMENT f64
#define TESS__INTERP_T double
#define TESS__INTERP_REAL_NAME f64
#define TESS__INTERP_REAL double
#include "tessera/math/interp_any.op.h"

#define TESS__INTERP_ELEMENT c32
#define TESS__INTERP_T tess_c32
#define TESS__INTERP_REAL_NAME f32
#define TESS__INTERP_REAL float
#include "tessera/math/interp_any.op.h"

#define TESS__INTERP_ELEMENT c64
#define TESS__INTERP_T tess_c64
#define TESS__INTERP_REAL_NAME f64
#define TESS__INTERP_REAL double
#include "tessera/math/interp_any.op.h"

#endif
