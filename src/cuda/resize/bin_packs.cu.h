/* Binning by small contiguous blocks: a thread computes several results, PACK side by side, in as many rows as
 * TESS__GPU_BIN_ROWS says.
 *
 * The program defines IN, OUT, MEAN and FACTOR of bin_blocks.cu.h, PACK, and HEIGHT, the rows of a block that
 * are read before they are added, which divides those of a complete one. */
#define COMPLEX 0
#include "cuda/resize/bin_blocks.cu.h"

enum {
    READ = PACK * FACTOR, /* elements of a row of the input */
    ROWS = TESS__GPU_BIN_ROWS(HEIGHT * READ * (int)sizeof(stored))
};

static constexpr int bytes_of_row = READ * (int)sizeof(stored), power = bytes_of_row & -bytes_of_row;

enum { LOAD = (power < 16 ? power : 16) / (int)sizeof(stored) /* elements of one load */ };

static __device__ void read_row(stored x[READ], const stored *from)
{
#pragma unroll
    for (int k = 0; k < READ / LOAD; k++) {
        const group<LOAD> all = ((const group<LOAD> *)from)[k];
#pragma unroll
        for (int e = 0; e < LOAD; e++) x[k * LOAD + e] = all.at[e];
    }
}

/* HEIGHT rows of the blocks of a pack, each added to its sums in their order. */
static __device__ void add_rows(sum s[ROWS][PACK][PARTS], const tess__gpu_bin &p, const stored *from)
{
    stored        x[ROWS][HEIGHT][READ];
    const int64_t down = p.in.stride[2], next = p.factor[2] * down;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int h = 0; h < HEIGHT; h++) read_row(x[r][h], from + r * next + h * down);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int h = 0; h < HEIGHT; h++)
#pragma unroll
            for (int e = 0; e < PACK; e++)
#pragma unroll
                for (int part = 0; part < PARTS; part++) s[r][e][part] += sum_of<FACTOR>(x[r][h] + e * FACTOR, part);
}

static __device__ double mean_of(const tess__gpu_bin &p, const sum s[PARTS])
{
    const double first = wide(chosen(p, s[0]));
    const double all = HALVES ? __builtin_fma(wide(chosen(p, s[PARTS - 1])), 0x1p32, (double)s[0]) : first;
    return p.inverse != 0 ? all * p.inverse : all / p.n_block;
}

/* A pack of complete blocks; position: of its first result. */
static __device__ void add_pack(const tess__gpu_bin &p, const int64_t position[4])
{
    typedef element<OUT>::stored result;
    struct alignas(PACK * sizeof(result) < 16 ? PACK * sizeof(result) : 16) results {
        result at[PACK];
    };
    const stored *in = (const stored *)p.in.data;
    result       *out = (result *)p.out.data + grid_offset(p.out.stride, position);
    sum           s[ROWS][PACK][PARTS];
#pragma unroll
    for (int d = 0; d < 4; d++) in += position[d] * p.factor[d] * p.in.stride[d];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int e = 0; e < PACK; e++)
#pragma unroll
            for (int part = 0; part < PARTS; part++) s[r][e][part] = nothing();
    for (int64_t i = 0; i < p.factor[0]; i++)
        for (int64_t j = 0; j < p.factor[1]; j++)
            for (int64_t h = 0; h < p.factor[2]; h += HEIGHT)
                add_rows(s, p, in + i * p.in.stride[0] + j * p.in.stride[1] + h * p.in.stride[2]);
#pragma unroll
    for (int r = 0; r < ROWS; r++, out += p.out.stride[2]) {
        results all;
#pragma unroll
        for (int e = 0; e < PACK; e++) {
#if MEAN
            all.at[e] = element<OUT>::store(convert<OUT, TESS_F64>(mean_of(p, s[r][e])));
#else
            all.at[e] = kept<OUT>(chosen(p, s[r][e][0]));
#endif
        }
        if (p.out_together) {
            *(results *)out = all;
        } else {
#pragma unroll
            for (int e = 0; e < PACK; e++) out[e * p.out.stride[3]] = all.at[e];
        }
    }
}

/* A block of any size: the slow path. Unrolled loops would take registers from the fast one. */
static __device__ void add_single(const tess__gpu_bin &p, const int64_t position[4])
{
    const block b = block_of(p, position);
    sum         s[PARTS];
#pragma unroll
    for (int part = 0; part < PARTS; part++) s[part] = nothing();
#pragma unroll 1
    for (int64_t row = 0; row < b.n[0] * b.n[1] * b.n[2]; row++) {
        const int64_t h = row % b.n[2], j = row / b.n[2] % b.n[1], i = row / b.n[2] / b.n[1];
        const stored *x = b.in + i * p.in.stride[0] + j * p.in.stride[1] + h * p.in.stride[2];
#pragma unroll
        for (int part = 0; part < PARTS; part++) s[part] += many(x, 1, b.n[3], part);
    }
    epilogue(p, position, s, b);
}

/* The same results at the ends of axes, one after the other. */
static __noinline__ __device__ void add_singles(const tess__gpu_bin &p, int64_t i, int64_t j, int64_t y, int64_t x)
{
#pragma unroll 1
    for (int k = 0; k < ROWS * PACK; k++) {
        const int64_t position[4] = { i, j, y + k / PACK, x + k % PACK };
        if (position[2] < p.n_out[2] && position[3] < p.n_out[3]) add_single(p, position);
    }
}

TESS_KERNEL(THREADS, tess__gpu_bin, p)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t       position[4];
    if (item >= p.grid.n) return;
    grid_position(position, p.grid, item);
    position[2] *= ROWS;
    position[3] *= PACK;
    if (position[0] < p.complete[0] && position[1] < p.complete[1] && position[2] + ROWS <= p.complete[2] &&
        position[3] + PACK <= p.complete[3])
        add_pack(p, position);
    else add_singles(p, position[0], position[1], position[2], position[3]);
}
