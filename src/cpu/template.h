/* Macros of the files that are built once per instruction set: names, vectorisation, inlining. */
#ifndef TESS_CPU_TEMPLATE_H
#define TESS_CPU_TEMPLATE_H

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

/* Promise: iterations do not depend on each other, since operands are disjoint or exactly the same. */
#if defined(__clang__)
#define TESS_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#define TESS_UNROLL
#define UNROLL_ALL _Pragma("clang loop unroll(full)") /* loops over up to 16 of what registers hold */
#else
#define TESS_IVDEP _Pragma("GCC ivdep")
#define TESS_UNROLL _Pragma("GCC unroll 4") /* clang does it by itself */
#define UNROLL_ALL _Pragma("GCC unroll 16")
#endif

#define TESS_ALWAYS_INLINE __attribute__((always_inline))
#define TESS_NOINLINE __attribute__((noinline))
#define TESS_UNUSED __attribute__((unused)) /* not every type, or build, needs it */

/* The function of the file FAMILY/kernels_FILE.c that puts its kernels into the family's table; its name holds the
 * instruction set's, TESS_ISA. */
#define TESS__FILL_KERNELS(family, file) CAT(tess__kernels_##family##_##file##_, TESS_ISA)

#endif
