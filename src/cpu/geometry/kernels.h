/* Table of the kernels of geometry: rows of transforms, B-spline coefficients. */
#ifndef TESS_CPU_GEOMETRY_KERNELS_H
#define TESS_CPU_GEOMETRY_KERNELS_H

#include <stdint.h>

/* n results of a row. Which of them go by the border does not change one that does not need it. */
struct tess__transform_line;
typedef void tess__transform_fn(const struct tess__transform_line *line, int64_t n);

/* The coefficients of some vectors. */
struct tess__prefilter_lines;
typedef void tess__prefilter_fn(const struct tess__prefilter_lines *lines);

/* Filled by kernels_prefilter.c and kernels_transform.c. */
typedef struct tess__geometry_kernels {
    tess__transform_fn *transform[2]; /* of reals f32, f64 */
    tess__prefilter_fn *prefilter[2]; /* the same */
} tess__geometry_kernels;

#endif
