/* What the kernels of bilateral filters and non-local means have in common: places of results, elements around them.
 *
 * A block has the results of a square of TESS__GPU_SIMILAR_WIDTH rows and columns. */
#include "cuda/jit/elements.cu.h"
#include "cuda/signal/tile.cu.h"
#include "formulas/similarity.op.h"

/* The formulas of either type of sums. */
static __device__ float  similarity(float q) { return tess__similarity_f32(q); }
static __device__ double similarity(double q) { return tess__similarity_f64(q); }
static __device__ float  square_of(float x, float y, float scale) { return tess__similar_square_f32(x, y, scale); }
static __device__ double square_of(double x, double y, double scale) { return tess__similar_square_f64(x, y, scale); }
static __device__ float  patch_weight(float q, float base) { return tess__patch_weight_f32(q, base); }
static __device__ double patch_weight(double q, double base) { return tess__patch_weight_f64(q, base); }
static __device__ float  add_similar(float s, float w, float x, float c) { return tess__similar_sum_f32(s, w, x, c); }
static __device__ double add_similar(double s, double w, double x, double c)
{
    return tess__similar_sum_f64(s, w, x, c);
}
static __device__ float  mean_of(float s, float weights, float c) { return tess__similar_mean_f32(s, weights, c); }
static __device__ double mean_of(double s, double weights, double c) { return tess__similar_mean_f64(s, weights, c); }

typedef element<SUM>::held sum;

enum { WIDTH = TESS__GPU_SIMILAR_WIDTH, THREADS = WIDTH * WIDTH };

typedef corner place;

/* The thread's result; false where there is none. */
static __device__ bool find_place(const tess__gpu_stencil &p, place &x)
{
    x = corner_of_block(p, WIDTH, WIDTH);
    x.at[1] += (int)threadIdx.x / WIDTH;
    x.at[2] += (int)threadIdx.x % WIDTH;
    return x.at[1] < p.end[1] && x.at[2] < p.end[2];
}

/* The element at this distance. */
static __device__ sum value_at(const tess__gpu_stencil &p, const place &x, int64_t d, int64_t h, int64_t w)
{
    const int64_t at[3] = { index_of(p, 0, x.at[0] + d), index_of(p, 1, x.at[1] + h), index_of(p, 2, x.at[2] + w) };
    if (at[0] < 0 || at[1] < 0 || at[2] < 0) return *(const sum *)p.outside;
    const int64_t offset =
        x.batch * p.in.stride[0] + at[0] * p.in.stride[1] + at[1] * p.in.stride[2] + at[2] * p.in.stride[3];
    return convert<SUM, IN>(element<IN>::load(((const element<IN>::stored *)p.in.data)[offset]));
}

static __device__ void store_at(const tess__gpu_stencil &p, const place &x, sum value)
{
    const int64_t offset =
        x.batch * p.out.stride[0] + x.at[0] * p.out.stride[1] + x.at[1] * p.out.stride[2] + x.at[2] * p.out.stride[3];
    ((element<OUT>::stored *)p.out.data)[offset] = element<OUT>::store(convert<OUT, SUM>(value));
}
