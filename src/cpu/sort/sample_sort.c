/* Parallel sample sort of one long vector: a partition into buckets by splitters, then one sort for each bucket.
 *
 * Chunks of the vector are counted and scattered in parallel, each to indices of its own, in order; so the result is
 * that of one thread.
 */
#include "cpu/sort/sample_sort.h"

#include <string.h>

#include "core/device/cancel.h"
#include "core/minmax.h"
#include "cpu/runtime/pool.h"
#include "cpu/sort/splitters.h"
#include "tessera/device.h"

enum {
    CHUNKS = 64, /* at most */
    PER_THREAD = 4,
    LONGEST_CHUNK = 1 << 22, /* where more are needed, so that the sort can be cancelled between them */
    MADE = 4096              /* items that are made and read while they are in the cache */
};

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
    int64_t                  at;       /* number of the first item */
    tess__sort_steps         steps;
    int64_t                  big; /* buckets with more items are partitioned again, in parallel */
    int64_t                  first[TESS__BUCKETS + 1];
    tables                  *tables;
    uint64_t                 varying[CHUNKS];
} sample_sort;

static int64_t length_of(const sample_sort *d, int64_t chunk)
{
    return d->n - chunk * d->chunk < d->chunk ? d->n - chunk * d->chunk : d->chunk;
}

/* The bits in which some item of a chunk differs from its first one. */
static uint64_t vary_chunk(const sample_sort *d, int64_t chunk)
{
    const int64_t first = chunk * d->chunk, last = first + length_of(d, chunk);
    uint64_t      varying = 0;
    for (int64_t at = first; at < last; at += MADE) {
        const int64_t n = last - at < MADE ? last - at : MADE;
        if (d->steps.make) d->steps.make(d->steps.context, d->at + at, d->at + at + n);
        varying |= d->kernel->varying(d->from + at * d->size, n, d->from + first * d->size);
    }
    return varying;
}

static void vary_chunks(void *context, int64_t first, int64_t last)
{
    sample_sort *d = context;
    for (int64_t c = first; c < last; c++) d->varying[c] = vary_chunk(d, c);
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
        if (d->steps.take) d->steps.take(d->steps.context, d->at + d->first[i], d->at + d->first[i + 1]);
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

/* Items that are all equal. */
static void take_chunks(void *context, int64_t first, int64_t last)
{
    const sample_sort *d = context;
    for (int64_t c = first; c < last; c++) {
        const int64_t at = c * d->chunk, n = length_of(d, c);
        if (d->into_to) memcpy(d->to + at * d->size, d->from + at * d->size, (size_t)(n * d->size));
        if (d->steps.take) d->steps.take(d->steps.context, d->at + at, d->at + at + n);
    }
}

/* Sorts d->n items from d->from. */
static void sort_all(sample_sort *d)
{
    const int64_t chunks_wanted = tess__max((int64_t)tess_threads_get() * PER_THREAD, d->n / LONGEST_CHUNK);
    int64_t       chunks = tess__min(chunks_wanted, CHUNKS);
    d->chunk = (d->n - 1) / chunks + 1;
    chunks = (d->n - 1) / d->chunk + 1;
    uint64_t varying = 0;
    tess__parallel(chunks, 1, vary_chunks, d);
    if (tess__cancelled()) return;
    for (int64_t c = 0; c < chunks; c++)
        varying |= d->varying[c] | d->kernel->varying(d->from + c * d->chunk * d->size, 1, d->from);
    varying = varying >> d->low << d->low;
    if (!varying) {
        tess__parallel(chunks, 1, take_chunks, d);
        return;
    }
    tess__splitters_of(&d->tables->splitters, d->from, d->n, d->size, varying, d->tables->sample);
    tess__parallel(chunks, 1, count_chunks, d);
    if (tess__cancelled()) return;
    set_indices(d, chunks);
    tess__parallel(chunks, 1, scatter_chunks, d);
    tess__parallel(TESS__BUCKETS, 1, sort_buckets, d);
    for (int i = 0; i < TESS__BUCKETS && !tess__cancelled(); i++) {
        const int64_t count = d->first[i + 1] - d->first[i], at = d->first[i] * d->size;
        if (count <= d->big) continue;
        sample_sort again = { .kernel = d->kernel, .size = d->size, .low = d->low, .big = d->big, .tables = d->tables };
        again.from = d->to + at, again.to = d->from + at, again.n = count, again.into_to = !d->into_to;
        again.at = d->at + d->first[i], again.steps = d->steps;
        again.steps.make = NULL;
        sort_all(&again);
    }
}

size_t tess__sample_sort_size(void) { return sizeof(tables); }

void tess__sample_sort(const tess__item_kernel *kernel, const tess__long_vector *v)
{
    sample_sort   d = { .kernel = kernel, .size = v->size, .low = v->low, .from = v->items, .to = v->workspace };
    const int64_t fair = v->n / (2 * (int64_t)tess_threads_get());
    d.n = v->n;
    d.big = fair > TESS__SAMPLE_SORT_MIN ? fair : TESS__SAMPLE_SORT_MIN;
    d.tables = v->memory;
    d.steps = v->steps;
    sort_all(&d);
}
