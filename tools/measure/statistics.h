/* Statistics of images, gathered image by image in their order: the same whatever number of them is read at a time. */
#ifndef TESSERA_MEASURE_STATISTICS_H
#define TESSERA_MEASURE_STATISTICS_H

#include "files/input.h"

typedef struct statistics {
    int64_t n; /* values that are not NaN */
    int64_t n_nan, n_inf;
    double  min, max, mean;
    double  m2;                   /* sum of squared distances from the mean */
    int64_t argmin[3], argmax[3]; /* x, y, and the number of the image */
} statistics;

/* Of one image each: images {n,1,h,w} of real numbers, the first of which has this number. NaNs are left out. */
tess_status statistics_images(statistics *each, const tess_array *images, int64_t first);

/* Add what comes behind it; a zeroed statistics is nothing. */
void statistics_add(statistics *sum, const statistics *next);

/* The standard deviation; NaN of nothing. */
double statistics_sd(const statistics *t);

/* Of all of an input, read part by part with a progress line. */
tess_status statistics_input(statistics *sum, job *j, input *in);

#endif
