/* Connected components on the CPU: a forest of disjoint sets over the runs of set elements of all rows, joined where
 * runs of neighbouring rows touch.
 *
 * Runs are in the order of their first elements and the root of a tree is its first run, so that roots, counted in
 * their order, are the numbers of the components. */
#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/check/error.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "cpu/template.h"

#define COST 1.0 /* estimated nanoseconds of an element */

/* Rows of which a run has fewer elements than this, on average, are written element by element. */
enum { LONG_RUN = 16 };

/* Runs and rows that take well below a millisecond. */
enum { PART = 1 << 16 };

typedef struct components {
    const tess__components *work;
    int64_t                 batch;
    int64_t                *starts;  /* of each row, and of the end, in runs */
    int64_t                *edges;   /* of each run its first element, and the one after its last; after those of each
                                        row there is room for one more */
    int64_t                *parents; /* of each run an earlier one, or itself; in the end, the number of its component;
                                        before the first one is a number that may be read */
} components;

/* ---- Runs ---- */

static const uint8_t *input_row(const components *c, int64_t row)
{
    const tess_array *in = &c->work->in;
    return (const uint8_t *)in->data + c->batch * in->strides.b + row / in->shape.h * in->strides.d +
           row % in->shape.h * in->strides.h;
}

static int64_t *edges_of(const components *c, int64_t row) { return c->edges + 2 * c->starts[row] + row; }

/* Without branches that depend on elements: those of noise cannot be predicted. */
static int64_t count_runs(const uint8_t *in, int64_t n, int64_t stride)
{
    int64_t count = n > 0 && in[0];
    if (stride == 1)
        for (int64_t i = 1; i < n; i++) count += (in[i] != 0) & (in[i - 1] == 0);
    else
        for (int64_t i = 1; i < n; i++) count += (in[i * stride] != 0) & (in[(i - 1) * stride] == 0);
    return count;
}

/* `edges` has room for one more than there are. */
static void find_edges(int64_t *edges, const uint8_t *in, int64_t n, int64_t stride)
{
    int64_t count = 0;
    bool    is_set = false;
    for (int64_t i = 0; i < n; i++) {
        const bool next = in[i * stride] != 0;
        edges[count] = i;
        count += next != is_set;
        is_set = next;
    }
    edges[count] = n;
}

static void count_rows(void *context, int64_t first, int64_t last)
{
    const components *c = context;
    const tess_array *in = &c->work->in;
    for (int64_t row = first; row < last; row++)
        c->starts[row + 1] = count_runs(input_row(c, row), in->shape.w, in->strides.w);
}

static void fill_rows(void *context, int64_t first, int64_t last)
{
    const components *c = context;
    const tess_array *in = &c->work->in;
    for (int64_t row = first; row < last; row++) {
        find_edges(edges_of(c, row), input_row(c, row), in->shape.w, in->strides.w);
        for (int64_t i = c->starts[row]; i < c->starts[row + 1]; i++) c->parents[i] = i;
    }
}

/* ---- Trees ---- */

/* The root, with the path to it halved. */
static int64_t root_of(int64_t *parents, int64_t i)
{
    while (parents[i] != i) i = parents[i] = parents[parents[i]];
    return i;
}

static void join(int64_t *parents, int64_t a, int64_t b)
{
    const int64_t x = root_of(parents, a), y = root_of(parents, b);
    parents[tess__max(x, y)] = tess__min(x, y);
}

/* Runs of two rows touch where they overlap, or, across corners, meet: `reach` is 0 or 1. */
static void join_rows(const components *c, int64_t row, int64_t other, int64_t reach)
{
    const int64_t *a = edges_of(c, row), *b = edges_of(c, other);
    int64_t        i = c->starts[row], j = c->starts[other];
    const int64_t  i_end = c->starts[row + 1], j_end = c->starts[other + 1];
    while (i < i_end && j < j_end) {
        if ((a[0] < b[1] + reach) & (b[0] < a[1] + reach)) join(c->parents, i, j);
        const int64_t is_first = a[1] < b[1];
        i += is_first;
        a += 2 * is_first;
        j += !is_first;
        b += 2 * !is_first;
    }
}

static void join_all(const components *c)
{
    const tess_shape *shape = &c->work->in.shape;
    const int64_t     reach = c->work->full ? 1 : 0;
    for (int64_t d = 0; d < shape->d; d++)
        for (int64_t h = 0; h < shape->h && !tess__cancelled(); h++) {
            const int64_t row = d * shape->h + h;
            if (h > 0) join_rows(c, row, row - 1, reach);
            if (d == 0) continue;
            for (int64_t step = -reach; step <= reach; step++)
                if (h + step >= 0 && h + step < shape->h) join_rows(c, row, row - shape->h + step, reach);
        }
}

/* Parents come before their children: they have their number already. */
static int64_t number_all(const components *c, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i % PART == 0 && tess__cancelled()) return 0;
        const int64_t parent = c->parents[i], number = c->parents[parent];
        count += parent == i;
        c->parents[i] = parent == i ? count : number;
    }
    return count;
}

/* ---- Results ---- */

#define T int32_t
#define SUFFIX 32
#include "cpu/geometry/distance/components.c.inc"
#define T int64_t
#define SUFFIX 64
#include "cpu/geometry/distance/components.c.inc"

static void put_rows(void *context, int64_t first, int64_t last)
{
    const components *c = context;
    const tess_array *out = &c->work->out;
    for (int64_t row = first; row < last; row++) {
        const int64_t d = row / out->shape.h, h = row % out->shape.h;
        const int64_t at = c->batch * out->strides.b + d * out->strides.d + h * out->strides.h;
        if (out->dtype == TESS_I64) put_row_64(c, (int64_t *)out->data + at, row);
        else put_row_32(c, (int32_t *)out->data + at, row);
    }
}

/* Where the runs of each row of a batch begin; returns how many there are. */
static int64_t count_batch(components *c)
{
    const tess_shape *shape = &c->work->in.shape;
    const int64_t     rows = shape->d * shape->h;
    c->starts[0] = 0;
    tess__parallel(rows, tess__grain(rows, COST * (double)shape->w), count_rows, c);
    if (tess__cancelled()) return 0;
    for (int64_t row = 0; row < rows; row++) {
        if (row % PART == 0 && tess__cancelled()) return 0;
        c->starts[row + 1] += c->starts[row];
    }
    return c->starts[rows];
}

static void do_batch(components *c)
{
    const tess_shape *shape = &c->work->in.shape;
    const int64_t     rows = shape->d * shape->h, grain = tess__grain(rows, COST * (double)shape->w);
    tess__parallel(rows, grain, fill_rows, c);
    if (tess__cancelled()) return;
    join_all(c);
    const int64_t count = number_all(c, c->starts[rows]);
    tess__parallel(rows, grain, put_rows, c);
    if (c->work->counts.data) ((int64_t *)c->work->counts.data)[c->batch] = count;
}

/* Memory for the batch with most runs comes first: without it no label is written. The last batch that is counted is
 * the first one that is labelled. */
static tess_status do_batches(components *c)
{
    int64_t most = 0;
    for (c->batch = c->work->in.shape.b; c->batch-- > 0;) most = tess__max(most, count_batch(c));
    const int64_t rows = c->work->in.shape.d * c->work->in.shape.h;
    const size_t  bytes = (size_t)(3 * most + rows + 1) * sizeof *c->parents;
    int64_t      *memory = tess__alloc(bytes);
    TESS_CHECK(memory, TESS_ENOMEM, "%s: no memory for %zu bytes of runs", c->work->name, bytes);
    memory[0] = 0;
    c->parents = memory + 1;
    c->edges = c->parents + most;
    for (c->batch = 0; c->batch < c->work->in.shape.b; c->batch++) {
        if (c->batch > 0) (void)count_batch(c);
        do_batch(c);
    }
    tess__free(memory);
    return TESS_OK;
}

tess_status tess__cpu_components(const tess__components *work)
{
    components   c = { .work = work };
    const size_t bytes = (size_t)(c.work->in.shape.d * c.work->in.shape.h + 1) * sizeof *c.starts;
    c.starts = tess__alloc(bytes);
    TESS_CHECK(c.starts, TESS_ENOMEM, "%s: no memory for %zu bytes of rows", c.work->name, bytes);
    const tess_status status = do_batches(&c);
    tess__free(c.starts);
    return status;
}
