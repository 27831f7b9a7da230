/* FFT of many long vectors, each transformed by itself, as the threads' tasks: those whose numbers are not adjacent are
 * packed into rows and unpacked again, some neighbours at a time. */
#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/fft/single.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

/* Vectors whose numbers are not adjacent are packed into rows, so many at a time: they share cache lines. */
enum { PACKED = 8 };

static size_t packed_row(int64_t n, int64_t size) { return tess__aligned_size(n + 1, 2 * size) + 64; }

size_t tess__fft_task_workspace(const tess__fft_plan1d *plan, bool packs)
{
    return tess__fft_single_workspace(plan) + (packs ? 2 * PACKED * packed_row(plan->n, plan->size) : 0);
}

/* A side of a pass: what its numbers are, how many a vector has, and whether they are packed. */
typedef struct side {
    tess_dtype dtype;
    int64_t    n;
    bool       packs;
} side;

typedef struct singles {
    tess__fft_pass          pass;
    const tess__fft_kernel *kernels;
    tess__workspaces       *workspaces;
    side                    side[2];
    int64_t                 at_once, groups; /* vectors of a task along the first axis, and tasks there */
} singles;

static side side_of(const tess__fft_pass *p, int which, int64_t size)
{
    const bool    to_half = p->what == TESS__FFT_REAL_TO_HALF, to_real = p->what == TESS__FFT_HALF_TO_REAL;
    const bool    from_real = to_half || p->what == TESS__FFT_FROM_REAL;
    const bool    real = p->what == TESS__FFT_REAL_TO_REAL || (which ? to_real : from_real);
    const int64_t n = (which ? to_half : to_real) ? p->n / 2 + 1 : p->n;
    return (side){ size == 4 ? real ? TESS_F32 : TESS_C32
                   : real    ? TESS_F64
                             : TESS_C64,
                   n, p->step[which] != (real ? size : 2 * size) };
}

/* Vectors of a side, between where they are and rows. */
static void copy_vectors(const singles *v, int which, int64_t count, char *vectors, char *rows, bool back)
{
    const tess__fft_pass *p = &v->pass;
    const side           *s = &v->side[which];
    const int64_t         size = tess__dtype_size(s->dtype), row = (int64_t)packed_row(p->n, v->kernels->size);
    const tess_shape      shape = TESS_SHAPE(1, 1, count, s->n);
    tess_array            there = { .shape = shape, .data = vectors, .dtype = s->dtype }, packed = there;
    there.strides.h = p->stride[0][which] / size, there.strides.w = p->step[which] / size;
    packed.strides.h = row / size, packed.strides.w = 1;
    packed.data = rows;
    tess__loop loop;
    tess__plan(&loop, shape, (const tess_array *[]){ back ? &there : &packed, back ? &packed : &there }, 2);
    tess__cpu_copy(&loop);
}

static void run_group(const singles *v, int64_t group, char *workspace)
{
    const tess__fft_pass *p = &v->pass;
    const size_t          row = packed_row(p->n, v->kernels->size);
    const int64_t         first = group % v->groups * v->at_once, left = p->count[0] - first;
    const int64_t         count = left < v->at_once ? left : v->at_once;
    const int64_t         at[3] = { first, group / v->groups % p->count[1], group / v->groups / p->count[1] };
    char                 *rows[2] = { workspace, workspace + PACKED * row }, *data[2];
    const char           *last = p->last;
    int64_t               stride[2], step[2];
    for (int i = 0; i < 2; i++) {
        data[i] = p->data[i] + at[0] * p->stride[0][i] + at[1] * p->stride[1][i] + at[2] * p->stride[2][i];
        stride[i] = v->side[i].packs ? (int64_t)row : p->stride[0][i];
        step[i] = v->side[i].packs ? tess__dtype_size(v->side[i].dtype) : p->step[i];
    }
    for (int k = 0; k < 3 && last; k++) last += at[k] * p->last_stride[k];
    if (v->side[0].packs) copy_vectors(v, 0, count, data[0], rows[0], false);
    for (int64_t i = 0; i < count; i++) {
        tess__fft_single s = { .plan = p->plan,
                               .kernels = v->kernels,
                               .workspaces = v->workspaces,
                               .in = (v->side[0].packs ? rows[0] : data[0]) + i * stride[0],
                               .out = (v->side[1].packs ? rows[1] : data[1]) + i * stride[1],
                               .workspace = v->at_once > 1 ? workspace + 2 * PACKED * row : workspace,
                               .si = step[0],
                               .so = step[1],
                               .real = p->what == TESS__FFT_FROM_REAL,
                               .backward = p->backward,
                               .scale = p->scale };
        tess__fft_run_vector(p, &s, last ? last + i * p->last_stride[0] : NULL);
    }
    if (v->side[1].packs) copy_vectors(v, 1, count, data[1], rows[1], true);
}

static void run_groups(void *context, int64_t first, int64_t last)
{
    const singles *v = context;
    char          *workspace = tess__workspace_acquire(v->workspaces);
    for (int64_t group = first; group < last; group++) run_group(v, group, workspace);
    tess__workspace_release(v->workspaces, workspace);
}

void tess__fft_run_tasks(const tess__fft_pass *p, const tess__fft_kernel *kernels, tess__workspaces *workspaces)
{
    singles v = { .pass = *p, .kernels = kernels, .workspaces = workspaces };
    tess__fft_choose_neighbours(&v.pass);
    for (int i = 0; i < 2; i++) v.side[i] = side_of(p, i, kernels->size);
    v.at_once = v.side[0].packs || v.side[1].packs ? PACKED : 1;
    v.groups = (v.pass.count[0] + v.at_once - 1) / v.at_once;
    const int64_t n = v.groups * v.pass.count[1] * v.pass.count[2];
    const double  cost = (p->plan->cost + 1) * (double)(p->n * v.at_once);
    tess__parallel(n, tess__grain(n, cost), run_groups, &v);
}
