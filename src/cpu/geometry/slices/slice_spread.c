/* Slices spread into a volume on the CPU: each task owns planes of the volume, and adds all slices to them in order.
 *
 * A task has the planes z and -z of some |z|, so that a coefficient and its conjugate fall into the same one. Of a row
 * of a slice only the columns that fall near its planes are visited: z is linear along a row, but for curved slices, of
 * which each column is asked. No sum depends on how planes are divided.
 */
#include <math.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/geometry/slices/slices.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "tessera/device.h"

enum {
    SLAB_BYTES = 8 << 20, /* of the planes of a task, about: they stay in a cache */
    PER_THREAD = 8        /* tasks, at least: planes near 0 have more to do */
};

/* Estimated nanoseconds of a coefficient, and of a row for each task. */
#define COST 15
#define ROW_COST 20

typedef struct spreading {
    const tess__slice_spread *work;
    tess__spread_fn          *kernel;
    tess__spread_queued_fn   *queued;
    int64_t                   planes, slab; /* of |z|; of each task */
} spreading;

static const double *numbers_of(const tess_array *a, int64_t b, int64_t each)
{
    return a->data ? (const double *)a->data + (a->shape.b == 1 ? 0 : b * each) : NULL;
}

static void set_grid(tess__spectrum_grid *g, const tess__slice_spread *work, const tess_array *a)
{
    for (int k = 0; k < 3; k++) {
        g->n[k] = work->volume_n[k];
        g->stride[k] = a->strides.dim[k + 1];
        g->order[k] = work->volume_order[k];
    }
}

static bool same_strides(const tess__spectrum_grid *a, const tess__spectrum_grid *b)
{
    return a->stride[0] == b->stride[0] && a->stride[1] == b->stride[1] && a->stride[2] == b->stride[2];
}

static tess__spread_task task_of(const spreading *s, int64_t number)
{
    tess__spread_task t = { .work = s->work, .low = number * s->slab };
    t.high = tess__min(t.low + s->slab, s->planes);
    set_grid(&t.volume, s->work, &s->work->volume);
    set_grid(&t.weights, s->work, &s->work->weights);
    for (int k = 0; k < 3; k++) {
        t.most[k] = t.volume.n[k] / 2;
        t.least[k] = t.volume.order[k] == TESS__ORDER_HALF ? 0 : -t.most[k];
    }
    t.is_dense = t.volume.order[2] == TESS__ORDER_HALF && t.volume.stride[2] == 1 &&
                 (!s->work->weights.data || same_strides(&t.volume, &t.weights));
    return t;
}

/* ---- Columns of a row ---- */

typedef struct range {
    int64_t first, last; /* the end */
} range;

/* A coordinate that is linear along a row: a + b x at column x. */
typedef struct linear {
    double a, b, inverse; /* 1 / b, or 0 for a b of nearly 0 */
} linear;

/* Columns 0 to n-1 at which a coordinate is from low to high, and perhaps one more on each side. Kernels look again, so
 * that a bound is wider by more than what rounding does. */
static range columns_between(linear c, double low, double high, int64_t n)
{
    if (c.inverse == 0) return (range){ 0, c.a + 1e-3 >= low && c.a - 1e-3 <= high ? n : 0 };
    const double one = (low - c.a) * c.inverse, two = (high - c.a) * c.inverse, last = (double)n;
    const double from = (one < two ? one : two) - 1e-3, to = (one < two ? two : one) + 1.001;
    return (range){ (int64_t)(from > 0 ? from < last ? from : last : 0),
                    (int64_t)(to > 0 ? to < last ? to : last : 0) };
}

/* Coordinate k of the volume along row y, which is counted in samples. */
static linear along(const tess__spread_row *row, int k, double y)
{
    return (linear){ y * row->from_y[k], row->from_x[k], row->inverse[k] };
}

/* Those at which something of the volume is stored, or may be. */
static range stored_columns(const tess__spread_task *task, const tess__spread_row *row, double y, int64_t n)
{
    const linear x = along(row, 2, y);
    const double most = (double)task->most[2], end = x.a + x.b * (double)n;
    if (task->volume.order[2] != TESS__ORDER_HALF) return (range){ 0, n };
    if ((x.a < end ? x.a : end) < 2 - most) return (range){ 0, n }; /* -n/2 is stored as n/2 */
    return columns_between(x, -1, most + 1, n);
}

/* Row y, which is counted in samples. */
static void spread_row(const spreading *s, const tess__spread_task *task, const tess__spread_row *row, double y,
                       tess__spread_queue *queue)
{
    const int64_t n = task->work->slice_n[2] / 2 + 1;
    if (task->work->curve[0] != 0 || task->work->curve[1] != 0) {
        s->kernel(task, row, 0, n, queue);
        return;
    }
    const linear z = along(row, 0, y);
    const double low = (double)task->low - 1, high = (double)task->high;
    if (fabs(z.a) + fabs(z.b) * (double)n < low) return;
    range one = columns_between(z, low > 0 ? low : -high, high, n), two = { 0, 0 };
    if (low > 0) two = columns_between(z, -high, -low, n);
    if (low > 0 && two.first < one.first) {
        const range other = one;
        one = two;
        two = other;
    }
    if (one.first >= one.last && two.first >= two.last) return;
    const range   stored = stored_columns(task, row, y, n);
    const int64_t end = tess__min(one.last, stored.last);
    s->kernel(task, row, tess__max(one.first, stored.first), end, queue);
    if (low > 0)
        s->kernel(task, row, tess__max(tess__max(two.first, end), stored.first), tess__min(two.last, stored.last),
                  queue);
}

/* ---- Slices ---- */

static void spread_slice(const spreading *s, const tess__spread_task *task, int64_t b, tess__spread_queue *queue)
{
    const tess__slice_spread *work = s->work;
    const int64_t             h = work->slice_n[1], size = tess__dtype_size(work->slices.dtype);
    tess__spread_row          row = { .frame = tess__slice_frame_of(numbers_of(&work->rotations, b, 9),
                                                                    numbers_of(&work->unscales, b, 4), work->curve) };
    const double              y_step[3] = { 0, 1 / (double)h, 0 }, x_step[3] = { 0, 0, 1 / (double)work->slice_n[2] };
    double                    from_y[3], from_x[3];
    (void)tess__slice_to_volume(from_y, &row.frame, y_step, work->target, 1);
    (void)tess__slice_to_volume(from_x, &row.frame, x_step, work->target, 1);
    for (row.side = 1; row.side >= -1; row.side -= 2) {
        for (int k = 0; k < 3; k++) {
            row.from_y[k] = row.side * from_y[k];
            row.from_x[k] = row.side * from_x[k];
            row.inverse[k] = fabs(row.from_x[k]) < 1e-9 ? 0 : 1 / row.from_x[k];
        }
        for (int64_t y = -(h / 2); y < h - h / 2; y++) {
            const int64_t     i = tess__frequency_index(work->slice_order[1], h, y);
            const tess_array *v = &work->slices, *w = &work->slice_weights;
            row.y = (double)y / (double)h;
            row.slice = (const char *)v->data + (b * v->strides.b + i * v->strides.h) * size;
            row.weights = w->data ? (const char *)w->data + (b * w->strides.b + i * w->strides.h) * size / 2 : NULL;
            spread_row(s, task, &row, (double)y, queue);
        }
    }
}

static void do_slabs(void *context, int64_t first, int64_t last)
{
    const spreading   *s = context;
    tess__spread_queue queue;
    queue.n = 0;
    for (int64_t i = first; i < last; i++) {
        const tess__spread_task task = task_of(s, i);
        for (int64_t b = 0; b < s->work->slices.shape.b && !tess__cancelled(); b++) spread_slice(s, &task, b, &queue);
        s->queued(&task, &queue);
    }
}

tess_status tess__cpu_slice_spread(const tess__slice_spread *work)
{
    const bool    wide = work->volume.dtype == TESS_C64;
    const int64_t bytes = tess__dtype_size(work->volume.dtype) * 3 / 2;
    const int64_t plane = 2 * work->volume.shape.h * work->volume.shape.w * bytes;
    const int64_t rows = work->slices.shape.b * work->slice_n[1], columns = work->slice_n[2] / 2 + 1;
    spreading     s = { .work = work,
                        .kernel = tess__cpu_kernels()->geometry.spread[wide],
                        .queued = tess__cpu_kernels()->geometry.spread_queued[wide],
                        .planes = work->volume_n[0] / 2 + 1 };
    const int64_t share = s.planes / (PER_THREAD * tess_threads_get());
    s.slab = tess_threads_get() == 1 ? tess__clamp(SLAB_BYTES / plane, 1, s.planes)
                                     : tess__clamp(tess__min(SLAB_BYTES / plane, share), 1, s.planes);
    const int64_t tasks = (s.planes - 1) / s.slab + 1;
    const double  cost = (COST * (double)columns / (double)tasks + ROW_COST) * (double)rows;
    tess__parallel(tasks, tess__grain(tasks, cost), do_slabs, &s);
    return TESS_OK;
}
