/* Projections and symmetry on a GPU beside the CPU: the same bits, in every layout. */
#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/project.h"
#include "tessera/random.h"
#include "tessera/symmetrize.h"

static const tess_dtype dtypes[4] = { TESS_F32, TESS_F64, TESS_C32, TESS_C64 };

static int64_t any_size(void) { return test_random_in(1, test_large() ? 60 : 9); }

static tess_shape any_volume(int64_t b) { return TESS_SHAPE(b, any_size() + 1, any_size(), any_size()); }

static tess_shape any_images(int64_t n) { return TESS_SHAPE(n, 1, any_size(), test_random() % 3 ? any_size() : 37); }

static void compare(const gpu_pair *out, const char *what, int method)
{
    if (!test_same_bits(&out->gpu, &out->host.view))
        (void)test_failed(__FILE__, __LINE__, "%s, %s, interp %d", what, tess_dtype_name(out->gpu.dtype), method);
}

/* ---- Projections ---- */

static void check_project(int method, bool adjoint, tess_device device)
{
    const int64_t           n = test_random_in(1, 3);
    const tess_dtype        dtype = dtypes[test_random_in(0, 3)];
    const tess_project_opts o = { .interp = method,
                                  .add = (int32_t)(test_random() % 2),
                                  .centred = (int32_t)(test_random() % 2),
                                  .adjoint = adjoint,
                                  .prefilter = method == TESS_INTERP_CUBIC_BSPLINE && test_random() % 2 };
    gpu_pair                volume, out, m;
    gpu_pair_make(&volume, any_volume(1), dtype, -1.2, 1.4, device);
    gpu_pair_make(&out, any_images(n), dtype, -1.2, 1.4, device);
    gpu_pair_make(&m, TESS_SHAPE(n, 1, 3, 4), TESS_F64, -1.2, 1.4, device);
    CHECK_OK(tess_project(&out.host.view, &volume.host.view, &m.host.view, &o));
    CHECK_OK(tess_project(&out.gpu, &volume.gpu, test_random() % 2 ? &m.gpu : &m.host.view, &o));
    compare(&out, adjoint ? "adjoint" : "project", method);
    gpu_pair_drop(&volume);
    gpu_pair_drop(&out);
    gpu_pair_drop(&m);
}

static void check_backproject(int method, tess_device device)
{
    const int64_t               n = test_random_in(1, 4);
    const tess_dtype            dtype = dtypes[test_random_in(0, 3)];
    const tess_backproject_opts o = { .interp = method,
                                      .add = (int32_t)(test_random() % 2),
                                      .centred = 1,
                                      .prefilter = method == TESS_INTERP_CUBIC_BSPLINE && test_random() % 2 };
    gpu_pair                    images, out, m;
    gpu_pair_make(&images, any_images(n), dtype, -1.2, 1.4, device);
    gpu_pair_make(&out, any_volume(1), dtype, -1.2, 1.4, device);
    gpu_pair_make(&m, TESS_SHAPE(n, 1, 2, 4), TESS_F32, -1.2, 1.4, device);
    CHECK_OK(tess_backproject(&out.host.view, &images.host.view, &m.host.view, &o));
    CHECK_OK(tess_backproject(&out.gpu, &images.gpu, &m.gpu, &o));
    compare(&out, "backproject", method);
    gpu_pair_drop(&images);
    gpu_pair_drop(&out);
    gpu_pair_drop(&m);
}

static void check_both(int method, tess_device device)
{
    const int64_t           n = test_random_in(1, 3), results = test_random_in(1, 3);
    const tess_shape        volume = any_volume(1);
    const tess_dtype        dtype = dtypes[test_random_in(0, 3)];
    const tess_project_opts o = { .interp = method, .centred = (int32_t)(test_random() % 2) };
    gpu_pair                images, out, back, forth;
    gpu_pair_make(&images, any_images(n), dtype, -1.2, 1.4, device);
    gpu_pair_make(&out, any_images(results), dtype, -1.2, 1.4, device);
    gpu_pair_make(&back, TESS_SHAPE(n, 1, 3, 4), TESS_F64, -1.2, 1.4, device);
    gpu_pair_make(&forth, TESS_SHAPE(results, 1, 3, 4), TESS_F64, -1.2, 1.4, device);
    CHECK_OK(
        tess_backproject_project(&out.host.view, &images.host.view, &back.host.view, &forth.host.view, volume, &o));
    CHECK_OK(tess_backproject_project(&out.gpu, &images.gpu, &back.gpu, &forth.gpu, volume, &o));
    compare(&out, "both", method);
    gpu_pair_drop(&images);
    gpu_pair_drop(&out);
    gpu_pair_drop(&back);
    gpu_pair_drop(&forth);
}

static int any_method(void) { return (int)test_random_in(TESS_INTERP_NEAREST, TESS_INTERP_LANCZOS8); }

TEST(projections)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 60 : 1); i++) {
        check_project(any_method(), false, device);
        check_project(any_method(), true, device);
        check_backproject(any_method(), device);
        check_both(any_method(), device);
    }
}

/* ---- Symmetry ---- */

static void check_symmetrize(int method, tess_device device)
{
    static const char *const groups[] = { "C1", "C4", "D3", "T", "O", "I1" };
    const bool               images = test_random() % 2;
    const tess_dtype         dtype = dtypes[test_random_in(0, 3)];
    const int64_t            b = test_random_in(1, 3);
    gpu_pair                 in, out, m;
    tess_symmetrize_opts     o = { .interp = method, .sum = (int32_t)(test_random() % 2), .shift_w = 0.25 };
    o.border = (int32_t)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_REFLECT);
    o.value = o.border == TESS_BORDER_VALUE ? 1.5 : 0;
    o.prefilter = method == TESS_INTERP_CUBIC_BSPLINE && test_random() % 2;
    const char *name = groups[test_random_in(0, images ? 2 : 5)];
    gpu_pair_make(&in, images ? any_images(b) : any_volume(b), dtype, -1.2, 1.4, device);
    gpu_pair_make(&out, in.host.view.shape, dtype, -1.2, 1.4, device);
    gpu_pair_make(&m, TESS_SHAPE(b, 1, images ? 2 : 3, images ? 3 : 4), TESS_F64, -1.2, 1.4, device);
    if (test_random() % 2) o.before = &m.host.view;
    CHECK_OK(tess_symmetrize(&out.host.view, &in.host.view, name, &o));
    CHECK_OK(tess_symmetrize(&out.gpu, &in.gpu, name, &o));
    compare(&out, "symmetrize", method);
    gpu_pair_drop(&in);
    gpu_pair_drop(&out);
    gpu_pair_drop(&m);
}

TEST(symmetries)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 60 : 3); i++) check_symmetrize(any_method(), device);
}
