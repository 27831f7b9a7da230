/* Numbers as input arguments in place of arrays: `tess_mul(&out, &image, &tess_f32(2.0f))`.
 *
 * Each is an array of one element that exists until the end of the enclosing block (in C++: of the expression).
 * TESS_TRY is a block of its own, so do not keep a view of such a number beyond it. The value is read during the call,
 * so it may be used with asynchronous streams and, in element-wise functions, with arrays on any device.
 *
 * tess_f32(x) and the like have a dtype and are promoted like arrays. tess_num(x) is weak: it takes on the dtype of the
 * other operands, so that an f32 image times tess_num(2.5) is f32 and a u8 image plus tess_num(1) is u8. Only if
 * integers cannot represent the number is the result f64. With f16 it is used as f32, the dtype in which f16 is
 * computed.
 */
#ifndef TESSERA_SCALAR_H
#define TESSERA_SCALAR_H

#include "tessera/array.h"

#ifdef __cplusplus

template <class T, int n, tess_dtype dtype_, uint32_t flags_> struct tess__scalar {
    mutable T          value[n];
    mutable tess_array array;
    const tess_array  *operator&() const
    {
        array.data = value;
        return &array;
    }
    explicit tess__scalar(T first, T second = T()) : value(), array()
    {
        value[0] = first;
        value[n - 1] = n > 1 ? second : first;
        array.shape = tess_shape_of(1, 1, 1, 1);
        array.dtype = dtype_;
        array.flags = flags_;
    }
};
#define TESS__SCALAR_OF(type, DTYPE, x) (tess__scalar<type, 1, DTYPE, TESS_SCALAR | TESS_READ_ONLY>((type)(x)))
#define TESS__COMPLEX_OF(type, DTYPE, re, im)                                                                          \
    (tess__scalar<type, 2, DTYPE, TESS_SCALAR | TESS_READ_ONLY>((type)(re), (type)(im)))
#define tess_num(x) (tess__scalar<double, 1, TESS_F64, TESS_SCALAR | TESS_READ_ONLY | TESS_WEAK>((double)(x)))

#else

#define TESS__SCALAR_ARRAY(DTYPE, extra, values)                                                                       \
    ((const tess_array){ .shape = { { 1, 1, 1, 1 } },                                                                  \
                         .data = (void *)(values),                                                                     \
                         .dtype = (DTYPE),                                                                             \
                         .flags = TESS_SCALAR | TESS_READ_ONLY | (extra) })
#define TESS__SCALAR_OF(type, DTYPE, x) TESS__SCALAR_ARRAY(DTYPE, 0, ((type[1]){ (type)(x) }))
#define TESS__COMPLEX_OF(type, DTYPE, re, im) TESS__SCALAR_ARRAY(DTYPE, 0, ((type[2]){ (type)(re), (type)(im) }))
#define tess_num(x) TESS__SCALAR_ARRAY(TESS_F64, TESS_WEAK, ((double[1]){ (double)(x) }))

#endif

#define tess_i8(x) TESS__SCALAR_OF(int8_t, TESS_I8, x)
#define tess_i16(x) TESS__SCALAR_OF(int16_t, TESS_I16, x)
#define tess_i32(x) TESS__SCALAR_OF(int32_t, TESS_I32, x)
#define tess_i64(x) TESS__SCALAR_OF(int64_t, TESS_I64, x)
#define tess_u8(x) TESS__SCALAR_OF(uint8_t, TESS_U8, x)
#define tess_u16(x) TESS__SCALAR_OF(uint16_t, TESS_U16, x)
#define tess_u32(x) TESS__SCALAR_OF(uint32_t, TESS_U32, x)
#define tess_u64(x) TESS__SCALAR_OF(uint64_t, TESS_U64, x)
#define tess_f32(x) TESS__SCALAR_OF(float, TESS_F32, x)
#define tess_f64(x) TESS__SCALAR_OF(double, TESS_F64, x)

/* Complex numbers: c32 is two floats, NumPy's complex64; c64 is two doubles, NumPy's complex128. The types have the
 * same names; to declare a pointer to a function that returns one, name the function's type first (typedef tess_c64
 * fn(tess_c64); fn *f;). */
#define tess_c32(re, im) TESS__COMPLEX_OF(float, TESS_C32, re, im)
#define tess_c64(re, im) TESS__COMPLEX_OF(double, TESS_C64, re, im)

#endif
