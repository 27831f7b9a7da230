/* Sums over shells of rows as they are: a warp for each chunk, whose threads compute where 32 columns go, and add them
 * to the tables of the chunk in the order of the CPU: those of different tables together, those of one table one after
 * the other.
 *
 * The program defines IN: a dtype, KIND and TERMS: TESS__RADIAL_. */
#include "cuda/jit/elements.cu.h"
#include "cuda/signal/radial_bins_params.h"

enum { THREADS = 128, SUMS = TESS__RADIAL_SUMS(TERMS), LANES = TESS__RADIAL_LANES };

/* What a coefficient has. */
static __device__ void terms_of(double terms[SUMS], const tess__gpu_radial_bins &p, int64_t offset)
{
    const typename element<IN>::stored stored = ((const typename element<IN>::stored *)p.lhs.data)[offset];
#if TERMS == TESS__RADIAL_VALUE
    terms[0] = convert<TESS_F64, IN>(element<IN>::load(stored));
    terms[1] = 1;
#else
    const tess_c64 z = convert<TESS_C64, IN>(element<IN>::load(stored));
#if TERMS == TESS__RADIAL_POWER
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

static __device__ void add(double *shell, const double terms[SUMS], double part)
{
    for (int k = 0; k < SUMS; k++) shell[k] += terms[k] * part;
}

static __device__ void add_row(const tess__gpu_radial_bins &p, const tess__radial_row &row, int64_t offset,
                               double *tables)
{
    const int               lane = threadIdx.x & 31;
    const tess__radial_axis axis = p.grid.axis[2];
    double                 *table = tables + lane % LANES * p.grid.window * SUMS;
    for (int64_t begin = 0; begin < p.grid.all_columns; begin += 32) {
        const int64_t      w = begin + lane;
        tess__radial_slots at;
        double             terms[SUMS];
        if (w < p.grid.all_columns) {
            const int64_t k = tess__radial_steps(&axis, w);
            const double  position = tess__radial_position(KIND, &p.grid, &row, tess__radial_frequency(&axis, k));
            at = tess__radial_slots_of(&p.grid, p.grid.nearest, position, tess__radial_weight(&axis, k) * row.weight);
            terms_of(terms, p, offset + w * p.lhs.stride[3]);
        }
        for (int k = 0; k < 32 / LANES; k++) {
            if (lane / LANES == k && w < p.grid.all_columns) {
                add(table + (int64_t)at.slot * SUMS, terms, at.lower);
                add(table + (int64_t)at.next * SUMS, terms, at.upper);
            }
            __syncwarp();
        }
    }
}

TESS_KERNEL(THREADS, tess__gpu_radial_bins, p)
{
    const int64_t slot = (int64_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32, b = slot / p.chunks;
    const int64_t size = LANES * p.grid.window * SUMS, height = p.grid.axis[1].n;
    if (b >= p.batches) return;
    const tess__radial_chunk chunk = tess__radial_chunk_of(&p.grid, p.chunk + slot - b * p.chunks);
    double                  *tables = (double *)p.tables + slot * size;
    if ((threadIdx.x & 31) == 0) ((int32_t *)p.firsts)[slot] = (int32_t)chunk.first;
    for (int64_t i = threadIdx.x & 31; i < size; i += 32) tables[i] = 0;
    __syncwarp();
    for (int64_t i = chunk.h; i < chunk.h_end; i++) {
        const int64_t d = i / height, h = i - d * height;
        const double *ctf = (const double *)p.ctfs.data + (p.batch + b) * p.ctfs.stride[0] + h * p.ctfs.stride[2];
        const double *target = (const double *)p.target.data + (p.batch + b) * p.target.stride[0];
        const tess__radial_row row = tess__radial_row_of(&p.grid, d, h, ctf, target);
        add_row(p, row, (p.batch + b) * p.lhs.stride[0] + d * p.lhs.stride[1] + h * p.lhs.stride[2], tables);
    }
}
