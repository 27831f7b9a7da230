/* Ranks in a long line: its keys are counted by their highest digit, and only those with the digit of the wanted one
 * are looked at again.
 *
 * Keys are made of the elements block by block whenever the line is walked, and never written, but for the few that are
 * selected. Every step is linear in the length of the line, whatever its elements are.
 */
#include "cpu/select.h"

#include <string.h>

#include "cpu/isa.h"
#include "cpu/pool.h"
#include "cpu/rooms.h"
#include "tessera/device.h"

enum {
    BLOCK = 2048, /* elements whose keys are at hand */
    CHUNKS = 64,  /* most */
    PER_THREAD = 4
};

typedef struct block {
    _Alignas(64) char keys[BLOCK * 8];
    _Alignas(64) char low[BLOCK * 8 + 8];
    _Alignas(64) char high[BLOCK * 8 + 8];
} block;

/* ---- Walking a chunk by blocks ---- */

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

/* ---- Counting ---- */

static uint64_t first_key(const tess__ranks *r)
{
    union {
        uint8_t  u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } key;
    r->key->keys(&key, r->in, 1, r->order);
    return r->order->size == 1 ? key.u8 : r->order->size == 2 ? key.u16 : r->order->size == 4 ? key.u32 : key.u64;
}

static uint64_t mask_of(const tess__ranks *r) { return (r->order->size == 1 ? 256 : TESS__DIGITS) - 1; }

/* The bits in which keys of some blocks differ: most likely, those of all. */
static uint64_t sample_varying(const tess__ranks *r)
{
    block    b;
    char     first[8];
    uint64_t varying = 0;
    r->key->keys(first, r->in, 1, r->order);
    for (int64_t c = 0; c < r->chunks; c++) {
        walk          w = walk_chunk(r, c);
        const int64_t n = next_keys(r, &w, b.keys);
        varying |= r->item->varying(b.keys, n, first);
    }
    return varying;
}

static void count_chunks(void *context, int64_t from, int64_t to)
{
    const tess__ranks *r = context;
    const uint64_t     nan = tess__order_nan(r->order);
    block              b;
    char               first[8];
    r->key->keys(first, r->in, 1, r->order);
    for (int64_t c = from; c < to; c++) {
        walk     w = walk_chunk(r, c);
        int64_t  n, nans = 0;
        uint64_t varying = 0;
        memset(r->counts[c], 0, sizeof r->counts[c]);
        while ((n = next_keys(r, &w, b.keys)) > 0) {
            r->item->count(b.keys, n, r->shift, mask_of(r), r->counts[c]);
            varying |= r->item->varying(b.keys, n, first);
            if (nan) nans += r->key->count_from(b.keys, n, nan);
        }
        r->numbers[4 * c] = nans;
        r->numbers[4 * c + 1] = (int64_t)varying;
    }
}

/* Counts by the highest digit of the bits that differ, and returns those that do. */
static uint64_t count(tess__ranks *r, uint64_t varying)
{
    const int top = varying ? 64 - __builtin_clzll(varying) : 0;
    r->shift = top > TESS__DIGIT_BITS ? top - TESS__DIGIT_BITS : 0;
    r->above = first_key(r) >> r->shift & ~mask_of(r);
    each_chunk(r, count_chunks, r);
    memset(r->total, 0, sizeof r->total);
    r->nans = 0;
    for (int64_t c = 0; c < r->chunks; c++) {
        for (int i = 0; i < TESS__DIGITS; i++) r->total[i] += r->counts[c][i];
        r->nans += r->numbers[4 * c];
        varying |= (uint64_t)r->numbers[4 * c + 1];
    }
    return varying;
}

static int64_t chunks_of(void)
{
    const int64_t wanted = (int64_t)tess_threads_get() * PER_THREAD;
    return wanted < CHUNKS ? wanted : CHUNKS;
}

size_t tess__ranks_size(int64_t n, int64_t size)
{
    return (size_t)CHUNKS * (TESS__DIGITS + 4) * sizeof(int64_t) + tess__room_for((n + 1) * size);
}

void tess__ranks_start(tess__ranks *r, const tess__order *order, const void *in, int64_t n, char *memory)
{
    r->key = tess__cpu_kernels()->key[tess__log2_size(order->size)];
    r->item = tess__cpu_kernels()->item[tess__log2_size(order->size)];
    r->order = order;
    r->in = in;
    r->n = n;
    r->chunk = (n - 1) / chunks_of() + 1;
    r->chunks = (n - 1) / r->chunk + 1;
    r->counts = (void *)memory;
    r->numbers = (int64_t *)(void *)(memory + (size_t)r->chunks * sizeof *r->counts);
    r->room = (char *)(r->numbers + 4 * r->chunks);
    r->kept = 0;
    const uint64_t guess = sample_varying(r), varying = count(r, guess);
    if (varying >> r->shift > mask_of(r)) (void)count(r, varying); /* there are keys further away */
}

/* ---- Selecting ---- */

typedef struct collecting {
    tess__ranks *r;
    uint64_t     digit, value; /* the digit, and with the bits above it */
} collecting;

/* A chunk's keys go behind those of the chunks before it. */
static void collect_chunks(void *context, int64_t first, int64_t last)
{
    const collecting  *k = context;
    const tess__ranks *r = k->r;
    block              b;
    for (int64_t c = first; c < last; c++) {
        int64_t at = 0, n;
        for (int64_t before = 0; before < c; before++) at += r->counts[before][k->digit];
        walk w = walk_chunk(r, c);
        while ((n = next_keys(r, &w, b.keys)) > 0) {
            n = r->key->collect(b.low, b.keys, n, r->shift, k->value, k->value);
            memcpy(r->room + at * r->order->size, b.low, (size_t)(n * r->order->size));
            at += n;
        }
    }
}

uint64_t tess__ranks_at(tess__ranks *r, int64_t rank)
{
    uint64_t digit = 0;
    int64_t  before = 0;
    while (before + r->total[digit] <= rank) before += r->total[digit++];
    if (r->shift == 0) return r->above | digit;
    const int64_t n = r->total[digit];
    collecting    k = { r, digit, r->above | digit };
    each_chunk(r, collect_chunks, &k);
    r->digit = digit;
    r->kept = n <= r->n / 2 ? n : 0;
    return r->key->select(r->room, n, rank - before, r->room + (r->kept ? n * r->order->size : 0));
}

typedef struct limit {
    tess__ranks *r;
    uint64_t     key;
} limit;

/* Of a chunk: how many keys are at most that one, how many at least, and the least above it. */
static void note(const tess__ranks *r, int64_t chunk, int64_t to, int64_t from, uint64_t next)
{
    r->numbers[4 * chunk] = to;
    r->numbers[4 * chunk + 1] = from;
    r->numbers[4 * chunk + 2] = (int64_t)next;
}

static void count_to_chunks(void *context, int64_t first, int64_t last)
{
    const limit       *l = context;
    const tess__ranks *r = l->r;
    block              b;
    for (int64_t c = first; c < last; c++) {
        walk     w = walk_chunk(r, c);
        int64_t  n, to = 0, from = 0;
        uint64_t least = UINT64_MAX;
        while ((n = next_keys(r, &w, b.keys)) > 0) {
            uint64_t next;
            to += r->key->count_to(b.keys, n, l->key, &next);
            from += r->key->count_from(b.keys, n, l->key);
            least = next < least ? next : least;
        }
        note(r, c, to, from, least);
    }
}

/* The same from the keys that were kept, and the counts of all others. */
static void count_to_kept(const tess__ranks *r, uint64_t key)
{
    const char *keys = r->room;
    for (int64_t c = 0; c < r->chunks; c++) {
        const int64_t n = r->counts[c][r->digit];
        const walk    w = walk_chunk(r, c);
        int64_t       below = 0;
        uint64_t      next;
        for (uint64_t i = 0; i < r->digit; i++) below += r->counts[c][i];
        const int64_t to = r->key->count_to(keys, n, key, &next), from = r->key->count_from(keys, n, key);
        note(r, c, below + to, w.end - w.at - below - (n - from), next);
        keys += n * r->order->size;
    }
}

static int64_t sum_up(const tess__ranks *r, uint64_t *next)
{
    int64_t to = 0;
    *next = UINT64_MAX;
    for (int64_t c = 0; c < r->chunks; c++) {
        to += r->numbers[4 * c];
        if ((uint64_t)r->numbers[4 * c + 2] < *next) *next = (uint64_t)r->numbers[4 * c + 2];
    }
    return to;
}

int64_t tess__ranks_to(tess__ranks *r, uint64_t key, uint64_t *next)
{
    if (r->kept && key >> r->shift == (r->above | r->digit)) {
        count_to_kept(r, key);
        const int64_t to = sum_up(r, next);
        if (*next != UINT64_MAX || to == r->n) return to;
    }
    limit l = { r, key };
    each_chunk(r, count_to_chunks, &l);
    return sum_up(r, next);
}

/* ---- Partition ---- */

typedef struct parting {
    tess__ranks *r;
    char        *out;
    uint64_t     key;
    int64_t      below, above; /* how many in all */
} parting;

static void part_chunks(void *context, int64_t first, int64_t last)
{
    const parting     *p = context;
    const tess__ranks *r = p->r;
    const int64_t      size = r->order->size;
    block              b;
    for (int64_t c = first; c < last; c++) {
        int64_t low = 0, high = r->n - p->above, n, n_low, n_high;
        for (int64_t before = 0; before < c; before++) {
            const walk w = walk_chunk(r, before);
            low += w.end - w.at - r->numbers[4 * before + 1];
            high += w.end - w.at - r->numbers[4 * before];
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

static void part_long(char *out, const void *in, int64_t n, int64_t k, const tess__order *order, char *memory)
{
    tess__ranks r;
    uint64_t    next;
    tess__ranks_start(&r, order, in, n, memory);
    parting p = { .r = &r, .out = out, .key = tess__ranks_at(&r, k) };
    p.above = n - tess__ranks_to(&r, p.key, &next);
    p.below = n;
    for (int64_t c = 0; c < r.chunks; c++) p.below -= r.numbers[4 * c + 1];
    each_chunk(&r, part_chunks, &p);
    r.key->repeat(out + p.below * order->size, n - p.below - p.above, p.key, order);
}

size_t tess__partition_size(int64_t n, int64_t size)
{
    return n > TESS__LONG_LINE ? tess__ranks_size(n, size) : 3 * tess__room_for((n + 1) * size);
}

void tess__partition(void *out, const void *in, int64_t n, int64_t k, const tess__order *order, char *memory)
{
    if (n > TESS__LONG_LINE) {
        part_long(out, in, n, k, order, memory);
        return;
    }
    const tess__key_kernel *kernel = tess__cpu_kernels()->key[tess__log2_size(order->size)];
    const int64_t           size = order->size;
    const size_t            step = tess__room_for((n + 1) * size);
    char *const             work[3] = { memory, memory + step, memory + 2 * step };
    int64_t                 below, above;
    kernel->keys(work[0], in, n, order);
    const uint64_t key = kernel->select(work[0], n, k, work[1]);
    kernel->split(work[1], work[2], work[0], n, key, &below, &above);
    kernel->numbers(out, work[1], below, order);
    kernel->repeat((char *)out + below * size, n - below - above, key, order);
    kernel->numbers((char *)out + (n - above) * size, work[2], above, order);
}
