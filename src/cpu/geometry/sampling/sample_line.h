/* A row of results of a transform, and what it is made of. */
#ifndef TESS_CPU_GEOMETRY_SAMPLING_SAMPLE_LINE_H
#define TESS_CPU_GEOMETRY_SAMPLING_SAMPLE_LINE_H

#include "formulas/geometry/transform.op.h"

typedef struct tess__transform_line {
    void                         *out;
    int64_t                       stride; /* in elements */
    const tess__transform_source *source;
    tess__transform_row           row;
    int                           dims, parts; /* parts: 2 reals of a complex element */
    int                           method;      /* a tess_interp */
} tess__transform_line;

#endif
