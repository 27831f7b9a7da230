/* Samples at given coordinates on a GPU beside the CPU: the same bits, in every layout; values added there: close. */
#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/random.h"
#include "tessera/transform.h"

static const tess_dtype dtypes[4] = { TESS_F32, TESS_F64, TESS_C32, TESS_C64 };

static void check_case(int method, tess_device device)
{
    const int64_t         most = test_large() ? 100 : 9, b = test_random_in(1, 3), n = test_random_in(1, 4);
    const int             dims = test_random() % 3 ? 2 : 3;
    const tess_dtype      dtype = dtypes[test_random_in(0, 3)];
    tess_coordinates_opts o = { .interp = method,
                                .border = (int32_t)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_NOTHING) };
    const tess_shape      shape = TESS_SHAPE(test_random() % 2 ? 1 : b, dims == 3 ? test_random_in(1, most) : 1,
                                        test_random_in(1, most), test_random_in(1, most));
    const tess_shape points = TESS_SHAPE(b, n, test_random_in(1, test_large() ? 3000 : 300), dims);
    gpu_pair         image, at, values;
    if (o.border != TESS_BORDER_NOTHING) o.cut = test_random() % 3 == 0;
    if (o.cut || o.border == TESS_BORDER_VALUE) o.value = -1.25;
    if (method == TESS_INTERP_CUBIC_BSPLINE) o.prefilter = (int32_t)(test_random() % 2);
    gpu_pair_make(&image, shape, dtype, -2, 3, device);
    gpu_pair_make(&at, points, test_random() % 2 ? TESS_F64 : TESS_F32, -2, (double)most + 1, device);
    gpu_pair_make(&values, TESS_SHAPE(b, 1, n, points.h), dtype, -2, 3, device);
    const tess_array *const near[2] = { &at.gpu, &at.host.view };

    tess_array want = { 0 }, got = { 0 };
    CHECK_OK(tess_map_coordinates_adjoint(&want, &values.host.view, &at.host.view, shape, &o));
    CHECK_OK(tess_map_coordinates_adjoint(&got, &values.gpu, near[test_random() % 2], shape, &o));
    if (!test_close(&got, &want, tess_dtype_real(dtype) == TESS_F64 ? 1e-13 : 1e-5))
        (void)test_failed(__FILE__, __LINE__, "adjoint: %s, dims %d, interp %d, border %d", tess_dtype_name(dtype),
                          dims, method, o.border);
    CHECK_OK(tess_map_coordinates(&values.host.view, &image.host.view, &at.host.view, &o));
    CHECK_OK(tess_map_coordinates(&values.gpu, &image.gpu, near[test_random() % 2], &o));
    if (!test_same_bits(&values.gpu, &values.host.view))
        (void)test_failed(__FILE__, __LINE__, "%s, dims %d, interp %d, border %d", tess_dtype_name(dtype), dims, method,
                          o.border);
    tess_release(&want);
    tess_release(&got);
    gpu_pair_drop(&image);
    gpu_pair_drop(&at);
    gpu_pair_drop(&values);
}

TEST(coordinates)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 240 : 8); i++)
        check_case((int)test_random_in(TESS_INTERP_NEAREST, TESS_INTERP_LANCZOS8), device);
}
