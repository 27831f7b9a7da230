/* Random numbers on the CPU: arrays as sequences in b, d, h, w order, and random permutations. */
#ifndef TESS_CPU_RANDOM_RANDOM_H
#define TESS_CPU_RANDOM_RANDOM_H

#include "cpu/convert/convert.h"
#include "cpu/row_kernel.h"
#include "requests/ewise.h"
#include "requests/random.h"

/* An array's elements as a sequence, between memory and a buffer that may be of another dtype. */
typedef struct tess__ordered {
    char            *data;
    int              n_dims;
    int64_t          shape[4], stride[4]; /* adjacent dimensions that are contiguous are merged */
    int64_t          size, buffer_size;   /* bytes of an element */
    bool             same;                /* dtypes */
    tess__element    element;             /* its size alone */
    tess__conversion conversion;
    tess__row_fn    *row;
} tess__ordered;

/* `a` is broadcast to the shape; it is to be read into a buffer, or written from one. */
tess__ordered tess__ordered_of(const tess_array *a, tess_shape shape, tess_dtype buffer, bool to_buffer);

/* n elements from number `first` on. */
void tess__ordered_put(const tess__ordered *o, const void *buffer, int64_t first, int64_t n);

/* A random permutation into work->out. */
void tess__make_order(const tess__random *work);

#endif
