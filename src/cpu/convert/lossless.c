/* Round-trip check of lossless casts: converted there and back by the cast kernels themselves, a block at a time.
 *
 * A cast is lossless if the value comes back the same both when clamped and when wrapped on the way: each alone is
 * fooled by limits that round (2^31 as f32 is clamped to 2147483647, and that is 2^31 again as f32).
 */
#include "cpu/convert/convert.h"

#include "core/dtype.h"
#include "core/check/data_errors.h"
#include "cpu/isa.h"
#include "cpu/runtime/schedule.h"

enum { BLOCK = 256 };

typedef struct checker {
    tess__row_fn    *load; /* a row into a block */
    tess__row_fn    *there[TESS__CAST_MODES], *back;
    tess__differ_fn *differ;
    int64_t          size;  /* bytes of a real */
    int64_t          step;  /* reals between elements of stride 1: 2 for complex */
    int              parts; /* reals of an element that are compared */
    atomic_bool      changed;
} checker;

/* Index of the first element of a row of reals that would change; n if none. */
static int64_t first_changed(const checker *c, char *row, int64_t stride, int64_t n)
{
    static const int64_t ones[2] = { 1, 1 };
    _Alignas(64) double  value[BLOCK], converted[BLOCK], returned[BLOCK];
    const int64_t        strides[2] = { 1, stride };
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        c->load((char *[]){ (char *)value, row + i * stride * c->size }, strides, m, NULL);
        int64_t same = m;
        for (int mode = 0; mode < TESS__CAST_MODES; mode++) {
            c->there[mode]((char *[]){ (char *)converted, (char *)value }, ones, m, NULL);
            c->back((char *[]){ (char *)returned, (char *)converted }, ones, m, NULL);
            const int64_t at = c->differ(value, returned, m);
            if (at < same) same = at;
        }
        if (same < m) return i + same;
    }
    return n;
}

static int64_t first_changed_element(const checker *c, char *row, int64_t stride, int64_t n)
{
    int64_t first = n;
    for (int part = 0; part < c->parts; part++) {
        const int64_t at = first_changed(c, row + part * c->size, stride * c->step, n);
        if (at < first) first = at;
    }
    return first;
}

static void check_row(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    const checker *c = param;
    if (atomic_load_explicit(&c->changed, memory_order_relaxed)) return; /* one is enough */
    if (first_changed_element(c, p[1], s[1], n) < n)
        atomic_store_explicit(&((checker *)(uintptr_t)c)->changed, true, memory_order_relaxed);
}

/* Names the first position in b, d, h, w order in the message. */
static tess_status name_position(const tess__ewise *work, const checker *c)
{
    const tess_array *in = &work->param.source;
    const int64_t     size = tess__dtype_size(in->dtype);
    for (int64_t row = 0; row < in->shape.b * in->shape.d * in->shape.h; row++) {
        const int64_t h = row % in->shape.h, d = row / in->shape.h % in->shape.d, b = row / in->shape.h / in->shape.d;
        char         *at = (char *)in->data + (b * in->strides.b + d * in->strides.d + h * in->strides.h) * size;
        const int64_t w = first_changed_element(c, at, in->strides.w, in->shape.w);
        if (w == in->shape.w) continue;
        const int64_t position[4] = { b, d, h, w };
        TESS_TRY(tess__reject_inexact(work->name, position, at + w * in->strides.w * size, in->dtype, work->to));
    }
    return TESS_OK;
}

tess_status tess__check_lossless(const tess__ewise *work)
{
    const tess__kernels *k = tess__cpu_kernels();
    const tess_dtype     from = tess_dtype_real(work->from), to = tess_dtype_real(work->to);
    const bool           complex = tess_dtype_kind(work->from) == TESS_KIND_COMPLEX;
    checker              c = { .back = k->convert.cast[TESS__WRAP][to][from],
                               .differ = k->convert.differ[from],
                               .size = tess__dtype_size(from),
                               .step = complex ? 2 : 1,
                               .parts = complex ? 2 : 1 };
    c.load = k->memory.copy[tess__size_class(c.size)];
    c.there[TESS__CLAMP] = k->convert.cast[TESS__CLAMP][from][to];
    c.there[TESS__WRAP] = k->convert.cast[TESS__WRAP][from][to];
    tess__run_rows(&work->loop, check_row, &c, 2.0);
    if (atomic_load(&c.changed)) TESS_TRY(name_position(work, &c));
    return TESS_OK;
}
