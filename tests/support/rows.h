/* Rows of a few numbers for tests: written down, made and compared. */
#ifndef TESS_TEST_ROWS_H
#define TESS_TEST_ROWS_H

#include <math.h>

#include "support/arrays.h"

/* {1,1,1,n} */
static inline tess_array row_of(tess_dtype dtype, int n, const double *values)
{
    tess_array a = constant(dtype, 1, 1, 1, n, 0);
    for (int i = 0; i < n; i++) CHECK_OK(tess_set_f64(&a, 0, 0, 0, i, values[i]));
    return a;
}

/* Are the elements, in b, d, h, w order, these, with the signs of zeros? */
static inline bool row_is(const tess_array *a, int n, const double *values)
{
    if (tess_n_elements(a) != n) return test_failed(__FILE__, __LINE__, "%d elements", (int)tess_n_elements(a));
    for (int i = 0; i < n; i++) {
        const int64_t w = i % a->shape.w, h = i / a->shape.w % a->shape.h, b = i / a->shape.w / a->shape.h;
        const double  got = value_at(a, b / a->shape.d, b % a->shape.d, h, w);
        if (got != values[i] && !(isnan(got) && isnan(values[i])))
            return test_failed(__FILE__, __LINE__, "element %d is %g, not %g", i, got, values[i]);
        if (got == 0 && signbit(got) != signbit(values[i]))
            return test_failed(__FILE__, __LINE__, "sign of 0 at %d", i);
    }
    return true;
}

/* The same with the numbers as arguments. */
#define ROW(dtype, ...) row_of(dtype, (int)(sizeof((double[]){ __VA_ARGS__ }) / 8), (double[]){ __VA_ARGS__ })
#define IS(array, ...) row_is(array, (int)(sizeof((double[]){ __VA_ARGS__ }) / 8), (double[]){ __VA_ARGS__ })

#endif
