/* Parameters of the random number kernels: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_RANDOM_RANDOM_PARAMS_H
#define TESS_CUDA_RANDOM_RANDOM_PARAMS_H

#include "cuda/jit/grid_params.h"

/* Parameters of a distribution, in the dtype that numbers are computed in. */
typedef struct tess__gpu_distribution_f32 {
    float low, range, max, mean, std;
} tess__gpu_distribution_f32;
typedef struct tess__gpu_distribution_f64 {
    double low, range, max, mean, std;
} tess__gpu_distribution_f64;

typedef struct tess__gpu_random {
    tess__gpu_grid             grid; /* elements, in order */
    tess__gpu_array            out;
    uint64_t                   seed, index; /* of the first real number */
    uint64_t                   first_block; /* that has a number of ours */
    int64_t                    blocks;
    uint32_t                   stream;
    uint32_t                   threshold32; /* tess__threshold_u32 of the span */
    int32_t                    dense;       /* reals follow each other in order */
    int32_t                    whole;       /* and all numbers of a block can be stored at once */
    tess__gpu_distribution_f32 f32;
    tess__gpu_distribution_f64 f64;
    uint64_t                   low, span, threshold; /* integers; threshold: tess__threshold_u64 of the span */
} tess__gpu_random;

typedef struct tess__gpu_poisson {
    tess__gpu_grid  grid;
    tess__gpu_array out, means;
    double          mean; /* if means.data is 0 */
    uint64_t        seed, index;
    uint32_t        stream;
} tess__gpu_poisson;

#endif
