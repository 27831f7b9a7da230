/* Parameters of the sorting and selection kernels: read by the host's C and by the kernels alike. */
#ifndef TESS_CUDA_SORT_SORT_PARAMS_H
#define TESS_CUDA_SORT_SORT_PARAMS_H

#include <stdint.h>

/* Kinds of numbers that become keys. */
enum { TESS__GPU_KEY_BOOL, TESS__GPU_KEY_INTEGER, TESS__GPU_KEY_FLOAT };

/* What is computed of vectors; macros, as the preprocessor compares them too. */
#define TESS__GPU_SORT 0      /* numbers in order, or their keys */
#define TESS__GPU_ARGSORT 1   /* indices in order, and the numbers there */
#define TESS__GPU_PARTITION 2 /* those below one, it, those above */
#define TESS__GPU_QUANTILES 3
#define TESS__GPU_CHOOSE                                                                                               \
    4 /* of long vectors: the first so many as sorted, in the order of their indices but for the last */

/* How numbers become keys; see cuda/sort/keys.cu.h. */
typedef struct tess__gpu_order {
    uint64_t flip;     /* of integers and bools: bits that are complemented */
    uint64_t sign;     /* of floats: the sign bit, if the order is descending */
    int32_t  alike;    /* NaNs are one, and so are zeros of both signs */
    int32_t  raw_keys; /* results are keys, not numbers */
} tess__gpu_order;

/* Quantiles of a vector, once its keys are in order. */
typedef struct tess__gpu_quantiles {
    int64_t  n;      /* how many */
    uint64_t q;      /* f64 */
    uint64_t out;    /* f64: vectors of n */
    int32_t  method; /* a tess_quantile_method */
    int32_t  skip_nan;
} tess__gpu_quantiles;

/* Vectors that a warp or a block sorts on its own. Addresses are those of contiguous vectors. */
typedef struct tess__gpu_vectors {
    tess__gpu_order     order;
    int64_t             vectors, n;
    int64_t             results;             /* of a vector: n, or the first so many */
    int64_t             kth;                 /* TESS__GPU_PARTITION */
    int32_t             width;               /* threads of a vector, if a warp sorts it: a power of 2 */
    uint64_t            in, values, indices; /* values, indices: 0, if not wanted; indices are i64 */
    tess__gpu_quantiles quantiles;
} tess__gpu_vectors;

/* One digit of long vectors. */
typedef struct tess__gpu_pass {
    tess__gpu_order order;
    int64_t         vectors, n, tiles; /* tiles of a vector */
    int64_t         results;
    uint64_t        numbers;          /* the input */
    uint64_t        in, indices_in;   /* keys, or numbers if `first`; their indices, if not */
    uint64_t        out, indices_out; /* keys, or the results if `last` */
    uint64_t
        starts;     /* of each digit in a vector, 256 for each vector and pass; of partitions: u64, 3 for each vector */
    uint64_t state; /* of each tile, 256 words that were 0 */
    uint64_t next;  /* the number of the next tile */
    uint64_t pivots; /* of partitions: a key for each vector */
    int32_t  pass, passes, first, last;
} tess__gpu_pass;

/* Digit histograms of long vectors, in chunks. */
typedef struct tess__gpu_counts {
    tess__gpu_order order;
    int64_t         vectors, n, chunks, chunk; /* chunks of a vector, elements of one */
    uint64_t        in, counts;
} tess__gpu_counts;

enum { TESS__GPU_RANKS = 8 };

/* What is known of a vector whose keys of some ranks are looked for, digit by digit from the first. */
typedef struct tess__gpu_rank_state {
    uint64_t prefix[TESS__GPU_RANKS]; /* digits that are known */
    uint64_t rank[TESS__GPU_RANKS];   /* among the keys that begin so */
    uint64_t same[TESS__GPU_RANKS];   /* how many those are */
    uint64_t nans;
    int32_t  slot[TESS__GPU_RANKS]; /* where keys that begin so are counted */
    int32_t  n_slots;
} tess__gpu_rank_state;

typedef struct tess__gpu_select {
    tess__gpu_order     order;
    int64_t             vectors, n, chunks, chunk; /* chunks of a vector, elements of one */
    int64_t             kth;                       /* but of quantiles, which have ranks of their own: two each */
    uint64_t            in;
    uint64_t            states;         /* of vectors: a tess__gpu_rank_state, 0 at first */
    uint64_t            counts;         /* u64: of digits, TESS__GPU_RANKS times 256 for each vector, 0 at first */
    uint64_t            pivots, starts; /* results, but of quantiles */
    int32_t             pass, n_ranks;
    tess__gpu_quantiles quantiles;
} tess__gpu_select;

/* Indices of the selected elements, in their order. */
typedef struct tess__gpu_chosen {
    int64_t  vectors, n;
    uint64_t out, chosen, order; /* i64 */
} tess__gpu_chosen;

#endif
