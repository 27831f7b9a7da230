/* Affine transforms on the CPU: rows of the output, shared among the threads. */
#include <string.h>

#include "core/device/memory.h"
#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/geometry/sampling/sample_line.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/workspace.h"

/* Estimated nanoseconds of a result, and of each tap of its window. */
#define COST 1.5
#define COST_OF_TAP 0.15

typedef struct transform {
    const tess__transform  *work;
    tess__transform_fn     *kernel;
    int                     parts;
    tess__transform_columns columns; /* of an axis-aligned transform */
    tess__workspaces        kept;    /* the same */
} transform;

/* Row number i of the results, and what it is made of. */
static tess__transform_line line_of(const transform *t, tess__transform_source *source, int64_t i)
{
    const tess__transform *work = t->work;
    const tess_array      *out = &work->out;
    const int64_t          size = tess__dtype_size(out->dtype), numbers = work->dims * (work->dims + 1);
    const int64_t h = i % out->shape.h, d = i / out->shape.h % out->shape.d, b = i / out->shape.h / out->shape.d;
    const double *m = (const double *)work->matrices.data + (work->matrices.shape.b == 1 ? 0 : b * numbers);
    *source = tess__source_of(&work->in, b, work->border, work->outside);
    return (tess__transform_line){
        .out = (char *)out->data + (b * out->strides.b + d * out->strides.d + h * out->strides.h) * size,
        .stride = out->strides.w,
        .source = source,
        .row = tess__transform_row_of(m, work->dims, work->from, work->to, (double)d, (double)h),
        .dims = work->dims,
        .parts = t->parts,
        .method = work->interp,
    };
}

/* ---- Axis-aligned transforms ---- */

/* Whether positions along d and h are the same for a whole row, and those along w for all rows. */
static bool is_aligned(const tess__transform *work)
{
    const double *m = work->matrices.data;
    const int     dims = work->dims;
    if (work->matrices.shape.b > 1 || tess__interp_taps(work->interp) < 2) return false;
    for (int k = 0; k < dims - 1; k++)
        if (m[k * (dims + 1) + dims - 1] != 0 || m[(dims - 1) * (dims + 1) + k] != 0) return false;
    return true;
}

/* Bytes of the rows that a thread keeps. */
static size_t kept_size(const transform *t)
{
    const int64_t taps = tess__interp_taps(t->work->interp), rows = taps * (t->work->dims == 3 ? taps : 1);
    return tess__aligned_size(rows * (t->columns.end - t->columns.begin), tess__dtype_size(t->work->out.dtype));
}

static tess_status keep_columns(transform *t)
{
    const int64_t n = t->work->out.shape.w, taps = tess__interp_taps(t->work->interp);
    const int64_t size = tess__dtype_size(tess_dtype_real(t->work->out.dtype));
    const size_t  weights = tess__aligned_size(n, (int64_t)sizeof *t->columns.index);
    const size_t  bytes = weights + tess__aligned_size(n * taps, size);
    char         *memory = tess__alloc(bytes);
    TESS_CHECK(memory, TESS_ENOMEM, "%s: no memory for a workspace of %zu bytes", t->work->name, bytes);
    t->columns = (tess__transform_columns){ .index = (int32_t *)(void *)memory, .weights = memory + weights };
    tess__transform_source     source;
    const tess__transform_line line = line_of(t, &source, 0);
    tess__cpu_kernels()->geometry.set_columns[size == sizeof(double)](&t->columns, &line, n);
    return TESS_OK;
}

/* The windows along w and the threads' memory, if it is such a transform, and any window is inside. */
static tess_status prepare(transform *t, int64_t tasks)
{
    if (!is_aligned(t->work)) return TESS_OK;
    TESS_TRY(keep_columns(t));
    if (t->columns.begin == t->columns.end) return TESS_OK;
    const size_t bytes = tess__aligned_size(1, sizeof(tess__transform_kept)) + kept_size(t);
    TESS_CHECK(tess__workspaces_make(&t->kept, bytes, tasks), TESS_ENOMEM,
               "%s: no memory for a workspace of %zu bytes for each thread", t->work->name, bytes);
    return TESS_OK;
}

/* Without any rows. */
static tess__transform_kept *take_kept(transform *t)
{
    if (!t->kept.n) return NULL;
    tess__transform_kept *kept = (tess__transform_kept *)(void *)tess__workspace_acquire(&t->kept);
    memset(kept->row, 0, sizeof kept->row);
    kept->sums = (char *)kept + tess__aligned_size(1, sizeof *kept);
    return kept;
}

/* ---- Rows ---- */

static void do_rows(void *context, int64_t first, int64_t last)
{
    transform            *t = context;
    tess__transform_kept *kept = take_kept(t);
    for (int64_t i = first; i < last; i++) {
        tess__transform_source source;
        tess__transform_line   line = line_of(t, &source, i);
        line.columns = kept ? &t->columns : NULL;
        line.kept = kept;
        if (line.method != TESS_INTERP_CUBIC_BSPLINE && tess__transform_is_whole(&line.row, line.dims)) {
            line.method = TESS_INTERP_NEAREST;
            line.columns = NULL;
        }
        t->kernel(&line, t->work->out.shape.w);
    }
    if (kept) tess__workspace_release(&t->kept, (char *)kept);
}

tess_status tess__cpu_transform(const tess__transform *work)
{
    const tess_dtype real = tess_dtype_real(work->out.dtype);
    const int        parts = work->out.dtype == real ? 1 : 2, taps = tess__interp_taps(work->interp);
    const int64_t    rows = work->out.shape.b * work->out.shape.d * work->out.shape.h;
    transform t = { .work = work, .kernel = tess__cpu_kernels()->geometry.transform[real == TESS_F64], .parts = parts };
    const tess_status status = prepare(&t, rows);
    if (!status) {
        const int    of_plane = t.kept.n ? 2 * taps : taps * taps; /* a row of the input serves several of results */
        const double window = (double)(of_plane * (work->dims == 3 ? taps : 1));
        const double cost = (COST + COST_OF_TAP * window * parts) * (double)work->out.shape.w;
        tess__parallel(rows, tess__grain(rows, cost), do_rows, &t);
    }
    if (t.kept.n) tess__workspaces_free(&t.kept);
    tess__free(t.columns.index);
    return status;
}
