/* B-spline prefilter on the CPU: groups of vectors side by side, shared among the threads. */
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/geometry/sampling/prefilter_lines.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/workspace.h"
#include "tessera/border.h"

/* Estimated nanoseconds of a real. */
#define COST 0.6

typedef struct prefilter {
    const tess__prefilter *work;
    tess__prefilter_fn    *kernel;
    tess__workspaces       workspaces;
    int64_t                real;         /* bytes */
    int                    parts;        /* reals of an element */
    int                    across;       /* the axis along which vectors are grouped */
    int                    other[2];     /* the axes that are left */
    bool                   direct;       /* groups are contiguous: both parts of complex numbers are vectors then */
    int64_t                each, groups; /* vectors of a group; groups along `across` */
} prefilter;

/* The axis of contiguous elements, or, if vectors lie along that, the longest of the others. */
static int axis_across(const tess__prefilter *work)
{
    int across = work->axis == 3 ? 2 : 3;
    if (work->axis != 3 && work->out.strides.w == 1 && work->in.strides.w == 1) return 3;
    for (int k = 0; k < 4; k++)
        if (k != work->axis && work->in.shape.dim[k] > work->in.shape.dim[across]) across = k;
    return across;
}

static prefilter plan(const tess__prefilter *work)
{
    const tess_array *in = &work->in;
    const bool        wide = tess_dtype_real(in->dtype) == TESS_F64;
    prefilter         p = { .work = work,
                            .kernel = tess__cpu_kernels()->geometry.prefilter[wide],
                            .real = wide ? 8 : 4,
                            .parts = tess_dtype_reals(in->dtype),
                            .across = axis_across(work) };
    p.direct = in->strides.dim[p.across] == 1 && work->out.strides.dim[p.across] == 1 &&
               (p.parts == 1 || work->border != TESS_BORDER_VALUE); /* whose parts differ */
    int n = 0;
    for (int k = 0; k < 4; k++)
        if (k != work->axis && k != p.across) p.other[n++] = k;
    p.each = p.direct ? TESS__PREFILTER_LANES / p.parts : TESS__PREFILTER_PACK;
    p.groups = (in->shape.dim[p.across] - 1) / p.each + 1;
    return p;
}

/* Group `number`: its vectors along `across`, at one index of each of the other axes. */
static void do_group(const prefilter *p, int64_t number, char *workspace)
{
    const tess__prefilter *work = p->work;
    const tess_array      *arrays[2] = { &work->out, &work->in };
    const int64_t          group = number % p->groups, first = group * p->each;
    const int64_t          n1 = work->in.shape.dim[p->other[1]], left = number / p->groups;
    const int64_t          lanes = tess__min(p->each, work->in.shape.dim[p->across] - first);
    char                  *address[2];
    tess__prefilter_lines  l = { .n = work->in.shape.dim[work->axis],
                                 .lanes = p->direct ? lanes * p->parts : lanes,
                                 .border = work->border,
                                 .workspace = workspace };
    for (int i = 0; i < 2; i++) {
        const int64_t *stride = arrays[i]->strides.dim;
        const int64_t  at =
            first * stride[p->across] + left / n1 * stride[p->other[0]] + left % n1 * stride[p->other[1]];
        address[i] = (char *)arrays[i]->data + at * p->parts * p->real;
        l.step[i] = stride[work->axis] * p->parts;
        l.lane[i] = p->direct ? 1 : stride[p->across] * p->parts;
    }
    for (int part = 0; part < (p->direct ? 1 : p->parts); part++) {
        l.out = address[0] + part * p->real;
        l.in = address[1] + part * p->real;
        l.value = work->value[part];
        p->kernel(&l);
    }
}

static void do_groups(void *context, int64_t first, int64_t last)
{
    prefilter *p = context;
    char      *workspace = tess__workspace_acquire(&p->workspaces);
    for (int64_t i = first; i < last; i++) do_group(p, i, workspace);
    tess__workspace_release(&p->workspaces, workspace);
}

tess_status tess__cpu_prefilter(const tess__prefilter *work)
{
    prefilter        p = plan(work);
    const tess_shape shape = work->in.shape;
    const int64_t    groups = p.groups * shape.dim[p.other[0]] * shape.dim[p.other[1]];
    const size_t     bytes = p.direct ? 64 : tess__aligned_size(shape.dim[work->axis] * TESS__PREFILTER_PACK, p.real);
    const double     cost = COST * (double)(shape.dim[work->axis] * p.each * p.parts);
    TESS_CHECK(tess__workspaces_make(&p.workspaces, bytes, groups), TESS_ENOMEM,
               "%s: no memory for a workspace of %zu bytes for each thread", work->name, bytes);
    tess__parallel(groups, tess__grain(groups, cost), do_groups, &p);
    tess__workspaces_free(&p.workspaces);
    return TESS_OK;
}
