/* Fast path of reductions to one result of a few contiguous chunks: the kernel and the epilogue alone, since calls on
 * few elements are frequent. */
#include "cpu/reduce/small.h"

#include <math.h>
#include <string.h>

#include "core/layout.h"
#include "core/minmax.h"
#include "cpu/runtime/stream.h"

enum { BATCH_CHUNKS = 16, INTERLEAVED_CHUNKS = 64 }; /* most for one call of a kernel; and interleaved */

/* ---- Chunks ---- */

static void merge_last(const tess__method *m, tess__waiting *w)
{
    tess__slot *last = w->slot + (int64_t)--w->top * m->slots;
    m->merge(last - m->slots, 1, last, 1);
}

/* `chunks` whole chunks, summed by one call of the kernel. */
static void add_sums(const tess__method *m, const void *x, const void *y, int64_t chunks, tess__waiting *w)
{
    double sum[BATCH_CHUNKS];
    m->sums(x, y, chunks, sum);
    for (int64_t i = 0; i < chunks; i++) {
        double all = sum[i];
        for (int64_t k = w->count++; k & 1; k >>= 1) all = w->slot[--w->top].f + all;
        w->slot[w->top++].f = all;
    }
}

/* INTERLEAVED_CHUNKS whole chunks, from element `at` of x on, with more behind them. */
__attribute__((noinline)) static void add_interleaved(const tess__method *m, const char *x, int64_t at,
                                                      tess__waiting *w)
{
    const int64_t size = tess__dtype_size(m->read[0]);
    tess__slot    state[INTERLEAVED_CHUNKS * TESS__STATE_SLOTS];
    for (int64_t i = 0; i < INTERLEAVED_CHUNKS; i++) {
        const int64_t c = tess__interleaved(i, INTERLEAVED_CHUNKS), first = at + c * TESS__CHUNK;
        m->prefetch(x + first * size, NULL, TESS__CHUNK, first, state + c * m->slots, 1);
    }
    for (int64_t c = 0; c < INTERLEAVED_CHUNKS; c++) {
        memcpy(w->slot + (int64_t)w->top++ * m->slots, state + c * m->slots, (size_t)m->slots * sizeof *state);
        for (int64_t k = w->count++; k & 1; k >>= 1) merge_last(m, w);
    }
}

void tess__add_contiguous_chunks(const tess__method *m, const char *const in[2], int64_t n, int64_t first, int64_t last,
                                 tess__waiting *w)
{
    const int64_t size = tess__dtype_size(m->read[0]), size_y = in[1] ? tess__dtype_size(m->read[1]) : 0;
    for (int64_t chunk = first, added = 1; chunk < last; chunk += added) {
        const int64_t at = chunk * TESS__CHUNK, left = n - at;
        const char   *x = in[0] + at * size, *y = in[1] ? in[1] + at * size_y : NULL;
        if (m->sums && left >= TESS__CHUNK) {
            added = tess__min(tess__min(left / TESS__CHUNK, last - chunk), BATCH_CHUNKS);
            add_sums(m, x, y, added, w);
            continue;
        }
        if (m->prefetch && !y && last - chunk > INTERLEAVED_CHUNKS) {
            added = INTERLEAVED_CHUNKS;
            add_interleaved(m, in[0], at, w);
            continue;
        }
        added = 1;
        tess__kernel_for(m, (left - TESS__CHUNK) * size)(x, y, tess__min(left, TESS__CHUNK), at,
                                                         w->slot + (int64_t)w->top++ * m->slots, 1);
        for (int64_t k = w->count++; k & 1; k >>= 1) merge_last(m, w);
    }
}

/* ---- Results ---- */

/* Canonical NaNs: the sign and payload of NaNs of sums depend on the processor. */
static void canonical_nans(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) x[i] = x[i] == x[i] ? x[i] : (double)NAN;
}

void tess__convert_results(const tess__method *m, int which, char *to, tess_dtype dtype, int64_t stride, double *values,
                           int64_t n)
{
    const tess_dtype wide = m->wide[which];
    if (wide == TESS_F64 || wide == TESS_C64) canonical_nans(values, wide == TESS_C64 ? 2 * n : n);
    if (n == 1 && wide == dtype) {
        if (wide == TESS_C64) memcpy(to, values, 16);
        else memcpy(to, values, 8);
        return;
    }
    const tess__conversion c = tess__conversion_of(wide, dtype, TESS__CLAMP, TESS_PART_ABS);
    const int64_t          strides[2] = { stride, 1 };
    char *const            p[2] = { to, (char *)values };
    c.row(p, strides, n, &c);
}

/* ---- One result ---- */

enum { SMALL = 64 * TESS__CHUNK, SMALL_LEVELS = 7 }; /* elements, and levels of the counter of their chunks */

/* Trivially copyable. */
typedef struct small_reduction {
    tess__method method;
    int64_t      n;
    const char  *in[2];
    void        *out[2]; /* NULL: not wanted */
    tess_dtype   dtype[2];
    tess_buffer *buffer[4]; /* of inputs and outputs; NULL: none */
} small_reduction;

/* A function of its own, so that one chunk has a small stack frame. */
__attribute__((noinline)) static void run_chunks(const small_reduction *r, tess__slot *to)
{
    tess__slot    s[SMALL_LEVELS * TESS__STATE_SLOTS];
    tess__waiting w = { s, 0, 0 };
    tess__add_contiguous_chunks(&r->method, r->in, r->n, 0, (r->n - 1) / TESS__CHUNK + 1, &w);
    while (w.top > 1) merge_last(&r->method, &w);
    memcpy(to, s, (size_t)r->method.slots * sizeof *s);
}

/* The same where order does not matter. */
__attribute__((noinline)) static void run_runs(const small_reduction *r, tess__slot *s)
{
    const tess__method *m = &r->method;
    const int64_t       size = tess__dtype_size(m->read[0]), size_y = r->in[1] ? tess__dtype_size(m->read[1]) : 0;
    for (int64_t at = 0; at < r->n && !tess__is_settled(m->op, s[0].i, at); at += TESS__LONG_RUN)
        m->fn(r->in[0] + at * size, r->in[1] ? r->in[1] + at * size_y : NULL, tess__min(r->n - at, TESS__LONG_RUN), at,
              s, 1);
}

static inline tess_status run_small(const void *payload, size_t size)
{
    const small_reduction *r = payload;
    const tess__method    *m = &r->method;
    tess__slot             s[TESS__STATE_SLOTS];
    (void)size;
    for (int w = 0; w < m->slots; w++) s[w] = m->neutral[w];
    if (m->ordered && r->n > TESS__CHUNK) run_chunks(r, s);
    else if (r->n > TESS__LONG_RUN) run_runs(r, s);
    else m->fn(r->in[0], r->in[1], r->n, 0, s, 1);
    for (int which = 0; which < 2; which++) {
        double values[2];
        if (!r->out[which]) continue;
        m->epilogue(m, which, (tess__states){ s, 1 }, 1, &r->n, 0, values);
        tess__convert_results(m, which, r->out[which], r->dtype[which], 1, values, 1);
    }
    return TESS_OK;
}

static void small_buffers(const void *payload, size_t size, void (*each)(tess_buffer *))
{
    const small_reduction *r = payload;
    (void)size;
    for (int k = 0; k < 4; k++) each(r->buffer[k]);
}

/* The number of elements, if the layout allows the fast path; otherwise 0. */
static int64_t small_size(const tess__reduce *work)
{
    if (work->n_items != 1 || work->skip_nan) return 0;
    for (int d = 0; d < 4 && work->axes != TESS_ALL_AXES; d++)
        if (work->shape.dim[d] != 1 && !(work->axes & TESS_B << d)) return 0;
    for (int k = 0; k < work->n_inputs; k++)
        if (!tess__same_sizes(&work->in[k].shape, &work->shape) || !tess__is_contiguous(&work->in[k]) ||
            work->in[k].flags & TESS_SCALAR)
            return 0;
    const int64_t n = tess__elements(&work->in[0]);
    return n <= SMALL ? n : 0;
}

/* False if the elements must be converted first, or are enough for several threads. */
static bool plan_small(small_reduction *r, const tess__reduce *work, int64_t n)
{
    const bool       two = work->n_inputs == 2;
    const tess_dtype stored[2] = { work->in[0].dtype, two ? work->in[1].dtype : TESS_DTYPE_NONE };
    tess__method_of(&r->method, work, 0);
    if (!tess__reads_directly(&r->method, stored, false)) return false;
    const double each = TESS__BYTE_NS * (double)tess__dtype_size(stored[0]) + tess__cost_of(&r->method, true);
    if (n > TESS__LONG_RUN && (double)n * each >= TESS__PARALLEL_MIN_NS) return false;
    r->n = n;
    r->in[0] = work->in[0].data;
    r->in[1] = two ? work->in[1].data : NULL;
    r->buffer[0] = work->in[0].buffer;
    r->buffer[1] = two ? work->in[1].buffer : NULL;
    for (int which = 0; which < 2; which++) {
        const tess_array *out = &work->item[0].out[which];
        r->out[which] = out->data;
        r->dtype[which] = out->data ? out->dtype : TESS_DTYPE_NONE;
        r->buffer[2 + which] = out->data ? out->buffer : NULL;
    }
    return true;
}

bool tess__reduce_small(tess_stream *stream, const tess__reduce *work, tess_status *status)
{
    small_reduction r;
    const int64_t   n = small_size(work);
    if (n == 0 || !plan_small(&r, work, n)) return false;
    *status = tess__submit(stream, run_small, &r, sizeof r, small_buffers);
    return true;
}
