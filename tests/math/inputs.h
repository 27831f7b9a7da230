/* Arguments for the tests: the hard ones, then random ones, numbered. The same on every machine. */
#ifndef TESS_MATH_INPUTS_H
#define TESS_MATH_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "functions.h"

/* Hard arguments: special values, powers of two, borders of argument reductions and of ranges, and their neighbours. */
typedef struct inputs_f32 {
    float *at;
    size_t n;
} inputs_f32;

typedef struct inputs_f64 {
    double *at;
    size_t  n;
} inputs_f64;

/* Make the list; `more` (may be NULL) are further points to put into it with their neighbours. */
void inputs_make_f32(inputs_f32 *hard, const double *more, size_t n_more);
void inputs_make_f64(inputs_f64 *hard, const double *more, size_t n_more);
void inputs_free(void *hard_at);

/* The number of hard ones for a function: the list's for one argument, all pairs of special values for two. */
size_t inputs_hard_f32(const inputs_f32 *hard, const fn_info *info);
size_t inputs_hard_f64(const inputs_f64 *hard, const fn_info *info);

/* Arguments number `first` to `first + n - 1` for a function: hard ones first, random ones after. */
void inputs_fill_f32(const inputs_f32 *hard, const fn_info *info, float *x, float *y, uint64_t first, size_t n);
void inputs_fill_f64(const inputs_f64 *hard, const fn_info *info, double *x, double *y, uint64_t first, size_t n);

#endif
