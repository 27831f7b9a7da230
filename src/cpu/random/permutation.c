/* Random permutation: indices sorted by random keys.
 *
 * What is sorted are words of 64 bits: a key's highest bits, and its index below them. Two keys that differ in lower
 * bits alone are rare, and are put right afterwards.
 */
#include "core/device/cancel.h"
#include "core/array/layout.h"
#include "core/minmax.h"
#include "cpu/isa.h"
#include "cpu/random/random.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/sort/sample_sort.h"
#include "tessera/device.h"

/* Keys of a task. */
enum { CHUNK = 1024, PART = 1 << 20 /* indices between two looks whether the call was cancelled */ };

typedef struct ordering {
    const tess__random *work;
    int64_t             n;
    int                 index_bits;
    uint64_t           *words, *workspace, *keys;
    void               *counts;
} ordering;

static void make_words(void *context, int64_t first, int64_t last)
{
    const ordering *o = context;
    const uint64_t  index_mask = ((uint64_t)1 << o->index_bits) - 1;
    for (int64_t chunk = first; chunk < last; chunk++) {
        const int64_t at = chunk * CHUNK, end = o->n - at < CHUNK ? o->n : at + CHUNK;
        tess__cpu_kernels()->random.keys(o->keys + at, o->work->offset + (uint64_t)at, end - at, &o->work->spec);
        for (int64_t i = at; i < end; i++) o->words[i] = (o->keys[i] & ~index_mask) | (uint64_t)i;
    }
}

static const uint64_t *sort_words(const ordering *o)
{
    const tess__item_kernel *kernel = tess__cpu_kernels()->sort.item[tess__log2_size(sizeof *o->words)];
    if (tess_threads_get() == 1 || o->n < TESS__SAMPLE_SORT_MIN)
        return kernel->sort(o->words, o->workspace, o->n, o->index_bits);
    tess__sample_sort(kernel, &(tess__long_vector){ .items = o->words,
                                                    .workspace = o->workspace,
                                                    .memory = o->counts,
                                                    .n = o->n,
                                                    .size = sizeof *o->words,
                                                    .low = o->index_bits });
    return o->words;
}

/* Words first to last-1 become indices; those that have the same bits of the key are put in the order of whole keys. */
static void make_indices(const ordering *o, int64_t *order, const uint64_t *words, int64_t first, int64_t last)
{
    const uint64_t  index_mask = ((uint64_t)1 << o->index_bits) - 1;
    const uint64_t *key = o->keys;
    for (int64_t i = first; i < last; i++) {
        const int64_t at = (int64_t)(words[i] & index_mask);
        int64_t       j = i;
        for (; j > 0 && (words[j - 1] ^ words[i]) <= index_mask && key[order[j - 1]] > key[at]; j--)
            order[j] = order[j - 1];
        order[j] = at;
    }
}

void tess__make_order(const tess__random *work)
{
    const int64_t n = tess__elements(&work->out), chunks = (n - 1) / CHUNK + 1;
    uint64_t     *workspace = work->workspace.data;
    ordering o = { .work = work, .n = n, .words = workspace, .workspace = workspace + n, .keys = workspace + 2 * n };
    o.counts = workspace + 3 * n;
    o.index_bits = n > 1 ? 64 - __builtin_clzll((uint64_t)n - 1) : 1;
    tess__parallel(chunks, tess__grain(chunks, 2.0 * CHUNK), make_words, &o);
    if (tess__cancelled()) return;
    const uint64_t *sorted = sort_words(&o);
    if (tess__cancelled()) return;
    int64_t            *order = (int64_t *)(sorted == o.words ? o.workspace : o.words);
    const tess__ordered out = tess__ordered_of(&work->out, work->out.shape, TESS_I64, false);
    for (int64_t at = 0; at < n && !tess__cancelled(); at += PART)
        make_indices(&o, order, sorted, at, tess__min(n, at + PART));
    for (int64_t at = 0; at < n && !tess__cancelled(); at += PART)
        tess__ordered_put(&out, order + at, at, tess__min(n - at, PART));
}
