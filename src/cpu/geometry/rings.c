/* Sums into rings of a spectrum on the CPU: chunks of rows, each with tables of its own, which are added in order.
 *
 * The chunks follow from the shape alone, so that sums do not depend on threads; see formulas/rings.op.h.
 */
#include <string.h>

#include "core/dtype.h"
#include "core/memory.h"
#include "core/minmax.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/geometry/runs.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "requests/polar.h"

enum {
    TABLE_BYTES = 32 << 20, /* of chunks before they are added, at most, */
    MIN_SLOTS = 16,         /* unless it would be fewer chunks than this */
    PAGE = 512              /* numbers of 4096 bytes: loads wait for stores that are whole pages away, so the
                               same rings of different tables are not */
};

/* Estimated nanoseconds of a coefficient. */
#define COST 2.5

typedef struct rings {
    const tess__rings *work;
    tess__rings_fn    *kernel;
    tess__conversion   load;         /* of coefficients, to f64 or c64 */
    const double      *f, *weight;   /* of all columns */
    int64_t            sums;         /* numbers of a ring */
    int64_t            size, stride; /* of a table: numbers that it has, and from one to the next */
    int64_t            first;        /* chunk, of all batches */
    double            *tables;
} rings;

/* n columns from w on, as the kernel reads them. */
static void load(const rings *s, double *packed, const int64_t bdh[3], int64_t w, int64_t n)
{
    const tess_array *a = &s->work->in;
    char             *from =
        (char *)a->data + (bdh[0] * a->strides.b + bdh[1] * a->strides.d + bdh[2] * a->strides.h + w * a->strides.w) *
                              tess__dtype_size(a->dtype);
    s->load.row((char *[]){ (char *)packed, from }, (int64_t[]){ 1, a->strides.w }, n, &s->load);
}

static void add_row(const rings *s, const int64_t bdh[3], double *tables)
{
    _Alignas(64) double   packed[2 * TESS__RINGS_BLOCK];
    const tess__rings    *work = s->work;
    const double         *ctf = work->ctfs.data ? tess__polar_ctf(&work->ctfs, bdh[0], bdh[2]) : NULL;
    const double         *target = work->target.data ? tess__polar_ctf(&work->target, bdh[0], 0) : NULL;
    const tess__rings_row row = tess__rings_row_of(&work->grid, bdh[1], bdh[2], ctf, target);
    tess__rings_run       run = { .grid = &work->grid, .row = &row, .values = packed };
    const int64_t         columns = work->in.shape.w;
    for (int64_t w = 0; w < columns; w += TESS__RINGS_BLOCK) {
        const int64_t n = tess__min(columns - w, (int64_t)TESS__RINGS_BLOCK);
        load(s, packed, bdh, w, n);
        run.first = w;
        run.f = s->f + w;
        run.weight = s->weight + w;
        s->kernel(tables, s->stride, &run, n);
    }
}

/* ---- Chunks ---- */

static void add_chunks(void *context, int64_t first, int64_t last)
{
    const rings            *s = context;
    const tess__rings_grid *g = &s->work->grid;
    const tess_shape        shape = s->work->in.shape;
    for (int64_t i = first; i < last; i++) {
        const int64_t b = (s->first + i) / g->chunks, begin = (s->first + i) % g->chunks * g->rows;
        const int64_t end = tess__min(begin + g->rows, shape.d * shape.h);
        double       *tables = s->tables + i * TESS__RINGS_LANES * s->stride;
        memset(tables, 0, (size_t)(TESS__RINGS_LANES * s->stride) * sizeof *tables);
        for (int64_t row = begin; row < end; row++)
            add_row(s, (const int64_t[]){ b, row / shape.h, row % shape.h }, tables);
    }
}

/* The tables of a chunk, added to the sums of its batch; their slot 0 and the last one are no rings. */
static void add_tables(const rings *s, double *out, const double *tables)
{
    const int64_t n = s->work->grid.rings * s->sums;
    tables += s->sums;
    for (int64_t i = 0; i < n; i++) {
        double sum = tables[i];
        for (int k = 1; k < TESS__RINGS_LANES; k++) sum += tables[k * s->stride + i];
        out[i] += sum;
    }
}

static void add_all(rings *s, int64_t slots)
{
    const tess__rings_grid *g = &s->work->grid;
    const tess_shape        shape = s->work->in.shape;
    const int64_t           n = shape.b * g->chunks, per_batch = g->rings * s->sums;
    const double            cost = COST * (double)(g->rows * shape.w);
    double                 *out = s->work->out.data;
    memset(out, 0, (size_t)(shape.b * per_batch) * sizeof *out);
    for (s->first = 0; s->first < n; s->first += slots) {
        const int64_t now = tess__min(slots, n - s->first);
        tess__parallel(now, tess__grain(now, cost), add_chunks, s);
        for (int64_t i = 0; i < now; i++)
            add_tables(s, out + (s->first + i) / g->chunks * per_batch, s->tables + i * TESS__RINGS_LANES * s->stride);
    }
}

/* ---- Entry ---- */

static tess_status run(const void *payload, size_t size)
{
    (void)size;
    const tess__rings      *work = payload;
    const tess__rings_grid *g = &work->grid;
    const int64_t           columns = work->in.shape.w;
    const tess_dtype        held = work->terms == TESS__RINGS_VALUE ? TESS_F64 : TESS_C64;
    rings                   s = { .work = work, .kernel = tess__cpu_kernels()->geometry.rings[work->terms] };
    if (work->in.dtype != held) s.load = tess__conversion_of(work->in.dtype, held, TESS__CLAMP, TESS_PART_DEFAULT);
    else s.load.row = tess__cpu_kernels()->memory.copy[tess__size_class(tess__dtype_size(held))];
    s.sums = TESS__RINGS_SUMS(work->terms);
    s.size = (g->rings + 2) * s.sums;
    s.stride = (s.size / PAGE + 1) * PAGE + PAGE / TESS__RINGS_LANES;

    const int64_t table = TESS__RINGS_LANES * s.stride, fit = TABLE_BYTES / (table * (int64_t)sizeof(double));
    const int64_t slots = tess__min(work->in.shape.b * g->chunks, tess__max(fit, (int64_t)MIN_SLOTS));
    const size_t  bytes = (size_t)(2 * columns + slots * table) * sizeof(double);
    double       *memory = tess__alloc(bytes);
    TESS_CHECK(memory, TESS_ENOMEM, "%s: no memory for %zu bytes of tables", work->name, bytes);
    double *f = memory + slots * table, *weight = f + columns;
    for (int64_t w = 0; w < columns; w++) {
        f[w] = tess__rings_frequency(&g->axis[2], w);
        weight[w] = tess__rings_weight(g, w);
    }
    s.f = f;
    s.weight = weight;
    s.tables = memory;
    add_all(&s, slots);
    tess__free(memory);
    return TESS_OK;
}

static void buffers(const void *payload, size_t size, void (*each)(tess_buffer *))
{
    (void)size;
    const tess__rings *work = payload;
    each(work->out.buffer);
    each(work->in.buffer);
    each(work->ctfs.buffer);
    each(work->target.buffer);
}

tess_status tess__cpu_rings(tess_stream *stream, const tess__rings *work)
{
    return tess__submit(stream, run, work, sizeof *work, buffers);
}
