/* Least squares and fitted surfaces on a GPU beside the CPU. */
#include <math.h>

#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/linalg.h"
#include "tessera/random.h"

/* An array on the host, and the same on the GPU. */
typedef struct pair {
    guarded    host;
    tess_array gpu;
} pair;

static void mirror(pair *p, tess_device device)
{
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

static void make(pair *p, tess_shape shape, tess_dtype dtype, tess_device device)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    guarded_make(&p->host, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    if (kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX)
        CHECK_OK(tess_random_normal(&p->host.view, 0.5, 1, test_random(), NULL));
    else CHECK_OK(tess_random_integers(&p->host.view, 0, 100, test_random(), NULL));
    mirror(p, device);
}

static void drop(pair *p)
{
    tess_release(&p->gpu);
    guarded_free(&p->host);
}

/* ---- Surfaces ---- */

static void check_surface(tess_dtype dtype, int order, tess_shape shape, tess_device device)
{
    pair              in;
    tess_array        host = { .data = NULL }, gpu = host, host_parameters = host, gpu_parameters = host;
    tess_polyfit_opts o = { .subtract = (int32_t)(test_random() & 1), .parameters = &host_parameters };
    make(&in, shape, dtype, device);
    CHECK_OK(tess_polyfit_surface(&host, &in.host.view, order, &o));
    o.parameters = &gpu_parameters;
    CHECK_OK(tess_polyfit_surface(&gpu, &in.gpu, order, &o));
    const double scale = tess_dtype_kind(dtype) == TESS_KIND_FLOAT ? 1 : 100; /* of the input */
    if (!test_close_at(&gpu, &host, host.dtype == TESS_F64 ? 1e-13 : 3e-7, scale) ||
        !test_close_at(&gpu_parameters, &host_parameters, 1e-11, scale))
        (void)test_failed(__FILE__, __LINE__, "order %d, %s, {%d,1,%d,%d}", order, tess_dtype_name(dtype), (int)shape.b,
                          (int)shape.h, (int)shape.w);
    tess_release(&host);
    tess_release(&gpu);
    tess_release(&host_parameters);
    tess_release(&gpu_parameters);
    drop(&in);
}

TEST(surfaces)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_U8, TESS_I16 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 200 : 12); i++) {
        const int64_t    most = test_random() % 3 ? 40 : 4;
        const tess_shape shape = TESS_SHAPE(test_random_in(1, 3), 1, test_random_in(1, most), test_random_in(1, most));
        check_surface(dtypes[test_large() ? i % 4 : 0], test_large() ? i / 4 % 3 + 1 : 1 + 2 * (i & 1), shape, device);
    }
    check_surface(TESS_F32, 3, TESS_SHAPE(1, 1, 3, 2500), device);
    if (test_large()) check_surface(TESS_F32, 3, TESS_SHAPE(2, 1, 3000, 4000), device);
}

/* ---- Least squares ---- */

/* The smallest problems that have a unique solution are well-conditioned enough for the CPU's and the GPU's to agree.
 */
typedef struct solved {
    tess_array x, values, rank;
} solved;

static void solve(solved *s, const tess_array *a, const tess_array *b)
{
    const tess_lstsq_opts o = { .cond = 1e-6, .singular_values = &s->values, .rank = &s->rank };
    *s = (solved){ .x = { .data = NULL } };
    CHECK_OK(tess_lstsq(&s->x, a, b, &o));
}

static void let_go(solved *s)
{
    tess_release(&s->x);
    tess_release(&s->values);
    tess_release(&s->rank);
}

/* Two columns, or rows, of the first problem alike: its rank is one less. */
static void make_poorer(const tess_array *a)
{
    const bool by_rows = a->shape.h < a->shape.w;
    tess_array first, second;
    if ((by_rows ? a->shape.h : a->shape.w) < 2) return;
    CHECK_OK(tess_index(&first, a, 0, 0));
    CHECK_OK(tess_index(&first, &first, by_rows ? 2 : 3, 0));
    CHECK_OK(tess_index(&second, a, 0, 0));
    CHECK_OK(tess_index(&second, &second, by_rows ? 2 : 3, 1));
    CHECK_OK(tess_copy(&second, &first));
}

static void check_lstsq(tess_dtype dtype_a, tess_dtype dtype_b, tess_shape of_a, int64_t k, tess_device device)
{
    const bool one = test_random() % 3 == 0, poorer = test_random() % 3 == 0;
    pair       a, b;
    solved     host, gpu;
    make(&a, of_a, dtype_a, device);
    make(&b, TESS_SHAPE(one ? 1 : of_a.b, of_a.d, of_a.h, k), dtype_b, device);
    if (poorer) {
        make_poorer(&a.host.view);
        tess_release(&a.gpu);
        mirror(&a, device);
    }
    solve(&host, &a.host.view, &b.host.view);
    solve(&gpu, &a.gpu, &b.gpu);
    const double bound = tess_dtype_real(host.x.dtype) == TESS_F64 ? 1e-9 : 1e-5;
    if (!test_same_bits(&gpu.rank, &host.rank) || !test_close(&gpu.values, &host.values, bound) ||
        (k && !test_close(&gpu.x, &host.x, bound)))
        (void)test_failed(__FILE__, __LINE__, "%s %s, {%d,%d,%d,%d}, %d right-hand sides%s", tess_dtype_name(dtype_a),
                          tess_dtype_name(dtype_b), (int)of_a.b, (int)of_a.d, (int)of_a.h, (int)of_a.w, (int)k,
                          poorer ? ", poorer" : "");
    let_go(&host);
    let_go(&gpu);
    drop(&a);
    drop(&b);
}

TEST(least_squares)
{
    static const tess_dtype dtypes[] = { TESS_F64, TESS_C32, TESS_F32, TESS_C64, TESS_I16, TESS_F16 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 300 : 16); i++) {
        const tess_dtype dtype = dtypes[test_large() ? i % 6 : i % 2], other = dtypes[test_large() ? i / 6 % 6 : i % 2];
        const int64_t    rows = test_random_in(1, 9), columns = test_random_in(1, 9);
        check_lstsq(dtype, other, TESS_SHAPE(test_random_in(1, 3), test_random_in(1, 2), rows, columns),
                    test_random_in(0, 3), device);
    }
    check_lstsq(TESS_F64, TESS_F64, TESS_SHAPE(1, 1, 70, 9), 9, device);
    if (test_large()) check_lstsq(TESS_F32, TESS_F32, TESS_SHAPE(3000, 1, 40, 6), 2, device);
    if (test_large()) check_lstsq(TESS_C64, TESS_C64, TESS_SHAPE(2, 1, 100, 150), 40, device);
}

/* As on the CPU, what is not finite is named. */
TEST(least_squares_of_what_is_not_finite)
{
    tess_device device;
    tess_array  host = { .data = NULL }, gpu = host, x = host;
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_full(&host, TESS_SHAPE(2, 1, 4, 3), TESS_F64, tess_cpu(), 2));
    CHECK_OK(tess_set_f64(&host, 1, 0, 2, 1, -HUGE_VAL));
    if (test_mirror(&gpu, &host, device))
        CHECK_FAILS(tess_lstsq(&x, &gpu, &gpu, NULL), TESS_ERANGE, "a is -inf at {1,0,2,1}");
    tess_release(&host);
    tess_release(&gpu);
}
