/* Window extraction: element i of a window is element i + origin of the input; outside, the border mode decides.
 *
 * The program defines UNIT, the bytes that are moved where elements are taken one by one, PER, how many make an
 * element, ORIGIN, the dtype of origins, or 0 if there is one that is known, and ROWS: 1 if rows are contiguous on
 * both sides, which then go in chunks of 16 bytes, at multiples of that in the output. */
#include "cuda/jit/division.cu.h"
#include "cuda/jit/elements.cu.h"
#include "cuda/jit/grid.cu.h"
#include "cuda/resize/window_params.h"
#include "tessera/border.h"
#if ORIGIN
#include "cuda/resize/origins.cu.h"
#endif

enum {
    THREADS = TESS__GPU_WINDOW_THREADS,
    ROUNDS = TESS__GPU_WINDOW_ROUNDS,
    CHUNK = TESS__GPU_CHUNK,
    SIZE = UNIT * PER
};

typedef unit<UNIT>::type moved;

/* A row of a window. */
struct row {
    uint64_t out, in;  /* addresses of elements 0; in: of the input's row */
    int64_t  origin;   /* of the row */
    int64_t  from, to; /* elements from..to-1 lie inside along the row */
    bool     nowhere;  /* the input has no such row */
    bool     inside;   /* the row lies inside along all other axes */
};

static __device__ int64_t within(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

/* The slow path, and long: not inlined. */
static __noinline__ __device__ int64_t outside_at(int border, int64_t index, int64_t n)
{
    return n ? tess_border_index((tess_border)border, index, n) : -1;
}

static __device__ row find_row(const tess__gpu_window &p, const int64_t position[4])
{
    int64_t origin[4];
#if ORIGIN
    int64_t named[4];
    origin_at(named, p.origins, position[0]);
#pragma unroll
    for (int k = 0; k < 4; k++) origin[k] = origin_along(named, p.name[k]);
#else
#pragma unroll
    for (int k = 0; k < 4; k++) origin[k] = p.origin[k];
#endif
    row r = { p.out, p.in, origin[3], 0, 0, false, true };
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const int64_t index = ORIGIN && k == 0 ? 0 : position[k], there = origin[k] + index;
        r.out += (uint64_t)(position[k] * p.out_stride[k] * SIZE);
        int64_t at = there;
        if (there < 0 || there >= p.n_in[k]) {
            at = outside_at(p.border, there, p.n_in[k]);
            r.inside = false;
        }
        if (at < 0) r.nowhere = true;
        else r.in += (uint64_t)(at * p.in_stride[k] * SIZE);
    }
    if (!r.nowhere) {
        r.from = within(-r.origin, 0, p.n);
        r.to = within(p.n_in[3] - r.origin, r.from, p.n);
    }
    return r;
}

/* Where unit `number` of a row comes from: an address, 0 for what is outside, 1 if it stays as it is. */
static __device__ uint64_t source_of(const tess__gpu_window &p, const row &r, int64_t number)
{
    const int64_t  i = number / PER;
    const uint64_t offset = (uint64_t)(number % PER) * UNIT;
    if (i >= r.from && i < r.to)
        return p.copied && r.inside ? 1 : r.in + (uint64_t)((r.origin + i) * p.in_stride[3] * SIZE) + offset;
    if (p.fills) return 0;
    if (r.nowhere || p.border == TESS_BORDER_NOTHING) return 1;
    const int64_t at = outside_at(p.border, r.origin + i, p.n_in[3]);
    return r.in + (uint64_t)(at * p.in_stride[3] * SIZE) + offset;
}

static __device__ moved value_of(const tess__gpu_window &p, uint64_t source, int64_t number)
{
    return source ? *(const moved *)source : *(const moved *)(p.outside + number % PER * UNIT);
}

#if ROWS
struct alignas(16) chunk {
    uint32_t at[4];
};

enum { NONE, COPIED, BY_UNITS };

/* 16 bytes from any address, by way of the two aligned chunks that they lie in. */
static __device__ chunk load_across(uint64_t from)
{
    const chunk   *both = (const chunk *)(from & ~(uint64_t)15);
    const chunk    a = both[0], b = both[1];
    const uint32_t bytes = (uint32_t)(from & 15), bits = 8 * (bytes & 3);
    const uint32_t x[8] = { a.at[0], a.at[1], a.at[2], a.at[3], b.at[0], b.at[1], b.at[2], b.at[3] };
    uint32_t       y[6], z[5];
    chunk          all;
#pragma unroll
    for (int k = 0; k < 6; k++) y[k] = bytes & 8 ? x[k + 2] : x[k];
#pragma unroll
    for (int k = 0; k < 5; k++) z[k] = bytes & 4 ? y[k + 1] : y[k];
#pragma unroll
    for (int k = 0; k < 4; k++) all.at[k] = (uint32_t)(((uint64_t)z[k + 1] << 32 | z[k]) >> bits);
    return all;
}

/* The chunk at `address` by one store, if possible. */
static __device__ int load_chunk(chunk *all, const tess__gpu_window &p, const row &r, uint64_t address)
{
    const int64_t at = (int64_t)(address - r.out), end = p.n * SIZE; /* bytes of the row */
    if (at <= -CHUNK || at >= end) return NONE;
    if (at < 0 || at + CHUNK > end) return BY_UNITS;
    if (at >= r.from * SIZE && at + CHUNK <= r.to * SIZE) {
        if (p.copied && r.inside) return NONE;
        const uint64_t from = r.in + (uint64_t)(r.origin * SIZE + at), low = from & ~(uint64_t)15;
        if (low == from) *all = *(const chunk *)from;
        else if (low >= r.in && low + 2 * CHUNK <= r.in + (uint64_t)(p.n_in[3] * SIZE)) *all = load_across(from);
        else return BY_UNITS;
        return COPIED;
    }
    if (!p.repeats || at % SIZE || (at + CHUNK > r.from * SIZE && at < r.to * SIZE)) return BY_UNITS;
    *all = *(const chunk *)p.outside;
    return COPIED;
}

static __device__ void move_unit(const tess__gpu_window &p, const row &r, uint64_t address)
{
    const int64_t at = (int64_t)(address - r.out), number = at / UNIT;
    if (at < 0 || at >= p.n * SIZE) return;
    const uint64_t source = source_of(p, r, number);
    if (source != 1) *(moved *)address = value_of(p, source, number);
}

enum { UNITS = CHUNK / UNIT };

__shared__ row      rows[THREADS];
__shared__ uint16_t by_units[TESS__GPU_WINDOW_CHUNKS]; /* chunks that are left to the end, in any order */
__shared__ unsigned n_by_units;

/* Chunk i of the rows of a block. */
struct chunk_position {
    uint32_t row;
    uint64_t address;
};

static __device__ chunk_position chunk_at(const tess__gpu_window &p, uint32_t i, uint32_t part)
{
    const uint32_t row = quotient_of(i, p.divisor);
    const uint64_t chunk = (uint64_t)part * p.chunks + (i - row * p.chunks);
    return { row, (rows[row].out & ~(uint64_t)15) + chunk * CHUNK };
}

/* Chunks that one load and store can move; the others are listed. */
static __device__ void move_chunks(const tess__gpu_window &p, uint32_t n, uint32_t part)
{
    for (uint32_t first = threadIdx.x; first < n; first += THREADS * ROUNDS) {
        chunk all[ROUNDS];
        int   what[ROUNDS];
#pragma unroll
        for (int k = 0; k < ROUNDS; k++) {
            what[k] = NONE;
            if (first + k * THREADS >= n) continue;
            const chunk_position at = chunk_at(p, first + k * THREADS, part);
            what[k] = load_chunk(&all[k], p, rows[at.row], at.address);
        }
#pragma unroll
        for (int k = 0; k < ROUNDS; k++) {
            const uint32_t i = first + k * THREADS;
            if (what[k] == COPIED) *(chunk *)chunk_at(p, i, part).address = all[k];
            else if (what[k] == BY_UNITS) by_units[atomicAdd(&n_by_units, 1u)] = (uint16_t)i;
        }
    }
}

/* A block has some rows, whose addresses are computed first, or a part of one. */
TESS_KERNEL(THREADS, tess__gpu_window, p)
{
    const uint32_t group = blockIdx.x / p.parts, part = blockIdx.x - group * p.parts;
    const int64_t  first_row = (int64_t)group * p.rows, left = p.grid.n - first_row;
    const uint32_t n_rows = left < p.rows ? (uint32_t)left : p.rows;
    if (threadIdx.x == 0) n_by_units = 0;
    if (threadIdx.x < n_rows) {
        int64_t position[4];
        grid_position(position, p.grid, first_row + threadIdx.x);
        rows[threadIdx.x] = find_row(p, position);
    }
    __syncthreads();
    move_chunks(p, n_rows * p.chunks, part);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < n_by_units * UNITS; i += THREADS) {
        const chunk_position at = chunk_at(p, by_units[i / UNITS], part);
        move_unit(p, rows[at.row], at.address + i % UNITS * UNIT);
    }
}
#else
TESS_KERNEL(THREADS, tess__gpu_window, p)
{
    const int64_t first = (int64_t)blockIdx.x * (THREADS * ROUNDS) + threadIdx.x;
    moved all[ROUNDS];
    uint64_t to[ROUNDS];
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
        const int64_t item = first + k * THREADS;
        int64_t position[4];
        to[k] = 0;
        if (item >= p.grid.n) break;
        grid_position(position, p.grid, item);
        const row r = find_row(p, position);
        const uint64_t source = source_of(p, r, position[3]);
        if (source == 1) continue;
        all[k] = value_of(p, source, position[3]);
        to[k] = r.out + (uint64_t)(position[3] / PER * p.out_stride[3] * SIZE + position[3] % PER * UNIT);
    }
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
        if (first + k * THREADS >= p.grid.n) break;
        if (to[k]) *(moved *)to[k] = all[k];
    }
}
#endif
