/* Small arrays for tests: made, read and compared element by element. */
#ifndef TESS_TEST_ARRAYS_H
#define TESS_TEST_ARRAYS_H

#include "support/test.h"

/* A C-contiguous array whose elements are 0, 1, 2 … in the order b, d, h, w. */
static inline tess_array numbers(tess_dtype dtype, int64_t b, int64_t d, int64_t h, int64_t w)
{
    tess_array a = { 0 };
    CHECK_OK(tess_arange(&a, TESS_SHAPE(b, d, h, w), dtype, tess_cpu(), 0, 1));
    return a;
}

/* An array of one value. */
static inline tess_array constant(tess_dtype dtype, int64_t b, int64_t d, int64_t h, int64_t w, double value)
{
    tess_array a = { 0 };
    CHECK_OK(tess_full(&a, TESS_SHAPE(b, d, h, w), dtype, tess_cpu(), value));
    return a;
}

/* The same struct, said to be on a GPU that is not there. */
static inline tess_array on_gpu(tess_array a)
{
    a.device = tess_gpu(0);
    return a;
}

/* The same struct, read-only. */
static inline tess_array read_only(tess_array a)
{
    a.flags |= TESS_READ_ONLY;
    return a;
}

static inline double value_at(const tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w)
{
    double value = 0;
    CHECK_OK(tess_get_f64(&value, a, b, d, h, w));
    return value;
}

/* Do two real arrays of one shape hold the same numbers? */
static inline bool same_values(const tess_array *x, const tess_array *y)
{
    if (!tess_same_shape(x, y)) return false;
    for (int64_t b = 0; b < x->shape.b; b++)
        for (int64_t d = 0; d < x->shape.d; d++)
            for (int64_t h = 0; h < x->shape.h; h++)
                for (int64_t w = 0; w < x->shape.w; w++)
                    if (value_at(x, b, d, h, w) != value_at(y, b, d, h, w)) return false;
    return true;
}

/* Is every element this number? */
static inline bool all_are(const tess_array *a, double value)
{
    for (int64_t b = 0; b < a->shape.b; b++)
        for (int64_t d = 0; d < a->shape.d; d++)
            for (int64_t h = 0; h < a->shape.h; h++)
                for (int64_t w = 0; w < a->shape.w; w++)
                    if (value_at(a, b, d, h, w) != value) return false;
    return true;
}

static inline bool same_struct(const tess_array *x, const tess_array *y) { return memcmp(x, y, sizeof *x) == 0; }

static inline bool is_zeroed(const tess_array *a)
{
    const tess_array zero = { 0 };
    return same_struct(a, &zero);
}

#endif
