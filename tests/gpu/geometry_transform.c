/* Transforms and B-spline coefficients on a GPU beside the CPU: the same bits, in every layout. */
#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/random.h"
#include "tessera/transform.h"

static const tess_dtype dtypes[4] = { TESS_F32, TESS_F64, TESS_C32, TESS_C64 };

static tess_shape random_shape(int dims, int64_t b)
{
    const int64_t most = test_large() ? 100 : dims == 3 ? 8 : 20;
    return TESS_SHAPE(b, dims == 3 ? test_random_in(2, most) : 1, test_random_in(1, most),
                      test_random() % 3 ? test_random_in(1, most) : test_random_in(1, 70));
}

/* ---- Transforms ---- */

/* Numbers about 1, or integers: then elements are moved. */
static void set_matrices(gpu_pair *m, tess_shape shape, tess_device device)
{
    const bool whole = test_random() % 5 == 0;
    gpu_pair_make(m, shape, test_random() % 2 ? TESS_F64 : TESS_F32, -2, 3, device);
    if (whole) CHECK_OK(tess_random_integers(&m->host.view, -1, 2, test_random(), NULL));
    else CHECK_OK(tess_random_uniform(&m->host.view, -1.2, 1.4, test_random(), NULL));
    tess_release(&m->gpu);
    (void)test_mirror(&m->gpu, &m->host.view, device);
}

static void check_transform(int method, tess_device device)
{
    const int           dims = test_random() % 3 ? 2 : 3, dtype = (int)test_random_in(0, 3);
    const int           border = (int)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_NOTHING);
    const int64_t       b = test_random_in(1, 3), n = test_random() % 2 ? 1 : b;
    tess_transform_opts o = { .interp = method, .border = border, .centred = (int32_t)(test_random() % 2) };
    gpu_pair            in, out, matrices;
    if (border == TESS_BORDER_VALUE) o.value = -1.25;
    if (method == TESS_INTERP_CUBIC_BSPLINE) o.prefilter = (int32_t)(test_random() % 2);
    o.forward = test_random() % 8 == 0;
    gpu_pair_make(&in, random_shape(dims, test_random() % 2 ? 1 : b), dtypes[dtype], -2, 3, device);
    gpu_pair_make(&out, random_shape(dims, b), dtypes[dtype], -2, 3, device);
    set_matrices(&matrices, TESS_SHAPE(n, 1, dims, dims + 1), device);
    tess_status (*const call)(tess_array *, const tess_array *, const tess_array *, const tess_transform_opts *) =
        dims == 2 ? tess_transform_2d : tess_transform_3d;
    const tess_status status = call(&out.host.view, &in.host.view, &matrices.host.view, &o);
    CHECK(call(&out.gpu, &in.gpu, test_random() % 2 ? &matrices.gpu : &matrices.host.view, &o) == status);
    if (status) CHECK(status == TESS_ERANGE && o.forward); /* a matrix without an inverse */
    else if (!test_same_bits(&out.gpu, &out.host.view))
        (void)test_failed(__FILE__, __LINE__, "%s, dims %d, interp %d, border %d", tess_dtype_name(dtypes[dtype]), dims,
                          method, border);
    gpu_pair_drop(&in);
    gpu_pair_drop(&out);
    gpu_pair_drop(&matrices);
}

TEST(transforms)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 240 : 7); i++)
        check_transform((int)test_random_in(TESS_INTERP_NEAREST, TESS_INTERP_LANCZOS8), device);
}

/* ---- Coefficients ---- */

static void check_prefilter(tess_device device)
{
    const int           border = (int)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_NOTHING);
    const tess_shape    shape = random_shape(test_random() % 2 ? 2 : 3, test_random_in(1, 2));
    tess_prefilter_opts o = { .border = border, .value = border == TESS_BORDER_VALUE ? 1.5 : 0 };
    gpu_pair            in, out;
    gpu_pair_make(&in, shape, dtypes[test_random_in(0, 3)], -2, 3, device);
    gpu_pair_make(&out, shape, in.host.view.dtype, -2, 3, device);
    CHECK_OK(tess_bspline_prefilter(&out.host.view, &in.host.view, &o));
    CHECK_OK(tess_bspline_prefilter(&out.gpu, &in.gpu, &o));
    if (!test_same_bits(&out.gpu, &out.host.view))
        (void)test_failed(__FILE__, __LINE__, "%s {%d,%d,%d,%d}, border %d", tess_dtype_name(in.host.view.dtype),
                          (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w, border);
    gpu_pair_drop(&in);
    gpu_pair_drop(&out);
}

TEST(coefficients)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 60 : 4); i++) check_prefilter(device);
}
