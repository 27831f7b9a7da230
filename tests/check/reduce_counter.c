/* The binary counter of reductions against a recursive definition of the tree: which neighbours are merged, in which
 * order, in how many levels. */
#include "cpu/reduce/binary_counter.h"
#include "support/test.h"

enum { MOST = 1100 };

/* Chunks first to last - 1, and how they were merged: numbers that differ where trees do. */
typedef struct state {
    int64_t  first, last;
    uint64_t shape;
} state;

static state leaf(int64_t chunk) { return (state){ chunk, chunk + 1, (uint64_t)chunk * 0x9e3779b97f4a7c15u + 1 }; }

static state merged(state a, state b)
{
    CHECK(a.last == b.first);
    return (state){ a.first, b.last,
                    (a.shape ^ (a.shape >> 29)) * 0xbf58476d1ce4e5b9u + (b.shape << 7 ^ b.shape >> 5) };
}

/* The left half has as many chunks as the largest power of two that is less than n. */
static state recursive(int64_t first, int64_t n)
{
    if (n == 1) return leaf(first);
    int64_t half = 1;
    while (2 * half < n) half *= 2;
    return merged(recursive(first, half), recursive(first + half, n - half));
}

static void merge(void *context, int level)
{
    state *s = context;
    s[level] = merged(s[level], s[level + 1]);
}

static void check_tree(int64_t n)
{
    tess__binary_counter c = { 0 };
    state                level[TESS__COUNTER_MAX_LEVELS];
    int                  used = 0;
    for (int64_t chunk = 0; chunk < n; chunk++) {
        level[c.levels] = leaf(chunk);
        if (c.levels + 1 > used) used = c.levels + 1;
        tess__counter_push(&c, merge, level);
        CHECK(c.levels == __builtin_popcountll((uint64_t)chunk + 1));
    }
    tess__counter_end(&c, merge, level);
    const state want = recursive(0, n);
    CHECK(c.levels == 1 && c.count == n);
    CHECK(level[0].first == 0 && level[0].last == n && level[0].shape == want.shape);
    CHECK(tess__counter_levels(n) == used);
}

TEST(trees_of_every_number_of_chunks)
{
    for (int64_t n = 1; n <= MOST; n++) check_tree(n);
}

TEST(no_chunks)
{
    tess__binary_counter c = { 0 };
    tess__counter_end(&c, merge, NULL);
    CHECK(c.levels == 0 && c.count == 0);
    CHECK(tess__counter_levels(0) == 1);
}

TEST(levels_of_many_chunks)
{
    CHECK(tess__counter_levels((int64_t)1 << 40) == 41);
    CHECK(tess__counter_levels(((int64_t)1 << 40) - 1) == 40);
    CHECK(tess__counter_levels(INT64_MAX) == TESS__COUNTER_MAX_LEVELS);
}
