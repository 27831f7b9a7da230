/* Argsort of keys: with their indices in the low bits of a word, or in pairs, by the item kernels. */
#include "cpu/sort/argsort.h"

#include <string.h>

#include "core/device/memory.h"
#include "cpu/isa.h"
#include "cpu/runtime/workspace.h"
#include "cpu/sort/sample_sort.h"
#include "tessera/device.h"

/* Is it sorted by all threads? */
static bool is_long(int64_t n) { return n >= TESS__SAMPLE_SORT_MIN && tess_threads_get() > 1; }

/* n items of `size` bytes by their bits from `low` on; the tables of a parallel sort are behind the workspace of as
 * many. Where they are in the end. */
static void *sort_items(void *items, int64_t n, int64_t size, int low, char *workspace)
{
    const tess__item_kernel *kernel = tess__cpu_kernels()->sort.item[tess__log2_size(size)];
    if (!is_long(n)) return kernel->sort(items, workspace, n, low);
    tess__sample_sort(kernel, &(tess__long_vector){ .items = items,
                                                    .workspace = workspace,
                                                    .memory = workspace + tess__aligned_size(n, size),
                                                    .n = n,
                                                    .size = size,
                                                    .low = low });
    return items;
}

static void sort_keys(void *keys, void *workspace, int64_t n, int64_t size)
{
    void *sorted = sort_items(keys, n, size, 0, workspace);
    if (sorted != keys) memcpy(keys, sorted, (size_t)(n * size));
}

/* Keys and indices from packed words; `size` is a constant. */
static inline void unpack(char *keys, int64_t *indices, const uint64_t *words, int64_t n, size_t size)
{
    for (int64_t i = 0; i < n; i++) {
        const uint32_t key = (uint32_t)(words[i] >> TESS__INDEX_BITS);
        const uint16_t half = (uint16_t)key;
        const uint8_t  byte = (uint8_t)key;
        memcpy(keys + i * (int64_t)size,
               size == 4   ? (const void *)&key
               : size == 2 ? (const void *)&half
                           : &byte,
               size);
        indices[i] = (uint32_t)words[i];
    }
}

static void sort_words(char *keys, int64_t *indices, uint64_t *words, int64_t n, int64_t size)
{
    const tess__order order = { .size = (int)size, .kind = TESS__KEY_UNSIGNED };
    tess__cpu_kernels()->sort.key[tess__log2_size(size)]->pack(words, keys, n, 0, false, &order);
    const uint64_t *sorted = sort_items(words, n, sizeof *words, TESS__INDEX_BITS, (char *)(words + n));
    if (size == 1) unpack(keys, indices, sorted, n, 1);
    else if (size == 2) unpack(keys, indices, sorted, n, 2);
    else unpack(keys, indices, sorted, n, 4);
}

static void sort_pairs(char *keys, int64_t *indices, tess__pair *pairs, int64_t n, int64_t size)
{
    for (int64_t i = 0; i < n; i++) {
        pairs[i] = (tess__pair){ .index = (uint64_t)i };
        memcpy(&pairs[i].key, keys + i * size, (size_t)size);
    }
    const tess__pair *sorted = sort_items(pairs, n, sizeof *pairs, 0, (char *)(pairs + n));
    for (int64_t i = 0; i < n; i++) {
        memcpy(keys + i * size, &sorted[i].key, (size_t)size);
        indices[i] = (int64_t)sorted[i].index;
    }
}

tess_status tess__argsort_keys(const char *fn, void *keys, int64_t *indices, int64_t n, int64_t size)
{
    const bool   wide = size == 8 || n >> TESS__INDEX_BITS != 0;
    const size_t each = !indices ? (size_t)size : 2 * (wide ? sizeof(tess__pair) : sizeof(uint64_t));
    const size_t bytes = (size_t)n * each + (is_long(n) ? 64 + tess__sample_sort_size() : 0);
    void        *workspace = tess__alloc(bytes ? bytes : 1);
    TESS_CHECK(workspace, TESS_ENOMEM, "%s: no memory for %zu bytes of workspace", fn, bytes);
    if (!indices) sort_keys(keys, workspace, n, size);
    else if (wide) sort_pairs(keys, indices, workspace, n, size);
    else sort_words(keys, indices, workspace, n, size);
    tess__free(workspace);
    return TESS_OK;
}
