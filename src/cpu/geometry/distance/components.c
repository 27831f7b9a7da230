/* Connected components on the CPU: a forest of disjoint sets over the runs of set elements of all rows, joined where
 * runs of neighbouring rows touch.
 *
 * Runs are in the order of their first elements and the root of a tree is its first run, so that roots, counted in
 * their order, are the numbers of the components. */
#include <string.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/check/error.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"

#define COST 1.0 /* estimated nanoseconds of an element */

/* Neighbours of a row, from `first` to before `last`. */
typedef struct run {
    int64_t first, last;
    int64_t parent; /* an earlier run, or itself; in the end, the number of its component */
} run;

typedef struct components {
    const tess__components *work;
    int64_t                 batch;
    int64_t                *starts; /* of each row, and of the end, in `runs` */
    run                    *runs;
} components;

/* ---- Runs ---- */

static const uint8_t *input_row(const components *c, int64_t row)
{
    const tess_array *in = &c->work->in;
    return (const uint8_t *)in->data + c->batch * in->strides.b + row / in->shape.h * in->strides.d +
           row % in->shape.h * in->strides.h;
}

/* The runs of a row, to `runs` if that is not NULL; returns how many there are. */
static int64_t find_runs(run *runs, const components *c, int64_t row)
{
    const uint8_t *in = input_row(c, row);
    const int64_t  n = c->work->in.shape.w, stride = c->work->in.strides.w;
    int64_t        count = 0;
    for (int64_t i = 0; i < n;) {
        while (i < n && !in[i * stride]) i++;
        const int64_t first = i;
        while (i < n && in[i * stride]) i++;
        if (i == first) break;
        if (runs) runs[count] = (run){ first, i, 0 };
        count++;
    }
    return count;
}

static void count_rows(void *context, int64_t first, int64_t last)
{
    const components *c = context;
    for (int64_t row = first; row < last; row++) c->starts[row + 1] = find_runs(NULL, c, row);
}

static void fill_rows(void *context, int64_t first, int64_t last)
{
    const components *c = context;
    for (int64_t row = first; row < last; row++) {
        (void)find_runs(c->runs + c->starts[row], c, row);
        for (int64_t i = c->starts[row]; i < c->starts[row + 1]; i++) c->runs[i].parent = i;
    }
}

/* ---- Trees ---- */

/* The root, with the path to it halved. */
static int64_t root_of(run *runs, int64_t i)
{
    while (runs[i].parent != i) i = runs[i].parent = runs[runs[i].parent].parent;
    return i;
}

static void join(run *runs, int64_t a, int64_t b)
{
    const int64_t x = root_of(runs, a), y = root_of(runs, b);
    if (x < y) runs[y].parent = x;
    else runs[x].parent = y;
}

/* Runs of two rows touch where they overlap, or, across corners, meet: `reach` is 0 or 1. */
static void join_rows(const components *c, int64_t row, int64_t other, int64_t reach)
{
    int64_t       i = c->starts[row], j = c->starts[other];
    const int64_t i_end = c->starts[row + 1], j_end = c->starts[other + 1];
    while (i < i_end && j < j_end) {
        const run *a = &c->runs[i], *b = &c->runs[j];
        if (a->first < b->last + reach && b->first < a->last + reach) join(c->runs, i, j);
        if (a->last < b->last) i++;
        else j++;
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
    for (int64_t i = 0; i < n; i++)
        c->runs[i].parent = c->runs[i].parent == i ? ++count : c->runs[c->runs[i].parent].parent;
    return count;
}

/* ---- Results ---- */

static void put(char *out, int64_t stride, int64_t n, int64_t number, bool is_wide)
{
    const int32_t narrow = (int32_t)number;
    if (is_wide)
        for (int64_t i = 0; i < n; i++) memcpy(out + i * stride * 8, &number, sizeof number);
    else
        for (int64_t i = 0; i < n; i++) memcpy(out + i * stride * 4, &narrow, sizeof narrow);
}

static void put_rows(void *context, int64_t first, int64_t last)
{
    const components *c = context;
    const tess_array *out = &c->work->out;
    const bool        is_wide = out->dtype == TESS_I64;
    const int64_t     step = out->strides.w * tess__dtype_size(out->dtype), stride = out->strides.w;
    for (int64_t row = first; row < last; row++) {
        const int64_t d = row / out->shape.h, h = row % out->shape.h;
        char         *to = (char *)out->data +
                   (c->batch * out->strides.b + d * out->strides.d + h * out->strides.h) * tess__dtype_size(out->dtype);
        int64_t at = 0;
        for (int64_t i = c->starts[row]; i < c->starts[row + 1]; i++) {
            const run *r = &c->runs[i];
            put(to + at * step, stride, r->first - at, 0, is_wide);
            put(to + r->first * step, stride, r->last - r->first, r->parent, is_wide);
            at = r->last;
        }
        put(to + at * step, stride, out->shape.w - at, 0, is_wide);
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
    for (int64_t row = 0; row < rows; row++) c->starts[row + 1] += c->starts[row];
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
    const size_t bytes = (size_t)(most + 1) * sizeof *c->runs;
    c->runs = tess__alloc(bytes);
    TESS_CHECK(c->runs, TESS_ENOMEM, "%s: no memory for %zu bytes of runs", c->work->name, bytes);
    for (c->batch = 0; c->batch < c->work->in.shape.b; c->batch++) {
        if (c->batch > 0) (void)count_batch(c);
        do_batch(c);
    }
    tess__free(c->runs);
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
