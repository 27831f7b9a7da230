/* Runs of small vectors and matrices: what operations hand to the functions of them. */
#ifndef TESS_REQUESTS_ITEM_RUN_H
#define TESS_REQUESTS_ITEM_RUN_H

#include <stdint.h>

enum { TESS__ITEM_BLOCK = 64 };

/* Numbers of items: number k of item i is at data[k across + i along]. */
typedef struct tess__item_numbers {
    double *data;
    int64_t across, along;
} tess__item_numbers;

/* n items. `out` may be exactly an input. */
typedef struct tess__item_run {
    tess__item_numbers out, in[2];
    const double      *val; /* n_val values, or sets of them */
    int64_t            n_val, n;
} tess__item_run;

#endif
