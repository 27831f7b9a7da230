/* Sums over shells of spectra on the CPU: chunks of rows, each with tables of its own, which are added in order.
 *
 * The chunks follow from the shape alone, so that sums do not depend on threads; see formulas/radial_bins.op.h. A task
 * is a chunk of some batches: where its columns go is found for the first of them.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/workspace.h"
#include "cpu/signal/radial_bins.h"
#include "requests/ctf_row.h"
#include "tessera/device.h"

enum {
    BATCHES = 32,           /* of a task, at most */
    PLACES_BYTES = 2 << 20, /* of the places of a chunk's columns that are kept for its other batches, at most */
    LANE_BYTES = 512 << 10, /* of the tables of a chunk, about: as many cones as fit are summed at a time */
    TABLE_BYTES = 2 << 20,  /* of tasks that wait to be added, about, */
    PER_THREAD = 8,         /* but at least this number for each thread */
    PAGE = 512              /* numbers of 4096 bytes: loads wait for stores that are whole pages away, so the same
                                 shells of different tables are not */
};

/* Estimated nanoseconds of a column: of MIRRORED, of four rows; and of asking whether it is in a cone. */
#define COST 2.5
#define MIRRORED_COST 6
#define CONE_COST 4

/* How a spectrum reaches the kernel. */
typedef struct source {
    const tess_array *array;
    int64_t           size;         /* bytes of an element */
    bool              is_direct[2]; /* the kernel reads it where it is: columns in their order, and backwards */
    tess__conversion  load;
} source;

typedef struct bins {
    const tess__radial_bins *work;
    tess__radial_bins_fn    *kernel;
    source                   lhs, rhs;
    double                  *f, *weight;   /* of all columns */
    int64_t                  sums;         /* numbers of a shell */
    int64_t                  batches;      /* of a task, but for the last ones, */
    int64_t                  block;        /* columns that the kernel is handed, */
    int64_t                  blocks;       /* and how many of them of a row have places that are kept; 0: none */
    int64_t                  tasks;        /* all of them, */
    int64_t                  slots;        /* that are done before they are added, */
    int64_t                  first;        /* and from which on */
    int64_t                  cone, cones;  /* those that are summed now, */
    int64_t                  most_cones;   /* no more than this */
    int64_t                  size, stride; /* of a table, {cones, window + 1, sums}; and from one to the next */
    tess__workspaces         workspaces;   /* of a task: the tables of a batch, and places */
    double                  *partial;      /* sums of tasks: those of `batches` tables each */
    double                  *group;        /* sums of a group's chunks, {batches, cones, shells, sums} */
} bins;

/* A task: a chunk of `n` batches from `b` on; and what it is done in. */
typedef struct task {
    int64_t            b, n, number; /* of the chunk */
    tess__radial_chunk chunk;
    double            *tables, *places;
} task;

static task task_of(const bins *s, int64_t i)
{
    const int64_t chunks = s->work->grid.chunks, b = i / chunks * s->batches;
    return (task){ .b = b,
                   .n = tess__min(s->batches, s->work->out.shape.b - b),
                   .number = i % chunks,
                   .chunk = tess__radial_chunk_of(&s->work->grid, i % chunks) };
}

/* ---- Rows ---- */

/* Rows that are added to each other: their indices and frequencies. */
typedef struct members {
    int     n;
    bool    backwards;
    int64_t d[TESS__RADIAL_MEMBERS], h[TESS__RADIAL_MEMBERS];
    double  z[TESS__RADIAL_MEMBERS], y[TESS__RADIAL_MEMBERS], plane;
    int64_t end; /* of the columns that are within the shells */
} members;

typedef struct packed {
    _Alignas(64) char row[TESS__RADIAL_MEMBERS][TESS__RADIAL_BLOCK * sizeof(tess_c64)];
} packed;

/* n columns of all rows of a batch for the kernel, from index w on. */
static void load(const void *rows[], const source *s, const members *m, packed *to, int64_t b, int64_t w, int64_t n)
{
    const tess_array *a = s->array;
    const int64_t     step = m->backwards ? -a->strides.w : a->strides.w;
    for (int k = 0; k < m->n; k++) {
        const int64_t at = b * a->strides.b + m->d[k] * a->strides.d + m->h[k] * a->strides.h + w * a->strides.w;
        char         *from = (char *)a->data + at * s->size;
        rows[k] = from;
        if (s->is_direct[m->backwards]) continue;
        s->load.row((char *[]){ to->row[k], from }, (int64_t[]){ 1, step }, n, &s->load);
        rows[k] = to->row[k];
    }
}

/* Batch k of a task. */
typedef struct batch {
    const task      *task;
    int64_t          k;
    tess__radial_run run;
    members          mirrors[TESS__RADIAL_ROWS]; /* the rows of a chunk, which are found for the first batch */
} batch;

/* Is where columns go to be found, as there is no batch that has done it? */
static bool is_first(const bins *s, const batch *z) { return z->k == 0 || !s->blocks; }

/* Where n columns from w on of a row go. */
static void find_places(const bins *s, batch *z, const tess__radial_row *row, int64_t h, int64_t w, int64_t n)
{
    const tess__radial_chunk *c = &z->task->chunk;
    const int64_t             i = s->blocks ? (h - c->h) * s->blocks + (w - c->w) / TESS__RADIAL_BLOCK : 0;
    z->run.at = tess__radial_places_in(z->task->places + i * TESS__RADIAL_PLACE * s->block, s->block);
    if (!is_first(s, z)) return;
    const tess__radial_columns columns = { &s->work->grid, row, s->f + w, s->weight + w, (int32_t)c->first };
    tess__cpu_kernels()->signal.radial_places(&z->run.at, &columns, n);
}

/* n columns of rows, from index w on. */
static void add_columns(const bins *s, batch *z, const members *m, int64_t w, int64_t n)
{
    const int64_t b = z->task->b + z->k;
    packed        lhs, rhs;
    z->run.members = m->n;
    load(z->run.lhs, &s->lhs, m, &lhs, b, w, n);
    if (s->rhs.array) load(z->run.rhs, &s->rhs, m, &rhs, b, w, n);
    s->kernel(z->task->tables, &z->run, n);
}

/* ---- Rows as they are ---- */

static tess__radial_row row_of(const bins *s, const task *t, int64_t d, int64_t h)
{
    const tess__radial_bins *work = s->work;
    const double            *ctf = work->ctfs.data ? tess__ctf_numbers(&work->ctfs, t->b, h) : NULL;
    const double            *target = work->target.data ? tess__ctf_numbers(&work->target, t->b, 0) : NULL;
    return tess__radial_row_of(&work->grid, d, h, ctf, target);
}

static void add_rows(const bins *s, batch *z)
{
    const int64_t             height = s->work->lhs.shape.h, width = s->work->lhs.shape.w;
    const tess__radial_chunk *c = &z->task->chunk;
    members                   m = { .n = 1, .d = { c->h / height }, .h = { c->h % height } };
    tess__radial_row          row;
    for (int64_t i = c->h; i < c->h_end; i++, m.h[0]++) {
        if (m.h[0] == height) m.h[0] = 0, m.d[0]++;
        if (is_first(s, z)) row = row_of(s, z->task, m.d[0], m.h[0]);
        for (int64_t w = 0; w < width; w += TESS__RADIAL_BLOCK) {
            const int64_t n = tess__min(width - w, (int64_t)TESS__RADIAL_BLOCK);
            find_places(s, z, &row, i, w, n);
            add_columns(s, z, &m, w, n);
        }
    }
}

/* ---- Mirrored rows ---- */

/* How many columns of frequencies 0, 1 .. are within the shells: about a root, from which the right number is not
 * far. */
static int64_t columns_within(const bins *s, double plane)
{
    const tess__radial_grid *g = &s->work->grid;
    const tess__radial_axis *a = &g->axis[2];
    const double            *f = s->f;
    if (plane > g->limit) return 0;
    int64_t n = tess__min((int64_t)(sqrt(g->limit - plane) * a->count / a->span) + 1, g->all_columns);
    while (n < g->all_columns && plane + f[n] * f[n] <= g->limit) n++;
    while (n > 1 && plane + f[n - 1] * f[n - 1] > g->limit) n--;
    return n;
}

/* The rows of frequencies (+-d, +-h) of a chunk. */
static void find_mirrors(members *m, const bins *s, const tess__radial_chunk *c, int64_t h)
{
    const tess__radial_axis  *axis = s->work->grid.axis;
    const tess__radial_mirror ds = tess__radial_mirror_of(&axis[0], c->d), hs = tess__radial_mirror_of(&axis[1], h);
    const double              z = tess__radial_frequency(&axis[0], c->d), y = tess__radial_frequency(&axis[1], h);
    m->n = 0;
    for (int i = 0; i < ds.n; i++)
        for (int j = 0; j < hs.n; j++, m->n++) {
            m->d[m->n] = ds.index[i];
            m->h[m->n] = hs.index[j];
            m->z[m->n] = ds.sign[i] * z;
            m->y[m->n] = hs.sign[j] * y;
        }
    m->plane = tess__radial_plane(z, y);
    m->end = tess__min(columns_within(s, m->plane), c->w_end);
}

/* Of the columns of a chunk, those at frequencies from 0 on, or those below (`side` 1). */
static void add_side(const bins *s, batch *z, members *m, int side)
{
    const tess__radial_axis *axis = &s->work->grid.axis[2];
    const int64_t            w = z->task->chunk.w, begin = tess__max(w, side);
    const int64_t            n = tess__min(m->end, tess__radial_columns_end(axis, side)) - begin;
    if (n <= 0) return;
    m->backwards = side;
    z->run.side = side ? -1 : 1;
    z->run.x = s->f + begin;
    z->run.lane = (int)(begin - w);
    z->run.at = tess__radial_places_from(&z->run.at, begin - w);
    add_columns(s, z, m, side ? axis->below - begin : axis->zero + begin, n);
}

static void add_mirrored(const bins *s, batch *z)
{
    const tess__radial_chunk *c = &z->task->chunk;
    tess__radial_row          row = { .weight = 1 };
    for (int64_t h = c->h; h < c->h_end; h++) {
        members *m = &z->mirrors[h - c->h];
        if (z->k == 0) find_mirrors(m, s, c, h);
        if (m->end <= c->w) continue;
        row.line.plane = m->plane;
        find_places(s, z, &row, h, c->w, m->end - c->w);
        z->run.z = m->z;
        z->run.y = m->y;
        add_side(s, z, m, 0);
        if (s->work->grid.axis[2].below >= 0) add_side(s, z, m, 1);
    }
}

/* ---- Tasks ---- */

static void add_batch(const bins *s, batch *z)
{
    for (int k = 0; k < TESS__RADIAL_LANES; k++)
        memset(z->task->tables + k * s->stride, 0, (size_t)s->size * sizeof(double));
    if (s->work->grid.kind == TESS__RADIAL_MIRRORED) add_mirrored(s, z);
    else add_rows(s, z);
}

/* The sums of a batch's tables. */
static void join_lanes(const bins *s, double *restrict sums, const double *restrict tables)
{
    for (int64_t i = 0; i < s->size; i++) {
        double sum = tables[i];
        for (int k = 1; k < TESS__RADIAL_LANES; k++) sum += tables[k * s->stride + i];
        sums[i] = sum;
    }
}

static void do_task(const bins *s, const task *t, double *sums)
{
    const tess__radial_bins *work = s->work;
    const bool               conical = work->axes.data != NULL;
    batch                    z;
    z.task = t;
    z.run = (tess__radial_run){ .nearest = work->grid.nearest,
                                .stride = s->stride,
                                .window = work->grid.window + 1,
                                .cones = conical ? s->cones : 0,
                                .axes = conical ? (const double *)work->axes.data + 3 * s->cone : NULL,
                                .cosine = work->cosine };
    for (z.k = 0; z.k < t->n; z.k++) {
        add_batch(s, &z);
        join_lanes(s, sums + z.k * s->size, t->tables);
    }
}

static void do_tasks(void *context, int64_t first, int64_t last)
{
    bins *s = context;
    char *workspace = tess__workspace_acquire(&s->workspaces);
    for (int64_t i = first; i < last; i++) {
        task t = task_of(s, s->first + i);
        t.tables = (double *)(void *)workspace;
        t.places = t.tables + TESS__RADIAL_LANES * s->stride;
        if (t.chunk.first < s->work->grid.shells) do_task(s, &t, s->partial + i * s->batches * s->size);
    }
    tess__workspace_release(&s->workspaces, workspace);
}

/* ---- Groups ---- */

static double *out_of(const bins *s, int64_t b)
{
    const tess_shape shape = s->work->out.shape;
    return (double *)s->work->out.data + (b * shape.d + s->cone) * shape.h * shape.w;
}

/* The sums of a chunk, added to those of its group, or of its batch. */
static void add_table(const bins *s, const task *t, double *restrict to, const double *restrict table)
{
    const tess__radial_grid *g = &s->work->grid;
    const int64_t            first = t->chunk.first, begin = tess__max(first, (int64_t)0);
    const int64_t            end = tess__min(first + g->window, g->shells);
    for (int64_t cone = 0; cone < s->cones; cone++) {
        double       *sums = to + (cone * g->shells + begin) * s->sums;
        const double *more = table + (cone * (g->window + 1) + begin - first) * s->sums;
        for (int64_t i = 0; i < (end - begin) * s->sums; i++) sums[i] += more[i];
    }
}

/* The sums of a group, added to those of its batch; none are left. */
static void end_group(double *restrict out, double *restrict group, int64_t n)
{
    for (int64_t i = 0; i < n; i++) out[i] += group[i];
    memset(group, 0, (size_t)n * sizeof *group);
}

static void add_task(const bins *s, const task *t, const double *partial)
{
    const tess__radial_grid *g = &s->work->grid;
    const int64_t            n = s->cones * g->shells * s->sums;
    const bool               is_last = t->number + 1 == g->chunks || (t->number + 1) % g->group == 0;
    for (int64_t k = 0; k < t->n; k++) {
        double *out = out_of(s, t->b + k), *group = s->group + k * n;
        add_table(s, t, g->group == 1 ? out : group, partial + k * s->size);
        if (is_last && g->group > 1) end_group(out, group, n);
    }
}

static void add_all(bins *s)
{
    const tess__radial_grid *g = &s->work->grid;
    const double             column = g->kind == TESS__RADIAL_MIRRORED ? MIRRORED_COST : COST;
    const double             cones = s->work->axes.data ? CONE_COST * (double)s->cones : 0;
    const double             cost = (column + cones) * (double)(s->batches * g->rows * g->columns);
    s->size = s->cones * (g->window + 1) * s->sums;
    memset(s->group, 0, (size_t)(s->batches * s->cones * g->shells * s->sums) * sizeof *s->group);
    for (s->first = 0; s->first < s->tasks && !tess__cancelled(); s->first += s->slots) {
        const int64_t now = tess__min(s->slots, s->tasks - s->first);
        tess__parallel(now, tess__grain(now, cost), do_tasks, s);
        for (int64_t i = 0; i < now; i++) {
            const task t = task_of(s, s->first + i);
            add_task(s, &t, s->partial + i * s->batches * s->size);
        }
    }
}

/* ---- Entry ---- */

static source source_of(const tess_array *a, tess_dtype kernel)
{
    const bool one = a->dtype == kernel && a->shape.w == 1;
    source     s = { .array = a, .size = tess__dtype_size(a->dtype) };
    s.is_direct[0] = one || (a->dtype == kernel && a->strides.w == 1);
    s.is_direct[1] = one || (a->dtype == kernel && a->strides.w == -1);
    if (a->dtype == kernel) s.load.row = tess__cpu_kernels()->memory.copy[tess__size_class(s.size)];
    else s.load = tess__conversion_of(a->dtype, kernel, TESS__CLAMP, TESS_PART_DEFAULT);
    return s;
}

/* Is a dtype one that the kernel of single precision may read as f32 or c32? */
static bool is_single(tess_dtype dtype)
{
    return dtype == TESS_F32 || dtype == TESS_F16 || dtype == TESS_C32 || dtype == TESS_C16;
}

static void choose_kernel(bins *s)
{
    const tess__radial_bins *work = s->work;
    const bool               is_real = work->terms == TESS__RADIAL_VALUE, pair = work->terms == TESS__RADIAL_PAIR;
    const bool               is_double = !is_single(work->lhs.dtype) || (pair && !is_single(work->rhs.dtype));
    const tess_dtype         dtypes[2][2] = { { TESS_C32, TESS_C64 }, { TESS_F32, TESS_F64 } };
    s->kernel = tess__cpu_kernels()->signal.radial_bins[is_double][work->terms];
    s->lhs = source_of(&work->lhs, dtypes[is_real][is_double]);
    if (pair) s->rhs = source_of(&work->rhs, dtypes[is_real][is_double]);
    s->sums = TESS__RADIAL_SUMS(work->terms);
}

/* Do the columns of all batches go to the same places? */
static bool is_shared(const tess__radial_bins *work)
{
    return (!work->ctfs.data || work->ctfs.shape.b == 1) && (!work->target.data || work->target.shape.b == 1);
}

/* The places of a chunk are kept for other batches, unless there are too many. */
static void plan_places(bins *s)
{
    const tess__radial_grid *g = &s->work->grid;
    s->block = tess__min((g->columns + 7) / 8 * 8, (int64_t)TESS__RADIAL_BLOCK);
    s->blocks = s->batches > 1 ? (g->columns - 1) / s->block + 1 : 0;
    if (g->rows * s->blocks * s->block * TESS__RADIAL_PLACE * (int64_t)sizeof(double) > PLACES_BYTES) s->blocks = 0;
}

/* How many cones and batches are summed at a time, and how many chunks of them. */
static void plan(bins *s)
{
    const tess__radial_bins *work = s->work;
    const tess__radial_grid *g = &work->grid;
    const int64_t            b = work->out.shape.b, number = sizeof(double), lanes = TESS__RADIAL_LANES;
    const int64_t            per_cone = (g->window + 1) * s->sums, threads = PER_THREAD * (int64_t)tess_threads_get();
    s->most_cones = tess__clamp(LANE_BYTES / (lanes * per_cone * number), 1, work->out.shape.d);
    const int64_t table = s->most_cones * per_cone;
    s->batches = is_shared(work) ? tess__clamp(b * g->chunks / threads, 1, tess__min(b, (int64_t)BATCHES)) : 1;
    plan_places(s);
    s->stride = (table / PAGE + 1) * PAGE + PAGE / lanes;
    s->tasks = (b + s->batches - 1) / s->batches * g->chunks;
    s->slots = tess__min(s->tasks, tess__max(TABLE_BYTES / (s->batches * table * number), threads));
}

static void fill_columns(const bins *s)
{
    const tess__radial_grid *g = &s->work->grid;
    const tess__radial_axis *axis = &g->axis[2];
    for (int64_t w = 0; w < g->all_columns; w++) {
        const int64_t k = g->kind == TESS__RADIAL_MIRRORED ? w : tess__radial_steps(axis, w);
        s->f[w] = tess__radial_frequency(axis, k);
        s->weight[w] = tess__radial_weight(axis, k);
    }
}

/* All cones, some at a time. */
static void add_cones(bins *s)
{
    const int64_t cones = s->work->out.shape.d;
    memset(s->work->out.data, 0, (size_t)tess_n_elements(&s->work->out) * sizeof(double));
    for (s->cone = 0; s->cone < cones; s->cone += s->most_cones) {
        s->cones = tess__min(s->most_cones, cones - s->cone);
        add_all(s);
    }
}

tess_status tess__cpu_radial_bins(const tess__radial_bins *work)
{
    const tess__radial_grid *g = &work->grid;
    bins                     s = { .work = work };
    choose_kernel(&s);
    plan(&s);
    const int64_t cones = s.batches * s.most_cones, partial = s.slots * cones * (g->window + 1) * s.sums;
    const int64_t group = cones * g->shells * s.sums;
    const size_t  bytes = (size_t)(partial + group + 2 * g->all_columns) * sizeof(double);
    const int64_t places = s.block * TESS__RADIAL_PLACE * (s.blocks ? s.blocks * g->rows : 1);
    const size_t  workspace = tess__aligned_size(TESS__RADIAL_LANES * s.stride + places, sizeof(double));
    s.partial = tess__alloc(bytes);
    const bool made = s.partial && tess__workspaces_make(&s.workspaces, workspace, s.slots);
    if (!made) tess__free(s.partial);
    TESS_CHECK(made, TESS_ENOMEM, "%s: no memory for %zu bytes of tables", work->name, bytes + workspace);
    s.group = s.partial + partial;
    s.f = s.group + group;
    s.weight = s.f + g->all_columns;
    fill_columns(&s);
    add_cones(&s);
    tess__workspaces_free(&s.workspaces);
    tess__free(s.partial);
    return TESS_OK;
}
