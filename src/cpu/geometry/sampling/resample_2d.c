/* 2-D resampling at computed coordinates on the CPU: rows of the output as tasks, in blocks of positions. */
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/geometry/sampling/resample_runs.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "requests/ctf_row.h"

/* Estimated nanoseconds of a result: of its position, and of a tap. */
#define POSITION_COST 5.0
#define TAP_COST 0.4

enum { ROWS = 16 }; /* that are computed together */

typedef struct resampling {
    const tess__resample_2d *work;
    tess__resample_fn       *kernel;
} resampling;

/* What the columns of row h have in common. */
static tess__resample_columns columns_of(const tess__resample_2d *work, int64_t b, int64_t h)
{
    tess__resample_columns c = { .grid = &work->grid, .h = (double)h };
    if (work->grid.kind == TESS__RESAMPLE_RAYS)
        tess__resample_direction(&work->grid, c.h, &c.direction[0], &c.direction[1]);
    if (work->grid.kind == TESS__RESAMPLE_PHASES) {
        c.in = tess__ctf_line_of(tess__ctf_numbers(&work->ctfs, b, h));
        c.out = tess__ctf_line_of(tess__ctf_numbers(&work->target, b, 0));
    }
    return c;
}

/* Results w to w + n - 1 of a row. */
static void do_block(const resampling *p, tess__resample_columns *columns, int64_t b, int64_t w, int64_t n)
{
    const tess__resample_2d *work = p->work;
    const tess_array        *out = &work->out, *in = &work->in;
    const int64_t            size = tess__dtype_size(out->dtype), h = (int64_t)columns->h;
    _Alignas(64) double      y[TESS__RESAMPLE_BLOCK], x[TESS__RESAMPLE_BLOCK];
    const tess__resample_run run = {
        .source = &work->source,
        .data = (const char *)in->data + ((in->shape.b == 1 ? 0 : b) * in->strides.b +
                                          (work->grid.kind == TESS__RESAMPLE_PHASES ? h : 0) * in->strides.h) *
                                             size,
        .stride = { in->strides.h, in->strides.w },
        .y = y,
        .x = x,
        .is_ordered = work->grid.kind == TESS__RESAMPLE_RAYS && !work->grid.log,
        .out = (char *)out->data + (b * out->strides.b + h * out->strides.h + w * out->strides.w) * size,
        .out_stride = out->strides.w
    };
    columns->w = (double)w;
    tess__cpu_kernels()->geometry.resample_positions(y, x, columns, n);
    p->kernel(&run, n);
}

/* Rows of a batch in turn, a block of each: neighbours read the same cache lines. */
static void do_rows(void *context, int64_t first, int64_t last)
{
    const resampling      *p = context;
    const tess_shape       shape = p->work->out.shape;
    tess__resample_columns columns[ROWS];
    for (int64_t row = first, n; row < last; row += n) {
        const int64_t b = row / shape.h, h = row % shape.h;
        n = tess__min(tess__min(last - row, shape.h - h), (int64_t)ROWS);
        for (int64_t i = 0; i < n; i++) columns[i] = columns_of(p->work, b, h + i);
        for (int64_t w = 0; w < shape.w; w += TESS__RESAMPLE_BLOCK)
            for (int64_t i = 0; i < n; i++)
                do_block(p, &columns[i], b, w, tess__min(shape.w - w, (int64_t)TESS__RESAMPLE_BLOCK));
    }
}

tess_status tess__cpu_resample_2d(const tess__resample_2d *work)
{
    const tess_dtype real = tess_dtype_real(work->out.dtype);
    const int        dtype = (real == TESS_F64) + 2 * (real != work->out.dtype);
    resampling       p = { .work = work, .kernel = tess__cpu_kernels()->geometry.resample[dtype][work->interp] };
    const int64_t    rows = work->out.shape.b * work->out.shape.h;
    const int        taps = tess__interp_taps(work->interp);
    const double     cost = (POSITION_COST + TAP_COST * taps * taps) * (double)work->out.shape.w;
    tess__parallel(rows, tess__grain(rows, cost), do_rows, &p);
    return TESS_OK;
}
