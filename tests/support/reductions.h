/* Reductions by number, arrays of random numbers for them, and plain loops in long double that their results are compared
 * with: what the programs check_reduce* share. */
#ifndef TESS_TEST_REDUCTIONS_H
#define TESS_TEST_REDUCTIONS_H

#include "support/layouts.h"

/* ---- Functions under test ---- */

#define FUNCTIONS(X)                                                                                                   \
    X(sum)                                                                                                             \
    X(compensated)                                                                                                     \
    X(prod)                                                                                                            \
    X(mean)                                                                                                            \
    X(var)                                                                                                             \
    X(std)                                                                                                             \
    X(norm_l2)                                                                                                         \
    X(norm_l1)                                                                                                         \
    X(norm_max)                                                                                                        \
    X(min)                                                                                                             \
    X(max)                                                                                                             \
    X(argmin) X(argmax) X(argmin_last) X(argmax_last) X(any) X(all) X(count_nonzero) X(logsumexp) X(dot)               \
        X(weighted_mean) X(rmsd)

typedef enum function {
#define ENUM(name) fn_##name,
    FUNCTIONS(ENUM)
#undef ENUM
        n_functions
} function;

extern const char *const function_names[];

typedef struct options {
    int skip_nan, ddof;
    int exponent; /* of 2, by which all elements are multiplied */
} options;

bool takes_two(function f);
bool has_skip(function f);
bool is_defined(function f, tess_dtype dtype);

static inline bool is_real(tess_dtype dtype) { return tess_dtype_kind(dtype) != TESS_KIND_COMPLEX; }

static inline bool is_integer(tess_dtype dtype) { return dtype >= TESS_BOOL && dtype <= TESS_U64; }

tess_status call_function(function f, tess_array *out, const tess_array *a, const tess_array *b, int axes, options o);

/* What stands for the second input: weights are real. */
tess_array second_input(function f, const tess_array *first);

/* ---- Elements ---- */

typedef struct number {
    long double re, im;
    int64_t     whole; /* an integer itself, modulo 2^64 */
} number;

typedef struct filling {
    const tess_array *array;
    bool              near_one; /* for products */
    int               nans;     /* one in so many is NaN; 0: none */
    int               exponent; /* of 2, by which floats are multiplied */
} filling;

/* For each_index, with a filling. */
void set_random(void *context, const int64_t place[4]);

/* Numbers in a row, that the caller holds. */
tess_array wrap_f64(double *x, int64_t n);

/* ---- Comparison ---- */

typedef struct comparison {
    function          f;
    options           o;
    const tess_array *out, *a, *b;
    int               axes;
    const char       *what;
    int               wrong;
    number           *values; /* room for the numbers of a result */
} comparison;

/* For each_index over the output, with a comparison: each result against a loop over its numbers. */
void compare_result(void *context, const int64_t place[4]);

/* Both are C-contiguous. */
void expect_bits(const char *what, const tess_array *got, const tess_array *want);

/* ---- Cases ---- */

enum { N_SHAPES = 10 };
extern const tess_shape reduced_shapes[N_SHAPES];

/* A function of random numbers in a layout, into another one, on every instruction set. */
void check_reduction(function f, tess_dtype dtype, layout kind, tess_shape shape, int axes, options o);

#endif
