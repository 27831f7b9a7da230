/* Equations, inverses, determinants and factors of matrices: examples, what is not read, what is rejected. */
#include <math.h>

#include "support/arrays.h"

static tess_array matrix(tess_dtype dtype, int m, int n, const double *values)
{
    tess_array a = constant(dtype, 1, 1, m, n, 0);
    for (int i = 0; i < m * n; i++) CHECK_OK(tess_set_f64(&a, 0, 0, i / n, i % n, values[i]));
    return a;
}

static bool is_matrix(const tess_array *a, int m, int n, const double *values, double slack)
{
    if (a->shape.h != m || a->shape.w != n) return test_failed(__FILE__, __LINE__, "another shape");
    for (int i = 0; i < m * n; i++) {
        const double got = value_at(a, 0, 0, i / n, i % n);
        if (!(fabs(got - values[i]) <= slack))
            return test_failed(__FILE__, __LINE__, "element %d is %.17g, not %g", i, got, values[i]);
    }
    return true;
}

/* {2,1,3,3}: the second matrix is `odd` in its first element, and 1 on the rest of the diagonal, as is the first. */
static tess_array two_matrices(double odd)
{
    tess_array a = constant(TESS_F64, 2, 1, 3, 3, 0);
    for (int i = 0; i < 6; i++) CHECK_OK(tess_set_f64(&a, i / 3, 0, i % 3, i % 3, i == 3 ? odd : 1));
    return a;
}

/* ---- Equations ---- */

TEST(solve_examples)
{
    tess_array a = matrix(TESS_F64, 2, 2, (double[]){ 0, 2, 1, 1 }), b = matrix(TESS_F32, 2, 1, (double[]){ 4, 5 });
    tess_array x = { 0 }, inverse = { 0 }, value = { 0 }, sign = { 0 }, log_abs = { 0 };
    CHECK_OK(tess_solve(&x, &a, &b));
    CHECK(x.dtype == TESS_F64 && is_matrix(&x, 2, 1, (double[]){ 3, 2 }, 1e-15));
    CHECK_OK(tess_inverse(&inverse, &a));
    CHECK(is_matrix(&inverse, 2, 2, (double[]){ -0.5, 1, 0.5, 0 }, 1e-15));
    CHECK_OK(tess_determinant(&value, &a, &(tess_determinant_opts){ .sign = &sign, .log_abs = &log_abs }));
    CHECK(is_matrix(&value, 1, 1, (double[]){ -2 }, 0) && is_matrix(&sign, 1, 1, (double[]){ -1 }, 0));
    CHECK(is_matrix(&log_abs, 1, 1, (double[]){ log(2) }, 1e-15));
    tess_release(&a);
    tess_release(&b);
    tess_release(&x);
    tess_release(&inverse);
    tess_release(&value);
    tess_release(&sign);
    tess_release(&log_abs);
}

/* At the end of the range, products in the elimination are beyond it. */
TEST(matrices_at_the_end_of_the_range)
{
    tess_array a = matrix(TESS_F64, 2, 2, (double[]){ 0x1p1023, 0x1p1023, -0x1p1023, 0x1p1023 }), x = { 0 };
    tess_array b = matrix(TESS_F64, 2, 1, (double[]){ 0x1p1023, 0 }), value = { 0 }, log_abs = { 0 };
    CHECK_OK(tess_inverse(&x, &a));
    CHECK(is_matrix(&x, 2, 2, (double[]){ 0x1p-1024, -0x1p-1024, 0x1p-1024, 0x1p-1024 }, 0));
    tess_release(&x);
    CHECK_OK(tess_solve(&x, &a, &b));
    CHECK(is_matrix(&x, 2, 1, (double[]){ 0.5, 0.5 }, 0));
    CHECK_OK(tess_determinant(&value, &a, &(tess_determinant_opts){ .log_abs = &log_abs }));
    CHECK(value_at(&value, 0, 0, 0, 0) == (double)INFINITY);
    CHECK(fabs(value_at(&log_abs, 0, 0, 0, 0) - 2047 * log(2)) < 1e-9);
    tess_release(&a);
    tess_release(&b);
    tess_release(&x);
    tess_release(&value);
    tess_release(&log_abs);
}

/* Nobody reads the imaginary parts of a Hermitian diagonal. */
TEST(hermitian_diagonals_are_real)
{
    tess_array a = { 0 }, l = { 0 }, values = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 2), TESS_C64, tess_cpu()));
    double *const parts = a.data;
    parts[0] = 4, parts[1] = NAN, parts[6] = 9, parts[7] = INFINITY;
    CHECK_OK(tess_cholesky(&l, &a, NULL));
    const double *root = l.data;
    CHECK(root && root[0] == 2 && root[1] == 0 && root[6] == 3 && root[7] == 0);
    CHECK_OK(tess_eigh(&values, NULL, &a, NULL));
    CHECK(value_at(&values, 0, 0, 0, 0) == 4 && value_at(&values, 0, 0, 0, 1) == 9);
    parts[0] = NAN;
    CHECK_FAILS(tess_cholesky(&l, &a, NULL), TESS_ERANGE, "cholesky: in is nan at {0,0,0,0}");
    tess_release(&a);
    tess_release(&l);
    tess_release(&values);
}

TEST(determinants_of_tiny_pivots)
{
    tess_array a = matrix(TESS_F64, 2, 2, (double[]){ 1, 0, 0, 0x1p-1074 }), value = { 0 };
    tess_array b = matrix(TESS_F64, 3, 3, (double[]){ 0x1p-1074, 0, 0, 0, 0x1.8p1000, 0, 0, 0, -0x1p70 });
    CHECK_OK(tess_determinant(&value, &a, NULL));
    CHECK(value_at(&value, 0, 0, 0, 0) == 0x1p-1074);
    CHECK_OK(tess_determinant(&value, &b, NULL));
    CHECK(value_at(&value, 0, 0, 0, 0) == -0x1.8p-4);
    tess_release(&a);
    tess_release(&b);
    tess_release(&value);
}

TEST(determinants_beyond_the_range)
{
    tess_array            small = matrix(TESS_F64, 2, 2, (double[]){ 1e-200, 0, 0, -1e-200 }), none = two_matrices(0);
    tess_array            value = { 0 }, sign = { 0 }, log_abs = { 0 };
    tess_determinant_opts both = { .sign = &sign, .log_abs = &log_abs };
    CHECK_OK(tess_determinant(&value, &small, &both));
    CHECK(value_at(&value, 0, 0, 0, 0) == 0 && value_at(&sign, 0, 0, 0, 0) == -1);
    CHECK(fabs(value_at(&log_abs, 0, 0, 0, 0) - 2 * log(1e-200)) < 1e-10);
    tess_release(&value);
    tess_release(&sign);
    tess_release(&log_abs);
    CHECK_OK(tess_determinant(&value, &none, &both));
    CHECK(value_at(&value, 0, 0, 0, 0) == 1 && value_at(&value, 1, 0, 0, 0) == 0);
    CHECK(value_at(&sign, 1, 0, 0, 0) == 0 && value_at(&log_abs, 1, 0, 0, 0) == -(double)INFINITY);
    tess_release(&small);
    tess_release(&none);
    tess_release(&value);
    tess_release(&sign);
    tess_release(&log_abs);
}

TEST(singular_matrices_are_named)
{
    tess_stream *s = NULL, *before = tess_stream_current(tess_cpu());
    tess_array   a = two_matrices(0), b = constant(TESS_F64, 1, 1, 3, 1, 1), x = { 0 };
    CHECK_FAILS(tess_solve(&x, &a, &b), TESS_ERANGE,
                "solve: a has a singular matrix at {1,0}; it must have an inverse");
    CHECK_FAILS(tess_inverse(&x, &a), TESS_ERANGE, "inverse: in has a singular matrix at {1,0}");
    CHECK_FAILS(tess_cholesky(&x, &a, NULL), TESS_ERANGE,
                "cholesky: in has a matrix at {1,0} that is not positive definite; all eigenvalues must be above 0");
    CHECK(is_zeroed(&x));
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(s));
    CHECK_OK(tess_inverse(&x, &a));
    CHECK_FAILS(tess_stream_sync(s), TESS_ERANGE, "inverse: in has a singular matrix at {1,0}");
    CHECK_OK(tess_stream_set_current(before));
    tess_stream_free(s);
    tess_release(&a);
    tess_release(&b);
    tess_release(&x);
}

TEST(numbers_that_are_not_finite_are_named)
{
    tess_array a = two_matrices((double)NAN), b = constant(TESS_F64, 1, 1, 3, 1, 1), x = { 0 }, y = { 0 }, z = { 0 };
    tess_array good = two_matrices(1);
    CHECK_FAILS(tess_solve(&x, &a, &b), TESS_ERANGE, "solve: a is nan at {1,0,0,0}; finite numbers are needed");
    CHECK_FAILS(tess_inverse(&x, &a), TESS_ERANGE, "inverse: in is nan at {1,0,0,0}");
    CHECK_FAILS(tess_determinant(&x, &a, NULL), TESS_ERANGE, "determinant: in is nan at {1,0,0,0}");
    CHECK_FAILS(tess_cholesky(&x, &a, NULL), TESS_ERANGE, "cholesky: in is nan at {1,0,0,0}");
    CHECK_FAILS(tess_qr(&x, &y, &a, NULL), TESS_ERANGE, "qr: in is nan at {1,0,0,0}");
    CHECK_FAILS(tess_eigh(&x, &y, &a, NULL), TESS_ERANGE, "eigh: in is nan at {1,0,0,0}");
    CHECK_FAILS(tess_svd(&x, &y, &z, &a, NULL), TESS_ERANGE, "svd: in is nan at {1,0,0,0}");
    CHECK_OK(tess_set_f64(&b, 0, 0, 2, 0, -(double)INFINITY));
    CHECK_FAILS(tess_solve(&x, &good, &b), TESS_ERANGE, "solve: b is -inf at {0,0,2,0}");
    CHECK(is_zeroed(&x) && is_zeroed(&y) && is_zeroed(&z));
    tess_release(&a);
    tess_release(&b);
    tess_release(&good);
}

/* ---- Factors ---- */

TEST(triangular_factors)
{
    tess_array a = matrix(TESS_F32, 2, 2, (double[]){ 4, 99, 2, 10 }), b = matrix(TESS_F64, 2, 1, (double[]){ 3, 4 });
    tess_array lower = { 0 }, upper = { 0 }, q = { 0 }, r = { 0 };
    CHECK_OK(tess_cholesky(&lower, &a, NULL));
    CHECK(lower.dtype == TESS_F32 && is_matrix(&lower, 2, 2, (double[]){ 2, 0, 1, 3 }, 0));
    CHECK_OK(tess_set_f64(&a, 0, 0, 0, 1, 2));
    CHECK_OK(tess_set_f64(&a, 0, 0, 1, 0, (double)NAN)); /* not read */
    CHECK_OK(tess_cholesky(&upper, &a, &(tess_cholesky_opts){ .upper = 1 }));
    CHECK(is_matrix(&upper, 2, 2, (double[]){ 2, 1, 0, 3 }, 0));
    CHECK_OK(tess_qr(&q, &r, &b, NULL));
    CHECK(is_matrix(&q, 2, 1, (double[]){ 0.6, 0.8 }, 1e-15) && is_matrix(&r, 1, 1, (double[]){ 5 }, 1e-15));
    tess_release(&q);
    tess_release(&r);
    CHECK_OK(tess_qr(NULL, &r, &b, &(tess_qr_opts){ .complete = 1 }));
    CHECK(is_matrix(&r, 2, 1, (double[]){ 5, 0 }, 1e-15));
    tess_release(&a);
    tess_release(&b);
    tess_release(&lower);
    tess_release(&upper);
    tess_release(&r);
}

TEST(values_and_vectors)
{
    const double root = sqrt(0.5);
    tess_array   a = matrix(TESS_F64, 2, 2, (double[]){ 2, 99, 1, 2 }), b = matrix(TESS_F64, 1, 2, (double[]){ 3, -4 });
    tess_array   values = { 0 }, vectors = { 0 }, u = { 0 }, s = { 0 }, vh = { 0 };
    CHECK_OK(tess_eigh(&values, &vectors, &a, NULL));
    CHECK(is_matrix(&values, 1, 2, (double[]){ 1, 3 }, 1e-14));
    CHECK(is_matrix(&vectors, 2, 2, (double[]){ root, root, -root, root }, 1e-14));
    CHECK_OK(tess_svd(&u, &s, &vh, &b, NULL));
    CHECK(is_matrix(&u, 1, 1, (double[]){ -1 }, 1e-15) && is_matrix(&s, 1, 1, (double[]){ 5 }, 1e-14));
    CHECK(is_matrix(&vh, 1, 2, (double[]){ -0.6, 0.8 }, 1e-15));
    tess_release(&vh);
    CHECK_OK(tess_svd(NULL, &s, &vh, &b, &(tess_svd_opts){ .complete = 1 }));
    CHECK(is_matrix(&vh, 2, 2, (double[]){ -0.6, 0.8, 0.8, 0.6 }, 1e-15));
    tess_release(&a);
    tess_release(&b);
    tess_release(&values);
    tess_release(&vectors);
    tess_release(&u);
    tess_release(&s);
    tess_release(&vh);
}

/* ---- What is rejected ---- */

TEST(factors_refuse)
{
    tess_array a = constant(TESS_F32, 2, 1, 3, 2, 1), b = constant(TESS_F32, 1, 1, 4, 4, 1), none = { 0 };
    tess_array c = constant(TESS_F32, 3, 1, 4, 1, 1), d = constant(TESS_F32, 2, 1, 4, 4, 1), x = { 0 }, y = { 0 };
    CHECK_FAILS(tess_solve(NULL, &b, &b), TESS_EARG, "solve: x is NULL");
    CHECK_FAILS(tess_solve(&x, &a, &b), TESS_ESHAPE,
                "solve: a has shape {2,1,3,2}; square matrices are needed: axes 2 and 3 must be equal");
    CHECK_FAILS(tess_solve(&x, &b, &a), TESS_ESHAPE,
                "solve: a has shape {1,1,4,4} and b {2,1,3,2}: both must have the same number of rows (axis 2)");
    CHECK_FAILS(tess_solve(&x, &d, &c), TESS_ESHAPE, "solve: a has shape {2,1,4,4} and b {3,1,4,1}: axis 0");
    CHECK_FAILS(tess_solve(&x, &b, &none), TESS_EARG, "solve: b");
    tess_array far = on_gpu(c);
    CHECK_FAILS(tess_solve(&x, &b, &far), TESS_EDEVICE, "solve: b is on gpu:0 and a on cpu");
    CHECK_FAILS(tess_inverse(&x, &a), TESS_ESHAPE, "inverse: in has shape {2,1,3,2}");
    CHECK_FAILS(tess_determinant(&x, &a, NULL), TESS_ESHAPE, "determinant: in has shape {2,1,3,2}");
    CHECK_FAILS(tess_determinant(NULL, &b, NULL), TESS_EARG, "determinant: out is NULL");
    CHECK_FAILS(tess_cholesky(&x, &a, NULL), TESS_ESHAPE, "cholesky: in has shape {2,1,3,2}");
    CHECK_FAILS(tess_cholesky(&x, &b, &(tess_cholesky_opts){ .unused = 1 }), TESS_ERANGE, "opts->unused is 1");
    CHECK_FAILS(tess_qr(&x, NULL, &a, NULL), TESS_EARG, "qr: r is NULL");
    CHECK_FAILS(tess_eigh(NULL, &x, &b, NULL), TESS_EARG, "eigh: values is NULL");
    CHECK_FAILS(tess_eigh(&x, &y, &a, NULL), TESS_ESHAPE, "eigh: in has shape {2,1,3,2}");
    CHECK_FAILS(tess_svd(&x, NULL, &y, &a, NULL), TESS_EARG, "svd: s is NULL");
    CHECK_FAILS(tess_svd(&x, &y, NULL, &a, &(tess_svd_opts){ .reserved = { 1 } }), TESS_EARG, "reserved");
    CHECK_FAILS(tess_inverse(&b, &b), TESS_EALIAS, "inverse: out (", "shares memory with in (");
    CHECK_FAILS(tess_svd(&x, &c, NULL, &a, NULL), TESS_ESHAPE, "svd: s has shape {3,1,4,1}; {2,1,1,2} is needed");
    CHECK(is_zeroed(&x) && is_zeroed(&y));
    tess_release(&a);
    tess_release(&b);
    tess_release(&c);
    tess_release(&d);
}

TEST(factors_of_more_rows_than_memory_has)
{
    tess_array one = constant(TESS_F64, 1, 1, 1, 1, 3), s = { 0 }, tall;
    CHECK_OK(tess_broadcast(&tall, &one, TESS_SHAPE(1, 1, INT64_C(1) << 57, 1)));
    CHECK_FAILS(tess_svd(NULL, &s, NULL, &tall, NULL), TESS_ENOMEM, "svd: no memory for ");
    CHECK(is_zeroed(&s));
    tess_release(&one);
}
