/* Restoration: examples, special shapes and numbers, outputs, what is rejected. */
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "support/rows.h"
#include "tessera/random.h"
#include "tessera/reduce.h"
#include "tessera/restoration.h"

/* ---- Bilateral filter ---- */

TEST(a_bilateral_filter_averages_what_is_similar)
{
    tess_array                in = ROW(TESS_F64, 1, 3, 1, 1e9, 1e9), out = { 0 };
    const tess_bilateral_opts o = { .window = TESS_SHAPE(1, 1, 1, 3), .border = TESS_BORDER_CLAMP };
    CHECK_OK(tess_bilateral(&out, &in, 1e3, 1e4, &o)); /* weights of nearly 1 */
    CHECK(fabs(value_at(&out, 0, 0, 0, 1) - 5.0 / 3) < 1e-5 && fabs(value_at(&out, 0, 0, 0, 0) - 5.0 / 3) < 1e-5);
    CHECK(fabs(value_at(&out, 0, 0, 0, 2) - 2) < 1e-5); /* beyond the edge nothing counts */
    CHECK(value_at(&out, 0, 0, 0, 3) == 1e9 && value_at(&out, 0, 0, 0, 4) == 1e9);
    tess_release(&in);
    tess_release(&out);
}

TEST(a_bilateral_filter_leaves_out_nans)
{
    tess_array in = ROW(TESS_F32, 1, NAN, 2, INFINITY, 2, -INFINITY, -INFINITY), out = { 0 };
    CHECK_OK(tess_bilateral(&out, &in, 1e6, 0.3, NULL)); /* a window of 3 */
    CHECK(IS(&out, 1, NAN, 2, INFINITY, 2, -INFINITY, -INFINITY));
    tess_release(&in);
    tess_release(&out);
}

/* ---- Non-local means ---- */

TEST(non_local_means_average_similar_patches)
{
    tess_array         in = ROW(TESS_F64, 1, 2, 1, 2, 100, 2), out = { 0 };
    tess_nl_means_opts o = { .patch = TESS_ZERO_INT, .search = 2, .noise = 5 };
    CHECK_OK(tess_nl_means(&out, &in, 1, &o)); /* differences that the noise explains have weight 1 */
    CHECK(value_at(&out, 0, 0, 0, 2) == 1.5 && value_at(&out, 0, 0, 0, 4) == 100);
    o.patch = 1;
    CHECK_OK(tess_nl_means(&out, &in, 1, &o)); /* 100 is in the patches of its neighbours */
    CHECK(value_at(&out, 0, 0, 0, 1) != 2 && value_at(&out, 0, 0, 0, 4) == 100);
    tess_release(&in);
    tess_release(&out);
}

TEST(patches_with_nans_resemble_no_other)
{
    tess_array               in = ROW(TESS_F32, 1, 2, 1, NAN, 1, 2, 1, 2, 1), out = { 0 };
    const tess_nl_means_opts o = { .patch = 1, .search = 2, .noise = 10 };
    CHECK_OK(tess_nl_means(&out, &in, 1, &o));
    CHECK(isnan(value_at(&out, 0, 0, 0, 3)) && value_at(&out, 0, 0, 0, 2) == 1 && value_at(&out, 0, 0, 0, 4) == 1);
    CHECK(value_at(&out, 0, 0, 0, 6) > 1 && value_at(&out, 0, 0, 0, 6) < 2);
    tess_release(&in);
    tess_release(&out);
}

/* ---- Units ---- */

static tess_array scaled(const tess_array *a, double scale)
{
    tess_array out = constant(a->dtype, 1, 1, a->shape.h, a->shape.w, 0);
    for (int64_t h = 0; h < a->shape.h; h++)
        for (int64_t w = 0; w < a->shape.w; w++)
            CHECK_OK(tess_set_f64(&out, 0, 0, h, w, scale * value_at(a, 0, 0, h, w)));
    return out;
}

static bool is_scaled(const tess_array *a, const tess_array *b, double scale)
{
    for (int64_t h = 0; h < a->shape.h; h++)
        for (int64_t w = 0; w < a->shape.w; w++)
            if (value_at(a, 0, 0, h, w) != scale * value_at(b, 0, 0, h, w))
                return test_failed(__FILE__, __LINE__, "element {%d,%d} is %g, not %g times %g", (int)h, (int)w,
                                   value_at(a, 0, 0, h, w), scale, value_at(b, 0, 0, h, w));
    return true;
}

/* The same arrays in other units, by powers of two, with the same bits of the fraction. */
TEST(filters_of_noise_do_not_depend_on_units)
{
    const struct {
        tess_dtype dtype;
        double     scale;
    } units[] = { { TESS_F32, 0x1p-70 }, { TESS_F32, 0x1p70 }, { TESS_F64, 0x1p-500 }, { TESS_F64, 0x1p500 } };
    for (int k = 0; k < 4; k++) {
        const double             unit = units[k].scale;
        const tess_nl_means_opts one = { .noise = 0.4 }, other = { .noise = 0.4 * unit };
        tess_array               in = { 0 }, want = { 0 }, out = { 0 };
        CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 1, 20, 30), units[k].dtype, tess_cpu()));
        CHECK_OK(tess_random_uniform(&in, 1, 3, 7, NULL));
        tess_array there = scaled(&in, unit);
        CHECK_OK(tess_bilateral(&want, &in, 0.5, 1, NULL));
        CHECK_OK(tess_bilateral(&out, &there, 0.5 * unit, 1, NULL));
        CHECK(is_scaled(&out, &want, unit) && value_at(&want, 0, 0, 9, 9) != value_at(&in, 0, 0, 9, 9));
        CHECK_OK(tess_nl_means(&want, &in, 0.5, &one));
        CHECK_OK(tess_nl_means(&out, &there, 0.5 * unit, &other));
        CHECK(is_scaled(&out, &want, unit) && value_at(&want, 0, 0, 9, 9) != value_at(&in, 0, 0, 9, 9));
        tess_release(&in);
        tess_release(&there);
        tess_release(&want);
        tess_release(&out);
    }
}

/* A sigma beyond the numbers of f32: nothing, or everything is similar. */
TEST(filters_of_noise_at_the_limits_of_numbers)
{
    tess_array in = ROW(TESS_F32, 1, 1, 2, 1), out = { 0 };
    CHECK_OK(tess_bilateral(&out, &in, 1e-300, 1, NULL));
    CHECK(IS(&out, 1, 1, 2, 1));
    CHECK_OK(tess_nl_means(&out, &in, 1e-300, NULL));
    CHECK(IS(&out, 1, 1, 2, 1));
    CHECK_OK(tess_nl_means(&out, &in, 1e300, &(tess_nl_means_opts){ .search = 50 }));
    CHECK(fabs(value_at(&out, 0, 0, 0, 0) - 1.25) < 0.05 && fabs(value_at(&out, 0, 0, 0, 2) - 1.25) < 0.05);
    tess_release(&in);
    tess_release(&out);
}

/* ---- Diffusion ---- */

TEST(diffusion_is_a_step_towards_neighbours)
{
    tess_array                in = ROW(TESS_F64, 0, 4, 0), out = { 0 };
    const tess_diffusion_opts o = { .conductance = TESS_CONDUCTANCE_RATIONAL, .step = 0.5 };
    CHECK_OK(tess_anisotropic_diffusion(&out, &in, 4, 1, &o)); /* a conductance of 1/2 */
    CHECK(IS(&out, 1, 2, 1));
    CHECK_OK(tess_anisotropic_diffusion(&out, &in, 4, 0, NULL));
    CHECK(IS(&out, 0, 4, 0));
    CHECK_OK(tess_anisotropic_diffusion(&in, &in, 4, 1, &o)); /* in place */
    CHECK(IS(&in, 1, 2, 1));
    tess_release(&in);
    tess_release(&out);
}

TEST(diffusion_stays_in_the_range_and_leaves_nans)
{
    tess_array in = { 0 }, out = { 0 }, special = ROW(TESS_F32, 1, 3, NAN, 5, 5, INFINITY, 1);
    tess_array low = { 0 }, high = { 0 };
    CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 5, 9, 17), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&in, 0, 1, 3, NULL));
    CHECK_OK(tess_anisotropic_diffusion(&out, &in, 100, 50, &(tess_diffusion_opts){ .step = 1.0 / 6 }));
    CHECK_OK(tess_minmax(&low, &high, &in, 0, NULL));
    const double least = value_at(&low, 0, 0, 0, 0), most = value_at(&high, 0, 0, 0, 0);
    CHECK_OK(tess_minmax(&low, &high, &out, 0, NULL));
    CHECK(value_at(&low, 0, 0, 0, 0) > least && value_at(&high, 0, 0, 0, 0) < most);
    CHECK_OK(tess_anisotropic_diffusion(&special, &special, 100, 200, NULL));
    CHECK(fabs(value_at(&special, 0, 0, 0, 0) - 2) < 1e-3 && isnan(value_at(&special, 0, 0, 0, 2)));
    CHECK(value_at(&special, 0, 0, 0, 3) == 5 && isinf(value_at(&special, 0, 0, 0, 5)));
    CHECK(value_at(&special, 0, 0, 0, 6) == 1);
    tess_release(&in);
    tess_release(&out);
    tess_release(&special);
    tess_release(&low);
    tess_release(&high);
}

/* ---- Estimates of noise ---- */

TEST(noise_is_estimated_from_second_differences)
{
    tess_array in = { 0 }, out = { 0 }, slope = numbers(TESS_U8, 1, 1, 5, 5), few = ROW(TESS_F32, 1, 2);
    tess_array empty = constant(TESS_F32, 2, 1, 0, 4, 0), z = constant(TESS_C32, 1, 1, 1, 4, 0),
               row = ROW(TESS_F16, 0, 1, 0);
    CHECK_OK(tess_empty(&in, TESS_SHAPE(3, 1, 100, 200), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&in, 5, 2, 1, NULL));
    CHECK_OK(tess_set_f64(&in, 1, 0, 50, 50, NAN)); /* is ignored */
    CHECK_OK(tess_estimate_noise(&out, &in));
    CHECK(out.dtype == TESS_F64 && out.shape.b == 3 && out.shape.w == 1);
    for (int b = 0; b < 3; b++) CHECK(fabs(value_at(&out, b, 0, 0, 0) - 2) < 0.05);
    tess_release(&out);
    CHECK_OK(tess_estimate_noise(&out, &slope));
    CHECK(IS(&out, 0));
    CHECK_OK(tess_estimate_noise(&out, &row)); /* 2 / 0.6745 / sqrt(6) */
    CHECK(fabs(value_at(&out, 0, 0, 0, 0) - 2 / 0.67448975019608174 / sqrt(6)) < 1e-9);
    CHECK_OK(tess_estimate_noise(&out, &few));
    CHECK(IS(&out, NAN));
    CHECK_FAILS(tess_estimate_noise(NULL, &in), TESS_EARG, "estimate_noise: out is NULL");
    CHECK_FAILS(tess_estimate_noise(&out, &z), TESS_EDTYPE, "estimate_noise: in is c32");
    CHECK_FAILS(tess_estimate_noise(&out, &in), TESS_ESHAPE, "estimate_noise: out has shape {1,1,1,1}");
    tess_release(&out);
    CHECK_OK(tess_estimate_noise(&out, &empty));
    CHECK(IS(&out, NAN, NAN));
    tess_release(&in);
    tess_release(&out);
    tess_release(&slope);
    tess_release(&few);
    tess_release(&empty);
    tess_release(&z);
    tess_release(&row);
}

/* ---- Deconvolution ---- */

/* Of a point, whose blurred image is the point spread function: its centre is element n / 2 for odd and even sizes. */
TEST(deconvolution_finds_the_point)
{
    for (int n = 3; n < 5; n++) {
        tess_array blurred = constant(TESS_F64, 1, 1, 1, 16, 0), out = { 0 };
        tess_array psf = n == 3 ? ROW(TESS_F64, 1, 4, 2) : ROW(TESS_F64, 1, 2, 4, 1);
        for (int i = 0; i < n; i++)
            CHECK_OK(tess_set_f64(&blurred, 0, 0, 0, 7 + i - n / 2, value_at(&psf, 0, 0, 0, i) / (n == 3 ? 7 : 8)));
        CHECK_OK(tess_richardson_lucy(&out, &blurred, &psf, 200, NULL));
        CHECK(value_at(&out, 0, 0, 0, 7) > 0.99 && value_at(&out, 0, 0, 0, 6) < 0.01);
        CHECK_OK(tess_wiener_deconvolve(&out, &blurred, &psf, 1e-6, NULL));
        CHECK(fabs(value_at(&out, 0, 0, 0, 7) - 1) < 0.01 && fabs(value_at(&out, 0, 0, 0, 6)) < 0.01);
        CHECK_OK(tess_wiener_deconvolve(&out, &blurred, &psf, 1e-6, &(tess_wiener_opts){ .laplacian = 1 }));
        CHECK(fabs(value_at(&out, 0, 0, 0, 7) - 1) < 0.01);
        tess_release(&blurred);
        tess_release(&out);
        tess_release(&psf);
    }
}

/* Mirrored borders keep a constant, up to the edges, also if the point spread function is larger than the image. */
/* A point spread function of a volume, in one plane, blurs an image. */
TEST(deconvolution_takes_psfs_of_more_axes)
{
    tess_array psf = ROW(TESS_F64, 1, 4, 2), in = { 0 }, out = { 0 }, image = numbers(TESS_F64, 1, 1, 1, 9),
               flat = { 0 };
    CHECK_OK(tess_zeros(&in, TESS_SHAPE(1, 3, 1, 3), TESS_F64, tess_cpu()));
    for (int i = 0; i < 3; i++) ((double *)in.data)[3 + i] = value_at(&psf, 0, 0, 0, i);
    CHECK_OK(tess_wiener_deconvolve(&flat, &image, &psf, 1e-3, NULL));
    CHECK_OK(tess_wiener_deconvolve(&out, &image, &in, 1e-3, NULL));
    CHECK(tess_n_elements(&out) == 9);
    for (int i = 0; i < 9; i++) CHECK(fabs(value_at(&out, 0, 0, 0, i) - value_at(&flat, 0, 0, 0, i)) < 1e-9);
    tess_release(&psf);
    tess_release(&in);
    tess_release(&out);
    tess_release(&image);
    tess_release(&flat);
}

TEST(deconvolution_keeps_constants)
{
    tess_array in = constant(TESS_F64, 2, 1, 5, 6, 3), psf = constant(TESS_F32, 1, 1, 9, 11, 2), out = { 0 };
    CHECK_OK(tess_richardson_lucy(&out, &in, &psf, 5, NULL));
    for (int i = 0; i < 60; i++) CHECK(fabs(value_at(&out, i / 30, 0, i / 6 % 5, i % 6) - 3) < 1e-9);
    CHECK_OK(tess_wiener_deconvolve(&out, &in, &psf, 0.5, NULL));
    for (int i = 0; i < 60; i++) CHECK(fabs(value_at(&out, i / 30, 0, i / 6 % 5, i % 6) - 2) < 1e-9);
    CHECK_OK(tess_wiener_deconvolve(&out, &in, &psf, 0, NULL)); /* zeros of the transfer function give 0 */
    for (int i = 0; i < 60; i++) CHECK(fabs(value_at(&out, i / 30, 0, i / 6 % 5, i % 6) - 3) < 1e-6);
    tess_release(&in);
    tess_release(&psf);
    tess_release(&out);
}

/* Elements below 0 count as 0, an image of zeros stays one, and nothing is negative. */
TEST(richardson_lucy_is_not_negative)
{
    tess_array in = ROW(TESS_F32, -5, 1, 9, 0, 0, 2), zeros = constant(TESS_F32, 1, 1, 1, 6, 0), out = { 0 };
    tess_array psf = ROW(TESS_F32, 1, 3, 1), one = ROW(TESS_F32, 7);
    CHECK_OK(tess_richardson_lucy(&out, &zeros, &psf, 3, NULL));
    CHECK(all_are(&out, 0));
    CHECK_OK(tess_richardson_lucy(&out, &in, &psf, 30, NULL));
    for (int i = 0; i < 6; i++) CHECK(value_at(&out, 0, 0, 0, i) >= 0);
    CHECK_OK(tess_richardson_lucy(&out, &in, &one, 1, NULL)); /* no blur */
    CHECK(fabs(value_at(&out, 0, 0, 0, 2) - 9) < 1e-5 && value_at(&out, 0, 0, 0, 0) == 0);
    CHECK_OK(tess_richardson_lucy(&in, &in, &psf, 2, NULL)); /* in place */
    tess_release(&in);
    tess_release(&zeros);
    tess_release(&psf);
    tess_release(&one);
    tess_release(&out);
}

/* ---- All ---- */

static tess_status call(int which, tess_array *out, const tess_array *in)
{
    tess_array  psf = ROW(TESS_F32, 1, 2, 1);
    tess_status status;
    switch (which) {
    case 0: status = tess_bilateral(out, in, 1, 1, NULL); break;
    case 1: status = tess_nl_means(out, in, 1, NULL); break;
    case 2: status = tess_anisotropic_diffusion(out, in, 1, 3, NULL); break;
    case 3: status = tess_richardson_lucy(out, in, &psf, 3, NULL); break;
    default: status = tess_wiener_deconvolve(out, in, &psf, 0, NULL);
    }
    tess_release(&psf);
    return status;
}
enum { CALLS = 5 };

TEST(special_shapes_of_restoration)
{
    tess_array one = ROW(TESS_U8, 7), empty = { 0 }, constants = constant(TESS_F64, 1, 1, 6, 7, 0.1), out = { 0 };
    CHECK_OK(tess_empty(&empty, TESS_SHAPE(2, 1, 0, 4), TESS_F32, tess_cpu()));
    for (int which = 0; which < CALLS; which++) {
        CHECK_OK(call(which, &out, &empty));
        CHECK(tess_is_empty(&out) && out.shape.b == 2 && out.dtype == TESS_F32);
        tess_release(&out);
        CHECK_OK(call(which, &out, &one));
        CHECK(out.dtype == TESS_F32 && fabs(value_at(&out, 0, 0, 0, 0) - 7) < 1e-5);
        tess_release(&out);
        CHECK_OK(call(which, &out, &constants));
        if (which < 3) CHECK(all_are(&out, 0.1));
        else CHECK(fabs(value_at(&out, 0, 0, 0, 3) - 0.1) < 1e-12);
        tess_release(&out);
    }
    tess_release(&one);
    tess_release(&empty);
    tess_release(&constants);
}

TEST(outputs_of_restoration)
{
    tess_array in = ROW(TESS_F32, 1, 2, 3, 4), z = constant(TESS_C32, 1, 1, 1, 4, 0), out = { 0 };
    tess_array wide = constant(TESS_F64, 1, 1, 1, 4, 0), bytes = constant(TESS_U8, 1, 1, 1, 4, 0);
    for (int which = 0; which < CALLS; which++) {
        CHECK_OK(call(which, &wide, &in));
        CHECK_OK(call(which, &bytes, &in));
        CHECK_FAILS(call(which, NULL, &in), TESS_EARG, "out is NULL");
        CHECK_FAILS(call(which, &out, NULL), TESS_EARG, "in is NULL");
        CHECK_FAILS(call(which, &out, &z), TESS_EDTYPE, "in is c32");
        if (which < 2) CHECK_FAILS(call(which, &in, &in), TESS_EALIAS, "out");
    }
    CHECK(out.data == NULL);
    tess_release(&in);
    tess_release(&z);
    tess_release(&wide);
    tess_release(&bytes);
}

TEST(filters_of_noise_reject)
{
    tess_array in = ROW(TESS_F32, 1, 2, 3, 4), image = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 };
    CHECK_FAILS(tess_bilateral(&out, &in, 0, 1, NULL), TESS_ERANGE, "bilateral: sigma_value is 0; it must be above 0");
    CHECK_FAILS(tess_bilateral(&out, &in, NAN, 1, NULL), TESS_ERANGE, "bilateral: sigma_value is nan");
    CHECK_FAILS(tess_bilateral(&out, &in, 1, -1, NULL), TESS_ERANGE, "bilateral: sigma_space is -1");
    CHECK_FAILS(tess_bilateral(&out, &in, 1, 1e6, NULL), TESS_ERANGE, "bilateral: sigma_space is 1000000", "100000");
    CHECK_FAILS(tess_bilateral(&out, &in, 1, 1, &(tess_bilateral_opts){ .sigma_h = -1 }), TESS_ERANGE, "sigma_h is -1");
    CHECK_FAILS(tess_bilateral(&out, &in, 1, 1, &(tess_bilateral_opts){ .window = TESS_SHAPE(1, 1, 1, 4) }),
                TESS_ESHAPE, "bilateral: opts->window has shape {1,1,1,4}", "odd sizes");
    CHECK_FAILS(tess_bilateral(&out, &in, 1, 1, &(tess_bilateral_opts){ .border = TESS_BORDER_NOTHING }), TESS_EARG,
                "bilateral: opts->border is \"nothing\"");
    CHECK_FAILS(tess_bilateral(&out, &in, 1, 1, &(tess_bilateral_opts){ .value = 1 }), TESS_EARG,
                "bilateral: opts->value is 1", "\"value\"");
    CHECK_FAILS(tess_nl_means(&out, &in, 0, NULL), TESS_ERANGE, "nl_means: strength is 0; it must be above 0");
    CHECK_FAILS(tess_nl_means(&out, &in, 1, &(tess_nl_means_opts){ .patch = 128 }), TESS_ERANGE, "patch is 128", "127");
    CHECK_FAILS(tess_nl_means(&out, &in, 1, &(tess_nl_means_opts){ .search = TESS_ZERO_INT }), TESS_ERANGE,
                "search is 0", "1");
    CHECK_FAILS(tess_nl_means(&out, &in, 1, &(tess_nl_means_opts){ .noise = -1 }), TESS_ERANGE, "noise is -1");
    CHECK_FAILS(tess_anisotropic_diffusion(&out, &in, 0, 1, NULL), TESS_ERANGE,
                "anisotropic_diffusion: kappa is 0; it must be above 0");
    CHECK_FAILS(tess_anisotropic_diffusion(&out, &in, 1, -1, NULL), TESS_ERANGE, "iterations is -1", "from 0");
    CHECK_FAILS(tess_anisotropic_diffusion(&out, &image, 1, 1, &(tess_diffusion_opts){ .step = 0.3 }), TESS_ERANGE,
                "anisotropic_diffusion: opts->step is 0.3; along 2 axes it must be at most 0.25");
    CHECK(out.data == NULL);
    tess_release(&in);
    tess_release(&image);
}

TEST(deconvolution_rejects)
{
    tess_array in = ROW(TESS_F32, 1, 2, 3, 4), nothing = ROW(TESS_F32, 0, 0, 0), nan = ROW(TESS_F32, 1, NAN);
    tess_array image = numbers(TESS_F32, 1, 1, 3, 4), stack = numbers(TESS_F32, 2, 1, 1, 3), out = { 0 };
    tess_array z = constant(TESS_C32, 1, 1, 1, 3, 1);
    CHECK_FAILS(tess_richardson_lucy(&out, &in, &nothing, 1, NULL), TESS_ERANGE,
                "richardson_lucy: the sum of psf is 0; it must be above 0");
    CHECK_FAILS(tess_wiener_deconvolve(&out, &in, &nan, 1, NULL), TESS_ERANGE, "the sum of psf is nan");
    CHECK_FAILS(tess_richardson_lucy(&out, &in, &stack, 1, NULL), TESS_ESHAPE, "psf has shape {2,1,1,3}", "{1,d,h,w}");
    CHECK_FAILS(tess_richardson_lucy(&out, &in, &z, 1, NULL), TESS_EDTYPE, "psf is c32");
    CHECK_FAILS(tess_richardson_lucy(&out, &in, NULL, 1, NULL), TESS_EARG, "psf is NULL");
    CHECK_FAILS(tess_richardson_lucy(&out, &in, &in, -1, NULL), TESS_ERANGE, "iterations is -1");
    CHECK_FAILS(tess_richardson_lucy(&out, &in, &in, 1, &(tess_richardson_lucy_opts){ .border = TESS_BORDER_NOTHING }),
                TESS_EARG, "opts->border is \"nothing\"");
    CHECK_FAILS(tess_richardson_lucy(&in, &in, &in, 1, NULL), TESS_EALIAS, "out", "psf");
    CHECK_FAILS(tess_richardson_lucy(&in, &image, &nan, 1, NULL), TESS_ESHAPE, "out has shape");
    CHECK_FAILS(tess_wiener_deconvolve(&out, &in, &in, -1, NULL), TESS_ERANGE,
                "wiener_deconvolve: balance is -1; it must be at least 0");
    CHECK(out.data == NULL);
    tess_release(&in);
    tess_release(&nothing);
    tess_release(&nan);
    tess_release(&image);
    tess_release(&stack);
    tess_release(&z);
}
