/* Statistics of images, added up image by image in their order: the same whatever number of them is read at a time. */
#ifndef TESS_JOBS_STACK_STATISTICS_IMAGE_STATISTICS_H
#define TESS_JOBS_STACK_STATISTICS_IMAGE_STATISTICS_H

#include "tessera/array.h"

typedef struct tess__image_statistics {
    int64_t n; /* values that are not NaN */
    int64_t n_nan, n_inf;
    double  min, max, mean;
    double  m2;                   /* sum of squared distances from the mean */
    int64_t argmin[3], argmax[3]; /* x, y, and the number of the image */
} tess__image_statistics;

/* Of one image each: images {n,1,h,w} of real numbers, the first of which has this number. NaNs are left out. */
tess_status tess__image_statistics_of(tess__image_statistics *each, const tess_array *images, int64_t first);

/* Adds what comes behind it; a zeroed struct is nothing. */
void tess__image_statistics_add(tess__image_statistics *sum, const tess__image_statistics *next);

/* The standard deviation; NaN of nothing. */
double tess__image_statistics_sd(const tess__image_statistics *t);

#endif
