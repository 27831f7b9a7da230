/* Arithmetic on shapes and strides; every product is checked for overflow. */
#ifndef TESS_CORE_ARRAY_LAYOUT_H
#define TESS_CORE_ARRAY_LAYOUT_H

#include "core/dtype.h"
#include "tessera/array.h"

_Static_assert(sizeof(tess_shape) == 4 * sizeof(int64_t), "loops here rely on four dimensions");

/* Offsets and byte counts stay below this, so that sums of a few of them cannot overflow. */
#define TESS__MAX_BYTES (INT64_C(1) << 60)

static inline int64_t tess__magnitude(int64_t x) { return x < 0 ? -x : x; }

/* `*n` = product of the sizes; false if it, times `element` bytes, goes beyond TESS__MAX_BYTES. Sizes are >= 0. A 0
 * anywhere gives 0, but the other sizes must still be within it. */
static inline bool tess__count(const int64_t dim[4], int64_t element, int64_t *n)
{
    int64_t product = 1, bytes;
    bool    overflow = false, empty = false;
    for (int k = 0; k < 4; k++) {
        empty |= dim[k] == 0;
        overflow |= __builtin_mul_overflow(product, dim[k] == 0 ? 1 : dim[k], &product);
    }
    overflow |= __builtin_mul_overflow(product, element, &bytes) || bytes > TESS__MAX_BYTES;
    *n = empty ? 0 : product;
    return !overflow;
}

/* Sizes that are not negative, and so small that no product of them can overflow: the fast path. */
static inline bool tess__small_sizes(const int64_t dim[4]) { return (dim[0] | dim[1] | dim[2] | dim[3]) >> 13 == 0; }

static inline bool tess__sizes_have_elements(const tess_shape *n) { return n->b && n->d && n->h && n->w; }

/* Of an allocated array. */
static inline bool tess__has_elements(const tess_array *a) { return tess__sizes_have_elements(&a->shape); }

static inline int64_t tess__elements(const tess_array *a) { return a->shape.b * a->shape.d * a->shape.h * a->shape.w; }

/* Contiguous in C order; of an array that has elements. */
static inline bool tess__is_contiguous(const tess_array *a)
{
    int64_t inner = 1;
    for (int k = 3; k >= 0; k--) {
        if (a->shape.dim[k] != 1 && a->strides.dim[k] != inner) return false;
        inner *= a->shape.dim[k];
    }
    return true;
}

static inline bool tess__same_sizes(const tess_shape *a, const tess_shape *b)
{
    return ((a->b ^ b->b) | (a->d ^ b->d) | (a->h ^ b->h) | (a->w ^ b->w)) == 0;
}

static inline bool tess__all_ones(const tess_shape *n)
{
    return (n->b | n->d | n->h | n->w) == 1 && (n->b & n->d & n->h & n->w) == 1;
}

/* Where arrays can be walked as one row, since the first is contiguous and each of the others has the same layout or
 * one element: the number of elements. Otherwise 0, and for arrays of no elements. Most calls are such: the fast path
 * of the checks and the plan. Of allocated arrays. */
static inline int64_t tess__row_of(const tess_array *first, const tess_array *const *others, int n)
{
    if (!tess__is_contiguous(first)) return 0;
    const tess_strides *s = &first->strides;
    for (int k = 0; k < n; k++) {
        const tess_strides *t = &others[k]->strides;
        const bool          alike = tess__same_sizes(&first->shape, &others[k]->shape) &&
                           ((s->b ^ t->b) | (s->d ^ t->d) | (s->h ^ t->h) | (s->w ^ t->w)) == 0;
        if (!alike && !tess__all_ones(&others[k]->shape)) return 0;
    }
    return tess__elements(first);
}

/* Are two contiguous arrays, of at most n_a and n_b elements, disjoint? */
static inline bool tess__rows_disjoint(const tess_array *a, int64_t n_a, const tess_array *b, int64_t n_b)
{
    const uintptr_t at_a = (uintptr_t)a->data, at_b = (uintptr_t)b->data;
    return at_a + (uintptr_t)(n_a * tess__dtype_size(a->dtype)) <= at_b ||
           at_b + (uintptr_t)(n_b * tess__dtype_size(b->dtype)) <= at_a;
}

/* Offsets, in elements from data, of the lowest and highest element of a view that is not empty. */
static inline void tess__extent(const tess_array *a, int64_t *lowest, int64_t *highest)
{
    *lowest = *highest = 0;
    for (int k = 0; k < 4; k++) {
        const int64_t reach = (a->shape.dim[k] - 1) * a->strides.dim[k];
        if (reach < 0) *lowest += reach;
        else *highest += reach;
    }
}

/* True if the bytes from the first to the last element of one lie before those of the other; of allocated arrays.
 * False for some arrays of no elements. */
static inline bool tess__disjoint(const tess_array *a, const tess_array *b)
{
    int64_t low_a, high_a, low_b, high_b;
    tess__extent(a, &low_a, &high_a);
    tess__extent(b, &low_b, &high_b);
    const int64_t   size_a = tess__dtypes[a->dtype].size, size_b = tess__dtypes[b->dtype].size;
    const uintptr_t at_a = (uintptr_t)a->data, at_b = (uintptr_t)b->data;
    return at_a + (uintptr_t)((high_a + 1) * size_a) <= at_b + (uintptr_t)(low_b * size_b) ||
           at_b + (uintptr_t)((high_b + 1) * size_b) <= at_a + (uintptr_t)(low_a * size_a);
}

/* tess__extent for strides that nobody has checked yet; false if an offset leaves the range that can be addressed. */
bool tess__extent_checked(const int64_t shape[4], const int64_t strides[4], int64_t element, int64_t *lowest,
                          int64_t *highest);

/* Strides of a view with another shape onto the same elements in b, d, h, w order; false if there are none. Both
 * shapes have the same number of elements. */
bool tess__reshape_strides(const tess_array *a, tess_shape shape, tess_strides *strides);

/* True if both name exactly the same elements at the same indices. */
bool tess__same_view(const tess_array *a, const tess_array *b);

#endif
