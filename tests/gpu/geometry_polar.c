/* Polar transforms, rotational averages and fused spectra on a GPU beside the CPU: the same bits, in every layout. */
#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/polar.h"
#include "tessera/random.h"

static const tess_dtype dtypes[4] = { TESS_F32, TESS_F64, TESS_C32, TESS_C64 };

static int64_t size(void) { return test_random_in(1, test_large() ? 200 : 24); }

static void compare(const gpu_pair *out, const char *what, int method, int border)
{
    if (!test_same_bits(&out->gpu, &out->host.view))
        (void)test_failed(__FILE__, __LINE__, "%s of %s, interp %d, border %d", what,
                          tess_dtype_name(out->host.view.dtype), method, border);
}

/* ---- Transforms ---- */

static void check_images(int method, tess_dtype dtype, tess_device device)
{
    const int       border = (int)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_NOTHING);
    const int64_t   b = test_random_in(1, 3);
    tess_polar_opts o = { .interp = method, .border = border, .rho_start = 1, .rho_stop = 12, .phi_start = -1 };
    gpu_pair        in, out;
    if (border == TESS_BORDER_VALUE) o.value = -1.25;
    if (test_random() % 2) o.phi_stop = 3.5;
    o.log = test_random() % 3 == 0;
    o.phi_endpoint = test_random() % 2 == 0;
    o.shift_h = test_random_unit();
    gpu_pair_make(&in, TESS_SHAPE(test_random() % 2 ? 1 : b, 1, size(), size()), dtype, -2, 3, device);
    gpu_pair_make(&out, TESS_SHAPE(b, 1, size(), size()), dtype, -2, 3, device);
    CHECK_OK(tess_cartesian_to_polar(&out.host.view, &in.host.view, &o));
    CHECK_OK(tess_cartesian_to_polar(&out.gpu, &in.gpu, &o));
    compare(&out, "cartesian_to_polar", method, border);
    CHECK_OK(tess_polar_to_cartesian(&out.host.view, &in.host.view, &o));
    CHECK_OK(tess_polar_to_cartesian(&out.gpu, &in.gpu, &o));
    compare(&out, "polar_to_cartesian", method, border);
    gpu_pair_drop(&in);
    gpu_pair_drop(&out);
}

static tess_shape stored_shape(tess_shape shape, int spectrum)
{
    if (spectrum == TESS_FFT_H || spectrum == TESS_FFT_HC) shape.w = shape.w / 2 + 1;
    return shape;
}

static void check_spectra(int method, tess_dtype dtype, tess_device device)
{
    const tess_shape            shape = TESS_SHAPE(test_random_in(1, 2), 1, size(), size());
    tess_spectrum_to_polar_opts o = { .interp = method, .layout = (int)test_random_in(TESS_FFT_H, TESS_FFT_FC) };
    gpu_pair                    in, out;
    if (test_random() % 2) o.phi_stop = 6;
    gpu_pair_make(&in, stored_shape(shape, o.layout), dtype, -2, 3, device);
    gpu_pair_make(&out, TESS_SHAPE(shape.b, 1, size(), size()), dtype, -2, 3, device);
    CHECK_OK(tess_spectrum_to_polar(&out.host.view, &in.host.view, shape, &o));
    CHECK_OK(tess_spectrum_to_polar(&out.gpu, &in.gpu, shape, &o));
    compare(&out, "spectrum_to_polar", method, 0);
    gpu_pair_drop(&in);
    gpu_pair_drop(&out);
}

TEST(transforms)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 240 : test_fewer(16)); i++) {
        const int        method = (int)test_random_in(TESS_INTERP_NEAREST, TESS_INTERP_LANCZOS8);
        const tess_dtype dtype = dtypes[test_random_in(0, 3)];
        check_images(method, dtype, device);
        check_spectra(method, dtype, device);
    }
}

/* ---- Averages ---- */

/* Rows of CTFs that are much alike. */
static void make_ctfs(gpu_pair *p, tess_shape shape, tess_device device)
{
    static const double ctf[] = { 1.25, 1.5, 1, 0.0625, 0.5, 300, 0.125, 2.75, 0.25, 0, 1.5 };
    guarded_make(&p->host, (layout)test_random_in(0, n_output_layouts - 1), shape, TESS_F64);
    for (int64_t b = 0; b < shape.b; b++)
        for (int64_t h = 0; h < shape.h; h++)
            for (int64_t w = 0; w < shape.w; w++)
                CHECK_OK(
                    tess_set_f64(&p->host.view, b, 0, h, w, ctf[w] * (w == 2 ? 1 + 0.25 * test_random_unit() : 1)));
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

static void check_average(tess_device device)
{
    const tess_dtype             dtype = dtypes[test_random_in(0, 3)];
    const bool                   volume = test_random() % 4 == 0;
    const tess_shape             shape = TESS_SHAPE(test_random_in(1, 3), volume ? 5 : 1, size(), 3 * size());
    tess_rotational_average_opts o = { .layout = (int)test_random_in(TESS_FFT_H, TESS_FFT_FC),
                                       .sum = test_random() % 2 == 0 };
    const bool                   real = test_random() % 2 == 0, add = test_random() % 3 == 0;
    gpu_pair                     in, out, weights, ctfs;
    gpu_pair_make(&in, stored_shape(shape, o.layout), dtype, -2, 3, device);
    gpu_pair_make(&out, TESS_SHAPE(shape.b, 1, 1, size()), real ? tess_dtype_real(dtype) : dtype, -2, 3, device);
    gpu_pair_make(&weights, out.host.view.shape, TESS_F64, -2, 3, device);
    make_ctfs(&ctfs, TESS_SHAPE(test_random() % 2 ? 1 : shape.b, 1, 1, 11), device);
    const bool astigmatic = !volume && test_random() % 2;
    o.nearest = test_random() % 3 == 0;
    if (!astigmatic && test_random() % 2)
        o.metric = (tess_metric){ .dd = 1.4, .hh = 0.6, .ww = 1.1, .dh = -0.2, .dw = 0.3, .hw = 0.1 };
    o.add = add;
    for (int k = 0; k < 2; k++) {
        o.weights = k ? &weights.gpu : &weights.host.view;
        o.ctfs = !astigmatic ? NULL : k && test_random() % 2 ? &ctfs.gpu : &ctfs.host.view; /* on either */
        CHECK_OK(tess_rotational_average(k ? &out.gpu : &out.host.view, k ? &in.gpu : &in.host.view, shape, &o));
    }
    compare(&out, "rotational_average", 0, 0);
    compare(&weights, "weights of rotational_average", 0, 0);
    gpu_pair_drop(&in);
    gpu_pair_drop(&out);
    gpu_pair_drop(&weights);
    gpu_pair_drop(&ctfs);
}

static void check_fused(tess_device device)
{
    const tess_dtype dtype = dtypes[test_random_in(0, 3)];
    const int64_t    b = test_random_in(1, 3), h = size(), n = size();
    const int        method = (int)test_random_in(TESS_INTERP_NEAREST, TESS_INTERP_LANCZOS8);
    gpu_pair         in, out, each, ctfs, target;
    gpu_pair_make(&in, TESS_SHAPE(b, 1, h, 3 * size()), dtype, -2, 3, device);
    gpu_pair_make(&out, TESS_SHAPE(b, 1, 1, n), dtype, -2, 3, device);
    gpu_pair_make(&each, TESS_SHAPE(b, 1, h, n), dtype, -2, 3, device);
    make_ctfs(&ctfs, TESS_SHAPE(test_random() % 2 ? 1 : b, 1, h, 11), device);
    make_ctfs(&target, TESS_SHAPE(1, 1, 1, 8), device);
    CHECK_OK(tess_fuse_spectra(&out.host.view, &in.host.view, &ctfs.host.view, &target.host.view, NULL));
    CHECK_OK(tess_fuse_spectra(&out.gpu, &in.gpu, test_random() % 2 ? &ctfs.gpu : &ctfs.host.view, &target.gpu, NULL));
    compare(&out, "fuse_spectra", 0, 0);
    const tess_phase_spectra_opts o = { .interp = method };
    CHECK_OK(tess_phase_spectra(&each.host.view, &in.host.view, &ctfs.host.view, &target.host.view, &o));
    CHECK_OK(
        tess_phase_spectra(&each.gpu, &in.gpu, &ctfs.gpu, test_random() % 2 ? &target.gpu : &target.host.view, &o));
    compare(&each, "phase_spectra", method, 0);
    gpu_pair_drop(&in);
    gpu_pair_drop(&out);
    gpu_pair_drop(&each);
    gpu_pair_drop(&ctfs);
    gpu_pair_drop(&target);
}

/* noa's GPU exchanges input and output of the inverse: of angles that have one value each, and an output of another
 * shape, the values are where the angles are, and the input is as it was. */
TEST(noa_polar_inverse_exchanges_input_and_output)
{
    const tess_polar_opts o = { .rho_stop = 8, .border = TESS_BORDER_CLAMP, .interp = TESS_INTERP_NEAREST };
    tess_device           device;
    tess_array            in = { .data = NULL }, back = { .data = NULL }, out = { .data = NULL };
    gpu_pair              polar;
    if (!test_gpu(&device)) return;
    gpu_pair_make(&polar, TESS_SHAPE(1, 1, 4, 8), TESS_F32, 0, 1, device);
    for (int64_t h = 0; h < 4; h++)
        for (int64_t w = 0; w < 8; w++) CHECK_OK(tess_set_f64(&polar.host.view, 0, 0, h, w, (double)(h + 1)));
    CHECK_OK(tess_to_device(&in, &polar.host.view, device));
    CHECK_OK(tess_zeros(&out, TESS_SHAPE(1, 1, 17, 15), TESS_F32, device));
    CHECK_OK(tess_polar_to_cartesian(&out, &in, &o));
    CHECK_OK(tess_to_device(&back, &in, tess_cpu()));
    CHECK(test_same_bits(&back, &polar.host.view));
    tess_release(&back);
    CHECK_OK(tess_to_device(&back, &out, tess_cpu()));
    static const int64_t at[4][2] = {
        { 8, 12 }, { 13, 7 }, { 8, 2 }, { 3, 7 }
    }; /* +x, +y, -x, -y of the centre 8, 7 */
    for (int k = 0; k < 4; k++) {
        double v = 0;
        CHECK_OK(tess_get_f64(&v, &back, 0, 0, at[k][0], at[k][1]));
        CHECK(v == k + 1);
    }
    gpu_pair_drop(&polar);
    tess_release(&in);
    tess_release(&out);
    tess_release(&back);
}

TEST(averages)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 200 : test_fewer(24)); i++) check_average(device);
    for (int i = 0; i < (test_large() ? 60 : test_fewer(8)); i++) check_fused(device);
}
