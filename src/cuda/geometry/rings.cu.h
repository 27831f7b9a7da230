/* Sums into rings: a warp for each chunk, whose threads compute where 32 columns go, and add them to the tables of the
 * chunk in the order of the CPU: those of different tables together, those of one table one after the other.
 *
 * The program defines IN: a dtype, KIND and TERMS: TESS__RINGS_. */
#include "cuda/geometry/rings_params.h"
#include "cuda/jit/elements.cu.h"

enum { THREADS = 128, SUMS = TESS__RINGS_SUMS(TERMS), LANES = TESS__RINGS_LANES };

/* What a coefficient has. */
static __device__ void terms_of(double terms[SUMS], const tess__gpu_rings &p, int64_t offset)
{
    const typename element<IN>::stored stored = ((const typename element<IN>::stored *)p.in.data)[offset];
#if TERMS == TESS__RINGS_VALUE
    terms[0] = convert<TESS_F64, IN>(element<IN>::load(stored));
    terms[1] = 1;
#else
    const tess_c64 z = convert<TESS_C64, IN>(element<IN>::load(stored));
#if TERMS == TESS__RINGS_POWER
    terms[0] = z.re * z.re + z.im * z.im;
    terms[1] = 1;
#else
    terms[0] = z.re;
    terms[1] = z.im;
    terms[2] = 1;
    terms[3] = 0;
#endif
#endif
}

static __device__ void add(double *ring, const double terms[SUMS], double part)
{
    for (int k = 0; k < SUMS; k++) ring[k] += terms[k] * part;
}

static __device__ void add_row(const tess__gpu_rings &p, const tess__rings_row &row, int64_t offset, double *tables)
{
    const int lane = threadIdx.x & 31;
    double   *table = tables + lane % LANES * (p.grid.rings + 2) * SUMS;
    for (int64_t begin = 0; begin < p.width; begin += 32) {
        const int64_t     w = begin + lane;
        tess__rings_slots at;
        double            terms[SUMS];
        if (w < p.width) {
            const double position =
                tess__rings_position(KIND, &p.grid, &row, tess__rings_frequency(&p.grid.axis[2], w));
            at = tess__rings_slots_of(&p.grid, position, tess__rings_weight(&p.grid, w) * row.weight);
            terms_of(terms, p, offset + w * p.in.stride[3]);
        }
        for (int k = 0; k < 32 / LANES; k++) {
            if (lane / LANES == k && w < p.width) {
                add(table + (int64_t)at.slot * SUMS, terms, at.lower);
                add(table + (int64_t)at.next * SUMS, terms, at.upper);
            }
            __syncwarp();
        }
    }
}

TESS_KERNEL(THREADS, tess__gpu_rings, p)
{
    const int64_t slot = (int64_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32, chunk = p.first + slot;
    const int64_t size = LANES * (p.grid.rings + 2) * SUMS;
    if (slot >= p.n) return;
    double *tables = (double *)p.tables + slot * size;
    for (int64_t i = threadIdx.x & 31; i < size; i += 32) tables[i] = 0;
    __syncwarp();
    const int64_t b = chunk / p.grid.chunks, begin = (chunk - b * p.grid.chunks) * p.grid.rows;
    const int64_t rows = p.depth * p.height, end = begin + p.grid.rows < rows ? begin + p.grid.rows : rows;
    for (int64_t i = begin; i < end; i++) {
        const int64_t         d = i / p.height, h = i - d * p.height;
        const double         *ctf = (const double *)p.ctfs.data + b * p.ctfs.batch + h * p.ctfs.row;
        const double         *target = (const double *)p.target.data + b * p.target.batch;
        const tess__rings_row row = tess__rings_row_of(&p.grid, d, h, ctf, target);
        add_row(p, row, b * p.in.stride[0] + d * p.in.stride[1] + h * p.in.stride[2], tables);
    }
}
