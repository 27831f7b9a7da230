/* Element types: real, complex, and small vectors and matrices that count as one element.
 *
 * The number in a name counts the bits of one real: c32 is two f32, which NumPy calls complex64, and c64 is two f64,
 * NumPy's complex128. The texts "complex64" and "complex128" mean what they mean in NumPy (tess_dtype_parse).
 */
#ifndef TESSERA_DTYPE_H
#define TESSERA_DTYPE_H

#include "tessera/base.h"
#include "tessera/error.h"

TESS_BEGIN_C

/** IEEE half precision: stored as 16 bits, computed as float. */
typedef struct tess_f16 {
    uint16_t bits;
} tess_f16;

/* Complex numbers are two adjacent reals: real part, then imaginary part. They may be reinterpreted as an array of two
 * reals, or as C's `T _Complex`, C++'s std::complex<T> and CUDA's cuComplex / cuDoubleComplex. */
typedef struct tess_c16 {
    tess_f16 re, im;
} tess_c16;
typedef struct tess_c32 {
    float re, im;
} tess_c32;
typedef struct tess_c64 {
    double re, im;
} tess_c64;

/* Scalar element types: NAME, name, C type, real part's NAME. Bits are those of one real: c32 is two f32. */
#define TESS_SCALAR_DTYPES(X)                                                                                          \
    X(BOOL, bool, uint8_t, BOOL)                                                                                       \
    X(I8, i8, int8_t, I8)                                                                                              \
    X(I16, i16, int16_t, I16)                                                                                          \
    X(I32, i32, int32_t, I32)                                                                                          \
    X(I64, i64, int64_t, I64)                                                                                          \
    X(U8, u8, uint8_t, U8)                                                                                             \
    X(U16, u16, uint16_t, U16)                                                                                         \
    X(U32, u32, uint32_t, U32)                                                                                         \
    X(U64, u64, uint64_t, U64)                                                                                         \
    X(F16, f16, tess_f16, F16)                                                                                         \
    X(F32, f32, float, F32)                                                                                            \
    X(F64, f64, double, F64)                                                                                           \
    X(C16, c16, tess_c16, F16)                                                                                         \
    X(C32, c32, tess_c32, F32)                                                                                         \
    X(C64, c64, tess_c64, F64)

/* Compound element types: NAME, name, real's NAME, C type of a real, rows, columns. Matrices are row-major; vectors
 * are in the order z, y, x (the last `n` of b, d, h, w). */
#define TESS_COMPOUND_DTYPES(X)                                                                                        \
    X(VEC2_F32, vec2_f32, F32, float, 1, 2)                                                                            \
    X(VEC3_F32, vec3_f32, F32, float, 1, 3)                                                                            \
    X(VEC4_F32, vec4_f32, F32, float, 1, 4)                                                                            \
    X(MAT22_F32, mat22_f32, F32, float, 2, 2)                                                                          \
    X(MAT23_F32, mat23_f32, F32, float, 2, 3)                                                                          \
    X(MAT33_F32, mat33_f32, F32, float, 3, 3)                                                                          \
    X(MAT34_F32, mat34_f32, F32, float, 3, 4)                                                                          \
    X(MAT44_F32, mat44_f32, F32, float, 4, 4)                                                                          \
    X(VEC2_F64, vec2_f64, F64, double, 1, 2)                                                                           \
    X(VEC3_F64, vec3_f64, F64, double, 1, 3)                                                                           \
    X(VEC4_F64, vec4_f64, F64, double, 1, 4)                                                                           \
    X(MAT22_F64, mat22_f64, F64, double, 2, 2)                                                                         \
    X(MAT23_F64, mat23_f64, F64, double, 2, 3)                                                                         \
    X(MAT33_F64, mat33_f64, F64, double, 3, 3)                                                                         \
    X(MAT34_F64, mat34_f64, F64, double, 3, 4)                                                                         \
    X(MAT44_F64, mat44_f64, F64, double, 4, 4)

/** An element type. 0 means none: the array is zeroed or released. */
typedef int32_t tess_dtype;
enum {
    TESS_DTYPE_NONE = 0,
#define TESS_DTYPE_ENUM_(NAME, ...) TESS_##NAME,
    TESS_SCALAR_DTYPES(TESS_DTYPE_ENUM_) TESS_COMPOUND_DTYPES(TESS_DTYPE_ENUM_)
#undef TESS_DTYPE_ENUM_
        TESS_DTYPE_COUNT,
    TESS_SCALAR_DTYPE_COUNT = TESS_C64 + 1
};

#define TESS_COMPOUND_TYPE_(NAME, name, REAL, real, rows, columns)                                                     \
    typedef struct tess_##name {                                                                                       \
        real at[(rows) * (columns)];                                                                                   \
    } tess_##name;
TESS_COMPOUND_DTYPES(TESS_COMPOUND_TYPE_)
#undef TESS_COMPOUND_TYPE_

/** The kind of number an element is made of. */
typedef enum tess_kind {
    TESS_KIND_NONE = 0,
    TESS_KIND_BOOL,
    TESS_KIND_INT,
    TESS_KIND_UINT,
    TESS_KIND_FLOAT,
    TESS_KIND_COMPLEX,
    TESS_KIND_COMPOUND
} tess_kind;

/** Returns the name of an element type, such as "f32"; "none" for an invalid type. Never NULL. */
TESS_API const char *tess_dtype_name(tess_dtype dtype);

/** Returns the size of one element in bytes; 0 for an invalid type. */
TESS_API size_t tess_dtype_size(tess_dtype dtype);

/** Returns the kind of an element type; TESS_KIND_NONE for an invalid type. */
TESS_API tess_kind tess_dtype_kind(tess_dtype dtype);

/** Returns the type of the reals in an element: f32 for c32 and mat33_f32, the type itself if it is real. */
TESS_API tess_dtype tess_dtype_real(tess_dtype dtype);

/** Returns the complex type with these reals: c32 for f32 and for c32; TESS_DTYPE_NONE if there is none. */
TESS_API tess_dtype tess_dtype_complex(tess_dtype dtype);

/** Returns the number of reals in an element: 1 for reals, 2 for complex numbers, rows times columns for compounds. */
TESS_API int tess_dtype_reals(tess_dtype dtype);

/** Returns the common type of two types, as in NumPy (docs/elementwise.md has the table): f64 for i32 and f32. A
 *  compound type has one only with itself. Returns TESS_DTYPE_NONE if there is none. */
TESS_API tess_dtype tess_dtype_promote(tess_dtype a, tess_dtype b);

/** Parses the name of an element type: "f32", "mat23_f64", or NumPy's names ("float32", "complex64", "uint8"). */
TESS_API TESS_MUST_CHECK tess_status tess_dtype_parse(tess_dtype *dtype, const char *name);

/** Converts half precision to float, exactly. A NaN stays a (quiet) NaN. */
TESS_API float tess_f16_to_f32(tess_f16 x);

/** Converts float to half precision, rounding to nearest, ties to even. Values that exceed 65504 by half a step or more
 *  become infinity. */
TESS_API tess_f16 tess_f32_to_f16(float x);

/** Converts double to half precision, rounded once. */
TESS_API tess_f16 tess_f64_to_f16(double x);

TESS_END_C

#endif
