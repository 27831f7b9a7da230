/* Random orders: numbers sorted by random keys, and slices of an array put into such an order. */
#include <string.h>

#include "core/layout.h"
#include "cpu/isa.h"
#include "cpu/pool.h"
#include "cpu/random.h"
#include "cpu/schedule.h"

/* Keys, or elements of a line, for a thread at a time. */
enum { PIECE = 1024 };

/* ---- The order ---- */

typedef struct keys {
    const tess__random *work;
    tess__pair         *to;
    int64_t             n;
} keys;

static void make_keys(void *context, int64_t first, int64_t last)
{
    const keys *k = context;
    for (int64_t piece = first; piece < last; piece++) {
        uint64_t      key[PIECE];
        const int64_t at = piece * PIECE, n = k->n - at < PIECE ? k->n - at : PIECE;
        tess__cpu_kernels()->random_keys(key, k->work->place + (uint64_t)at, n, &k->work->spec);
        for (int64_t i = 0; i < n; i++) k->to[at + i] = (tess__pair){ key[i], (uint64_t)(at + i) };
    }
}

void tess__make_order(const tess__random *work)
{
    const bool    slices = work->kind == TESS__RANDOM_SHUFFLE;
    const int64_t n = slices ? work->in.shape.dim[work->axis] : tess__elements(&work->out);
    tess__pair   *pairs = work->room.data;
    keys          k = { work, pairs, n };
    const int64_t pieces = (n - 1) / PIECE + 1;
    tess__parallel(pieces, tess__grain(pieces, 2.0 * PIECE), make_keys, &k);
    const tess__pair *sorted = tess__cpu_kernels()->item[TESS__ITEM_SIZES - 1]->sort(pairs, pairs + n, n, 0);
    int64_t          *order = work->room.data;
    for (int64_t i = 0; i < n; i++) order[i] = (int64_t)sorted[i].place; /* over pairs that were read, or none */
    if (slices) return;
    const tess__ordered out = tess__ordered_of(&work->out, work->out.shape, TESS_I64, false);
    tess__ordered_put(&out, order, 0, n);
}

/* ---- Slices ---- */

typedef void gather_fn(char *out, int64_t so, const char *in, int64_t si, const int64_t *order, int64_t n, size_t size);

/* With a size that the compiler knows, a move of one element is a load and a store. */
static inline void gather(char *out, int64_t so, const char *in, int64_t si, const int64_t *order, int64_t n,
                          size_t size)
{
    for (int64_t i = 0; i < n; i++) memcpy(out + i * so * (int64_t)size, in + order[i] * si * (int64_t)size, size);
}

#define GATHER(bytes)                                                                                                  \
    static void gather_##bytes(char *out, int64_t so, const char *in, int64_t si, const int64_t *order, int64_t n,     \
                               size_t size)                                                                            \
    {                                                                                                                  \
        (void)size;                                                                                                    \
        gather(out, so, in, si, order, n, bytes);                                                                      \
    }
GATHER(1)
GATHER(2)
GATHER(4)
GATHER(8)
GATHER(16)
#undef GATHER

static void gather_any(char *out, int64_t so, const char *in, int64_t si, const int64_t *order, int64_t n, size_t size)
{
    gather(out, so, in, si, order, n, size);
}

static gather_fn *const gathers[TESS__SIZE_CLASSES] = { gather_1, gather_2, gather_4, gather_8, gather_16, gather_any };

typedef struct slices {
    tess__loop     rest;     /* over the elements of a slice; operands: out, in */
    int64_t        n;        /* slices */
    int64_t        along[2]; /* from one to the next, in elements */
    const int64_t *order;
    int64_t        pieces; /* of a line */
    gather_fn     *gather;
} slices;

/* Slices first to last-1, each as a copy. */
static void copy_slices(void *context, int64_t first, int64_t last)
{
    const slices       *s = context;
    const int64_t       size = s->rest.size[0], bytes = s->rest.n * size;
    const tess__element element = { .size = size };
    const bool          whole = s->rest.n_dims == 1 && s->rest.stride[0][0] == 1 && s->rest.stride[1][0] == 1;
    tess__loop          one = s->rest;
    for (int64_t i = first; i < last; i++) {
        one.data[0] = s->rest.data[0] + i * s->along[0] * size;
        one.data[1] = s->rest.data[1] + s->order[i] * s->along[1] * size;
        if (whole) memcpy(one.data[0], one.data[1], (size_t)bytes);
        else tess__run_rows(&one, tess__cpu_kernels()->copy[tess__size_class(size)], &element, 0);
    }
}

/* Pieces of lines along the axis, element by element. */
static void gather_lines(void *context, int64_t first, int64_t last)
{
    const slices *s = context;
    const int64_t size = s->rest.size[0];
    for (int64_t item = first; item < last; item++) {
        const int64_t from = item % s->pieces * PIECE, n = s->n - from < PIECE ? s->n - from : PIECE;
        int64_t       line = item / s->pieces;
        char         *out = s->rest.data[0] + from * s->along[0] * size, *in = s->rest.data[1];
        for (int d = s->rest.n_dims - 1; d >= 0; d--) {
            const int64_t at = line % s->rest.shape[d];
            line /= s->rest.shape[d];
            out += at * s->rest.stride[0][d] * size;
            in += at * s->rest.stride[1][d] * size;
        }
        s->gather(out, s->along[0], in, s->along[1], s->order + from, n, (size_t)size);
    }
}

void tess__gather_slices(const tess__random *work)
{
    tess_array        a[2] = { work->out, work->in };
    const tess_array *operands[2] = { &a[0], &a[1] };
    slices            s = { .n = a[0].shape.dim[work->axis], .order = work->room.data };
    for (int k = 0; k < 2; k++) {
        s.along[k] = a[k].strides.dim[work->axis];
        a[k].shape.dim[work->axis] = 1;
    }
    tess__plan(&s.rest, a[0].shape, operands, 2);
    const int64_t inner = tess__magnitude(s.rest.stride[0][s.rest.n_dims - 1]);
    if (s.rest.n > 1 && tess__magnitude(s.along[0]) >= inner) {
        const double cost = 5 + 0.1 * (double)(s.rest.n * s.rest.size[0]);
        tess__parallel(s.n, tess__grain(s.n, cost), copy_slices, &s);
        return;
    }
    s.pieces = (s.n - 1) / PIECE + 1;
    s.gather = gathers[tess__size_class(s.rest.size[0])];
    const int64_t items = s.rest.n * s.pieces;
    tess__parallel(items, tess__grain(items, 2.0 * (double)(s.pieces > 1 ? PIECE : s.n)), gather_lines, &s);
}
