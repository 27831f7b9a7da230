/* Kernels of indexing: gather and scatter, compress and expand by mask, binary search, histogram bins. */
#ifndef TESS_CPU_INDEX_KERNELS_H
#define TESS_CPU_INDEX_KERNELS_H

#include "cpu/row_kernel.h"
#include "requests/take_put.h"

/* Indices along an axis of n, negative ones from the end, as offsets: o[i] = index * step + i * next. */
typedef void tess__offsets_fn(int64_t *o, const int64_t *indices, int64_t count, int64_t n, int64_t step, int64_t next);

/* Indices through a whole array of n, negative ones from the end, as offsets. */
typedef void tess__whole_offsets_fn(int64_t *o, const int64_t *indices, int64_t count, int64_t n,
                                    const tess__whole *whole);

/* Number of the first index that is out of range for an axis of n; count if there is none. */
typedef int64_t tess__bad_index_fn(const int64_t *indices, int64_t count, int64_t n);

/* Gather and scatter of elements of `size` bytes. Strides and offsets are in bytes. */
typedef void tess__gather_fn(char *out, int64_t so, const char *in, const int64_t *offset, int64_t n, int64_t size);
typedef void tess__scatter_fn(char *out, const int64_t *offset, const char *in, int64_t si, int64_t n, int64_t size);

/* Gather of contiguous elements at indices along a contiguous axis of n, negative ones from the end. */
typedef void tess__pick_fn(char *out, const char *in, const int64_t *indices, int64_t count, int64_t n);

/* Scatter-add of elements that are `reals` reals each. */
typedef void tess__add_at_fn(char *out, const int64_t *offset, const char *in, int64_t si, int64_t n, int64_t reals);

/* Compress: stores the elements whose mask, a byte, is not 0, contiguously; returns how many. There are at most
 * `capacity` of them, and no more is written. Strides are in bytes. */
typedef int64_t tess__compress_fn(char *out, int64_t capacity, const char *in, int64_t si, const uint8_t *mask,
                                  int64_t n, int64_t size);

/* Expand, the inverse: contiguous elements to where the mask is set. */
typedef int64_t tess__expand_fn(char *out, int64_t so, const char *in, const uint8_t *mask, int64_t n, int64_t size);

/* The indices `first` + i of set bytes of a mask. */
typedef int64_t tess__indices_fn(int64_t *out, int64_t first, const uint8_t *mask, int64_t n);

/* Binary search: where each of m values would be inserted into a sorted row of n. */
typedef void tess__search_fn(int64_t *out, const void *sorted, int64_t n, const void *values, int64_t m, bool right);

/* Bins of equal widths, for elements of one float type. */
typedef struct tess__bins {
    double      low, high;
    double      scale; /* (x - low) * scale, truncated, is the bin or, unless `exact`, the one before */
    const void *next;  /* where the next bin begins; NaN for the last, and for elements outside all bins */
    int32_t     n;
    bool        exact;
} tess__bins;

/* The bin of each element; n if it is in none. */
typedef void tess__bins_fn(int32_t *bin, const void *x, int64_t n, const tess__bins *bins);

/* Filled by kernels_index.c and kernels_search.c. */
typedef struct tess__index_kernels {
    tess__offsets_fn       *offsets;
    tess__whole_offsets_fn *whole_offsets;
    tess__bad_index_fn     *bad_index;
    tess__gather_fn        *gather[TESS__SIZE_CLASSES];
    tess__scatter_fn       *scatter[TESS__SIZE_CLASSES];
    tess__pick_fn          *pick[TESS__ANY_SIZE];
    tess__add_at_fn        *add_at[TESS__REALS];
    tess__compress_fn      *compress[TESS__SIZE_CLASSES];
    tess__expand_fn        *expand[TESS__SIZE_CLASSES];
    tess__indices_fn       *indices;
    int64_t (*count_set)(const uint8_t *mask, int64_t n); /* bytes that are not 0 */
    tess__search_fn *search[TESS__REALS];                 /* i32 to u64, f32, f64 */
    tess__bins_fn   *bins[TESS__REALS];                   /* f32, f64 */
} tess__index_kernels;

#endif
