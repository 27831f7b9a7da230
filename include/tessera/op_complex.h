/* Complex numbers in the bodies of operators, where C has no + and * for them: tessm_mul(z, w) is what z*w is in text.
 *
 *     tessm_add, sub, mul, mul_conj, div, neg, conj     of tess_c32 or tess_c64, both the same
 *     tessm_real, imag, arg, abs2                       real
 *     tessm_complex(re, im), tessm_cis(phase)           from reals
 *
 * The functions are those of tessera/math/complex.op.h.
 */
#ifndef TESSERA_OP_COMPLEX_H
#define TESSERA_OP_COMPLEX_H

#include "tessera/math/complex.op.h"

TESS_FN float  tess__real_c32(tess_c32 z) { return z.re; }
TESS_FN double tess__real_c64(tess_c64 z) { return z.re; }
TESS_FN float  tess__imag_c32(tess_c32 z) { return z.im; }
TESS_FN double tess__imag_c64(tess_c64 z) { return z.im; }

#ifndef __cplusplus

#define TESSM_COMPLEX_(name, type) _Generic((type), tess_c32 : tess__##name##_c32, tess_c64 : tess__##name##_c64)
#define tessm_add(z, w) TESSM_COMPLEX_(add, z)(z, w)
#define tessm_sub(z, w) TESSM_COMPLEX_(sub, z)(z, w)
#define tessm_mul(z, w) TESSM_COMPLEX_(mul, z)(z, w)
#define tessm_mul_conj(z, w) TESSM_COMPLEX_(mul_conj, z)(z, w)
#define tessm_div(z, w) TESSM_COMPLEX_(div, z)(z, w)
#define tessm_neg(z) TESSM_COMPLEX_(neg, z)(z)
#define tessm_conj(z) TESSM_COMPLEX_(conj, z)(z)
#define tessm_real(z) TESSM_COMPLEX_(real, z)(z)
#define tessm_imag(z) TESSM_COMPLEX_(imag, z)(z)
#define tessm_arg(z) TESSM_COMPLEX_(arg, z)(z)
#define tessm_abs2(z) TESSM_COMPLEX_(abs2, z)(z)
#define tessm_complex(re, im) _Generic((re) + (im), float : tess__of_parts_c32, default : tess__of_parts_c64)(re, im)
#define tessm_cis(phase) _Generic((phase), float : tess__cis_c32, default : tess__cis_c64)(phase)

#else

#define TESSM_COMPLEX1_(name)                                                                                          \
    TESS_FN auto tessm_##name(tess_c32 z) { return tess__##name##_c32(z); }                                            \
    TESS_FN auto tessm_##name(tess_c64 z) { return tess__##name##_c64(z); }
#define TESSM_COMPLEX2_(name)                                                                                          \
    TESS_FN tess_c32 tessm_##name(tess_c32 z, tess_c32 w) { return tess__##name##_c32(z, w); }                         \
    TESS_FN tess_c64 tessm_##name(tess_c64 z, tess_c64 w) { return tess__##name##_c64(z, w); }
TESSM_COMPLEX2_(add)
TESSM_COMPLEX2_(sub)
TESSM_COMPLEX2_(mul)
TESSM_COMPLEX2_(mul_conj)
TESSM_COMPLEX2_(div)
TESSM_COMPLEX1_(neg)
TESSM_COMPLEX1_(conj)
TESSM_COMPLEX1_(real)
TESSM_COMPLEX1_(imag)
TESSM_COMPLEX1_(arg)
TESSM_COMPLEX1_(abs2)
#undef TESSM_COMPLEX1_
#undef TESSM_COMPLEX2_
TESS_FN tess_c32 tessm_complex(float re, float im) { return tess__of_parts_c32(re, im); }
TESS_FN tess_c64 tessm_complex(double re, double im) { return tess__of_parts_c64(re, im); }
TESS_FN tess_c32 tessm_cis(float phase) { return tess__cis_c32(phase); }
TESS_FN tess_c64 tessm_cis(double phase) { return tess__cis_c64(phase); }

#endif

#endif
