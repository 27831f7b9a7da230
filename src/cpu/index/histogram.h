/* Bin lookup of histograms: the bins, and the bin of an element. */
#ifndef TESS_CPU_INDEX_HISTOGRAM_H
#define TESS_CPU_INDEX_HISTOGRAM_H

#include "cpu/index/kernels.h"
#include "requests/histogram.h"

typedef struct tess__binning {
    tess_dtype dtype;    /* of the elements that are binned */
    bool       direct;   /* elements are read without conversion */
    bool       mapped;   /* lookup table of all values: elements are bytes */
    bool       searched; /* binary search, elements being f64 */
    bool       single;   /* edges are f32 */
    tess__bins equal;    /* equal bins, by multiplication; otherwise unused */
    int64_t    n;        /* bins */
    double    *edges;    /* n + 1 */
    int32_t    map[256];
    void      *memory; /* to be freed */
} tess__binning;

/* The edges, checked if they are the caller's, and the fastest lookup that is exact. */
tess_status tess__make_binning(tess__binning *b, const tess__histogram *work);

/* The bin of each of up to 512 contiguous elements; n of the binning if it is in none. */
void tess__find_bins(const tess__binning *b, int32_t *bin, const void *x, int64_t n);

/* As in NumPy: for f32 edges, rounded to f32. */
double tess__bin_width(const tess__binning *b, int64_t bin);

#endif
