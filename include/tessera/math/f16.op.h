/* Half precision to float and double and back: round to nearest even, NaNs kept and made quiet, as hardware does it.
 *
 * Without branches, so that loops over them vectorise.
 */
#ifndef TESSERA_MATH_F16_OP_H
#define TESSERA_MATH_F16_OP_H

#include "tessera/math/fn.h"

TESS_FN float tess__f16_to_f32(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    const uint32_t rest = (uint32_t)(half & 0x7fffu) << 13; /* exponent and mantissa where f32 has them */
    const uint32_t normal = rest + ((127u - 15u) << 23);
    const uint32_t special = (rest + ((255u - 31u) << 23)) | (rest > (31u << 23) ? 0x00400000u : 0u);
    /* A subnormal's mantissa under the exponent of 2^-14, less that power, is its value. */
    const float    small = tess__f32_of_bits(rest + (113u << 23)) - tess__f32_of_bits(113u << 23);
    const uint32_t bits = rest >= (31u << 23) ? special : rest < (1u << 23) ? tess__bits_of_f32(small) : normal;
    return tess__f32_of_bits(sign | bits);
}

TESS_FN uint16_t tess__f32_to_f16(float x)
{
    const uint32_t bits = tess__bits_of_f32(x);
    const uint32_t rest = bits & 0x7fffffffu;
    /* Half of the last bit, and one more if that bit is odd, is added; the carry may reach the exponent. */
    const uint32_t normal = (rest - ((127u - 15u) << 23) + 0xfffu + ((rest >> 13) & 1u)) >> 13;
    /* Adding 0.5 lines a subnormal's last bit up with f32's: the addition rounds. */
    const uint32_t small = tess__bits_of_f32(tess__f32_of_bits(rest) + 0.5f) - 0x3f000000u;
    const uint32_t special = rest > 0x7f800000u ? 0x7e00u | ((rest >> 13) & 0x3ffu) : 0x7c00u;
    const uint32_t half = rest >= 0x47800000u ? special : rest < 0x38800000u ? small : normal;
    return (uint16_t)(half | (bits >> 16 & 0x8000u));
}

/* Through f32, with rounding to odd, so that the second rounding is correct. */
TESS_FN uint16_t tess__f64_to_f16(double x)
{
    const float    near = (float)x;
    const double   back = (double)near;
    const uint32_t bits = tess__bits_of_f32(near);
    const double   size = x < 0 ? -x : x, size_back = back < 0 ? -back : back;
    const uint32_t toward_zero = size_back > size ? bits - 1u : bits;
    const uint32_t odd = (back < x || back > x) ? toward_zero | 1u : bits; /* false for NaN */
    return tess__f32_to_f16(tess__f32_of_bits(odd));
}

#endif
