/* Greedy non-maximum suppression of the local maxima of maps. */
#ifndef TESS_REQUESTS_PEAKS_H
#define TESS_REQUESTS_PEAKS_H

#include "tessera/array.h"

/* Plain data. Arrays are contiguous and on the host. */
typedef struct tess__peaks {
    const char *name;
    tess_array  heights;  /* f64 {1,1,1,n}: of the candidates */
    tess_array  indices;  /* i64 {1,1,1,n}: where they are in maps of `shape`, rising */
    tess_array  kept;     /* i64 {1,1,1,n}: receives the indices of those that are kept, batch by batch */
    tess_array  count;    /* i64 {1,1,1,1}: receives how many they are */
    tess_shape  shape;    /* of all maps */
    double      distance; /* pixels */
    int64_t     max;      /* of a batch; 0: all */
} tess__peaks;

#endif
