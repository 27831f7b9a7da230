/* A row of results of a transform, and what it is made of. */
#ifndef TESS_CPU_GEOMETRY_SAMPLING_SAMPLE_LINE_H
#define TESS_CPU_GEOMETRY_SAMPLING_SAMPLE_LINE_H

#include "core/dtype.h"
#include "formulas/geometry/transform.op.h"
#include "tessera/array.h"

/* Windows along w, where they are the same for all rows of a transform. */
typedef struct tess__transform_columns {
    int64_t  begin, end; /* results whose windows along w are inside */
    int32_t *index;      /* of each of them, the first element of the window, */
    void    *weights;    /* and its weights: number k of result i at [k * (end - begin) + i] */
} tess__transform_columns;

/* Rows of the input, summed over these windows, that a thread keeps for the next rows of results. Those of a window
 * along h and d never share a place. */
typedef struct tess__transform_kept {
    const char *row[TESS__TRANSFORM_TAPS * TESS__TRANSFORM_TAPS]; /* of the input; NULL: none */
    void       *sums;                                             /* one place after the other */
} tess__transform_kept;

typedef struct tess__transform_line {
    void                          *out;
    int64_t                        stride; /* in elements */
    const tess__transform_source  *source;
    tess__transform_row            row;
    int                            dims, parts; /* parts: 2 reals of a complex element */
    int                            method;      /* a tess_interp */
    const tess__transform_columns *columns;     /* NULL: windows along w are not the same for all rows */
    tess__transform_kept          *kept;
} tess__transform_line;

/* The image or volume of a batch; one is for all batches. */
static inline tess__transform_source tess__source_of(const tess_array *in, int64_t batch, int32_t border,
                                                     const double outside[2])
{
    const int64_t          b = in->shape.b == 1 ? 0 : batch;
    tess__transform_source s = { .data = (const char *)in->data + b * in->strides.b * tess__dtype_size(in->dtype),
                                 .border = border,
                                 .outside = { outside[0], outside[1] } };
    for (int k = 0; k < 3; k++) {
        s.stride[k] = in->strides.dim[k + 1];
        s.shape[k] = in->shape.dim[k + 1];
    }
    return s;
}

#endif
