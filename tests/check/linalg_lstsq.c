/* Least squares and surfaces: what makes a solution the right one, and the same bits for every layout and number of
 * threads. Values are compared with NumPy's in tests/oracle/linalg.py. */
#include <math.h>

#include "support/layouts.h"

static void set_any(void *context, const int64_t position[4])
{
    tess_array *a = context;
    double      x[2] = { test_random_unit() * 2 - 1, test_random_unit() * 2 - 1 };
    const float f[2] = { (float)x[0], (float)x[1] };
    if (tess_dtype_real(a->dtype) == TESS_F32) memcpy(element_at(a, position), f, (size_t)tess_dtype_size(a->dtype));
    else memcpy(element_at(a, position), x, (size_t)tess_dtype_size(a->dtype));
}

static tess_array random_array(tess_shape shape, tess_dtype dtype)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, shape, dtype, tess_cpu()));
    each_index(shape, set_any, &a);
    return a;
}

static bool same_bytes(const tess_array *x, const tess_array *y)
{
    tess_array a = { 0 }, b = { 0 };
    CHECK_OK(tess_copy(&a, x));
    CHECK_OK(tess_copy(&b, y));
    const bool same = memcmp(a.data, b.data, (size_t)tess_n_bytes(&a)) == 0;
    tess_release(&a);
    tess_release(&b);
    return same;
}

/* The largest part of an element. */
static double largest(const tess_array *a)
{
    tess_array wide = { 0 };
    double     most = 0;
    CHECK_OK(tess_cast(&wide, a, tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX ? TESS_C64 : TESS_F64, NULL));
    const double *x = wide.data;
    for (int64_t i = 0; i < tess_n_elements(&wide) * tess_dtype_reals(wide.dtype); i++) most = fmax(most, fabs(x[i]));
    tess_release(&wide);
    return most;
}

static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_C32, TESS_C64 };

/* a of this rank, or of full rank if it is 0. */
static tess_array matrix_of_rank(tess_shape shape, int64_t rank, tess_dtype dtype)
{
    if (!rank) return random_array(shape, dtype);
    tess_array x = random_array(TESS_SHAPE(shape.b, shape.d, shape.h, rank), dtype), a = { 0 };
    tess_array y = random_array(TESS_SHAPE(shape.b, shape.d, rank, shape.w), dtype);
    CHECK_OK(tess_matmul(&a, &x, &y, NULL));
    tess_release(&x);
    tess_release(&y);
    return a;
}

/* The residue is orthogonal to the columns of a, and x is made of its rows: a^T z for some z. */
static void check_solution(const tess_array *a, const tess_array *b, const tess_array *x, const char *what)
{
    const tess_matmul_opts turned = { .form_a = TESS_MATRIX_CONJUGATE };
    const double           unit = tess_dtype_real(a->dtype) == TESS_F32 ? 0x1p-23 : 0x1p-52;
    const double           n = (double)(a->shape.h + a->shape.w), size = n * (1 + largest(a)) * (1 + largest(x));
    tess_array             rest = { 0 }, product = { 0 }, rows = { 0 }, z = { 0 }, back = { 0 };
    CHECK_OK(tess_broadcast(&rows, b, TESS_SHAPE(a->shape.b, b->shape.d, b->shape.h, b->shape.w)));
    CHECK_OK(tess_copy(&rest, &rows));
    CHECK_OK(tess_matmul(&rest, a, x, &(tess_matmul_opts){ .beta = -1 }));
    CHECK_OK(tess_matmul(&product, a, &rest, &turned));
    if (!(largest(&product) <= 40 * unit * size * n)) (void)test_failed(__FILE__, __LINE__, "%s: residue", what);
    if (tess_dtype_kind(a->dtype) == TESS_KIND_FLOAT) {
        CHECK_OK(tess_permute(&rows, a, 0, 1, 3, 2));
        CHECK_OK(tess_lstsq(&z, &rows, x, &(tess_lstsq_opts){ .cond = 1e-5 }));
        CHECK_OK(tess_copy(&back, x));
        CHECK_OK(tess_matmul(&back, &rows, &z, &(tess_matmul_opts){ .beta = -1 }));
        if (!(largest(&back) <= 40 * unit * size * n))
            (void)test_failed(__FILE__, __LINE__, "%s: not of least norm", what);
    }
    tess_release(&rest);
    tess_release(&product);
    tess_release(&z);
    tess_release(&back);
}

/* Again in other layouts and with other threads. */
static void check_bits(const tess_array *a, const tess_array *b, const tess_array *x, const tess_array *values,
                       const char *what)
{
    guarded      ga, gb, gx, gv;
    const layout kinds[4] = { (layout)test_random_in(0, n_output_layouts - 1),
                              (layout)test_random_in(0, n_output_layouts - 1),
                              (layout)test_random_in(0, n_output_layouts - 1),
                              (layout)test_random_in(0, n_output_layouts - 1) };
    guarded_make(&ga, kinds[0], a->shape, a->dtype);
    guarded_make(&gb, kinds[1], b->shape, b->dtype);
    guarded_make(&gx, kinds[2], x->shape, x->dtype);
    guarded_make(&gv, kinds[3], values->shape, values->dtype);
    CHECK_OK(tess_copy(&ga.view, a));
    CHECK_OK(tess_copy(&gb.view, b));
    CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
    CHECK_OK(tess_lstsq(&gx.view, &ga.view, &gb.view, &(tess_lstsq_opts){ .singular_values = &gv.view }));
    if (!same_bytes(&gx.view, x) || !same_bytes(&gv.view, values))
        (void)test_failed(__FILE__, __LINE__, "%s: other bits from %s and %s to %s", what, layout_names[kinds[0]],
                          layout_names[kinds[1]], layout_names[kinds[2]]);
    (void)guarded_check(&gx, what);
    (void)guarded_check(&gv, what);
    guarded_free(&ga);
    guarded_free(&gb);
    guarded_free(&gx);
    guarded_free(&gv);
}

static void check_problem(tess_dtype dtype, tess_shape shape, int64_t k, int64_t rank)
{
    char          what[128];
    tess_array    a = matrix_of_rank(shape, rank, dtype), b = random_array(TESS_SHAPE(1, shape.d, shape.h, k), dtype);
    tess_array    x = { 0 }, quick = { 0 }, values = { 0 }, ranks = { 0 };
    const int64_t full = shape.h < shape.w ? shape.h : shape.w;
    snprintf(what, sizeof what, "%s: {%d,%d} of %d by %d, rank %d", tess_dtype_name(dtype), (int)shape.b, (int)shape.d,
             (int)shape.h, (int)shape.w, (int)(rank ? rank : full));
    CHECK_OK(tess_threads_set(1));
    /* A product of f32 has its rank in f32 only. */
    const tess_lstsq_opts opts = { .singular_values = &values, .rank = &ranks, .cond = rank ? 1e-5 : 0 };
    CHECK_OK(tess_lstsq(&x, &a, &b, &opts));
    for (int64_t i = 0; i < shape.b * shape.d; i++)
        if (((int64_t *)ranks.data)[i] != (rank ? rank : full)) (void)test_failed(__FILE__, __LINE__, "%s: rank", what);
    check_solution(&a, &b, &x, what);
    CHECK_OK(tess_lstsq(&quick, &a, &b, &(tess_lstsq_opts){ .cond = opts.cond }));
    if (!same_bytes(&quick, &x)) (void)test_failed(__FILE__, __LINE__, "%s: other bits without singular values", what);
    if (!rank) {
        for (int i = 0; i < 2; i++) check_bits(&a, &b, &x, &values, what);
    }
    tess_release(&a);
    tess_release(&b);
    tess_release(&x);
    tess_release(&quick);
    tess_release(&values);
    tess_release(&ranks);
}

TEST(solutions)
{
    for (int d = 0; d < 4; d++) {
        check_problem(dtypes[d], TESS_SHAPE(1, 1, 1, 1), 1, 0);
        check_problem(dtypes[d], TESS_SHAPE(2, 3, 7, 4), 3, 0);
        check_problem(dtypes[d], TESS_SHAPE(3, 1, 4, 7), 2, 0);
        check_problem(dtypes[d], TESS_SHAPE(1, 1, 40, 33), 1, 0);
        check_problem(dtypes[d], TESS_SHAPE(1, 2, 12, 9), 2, 4);
        check_problem(dtypes[d], TESS_SHAPE(2, 1, 6, 11), 3, 2);
        check_problem(dtypes[d], TESS_SHAPE(20, 1, 30, 5), 1, 0);
    }
    CHECK_OK(tess_threads_set(0));
}

/* ---- Surfaces ---- */

TEST(surfaces_have_the_same_bits)
{
    static const tess_shape shapes[] = {
        { { 1, 1, 1, 1 } }, { { 3, 1, 5, 7 } }, { { 2, 1, 64, 1100 } }, { { 1, 1, 300, 3 } }
    };
    for (int s = 0; s < 4; s++)
        for (int order = 1; order <= 3; order++) {
            const tess_dtype        dtype = order == 2 ? TESS_F64 : TESS_F32;
            tess_array              a = random_array(shapes[s], dtype), want = { 0 }, p = { 0 }, q = { 0 };
            const layout            kinds[2] = { (layout)test_random_in(0, n_output_layouts - 1),
                                                 (layout)test_random_in(0, n_output_layouts - 1) };
            const tess_polyfit_opts first = { .subtract = s % 2, .parameters = &p },
                                    then = { .subtract = s % 2, .parameters = &q };
            guarded in, out;
            CHECK_OK(tess_threads_set(1));
            CHECK_OK(tess_polyfit_surface(&want, &a, order, &first));
            guarded_make(&in, kinds[0], shapes[s], dtype);
            guarded_make(&out, kinds[1], shapes[s], dtype);
            CHECK_OK(tess_copy(&in.view, &a));
            CHECK_OK(tess_threads_set(3));
            CHECK_OK(tess_polyfit_surface(&out.view, &in.view, order, &then));
            CHECK(same_bytes(&want, &out.view) && same_bytes(&p, &q));
            (void)guarded_check(&out, "surface");
            guarded_snapshot(&in);
            CHECK_OK(tess_polyfit_surface(&in.view, &in.view, order, &then));
            CHECK(same_bytes(&want, &in.view));
            (void)guarded_check(&in, "surface in place");
            guarded_free(&in);
            guarded_free(&out);
            tess_release(&a);
            tess_release(&want);
            tess_release(&p);
            tess_release(&q);
        }
    CHECK_OK(tess_threads_set(0));
}
