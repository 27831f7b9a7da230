/* Weights of similar elements, for bilateral filters and non-local means on CPUs and GPUs.
 *
 * A weight exp(-q) is 0 where q is large or NaN. Sums are of differences from the centre, which is added at the end, so
 * that a constant stays what it is. An element with weight 0 adds nothing, whatever it is. */
#ifndef TESS_FORMULAS_SIMILARITY_OP_H
#define TESS_FORMULAS_SIMILARITY_OP_H

#include "tessera/math/f32.op.h"
#include "tessera/math/f64.op.h"

/* Below these numbers exp(-q) is a normal number. */
#define TESS__SIMILAR_F32 80.0f
#define TESS__SIMILAR_F64 700.0

/* exp(-q) for q >= 0. */
TESS_FN float tess__similarity_f32(float q)
{
    const int near = q < TESS__SIMILAR_F32;
    return tess__choose_f32(near, tess__exp_fast_f32(-tess__choose_f32(near, q, 0.0f)), 0.0f);
}

TESS_FN double tess__similarity_f64(double q)
{
    const int near = q < TESS__SIMILAR_F64;
    return tess__choose_f64(near, tess__exp_fast_f64(-tess__choose_f64(near, q, 0.0)), 0.0);
}

/* The square of a difference in units of 1 / scale: multiplied first, it is near 1 where weights differ, whatever the
 * units of the values. */
TESS_FN float tess__similar_square_f32(float x, float y, float scale)
{
    const float difference = (x - y) * scale;
    return difference * difference;
}

TESS_FN double tess__similar_square_f64(double x, double y, double scale)
{
    const double difference = (x - y) * scale;
    return difference * difference;
}

/* The weight of patches with this sum of squares: NaN becomes 0. */
TESS_FN float tess__patch_weight_f32(float squares, float base)
{
    const float q = squares - base;
    return tess__similarity_f32(tess__choose_f32(q < 0.0f, 0.0f, q));
}

TESS_FN double tess__patch_weight_f64(double squares, double base)
{
    const double q = squares - base;
    return tess__similarity_f64(tess__choose_f64(q < 0.0, 0.0, q));
}

/* sum + weight (x - centre) */
TESS_FN float tess__similar_sum_f32(float sum, float weight, float x, float centre)
{
    return __builtin_fmaf(weight, tess__choose_f32(weight > 0.0f, x - centre, 0.0f), sum);
}

TESS_FN double tess__similar_sum_f64(double sum, double weight, double x, double centre)
{
    return __builtin_fma(weight, tess__choose_f64(weight > 0.0, x - centre, 0.0), sum);
}

/* The mean: the centre where no weight is above 0. */
TESS_FN float tess__similar_mean_f32(float sum, float weights, float centre)
{
    const int any = weights > 0.0f;
    return centre + tess__choose_f32(any, sum, 0.0f) / tess__choose_f32(any, weights, 1.0f);
}

TESS_FN double tess__similar_mean_f64(double sum, double weights, double centre)
{
    const int any = weights > 0.0;
    return centre + tess__choose_f64(any, sum, 0.0) / tess__choose_f64(any, weights, 1.0);
}

#endif
