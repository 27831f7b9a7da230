/* Multidimensional FFT on the CPU by the row-column method: one axis after the other. Rows and columns of an image are
 * transformed while it is in the cache: images are taken one by one, or, if they are small, in batches. */
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/fft/transform.h"
#include "cpu/runtime/pool.h"
#include "tessera/device.h"

enum { BATCH_BYTES = 256 << 10 }; /* of a batch of images */

/* A strided operand of complex or real numbers. Strides are in bytes. */
typedef struct operand {
    char   *data;
    int64_t stride[4];
} operand;

/* A region of an array: the vectors through it are transformed. */
typedef struct region {
    int64_t first[4], count[4];
} region;

typedef struct tour {
    tess__fft_transform *t;
    operand              in, out;
    operand              middle;    /* numbers between the first axis and the last; see make_middle */
    operand              last;      /* c2r: where the last coefficient of each row is meanwhile; data may be NULL */
    void                *workspace; /* memory of middle or last */
    int64_t              width;     /* of the complex numbers */
    int64_t              batch;     /* images of a batch, along `along` */
    int                  along;
} tour;

static operand operand_of(const tess_array *a)
{
    operand       at = { .data = a->data };
    const int64_t size = tess__dtype_size(a->dtype);
    for (int k = 0; k < 4; k++) at.stride[k] = a->strides.dim[k] * size;
    return at;
}

/* ---- One axis ---- */

static void run_axis(const tour *u, int axis, int what, const operand *from, const operand *to, const region *r)
{
    tess__fft_transform *t = u->t;
    tess__fft_pass       pass = { .plan = t->plan[axis],
                                  .n = t->shape[axis],
                                  .what = what,
                                  .backward = t->work->sign > 0,
                                  .scale = axis == t->scaled ? t->work->scale : 1,
                                  .data = { from->data, to->data },
                                  .step = { from->stride[axis], to->stride[axis] } };
    const bool           parted = what == TESS__FFT_HALF_TO_REAL && from == &u->middle && u->last.data;
    if (parted) pass.last = u->last.data;
    for (int k = 3, i = 0; k >= 0; k--) {
        if (k == axis) continue;
        pass.data[0] += r->first[k] * from->stride[k];
        pass.data[1] += r->first[k] * to->stride[k];
        pass.count[i] = r->count[k];
        pass.stride[i][0] = from->stride[k], pass.stride[i][1] = to->stride[k];
        if (parted) pass.last += r->first[k] * u->last.stride[k], pass.last_stride[i] = u->last.stride[k];
        i++;
    }
    if (t->tasks[axis]) tess__fft_run_tasks(&pass, t->kernels, &t->workspaces);
    else if (t->alone[axis]) tess__fft_run_singles(&pass, t->kernels, &t->workspaces, t->single_workspace);
    else tess__fft_run_pass(&pass, t->kernels, &t->workspaces);
}

/* A pass between complex numbers; the last column may be elsewhere. */
static void run_complex(const tour *u, int axis, const region *r)
{
    const tess__fft *w = u->t->work;
    const operand   *from = axis == u->t->first ? &u->in : &u->middle;
    const bool       real =
        axis == u->t->first && w->kind == TESS_FFT_C2C && tess_dtype_kind(w->in.dtype) != TESS_KIND_COMPLEX;
    const int what = real ? TESS__FFT_FROM_REAL : TESS__FFT_COMPLEX;
    if (!u->last.data) {
        run_axis(u, axis, what, from, &u->middle, r);
        return;
    }
    region columns = *r, column = *r;
    columns.count[W] = r->count[W] - 1;
    column.first[W] = r->count[W] - 1, column.count[W] = 1;
    run_axis(u, axis, what, from, &u->middle, &columns);
    run_axis(u, axis, what, from == &u->in ? from : &u->last, &u->last, &column);
}

/* ---- Images ---- */

static void run_images(const tour *u, const region *r)
{
    const tess__fft_transform *t = u->t;
    const int32_t              kind = t->work->kind;
    if (kind == TESS_FFT_R2C) run_axis(u, W, TESS__FFT_REAL_TO_HALF, &u->in, &u->out, r);
    if (kind == TESS_FFT_C2C && t->plan[W]) run_complex(u, W, r);
    if (t->plan[H]) run_complex(u, H, r);
    if (kind == TESS_FFT_C2R) run_axis(u, W, TESS__FFT_HALF_TO_REAL, t->first == W ? &u->in : &u->middle, &u->out, r);
}

static void run_batches(void *context, int64_t first, int64_t last)
{
    const tour    *u = context;
    const int64_t *shape = u->t->shape, batches = (shape[u->along] + u->batch - 1) / u->batch;
    for (int64_t i = first; i < last; i++) {
        const int64_t from = i % batches * u->batch, b = i / batches;
        region        r = { { 0, 0, 0, 0 }, { shape[B], shape[D], shape[H], u->width } };
        if (u->along == D) r.first[B] = b, r.count[B] = 1;
        r.first[u->along] = from;
        r.count[u->along] = shape[u->along] - from < u->batch ? shape[u->along] - from : u->batch;
        run_images(u, &r);
    }
}

/* Batches are the threads' tasks if there are enough; otherwise the threads divide each batch. One axis alone needs no
 * batches. */
static void run_all_images(tour *u)
{
    const tess__fft_transform *t = u->t;
    if (!t->plan[H] && !t->plan[W]) return;
    if (!t->plan[H] || !t->plan[W] || t->alone[W] || t->alone[H]) {
        const region all = { { 0, 0, 0, 0 }, { t->shape[B], t->shape[D], t->shape[H], u->width } };
        run_images(u, &all);
        return;
    }
    u->along = t->shape[D] > 1 ? D : B;
    const int     threads = tess_threads_get();
    const int64_t outer = u->along == D ? t->shape[B] : 1, bytes = t->shape[H] * u->width * 2 * t->kernels->size;
    const int64_t share = outer * t->shape[u->along] / (4 * (int64_t)threads);
    u->batch = tess__max(tess__min(BATCH_BYTES / bytes, share), 1);
    const int64_t batches = (t->shape[u->along] + u->batch - 1) / u->batch * outer;
    if (batches >= 2 * threads) tess__parallel(batches, 1, run_batches, u);
    else run_batches(u, 0, batches);
}

static void run_outer(const tour *u, int axis)
{
    const int64_t *shape = u->t->shape;
    const region   all = { { 0, 0, 0, 0 }, { shape[B], shape[D], shape[H], u->width } };
    if (u->t->plan[axis]) run_complex(u, axis, &all);
}

/* Real to real: each axis, in one pass over the whole array. */
static void run_real(const tour *u)
{
    const int64_t *shape = u->t->shape;
    const region   all = { { 0, 0, 0, 0 }, { shape[B], shape[D], shape[H], shape[W] } };
    for (int k = W; k >= B; k--)
        if (u->t->plan[k]) run_axis(u, k, TESS__FFT_REAL_TO_REAL, k == u->t->first ? &u->in : &u->out, &u->out, &all);
}

/* ---- The transform ---- */

/* Bytes for each thread, and for a vector that is transformed by itself. */
static void measure(const tess__fft_transform *t, size_t *workspace, size_t *single_workspace)
{
    *workspace = *single_workspace = 0;
    for (int k = 0; k < 4; k++) {
        if (!t->plan[k]) continue;
        const size_t more = tess__fft_pass_workspace(t->plan[k], t->kernels);
        const bool   odd = t->plan[k]->n % 2 && k == W && t->work->kind != TESS_FFT_C2C;
        const size_t whole = odd ? 2 * tess__aligned_size(t->plan[k]->n, 2 * t->kernels->size) : 0;
        const bool   packs = k != W || t->work->in.strides.w != 1 || t->work->out.strides.w != 1;
        const size_t task = t->tasks[k] ? tess__fft_task_workspace(t->plan[k], packs) + whole : more;
        const size_t single = t->alone[k] && !t->tasks[k] ? tess__fft_single_workspace(t->plan[k]) + whole : 0;
        *workspace = task > *workspace ? task : *workspace;
        *single_workspace = single > *single_workspace ? single : *single_workspace;
    }
}

/* A c2r that may not destroy its input keeps numbers elsewhere until the rows are done. */
static int64_t middle_width(const tess__fft_transform *t)
{
    const tess__fft *w = t->work;
    if (w->kind != TESS_FFT_C2R || t->first == W || w->overwrite || (w->in.data && w->in.data == w->out.data)) return 0;
    return w->out.strides.w == 1 && t->shape[W] > 1 ? 1 : w->in.shape.w;
}

/* Bytes that are needed whatever the number of threads. */
static size_t shared_bytes(const tess__fft_transform *t, size_t single_workspace)
{
    const int64_t vectors = t->shape[B] * t->shape[D] * t->shape[H];
    return single_workspace + tess__aligned_size(middle_width(t) * vectors, 2 * t->kernels->size);
}

size_t tess__fft_workspace(const tess__fft_transform *t)
{
    size_t workspace, single_workspace;
    measure(t, &workspace, &single_workspace);
    return workspace + shared_bytes(t, single_workspace);
}

/* Workspace of all threads that can be at work: a pass has no more tasks than blocks. */
static int64_t max_tasks(const tess__fft_transform *t)
{
    int64_t max = 1, all = 1;
    for (int k = 0; k < 4; k++) all *= t->shape[k] > 0 ? t->shape[k] : 1;
    for (int k = 0; k < 4; k++) {
        const int64_t vectors = all / tess__max(t->shape[k], 1), blocks = vectors / t->kernels->lanes + 1;
        const int64_t tasks = !t->plan[k] ? 1 : t->tasks[k] ? vectors : t->alone[k] ? t->shape[k] : blocks;
        if (tasks > max) max = tasks;
    }
    return max;
}

static atomic_int_fast64_t workspace_limit; /* 0: none */

tess_status tess_fft_workspace_limit_set(int64_t bytes)
{
    TESS_CHECK(bytes >= 0, TESS_EARG, "fft_workspace_limit_set: `bytes` is %" PRId64 "; 0 (no limit) or more is needed",
               bytes);
    atomic_store(&workspace_limit, bytes);
    return TESS_OK;
}

/* Where a c2r keeps its numbers until the rows are done: in its input if that may be destroyed, in the rows of its
 * output, which take all but the last column and do not overlap, or else in memory of their own. Others have the
 * output. */
static bool make_middle(tour *u)
{
    const tess__fft_transform *t = u->t;
    const int64_t              size = t->kernels->size, *shape = t->shape;
    const int64_t              width = middle_width(t);
    u->middle = u->out;
    if (!width) {
        if (t->work->kind == TESS_FFT_C2R) u->middle = u->in;
        return true;
    }
    const bool rows = width < u->width;
    operand    own = { .stride = { 0, 0, 0, 2 * size } };
    own.stride[H] = width * 2 * size;
    own.stride[D] = own.stride[H] * shape[H];
    own.stride[B] = own.stride[D] * shape[D];
    u->workspace = tess__alloc((size_t)(own.stride[B] * shape[B]));
    own.data = u->workspace;
    if (rows) own.stride[W] = 0, u->last = own, u->middle.stride[W] = 2 * size;
    else u->middle = own;
    return u->workspace != NULL;
}

static void run_axes(tour *u)
{
    const bool back = u->t->work->kind == TESS_FFT_C2R;
    if (back) run_outer(u, B), run_outer(u, D);
    run_all_images(u);
    if (!back) run_outer(u, D), run_outer(u, B);
}

static tess_status run_tour(tour *u)
{
    tess__fft_transform *t = u->t;
    const char          *fn = t->work->name;
    const int64_t        limit = atomic_load(&workspace_limit);
    size_t               workspace, single_workspace;
    measure(t, &workspace, &single_workspace);
    const size_t shared = shared_bytes(t, single_workspace), needed = workspace + shared;
    TESS_CHECK(!limit || needed <= (size_t)limit, TESS_ENOMEM,
               "%s: %zu bytes of workspace are needed; `tess_fft_workspace_limit_set` allows %" PRId64, fn, needed,
               limit);
    /* The limit may allow the workspaces of fewer threads than there are. */
    int64_t tasks = max_tasks(t);
    if (limit && workspace && ((size_t)limit - shared) / workspace < (size_t)tasks)
        tasks = (int64_t)(((size_t)limit - shared) / workspace);
    t->single_workspace = single_workspace ? tess__fft_workspace_acquire(single_workspace) : NULL;
    const bool made = make_middle(u) && (!single_workspace || t->single_workspace) &&
                      (!workspace || tess__workspaces_make(&t->workspaces, workspace, tasks));
    if (made) {
        if (t->work->kind == TESS__FFT_R2R) run_real(u);
        else run_axes(u);
        if (workspace) tess__workspaces_free(&t->workspaces);
    }
    tess__fft_workspace_release(t->single_workspace);
    tess__free(u->workspace);
    TESS_CHECK(made, TESS_ENOMEM, "%s: no memory for %zu bytes of workspace", fn, needed);
    return TESS_OK;
}

tess_status tess__cpu_fft(const tess__fft *w)
{
    tess__fft_transform t;
    tess_status         status = tess__fft_begin(&t, w);
    if (status == TESS_OK) {
        tour u = { .t = &t, .in = operand_of(&w->in), .out = operand_of(&w->out) };
        u.width = (w->kind == TESS_FFT_C2R ? w->in : w->out).shape.w;
        status = run_tour(&u);
    }
    tess__fft_end(&t);
    return status;
}
