/* Sums into shells of a spectrum on the CPU: chunks of rows, each with tables of its own, which are added in order.
 *
 * The chunks follow from the shape alone, so that sums do not depend on threads; see ops/shells.op.h.
 */
#include <string.h>

#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"

enum {
    PACKED = 512,           /* columns that are packed at a time, where a kernel cannot read them as they are */
    TABLE_BYTES = 64 << 20, /* of chunks before they are added, at most, */
    MIN_SLOTS = 64,         /* unless it would be fewer chunks than this */
    PAGE = 512              /* numbers of 4096 bytes: loads wait for stores that are whole pages away, so the
                               same shells of different tables are not */
};

/* Estimated nanoseconds of a coefficient. */
#define COST 1.5

/* How a spectrum reaches the kernel. */
typedef struct source {
    const tess_array *array;
    int64_t           size;   /* bytes of an element */
    bool              direct; /* the kernel reads it where it is */
    tess__conversion  load;
} source;

typedef struct shells {
    const tess__shells *work;
    tess__shells_fn    *kernel;
    source              lhs, rhs;
    const double       *x, *weight; /* of all columns */
    int64_t             cones, sums;
    int64_t             size, stride; /* of a table: numbers that it has, and from one to the next */
    int64_t             first;        /* chunk, of all batches */
    double             *tables;
} shells;

/* ---- Rows ---- */

static const char *element_of(const source *s, int64_t b, int64_t d, int64_t h, int64_t w)
{
    const tess_array *a = s->array;
    if (a->shape.b == 1) b = 0;
    return (const char *)a->data +
           (b * a->strides.b + d * a->strides.d + h * a->strides.h + w * a->strides.w) * s->size;
}

/* n columns for the kernel, from this address on. */
static const void *load(const source *s, const char *from, char *packed, int64_t n)
{
    if (s->direct) return from;
    union {
        const char *in;
        char       *p;
    } address = { from };
    s->load.row((char *[]){ packed, address.p }, (int64_t[]){ 1, s->array->strides.w }, n, &s->load);
    return packed;
}

/* The same columns of the next row: rows have gaps, which the processor does not foresee. */
static void prefetch(const source *s, const char *row, int64_t columns)
{
    const char *next = row + s->array->strides.h * s->size;
    for (int64_t i = 0; i < columns * s->size; i += 64) __builtin_prefetch(next + i);
}

/* Columns first to last-1 of a row. */
static void add_run(const shells *s, const int64_t position[3], tess__shell_run *run, int64_t first, int64_t last,
                    double *tables)
{
    _Alignas(64) char packed[2][PACKED * sizeof(tess_c64)];
    const bool        direct = s->lhs.direct && (!s->rhs.array || s->rhs.direct);
    for (int64_t w = first, n; w < last; w += n) {
        n = direct || last - w < PACKED ? last - w : PACKED;
        run->first = w;
        run->x = s->x + w;
        run->weight = s->weight + w;
        run->lhs = load(&s->lhs, element_of(&s->lhs, position[0], position[1], position[2], w), packed[0], n);
        run->rhs = run->lhs;
        if (s->rhs.array)
            run->rhs = load(&s->rhs, element_of(&s->rhs, position[0], position[1], position[2], w), packed[1], n);
        if (s->lhs.direct) prefetch(&s->lhs, run->lhs, n);
        if (s->rhs.array && s->rhs.direct) prefetch(&s->rhs, run->rhs, n);
        s->kernel(tables, s->stride, run, n);
    }
}

/* The columns of a row that are within the shells, in the order of their indices. */
static void add_row(const shells *s, const int64_t position[3], double *tables)
{
    const tess__shells     *work = s->work;
    const tess__shell_grid *g = &work->grid;
    const tess__shell_axis *w = &g->axis[2];
    tess__shell_run         run = { .shells = g->shells,
                                    .cones = work->axes.data ? s->cones : 0,
                                    .axes = work->axes.data,
                                    .cosine = work->cosine,
                                    .nearest = work->nearest };
    run.z = tess__shell_component(&g->axis[0], tess__shell_cycles(&g->axis[0], position[1]), g->m);
    run.y = tess__shell_component(&g->axis[1], tess__shell_cycles(&g->axis[1], position[2]), g->m);
    const int64_t columns = tess__shell_columns(g, run.z * run.z + run.y * run.y);
    if (columns == 0) return;
    const int64_t above = tess__min(columns, w->above), below = tess__min(columns - 1, w->below);
    if (w->below_end <= w->zero) add_run(s, position, &run, w->below_end - below, w->below_end, tables);
    add_run(s, position, &run, w->zero, w->zero + above, tables);
    if (w->below_end > w->zero) add_run(s, position, &run, w->below_end - below, w->below_end, tables);
}

/* ---- Chunks ---- */

/* The first table becomes the sum of all of a chunk; what was beyond the last shell belongs to it. */
static void join_lanes(const shells *s, double *tables)
{
    const int64_t n = s->work->grid.shells, size = (n + 1) * s->sums;
    for (int64_t i = 0; i < s->size; i++) {
        double sum = tables[i];
        for (int k = 1; k < TESS__SHELL_LANES; k++) sum += tables[k * s->stride + i];
        tables[i] = sum;
    }
    for (int64_t cone = 0; cone < s->cones; cone++)
        for (int64_t k = 0; k < s->sums; k++)
            tables[cone * size + (n - 1) * s->sums + k] += tables[cone * size + n * s->sums + k];
}

static void add_chunks(void *context, int64_t first, int64_t last)
{
    const shells           *s = context;
    const tess__shell_grid *g = &s->work->grid;
    const tess_shape        shape = s->work->lhs.shape;
    for (int64_t i = first; i < last; i++) {
        const int64_t b = (s->first + i) / g->chunks, begin = (s->first + i) % g->chunks * g->rows;
        const int64_t end = tess__min(begin + g->rows, shape.d * shape.h);
        double       *tables = s->tables + i * TESS__SHELL_LANES * s->stride;
        memset(tables, 0, (size_t)(TESS__SHELL_LANES * s->stride) * sizeof *tables);
        for (int64_t row = begin; row < end; row++)
            add_row(s, (const int64_t[]){ b, row / shape.h, row % shape.h }, tables);
        join_lanes(s, tables);
    }
}

/* The sums of a chunk, added to those of its batch. */
static void add_table(const shells *s, double *out, const double *table)
{
    const int64_t n = s->work->grid.shells * s->sums;
    for (int64_t cone = 0; cone < s->cones; cone++)
        for (int64_t i = 0; i < n; i++) out[cone * n + i] += table[cone * (n + s->sums) + i];
}

static void add_all(shells *s, int64_t slots)
{
    const tess__shell_grid *g = &s->work->grid;
    const int64_t           n = s->work->lhs.shape.b * g->chunks, per_batch = s->cones * g->shells * s->sums;
    const double            cost = COST * (double)(g->rows * s->work->lhs.shape.w);
    double                 *out = s->work->out.data;
    memset(out, 0, (size_t)(s->work->lhs.shape.b * per_batch) * sizeof *out);
    for (s->first = 0; s->first < n; s->first += slots) {
        const int64_t now = tess__min(slots, n - s->first);
        tess__parallel(now, tess__grain(now, cost), add_chunks, s);
        for (int64_t i = 0; i < now; i++)
            add_table(s, out + (s->first + i) / g->chunks * per_batch, s->tables + i * TESS__SHELL_LANES * s->stride);
    }
}

/* ---- Entry ---- */

static source source_of(const tess_array *a, tess_dtype kernel)
{
    source s = { .array = a, .size = tess__dtype_size(a->dtype) };
    s.direct = a->dtype == kernel && (a->strides.w == 1 || a->shape.w == 1);
    if (a->dtype == kernel) s.load.row = tess__cpu_kernels()->memory.copy[tess__size_class(s.size)];
    else s.load = tess__conversion_of(a->dtype, kernel, TESS__CLAMP, TESS_PART_DEFAULT);
    return s;
}

static void fill_columns(double *x, double *weight, const tess__shell_grid *g, int64_t n)
{
    for (int64_t w = 0; w < n; w++) {
        const int64_t k = tess__shell_cycles(&g->axis[2], w);
        x[w] = tess__shell_component(&g->axis[2], k, g->m);
        weight[w] = tess__shell_weight(g, k);
    }
}

static tess_status run(const void *payload, size_t size)
{
    (void)size;
    const tess__shells         *work = payload;
    const tess__shell_grid     *g = &work->grid;
    const bool                  pair = work->rhs.data != NULL;
    const bool                  is_double = work->lhs.dtype == TESS_C64 || (pair && work->rhs.dtype == TESS_C64);
    const tess_dtype            dtype = is_double ? TESS_C64 : TESS_C32;
    const int64_t               columns = work->lhs.shape.w;
    const tess__signal_kernels *kernels = &tess__cpu_kernels()->signal;

    shells s = { .work = work, .cones = work->axes.data ? work->axes.shape.h : 1, .lhs = source_of(&work->lhs, dtype) };
    s.kernel = (pair ? kernels->shell_pairs : kernels->shell_powers)[is_double];
    if (pair) s.rhs = source_of(&work->rhs, dtype);
    s.sums = pair ? TESS__SHELL_PAIR : TESS__SHELL_POWER;
    s.size = s.cones * (g->shells + 1) * s.sums;
    s.stride = (s.size / PAGE + 1) * PAGE + PAGE / TESS__SHELL_LANES;

    const int64_t table = TESS__SHELL_LANES * s.stride, fit = TABLE_BYTES / (table * (int64_t)sizeof(double));
    const int64_t slots = tess__min(work->lhs.shape.b * g->chunks, tess__max(fit, MIN_SLOTS));
    const size_t  bytes = (size_t)(2 * columns + slots * table) * sizeof(double);
    double       *memory = tess__alloc(bytes);
    TESS_CHECK(memory, TESS_ENOMEM, "%s: no memory for %zu bytes of tables", work->name, bytes);
    s.x = memory + slots * table;
    s.weight = s.x + columns;
    s.tables = memory;
    fill_columns(memory + slots * table, memory + slots * table + columns, g, columns);
    add_all(&s, slots);
    tess__free(memory);
    return TESS_OK;
}

static void buffers(const void *payload, size_t size, void (*each)(tess_buffer *))
{
    (void)size;
    const tess__shells *work = payload;
    each(work->out.buffer);
    each(work->lhs.buffer);
    each(work->rhs.buffer);
    each(work->axes.buffer);
}

tess_status tess__cpu_shells(tess_stream *stream, const tess__shells *work)
{
    return tess__submit(stream, run, work, sizeof *work, buffers);
}
