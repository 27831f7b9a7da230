/* Take (gather) and put (scatter) by indices along an axis or through a whole array.
 *
 * Both check all indices before they write anything. Take is a loop over rows of the result: its indices become
 * offsets, then the elements at these are gathered; arrays of different layouts go by tiles (take_tiles.c). Put
 * processes each vector along the axis in order, which matters.
 */
#include <stdatomic.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/data_errors.h"
#include "core/dtype.h"
#include "core/device/memory.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/index/take_tiles.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "cpu/tuning.h"

enum {
    BLOCK = 512,      /* indices of a block */
    CHUNK_MAX = 16384 /* bytes of contiguous elements that are moved as one */
};

/* Estimated nanoseconds of an index. */
#define INDEX_NS 1.0

/* How indices are read. */
typedef struct reader {
    tess__conversion conversion;
    bool             direct; /* i64 */
    int64_t          size;   /* bytes of an index */
    int64_t          n;      /* of the axis, or the array */
    tess__whole      whole;
} reader;

static reader reader_of(const tess__take_put *work)
{
    reader r = { .direct = work->indices.dtype == TESS_I64,
                 .size = tess__dtype_size(work->indices.dtype),
                 .n = tess__take_put_target(work)->shape.dim[work->axis],
                 .whole = work->whole };
    if (r.direct) r.conversion.row = tess__cpu_kernels()->memory.copy[tess__size_class(r.size)];
    else r.conversion = tess__conversion_of(work->indices.dtype, TESS_I64, TESS__CLAMP, TESS_PART_DEFAULT);
    return r;
}

/* n indices as i64: in place, or converted into the buffer. */
static const int64_t *read_indices(const reader *r, int64_t *buffer, const char *from, int64_t stride, int64_t n)
{
    if (r->direct && stride == 1) return (const int64_t *)(const void *)from;
    const int64_t strides[2] = { 1, stride };
    char *const   p[2] = { (char *)buffer, (char *)(uintptr_t)from };
    r->conversion.row(p, strides, n, &r->conversion);
    return buffer;
}

/* n valid indices, as indices along the axis; of a whole array, as offsets. */
static const int64_t *read_offsets(const reader *r, int64_t *buffer, const char *from, int64_t stride, int64_t n)
{
    const int64_t *indices = read_indices(r, buffer, from, stride, n);
    if (r->whole.dims == 0) return indices;
    tess__cpu_kernels()->index.whole_offsets(buffer, indices, n, r->n, &r->whole);
    return buffer;
}

/* ---- Checks ---- */

typedef struct checker {
    reader      r;
    atomic_bool bad;
} checker;

/* Number of the first index of a row that is out of range; n if none is. */
static int64_t first_bad(const reader *r, const char *from, int64_t stride, int64_t n)
{
    int64_t buffer[BLOCK];
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t  m = n - i < BLOCK ? n - i : BLOCK;
        const int64_t *indices = read_indices(r, buffer, from + i * stride * r->size, stride, m);
        const int64_t  at = tess__cpu_kernels()->index.bad_index(indices, m, r->n);
        if (at < m) return i + at;
    }
    return n;
}

static void check_row(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    const checker *c = param;
    if (first_bad(&c->r, p[0], s[0], n) < n)
        atomic_store_explicit(&((checker *)(uintptr_t)c)->bad, true, memory_order_relaxed);
}

/* The first in b, d, h, w order, for the message. */
static tess_status find_bad(const tess__take_put *work, const reader *r)
{
    const tess_array *p = &work->indices;
    for (int64_t row = 0; row < p->shape.b * p->shape.d * p->shape.h; row++) {
        const int64_t b = row / p->shape.h / p->shape.d, d = row / p->shape.h % p->shape.d, h = row % p->shape.h;
        const char   *from = (char *)p->data + (b * p->strides.b + d * p->strides.d + h * p->strides.h) * r->size;
        const int64_t w = first_bad(r, from, p->strides.w, p->shape.w);
        if (w < p->shape.w) TESS_TRY(tess__fail_index(work, row * p->shape.w + w, from + w * p->strides.w * r->size));
    }
    return TESS_OK;
}

static tess_status check_indices(const tess__take_put *work, const reader *r)
{
    const tess_array *operands[1] = { &work->indices };
    checker           c = { .r = *r };
    tess__loop        loop;
    tess__plan(&loop, work->indices.shape, operands, 1);
    tess__run_rows(&loop, check_row, &c, INDEX_NS);
    if (atomic_load(&c.bad)) TESS_TRY(find_bad(work, r));
    return TESS_OK;
}

/* ---- Take ---- */

typedef struct take {
    reader           r;
    tess__gather_fn *gather;
    tess__pick_fn   *pick; /* NULL: the axis is not contiguous */
    int64_t          size; /* bytes of an element, or of a run of them */
    int64_t          step; /* bytes along the axis of the input */
} take;

/* One index for the whole row: a copy. */
static void take_slice(char *const *p, const int64_t *s, int64_t n, const take *t)
{
    int64_t        number[1], start[1], offset[BLOCK];
    const int64_t *index = read_offsets(&t->r, number, p[2], 1, 1);
    tess__cpu_kernels()->index.offsets(start, index, 1, t->r.n, t->step, 0);
    const char *in = p[1] + start[0];
    if (s[0] == t->size && s[1] == t->size) {
        memcpy(p[0], in, (size_t)(n * t->size));
        return;
    }
    for (int64_t i = 0; i < n && i < BLOCK; i++) offset[i] = i * s[1];
    for (int64_t i = 0; i < n; i += BLOCK)
        t->gather(p[0] + i * s[0], s[0], in + i * s[1], offset, n - i < BLOCK ? n - i : BLOCK, t->size);
}

/* A row of the result; strides of the result and of the input are in bytes. */
static void take_row(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    const take *t = param;
    int64_t     buffer[BLOCK], offset[BLOCK];
    if (s[2] == 0) {
        take_slice(p, s, n, t);
        return;
    }
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t  m = n - i < BLOCK ? n - i : BLOCK;
        const int64_t *indices = read_offsets(&t->r, buffer, p[2] + i * s[2] * t->r.size, s[2], m);
        if (t->pick && s[0] == t->size && s[1] == 0) {
            t->pick(p[0] + i * s[0], p[1], indices, m, t->r.n);
            continue;
        }
        tess__cpu_kernels()->index.offsets(offset, indices, m, t->r.n, t->step, s[1]);
        t->gather(p[0] + i * s[0], s[0], p[1] + i * s[1], offset, m, t->size);
    }
}

/* Strides of the first two operands become bytes. */
static void count_in_bytes(tess__loop *loop)
{
    for (int k = 0; k < 2; k++) {
        for (int d = 0; d < loop->n_dims; d++) loop->stride[k][d] *= loop->size[k];
        loop->size[k] = 1;
    }
}

/* Dimensions that are contiguous in both operands and have one index become part of the element, up to `max` bytes;
 * returns the element's bytes. */
static int64_t fold(tess__loop *loop, int64_t size, int64_t max)
{
    for (int last = loop->n_dims - 1; last >= 0; last--) {
        const bool one_index = loop->n_operands < 3 || loop->stride[2][last] == 0;
        if (!one_index || loop->stride[0][last] != size || loop->stride[1][last] != size) break;
        if (size * loop->shape[last] > max) break;
        size *= loop->shape[last];
        loop->n /= loop->shape[last];
        loop->n_dims = last;
    }
    if (loop->n_dims == 0) {
        loop->n_dims = 1;
        loop->shape[0] = 1;
        for (int k = 0; k < loop->n_operands; k++) loop->stride[k][0] = 0;
    }
    return size;
}

/* Layouts that differ: by tiles. False: it is done along rows, also for want of memory for the offsets. */
static bool take_by_tiles(const tess__loop *loop, const take *t, double cost)
{
    tess__take_tiles tiles;
    if (!tess__take_tiles_plan(&tiles, loop, t->size, t->step)) return false;
    const int64_t n = loop->shape[tiles.axis], stride = loop->stride[2][tiles.axis];
    int64_t       buffer[BLOCK], *offset = tess__alloc((size_t)n * sizeof *offset);
    if (!offset) return false;
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t  m = n - i < BLOCK ? n - i : BLOCK;
        const int64_t *indices = read_indices(&t->r, buffer, loop->data[2] + i * stride * t->r.size, stride, m);
        tess__cpu_kernels()->index.offsets(offset + i, indices, m, t->r.n, t->step, 0);
    }
    tiles.offset = offset;
    tess__take_tiles_run(&tiles, cost);
    tess__free(offset);
    return true;
}

static void run_take(const tess__take_put *work, const reader *r)
{
    tess_array        slice = work->in;
    const tess_array *operands[3] = { &work->out, &slice, &work->indices };
    tess__loop        loop;
    take              t = { .r = *r, .size = tess__dtype_size(work->in.dtype) };
    t.step = work->in.strides.dim[work->axis] * t.size;
    slice.shape.dim[work->axis] = 1;
    tess__plan(&loop, work->out.shape, operands, 3);
    if (loop.n == 0) return;
    count_in_bytes(&loop);
    t.size = fold(&loop, t.size, CHUNK_MAX);
    const int class = tess__size_class(t.size);
    t.gather = tess__cpu_kernels()->index.gather[class];
    if (t.step == t.size && class != TESS__ANY_SIZE) t.pick = tess__cpu_kernels()->index.pick[class];
    const double cost = INDEX_NS + 2 * TESS__BYTE_NS * (double)t.size;
    if (work->whole.dims || !take_by_tiles(&loop, &t, cost)) tess__run_rows(&loop, take_row, &t, cost);
}

/* ---- Put ---- */

typedef struct put {
    tess__loop        loop; /* over vectors along the axis */
    tess__scatter_fn *scatter;
    tess__add_at_fn  *add;
    int64_t           n;             /* indices of the block */
    int64_t           size;          /* bytes of an element */
    int64_t           along;         /* bytes along the axis of the input */
    int64_t           real;          /* bytes of a real */
    int64_t           tasks;         /* tasks that an element is divided into */
    int64_t           offset[BLOCK]; /* of some indices, in bytes */
} put;

/* Elements of more bytes than this are put in several tasks. */
enum { TASK_BYTES = 4096 };

static void put_vectors(void *context, int64_t first, int64_t last)
{
    const put        *t = context;
    const tess__loop *loop = &t->loop;
    for (int64_t item = first; item < last; item++) {
        const int64_t from = item % t->tasks * TASK_BYTES;
        int64_t       vector = item / t->tasks, size = t->size - from;
        char         *out = loop->data[0] + from, *in = loop->data[1] + from;
        for (int d = loop->n_dims - 1; d >= 0; d--) {
            out += vector % loop->shape[d] * loop->stride[0][d];
            in += vector % loop->shape[d] * loop->stride[1][d];
            vector /= loop->shape[d];
        }
        if (size > TASK_BYTES) size = TASK_BYTES;
        if (t->add) t->add(out, t->offset, in, t->along, t->n, size / t->real);
        else if (size == t->size) t->scatter(out, t->offset, in, t->along, t->n, size);
        else tess__cpu_kernels()->index.scatter[TESS__ANY_SIZE](out, t->offset, in, t->along, t->n, size);
    }
}

/* Blocks of indices one after the other, each for all vectors. */
static void put_indices(put *t, const tess__take_put *work, const reader *r)
{
    int64_t       buffer[BLOCK];
    const int64_t n = work->indices.shape.dim[work->axis], items = t->loop.n * t->tasks;
    const int64_t stride = n == 1 ? 0 : work->indices.strides.dim[work->axis];
    const int64_t step = work->out.strides.dim[work->axis] * tess__dtype_size(work->out.dtype);
    const double  cost = INDEX_NS + 2 * TESS__BYTE_NS * (double)t->size / (double)t->tasks;
    for (int64_t i = 0; i < n && !tess__cancelled(); i += BLOCK) {
        t->n = n - i < BLOCK ? n - i : BLOCK;
        const int64_t *indices =
            read_offsets(r, buffer, (char *)work->indices.data + i * stride * r->size, stride, t->n);
        tess__cpu_kernels()->index.offsets(t->offset, indices, t->n, r->n, step, 0);
        tess__parallel(items, tess__grain(items, cost * (double)t->n), put_vectors, t);
        t->loop.data[1] += t->n * t->along;
    }
}

static void run_put(const tess__take_put *work, const reader *r)
{
    const int         axis = work->axis;
    tess_array        slices[2] = { work->out, work->in };
    const tess_array *operands[2] = { &slices[0], &slices[1] };
    put               t = { .size = tess__dtype_size(work->out.dtype) };
    t.along = work->in.shape.dim[axis] == 1 ? 0 : work->in.strides.dim[axis] * t.size;
    t.real = tess__dtype_alignment(work->out.dtype);
    for (int k = 0; k < 2; k++) slices[k].shape.dim[axis] = 1;
    tess__plan(&t.loop, slices[0].shape, operands, 2);
    if (t.loop.n == 0) return;
    count_in_bytes(&t.loop);
    t.size = fold(&t.loop, t.size, INT64_MAX);
    t.tasks = (t.size - 1) / TASK_BYTES + 1;
    t.scatter = tess__cpu_kernels()->index.scatter[tess__size_class(t.size)];
    if (work->kind == TESS__PUT_ADD) t.add = tess__cpu_kernels()->index.add_at[tess_dtype_real(work->out.dtype)];
    put_indices(&t, work, r);
}

/* ---- Entry ---- */

tess_status tess__cpu_take_put(const tess__take_put *work)
{
    const reader r = reader_of(work);
    TESS_TRY(check_indices(work, &r));
    if (tess__cancelled()) return TESS_OK; /* unchecked indices may lead anywhere */
    if (work->kind == TESS__TAKE) run_take(work, &r);
    else run_put(work, &r);
    return TESS_OK;
}
