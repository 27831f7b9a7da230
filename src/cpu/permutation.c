/* Random orders: numbers sorted by random keys. */
#include "core/layout.h"
#include "cpu/isa.h"
#include "cpu/pool.h"
#include "cpu/random.h"
#include "cpu/schedule.h"

/* Keys for a thread at a time. */
enum { PIECE = 1024 };

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
    const int64_t n = tess__elements(&work->out);
    tess__pair   *pairs = work->room.data;
    keys          k = { work, pairs, n };
    const int64_t pieces = (n - 1) / PIECE + 1;
    tess__parallel(pieces, tess__grain(pieces, 2.0 * PIECE), make_keys, &k);
    const tess__pair *sorted = tess__cpu_kernels()->item[TESS__ITEM_SIZES - 1]->sort(pairs, pairs + n, n, 0);
    int64_t          *order = work->room.data;
    for (int64_t i = 0; i < n; i++) order[i] = (int64_t)sorted[i].place; /* over pairs that were read, or none */
    const tess__ordered out = tess__ordered_of(&work->out, work->out.shape, TESS_I64, false);
    tess__ordered_put(&out, order, 0, n);
}
