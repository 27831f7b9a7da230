/* Histogram bin edges of equal widths: those of NumPy's linspace, rounded to f32 or f16 for elements of these. */
#ifndef TESS_FORMULAS_HISTOGRAM_OP_H
#define TESS_FORMULAS_HISTOGRAM_OP_H

#include "tessera/dtype.h"
#include "tessera/math/f16.op.h"

TESS_FN double tess__edge_rounded(double x, int dtype)
{
    if (dtype == TESS_F16) return (double)tess__f16_to_f32(tess__f64_to_f16(x));
    return dtype == TESS_F32 ? (double)(float)x : x;
}

/* Edge i of n + 1. */
TESS_FN double tess__edge(int64_t i, int64_t n, double low, double high, int dtype)
{
    const double width = high - low, step = width / (double)n;
    const double far = step != 0 ? (double)i * step : (double)i / (double)n * width;
    return tess__edge_rounded(i == n ? high : far + low, dtype);
}

/* The dtype that edges are rounded to: that of the elements, if the range is one in it; if not, f64. */
TESS_FN int tess__edge_dtype(double low, double high, int dtype)
{
    const double first = tess__edge_rounded(low, dtype), last = tess__edge_rounded(high, dtype);
    const double max = 1.7976931348623157e308;
    return first >= -max && last <= max && first < last ? dtype : TESS_F64;
}

#endif
