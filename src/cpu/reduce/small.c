/* Fast path of reductions to one result of a few contiguous chunks: the kernel and the epilogue alone, since calls on
 * few elements are frequent. */
#include <string.h>

#include "core/array/layout.h"
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/reduce/reduce.h"
#include "cpu/runtime/stream.h"
#include "cpu/template.h"

enum { SMALL = 64 * TESS__CHUNK, SMALL_LEVELS = 7 }; /* elements, and levels of the counter of their chunks */

/* Trivially copyable. */
typedef struct small_reduction {
    tess__tree_item item;
    int64_t         n;
    const char     *in[2];
    int64_t         size[2]; /* of their elements; 0 of one that is not there */
    void           *out[2];  /* NULL: not wanted */
    tess_dtype      dtype[2];
    tess_buffer    *buffer[4]; /* of inputs and outputs; NULL: none */
} small_reduction;

/* A function of its own, so that one chunk has a small stack frame. */
TESS_NOINLINE static void run_chunks(const small_reduction *r, tess__slot *to)
{
    const tess__method *m = &r->item.method;
    tess__slot          s[SMALL_LEVELS * TESS__STATE_SLOTS];
    tess__tree          tree = { .item = &r->item, .n_items = 1, .slots = m->slots, .slot = s };
    tess__tree_begin(&tree, 1);
    tess__add_contiguous(&tree, &(tess__chunks){ r->in[0], r->in[1], r->n, 0, TESS__CHUNK, false }, r->size);
    tess__tree_end(&tree);
    memcpy(to, s, (size_t)m->slots * sizeof *s);
}

static inline tess_status run_small(const void *payload, size_t size)
{
    const small_reduction *r = payload;
    const tess__method    *m = &r->item.method;
    tess__slot             s[TESS__STATE_SLOTS];
    (void)size;
    for (int w = 0; w < m->slots; w++) s[w] = m->neutral[w];
    if (m->ordered && r->n > TESS__CHUNK) run_chunks(r, s);
    else
        for (int64_t at = 0, n; at < r->n && !tess__is_settled(m->op, s[0].i, at); at += n) {
            n = tess__min(r->n - at, TESS__LONG_RUN);
            m->kernel.chunks(&(tess__chunks){ r->in[0] + at * r->size[0], r->in[1] ? r->in[1] + at * r->size[1] : NULL,
                                              n, at, TESS__CHUNK, false },
                             s, 1);
        }
    for (int which = 0; which < 2; which++) {
        double values[2];
        if (r->out[which])
            tess__put_outputs(m, which, &(tess__results){ s, 1, 1, &r->n, 0 },
                              &(tess__destination){ r->out[which], r->dtype[which], 1 }, values);
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
    tess__method_of(&r->item.method, work, 0);
    if (!tess__reads_directly(&r->item.method, stored, false)) return false;
    const double each = TESS__READ_BYTE_NS * (double)tess__dtype_size(stored[0]) + tess__cost_of(&r->item.method, true);
    if (n > TESS__LONG_RUN && (double)n * each >= TESS__PARALLEL_MIN_NS) return false;
    r->item.base = 0;
    r->item.counts = false;
    r->n = n;
    r->size[0] = tess__dtype_size(stored[0]);
    r->size[1] = two ? tess__dtype_size(stored[1]) : 0;
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
    *status = tess__submit(stream, work->name, run_small, &r, sizeof r, small_buffers);
    return true;
}
