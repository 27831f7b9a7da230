/* Parameters of histogram kernels: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_INDEX_HISTOGRAM_PARAMS_H
#define TESS_CUDA_INDEX_HISTOGRAM_PARAMS_H

#include "cuda/jit/loop_params.h"

/* How the bin of an element is found. */
typedef struct tess__gpu_bins {
    int64_t  n;
    uint64_t edges;     /* f64: n + 1 */
    double   low, high; /* the first and the last */
    double   scale;     /* bins of equal widths: n / (high - low) */
    double   near;      /* in bins: farther than this from an edge, a product is right; above 0.5: a search is needed */
} tess__gpu_bins;

/* Elements to tables. Operands of both loops: in, weights. */
typedef struct tess__gpu_histogram {
    tess__gpu_bins bins;
    tess__gpu_loop results;       /* over the first elements of each */
    tess__gpu_loop elements;      /* of one */
    int64_t        chunks, chunk; /* of a result: how many now, elements of one */
    int64_t        first;         /* chunk */
    uint64_t       tables;
    int32_t        result_dims;
} tess__gpu_histogram;

/* Tables to results. */
typedef struct tess__gpu_tables {
    int64_t  results, bins, chunks;
    uint64_t tables; /* f64, or i64 of a density of counts */
    uint64_t edges;  /* of a density */
    uint64_t out;    /* f64 */
    int32_t  counts; /* the tables hold counts */
    int32_t  single; /* widths are f32 */
    int32_t  more;   /* add to what is there */
} tess__gpu_tables;

typedef struct tess__gpu_edges {
    int64_t  n;
    uint64_t edges;
    double   low, high;
    int32_t  dtype;
} tess__gpu_edges;

#endif
