/* Sums into rings of spectra on the CPU: chunks of rows, each with tables of its own, which are added in order.
 *
 * The chunks follow from the shape alone, so that sums do not depend on threads; see formulas/rings.op.h. A task is a
 * chunk of a few batches at a time: where their columns go is computed once.
 */
#include <string.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/geometry/sampling/polar_runs.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "cpu/runtime/workspace.h"
#include "requests/geometry/polar.h"

enum {
    GROUP = 4,            /* batches of a task, at most */
    SUM_BYTES = 32 << 20, /* of chunks before they are added, at most, */
    MIN_SLOTS = 16,       /* unless it would be fewer tasks than this */
    PAGE = 512            /* numbers of 4096 bytes: loads wait for stores that are whole pages away, so the
                             same rings of different tables are not */
};

/* Estimated nanoseconds of a coefficient. */
#define COST 2.5

typedef struct rings {
    const tess__rings *work;
    tess__rings_fn    *kernel;
    tess__conversion   load;         /* of coefficients, to f64 or c64, */
    bool               in_place;     /* unless the kernel reads them where they are */
    const double      *f, *weight;   /* of all columns */
    int64_t            sums;         /* numbers of a ring */
    int64_t            size, stride; /* of a table: numbers that it has, and from one to the next */
    int64_t            group;        /* batches of a task, but for the last ones */
    int64_t            first;        /* task */
    double            *partial;      /* sums of tasks: those of `group` batches each */
    tess__workspaces   tables;       /* of a task */
} rings;

/* A task: a chunk of `n` batches from `b` on. */
typedef struct task {
    int64_t b, n, chunk;
} task;

static task task_of(const rings *s, int64_t i)
{
    const int64_t chunks = s->work->grid.chunks, b = i / chunks * s->group;
    return (task){ .b = b, .n = tess__min(s->group, s->work->in.shape.b - b), .chunk = i % chunks };
}

/* ---- A task ---- */

/* n columns from w on, as the kernel reads them; `packed` has room for them. */
static const void *load(const rings *s, double *packed, const int64_t bdh[3], int64_t w, int64_t n)
{
    const tess_array *a = &s->work->in;
    char             *from =
        (char *)a->data + (bdh[0] * a->strides.b + bdh[1] * a->strides.d + bdh[2] * a->strides.h + w * a->strides.w) *
                              tess__dtype_size(a->dtype);
    if (s->in_place) return from;
    s->load.row((char *[]){ (char *)packed, from }, (int64_t[]){ 1, a->strides.w }, n, &s->load);
    return packed;
}

/* Row (d, h) of the batches of a task. */
static void add_row(const rings *s, const task *t, int64_t d, int64_t h, double *tables)
{
    _Alignas(64) double   packed[2 * TESS__RINGS_BLOCK];
    tess__rings_places    places;
    const tess__rings    *work = s->work;
    const double         *ctf = work->ctfs.data ? tess__polar_ctf(&work->ctfs, t->b, h) : NULL;
    const double         *target = work->target.data ? tess__polar_ctf(&work->target, t->b, 0) : NULL;
    const tess__rings_row row = tess__rings_row_of(&work->grid, d, h, ctf, target);
    const int64_t         width = work->in.shape.w;
    for (int64_t w = 0; w < width; w += TESS__RINGS_BLOCK) {
        const int64_t             n = tess__min(width - w, (int64_t)TESS__RINGS_BLOCK);
        const tess__rings_columns columns = { &work->grid, &row, s->f + w, s->weight + w };
        tess__cpu_kernels()->geometry.rings_places(&places, &columns, n);
        for (int64_t k = 0; k < t->n; k++) {
            const void *values = load(s, packed, (const int64_t[]){ t->b + k, d, h }, w, n);
            s->kernel(tables + k * TESS__RINGS_LANES * s->stride, s->stride, &places, values, n);
        }
    }
}

/* The sum of the tables of a chunk; their slot 0 and the last one are no rings. */
static void merge_tables(const rings *s, double *restrict sums, const double *restrict tables)
{
    const int64_t n = s->work->grid.rings * s->sums;
    tables += s->sums;
    for (int64_t i = 0; i < n; i++) {
        double sum = tables[i];
        for (int k = 1; k < TESS__RINGS_LANES; k++) sum += tables[k * s->stride + i];
        sums[i] = sum;
    }
}

static void do_tasks(void *context, int64_t first, int64_t last)
{
    rings                  *s = context;
    const tess__rings_grid *g = &s->work->grid;
    const tess_shape        shape = s->work->in.shape;
    const int64_t           numbers = TESS__RINGS_LANES * s->stride, per_batch = g->rings * s->sums;
    char                   *workspace = tess__workspace_acquire(&s->tables);
    double                 *tables = (double *)(void *)workspace;
    for (int64_t i = first; i < last; i++) {
        const task    t = task_of(s, s->first + i);
        const int64_t begin = t.chunk * g->rows, end = tess__min(begin + g->rows, shape.d * shape.h);
        memset(tables, 0, (size_t)(t.n * numbers) * sizeof *tables);
        for (int64_t row = begin; row < end; row++) add_row(s, &t, row / shape.h, row % shape.h, tables);
        for (int64_t k = 0; k < t.n; k++)
            merge_tables(s, s->partial + (i * s->group + k) * per_batch, tables + k * numbers);
    }
    tess__workspace_release(&s->tables, workspace);
}

/* ---- All of them ---- */

/* The sums of tasks, `now` from the first one on, added to those of their batches. */
static void add_partial(const rings *s, int64_t now)
{
    const int64_t per_batch = s->work->grid.rings * s->sums;
    for (int64_t i = 0; i < now; i++) {
        const task t = task_of(s, s->first + i);
        double *restrict out = (double *)s->work->out.data + t.b * per_batch;
        const double *restrict partial = s->partial + i * s->group * per_batch;
        for (int64_t k = 0; k < t.n * per_batch; k++) out[k] += partial[k];
    }
}

static void add_all(rings *s, int64_t n, int64_t slots)
{
    const tess__rings_grid *g = &s->work->grid;
    const tess_shape        shape = s->work->in.shape;
    const double            cost = COST * (double)(s->group * g->rows * shape.w);
    memset(s->work->out.data, 0, (size_t)(shape.b * g->rings * s->sums) * sizeof(double));
    for (s->first = 0; s->first < n && !tess__cancelled(); s->first += slots) {
        const int64_t now = tess__min(slots, n - s->first);
        tess__parallel(now, tess__grain(now, cost), do_tasks, s);
        add_partial(s, now);
    }
}

/* ---- Entry ---- */

/* How coefficients are read: where they are, or converted. */
static void choose_kernel(rings *s)
{
    const tess__rings *work = s->work;
    const tess_dtype   held = work->terms == TESS__RINGS_VALUE ? TESS_F64 : TESS_C64, dtype = work->in.dtype;
    const bool         is_single = dtype == (work->terms == TESS__RINGS_VALUE ? TESS_F32 : TESS_C32);
    s->in_place = (is_single || dtype == held) && work->in.strides.w == 1;
    s->kernel = tess__cpu_kernels()->geometry.rings[!(s->in_place && is_single)][work->terms];
    if (dtype != held) s->load = tess__conversion_of(dtype, held, TESS__CLAMP, TESS_PART_DEFAULT);
    else s->load.row = tess__cpu_kernels()->memory.copy[tess__size_class(tess__dtype_size(held))];
}

/* Do the columns of all batches go to the same places? */
static bool is_shared(const tess__rings *work)
{
    return (!work->ctfs.data || work->ctfs.shape.b == 1) && (!work->target.data || work->target.shape.b == 1);
}

static void set_columns(rings *s, double *f, double *weight)
{
    const tess__rings_grid *g = &s->work->grid;
    for (int64_t w = 0; w < s->work->in.shape.w; w++) {
        f[w] = tess__rings_frequency(&g->axis[2], w);
        weight[w] = tess__rings_weight(g, w);
    }
    s->f = f;
    s->weight = weight;
}

tess_status tess__cpu_rings(const tess__rings *work)
{
    const tess__rings_grid *g = &work->grid;
    const int64_t           columns = work->in.shape.w, batches = work->in.shape.b;
    rings                   s = { .work = work, .sums = TESS__RINGS_SUMS(work->terms) };
    choose_kernel(&s);
    s.size = (g->rings + 2) * s.sums;
    s.stride = (s.size / PAGE + 1) * PAGE + PAGE / TESS__RINGS_LANES;
    s.group = is_shared(work) ? tess__min(batches, (int64_t)GROUP) : 1;

    const int64_t tasks = (batches + s.group - 1) / s.group * g->chunks, partial = s.group * g->rings * s.sums;
    const int64_t fit = SUM_BYTES / (partial * (int64_t)sizeof(double));
    const int64_t slots = tess__min(tasks, tess__max(fit, (int64_t)MIN_SLOTS));
    const size_t  bytes = (size_t)(2 * columns + slots * partial) * sizeof(double);
    const size_t  tables = tess__aligned_size(s.group * TESS__RINGS_LANES * s.stride, sizeof(double));
    double       *memory = tess__alloc(bytes);
    const bool    made = memory && tess__workspaces_make(&s.tables, tables, slots);
    if (!made) tess__free(memory);
    TESS_CHECK(made, TESS_ENOMEM, "%s: no memory for %zu bytes of tables", work->name, bytes + tables);
    set_columns(&s, memory, memory + columns);
    s.partial = memory + 2 * columns;
    add_all(&s, tasks, slots);
    tess__workspaces_free(&s.tables);
    tess__free(memory);
    return TESS_OK;
}
