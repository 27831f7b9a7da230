/* Projections and symmetry on a GPU beside the CPU: the same bits, in every layout. */
#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/project.h"
#include "tessera/random.h"
#include "tessera/symmetrize.h"

/* An array on the host, and the same on the GPU. */
typedef struct pair {
    guarded    host;
    tess_array gpu;
} pair;

static const tess_dtype dtypes[4] = { TESS_F32, TESS_F64, TESS_C32, TESS_C64 };

static void make_pair(pair *p, tess_shape shape, tess_dtype dtype, tess_device device)
{
    guarded_make(&p->host, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    CHECK_OK(tess_random_uniform(&p->host.view, -1.2, 1.4, test_random(), NULL));
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

static void drop(pair *p)
{
    tess_release(&p->gpu);
    guarded_free(&p->host);
}

static int64_t any_size(void) { return test_random_in(1, test_large() ? 60 : 9); }

static tess_shape any_volume(int64_t b) { return TESS_SHAPE(b, any_size() + 1, any_size(), any_size()); }

static tess_shape any_images(int64_t n) { return TESS_SHAPE(n, 1, any_size(), test_random() % 3 ? any_size() : 37); }

static void compare(const pair *out, const char *what, int method)
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
                                  .adjoint = adjoint };
    pair                    volume, out, m;
    make_pair(&volume, any_volume(1), dtype, device);
    make_pair(&out, any_images(n), dtype, device);
    make_pair(&m, TESS_SHAPE(n, 1, 3, 4), TESS_F64, device);
    CHECK_OK(tess_project(&out.host.view, &volume.host.view, &m.host.view, &o));
    CHECK_OK(tess_project(&out.gpu, &volume.gpu, test_random() % 2 ? &m.gpu : &m.host.view, &o));
    compare(&out, adjoint ? "adjoint" : "project", method);
    drop(&volume);
    drop(&out);
    drop(&m);
}

static void check_backproject(int method, tess_device device)
{
    const int64_t               n = test_random_in(1, 4);
    const tess_dtype            dtype = dtypes[test_random_in(0, 3)];
    const tess_backproject_opts o = { .interp = method, .add = (int32_t)(test_random() % 2), .centred = 1 };
    pair                        images, out, m;
    make_pair(&images, any_images(n), dtype, device);
    make_pair(&out, any_volume(1), dtype, device);
    make_pair(&m, TESS_SHAPE(n, 1, 2, 4), TESS_F32, device);
    CHECK_OK(tess_backproject(&out.host.view, &images.host.view, &m.host.view, &o));
    CHECK_OK(tess_backproject(&out.gpu, &images.gpu, &m.gpu, &o));
    compare(&out, "backproject", method);
    drop(&images);
    drop(&out);
    drop(&m);
}

static void check_both(int method, tess_device device)
{
    const int64_t           n = test_random_in(1, 3), results = test_random_in(1, 3);
    const tess_shape        volume = any_volume(1);
    const tess_dtype        dtype = dtypes[test_random_in(0, 3)];
    const tess_project_opts o = { .interp = method, .centred = (int32_t)(test_random() % 2) };
    pair                    images, out, back, forth;
    make_pair(&images, any_images(n), dtype, device);
    make_pair(&out, any_images(results), dtype, device);
    make_pair(&back, TESS_SHAPE(n, 1, 3, 4), TESS_F64, device);
    make_pair(&forth, TESS_SHAPE(results, 1, 3, 4), TESS_F64, device);
    CHECK_OK(
        tess_backproject_project(&out.host.view, &images.host.view, &back.host.view, &forth.host.view, volume, &o));
    CHECK_OK(tess_backproject_project(&out.gpu, &images.gpu, &back.gpu, &forth.gpu, volume, &o));
    compare(&out, "both", method);
    drop(&images);
    drop(&out);
    drop(&back);
    drop(&forth);
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
    pair                     in, out, m;
    tess_symmetrize_opts     o = { .interp = method, .sum = (int32_t)(test_random() % 2), .shift_w = 0.25 };
    o.border = (int32_t)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_REFLECT);
    o.value = o.border == TESS_BORDER_VALUE ? 1.5 : 0;
    const char *name = groups[test_random_in(0, images ? 2 : 5)];
    make_pair(&in, images ? any_images(b) : any_volume(b), dtype, device);
    make_pair(&out, in.host.view.shape, dtype, device);
    make_pair(&m, TESS_SHAPE(b, 1, images ? 2 : 3, images ? 3 : 4), TESS_F64, device);
    if (test_random() % 2) o.before = &m.host.view;
    CHECK_OK(tess_symmetrize(&out.host.view, &in.host.view, name, &o));
    CHECK_OK(tess_symmetrize(&out.gpu, &in.gpu, name, &o));
    compare(&out, "symmetrize", method);
    drop(&in);
    drop(&out);
    drop(&m);
}

TEST(symmetries)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 60 : 3); i++) check_symmetrize(any_method(), device);
}
