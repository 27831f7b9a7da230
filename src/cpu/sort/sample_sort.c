/* Parallel sample sort of one long vector: a partition into buckets by splitters, then one sort for each bucket.
 *
 * Chunks of the vector are counted and scattered in parallel, each to indices of its own, in order; so the result is
 * that of one thread.
 */
#include "cpu/sort/sample_sort.h"

#include <string.h>

#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/sort/splitters.h"
#include "tessera/device.h"

enum {
    CHUNKS = 64, /* at most */
    PER_THREAD = 4
};

#define STEP_NS 0.5 /* estimated time of an element in the steps before and after the sort */

/* ---- Keys ---- */

typedef struct mapping {
    const tess__key_kernel *kernel;
    const tess__order      *order;
    char                   *out;
    const char             *in;
    bool                    wide;
} mapping;

static void map_keys(void *context, int64_t first, int64_t last)
{
    const mapping *m = context;
    m->kernel->keys(m->out + first * m->order->size, m->in + first * m->order->size, last - first, m->order);
}

static void map_numbers(void *context, int64_t first, int64_t last)
{
    const mapping *m = context;
    m->kernel->numbers(m->out + first * m->order->size, m->in + first * m->order->size, last - first, m->order);
}

static void map_items(void *context, int64_t first, int64_t last)
{
    const mapping *m = context;
    const int64_t  size = m->wide ? (int64_t)sizeof(tess__pair) : (int64_t)sizeof(uint64_t);
    m->kernel->pack(m->out + first * size, m->in + first * m->order->size, last - first, first, m->wide, m->order);
}

void tess__keys_parallel(const tess__key_kernel *kernel, void *keys, const void *in, int64_t n,
                         const tess__order *order)
{
    mapping m = { kernel, order, keys, in, false };
    tess__parallel(n, tess__grain(n, STEP_NS), map_keys, &m);
}

void tess__numbers_parallel(const tess__key_kernel *kernel, void *out, const void *keys, int64_t n,
                            const tess__order *order)
{
    mapping m = { kernel, order, out, keys, false };
    tess__parallel(n, tess__grain(n, STEP_NS), map_numbers, &m);
}

void tess__pack_parallel(const tess__key_kernel *kernel, void *items, const void *in, int64_t n, bool wide,
                         const tess__order *order)
{
    mapping m = { kernel, order, items, in, wide };
    tess__parallel(n, tess__grain(n, STEP_NS), map_items, &m);
}

/* ---- Sorting ---- */

typedef struct tables {
    tess__splitters splitters;
    uint16_t        sample[1 << TESS__BUCKET_BITS]; /* histogram of the sample by these bits */
    int64_t         counts[CHUNKS][TESS__BUCKETS];  /* of each chunk; then the indices its items go to */
} tables;

typedef struct sample_sort {
    const tess__item_kernel *kernel;
    int64_t                  size; /* bytes of an item */
    int                      low;
    char                    *from, *to;
    int64_t                  n, chunk; /* items in all, and of a chunk */
    bool                     into_to;  /* where the result is wanted */
    int64_t                  big;      /* buckets with more items are partitioned again, in parallel */
    int64_t                  first[TESS__BUCKETS + 1];
    tables                  *tables;
    uint64_t                 varying[CHUNKS];
} sample_sort;

static int64_t length_of(const sample_sort *d, int64_t chunk)
{
    return d->n - chunk * d->chunk < d->chunk ? d->n - chunk * d->chunk : d->chunk;
}

static void vary_chunks(void *context, int64_t first, int64_t last)
{
    sample_sort *d = context;
    for (int64_t c = first; c < last; c++)
        d->varying[c] = d->kernel->varying(d->from + c * d->chunk * d->size, length_of(d, c), d->from);
}

static void count_chunks(void *context, int64_t first, int64_t last)
{
    const sample_sort *d = context;
    for (int64_t c = first; c < last; c++) {
        int64_t *counts = d->tables->counts[c];
        memset(counts, 0, sizeof d->tables->counts[c]);
        d->kernel->count(d->from + c * d->chunk * d->size, length_of(d, c), &d->tables->splitters, counts);
    }
}

static void scatter_chunks(void *context, int64_t first, int64_t last)
{
    const sample_sort *d = context;
    for (int64_t c = first; c < last; c++)
        d->kernel->scatter(d->to, d->from + c * d->chunk * d->size, length_of(d, c), &d->tables->splitters,
                           d->tables->counts[c]);
}

/* The items of each bucket lie in `to` now. */
static void sort_buckets(void *context, int64_t first, int64_t last)
{
    const sample_sort *d = context;
    for (int64_t i = first; i < last; i++) {
        const int64_t n = d->first[i + 1] - d->first[i], at = d->first[i] * d->size;
        if (n == 0 || n > d->big) continue;
        const char *result = d->kernel->sort(d->to + at, d->from + at, n, d->low);
        char       *wanted = (d->into_to ? d->to : d->from) + at;
        if (result != wanted) memcpy(wanted, result, (size_t)(n * d->size));
    }
}

static void set_indices(sample_sort *d, int64_t chunks)
{
    int64_t sum = 0;
    for (int i = 0; i < TESS__BUCKETS; i++) {
        d->first[i] = sum;
        for (int64_t c = 0; c < chunks; c++) {
            const int64_t count = d->tables->counts[c][i];
            d->tables->counts[c][i] = sum;
            sum += count;
        }
    }
    d->first[TESS__BUCKETS] = sum;
}

static void sort_parallel(const sample_sort *parent, char *from, char *to, int64_t n, bool into_to)
{
    sample_sort d = { .kernel = parent->kernel,
                      .size = parent->size,
                      .low = parent->low,
                      .from = from,
                      .to = to,
                      .n = n,
                      .big = parent->big,
                      .into_to = into_to,
                      .tables = parent->tables };
    int64_t     chunks = (int64_t)tess_threads_get() * PER_THREAD;
    if (chunks > CHUNKS) chunks = CHUNKS;
    d.chunk = (n - 1) / chunks + 1;
    chunks = (n - 1) / d.chunk + 1;
    uint64_t varying = 0;
    tess__parallel(chunks, 1, vary_chunks, &d);
    for (int64_t c = 0; c < chunks; c++) varying |= d.varying[c];
    varying = varying >> d.low << d.low;
    if (!varying) {
        if (into_to) memcpy(to, from, (size_t)(n * d.size));
        return;
    }
    tess__splitters_of(&d.tables->splitters, from, n, d.size, varying, d.tables->sample);
    tess__parallel(chunks, 1, count_chunks, &d);
    set_indices(&d, chunks);
    tess__parallel(chunks, 1, scatter_chunks, &d);
    tess__parallel(TESS__BUCKETS, 1, sort_buckets, &d);
    for (int i = 0; i < TESS__BUCKETS; i++) {
        const int64_t count = d.first[i + 1] - d.first[i], at = d.first[i] * d.size;
        if (count > d.big) sort_parallel(&d, to + at, from + at, count, !into_to);
    }
}

size_t tess__sample_sort_size(void) { return sizeof(tables); }

void tess__sample_sort(const tess__item_kernel *kernel, int64_t size, void *items, void *workspace, int64_t n, int low,
                       void *memory)
{
    sample_sort   d = { .kernel = kernel, .size = size, .low = low, .tables = memory };
    const int64_t fair = n / (2 * (int64_t)tess_threads_get());
    d.big = fair > TESS__SAMPLE_SORT_MIN ? fair : TESS__SAMPLE_SORT_MIN;
    sort_parallel(&d, items, workspace, n, false);
}
