/* Matrix products on a GPU beside those on the CPU. */
#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/linalg.h"
#include "tessera/random.h"

static void fill(const tess_array *a)
{
    tess_array out = *a;
    if (a->dtype == TESS_I64 || a->dtype == TESS_U64)
        CHECK_OK(tess_random_integers(&out, 0, 1000, test_random(), NULL));
    else CHECK_OK(tess_random_normal(&out, 0, 1, test_random(), NULL));
}

typedef struct pair {
    guarded    host;
    tess_array gpu;
} pair;

static void make(pair *p, tess_shape shape, tess_dtype dtype, tess_device device)
{
    guarded_make(&p->host, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    fill(&p->host.view);
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

static void drop(pair *p)
{
    tess_release(&p->gpu);
    guarded_free(&p->host);
}

static void check_product(tess_dtype dtype, tess_device device)
{
    const int64_t          m = test_random_in(1, 9), n = test_random_in(1, 9), k = test_random_in(0, 20);
    const int64_t          b = test_random_in(1, 3), d = test_random_in(1, 3);
    const int              forms[] = { TESS_MATRIX_AS_IS, TESS_MATRIX_TRANSPOSE, TESS_MATRIX_CONJUGATE };
    const tess_matmul_opts o = { .form_a = forms[test_random_in(0, 2)],
                                 .form_b = forms[test_random_in(0, 2)],
                                 .alpha = test_random() & 1 ? 2 : 0,
                                 .beta = test_random() & 1 ? 3 : 0 };
    const bool             turn_a = o.form_a != TESS_MATRIX_AS_IS, turn_b = o.form_b != TESS_MATRIX_AS_IS;
    const bool             one_a = test_random() % 4 == 0, one_b = test_random() % 4 == 0;
    pair                   out, x, y;
    make(&out, TESS_SHAPE(b, d, m, n), dtype, device);
    make(&x, TESS_SHAPE(one_a ? 1 : b, d, turn_a ? k : m, turn_a ? m : k), dtype, device);
    make(&y, TESS_SHAPE(b, one_b ? 1 : d, turn_b ? n : k, turn_b ? k : n), dtype, device);
    CHECK_OK(tess_matmul(&out.host.view, &x.host.view, &y.host.view, &o));
    CHECK_OK(tess_matmul(&out.gpu, &x.gpu, &y.gpu, &o));
    const bool integers = dtype == TESS_I64 || dtype == TESS_U64;
    const bool good = integers
                          ? test_same_bits(&out.gpu, &out.host.view)
                          : test_close(&out.gpu, &out.host.view, tess_dtype_real(dtype) == TESS_F64 ? 1e-14 : 2e-6);
    if (!good)
        (void)test_failed(__FILE__, __LINE__, "%s: m %d n %d k %d, forms %d %d", tess_dtype_name(dtype), (int)m, (int)n,
                          (int)k, (int)o.form_a, (int)o.form_b);
    drop(&out);
    drop(&x);
    drop(&y);
}

/* cuBLAS takes complex numbers only where they are aligned as a whole. */
TEST(complex_numbers_aligned_as_their_parts)
{
    tess_device device;
    tess_array  host = { .data = NULL }, want = { .data = NULL }, gpu = { .data = NULL }, got = { .data = NULL };
    tess_array  row, odd, a[2];
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_arange(&host, TESS_SHAPE(1, 1, 1, 49), TESS_F32, tess_cpu(), 1, 1));
    CHECK_OK(tess_to_device(&gpu, &host, device));
    const tess_array *all[2] = { &host, &gpu };
    for (int i = 0; i < 2; i++) {
        CHECK_OK(tess_slice(&row, all[i], 3, 1, 33, 1));
        CHECK_OK(tess_reinterpret(&odd, &row, TESS_C32));
        CHECK_OK(tess_reshape(&a[i], &odd, TESS_SHAPE(1, 1, 4, 4)));
    }
    CHECK_OK(tess_matmul(&want, &a[0], &a[0], NULL));
    CHECK_OK(tess_matmul(&got, &a[1], &a[1], NULL));
    CHECK(test_close(&got, &want, 2e-6));
    CHECK_OK(tess_matmul(&a[1], &got, &got, NULL));
    CHECK_OK(tess_matmul(&a[0], &want, &want, NULL));
    CHECK(test_close(&a[1], &a[0], 2e-6));
    tess_release(&got);
    tess_release(&gpu);
    tess_release(&want);
    tess_release(&host);
}

TEST(products_of_every_type_and_layout)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_C32, TESS_C64, TESS_I64, TESS_U64 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int t = 0; t < 6; t++)
        for (int i = 0; i < (test_large() ? 300 : 40); i++) check_product(dtypes[t], device);
}
