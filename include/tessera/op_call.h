/* tess_call(op, ...): runs an operator with its arguments, each bound by its type. See tess_run for the arguments
 * allowed.
 *
 *     TESS_TRY(tess_call(fuse, &x, &y, 2.0f, &z));
 *
 * The operator is a tess_op * or the address of a definition (TESS_EWISE ..). It has up to 24 arguments. An argument is
 * an array, a number, a tess_c32 or tess_c64, tess_struct(type, address), or, for an output of a reduction, a pointer
 * to a number in host memory. C's plain char, complex numbers and long double are not supported.
 */
#ifndef TESSERA_OP_CALL_H
#define TESSERA_OP_CALL_H

#include "tessera/each.h"
#include "tessera/op_run.h"

static inline tess_bind tess__bind_array(tess_array *array)
{
    tess_bind bind;
    memset(&bind, 0, sizeof bind);
    bind.kind = TESS_BIND_ARRAY;
    bind.as.array = array;
    return bind;
}

static inline tess_bind tess__bind_input(const tess_array *array)
{
    tess_bind bind;
    memset(&bind, 0, sizeof bind);
    bind.kind = TESS_BIND_INPUT;
    bind.as.input = array;
    return bind;
}

static inline tess_bind tess__bind_i64(int64_t value)
{
    tess_bind bind;
    memset(&bind, 0, sizeof bind);
    bind.kind = TESS_BIND_I64;
    bind.as.i = value;
    return bind;
}

static inline tess_bind tess__bind_u64(uint64_t value)
{
    tess_bind bind;
    memset(&bind, 0, sizeof bind);
    bind.kind = TESS_BIND_U64;
    bind.as.u = value;
    return bind;
}

static inline tess_bind tess__bind_f32(float value)
{
    tess_bind bind;
    memset(&bind, 0, sizeof bind);
    bind.kind = TESS_BIND_F64;
    bind.as.f = (double)value;
    return bind;
}

static inline tess_bind tess__bind_f64(double value)
{
    tess_bind bind;
    memset(&bind, 0, sizeof bind);
    bind.kind = TESS_BIND_F64;
    bind.as.f = value;
    return bind;
}

static inline tess_bind tess__bind_c64(tess_c64 value)
{
    tess_bind bind;
    memset(&bind, 0, sizeof bind);
    bind.kind = TESS_BIND_C64;
    bind.as.c = value;
    return bind;
}

static inline tess_bind tess__bind_c32(tess_c32 value)
{
    tess_c64 wide;
    wide.re = (double)value.re;
    wide.im = (double)value.im;
    return tess__bind_c64(wide);
}

static inline tess_bind tess__bind_host(void *host, tess_dtype dtype)
{
    tess_bind bind;
    memset(&bind, 0, sizeof bind);
    bind.kind = TESS_BIND_HOST;
    bind.dtype = dtype;
    bind.as.host = host;
    return bind;
}

static inline tess_bind tess__bind_structure(const void *at, const tess_struct_def *def)
{
    tess_bind bind;
    memset(&bind, 0, sizeof bind);
    bind.kind = TESS_BIND_STRUCT;
    bind.as.structure.at = at;
    bind.as.structure.def = def;
    return bind;
}

static inline tess_bind tess__bind_itself(tess_bind bind) { return bind; }

/* A struct of TESS_STRUCT as an argument: tess_struct(lens, &mine). */
#define tess_struct(type, address) tess__bind_structure_##type(address)

/* Host types: name, type and dtype. long and long long have 64 or 32 bits. */
#define TESS__HOST_TYPES(X)                                                                                            \
    X(bool, bool, TESS_BOOL)                                                                                           \
    X(schar, signed char, TESS_I8)                                                                                     \
    X(short, short, TESS_I16)                                                                                          \
    X(int, int, TESS_I32)                                                                                              \
    X(long, long, sizeof(long) == 8 ? TESS_I64 : TESS_I32)                                                             \
    X(llong, long long, TESS_I64)                                                                                      \
    X(uchar, unsigned char, TESS_U8)                                                                                   \
    X(ushort, unsigned short, TESS_U16)                                                                                \
    X(uint, unsigned, TESS_U32)                                                                                        \
    X(ulong, unsigned long, sizeof(long) == 8 ? TESS_U64 : TESS_U32)                                                   \
    X(ullong, unsigned long long, TESS_U64)                                                                            \
    X(f16, tess_f16, TESS_F16)                                                                                         \
    X(f32, float, TESS_F32)                                                                                            \
    X(f64, double, TESS_F64)                                                                                           \
    X(c16, tess_c16, TESS_C16)                                                                                         \
    X(c32, tess_c32, TESS_C32)                                                                                         \
    X(c64, tess_c64, TESS_C64)
#define TESS__BIND_HOST(name, T, DTYPE)                                                                                \
    static inline tess_bind tess__bind_host_##name(T *host) { return tess__bind_host(host, DTYPE); }
TESS__HOST_TYPES(TESS__BIND_HOST)
#undef TESS__BIND_HOST

#ifndef __cplusplus

/* clang-format off */
#define TESS__BIND_FN(x)                                                                                               \
    _Generic((x),                                                                                                      \
        tess_array *: tess__bind_array, const tess_array *: tess__bind_input, tess_bind: tess__bind_itself,            \
        bool: tess__bind_i64, signed char: tess__bind_i64, short: tess__bind_i64, int: tess__bind_i64,                 \
        long: tess__bind_i64, long long: tess__bind_i64,                                                               \
        unsigned char: tess__bind_u64, unsigned short: tess__bind_u64, unsigned: tess__bind_u64,                       \
        unsigned long: tess__bind_u64, unsigned long long: tess__bind_u64,                                             \
        float: tess__bind_f32, double: tess__bind_f64, tess_c32: tess__bind_c32, tess_c64: tess__bind_c64,             \
        bool *: tess__bind_host_bool, signed char *: tess__bind_host_schar, short *: tess__bind_host_short,            \
        int *: tess__bind_host_int, long *: tess__bind_host_long, long long *: tess__bind_host_llong,                  \
        unsigned char *: tess__bind_host_uchar, unsigned short *: tess__bind_host_ushort,                              \
        unsigned *: tess__bind_host_uint, unsigned long *: tess__bind_host_ulong,                                      \
        unsigned long long *: tess__bind_host_ullong, tess_f16 *: tess__bind_host_f16,                                 \
        float *: tess__bind_host_f32, double *: tess__bind_host_f64, tess_c16 *: tess__bind_host_c16,                  \
        tess_c32 *: tess__bind_host_c32, tess_c64 *: tess__bind_host_c64)
#define TESS__BIND(unused, x) TESS__BIND_FN(x)(x),
#define TESS__RUN_FN(op)                                                                                               \
    _Generic((op), tess_op *: tess_run, const tess_op *: tess_run, tess_op_def *: tess_run_def)
/* clang-format on */

#define tess_call(op, ...)                                                                                             \
    TESS__RUN_FN(op)                                                                                                   \
    ((op), (const tess_bind[]){ TESS__EACH(TESS__BIND, ~, __VA_ARGS__) }, TESS__COUNT(__VA_ARGS__), NULL)

#else

inline tess_bind tess__bind(tess_array *x) { return tess__bind_array(x); }
inline tess_bind tess__bind(const tess_array *x) { return tess__bind_input(x); }
inline tess_bind tess__bind(tess_bind x) { return x; }
inline tess_bind tess__bind(tess_c32 x) { return tess__bind_c32(x); }
inline tess_bind tess__bind(tess_c64 x) { return tess__bind_c64(x); }
#define TESS__BIND_HOST(name, T, DTYPE)                                                                                \
    inline tess_bind tess__bind(T *x) { return tess__bind_host_##name(x); }
TESS__HOST_TYPES(TESS__BIND_HOST)
#undef TESS__BIND_HOST
#define TESS__BIND_NUMBER(T, name, U)                                                                                  \
    inline tess_bind tess__bind(T x) { return tess__bind_##name(static_cast<U>(x)); }
TESS__BIND_NUMBER(bool, i64, int64_t)
TESS__BIND_NUMBER(signed char, i64, int64_t)
TESS__BIND_NUMBER(short, i64, int64_t)
TESS__BIND_NUMBER(int, i64, int64_t)
TESS__BIND_NUMBER(long, i64, int64_t)
TESS__BIND_NUMBER(long long, i64, int64_t)
TESS__BIND_NUMBER(unsigned char, u64, uint64_t)
TESS__BIND_NUMBER(unsigned short, u64, uint64_t)
TESS__BIND_NUMBER(unsigned, u64, uint64_t)
TESS__BIND_NUMBER(unsigned long, u64, uint64_t)
TESS__BIND_NUMBER(unsigned long long, u64, uint64_t)
TESS__BIND_NUMBER(float, f64, double)
TESS__BIND_NUMBER(double, f64, double)
#undef TESS__BIND_NUMBER

inline tess_status tess__run(const tess_op *op, const tess_bind *binds, int n)
{
    return tess_run(op, binds, n, nullptr);
}
inline tess_status tess__run(tess_op_def *def, const tess_bind *binds, int n)
{
    return tess_run_def(def, binds, n, nullptr);
}

template <typename Op, typename... Arguments> [[nodiscard]] inline tess_status tess_call(Op *op, Arguments... arguments)
{
    const tess_bind binds[] = { tess__bind(arguments)... };
    return tess__run(op, binds, static_cast<int>(sizeof...(arguments)));
}

#endif

#endif
