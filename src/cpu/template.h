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

/* o[i * so] = value for each i below n, `value` being an expression of i: the loop for elements any distance apart.
 * Four are loaded before the first is stored, so that addresses cost less. */
#define STRIDED_LOOP(R, o, so, n, value)                                                                               \
    do {                                                                                                               \
        int64_t from_ = 0;                                                                                             \
        for (; from_ + 4 <= (n); from_ += 4) {                                                                         \
            R r_[4];                                                                                                   \
            UNROLL_ALL for (int64_t k_ = 0; k_ < 4; k_++)                                                              \
            {                                                                                                          \
                const int64_t i = from_ + k_;                                                                          \
                r_[k_] = (value);                                                                                      \
            }                                                                                                          \
            UNROLL_ALL for (int64_t k_ = 0; k_ < 4; k_++)(o)[(from_ + k_) * (so)] = r_[k_];                            \
        }                                                                                                              \
        for (int64_t i = from_; i < (n); i++) (o)[i * (so)] = (value);                                                 \
    } while (0)

#endif
