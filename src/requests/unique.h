/* The distinct elements of an array. */
#ifndef TESS_REQUESTS_UNIQUE_H
#define TESS_REQUESTS_UNIQUE_H

#include "tessera/array.h"

/* The different elements of an array, in two steps. */
enum {
    TESS__UNIQUE_SORT, /* `keys` and `order` of all elements, sorted, and how many different ones there are */
    TESS__UNIQUE_WRITE /* the results, from these */
};

/* Plain data. Arrays whose data is NULL are not wanted. All but `in` and `inverse` are contiguous. */
typedef struct tess__unique {
    const char *name;
    int32_t     kind; /* a TESS__UNIQUE_ */
    tess_array  in;
    tess_array  keys;  /* unsigned integers of the size of elements, which have their order */
    tess_array  order; /* i64: their indices */
    tess_array  values, counts, indices;
    tess_array  inverse; /* of the shape of in */
    int64_t    *n_unique;
} tess__unique;

#endif
