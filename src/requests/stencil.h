/* Stencils: each result is made of a window of elements around its position, with a border. */
#ifndef TESS_REQUESTS_STENCIL_H
#define TESS_REQUESTS_STENCIL_H

#include "requests/ewise.h"
#include "tessera/array.h"

/* What becomes of a window: its sum with weights, the same along one axis after the other (w, h, d), the element of a
 * rank, its mean, or its mean with weights of elements, or patches, that resemble that in the centre. */
enum {
    TESS__STENCIL_CONVOLVE,
    TESS__STENCIL_SEPARABLE,
    TESS__STENCIL_RANK,
    TESS__STENCIL_MEAN,
    TESS__STENCIL_BILATERAL,
    TESS__STENCIL_NL_MEANS
};

/* One result for each element. Plain data. */
typedef struct tess__stencil {
    const char *name;
    tess_array  out, in; /* of one shape, disjoint, not empty */
    int32_t     kind;
    int32_t     border;   /* a tess_border, not DEFAULT; NOTHING: only windows inside the array have a result */
    int64_t     size[3];  /* of the window along d, h, w: odd */
    int64_t     patch[3]; /* NL_MEANS: odd sizes of patches; `size` is that of all elements that are compared */
    int64_t     rank;     /* RANK: 0 is the smallest */
    double      scale;    /* weights are exp(-q) of the squares q of differences times `scale`, BILATERAL, or */
    double      base;     /* exp(-max(0, q - base)) of the sums q of such squares over patches, NL_MEANS */
    tess_dtype  computed; /* f32, f64, c32 or c64; RANK: that of both arrays; MEAN: f64 or c64 */
    /* Weights on the arrays' device, contiguous, in the order of the elements that they meet: CONVOLVE and BILATERAL:
     * the first, of the window's shape; SEPARABLE: along d, h, w, with data NULL where there are none. Of `computed`,
     * or of its real. RANK: the first may be a footprint, bools of the window's shape, not all 0: only elements where
     * it is not 0 count, and `rank` is 0 or that of the largest. */
    tess_array    filter[3];
    tess__element outside; /* ZERO, VALUE: in `computed` */
} tess__stencil;

#endif
