/* Slices gathered on the CPU: rows of the output, shared among the threads, some columns at a time. */
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/geometry/slices/slices.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

/* Estimated nanoseconds of a slice for each column, most of which it does not reach. */
#define COST 1

typedef struct gathering {
    const tess__slice_gather *work;
    tess__slice_gather_fn    *kernel;
} gathering;

static const double *numbers_of(const tess_array *a, int64_t b, int64_t each)
{
    return a->data ? (const double *)a->data + (a->shape.b == 1 ? 0 : b * each) : NULL;
}

static void set_grid(tess__spectrum_grid *g, const tess__slice_gather *work, const tess_array *a)
{
    for (int k = 0; k < 3; k++) {
        g->n[k] = work->slice_n[k];
        g->stride[k] = a->strides.dim[k + 1];
        g->order[k] = work->slice_order[k];
    }
}

static char *row_of(const tess_array *a, int64_t b, int64_t d, int64_t h)
{
    if (!a->data) return NULL;
    return (char *)a->data + (b * a->strides.b + d * a->strides.d + h * a->strides.h) * tess__dtype_size(a->dtype);
}

static double frequency(const tess__slice_gather *work, int axis, int64_t index)
{
    return (double)tess__frequency_at(work->out_order[axis], work->out_n[axis], index) / work->out_size[axis];
}

static void do_rows(void *context, int64_t first, int64_t last)
{
    static const double       as_it_is[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    const gathering          *g = context;
    const tess__slice_gather *work = g->work;
    const tess_shape         *n = &work->out.shape;
    tess__gather_row          row = { .work = work };
    set_grid(&row.slices, work, &work->slices);
    set_grid(&row.slice_weights, work, &work->slice_weights);
    for (int64_t i = first; i < last; i++) {
        const int64_t h = i % n->h, d = i / n->h % n->d, b = i / n->h / n->d;
        const double *rotation = numbers_of(&work->out_rotations, b, 9);
        row.frame = tess__slice_frame_of(rotation ? rotation : as_it_is, numbers_of(&work->out_unscales, b, 4),
                                         work->out_curve);
        row.out = row_of(&work->out, b, d, h);
        row.out_weights = row_of(&work->out_weights, b, d, h);
        row.q[0] = frequency(work, 0, d);
        row.q[1] = frequency(work, 1, h);
        for (int64_t w = 0; w < n->w; w += TESS__GATHER_COLUMNS)
            g->kernel(&row, w, tess__min(n->w - w, TESS__GATHER_COLUMNS));
    }
}

tess_status tess__cpu_slice_gather(const tess__slice_gather *work)
{
    const tess_shape *n = &work->out.shape;
    const int64_t     rows = n->b * n->d * n->h;
    gathering         g = { work, tess__cpu_kernels()->geometry.gather[work->out.dtype == TESS_C64] };
    tess__parallel(rows, tess__grain(rows, COST * (double)(n->w * (work->slices.shape.b + 1))), do_rows, &g);
    return TESS_OK;
}
