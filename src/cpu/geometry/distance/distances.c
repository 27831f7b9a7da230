/* Euclidean distance transform on the CPU, after Felzenszwalb and Huttenlocher: along each axis in turn, squares of
 * distances are the lower envelope of parabolas over the squares of the axes before.
 *
 * Along W, where there are only zeros and infinities, two scans do. Columns are taken some at a time: where nothing is
 * far away, the least square is soonest found by a search of all of them together. */
#include <math.h>
#include <string.h>

#include "core/dtype.h"
#include "core/check/error.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/geometry/kernels.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/workspace.h"
#include "formulas/geometry/distance.op.h"

/* Estimated nanoseconds of an element. */
#define COST_SCAN 2.0
#define COST_ENVELOPE 8.0

enum { COLUMNS = TESS__NEAR_COLUMNS };

typedef struct transform {
    const tess__distances *work;
    int                    last;           /* axis whose pass writes results */
    int64_t                first_batch;    /* of those that are worked on together */
    double                *squares;        /* {batches,d,h,w}, contiguous; NULL: results come from the first pass */
    int                    axis;           /* of this pass, */
    int64_t                n, line_stride; /* its size and stride in `squares`, */
    int64_t                blocks;         /* and of columns in a row of W */
    tess__workspaces       workspaces;
    size_t                 line_at, site_at, from_at; /* in a workspace, behind rows */
} transform;

/* ---- Results ---- */

static char *result_at(const transform *t, const int64_t at[4])
{
    const tess_array *out = &t->work->out;
    int64_t           offset = (t->first_batch + at[0]) * out->strides.b;
    for (int k = 1; k < 4; k++) offset += at[k] * out->strides.dim[k];
    return (char *)out->data + offset * tess__dtype_size(out->dtype);
}

static void put_results(const transform *t, char *to, int64_t stride, const double *squares, int64_t n)
{
    const bool squared = t->work->squared;
    for (int64_t i = 0; i < n; i++) {
        const double y = squared ? squares[i] : sqrt(squares[i]);
        const float  x = (float)y;
        if (t->work->out.dtype == TESS_F64) memcpy(to + i * stride * 8, &y, sizeof y);
        else memcpy(to + i * stride * 4, &x, sizeof x);
    }
}

/* ---- Along W ---- */

/* Squares of the distances within a row: from the last target to the left, then from that to the right. */
static void scan_row(double *squares, const uint8_t *in, int64_t stride, const transform *t)
{
    const int64_t n = t->work->in.shape.w;
    const double  step2 = t->work->step2[3];
    double        far = (double)INFINITY;
    for (int64_t i = 0; i < n; i++) {
        far = (in[i * stride] != 0) == t->work->target ? 0 : far + 1;
        squares[i] = far;
    }
    far = (double)INFINITY;
    for (int64_t i = n - 1; i >= 0; i--) {
        far = squares[i] < far + 1 ? squares[i] : far + 1;
        squares[i] = step2 * (far * far);
    }
}

static void scan_rows(void *context, int64_t first, int64_t last)
{
    transform        *t = context;
    const tess_array *in = &t->work->in;
    const tess_shape *shape = &in->shape;
    char             *workspace = tess__workspace_acquire(&t->workspaces);
    for (int64_t row = first; row < last; row++) {
        const int64_t  at[4] = { row / shape->h / shape->d, row / shape->h % shape->d, row % shape->h, 0 };
        const uint8_t *from = (const uint8_t *)in->data + (t->first_batch + at[0]) * in->strides.b +
                              at[1] * in->strides.d + at[2] * in->strides.h;
        double *squares = t->squares ? t->squares + row * shape->w : (double *)(void *)workspace;
        scan_row(squares, from, in->strides.w, t);
        if (t->last == 3) put_results(t, result_at(t, at), t->work->out.strides.w, squares, shape->w);
    }
    tess__workspace_release(&t->workspaces, workspace);
}

/* ---- Along H and D ---- */

/* The lower envelope of the parabolas of a line, in its place. `site` has the places of those that are part of it, and
 * from[k] is where number k begins to be the lowest. */
static void envelope(double *line, int64_t n, double step2, int64_t *site, double *from)
{
    double *const lowest = from + n; /* the squares at the sites */
    int64_t       count = 0;
    for (int64_t q = 0; q < n; q++) {
        if (line[q] == (double)INFINITY) continue;
        double begin = (double)-INFINITY;
        while (count > 0) {
            const int64_t p = site[count - 1];
            const double  rise = (line[q] - lowest[count - 1]) / step2;
            begin = (rise + (double)(q - p) * (double)(q + p)) / (2 * (double)(q - p));
            if (begin > from[count - 1]) break;
            begin = (double)-INFINITY;
            count--;
        }
        site[count] = q;
        lowest[count] = line[q];
        from[count++] = begin;
    }
    if (count == 0) return;
    for (int64_t i = 0, k = 0; i < n; i++) {
        while (k + 1 < count && from[k + 1] < (double)i) k++;
        line[i] = tess__distance_from(lowest[k], step2, i - site[k]);
    }
}

/* Some neighbouring columns into rows of COLUMNS. */
static void find_columns(const transform *t, double *rows, const double *squares, int64_t columns, char *workspace)
{
    const int64_t n = t->n;
    const double  step2 = t->work->step2[t->axis];
    double       *line = (double *)(void *)(workspace + t->line_at), *from = (double *)(void *)(workspace + t->from_at);
    int64_t      *site = (int64_t *)(void *)(workspace + t->site_at);
    if (columns == COLUMNS && tess__cpu_kernels()->geometry.near(rows, squares, t->line_stride, n, step2)) return;
    for (int64_t c = 0; c < columns; c++) {
        for (int64_t i = 0; i < n; i++) line[i] = squares[i * t->line_stride + c];
        envelope(line, n, step2, site, from);
        for (int64_t i = 0; i < n; i++) rows[i * COLUMNS + c] = line[i];
    }
}

static void do_columns(const transform *t, int64_t number, char *workspace)
{
    const tess_shape *shape = &t->work->in.shape;
    const int64_t     other = t->axis == 2 ? shape->d : shape->h, block = number % t->blocks;
    int64_t           at[4] = { number / t->blocks / other, 0, 0, block * COLUMNS };
    at[3 - t->axis] = number / t->blocks % other;
    const int64_t columns = tess__min(COLUMNS, shape->w - at[3]);
    double       *rows = (double *)(void *)workspace;
    double       *squares = t->squares + ((at[0] * shape->d + at[1]) * shape->h + at[2]) * shape->w + at[3];
    find_columns(t, rows, squares, columns, workspace);
    for (int64_t i = 0; i < t->n; i++, at[t->axis]++) {
        const double *row = rows + i * COLUMNS;
        if (t->axis == t->last) put_results(t, result_at(t, at), t->work->out.strides.w, row, columns);
        else memcpy(squares + i * t->line_stride, row, (size_t)columns * sizeof *row);
    }
}

static void do_all_columns(void *context, int64_t first, int64_t last)
{
    transform *t = context;
    char      *workspace = tess__workspace_acquire(&t->workspaces);
    for (int64_t i = first; i < last; i++) do_columns(t, i, workspace);
    tess__workspace_release(&t->workspaces, workspace);
}

/* ---- Passes ---- */

static void run_axis(transform *t, int axis, int64_t batches)
{
    const tess_shape *shape = &t->work->in.shape;
    t->axis = axis;
    t->n = shape->dim[axis];
    t->line_stride = axis == 2 ? shape->w : shape->h * shape->w;
    t->blocks = (shape->w - 1) / COLUMNS + 1;
    const int64_t tasks = batches * (axis == 2 ? shape->d : shape->h) * t->blocks;
    tess__parallel(tasks, tess__grain(tasks, COST_ENVELOPE * COLUMNS * (double)t->n), do_all_columns, t);
}

static tess_status run_batches(transform *t)
{
    const tess_shape *shape = &t->work->in.shape;
    const int64_t     together = tess__distance_batches(shape), longest = tess__max(shape->d, shape->h);
    t->line_at = tess__aligned_size(tess__max(COLUMNS * longest, t->squares ? 0 : shape->w), sizeof(double));
    t->site_at = t->line_at + tess__aligned_size(longest, sizeof(double));
    t->from_at = t->site_at + tess__aligned_size(longest, sizeof(int64_t));
    const size_t bytes = t->from_at + tess__aligned_size(2 * longest, sizeof(double));
    TESS_CHECK(tess__workspaces_make(&t->workspaces, bytes, INT64_MAX), TESS_ENOMEM,
               "%s: no memory for workspaces of %zu bytes", t->work->name, bytes);
    for (t->first_batch = 0; t->first_batch < shape->b; t->first_batch += together) {
        const int64_t batches = tess__min(together, shape->b - t->first_batch), rows = batches * shape->d * shape->h;
        tess__parallel(rows, tess__grain(rows, COST_SCAN * (double)shape->w), scan_rows, t);
        for (int axis = 2; axis > 0; axis--)
            if (shape->dim[axis] > 1) run_axis(t, axis, batches);
    }
    return TESS_OK;
}

tess_status tess__cpu_distances(const tess__distances *work)
{
    transform         t = { .work = work };
    const tess_shape *shape = &t.work->in.shape;
    const int64_t     n = tess__distance_batches(shape) * shape->d * shape->h * shape->w;
    t.last = shape->d > 1 ? 1 : shape->h > 1 ? 2 : 3;
    if (t.last != 3) {
        const size_t bytes = (size_t)n * sizeof *t.squares;
        t.squares = tess__alloc(bytes);
        TESS_CHECK(t.squares, TESS_ENOMEM, "%s: no memory for %zu bytes of squares", t.work->name, bytes);
    }
    const tess_status status = run_batches(&t);
    tess__workspaces_free(&t.workspaces);
    tess__free(t.squares);
    return status;
}
