/* The Euclidean distance transform. */
#ifndef TESS_REQUESTS_GEOMETRY_DISTANCES_H
#define TESS_REQUESTS_GEOMETRY_DISTANCES_H

#include "tessera/array.h"

/* Plain data; not empty. */
typedef struct tess__distances {
    const char *name;
    tess_array  out;      /* f32 or f64 */
    tess_array  in;       /* bool, of its shape */
    double      step2[4]; /* squares of the distances of neighbours, of axes 1 to 3 */
    bool        target;   /* to which value of `in` */
    bool        squared;
} tess__distances;

/* The number of batches worked on together, whose squares are in a workspace of about this many bytes. */
enum { TESS__DISTANCE_BYTES = 128 << 20 };

static inline int64_t tess__distance_batches(const tess_shape *shape)
{
    const int64_t bytes = shape->d * shape->h * shape->w * (int64_t)sizeof(double), n = TESS__DISTANCE_BYTES / bytes;
    return n < 1 ? 1 : n < shape->b ? n : shape->b;
}

#endif
