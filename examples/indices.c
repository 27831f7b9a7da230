/* Readings of a detector: the median without sorting, classes by thresholds, and readings that are too high, which a
 * mask selects for correction. */
#include <stdio.h>

#include "tessera.h"

enum { READINGS = 11, LIMITS = 3 };

static double readings[READINGS] = { 3, 14, 1, 99, 5, 9, 97, 6, 5, 3, 12 };
static double limits[LIMITS] = { 4, 10, 50 }; /* low, medium, high, beyond */

static tess_status show(const char *title, const tess_array *a)
{
    char text[512];
    TESS_TRY(tess_format(text, sizeof text, NULL, a, &(tess_format_opts){ .no_header = 1 }));
    printf("%-26s %s\n", title, text);
    return TESS_OK;
}

/* The middle one stands where sorting would put it; smaller ones before it and larger ones behind keep their order. */
static tess_status middle(const tess_array *x)
{
    tess_array parted = { 0 };
    double     median;
    TESS_TRY(tess_partition(&parted, x, READINGS / 2, 3));
    TESS_TRY(tess_get_f64(&median, &parted, 0, 0, 0, READINGS / 2));
    TESS_TRY(show("parted at the middle", &parted));
    printf("%-26s %g\n", "the middle one", median);
    tess_release(&parted);
    return TESS_OK;
}

/* Class k lies from limit k - 1 to below limit k. */
static tess_status classes(const tess_array *x, const tess_array *limit)
{
    tess_array class = { 0 };
    TESS_TRY(tess_searchsorted(&class, limit, x, &(tess_searchsorted_opts){ .right = 1 }));
    TESS_TRY(show("class of each", &class));
    tess_release(&class);
    return TESS_OK;
}

/* Readings beyond the last limit, and where they are; 90 less is what they should have been. */
static tess_status correct(tess_array *x, const tess_array *limit)
{
    tess_array last = { 0 }, beyond = { 0 }, values = { 0 }, indices = { 0 };
    TESS_TRY(tess_index(&last, limit, 3, LIMITS - 1));
    TESS_TRY(tess_greater(&beyond, x, &last));
    TESS_TRY(tess_compress(&values, &indices, x, &beyond));
    TESS_TRY(show("too high", &values));
    TESS_TRY(show("their indices", &indices));
    TESS_TRY(tess_sub(&values, &values, &tess_num(90)));
    TESS_TRY(tess_put(x, &values, &indices, 3, NULL));
    TESS_TRY(show("corrected", x));
    tess_release(&beyond);
    tess_release(&values);
    tess_release(&indices);
    return TESS_OK;
}

static tess_status run(void)
{
    tess_array x = { 0 }, limit = { 0 };
    TESS_TRY(tess_wrap(&x, readings, TESS_SHAPE(1, 1, 1, READINGS), TESS_F64, NULL));
    TESS_TRY(tess_wrap(&limit, limits, TESS_SHAPE(1, 1, 1, LIMITS), TESS_F64, NULL));
    TESS_TRY(show("readings", &x));
    TESS_TRY(middle(&x));
    TESS_TRY(classes(&x, &limit));
    TESS_TRY(correct(&x, &limit));
    tess_release(&x);
    tess_release(&limit);
    return TESS_OK;
}

int main(void)
{
    if (run() == TESS_OK) return readings[3] == 9 && readings[6] == 7 ? 0 : 1;
    fputs(tess_error_trace(), stderr);
    return 1;
}
