/* The functions under test, called one by one and in loops that the compiler may vectorise.
 *
 * Compiled twice: with -DFN_BUILD=fn_build_plain and the library's flags, and with -DFN_BUILD=fn_build_contracted,
 * -ffp-contract=fast and an instruction set that has a fused multiply-add.
 */
#include "functions.h"
#include "tessera/math/f32.op.h"
#include "tessera/math/f64.op.h"

#define CALL_1(function, x, y) function(x)
#define CALL_2(function, x, y) function(x, y)

#define DEFINE(T, suffix, name, arity)                                                                                 \
    static T call_##name##_##suffix(T x, T y)                                                                          \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        return CALL_##arity(tess__##name##_##suffix, x, y);                                                            \
    }                                                                                                                  \
    static void loop_##name##_##suffix(T *out, const T *x, const T *y, size_t n)                                       \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        for (size_t i = 0; i < n; i++) out[i] = CALL_##arity(tess__##name##_##suffix, x[i], y[i]);                     \
    }
#define FUNCTION(name, arity, ...) DEFINE(float, f32, name, arity) DEFINE(double, f64, name, arity)
#include "functions.def"
#undef FUNCTION

#define DEFINE_PAIR(T, suffix, name)                                                                                   \
    static void fast_##name##_##suffix(T *out, const T *x, size_t n)                                                   \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++) out[i] = tess__##name##_fast_##suffix(x[i]);                                    \
    }                                                                                                                  \
    static int slow_##name##_##suffix(T x) { return tess__##name##_slow_##suffix(x); }
#define PAIR_F32(name) DEFINE_PAIR(float, f32, name)
#define PAIR_F64(name) DEFINE_PAIR(double, f64, name)
#include "functions.def"
#undef PAIR_F32
#undef PAIR_F64

const fn_build FN_BUILD = {
#define FUNCTION(name, ...)                                                                                            \
    .f32[FN_##name].call = call_##name##_f32, .f32[FN_##name].loop = loop_##name##_f32,                                \
    .f64[FN_##name].call = call_##name##_f64, .f64[FN_##name].loop = loop_##name##_f64,
#define PAIR_F32(name) .f32[FN_##name].fast = fast_##name##_f32, .f32[FN_##name].slow = slow_##name##_f32,
#define PAIR_F64(name) .f64[FN_##name].fast = fast_##name##_f64, .f64[FN_##name].slow = slow_##name##_f64,
#include "functions.def"
#undef FUNCTION
#undef PAIR_F32
#undef PAIR_F64
};
