/* Matrices of arrays {B,D,M,N} as linear algebra reads and writes them: by vectors of f64 or c64. */
#ifndef TESS_CPU_LINALG_MATRICES_H
#define TESS_CPU_LINALG_MATRICES_H

#include "cpu/convert/convert.h"
#include "tessera/array.h"

/* An array and how its rows are converted. */
typedef struct tess__matrices {
    tess__conversion conversion;
    int64_t          strides[2]; /* of rows and columns, in elements */
    int64_t          size;       /* bytes of an element */
} tess__matrices;

tess__matrices tess__matrices_of(const tess_array *a, tess_dtype from, tess_dtype to);

/* n elements, `stride` apart, to a vector of elements `step` apart. */
static inline void tess__load_vector(const tess__matrices *m, void *vector, int64_t step, const char *from,
                                     int64_t stride, int64_t n)
{
    const int64_t strides[2] = { step, stride };
    char *const   p[2] = { vector, (char *)(uintptr_t)from };
    m->conversion.row(p, strides, n, &m->conversion);
}

static inline void tess__put_vector(const tess__matrices *m, char *to, int64_t stride, void *vector, int64_t step,
                                    int64_t n)
{
    const int64_t strides[2] = { stride, step };
    char *const   p[2] = { to, vector };
    m->conversion.row(p, strides, n, &m->conversion);
}

/* Where the matrix of problem `index` of {B,D,1,1} begins; one matrix may be broadcast to several. */
static inline char *tess__matrix_at(const tess__matrices *m, const tess_array *a, int64_t index, tess_shape batches)
{
    const int64_t b = a->shape.b == 1 ? 0 : index / batches.d, d = a->shape.d == 1 ? 0 : index % batches.d;
    return (char *)a->data + (b * a->strides.b + d * a->strides.d) * m->size;
}

/* 2^exponent: one after the other, the second of which is 1 unless numbers become larger by more than the range of
 * powers. Each element is rounded once. */
typedef struct tess__power {
    double first, second;
} tess__power;

tess__power tess__power_of_two(int exponent);

/* The order of decreasing sizes. */
void tess__sort_falling(const double *size, int64_t *order, int64_t n);

#endif
