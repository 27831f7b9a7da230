/* Parsers fed with files that went wrong: seeds, and changes of them; see tests/fuzz/cases.h.
 *
 * The program defines fuzz_seeds, which calls fuzz_add, and LLVMFuzzerTestOneInput; it may set fuzz_words. The first cases
 * are the seeds as they are.
 */
#ifndef TESS_FUZZ_MUTATE_H
#define TESS_FUZZ_MUTATE_H

#include "fuzz/cases.h"

void fuzz_seeds(void);

enum { FUZZ_MOST_SEEDS = 128 };

/* Pieces of text that are put in, ended by NULL; or none. */
static const char *const *fuzz_words;

static struct {
    uint8_t *bytes;
    size_t   n;
} fuzz_seed[FUZZ_MOST_SEEDS];
static size_t fuzz_n_seeds;

static inline void fuzz_add(const void *bytes, size_t n)
{
    if (n > FUZZ_LONGEST / 2 || fuzz_n_seeds == FUZZ_MOST_SEEDS) abort();
    uint8_t *copy = malloc(n + 1);
    if (!copy) abort();
    memcpy(copy, bytes, n);
    fuzz_seed[fuzz_n_seeds].bytes = copy;
    fuzz_seed[fuzz_n_seeds++].n = n;
}

#ifndef TESS_LIBFUZZER

/* A number that is at a limit of something, little-endian, of 1, 2, 4 or 8 bytes. */
static void fuzz_put_number(uint8_t *bytes, size_t n, size_t at)
{
    static const uint64_t numbers[] = { 0,          1,          2,          0x7f,       0x80,
                                        0xff,       0x7fff,     0x8000,     0xffff,     0x10000,
                                        0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x7fffffffffffffff,
                                        1ull << 63, ~0ull };
    const size_t          size = (size_t)1 << fuzz_below(4);
    uint64_t value = fuzz_below(3) ? numbers[fuzz_below(sizeof numbers / sizeof *numbers)] : n - fuzz_below(64);
    for (size_t i = 0; i < size && at + i < n; i++, value >>= 8) bytes[at + i] = (uint8_t)value;
}

/* Put k bytes in at an offset; the new length. */
static size_t fuzz_insert(uint8_t *bytes, size_t n, size_t at, const void *from, size_t k)
{
    if (n + k > FUZZ_LONGEST) return n;
    uint8_t *copy = malloc(k + 1); /* `from` may lie in `bytes` */
    if (!copy) abort();
    memcpy(copy, from, k);
    memmove(bytes + at + k, bytes + at, n - at);
    memcpy(bytes + at, copy, k);
    free(copy);
    return n + k;
}

/* A digit becomes another, so that a text may well stay right. */
static void fuzz_change_digit(uint8_t *bytes, size_t n)
{
    for (size_t i = 0, at = fuzz_below(n); i < n && i < 200; i++, at = (at + 1) % n)
        if (bytes[at] >= '0' && bytes[at] <= '9') {
            bytes[at] = (uint8_t)('0' + fuzz_below(10));
            return;
        }
}

/* One change; the new length. */
static size_t fuzz_change(uint8_t *bytes, size_t n)
{
    /* Headers are where most happens. */
    const size_t at = fuzz_below(fuzz_below(2) && n > 200 ? 200 : n + 1), left = n - at;
    switch (fuzz_below(9)) {
    case 0:
        if (at < n) bytes[at] ^= (uint8_t)(1 << fuzz_below(8));
        return n;
    case 1:
        if (at < n) bytes[at] = (uint8_t)fuzz_random();
        return n;
    case 2: fuzz_put_number(bytes, n, at); return n;
    case 3: { /* cut something out */
        const size_t k = fuzz_below(fuzz_below(2) ? 9 : left + 1) % (left + 1);
        memmove(bytes + at, bytes + at + k, left - k);
        return n - k;
    }
    case 4: return fuzz_below(4) ? n : at; /* truncated */
    case 5: return fuzz_insert(bytes, n, fuzz_below(n + 1), bytes + at, fuzz_below(left < 100 ? left + 1 : 100));
    case 6: fuzz_change_digit(bytes, n); return n;
    default: {
        size_t n_words = 0;
        while (fuzz_words && fuzz_words[n_words]) n_words++;
        if (!n_words) {
            fuzz_put_number(bytes, n, n - fuzz_below(n < 120 ? n + 1 : 120)); /* directories are at the end */
            return n;
        }
        const char *word = fuzz_words[fuzz_below(n_words)];
        return fuzz_insert(bytes, n, at, word, strlen(word));
    }
    }
}

void fuzz_begin(void) { fuzz_seeds(); }

void fuzz_end(void)
{
    for (size_t i = 0; i < fuzz_n_seeds; i++) free(fuzz_seed[i].bytes);
}

size_t fuzz_make(uint8_t bytes[FUZZ_LONGEST], uint64_t number)
{
    const size_t seed = number < fuzz_n_seeds ? (size_t)number : fuzz_below(fuzz_n_seeds);
    size_t       n = fuzz_seed[seed].n;
    memcpy(bytes, fuzz_seed[seed].bytes, n);
    if (number < fuzz_n_seeds) return n;
    for (size_t k = fuzz_below(4); k < 4; k++) n = fuzz_change(bytes, n);
    return n;
}

#endif

#endif
