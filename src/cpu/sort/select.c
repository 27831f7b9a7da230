/* Selection in a long vector by sampling, after Floyd and Rivest: two keys of a sample bracket the wanted one, almost
 * surely; one pass counts the keys below and collects those between, and radix select finds it among these.
 *
 * Keys are computed from the elements block by block in every pass and never stored, except those that are collected.
 * If the wanted key is not among those, all keys are collected and radix select finds it: so every step is linear in
 * the length of the vector, whatever its elements are. The sample does not change results.
 */
#include "cpu/sort/select.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/minmax.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/workspace.h"
#include "tessera/device.h"

enum {
    BLOCK = 2048, /* elements whose keys are in cache */
    CHUNKS = 64,  /* at most */
    PER_THREAD = 4,
    LONGEST_CHUNK = 1 << 22, /* where more are needed, so that the work can be cancelled between them */
    MAX_SAMPLES = 1 << 16
};

/* The counts of a chunk. */
enum { BELOW, WITHIN, NANS, LOWER, HIGHER, NUMBERS };

typedef struct block {
    _Alignas(64) char keys[BLOCK * 8];
    _Alignas(64) char low[BLOCK * 8 + 8];
    _Alignas(64) char high[BLOCK * 8 + 8];
} block;

/* ---- A pass over a chunk, by blocks ---- */

typedef struct walk {
    int64_t at, end; /* elements */
} walk;

static walk walk_chunk(const tess__ranks *r, int64_t chunk)
{
    const int64_t at = chunk * r->chunk;
    return (walk){ at, r->n - at < r->chunk ? r->n : at + r->chunk };
}

/* The keys of the next block; returns how many, 0 at the end. */
static int64_t next_keys(const tess__ranks *r, walk *w, void *keys)
{
    const int64_t n = w->end - w->at < BLOCK ? w->end - w->at : BLOCK;
    r->key->keys(keys, r->in + w->at * r->order->size, n, r->order);
    w->at += n;
    return n;
}

static void each_chunk(const tess__ranks *r, tess__task_fn *task, void *context)
{
    tess__parallel(r->chunks, 1, task, context);
}

static int64_t *numbers_of(const tess__ranks *r, int64_t chunk) { return r->numbers + NUMBERS * chunk; }

static uint64_t largest_key(const tess__ranks *r) { return UINT64_MAX >> (64 - 8 * r->order->size); }

static int64_t count_above(const tess__ranks *r, const void *keys, int64_t n, uint64_t key)
{
    return key == largest_key(r) ? 0 : r->key->count_from(keys, n, key + 1);
}

/* ---- The sample ---- */

/* About n^(2/3), which minimises the keys that are read in all. */
static int64_t samples_of(int64_t n)
{
    const int     bits = 2 * (63 - __builtin_clzll((uint64_t)n)) / 3;
    const int64_t wanted = INT64_C(1) << bits;
    return wanted < MAX_SAMPLES ? wanted : MAX_SAMPLES;
}

/* Stratified sample: a random element of each of as many equal runs, so that no pattern of the data matters. */
static void take_sample(tess__ranks *r)
{
    const int64_t run = r->n / r->samples, size = r->order->size;
    uint64_t      state = 1;
    int64_t       indices[BLOCK];
    for (int64_t i = 0; i < r->samples; i += BLOCK) {
        const int64_t n = r->samples - i < BLOCK ? r->samples - i : BLOCK;
        for (int64_t k = 0; k < n; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            indices[k] = (i + k) * run + (int64_t)((state >> 33) % (uint64_t)run);
        }
        r->key->take(r->sample + i * size, r->in, indices, n);
    }
    r->key->keys(r->sample, r->sample, r->samples, r->order);
}

static uint64_t sample_at(const tess__ranks *r, int64_t rank)
{
    return r->key->select(r->sample, r->samples, rank, r->sample + r->samples * r->order->size);
}

/* The keys that bracket a rank, five standard deviations to either side. */
static void set_window(tess__ranks *r, int64_t rank)
{
    const double  at = (double)rank / (double)r->n * (double)r->samples, far = 2.5 * sqrt((double)r->samples);
    const int64_t first = (int64_t)floor(at - far), last = (int64_t)ceil(at + far);
    r->first = first < 0 ? 0 : sample_at(r, first);
    r->last = last >= r->samples ? largest_key(r) : sample_at(r, last);
}

static int64_t chunks_of(int64_t n)
{
    const int64_t wanted = tess__max((int64_t)tess_threads_get() * PER_THREAD, n / LONGEST_CHUNK);
    return wanted < CHUNKS ? wanted : CHUNKS;
}

size_t tess__ranks_size(int64_t n, int64_t size)
{
    return tess__aligned_size(CHUNKS * NUMBERS, sizeof(int64_t)) + tess__aligned_size(2 * samples_of(n), size) +
           tess__aligned_size(n + 1, size);
}

void tess__ranks_start(tess__ranks *r, const tess__order *order, const void *in, int64_t n, char *memory)
{
    r->key = tess__cpu_kernels()->sort.key[tess__log2_size(order->size)];
    r->order = order;
    r->in = in;
    r->n = n;
    r->chunk = (n - 1) / chunks_of(n) + 1;
    r->chunks = (n - 1) / r->chunk + 1;
    r->samples = samples_of(n);
    r->numbers = (int64_t *)(void *)memory;
    r->sample = memory + tess__aligned_size(CHUNKS * NUMBERS, sizeof(int64_t));
    r->workspace = r->sample + tess__aligned_size(2 * r->samples, order->size);
    r->below = r->within = 0;
    r->first = r->last = 0;
    r->kept = false;
    take_sample(r);
    const uint64_t nan = tess__order_nan(order);
    const int64_t  nans = nan ? r->key->count_from(r->sample, r->samples, nan) : 0;
    r->nans = (int64_t)((double)nans / (double)r->samples * (double)n);
}

/* ---- Counting and collecting ---- */

/* A chunk's keys go to its own part of the workspace first, since their number is not known yet. */
static void collect_chunks(void *context, int64_t from, int64_t to)
{
    const tess__ranks *r = context;
    const uint64_t     nan = tess__order_nan(r->order);
    const int64_t      size = r->order->size;
    const bool         one = r->first == r->last;
    block              b;
    for (int64_t c = from; c < to; c++) {
        walk    w = walk_chunk(r, c);
        char   *kept = r->workspace + w.at * size;
        int64_t n, below = 0, within = 0, nans = 0;
        while ((n = next_keys(r, &w, b.keys)) > 0) {
            const int64_t not_below = r->key->count_from(b.keys, n, r->first);
            below += n - not_below;
            if (nan) nans += r->key->count_from(b.keys, n, nan);
            if (one) {
                within += not_below - count_above(r, b.keys, n, r->last);
                continue;
            }
            n = r->key->collect(b.low, b.keys, n, 0, r->first, r->last);
            memcpy(kept + within * size, b.low, (size_t)(n * size));
            within += n;
        }
        int64_t *numbers = numbers_of(r, c);
        numbers[BELOW] = below, numbers[WITHIN] = within, numbers[NANS] = nans;
    }
}

/* A pass over the vector with the window that was set. */
static void collect(tess__ranks *r)
{
    const int64_t size = r->order->size;
    each_chunk(r, collect_chunks, r);
    if (tess__cancelled()) return;
    r->below = r->within = r->nans = 0;
    r->kept = r->first != r->last;
    for (int64_t c = 0; c < r->chunks; c++) {
        const int64_t *numbers = numbers_of(r, c);
        if (r->kept) {
            const char *from = r->workspace + c * r->chunk * size;
            memmove(r->workspace + r->within * size, from, (size_t)(numbers[WITHIN] * size));
        }
        r->below += numbers[BELOW];
        r->within += numbers[WITHIN];
        r->nans += numbers[NANS];
    }
}

void tess__ranks_look(tess__ranks *r, int64_t rank)
{
    set_window(r, rank);
    collect(r);
}

static bool has(const tess__ranks *r, int64_t rank)
{
    return rank >= r->below && rank < r->below + r->within && (r->kept || r->first == r->last);
}

uint64_t tess__ranks_at(tess__ranks *r, int64_t rank)
{
    if (!has(r, rank)) tess__ranks_look(r, rank);
    if (!has(r, rank)) {
        r->first = 0, r->last = largest_key(r);
        collect(r);
    }
    if (r->first == r->last || tess__cancelled()) return r->first;
    const bool twice = r->within <= r->n / 2; /* else select overwrites the keys themselves */
    r->kept = twice;
    return r->key->select(r->workspace, r->within, rank - r->below,
                          r->workspace + (twice ? r->within * r->order->size : 0));
}

/* ---- Three-way partition ---- */

typedef struct partition {
    const tess__ranks *r;
    char              *out;
    uint64_t           key;
    int64_t            below, above; /* how many in all */
} partition;

static void count_chunks(void *context, int64_t from, int64_t to)
{
    const partition   *p = context;
    const tess__ranks *r = p->r;
    block              b;
    for (int64_t c = from; c < to; c++) {
        walk    w = walk_chunk(r, c);
        int64_t n, *numbers = numbers_of(r, c);
        numbers[LOWER] = numbers[HIGHER] = 0;
        while ((n = next_keys(r, &w, b.keys)) > 0) {
            numbers[LOWER] += n - r->key->count_from(b.keys, n, p->key);
            numbers[HIGHER] += count_above(r, b.keys, n, p->key);
        }
    }
}

/* The same from the collected keys and the counts of all others. */
static void count_kept(const partition *p)
{
    const tess__ranks *r = p->r;
    const char        *keys = r->workspace;
    for (int64_t c = 0; c < r->chunks; c++) {
        const walk    w = walk_chunk(r, c);
        int64_t      *numbers = numbers_of(r, c);
        const int64_t n = r->kept ? numbers[WITHIN] : 0;
        numbers[LOWER] = numbers[BELOW] + n - r->key->count_from(keys, n, p->key);
        numbers[HIGHER] = w.end - w.at - numbers[BELOW] - numbers[WITHIN] + count_above(r, keys, n, p->key);
        keys += n * r->order->size;
    }
}

static void partition_chunks(void *context, int64_t first, int64_t last)
{
    const partition   *p = context;
    const tess__ranks *r = p->r;
    const int64_t      size = r->order->size;
    block              b;
    for (int64_t c = first; c < last; c++) {
        int64_t low = 0, high = r->n - p->above, n, n_low, n_high;
        for (int64_t before = 0; before < c; before++) {
            low += numbers_of(r, before)[LOWER];
            high += numbers_of(r, before)[HIGHER];
        }
        walk w = walk_chunk(r, c);
        while ((n = next_keys(r, &w, b.keys)) > 0) {
            r->key->split(b.low, b.high, b.keys, n, p->key, &n_low, &n_high);
            r->key->numbers(p->out + low * size, b.low, n_low, r->order);
            r->key->numbers(p->out + high * size, b.high, n_high, r->order);
            low += n_low, high += n_high;
        }
    }
}

static void partition_long(char *out, const void *in, int64_t n, int64_t k, const tess__order *order, char *memory)
{
    tess__ranks r;
    tess__ranks_start(&r, order, in, n, memory);
    partition p = { .r = &r, .out = out, .key = tess__ranks_at(&r, k) };
    if (tess__cancelled()) return;
    if (r.kept || r.first == r.last) count_kept(&p);
    else each_chunk(&r, count_chunks, &p);
    if (tess__cancelled()) return;
    for (int64_t c = 0; c < r.chunks; c++) {
        p.below += numbers_of(&r, c)[LOWER];
        p.above += numbers_of(&r, c)[HIGHER];
    }
    each_chunk(&r, partition_chunks, &p);
    r.key->repeat(out + p.below * order->size, n - p.below - p.above, p.key, order);
}

size_t tess__partition_size(int64_t n, int64_t size)
{
    return n > TESS__LONG_VECTOR ? tess__ranks_size(n, size) : 3 * tess__aligned_size(n + 1, size);
}

void tess__partition(void *out, const void *in, int64_t n, int64_t k, const tess__order *order, char *memory)
{
    if (n > TESS__LONG_VECTOR) {
        partition_long(out, in, n, k, order, memory);
        return;
    }
    const tess__key_kernel *kernel = tess__cpu_kernels()->sort.key[tess__log2_size(order->size)];
    const int64_t           size = order->size;
    const size_t            step = tess__aligned_size(n + 1, size);
    char *const             work[3] = { memory, memory + step, memory + 2 * step };
    int64_t                 below, above;
    kernel->keys(work[0], in, n, order);
    const uint64_t key = kernel->select(work[0], n, k, work[1]);
    kernel->split(work[1], work[2], work[0], n, key, &below, &above);
    kernel->numbers(out, work[1], below, order);
    kernel->repeat((char *)out + below * size, n - below - above, key, order);
    kernel->numbers((char *)out + (n - above) * size, work[2], above, order);
}
