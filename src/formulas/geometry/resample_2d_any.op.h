/* The text of resample_2d.op.h for one type of reals: included there, with the macros that it sets, and undefined here.
 * Complex elements are two reals beside each other, `parts` is 2, and each is a sum of its own. */
#include "tessera/math/fn.h"

#ifdef TESS__SAMPLE

#define TESS__P_CAT_(a, b) a##b
#define TESS__P_CAT(a, b) TESS__P_CAT_(a, b)
#define TESS__P(name) TESS__P_CAT(name, TESS__SAMPLE_NAME)
#define TESS__T TESS__SAMPLE

/* The sum of the taps before tap k, with it; of two taps it is a + w (b - a), w being the weight of b. */
TESS__FAST_FN TESS__T TESS__P(tess__resample_add_)(int taps, int k, TESS__T w, TESS__T value, TESS__T sum)
{
    if (taps == 1) return w != w ? w : value;
    if (taps == 2) return k == 0 ? value : TESS__SAMPLE_FMA(w, value - sum, sum);
    return k == 0 ? w * value : TESS__SAMPLE_FMA(w, value, sum);
}

/* A window whose elements follow each other from `data` on; weight k along y is wy[k step], along x wx[k step]. */
TESS__FAST_FN TESS__T TESS__P(tess__resample_sum_)(const TESS__T *data, int64_t stride_y, int64_t stride_x, int taps,
                                                   const TESS__T *wy, const TESS__T *wx, int step)
{
    TESS__T sum = 0;
#if defined(__CUDACC__) || defined(__clang__)
#pragma unroll
#endif
    for (int i = 0; i < taps; i++) {
        TESS__T row = 0;
#if defined(__CUDACC__) || defined(__clang__)
#pragma unroll
#endif
        for (int j = 0; j < taps; j++)
            row = TESS__P(tess__resample_add_)(taps, j, wx[j * step], data[i * stride_y + j * stride_x], row);
        sum = TESS__P(tess__resample_add_)(taps, i, wy[i * step], row, sum);
    }
    return sum;
}

/* Does a tap count, where what is outside must not reach others? */
TESS_FN int TESS__P(tess__resample_counts_)(int taps, int k, TESS__T w)
{
    return taps == 1 || (taps == 2 && k == 0) || w != 0;
}

/* Any window: where it begins, and weight k along y at wy[k step], along x at wx[k step]. */
typedef struct TESS__P(tess__resample_window_) {
    const TESS__T *data; /* of the image or spectrum */
    int64_t        stride[2];
    int64_t        first[2];
    const TESS__T *wy, *wx;
    int            step;
} TESS__P(tess__resample_window_);

/* Part `part` of it, by the border; strides are in elements. */
TESS_FN TESS__T TESS__P(tess__resample_edge_)(const tess__resample_source *s,
                                              const TESS__P(tess__resample_window_) * at, int parts, int part, int taps)
{
    TESS__T sum = 0;
    int     any = at->wy[0] != at->wy[0] || at->wx[0] != at->wx[0]; /* a coordinate that is not a number gives none */
    for (int i = 0; i < taps; i++) {
        const TESS__T wy = at->wy[i * at->step];
        TESS__T       row = 0;
        for (int j = 0; j < taps; j++) {
            int64_t       index[2] = { 0, 0 };
            const int     sign = tess__resample_tap(s, at->first[0] + i, at->first[1] + j, index);
            const int64_t offset = (index[0] * at->stride[0] + index[1] * at->stride[1]) * parts + part;
            const TESS__T element = sign ? at->data[offset] : (TESS__T)s->outside[part];
            const TESS__T wx = at->wx[j * at->step], value = sign < 0 && part ? -element : element;
            any |= sign;
            if (TESS__P(tess__resample_counts_)(taps, j, wx))
                row = TESS__P(tess__resample_add_)(taps, j, wx, value, row);
        }
        if (TESS__P(tess__resample_counts_)(taps, i, wy)) sum = TESS__P(tess__resample_add_)(taps, i, wy, row, sum);
    }
    return any ? sum : (TESS__T)s->outside[part];
}

#undef TESS__P_CAT_
#undef TESS__P_CAT
#undef TESS__P
#undef TESS__T
#undef TESS__SAMPLE
#undef TESS__SAMPLE_NAME
#undef TESS__SAMPLE_FMA

#endif
