/* The box of elements that a tile of results needs, staged in shared memory.
 *
 * Coordinates rise or fall along each axis of the output, rounding included: the corners of a tile have the least and
 * the greatest. So a window of the tile is in the box exactly if it is in the input. */
#ifndef TESS_CUDA_GEOMETRY_SAMPLING_TRANSFORM_BOX_CU_H
#define TESS_CUDA_GEOMETRY_SAMPLING_TRANSFORM_BOX_CU_H

/* Of shared memory: little enough for several blocks on a multiprocessor. */
enum { CAPACITY = (DIMS == 2 && TAPS <= 4 ? 36864 : 45056) / ((int)sizeof(real) * PARTS) }; /* elements */

/* Elements along z, y, x of the input that the tile's windows meet: none, if n is 0. */
struct axis_range {
    int32_t low, n;
    int32_t known; /* 0: a coordinate is so large, or not a number, that 32 bits cannot index it */
};

__shared__ axis_range ranges[3];
__shared__ real       staged[CAPACITY * PARTS];

/* The same as each thread has it, in registers. */
struct source_box {
    int32_t low[3], n[3];
    int32_t starts[3]; /* windows of METHOD that begin in it and end in it */
    int32_t pitch[3];  /* elements from one to the next in shared memory */
    bool    known, fits;
};

/* The integer below a coordinate of less than 2^30, and how far it is. */
static __device__ int32_t floor_of(double c, double *t)
{
#ifdef TESS_SIMULATED
    double shifted = c + 0x1.8p52;
    if (shifted - 0x1.8p52 > c) shifted -= 1.0;
#else
    const double shifted = __dadd_rd(c, 0x1.8p52);
#endif
    *t = c - (shifted - 0x1.8p52);
    return (int32_t)(uint32_t)tess__bits_of_f64(shifted);
}

/* The first element of a window. */
static __device__ int32_t window_of(int interp, double c, double *t)
{
    const int32_t below = floor_of(c, t);
    return below + (int32_t)tess__interp_base_f64(interp, 0, *t) + tess__interp_first(interp);
}

/* Coordinate `axis` at the corner of columns begin <= x < end of a tile where it is least, or greatest if `high`. */
static __device__ double corner(const tess__gpu_transform &p, const double *m, int axis, const result_tile &tile,
                                int begin, int end, bool high)
{
    const double             *a = m + (axis - (3 - DIMS)) * (DIMS + 1);
    const double              z = (double)(tile.first[0] + (DIMS == 3 && (a[0] < 0.0) != high ? tile.n[0] - 1 : 0));
    const double              y = (double)(tile.first[1] + ((a[DIMS - 2] < 0.0) != high ? tile.n[1] - 1 : 0));
    const double              x = (double)(tile.first[2] + ((a[DIMS - 1] < 0.0) != high ? end - 1 : begin));
    const tess__transform_row row = tess__transform_row_of(m, DIMS, p.from, p.to, z, y);
    return tess__transform_coordinate(&row, axis, x);
}

static __device__ void set_range(const tess__gpu_transform &p, const double *m, int axis, const result_tile &tile,
                                 int begin, int end)
{
    double        t;
    const double  low = corner(p, m, axis, tile, begin, end, false), high = corner(p, m, axis, tile, begin, end, true);
    const int64_t from = window_of(METHOD, low, &t), to = (int64_t)window_of(METHOD, high, &t) + TAPS;
    const int64_t first = from > 0 ? from : 0, last = to < p.shape[axis] ? to : p.shape[axis];
    ranges[axis].low = (int32_t)first;
    ranges[axis].n = last > first ? (int32_t)(last - first) : 0;
    ranges[axis].known = (__builtin_fabs(low) < 0x1p30) & (__builtin_fabs(high) < 0x1p30);
}

/* Elements from one row to the next: odd, and not next to a multiple of 32, so that neither columns nor diagonals of a
 * window lie in few banks. */
static __device__ int32_t pitch_of(int32_t n)
{
    const int32_t odd = n | 1, bank = odd % 32;
    return bank == 1 ? odd + 2 : bank == 31 ? odd + 4 : odd;
}

static __device__ source_box box_of_ranges()
{
    source_box s;
    int        known = 1;
    s.low[0] = 0, s.n[0] = 1;
#pragma unroll
    for (int k = 3 - DIMS; k < 3; k++) {
        s.low[k] = ranges[k].low, s.n[k] = ranges[k].n;
        s.starts[k] = s.n[k] >= TAPS ? s.n[k] - TAPS + 1 : 0;
        known &= ranges[k].known;
    }
    const int64_t row = pitch_of(s.n[2]), plane = row * s.n[1];
    s.pitch[0] = (int32_t)plane, s.pitch[1] = (int32_t)row, s.pitch[2] = 1;
    s.known = known;
    s.fits = known & (plane * s.n[0] <= CAPACITY);
    return s;
}

/* A copy of an element to index `to` in shared memory, which need not be over before wait_staged. */
static __device__ void stage(int to, const real *from)
{
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
#if !defined(TESS_SIMULATED) && __CUDA_ARCH__ >= 800
        const unsigned address =
            (unsigned)__cvta_generic_to_shared(staged) + (unsigned)(to * PARTS + part) * sizeof(real);
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from + part), "n"(sizeof(real)));
#else
        staged[to * PARTS + part] = from[part];
#endif
    }
}

static __device__ void wait_staged()
{
#if !defined(TESS_SIMULATED) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
}

/* A warp has every WARPS-th plane of a volume or row of an image, a lane some columns. */
static __device__ void stage_box(const source_box &s, const tess__gpu_transform &p, int64_t b)
{
    enum { WARPS = THREADS / 32, PLANES = DIMS == 3 ? WARPS : 1, ROWS = WARPS / PLANES };
    const int     warp = (int)(threadIdx.x / 32), lane = (int)(threadIdx.x % 32);
    const int64_t row = p.in.stride[2] * PARTS, plane = p.in.stride[1] * PARTS;
    const real   *in = (const real *)p.in.data + (b * p.in.stride[0] + s.low[2] * p.in.stride[3]) * PARTS +
                     (s.low[1] + warp % ROWS) * row + (s.low[0] + warp / ROWS) * plane;
    for (int x = lane; x < s.n[2]; x += 32) {
        const real *of = in + x * p.in.stride[3] * PARTS;
        for (int z = warp / ROWS; z < s.n[0]; z += PLANES, of += PLANES * plane) {
            const real *from = of;
            int         to = z * s.pitch[0] + warp % ROWS * s.pitch[1] + x;
#pragma unroll 4
            for (int y = warp % ROWS; y < s.n[1]; y += ROWS, from += ROWS * row, to += ROWS * s.pitch[1])
                stage(to, from);
        }
    }
}

#endif
