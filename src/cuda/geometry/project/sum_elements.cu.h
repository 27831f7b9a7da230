/* Tiles and elements of the kernels of sums and of footprints.
 *
 * The program defines WIDE: reals are f64, and PARTS: 2 of complex elements. */
#include "cuda/geometry/reals.cu.h"

/* The result of a thread; false beyond the last one of a row or column. */
template <typename P> static __device__ bool find_result(const P &p, int64_t at[4])
{
    int64_t       tile = blockIdx.x;
    const int64_t column = tile % p.tiles[1], row = tile / p.tiles[1] % p.tiles[0];
    tile /= p.tiles[0] * p.tiles[1];
    at[0] = tile / p.n[1];
    at[1] = tile % p.n[1];
    at[2] = row * TESS__GPU_SUM_HEIGHT + threadIdx.x / TESS__GPU_SUM_WIDTH;
    at[3] = column * TESS__GPU_SUM_WIDTH + threadIdx.x % TESS__GPU_SUM_WIDTH;
    return at[2] < p.n[2] && at[3] < p.n[3];
}

template <typename P> static __device__ void put_result(const P &p, const int64_t at[4], const double *sum)
{
    int64_t offset = 0;
    for (int k = 0; k < 4; k++) offset += at[k] * p.out.stride[k];
    real *out = (real *)p.out.data + offset * PARTS;
    for (int part = 0; part < PARTS; part++) out[part] = (real)(p.add ? (double)out[part] + sum[part] : sum[part]);
}
