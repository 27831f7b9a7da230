/* TESS_FN marks the inline functions of *.op.h: plain C for the host compiler, device code in the GPU's prelude.
 *
 * Such a file must be valid as C11, C++17 and CUDA C++: no _Generic, no compound literals, no designated initialisers,
 * no restrict, no system headers. No product is an operand of a sum; fused operations are explicit, so that contraction
 * by a compiler changes nothing.
 */
#ifndef TESSERA_MATH_FN_H
#define TESSERA_MATH_FN_H

#ifndef TESS_FN
#include <stdint.h>
#include <string.h>

#include "tessera/language.h"

#define TESS_FN static inline
#endif

/* TESS__FAST_FN: functions that must be inlined, since their arguments are constant in a loop, such as a border or a
 * method; inlining must not depend on the rest of a file. Without optimisation they are calls: otherwise a debug build
 * would contain many copies and take minutes. TESS__SLOW_FN: functions that must not be inlined, since they are long
 * and rarely called. */
#ifdef __CUDACC__
#define TESS__FAST_FN TESS_FN
#define TESS__SLOW_FN static __noinline__ __device__
#elif defined(__GNUC__) && defined(__OPTIMIZE__)
#define TESS__FAST_FN TESS_FN __attribute__((always_inline))
#define TESS__SLOW_FN static __attribute__((noinline, unused))
#else
#define TESS__FAST_FN TESS_FN
#define TESS__SLOW_FN TESS_FN
#endif

/* Before short loops whose counters must become constants, so that the indexed values stay in registers. */
#if defined(__clang__) || (defined(__CUDACC__) && !defined(TESS_SIMULATED))
#define TESS__UNROLL_FEW _Pragma("unroll")
#elif defined(__GNUC__)
#define TESS__UNROLL_FEW _Pragma("GCC unroll 8")
#else
#define TESS__UNROLL_FEW
#endif

TESS_FN uint32_t tess__bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

TESS_FN float tess__f32_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

TESS_FN uint64_t tess__bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

TESS_FN double tess__f64_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* yes ? a : b as bit operations, which no compiler converts to a branch. */
TESS_FN double tess__choose_f64(int yes, double a, double b)
{
    const uint64_t mask = yes ? ~(uint64_t)0 : 0; /* written as -yes, gcc 12 fails on SVE */
    return tess__f64_of_bits((tess__bits_of_f64(a) & mask) | (tess__bits_of_f64(b) & ~mask));
}

TESS_FN float tess__choose_f32(int yes, float a, float b)
{
    const uint32_t mask = yes ? ~(uint32_t)0 : 0;
    return tess__f32_of_bits((tess__bits_of_f32(a) & mask) | (tess__bits_of_f32(b) & ~mask));
}

#endif
