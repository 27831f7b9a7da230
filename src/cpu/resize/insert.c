/* Insertion on the CPU: sub-regions written into an array, or added to it, tile by tile.
 *
 * The array is divided into tiles, a task each, and every tile takes its parts of the sub-regions in their order: so
 * the last one stands, and sums are added up in the same order, whatever the number of threads.
 */
#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/array/layout.h"
#include "core/device/memory.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/resize/tiling.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "tessera/device.h"

/* Estimated time of an element, in nanoseconds. */
#define COST 0.5

enum {
    TILES_PER_THREAD = 4,
    SHORT = 16,          /* elements of a row; shorter ones may be merged with their neighbours */
    PREFETCH = 8,        /* rows */
    LINE = 64,           /* bytes of a cache line */
    MAX_PREFETCH = 2048, /* bytes; in longer rows, the hardware prefetches */
};

typedef struct insertion {
    const tess__insert *work;
    tess__tiling        tiling;
    tess__position     *positions;
    tess__bucketed      bucketed;
} insertion;

/* The part of an array from `from` on, `shape` elements. */
static tess_array part_of(const tess_array *a, const int64_t from[4], tess_shape shape)
{
    tess_array part = *a;
    part.shape = shape;
    for (int k = 0; k < 4; k++)
        part.data = (char *)part.data + from[k] * a->strides.dim[k] * tess__dtype_size(a->dtype);
    return part;
}

/* The real or imaginary parts of a complex array; a real array itself. */
static tess_array real_part(const tess_array *a, int part)
{
    tess_array real = *a;
    real.dtype = tess_dtype_real(a->dtype);
    if (real.dtype == a->dtype) return real;
    real.data = (char *)real.data + part * tess__dtype_size(real.dtype);
    for (int k = 0; k < 4; k++) real.strides.dim[k] *= 2;
    return real;
}

/* ---- Rows ---- */

/* Prefetches a row of the output, since its rows lie far apart. */
static void prefetch_row(char *row, int64_t bytes)
{
    for (int64_t at = 0; at < bytes; at += LINE) __builtin_prefetch(row + at, 1, 2);
    __builtin_prefetch(row + bytes - 1, 1, 2);
}

/* Rows of up to 4 arrays of one shape, whose last axis is the row; the first one is written. */
typedef void row_fn(char *const *p, const int64_t *strides, int64_t n, const void *param);

static void each_row(const tess_array *const *a, int n_arrays, row_fn *row, const void *param)
{
    const tess_shape *shape = &a[0]->shape;
    const int64_t     n = shape->w, prefetch = PREFETCH * a[0]->strides.h * tess__dtype_size(a[0]->dtype);
    const int64_t     span = n * tess__magnitude(a[0]->strides.w) * tess__dtype_size(a[0]->dtype);
    int64_t           strides[4], size[4];
    for (int k = 0; k < n_arrays; k++) {
        strides[k] = a[k]->strides.w;
        size[k] = tess__dtype_size(a[k]->dtype);
    }
    for (int64_t at = 0; at < shape->b * shape->d; at++)
        for (int64_t h = 0; h < shape->h; h++) {
            char *p[4];
            for (int k = 0; k < n_arrays; k++) {
                const tess_strides *s = &a[k]->strides;
                p[k] = (char *)a[k]->data + (at / shape->d * s->b + at % shape->d * s->d + h * s->h) * size[k];
            }
            if (h + PREFETCH < shape->h && span <= MAX_PREFETCH) prefetch_row(p[0] + prefetch, span);
            row(p, strides, n, param);
        }
}

/* Rows along w that are contiguous where they are written. */
static bool has_rows(const tess_array *out, const tess_array *in, int64_t step)
{
    return out->shape.w >= SHORT && out->strides.w == step && in->strides.w == step;
}

static void copy_row(char *const *p, const int64_t *strides, int64_t n, const void *param)
{
    (void)strides;
    tess__copy_row(p[0], p[1], n * ((const tess__element *)param)->size);
}

static void put(const tess_array *out, const tess_array *in)
{
    const tess__element element = { .size = tess__dtype_size(out->dtype) };
    if (has_rows(out, in, 1)) {
        each_row((const tess_array *[]){ out, in }, 2, copy_row, &element);
        return;
    }
    tess__loop loop;
    tess__plan(&loop, out->shape, (const tess_array *[]){ out, in }, 2);
    tess__cpu_copy(&loop);
}

static bool converts(const tess__apply *o, int n)
{
    for (int k = 0; k < n; k++)
        if (o->stored[k] != o->wanted[k] || o->scalar[k]) return true;
    return false;
}

/* out = out + in, or out + in * weights. */
static void add(const tess__apply *operate, const tess_array *out, const tess_array *in, const tess_array *weights)
{
    const tess_array *operands[4] = { out, in, weights ? weights : out, out };
    const int         n = weights ? 4 : 3;
    if (!converts(operate, n) && has_rows(out, in, out->strides.w)) {
        const tess__element element = { .size = tess__dtype_size(operate->kernel) };
        each_row(operands, n, tess__cpu_kernels()->ewise.op[operate->op][operate->kernel], &element);
        return;
    }
    tess__ewise work;
    work.name = "insert";
    work.kind = TESS__APPLY;
    work.param.operate = *operate;
    tess__plan(&work.loop, out->shape, operands, n);
    tess__cpu_apply(&work);
}

static void add_parts(const tess__insert *work, const tess_array *out, const tess_array *in, const tess_array *weights)
{
    const int parts = tess_dtype_kind(out->dtype) == TESS_KIND_COMPLEX ? 2 : 1;
    for (int part = 0; part < parts; part++) {
        const tess_array to = real_part(out, part), from = real_part(in, part);
        add(&work->sum, &to, &from, weights);
    }
}

/* The part of the sub-region at `p` that lies between `low` and `high`. */
static void insert_one(const tess__insert *work, const tess__position *p, const int64_t low[4], const int64_t high[4])
{
    int64_t    from[4], to[4];
    tess_shape shape;
    for (int k = 0; k < 4; k++) {
        const int64_t size = k ? work->in.shape.dim[k] : 1, at = p->at[k];
        const int64_t first = at > low[k] ? at : low[k], last = at + size < high[k] ? at + size : high[k];
        if (first >= last) return;
        to[k] = first;
        from[k] = k ? first - at : p->number;
        shape.dim[k] = last - first;
    }
    const tess_array out = part_of(&work->out, to, shape), in = part_of(&work->in, from, shape);
    if (!work->add) {
        put(&out, &in);
        return;
    }
    const tess_array one = { .shape = { { 1, 1, 1, 1 } }, .dtype = work->weight_sums.dtype }; /* it is in weights_sum */
    const tess_array weights = work->weights.data ? part_of(&work->weights, from, shape) : one;
    add_parts(work, &out, &in, work->weights.data ? &weights : NULL);
    if (!work->weight_sums.data) return;
    const tess_array sums = part_of(&work->weight_sums, to, shape);
    add(&work->weights_sum, &sums, &weights, NULL);
}

static void fill_tiles(void *context, int64_t first, int64_t last)
{
    const insertion    *s = context;
    const tess__tiling *t = &s->tiling;
    for (int64_t tile = first; tile < last; tile++) {
        int64_t low[4], high[4], outer = tile;
        for (int k = 3; k >= 0; k--) {
            const int64_t end = s->work->out.shape.dim[k];
            low[k] = outer % t->n[k] * t->size[k];
            high[k] = end - low[k] < t->size[k] ? end : low[k] + t->size[k];
            outer /= t->n[k];
        }
        for (int64_t i = s->bucketed.first[tile]; i < s->bucketed.first[tile + 1]; i++)
            insert_one(s->work, &s->positions[s->bucketed.index[i]], low, high);
    }
}

/* One tile where little is inserted: more would cost more than they save. */
static void cut(insertion *s, const int64_t window[4], int64_t n)
{
    const tess__insert *work = s->work;
    const int64_t       elements = window[1] * window[2] * window[3];
    const int64_t       bytes =
        tess__dtype_size(work->out.dtype) + (work->weight_sums.data ? tess__dtype_size(work->weight_sums.dtype) : 0);
    const bool shared = tess__grain(n, COST * (double)elements) < n,
               large = elements * n * bytes >= TESS__PREFETCH_MIN_BYTES;
    const int64_t min = shared ? TILES_PER_THREAD * (int64_t)tess_threads_get() : 1;
    s->tiling = tess__cut_into_tiles(&work->out.shape, large ? window : work->out.shape.dim, bytes, min,
                                     large ? TESS__TILES_PER_WINDOW * n : min);
}

static void insert_all(insertion *s, const int64_t window[4], int64_t max)
{
    const tess__insert *work = s->work;
    const int64_t       n = work->in.shape.b;
    for (int64_t first = 0; first < n && !tess__cancelled(); first += max) {
        const int64_t count = n - first < max ? n - first : max;
        tess__read_origins(s->positions, &work->origins, first, count, work->out.shape.b);
        tess__scatter_to_buckets(&s->bucketed, &s->tiling, window, s->positions, count);
        tess__parallel(tess__count_tiles(&s->tiling), 1, fill_tiles, s);
    }
}

tess_status tess__cpu_insert(const tess__insert *work)
{
    const tess_shape *in = &work->in.shape;
    const int64_t     window[4] = { 1, in->d, in->h, in->w }, max = in->b < TESS__ORIGINS ? in->b : TESS__ORIGINS;
    insertion         s = { .work = work };
    tess_status       status = TESS_OK;
    cut(&s, window, in->b);
    TESS_GOTO(done, status, tess__list_positions(work->name, &s.positions, max));
    TESS_GOTO(done, status, tess__list_tiles(work->name, &s.bucketed, &s.tiling, window, max));
    insert_all(&s, window, max);
done:
    tess__free(s.bucketed.first);
    tess__free(s.positions);
    return status;
}
