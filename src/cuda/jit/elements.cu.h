/* Element traits of every dtype: its type in memory, its type in registers, and conversions between dtypes.
 *
 * element<D> is for the dtype of number D; unit<S> for S bytes that are moved as they are. */
#ifndef TESS_CUDA_JIT_ELEMENTS_CU_H
#define TESS_CUDA_JIT_ELEMENTS_CU_H

#include "formulas/convert.op.h"
#include "formulas/operators.op.h"

enum { KIND_TRUTH, KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT, KIND_COMPLEX };

template <int D> struct element;

#define TESS__ELEMENT(D, stored_type, held_type, kind_of)                                                              \
    template <> struct element<D> {                                                                                    \
        typedef stored_type stored;                                                                                    \
        typedef held_type   held;                                                                                      \
        enum { kind = kind_of };                                                                                       \
        static __device__ held   load(stored x) { return x; }                                                          \
        static __device__ stored store(held x) { return x; }                                                           \
    };
TESS__ELEMENT(TESS_I8, int8_t, int8_t, KIND_SIGNED)
TESS__ELEMENT(TESS_I16, int16_t, int16_t, KIND_SIGNED)
TESS__ELEMENT(TESS_I32, int32_t, int32_t, KIND_SIGNED)
TESS__ELEMENT(TESS_I64, int64_t, int64_t, KIND_SIGNED)
TESS__ELEMENT(TESS_U8, uint8_t, uint8_t, KIND_UNSIGNED)
TESS__ELEMENT(TESS_U16, uint16_t, uint16_t, KIND_UNSIGNED)
TESS__ELEMENT(TESS_U32, uint32_t, uint32_t, KIND_UNSIGNED)
TESS__ELEMENT(TESS_U64, uint64_t, uint64_t, KIND_UNSIGNED)
TESS__ELEMENT(TESS_F32, float, float, KIND_FLOAT)
TESS__ELEMENT(TESS_F64, double, double, KIND_FLOAT)
TESS__ELEMENT(TESS_C32, tess_c32, tess_c32, KIND_COMPLEX)
TESS__ELEMENT(TESS_C64, tess_c64, tess_c64, KIND_COMPLEX)
#undef TESS__ELEMENT

template <> struct element<TESS_BOOL> {
    typedef uint8_t stored;
    typedef uint8_t held;
    enum { kind = KIND_TRUTH };
    static __device__ held   load(stored x) { return tess__held_bool(x); }
    static __device__ stored store(held x) { return x; }
};

template <> struct element<TESS_F16> {
    typedef tess_f16 stored;
    typedef float    held;
    enum { kind = KIND_FLOAT };
    static __device__ held   load(stored x) { return tess__held_f16(x); }
    static __device__ stored store(held x) { return tess__kept_f16(x); }
};

template <> struct element<TESS_C16> {
    typedef tess_c16 stored;
    typedef tess_c32 held;
    enum { kind = KIND_COMPLEX };
    static __device__ held   load(stored x) { return tess__held_c16(x); }
    static __device__ stored store(held x) { return tess__kept_c16(x); }
};

/* ---- Conversions ---- */

/* Limits of integers. */
template <int D> struct limits;
#define TESS__LIMITS(D, name, T, min_, max_)                                                                           \
    template <> struct limits<D> {                                                                                     \
        static __device__ T min_value() { return min_; }                                                               \
        static __device__ T max_value() { return max_; }                                                               \
        static __device__ T clamped(double x) { return tess__clamped_##name(x); }                                      \
    };
TESS__LIMITS(TESS_I8, i8, int8_t, INT8_MIN, INT8_MAX)
TESS__LIMITS(TESS_I16, i16, int16_t, INT16_MIN, INT16_MAX)
TESS__LIMITS(TESS_I32, i32, int32_t, INT32_MIN, INT32_MAX)
TESS__LIMITS(TESS_I64, i64, int64_t, INT64_MIN, INT64_MAX)
TESS__LIMITS(TESS_U8, u8, uint8_t, 0, UINT8_MAX)
TESS__LIMITS(TESS_U16, u16, uint16_t, 0, UINT16_MAX)
TESS__LIMITS(TESS_U32, u32, uint32_t, 0, UINT32_MAX)
TESS__LIMITS(TESS_U64, u64, uint64_t, 0, UINT64_MAX)
#undef TESS__LIMITS

template <int D> struct is_integer {
    enum { value = element<D>::kind == KIND_SIGNED || element<D>::kind == KIND_UNSIGNED };
};

template <int TO, int FROM> static __device__ typename element<TO>::held clamp_integer(typename element<FROM>::held x)
{
    typedef typename element<TO>::held held;
    if constexpr (element<FROM>::kind == KIND_SIGNED) {
        if (x < 0) {
            if constexpr (element<TO>::kind == KIND_UNSIGNED) return 0;
            else return (int64_t)x < (int64_t)limits<TO>::min_value() ? limits<TO>::min_value() : (held)x;
        }
    }
    return (uint64_t)x > (uint64_t)limits<TO>::max_value() ? limits<TO>::max_value() : (held)x;
}

/* Real to real, clamping. */
template <int TO, int FROM> static __device__ typename element<TO>::held convert_real(typename element<FROM>::held x)
{
    typedef typename element<TO>::held held;
    if constexpr (TO == FROM) return x;
    else if constexpr (TO == TESS_BOOL) return x != 0;
    else if constexpr (is_integer<TO>::value && element<FROM>::kind == KIND_FLOAT)
        return limits<TO>::clamped((double)x);
    else if constexpr (is_integer<TO>::value && is_integer<FROM>::value) return clamp_integer<TO, FROM>(x);
    else if constexpr (TO == TESS_F16 && FROM == TESS_F64) return tess__halved_f64(x);
    else return (held)x;
}

template <int D> struct real_of {
    enum { value = D };
};
template <> struct real_of<TESS_C16> {
    enum { value = TESS_F16 };
};
template <> struct real_of<TESS_C32> {
    enum { value = TESS_F32 };
};
template <> struct real_of<TESS_C64> {
    enum { value = TESS_F64 };
};

/* Any to any, clamping; a complex number that becomes a real one loses its imaginary part. */
template <int TO, int FROM> static __device__ typename element<TO>::held convert(typename element<FROM>::held x)
{
    constexpr int real_to = real_of<TO>::value, real_from = real_of<FROM>::value;
    if constexpr (TO == FROM) return x;
    else if constexpr (element<TO>::kind == KIND_COMPLEX) {
        typename element<TO>::held z;
        if constexpr (element<FROM>::kind == KIND_COMPLEX) {
            z.re = convert_real<real_to, real_from>(x.re), z.im = convert_real<real_to, real_from>(x.im);
        } else {
            z.re = convert_real<real_to, FROM>(x), z.im = 0;
        }
        return z;
    } else if constexpr (element<FROM>::kind == KIND_COMPLEX) {
        if constexpr (TO == TESS_BOOL) return x.re != 0 || x.im != 0;
        else return convert_real<TO, real_from>(x.re);
    } else {
        return convert_real<TO, FROM>(x);
    }
}

/* The magnitude of a complex number, and its square. */
static __device__ double length_of(tess_c64 z) { return tess__hypot_f64(z.re, z.im); }
static __device__ double power_of(tess_c64 z) { return z.re * z.re + z.im * z.im; }

/* Wrapping: modulo 2^bits, where the result is an integer. */
template <int TO, int FROM>
static __device__ typename element<TO>::held convert_wrapping(typename element<FROM>::held x)
{
    if constexpr (is_integer<TO>::value && element<FROM>::kind == KIND_FLOAT)
        return (typename element<TO>::held)tess__f64_wrap((double)x);
    else if constexpr (is_integer<TO>::value && is_integer<FROM>::value) return (typename element<TO>::held)x;
    else return convert<TO, FROM>(x);
}

/* ---- Bytes that are moved ---- */

struct alignas(16) unit_16 {
    uint64_t at[2];
};
template <int S> struct unit;
template <> struct unit<1> {
    typedef uint8_t type;
};
template <> struct unit<2> {
    typedef uint16_t type;
};
template <> struct unit<4> {
    typedef uint32_t type;
};
template <> struct unit<8> {
    typedef uint64_t type;
};
template <> struct unit<16> {
    typedef unit_16 type;
};

#endif
