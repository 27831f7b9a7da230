/* Philox random numbers: a thread computes those of one counter at a time, which are neighbours in memory.
 *
 * The program defines DISTRIBUTION, a TESS__RANDOM_ of backend.h up to INTEGERS, DTYPE, that of the reals that are
 * stored, PARTS, the reals of an element, and EACH, how many numbers a block gives. */
#include "cuda/jit/elements.cu.h"
#include "cuda/jit/grid.cu.h"
#include "cuda/random/random_params.h"
#include "tessera/math/random.op.h"

enum { THREADS = 256, ROUNDS = 2, UNIFORM = 0, NORMAL = 1, LOGNORMAL = 2, EXPONENTIAL = 3, INTEGERS = 4 };

typedef element<DTYPE>::stored stored;

struct alignas(sizeof(stored) * EACH <= 16 ? sizeof(stored) * EACH : 16) group {
    stored at[EACH];
};

static __device__ tess__block block_of(const tess__gpu_random &p, uint64_t number)
{
    return tess__random_block(p.seed, p.stream, number, 0);
}

/* ---- The numbers of a block ---- */

#if DISTRIBUTION == 4
enum { MADE = TESS_I64 };

/* Rare, so not inlined. */
static __noinline__ __device__ int64_t drawn_again(const tess__gpu_random &p, uint64_t index)
{
    return (int64_t)(p.low + tess__random_to(p.seed, p.stream, index, p.span, 1));
}

static __device__ int64_t small(const tess__gpu_random &p, uint32_t x, uint64_t index)
{
    const uint64_t product = tess__scaled_u32(x, (uint32_t)p.span);
    if ((uint32_t)product >= p.threshold32) return (int64_t)(p.low + (product >> 32));
    return drawn_again(p, index);
}

static __device__ int64_t large(const tess__gpu_random &p, uint64_t x, uint64_t index)
{
    const uint64_t n = p.span + 1;
    if (n == 0) return (int64_t)(p.low + x);
    if (x * n >= p.threshold) return (int64_t)(p.low + tess__mul_high_u64(x, n));
    return drawn_again(p, index);
}

static __device__ void make(int64_t x[EACH], const tess__gpu_random &p, uint64_t number)
{
    const tess__block b = block_of(p, number);
#if EACH == 4
    x[0] = small(p, b.a, 4 * number), x[1] = small(p, b.b, 4 * number + 1);
    x[2] = small(p, b.c, 4 * number + 2), x[3] = small(p, b.d, 4 * number + 3);
#else
    x[0] = large(p, tess__random_join(b.a, b.b), 2 * number);
    x[1] = large(p, tess__random_join(b.c, b.d), 2 * number + 1);
#endif
}
#elif EACH == 4
enum { MADE = TESS_F32 };

/* Numbers of f16 have fewer bits to begin with. */
static __device__ float unit_of(uint32_t x) { return DTYPE == TESS_F16 ? tess__unit_f16(x) : tess__unit_f32(x); }

static __device__ float finish(const tess__gpu_random &p, float z)
{
    const float x = tess__normal_f32(z, p.f32.mean, p.f32.std);
    return DISTRIBUTION == LOGNORMAL ? tess__exp_f32(x) : x;
}

static __device__ void make(float x[EACH], const tess__gpu_random &p, uint64_t number)
{
    const tess__block b = block_of(p, number);
    const uint32_t    word[4] = { b.a, b.b, b.c, b.d };
    if constexpr (DISTRIBUTION == NORMAL || DISTRIBUTION == LOGNORMAL) {
#pragma unroll
        for (int k = 0; k < 4; k += 2) {
            const tess__pair_f32 z = tess__normals_f32(tess__normal_square_f32(word[k]), word[k + 1]);
            x[k] = finish(p, z.hi), x[k + 1] = finish(p, z.lo);
        }
    } else {
#pragma unroll
        for (int k = 0; k < 4; k++)
            x[k] = DISTRIBUTION == UNIFORM ? tess__uniform_f32(unit_of(word[k]), p.f32.low, p.f32.range, p.f32.max)
                                           : tess__exponential_f32(word[k], p.f32.mean);
    }
}
#else
enum { MADE = TESS_F64 };

static __device__ double finish(const tess__gpu_random &p, double z)
{
    const double x = tess__normal_f64(z, p.f64.mean, p.f64.std);
    return DISTRIBUTION == LOGNORMAL ? tess__exp_f64(x) : x;
}

static __device__ void make(double x[EACH], const tess__gpu_random &p, uint64_t number)
{
    const tess__block b = block_of(p, number);
    const uint64_t    word[2] = { tess__random_join(b.a, b.b), tess__random_join(b.c, b.d) };
    if constexpr (DISTRIBUTION == NORMAL || DISTRIBUTION == LOGNORMAL) {
        const tess__two_f64 z = tess__normals_f64(tess__normal_square_f64(word[0]), word[1]);
        x[0] = finish(p, z.hi), x[1] = finish(p, z.lo);
    } else {
#pragma unroll
        for (int k = 0; k < 2; k++)
            x[k] = DISTRIBUTION == UNIFORM
                       ? tess__uniform_f64(tess__unit_f64(word[k]), p.f64.low, p.f64.range, p.f64.max)
                       : tess__exponential_f64(word[k], p.f64.mean);
    }
}
#endif

/* ---- Where they go ---- */

/* Real number i of the output, in order. */
static __device__ stored *address(const tess__gpu_random &p, int64_t i)
{
    stored *out = (stored *)p.out.data;
    if (p.dense) return out + i;
    int64_t position[4];
    grid_position(position, p.grid, i / PARTS);
    return out + grid_offset(p.out.stride, position) * PARTS + i % PARTS;
}

TESS_KERNEL(THREADS, tess__gpu_random, p)
{
    const int64_t first = (int64_t)blockIdx.x * (THREADS * ROUNDS) + threadIdx.x, n = p.grid.n * PARTS;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const int64_t k = first + r * THREADS;
        if (k >= p.blocks) return;
        element<MADE>::held made[EACH];
        group               all;
        const uint64_t      number = p.first_block + (uint64_t)k;
        const int64_t       at = (int64_t)(number * EACH - p.index); /* below 0 before the first of ours */
        make(made, p, number);
#pragma unroll
        for (int e = 0; e < EACH; e++) all.at[e] = element<DTYPE>::store(convert<DTYPE, MADE>(made[e]));
        if (p.whole && at + EACH <= n) {
            *(group *)((stored *)p.out.data + at) = all;
            continue;
        }
#pragma unroll
        for (int e = 0; e < EACH; e++)
            if (at + e >= 0 && at + e < n) *address(p, at + e) = all.at[e];
    }
}
