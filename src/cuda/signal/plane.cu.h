/* Separable window kernel: convolutions, means, minima and maxima along both axes of a plane, in one pass over memory.
 *
 * A block has a tile of results. A warp reads rows of the tile and its halo and combines the windows along w; what they
 * give is kept in shared memory, and combined along h. The order is that of two passes, and of the CPU.
 *
 * The program defines IN, OUT and SUM, the dtypes of elements and of sums, METHOD, a TESS__GPU_PLANE_ …, WINDOW: 10000
 * times the rows of results of a tile, plus 100 times the rows of the window, plus its columns, and PACKED: rows are
 * contiguous. */
#include "cuda/jit/elements.cu.h"
#include "cuda/signal/tile.cu.h"
#if METHOD >= TESS__GPU_PLANE_MINIMUM
#define DTYPE IN
#include "cuda/signal/keys.cu.h"
#endif

/* What windows are made of, and what they give. */
#if METHOD >= TESS__GPU_PLANE_MINIMUM
typedef key number;
#else
typedef element<IN>::stored                stored;
typedef element<SUM>::held                 number;
typedef element<real_of<SUM>::value>::held real;
#endif

enum {
    THREADS = TESS__GPU_STENCIL_THREADS,
    WIDTH = TESS__GPU_PLANE_WIDTH,
    HEIGHT = WINDOW / 10000,
    WINDOW_H = WINDOW / 100 % 100,
    WINDOW_W = WINDOW % 100,
    SIZE = (int)sizeof(number),
    LANES = TESS__GPU_PLANE_LANES(SIZE), /* of a row */
    ROWS = 32 / LANES,                   /* of a warp */
    COLUMNS = TESS__GPU_PLANE_COLUMNS(SIZE),
    VALUES = COLUMNS + WINDOW_W - 1, /* that a lane combines */
    PACK = TESS__GPU_PLANE_PACK(SIZE),
    SPREAD = WIDTH + WINDOW_W - 1, /* elements of a row */
    READS = (SPREAD + 31) / 32,    /* of a lane */
    CHUNK = TESS__GPU_PLANE_CHUNK(SIZE),
    GROUPS = THREADS / WIDTH /* of rows of results */
};

struct __align__(16) staged_row { number value[TESS__GPU_PLANE_PITCH(WINDOW_W, SIZE)]; };

__shared__ staged_row staged[THREADS / 32][ROWS];
__shared__            __align__(16) number middle[HEIGHT + WINDOW_H - 1][WIDTH];
#if METHOD == TESS__GPU_PLANE_CONVOLVE
__shared__ real weights_h[WINDOW_H], weights_w[WINDOW_W];
#endif

/* Neighbours that are read at once. */
struct __align__(PACK *SIZE) pack { number value[PACK]; };

static __device__ int place(int i) { return i + i / COLUMNS * TESS__GPU_PLANE_GAP(SIZE); }

static __device__ number number_of(stored x)
{
#if METHOD >= TESS__GPU_PLANE_MINIMUM
    return to_key(x);
#else
    return convert<SUM, IN>(element<IN>::load(x));
#endif
}

/* What lies outside. */
static __device__ number outside_of(const uint8_t *bytes)
{
#if METHOD >= TESS__GPU_PLANE_MINIMUM
    return to_key(*(const stored *)bytes);
#else
    return *(const number *)bytes;
#endif
}

/* ---- Combinations ---- */

#if METHOD == TESS__GPU_PLANE_CONVOLVE
static __device__ real add(real s, real x, real w)
{
    if constexpr (sizeof(real) == 8) return __builtin_fma(x, w, s);
    else return __builtin_fmaf(x, w, s);
}

template <class S> static __device__ void add_product(S &s, S x, real w)
{
    if constexpr (element<SUM>::kind != KIND_COMPLEX) s = add(s, x, w);
    else s.re = add(s.re, x.re, w), s.im = add(s.im, x.im, w);
}

static __device__ void load_weights(const tess__gpu_stencil &p)
{
    const int i = (int)threadIdx.x;
    if (i < WINDOW_W) weights_w[i] = ((const real *)p.filter)[i];
    if (i < WINDOW_H) weights_h[i] = ((const real *)p.filter_h)[i];
}

/* The windows of a lane along w. */
static __device__ void combine_row(number made[COLUMNS], const number x[VALUES])
{
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) made[c] = convert<SUM, TESS_F32>(0);
#pragma unroll
    for (int w = 0; w < WINDOW_W; w++) {
        const real weight = weights_w[w];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) add_product(made[c], x[c + w], weight);
    }
}
#else
static __device__ number pair(number x, number y)
{
#if METHOD == TESS__GPU_PLANE_MEAN
    return x + y;
#elif METHOD == TESS__GPU_PLANE_MINIMUM
    return x < y ? x : y;
#else
    return x > y ? x : y;
#endif
}

/* Runs of LENGTH elements become windows: sums of those whose lengths add up to the window, the last first, or of the
 * two longest, which overlap. The next runs are made of two each. */
template <int LENGTH> static __device__ void combine_runs(number made[COLUMNS], number run[VALUES])
{
    if constexpr (METHOD == TESS__GPU_PLANE_MEAN && (WINDOW_W & LENGTH)) {
        const int at = WINDOW_W - WINDOW_W % (2 * LENGTH);
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) made[c] = LENGTH == 1 ? run[c + WINDOW_W - 1] : pair(made[c], run[c + at]);
    }
    if constexpr (2 * LENGTH <= WINDOW_W) {
#pragma unroll
        for (int i = 0; i + 2 * LENGTH <= VALUES; i++) run[i] = pair(run[i], run[i + LENGTH]);
        combine_runs<2 * LENGTH>(made, run);
    } else if constexpr (METHOD != TESS__GPU_PLANE_MEAN) {
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) made[c] = pair(run[c], run[c + WINDOW_W - LENGTH]);
    }
}

/* The windows of a lane along w. */
static __device__ void combine_row(number made[COLUMNS], number x[VALUES]) { combine_runs<1>(made, x); }
#endif

/* ---- Along w ---- */

/* The first result of a tile; how many it has; the rows and the elements of a row that it reads, and which of the
 * latter are inside. */
struct tile : corner {
    int height, width, rows, n, begin, end;
};

static __device__ int64_t step_in(const tess__gpu_stencil &p) { return PACKED ? 1 : p.in.stride[3]; }
static __device__ int64_t step_out(const tess__gpu_stencil &p) { return PACKED ? 1 : p.out.stride[3]; }

/* Where a row of a tile and its halo is in the input; below 0: outside. */
static __device__ int64_t row_of(const tess__gpu_stencil &p, const tile &t, int y)
{
    return index_of(p, 1, t.at[1] + y - WINDOW_H / 2);
}

/* The elements of a row that a lane brings: from its place on, every 32. Those of a tile that is INSIDE with all that
 * it reads need no border. */
template <bool INSIDE>
static __device__ void read_row(number got[READS], const tess__gpu_stencil &p, const tile &t, const stored *in, int y)
{
    const int     lane = (int)threadIdx.x % 32;
    const int64_t h = INSIDE ? t.at[1] + y - WINDOW_H / 2 : row_of(p, t, y), first = t.at[2] - WINDOW_W / 2;
    const stored *row = in + (INSIDE || h >= 0 ? h : 0) * p.in.stride[2], *from = row + (first + lane) * step_in(p);
#pragma unroll
    for (int k = 0; k < READS; k++) {
        const int i = lane + 32 * k;
        if (INSIDE) {
            if (i < SPREAD) got[k] = number_of(from[32 * k * step_in(p)]);
            continue;
        }
        int64_t w = first + i;
        if (i < t.begin || i >= t.end) w = i < t.n ? tess_border_index((tess_border)p.border, w, p.n[2]) : -1;
        got[k] = h >= 0 && w >= 0 ? number_of(row[w * step_in(p)]) : outside_of(p.outside);
    }
}

/* As many rows as a warp takes, from row y of the tile on; the last one again where there are no more. */
template <bool INSIDE>
static __device__ void read_rows(number got[ROWS][READS], const tess__gpu_stencil &p, const tile &t, int y)
{
    const stored *in = (const stored *)p.in.data + t.batch * p.in.stride[0] + t.at[0] * p.in.stride[1];
#pragma unroll
    for (int r = 0; r < ROWS; r++) read_row<INSIDE>(got[r], p, t, in, y + r < t.rows ? y + r : t.rows - 1);
}

static __device__ void share_rows(staged_row to[ROWS], const number got[ROWS][READS])
{
    const int lane = (int)threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int k = 0; k < READS; k++)
            if (lane + 32 * k < SPREAD) to[r].value[place(lane + 32 * k)] = got[r][k];
}

/* The windows along w of the rows that a warp shares; those of a row outside are known. */
template <bool INSIDE>
static __device__ void combine_rows(const tess__gpu_stencil &p, const tile &t, int y, const staged_row from[ROWS])
{
    const int row = (int)threadIdx.x % 32 / LANES, first = (int)threadIdx.x % LANES * COLUMNS;
    pack      packs[(VALUES + PACK - 1) / PACK];
    number    x[VALUES], made[COLUMNS];
    if (y + row >= t.rows) return;
#pragma unroll
    for (int i = 0; i < VALUES; i += PACK) packs[i / PACK] = *(const pack *)(from[row].value + place(first + i));
#pragma unroll
    for (int i = 0; i < VALUES; i++) x[i] = packs[i / PACK].value[i % PACK];
    combine_row(made, x);
    const bool exists = INSIDE || row_of(p, t, y + row) >= 0;
#pragma unroll
    for (int c = 0; c < COLUMNS; c += PACK) {
        pack together;
#pragma unroll
        for (int i = 0; i < PACK; i++) together.value[i] = exists ? made[c + i] : outside_of(p.outside_h);
        *(pack *)&middle[y + row][first + c] = together;
    }
}

template <bool INSIDE> static __device__ void along_w(const tess__gpu_stencil &p, const tile &t)
{
    const int warp = (int)threadIdx.x / 32;
    for (int y = warp * ROWS; y < t.rows; y += THREADS / 32 * ROWS) {
        number got[ROWS][READS];
        read_rows<INSIDE>(got, p, t, y);
        share_rows(staged[warp], got);
        __syncwarp();
        combine_rows<INSIDE>(p, t, y, staged[warp]);
        __syncwarp();
    }
}

/* ---- Along h ---- */

#if METHOD == TESS__GPU_PLANE_MEAN
/* x / d, correctly rounded, by the reciprocal of d (Markstein 1990), where nothing under- or overflows. */
static __device__ number quotient(number x, number d, number reciprocal)
{
    const number q = x * reciprocal;
    const number near = __builtin_fma(__builtin_fma(-q, d, x), reciprocal, q);
    const number size = __builtin_fabs(x);
    if (!(size > 1e-280 && size < 1e280)) return x / d;
    return __builtin_fma(__builtin_fma(-near, d, x), reciprocal, near);
}
#endif

/* A column of results. */
struct column {
    element<OUT>::stored *out;
    int64_t               step;
#if METHOD == TESS__GPU_PLANE_MEAN
    number divisor, reciprocal; /* of sums that are the results; else 0 */
#endif
};

static __device__ void store(const tile &t, const column &c, int row, number x)
{
    if (row >= t.height) return;
#if METHOD >= TESS__GPU_PLANE_MINIMUM
    c.out[row * c.step] = from_key<stored>(x);
#elif METHOD == TESS__GPU_PLANE_MEAN
    const number mean = c.divisor != 0 ? quotient(x, c.divisor, c.reciprocal) : x;
    c.out[row * c.step] = element<OUT>::store(convert<OUT, SUM>(mean));
#else
    c.out[row * c.step] = element<OUT>::store(convert<OUT, SUM>(x));
#endif
}

#if METHOD == TESS__GPU_PLANE_CONVOLVE
/* A thread has some results of a column: each row meets the weights of the windows that it is a part of. */
static __device__ void along_h(const tile &t, const column &c, int x)
{
    for (int first = (int)threadIdx.x / WIDTH * CHUNK; first < t.height; first += GROUPS * CHUNK) {
        number sums[CHUNK];
#pragma unroll
        for (int r = 0; r < CHUNK; r++) sums[r] = convert<SUM, TESS_F32>(0);
#pragma unroll
        for (int y = 0; y < CHUNK + WINDOW_H - 1; y++) {
            const number value = middle[first + y][x];
#pragma unroll
            for (int r = 0; r < CHUNK; r++)
                if (y >= r && y - r < WINDOW_H) add_product(sums[r], value, weights_h[y - r]);
        }
#pragma unroll
        for (int r = 0; r < CHUNK; r++) store(t, c, first + r, sums[r]);
    }
}
#else
/* A thread has a block of a column, as long as the window: this is the end of the block and the beginning of the next
 * one. */
static __device__ void along_h(const tile &t, const column &c, int x)
{
    for (int first = (int)threadIdx.x / WIDTH * WINDOW_H; first < t.height; first += GROUPS * WINDOW_H) {
        number ends[WINDOW_H], beginning = number();
        ends[WINDOW_H - 1] = middle[first + WINDOW_H - 1][x];
#pragma unroll
        for (int i = WINDOW_H - 2; i >= 0; i--) ends[i] = pair(middle[first + i][x], ends[i + 1]);
        store(t, c, first, ends[0]);
#pragma unroll
        for (int i = 1; i < WINDOW_H; i++) {
            const number next = middle[first + WINDOW_H - 1 + i][x];
            beginning = i == 1 ? next : pair(beginning, next);
            store(t, c, first + i, pair(ends[i], beginning));
        }
    }
}
#endif

TESS_KERNEL_TIGHT(THREADS, SIZE > 4 ? 5 : 4, tess__gpu_stencil, p)
{
    tile t;
    (corner &)t = corner_of_block(p, HEIGHT, WIDTH);
    t.height = p.end[1] - t.at[1] < HEIGHT ? (int)(p.end[1] - t.at[1]) : HEIGHT;
    t.width = p.end[2] - t.at[2] < WIDTH ? (int)(p.end[2] - t.at[2]) : WIDTH;
#if METHOD == TESS__GPU_PLANE_CONVOLVE
    load_weights(p);
    __syncthreads();
#endif
    t.begin = t.at[2] < WINDOW_W / 2 ? (int)(WINDOW_W / 2 - t.at[2]) : 0;
    t.rows = t.height + WINDOW_H - 1;
    t.end = t.n = t.width + WINDOW_W - 1;
    if (p.n[2] - t.at[2] + WINDOW_W / 2 < t.end) t.end = (int)(p.n[2] - t.at[2]) + WINDOW_W / 2;
    const bool inside =
        t.begin == 0 && t.end == SPREAD && t.at[1] >= WINDOW_H / 2 && t.at[1] + t.height + WINDOW_H / 2 <= p.n[1];
    if (inside) along_w<true>(p, t);
    else along_w<false>(p, t);
    __syncthreads();
    const int x = (int)threadIdx.x % WIDTH;
    column    c;
    c.out = (element<OUT>::stored *)p.out.data + t.batch * p.out.stride[0] + t.at[0] * p.out.stride[1] +
            t.at[1] * p.out.stride[2] + (t.at[2] + x) * step_out(p);
    c.step = p.out.stride[2];
#if METHOD == TESS__GPU_PLANE_MEAN
    c.divisor = (number)p.divisor;
    c.reciprocal = 1 / c.divisor;
#endif
    if (x < t.width) along_h(t, c, x);
}
