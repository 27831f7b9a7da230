/* Kernels of sorting and selection: radix sort, sorting network and quicksort, radix select, partition. */
#ifndef TESS_CPU_SORT_KERNELS_H
#define TESS_CPU_SORT_KERNELS_H

#include "cpu/sort/keys.h"

/* Most bits of a radix digit, in selection and sorting. */
enum { TESS__DIGIT_BITS = 11, TESS__DIGITS = 1 << TESS__DIGIT_BITS };

/* Keys of one size. Pointers are to contiguous numbers, or to contiguous keys of the same size. */
typedef struct tess__key_kernel {
    void (*keys)(void *keys, const void *in, int64_t n, const tess__order *order); /* may be in place */
    void (*numbers)(void *out, const void *keys, int64_t n, const tess__order *order);

    /* The number that a key stands for, n times. */
    void (*repeat)(void *out, int64_t n, uint64_t key, const tess__order *order);

    /* Keys with the indices first, first + 1 …: packed in one word, or as pairs if `wide`, and always if of 8 bytes.
     * Keys are canonical, as with tess__order.alike. */
    void (*pack)(void *items, const void *in, int64_t n, int64_t first, bool wide, const tess__order *order);

    /* out[i] = in[indices[i]] */
    void (*take)(void *out, const void *in, const int64_t *indices, int64_t n);

    /* The key that sorting would put at `rank`; `workspace` holds n keys. */
    uint64_t (*select)(const void *keys, int64_t n, int64_t rank, void *workspace);

    /* The number of keys >= min. */
    int64_t (*count_from)(const void *keys, int64_t n, uint64_t min);

    /* The number of keys <= max; `*next` is the smallest above it, or UINT64_MAX. */
    int64_t (*count_to)(const void *keys, int64_t n, uint64_t max, uint64_t *next);

    /* Keys whose bits above `shift` are first to last, in order; `out` has capacity for one more than these. Returns
     * their number. */
    int64_t (*collect)(void *out, const void *keys, int64_t n, int shift, uint64_t first, uint64_t last);

    /* Three-way partition: the keys below and those above a key, in order; each output has capacity for n. */
    void (*split)(void *below, void *above, const void *keys, int64_t n, uint64_t key, int64_t *n_below,
                  int64_t *n_above);
} tess__key_kernel;

/* Splitters of a sample sort, as a table: the bucket of a key by some of its bits, in the order of keys. */
enum { TESS__BUCKET_BITS = 16, TESS__BUCKETS = 256 };

typedef struct tess__splitters {
    int      shift;
    uint64_t mask;
    bool     large; /* items exceed the caches */
    uint8_t  of[1 << TESS__BUCKET_BITS];
} tess__splitters;

/* What is sorted: keys of 1 to 8 bytes, words with a key above an index, or pairs. The sort is stable by the bits from
 * `low` on. It may compare the bits below too: these are 0, or indices, which rise. */
typedef struct tess__item_kernel {
    /* `workspace` holds n items; returns where the result is, one of the two. */
    void *(*sort)(void *items, void *workspace, int64_t n, int low);

    /* The bits in which some key differs from that of the first item. */
    uint64_t (*varying)(const void *items, int64_t n, const void *first);

    /* Bucket counts; and the scatter of items to their buckets, from these indices on. */
    void (*count)(const void *items, int64_t n, const tess__splitters *by, int64_t *counts);
    void (*scatter)(void *out, const void *items, int64_t n, const tess__splitters *by, int64_t *indices);

    bool divides; /* the sort is a quicksort: its parts come to fit in the caches */
} tess__item_kernel;

/* Keys by the logarithm of their size in bytes, 0 to 3; items, 0 to 4. */
enum { TESS__KEY_SIZES = 4, TESS__ITEM_SIZES = 5 };

static inline int tess__log2_size(int64_t size) { return __builtin_ctzll((uint64_t)size); }

/* Filled by kernels_sort.c. */
typedef struct tess__sort_kernels {
    const tess__key_kernel  *key[TESS__KEY_SIZES];
    const tess__item_kernel *item[TESS__ITEM_SIZES];
} tess__sort_kernels;

#endif
