/* Conversion of half precision for callers, one number at a time. */
#include "tessera/math/f16.op.h"

#include "tessera/dtype.h"

float tess_f16_to_f32(tess_f16 x) { return tess__f16_to_f32(x.bits); }

tess_f16 tess_f32_to_f16(float x)
{
    const tess_f16 half = { tess__f32_to_f16(x) };
    return half;
}

tess_f16 tess_f64_to_f16(double x)
{
    const tess_f16 half = { tess__f64_to_f16(x) };
    return half;
}
