/* Reductions of corrected images over images, sections, rows and columns. */
#ifndef TESSERA_MOVIES_REDUCTION_H
#define TESSERA_MOVIES_REDUCTION_H

#include "files/slab_pipeline.h"
#include "movies/correction.h"

typedef enum reduce_method { REDUCE_MEAN, REDUCE_SUM, REDUCE_SD, REDUCE_MIN, REDUCE_MAX, REDUCE_MEDIAN } reduce_method;

/* Sections come one by one, in their order, so that results do not depend on the slabs. */
typedef struct reduction {
    reduce_method method;
    int           axes, plane; /* all, and those of a section */
    int64_t       group;       /* volumes (or images) that become one */
    tess_shape    in, out;
    tess_dtype    dtype;    /* of the result */
    tess_array    total;    /* f64 {1,out.d,out.h,out.w}: sum, mean, minimum or maximum so far */
    tess_array    variance; /* REDUCE_SD: sum of squared distances from the mean */
    tess_camera   correction;
    double        count; /* elements in each of `total` so far */
    tess_op      *combine, *finish;
    output        file;
} reduction;

/* Operators, as texts, that take a section into the total, and that make the result of it. */
const char *reduction_combine(reduce_method m);
const char *reduction_finish(reduce_method m);

/* A step of stream_slabs: adds the sections of a slab, and writes each group that is complete. */
tess_status reduction_add(void *reduction, tess_array *out, const tess_array *in, const slab *s);

/* The same for medians of images and whole volumes, each by itself. */
tess_status reduction_median(void *reduction, tess_array *out, const tess_array *in, const slab *s);

#endif
