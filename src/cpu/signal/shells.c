/* Sums into shells of a spectrum on the CPU: chunks of rows, each with tables of its own, which are added in order.
 *
 * The chunks follow from the shape alone, so that sums do not depend on threads; see formulas/shells.op.h.
 */
#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "cpu/runtime/workspace.h"
#include "cpu/signal/shells.h"
#include "tessera/device.h"

enum {
    PLACES_BYTES = 2 << 20,  /* of the places of a spectrum's columns that are kept for other batches, at most */
    LANE_BYTES = 512 << 10,  /* of the tables of a chunk, about: cones are summed so many at a time */
    TABLE_BYTES = 512 << 10, /* of chunks that wait to be added, about, */
    PER_THREAD = 8,          /* but so many for each thread */
    PAGE = 512               /* numbers of 4096 bytes: loads wait for stores that are whole pages away, so the same
                                shells of different tables are not */
};

/* Estimated nanoseconds of a column of four rows, and of asking whether it is in a cone. */
#define COST 6
#define CONE_COST 4

/* How a spectrum reaches the kernel. */
typedef struct source {
    const tess_array *array;
    int64_t           size;         /* bytes of an element */
    bool              is_direct[2]; /* the kernel reads it where it is: frequencies along W from 0 on, and below */
    tess__conversion  load;
} source;

typedef struct shells {
    const tess__shells *work;
    tess__shells_fn    *kernel;
    source              lhs, rhs;
    double             *x, *weight; /* of all columns */
    tess__shell_places  kept;       /* places of all columns of all rows; NULL: they are found for each row */
    int64_t             sums;
    int64_t             cone, cones; /* those that are summed now, */
    int64_t             most_cones;  /* no more than this, */
    int64_t             slots;       /* of so many chunks */
    int64_t             size;        /* of a table, {cones, window + 1, sums} */
    int64_t             stride;      /* from one of a chunk's tables to the next */
    int64_t             first;       /* chunk, of all batches */
    tess__workspaces   *lanes;       /* a chunk's tables */
    double             *tables;      /* sums of each chunk */
    double             *group;       /* sums of a group's chunks, {cones, shells, sums} */
} shells;

/* ---- Places ---- */

/* The rows of frequencies (+-d, +-h): their indices. */
typedef struct mirrors {
    int64_t b, d, h;
    int     n;
    int64_t index_d[TESS__SHELL_MEMBERS], index_h[TESS__SHELL_MEMBERS];
} mirrors;

static mirrors find_mirrors(tess__shell_rows *rows, const tess__shell_grid *g, int64_t b, int64_t d, int64_t h)
{
    const tess__shell_mirror ds = tess__shell_mirror_of(&g->axis[0], d), hs = tess__shell_mirror_of(&g->axis[1], h);
    const double z = tess__shell_component(&g->axis[0], d, g->size), y = tess__shell_component(&g->axis[1], h, g->size);
    mirrors      m = { .b = b, .d = d, .h = h };
    m.n = rows->n = ds.n * hs.n;
    rows->row = tess__shell_row(z, y);
    for (int k = 0; k < rows->n; k++) {
        m.index_d[k] = ds.index[k / hs.n];
        m.index_h[k] = hs.index[k % hs.n];
        rows->z[k] = ds.sign[k / hs.n] * z;
        rows->y[k] = hs.sign[k % hs.n] * y;
    }
    return m;
}

/* How many columns of frequencies 0, 1 .. are within the shells: about a root, from which the right number is not
 * far. */
static int64_t columns_within(const tess__shell_grid *g, double row)
{
    const int64_t all = g->axis[2].n / 2 + 1;
    if (row > g->limit) return 0;
    int64_t n = tess__min((int64_t)(sqrt(g->limit - row) * g->axis[2].size / g->size) + 1, all);
    while (n < all && tess__shell_square(g, row, n) <= g->limit) n++;
    while (n > 1 && tess__shell_square(g, row, n - 1) > g->limit) n--;
    return n;
}

static tess__shell_places places_from(tess__shell_places at, int64_t i)
{
    return (tess__shell_places){ at.length + i, at.upper + i, at.shell + i };
}

static tess__shell_places kept_places(const shells *s, int64_t d, int64_t h, int64_t w)
{
    const tess__shell_grid *g = &s->work->grid;
    return places_from(s->kept, (d * (g->axis[1].n / 2 + 1) + h) * (g->axis[2].n / 2 + 1) + w);
}

/* The places of columns from w to end. */
static void find_places(const shells *s, tess__shell_rows *rows, tess__shell_places at, int64_t w, int64_t end)
{
    rows->x = s->x + w;
    rows->weight = s->weight + w;
    rows->at = at;
    tess__cpu_kernels()->signal.shell_places(rows, end - w);
}

/* Places of all n columns, in 3 n numbers of memory. */
static void keep_places(shells *s, double *memory, int64_t n)
{
    const tess__shell_grid *g = &s->work->grid;
    s->kept = (tess__shell_places){ memory, memory + n, (int32_t *)(void *)(memory + 2 * n) };
    tess__shell_rows rows = { .last = (int32_t)g->last, .nearest = s->work->nearest };
    for (int64_t d = 0; d <= g->axis[0].n / 2; d++)
        for (int64_t h = 0; h <= g->axis[1].n / 2; h++) {
            (void)find_mirrors(&rows, g, 0, d, h);
            find_places(s, &rows, kept_places(s, d, h, 0), 0, columns_within(g, rows.row));
        }
}

/* ---- Rows ---- */

static const char *element_of(const source *s, const mirrors *m, int k, int64_t w)
{
    const tess_array *a = s->array;
    return (const char *)a->data +
           (m->b * a->strides.b + m->index_d[k] * a->strides.d + m->index_h[k] * a->strides.h + w * a->strides.w) *
               s->size;
}

typedef struct packed {
    _Alignas(64) char row[TESS__SHELL_MEMBERS][TESS__SHELL_COLUMNS * sizeof(tess_c64)];
} packed;

/* n columns of all rows for the kernel, from index w on, or backwards from it. */
static void load(const void *rows[], const source *s, const mirrors *m, packed *to, bool backwards, int64_t w,
                 int64_t n)
{
    const int64_t step = backwards ? -s->array->strides.w : s->array->strides.w;
    for (int k = 0; k < m->n; k++) {
        union {
            const char *in;
            char       *p;
        } address = { element_of(s, m, k, w) };
        rows[k] = address.in;
        if (s->is_direct[backwards]) continue;
        s->load.row((char *[]){ to->row[k], address.p }, (int64_t[]){ 1, step }, n, &s->load);
        rows[k] = to->row[k];
    }
}

/* The columns from w to end at frequencies from 0 on, or those below (`side` 1), of the rows of one |h|. `at` are the
 * places from w on. */
static void add_side(const shells *s, tess__shell_rows *rows, const mirrors *m, int side, int64_t w, int64_t end,
                     double *tables)
{
    const tess__shell_axis  *axis = &s->work->grid.axis[2];
    const tess__shell_places at = rows->at;
    const int64_t begin = tess__max(w, side), n = tess__min(end, tess__shell_columns_end(axis, side)) - begin;
    const int64_t index = side ? axis->below - begin : axis->zero + begin;
    packed        lhs, rhs;
    if (n <= 0) return;
    load(rows->lhs, &s->lhs, m, &lhs, side, index, n);
    if (s->rhs.array) load(rows->rhs, &s->rhs, m, &rhs, side, index, n);
    else memcpy(rows->rhs, rows->lhs, sizeof rows->rhs);
    rows->side = side ? -1 : 1;
    rows->x = s->x + begin;
    rows->weight = s->weight + begin;
    rows->at = places_from(at, begin - w);
    rows->lane = (int)((begin - w) % TESS__SHELL_LANES);
    s->kernel(tables, s->stride, rows, n);
    rows->at = at;
}

/* ---- Chunks ---- */

static void add_rows(const shells *s, const tess__shell_chunk *c, tess__shell_rows *rows, const mirrors *m,
                     double *tables)
{
    double                   length[TESS__SHELL_COLUMNS], upper[TESS__SHELL_COLUMNS];
    int32_t                  shell[TESS__SHELL_COLUMNS];
    const tess__shell_places here = { length, upper, shell };
    const int64_t            end = tess__min(columns_within(&s->work->grid, rows->row), c->w_end);
    if (end <= c->w) return;
    if (s->kept.length) rows->at = kept_places(s, m->d, m->h, c->w);
    else find_places(s, rows, here, c->w, end);
    add_side(s, rows, m, 0, c->w, end, tables);
    if (s->work->grid.axis[2].below >= 0) add_side(s, rows, m, 1, c->w, end, tables);
}

static void add_chunk(const shells *s, const tess__shell_chunk *c, int64_t b, double *tables)
{
    const tess__shells     *work = s->work;
    const tess__shell_grid *g = &work->grid;
    const bool              conical = work->axes.data != NULL;
    tess__shell_rows        rows = { .first = (int32_t)c->first,
                                     .last = (int32_t)g->last,
                                     .cones = conical ? s->cones : 0,
                                     .window = g->window + 1,
                                     .axes = conical ? (const double *)work->axes.data + 3 * s->cone : NULL,
                                     .cosine = work->cosine,
                                     .nearest = work->nearest };
    for (int64_t h = c->h; h < c->h_end; h++) {
        const mirrors m = find_mirrors(&rows, g, b, c->d, h);
        add_rows(s, c, &rows, &m, tables);
    }
}

/* The sums of a chunk's tables. */
static void join_lanes(const shells *s, double *sums, const double *tables)
{
    for (int64_t i = 0; i < s->size; i++) {
        double sum = tables[i];
        for (int k = 1; k < TESS__SHELL_LANES; k++) sum += tables[k * s->stride + i];
        sums[i] = sum;
    }
}

static void add_chunks(void *context, int64_t first, int64_t last)
{
    const shells           *s = context;
    const tess__shell_grid *g = &s->work->grid;
    char                   *workspace = tess__workspace_acquire(s->lanes);
    double                 *tables = (double *)(void *)workspace;
    for (int64_t i = first; i < last; i++) {
        const tess__shell_chunk c = tess__shell_chunk_of(g, (s->first + i) % g->chunks);
        if (c.first == g->shells) continue;
        for (int k = 0; k < TESS__SHELL_LANES; k++) memset(tables + k * s->stride, 0, (size_t)s->size * sizeof *tables);
        add_chunk(s, &c, (s->first + i) / g->chunks, tables);
        join_lanes(s, s->tables + i * s->size, tables);
    }
    tess__workspace_release(s->lanes, workspace);
}

/* ---- Groups ---- */

/* The sums of a chunk, added to those of its group. */
static void add_table(const shells *s, int64_t chunk, const double *table)
{
    const tess__shell_grid *g = &s->work->grid;
    const int64_t           first = tess__shell_chunk_of(g, chunk).first, n = tess__min(g->window, g->shells - first);
    for (int64_t cone = 0; cone < s->cones; cone++) {
        double       *sums = s->group + (cone * g->shells + first) * s->sums;
        const double *more = table + cone * (g->window + 1) * s->sums;
        for (int64_t i = 0; i < n * s->sums; i++) sums[i] += more[i];
    }
}

/* The sums of a group, added to those of its batch. */
static void end_group(const shells *s, int64_t b)
{
    const int64_t per_cone = s->work->grid.shells * s->sums, n = s->cones * per_cone;
    double       *out = (double *)s->work->out.data + (b * s->work->out.shape.d + s->cone) * per_cone;
    for (int64_t i = 0; i < n; i++) out[i] += s->group[i];
    memset(s->group, 0, (size_t)n * sizeof *s->group);
}

static void add_all(shells *s)
{
    const tess__shell_grid *g = &s->work->grid;
    const int64_t           n = s->work->lhs.shape.b * g->chunks;
    const double            column = s->work->axes.data ? COST + CONE_COST * (double)s->cones : COST;
    memset(s->group, 0, (size_t)(s->cones * g->shells * s->sums) * sizeof *s->group);
    for (s->first = 0; s->first < n && !tess__cancelled(); s->first += s->slots) {
        const int64_t now = tess__min(s->slots, n - s->first);
        tess__parallel(now, tess__grain(now, column * (double)(g->rows * g->columns)), add_chunks, s);
        for (int64_t i = 0; i < now; i++) {
            const int64_t b = (s->first + i) / g->chunks, chunk = (s->first + i) % g->chunks;
            add_table(s, chunk, s->tables + i * s->size);
            if (chunk + 1 == g->chunks || (chunk + 1) % TESS__SHELL_GROUP == 0) end_group(s, b);
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

static void fill_columns(double *x, double *weight, const tess__shell_grid *g)
{
    for (int64_t k = 0; k <= g->axis[2].n / 2; k++) {
        x[k] = tess__shell_component(&g->axis[2], k, g->size);
        weight[k] = tess__shell_weight(&g->axis[2], k);
    }
}

/* Columns whose places are kept: all, if other batches need them too and they are not too many; else 0. */
static int64_t columns_kept(const tess__shells *work)
{
    const tess__shell_axis *axis = work->grid.axis;
    const int64_t           most = PLACES_BYTES / (int64_t)(2 * sizeof(double) + sizeof(int32_t));
    int64_t                 n = work->lhs.shape.b > 1;
    for (int k = 0; k < 3; k++) n = n <= most ? n * (axis[k].n / 2 + 1) : n;
    return n <= most ? n : 0;
}

/* How many cones are summed at a time, and how many chunks of them. */
static void plan(shells *s)
{
    const tess__shell_grid *g = &s->work->grid;
    const int64_t           per_cone = (g->window + 1) * s->sums, number = sizeof(double);
    s->most_cones = tess__clamp(LANE_BYTES / (TESS__SHELL_LANES * per_cone * number), 1, s->work->out.shape.d);
    const int64_t table = s->most_cones * per_cone, threads = tess_threads_get();
    s->stride = (table / PAGE + 1) * PAGE + PAGE / TESS__SHELL_LANES;
    s->slots =
        tess__min(s->work->lhs.shape.b * g->chunks, tess__max(TABLE_BYTES / (table * number), PER_THREAD * threads));
}

static void add_cones(shells *s)
{
    const int64_t cones = s->work->out.shape.d;
    for (s->cone = 0; s->cone < cones; s->cone += s->most_cones) {
        s->cones = tess__min(s->most_cones, cones - s->cone);
        s->size = s->cones * (s->work->grid.window + 1) * s->sums;
        add_all(s);
    }
}

/* Memory for all, and the sums. */
static tess_status sum(shells *s)
{
    const tess__shell_grid *g = &s->work->grid;
    plan(s);
    const int64_t    tables = s->slots * s->most_cones * (g->window + 1) * s->sums;
    const int64_t    group = s->most_cones * g->shells * s->sums;
    const int64_t    columns = g->axis[2].n / 2 + 1, kept = columns_kept(s->work);
    const size_t     bytes = (size_t)(tables + group + 2 * columns + 3 * kept) * sizeof(double);
    const size_t     workspace = tess__aligned_size(TESS__SHELL_LANES * s->stride, sizeof(double));
    tess__workspaces lanes;
    s->tables = tess__alloc(bytes);
    TESS_CHECK(s->tables, TESS_ENOMEM, "%s: no memory for %zu bytes of tables", s->work->name, bytes);
    if (!tess__workspaces_make(&lanes, workspace, s->slots)) {
        tess__free(s->tables);
        TESS_FAIL(TESS_ENOMEM, "%s: no memory for %zu bytes of tables for each thread", s->work->name, workspace);
    }
    s->lanes = &lanes;
    s->group = s->tables + tables;
    s->x = s->group + group;
    s->weight = s->x + columns;
    fill_columns(s->x, s->weight, g);
    if (kept) keep_places(s, s->weight + columns, kept);
    add_cones(s);
    tess__workspaces_free(&lanes);
    tess__free(s->tables);
    return TESS_OK;
}

tess_status tess__cpu_shells(const tess__shells *work)
{
    const bool                  pair = work->rhs.data != NULL;
    const bool                  is_double = work->lhs.dtype == TESS_C64 || (pair && work->rhs.dtype == TESS_C64);
    const tess_dtype            dtype = is_double ? TESS_C64 : TESS_C32;
    const tess__signal_kernels *kernels = &tess__cpu_kernels()->signal;

    shells s = { .work = work, .lhs = source_of(&work->lhs, dtype) };
    s.kernel = (pair ? kernels->shell_pairs : kernels->shell_powers)[is_double];
    if (pair) s.rhs = source_of(&work->rhs, dtype);
    s.sums = pair ? TESS__SHELL_PAIR : TESS__SHELL_POWER;
    memset(work->out.data, 0, (size_t)tess_n_elements(&work->out) * sizeof(double));
    TESS_TRY(sum(&s));
    return TESS_OK;
}
