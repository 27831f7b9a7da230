/* Origins converted to positions, a row at a time, and their bucket sort into tiles by counting. */
#include "cpu/resize/tiling.h"

#include <string.h>

#include "core/array/layout.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/convert/convert.h"
#include "cpu/runtime/workspace.h"

/* Bytes of a tile. Windows that begin in it reach out of it by their own size, and a second cache holds 1 or 2 MiB. */
enum { TILE = 1 << 18, ROWS_LONGER = 4 };

static int64_t clamped(int64_t x)
{
    return x > TESS__MAX_BYTES ? TESS__MAX_BYTES : x < -TESS__MAX_BYTES ? -TESS__MAX_BYTES : x;
}

void tess__read_origins(tess__position *out, const tess_array *origins, int64_t first, int64_t n, int64_t batches)
{
    const tess__conversion c = tess__conversion_of(origins->dtype, TESS_I64, TESS__CLAMP, TESS_PART_DEFAULT);
    const int64_t          k = origins->shape.w, size = tess__dtype_size(origins->dtype);
    const int64_t          strides[2] = { 1, origins->strides.w };
    for (int64_t i = 0; i < n; i++) {
        int64_t    *at = out[i].at;
        char *const row = (char *)origins->data + (first + i) * origins->strides.b * size;
        out[i].number = first + i;
        at[0] = batches == 1 ? 0 : first + i;
        at[1] = 0;
        c.row((char *[]){ (char *)(at + 4 - k), row }, strides, k, &c);
        for (int axis = 0; axis < 4; axis++) at[axis] = clamped(at[axis]);
    }
}

/* ---- Tiles ---- */

int64_t tess__count_tiles(const tess__tiling *tiling)
{
    return tiling->n[0] * tiling->n[1] * tiling->n[2] * tiling->n[3];
}

/* The axis along which a tile can be made larger: rows first, since dividing these costs most, and since cache lines of
 * many rows may share few sets of a cache; then all equally. -1: none, without leaving the cache. */
static int axis_to_double(const int64_t size[4], const tess_shape *array, const int64_t window[4], int64_t bytes)
{
    int best = -1;
    for (int k = 3; k >= 0; k--) {
        if (size[k] == array->dim[k]) continue;
        if (best < 0 || ROWS_LONGER * (size[k] / window[k]) < size[best] / window[best]) best = k;
    }
    const int64_t doubled = size[0] * size[1] * size[2] * size[3] * 2;
    return best >= 0 && doubled <= TILE / bytes ? best : -1;
}

static void set_size(tess__tiling *t, const tess_shape *array, int k, int64_t size)
{
    t->size[k] = size;
    t->n[k] = (array->dim[k] - 1) / size + 1;
}

/* The axis with the most tiles. */
static int axis_to_join(const tess__tiling *t)
{
    int best = 0;
    for (int k = 1; k < 4; k++)
        if (t->n[k] > t->n[best]) best = k;
    return best;
}

tess__tiling tess__cut_into_tiles(const tess_shape *array, const int64_t window[4], int64_t bytes, int64_t min,
                                  int64_t max)
{
    tess__tiling t;
    int          k;
    for (k = 0; k < 4; k++) set_size(&t, array, k, tess__min(window[k], array->dim[k]));
    while ((k = axis_to_double(t.size, array, window, bytes)) >= 0)
        set_size(&t, array, k, tess__min(2 * t.size[k], array->dim[k]));
    while (tess__count_tiles(&t) > max) {
        k = axis_to_join(&t);
        set_size(&t, array, k, tess__min(2 * t.size[k], array->dim[k]));
    }
    while (tess__count_tiles(&t) < min) {
        for (k = 0; k < 3 && t.size[k] == 1;) k++;
        if (t.size[k] == 1) break;
        set_size(&t, array, k, (t.size[k] + 1) / 2);
    }
    return t;
}

/* ---- Bucket sort ---- */

/* The first and the last tile along each axis that a window touches. */
typedef struct touched {
    int64_t first[4], last[4];
} touched;

static touched find_touched(const tess__tiling *t, const int64_t window[4], const int64_t at[4])
{
    touched found;
    for (int k = 0; k < 4; k++) {
        const int64_t end = t->size[k] * t->n[k] - 1, from = at[k], to = at[k] + window[k] - 1;
        found.first[k] = (from < 0 ? 0 : tess__min(from, end)) / t->size[k];
        found.last[k] = (to < 0 ? 0 : tess__min(to, end)) / t->size[k];
    }
    return found;
}

static int64_t count_touched(const touched *found)
{
    int64_t n = 1;
    for (int k = 0; k < 4; k++) n *= found->last[k] - found->first[k] + 1;
    return n;
}

/* The number of the i-th of these tiles. */
static int64_t tile_of(const tess__tiling *t, const touched *found, int64_t i)
{
    int64_t index[4], tile = 0;
    for (int k = 3; k >= 0; k--) {
        const int64_t n = found->last[k] - found->first[k] + 1;
        index[k] = found->first[k] + i % n;
        i /= n;
    }
    for (int k = 0; k < 4; k++) tile = tile * t->n[k] + index[k];
    return tile;
}

void tess__scatter_to_buckets(tess__bucketed *bucketed, const tess__tiling *tiling, const int64_t window[4],
                              const tess__position *positions, int64_t n)
{
    const int64_t tiles = tess__count_tiles(tiling);
    int64_t      *next = bucketed->first + 1; /* where the next entry of a tile goes */
    memset(bucketed->first, 0, (size_t)(tiles + 2) * sizeof *bucketed->first);
    for (int64_t i = 0; i < n; i++) {
        const touched found = find_touched(tiling, window, positions[i].at);
        for (int64_t k = count_touched(&found) - 1; k >= 0; k--) next[tile_of(tiling, &found, k) + 1]++;
    }
    for (int64_t t = 1; t <= tiles; t++) next[t] += next[t - 1];
    for (int64_t i = 0; i < n; i++) {
        const touched found = find_touched(tiling, window, positions[i].at);
        for (int64_t k = count_touched(&found) - 1; k >= 0; k--)
            bucketed->index[next[tile_of(tiling, &found, k)]++] = (int32_t)i;
    }
}

tess_status tess__list_positions(const char *fn, tess__position **positions, int64_t n)
{
    const size_t bytes = (size_t)n * sizeof **positions;
    *positions = tess__alloc(bytes);
    TESS_CHECK(*positions, TESS_ENOMEM, "%s: no memory for %zu bytes of origins", fn, bytes);
    return TESS_OK;
}

tess_status tess__list_tiles(const char *fn, tess__bucketed *bucketed, const tess__tiling *tiling,
                             const int64_t window[4], int64_t n)
{
    int64_t entries = n;
    for (int k = 0; k < 4; k++) entries *= tess__min((window[k] - 1) / tiling->size[k] + 2, tiling->n[k]);
    const size_t tiles = tess__aligned_size(tess__count_tiles(tiling) + 2, sizeof *bucketed->first),
                 bytes = tiles + tess__aligned_size(entries, sizeof *bucketed->index);
    char *memory = tess__alloc(bytes);
    TESS_CHECK(memory, TESS_ENOMEM, "%s: no memory for %zu bytes of lists of origins", fn, bytes);
    *bucketed = (tess__bucketed){ (int64_t *)(void *)memory, (int32_t *)(void *)(memory + tiles) };
    return TESS_OK;
}
