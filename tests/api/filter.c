/* Filters of spectra: examples, real arrays, empty arrays, and every bad argument with its message. */
#include "tessera/filter.h"

#include <math.h>

#include "support/hooks.h"
#include "support/test.h"
#include "tessera/ctf.h"
#include "tessera/ewise.h"
#include "tessera/op.h"
#include "tessera/random.h"
#include "tessera/scalar.h"

static const tess_shape image = { { 1, 1, 8, 8 } };

static tess_array numbers(tess_shape shape, tess_dtype dtype)
{
    tess_array a = { .data = NULL };
    CHECK_OK(tess_empty(&a, shape, dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0, 1, 7, NULL));
    return a;
}

static double number_at(const tess_array *a, int64_t h, int64_t w)
{
    return ((const double *)a->data)[h * a->strides.h + w * a->strides.w];
}

TEST(resolutions)
{
    CHECK(fabs(tess_resolution_to_frequency(8, 1.4) - 0.175) < 1e-15);
    CHECK(fabs(tess_frequency_to_resolution(0.175, 1.4) - 8) < 1e-14);
}

/* The edge begins at the cutoff and lies outside the band. */
TEST(edges_lie_outside_the_band)
{
    tess_array       out = { .data = NULL };
    const tess_shape signal = TESS_SHAPE(1, 1, 1, 20);
    CHECK_OK(tess_empty(&out, tess_rfft_shape(signal), TESS_F64, tess_cpu()));
    CHECK_OK(tess_lowpass(&out, NULL, signal, 0.2, &(tess_lowpass_opts){ .width = 0.1 }));
    CHECK(number_at(&out, 0, 4) == 1);
    CHECK(fabs(number_at(&out, 0, 5) - 0.5) < 1e-12);
    CHECK(number_at(&out, 0, 6) == 0 || fabs(number_at(&out, 0, 6)) < 1e-12);
    CHECK_OK(tess_highpass(&out, NULL, signal, 0.2, &(tess_highpass_opts){ .width = 0.1 }));
    CHECK(number_at(&out, 0, 4) == 1);
    CHECK(fabs(number_at(&out, 0, 3) - 0.5) < 1e-12);
    CHECK(number_at(&out, 0, 1) == 0);
    CHECK_OK(tess_lowpass(&out, NULL, signal, 0.25, &(tess_lowpass_opts){ .edge = TESS_FILTER_BUTTERWORTH }));
    CHECK(fabs(number_at(&out, 0, 5) - sqrt(0.5)) < 1e-15);
    CHECK_OK(
        tess_lowpass(&out, NULL, signal, 0.2, &(tess_lowpass_opts){ .edge = TESS_FILTER_GAUSSIAN, .width = 0.05 }));
    CHECK(fabs(number_at(&out, 0, 5) - exp(-0.5)) < 1e-12);
    tess_release(&out);
}

/* Half at the cutoff; an edge that would begin below frequency 0 begins there, and the mean stays. */
TEST(edges_centred_on_the_cutoff)
{
    tess_array       out = { .data = NULL }, rows = { .data = NULL };
    const tess_shape signal = TESS_SHAPE(1, 1, 1, 20);
    CHECK_OK(tess_empty(&out, tess_rfft_shape(signal), TESS_F64, tess_cpu()));
    CHECK_OK(tess_lowpass(&out, NULL, signal, 0.2, &(tess_lowpass_opts){ .width = 0.1, .centred = 1 }));
    CHECK(number_at(&out, 0, 3) == 1 && fabs(number_at(&out, 0, 4) - 0.5) < 1e-12 && number_at(&out, 0, 5) < 1e-12);
    CHECK_OK(tess_highpass(&out, NULL, signal, 0.2, &(tess_highpass_opts){ .width = 0.1, .centred = 1 }));
    CHECK(number_at(&out, 0, 3) < 1e-12 && fabs(number_at(&out, 0, 4) - 0.5) < 1e-12 && number_at(&out, 0, 5) == 1);
    CHECK_OK(tess_lowpass(&out, NULL, signal, 0.05, &(tess_lowpass_opts){ .width = 0.3, .centred = 1 }));
    CHECK(number_at(&out, 0, 0) == 1 && fabs(number_at(&out, 0, 2) - 0.5) < 1e-12 && number_at(&out, 0, 4) < 1e-12);
    CHECK_OK(tess_highpass(&out, NULL, signal, 0.05, &(tess_highpass_opts){ .width = 0.3, .centred = 1 }));
    CHECK(number_at(&out, 0, 0) < 1e-12 && fabs(number_at(&out, 0, 2) - 0.5) < 1e-12 && number_at(&out, 0, 4) == 1);
    CHECK_OK(tess_zeros(&rows, TESS_SHAPE(1, 1, 1, 4), TESS_F64, tess_cpu()));
    memcpy(rows.data, (double[4]){ 0.1, 0.3, 0.1, 0.2 }, 4 * sizeof(double)); /* low, high and their widths */
    CHECK_OK(tess_bandpass(&out, NULL, signal, 0, 0.5, &(tess_bandpass_opts){ .parameters = &rows, .centred = 1 }));
    CHECK(number_at(&out, 0, 1) < 1e-12 && fabs(number_at(&out, 0, 2) - 0.5) < 1e-12 && number_at(&out, 0, 4) == 1);
    CHECK(fabs(number_at(&out, 0, 6) - 0.5) < 1e-12 && number_at(&out, 0, 8) < 1e-12);
    CHECK_FAILS(
        tess_lowpass(&out, NULL, signal, 0.2, &(tess_lowpass_opts){ .edge = TESS_FILTER_GAUSSIAN, .centred = 1 }),
        TESS_EARG, "lowpass: opts->centred is 1", "cosine");
    tess_release(&out);
    tess_release(&rows);
}

/* The square of such a cutoff is 0. */
TEST(the_smallest_cutoff_of_a_butterworth_gives_numbers)
{
    const tess_shape signal = TESS_SHAPE(1, 1, 1, 20);
    tess_array       low = { .data = NULL }, high = { .data = NULL };
    CHECK_OK(tess_empty(&low, tess_rfft_shape(signal), TESS_F64, tess_cpu()));
    CHECK_OK(tess_empty(&high, tess_rfft_shape(signal), TESS_F64, tess_cpu()));
    for (double cutoff = 1e-300; cutoff < 1e-100; cutoff *= 1e40) {
        CHECK_OK(tess_lowpass(&low, NULL, signal, cutoff, &(tess_lowpass_opts){ .edge = TESS_FILTER_BUTTERWORTH }));
        CHECK_OK(tess_highpass(&high, NULL, signal, cutoff, &(tess_highpass_opts){ .edge = TESS_FILTER_BUTTERWORTH }));
        CHECK(number_at(&low, 0, 0) == 1 && number_at(&high, 0, 0) == 0);
        CHECK(number_at(&low, 0, 3) < 1e-90 && number_at(&high, 0, 3) == 1);
    }
    tess_release(&low);
    tess_release(&high);
}

/* A hard edge lets the cutoff itself pass, at every frequency k / n. */
TEST(the_cutoff_passes_a_hard_edge)
{
    for (int64_t n = 4; n < 200; n++) {
        tess_array       out = { .data = NULL };
        const tess_shape signal = TESS_SHAPE(1, 1, 1, n);
        const int64_t    k = n / 3;
        CHECK_OK(tess_empty(&out, tess_rfft_shape(signal), TESS_F64, tess_cpu()));
        CHECK_OK(tess_lowpass(&out, NULL, signal, (double)k / (double)n, NULL));
        CHECK(number_at(&out, 0, k) == 1 && number_at(&out, 0, k + 1) == 0);
        CHECK_OK(tess_highpass(&out, NULL, signal, (double)k / (double)n, NULL));
        CHECK(number_at(&out, 0, k) == 1 && (k == 0 || number_at(&out, 0, k - 1) == 0));
        tess_release(&out);
    }
}

/* Corners reach 0.71 and 0.87. */
TEST(cutoffs_above_nyquist_are_valid)
{
    tess_array       out = { .data = NULL };
    const tess_shape volume = TESS_SHAPE(1, 4, 4, 4);
    CHECK_OK(tess_empty(&out, volume, TESS_F64, tess_cpu()));
    CHECK_OK(tess_lowpass(&out, NULL, volume, 0.8, &(tess_lowpass_opts){ .from = TESS_FFT_FC }));
    CHECK(((double *)out.data)[0] == 0 && ((double *)out.data)[1] == 1);
    CHECK_OK(tess_lowpass(&out, NULL, volume, 0.87, &(tess_lowpass_opts){ .from = TESS_FFT_FC }));
    CHECK(((double *)out.data)[0] == 1);
    tess_release(&out);
}

/* start + k step, with and without the end. */
TEST(ranges_of_frequencies)
{
    tess_array       out = { .data = NULL };
    const tess_shape signal = TESS_SHAPE(1, 1, 1, 8);
    CHECK_OK(tess_empty(&out, tess_rfft_shape(signal), TESS_F64, tess_cpu()));
    CHECK_OK(tess_bfactor(&out, NULL, signal, 4, 1, &(tess_bfactor_opts){ .start = 0.1, .stop = 0.3 }));
    for (int64_t k = 0; k < 5; k++) CHECK(fabs(number_at(&out, 0, k) - exp(-pow(0.1 + 0.05 * (double)k, 2))) < 1e-15);
    CHECK_OK(tess_bfactor(&out, NULL, signal, 4, 1, &(tess_bfactor_opts){ .stop = 0.3, .no_endpoint = 1 }));
    for (int64_t k = 0; k < 5; k++) CHECK(fabs(number_at(&out, 0, k) - exp(-pow(0.06 * (double)k, 2))) < 1e-15);
    tess_release(&out);
}

TEST(doses)
{
    tess_array       out = { .data = NULL };
    const tess_shape signal = TESS_SHAPE(1, 1, 1, 10);
    CHECK_OK(tess_empty(&out, tess_rfft_shape(signal), TESS_F64, tess_cpu()));
    CHECK_OK(tess_dose_weight(&out, NULL, signal, &tess_f64(20), 1.5, NULL));
    CHECK(number_at(&out, 0, 0) == 1);
    const double critical = 0.245 * pow(0.3 / 1.5, -1.665) + 2.81;
    CHECK(fabs(number_at(&out, 0, 3) - exp(-10 / critical)) < 1e-14);
    CHECK_OK(tess_dose_weight(&out, NULL, signal, &tess_f64(20), 1.5, &(tess_dose_weight_opts){ .voltage = 200 }));
    CHECK(fabs(number_at(&out, 0, 3) - exp(-10 / (0.8 * critical))) < 1e-14);
    CHECK_FAILS(tess_dose_weight(&out, NULL, signal, &tess_f64(20), 1.5, &(tess_dose_weight_opts){ .voltage = 120 }),
                TESS_ERANGE, "dose_weight: opts->voltage is 120", "need opts->critical_factor");
    tess_release(&out);
}

TEST(operators_and_curves)
{
    tess_op         *op = NULL;
    tess_array       in = numbers(TESS_SHAPE(2, 1, 8, 5), TESS_C32), out = { .data = NULL }, want = { .data = NULL };
    tess_array       curve = { .data = NULL }, close = { .data = NULL };
    const tess_shape shape = TESS_SHAPE(2, 1, 8, 8);
    CHECK_OK(tess_op_text(&op, "op f(in f64 z, in f64 y, in f64 x, out f64 m) { m = exp(0 - (x*x + y*y + z*z)); }"));
    CHECK_OK(tess_filter_spectrum(&out, &in, shape, op, &(tess_filter_spectrum_opts){ .to = TESS_FFT_FC }));
    CHECK_OK(tess_bfactor(&want, &in, shape, 4, 1, &(tess_bfactor_opts){ .to = TESS_FFT_FC }));
    CHECK_OK(tess_isclose(&close, &out, &want, NULL));
    for (int64_t i = 0; i < tess_n_elements(&close); i++) CHECK(((bool *)close.data)[i]);
    tess_op_release(op);
    tess_release(&out);
    CHECK_OK(tess_linspace(&curve, TESS_SHAPE(1, 1, 1, 3), TESS_F64, tess_cpu(), 0, 1, NULL));
    CHECK_OK(tess_empty(&out, TESS_SHAPE(2, 1, 8, 5), TESS_F64, tess_cpu()));
    CHECK_OK(tess_filter_curve(&out, NULL, shape, &curve, NULL));
    CHECK(fabs(number_at(&out, 0, 1) - 0.25) < 1e-15 && number_at(&out, 4, 4) == 1);
    tess_release(&in);
    tess_release(&out);
    tess_release(&want);
    tess_release(&curve);
    tess_release(&close);
}

TEST(operators_of_each_batch)
{
    tess_op   *op = NULL;
    tess_array out = { .data = NULL }, p = { .data = NULL };
    CHECK_OK(tess_arange(&p, TESS_SHAPE(2, 1, 1, 1), TESS_F64, tess_cpu(), 3, 4));
    CHECK_OK(tess_op_text(&op, "op f(in f64 z, in f64 y, in f64 x, view f64 p, out f64 m) { m = p[b,0,0,0] + x; }"));
    CHECK_OK(tess_empty(&out, TESS_SHAPE(2, 1, 1, 3), TESS_F64, tess_cpu()));
    CHECK_OK(tess_filter_spectrum(&out, NULL, TESS_SHAPE(2, 1, 1, 4), op,
                                  &(tess_filter_spectrum_opts){ .parameters = &p, .batched = 1 }));
    CHECK(((double *)out.data)[1] == 3.25 && ((double *)out.data)[5] == 7.5);
    tess_op_release(op);
    CHECK_OK(tess_op_text(&op, "op f(in f64 z, in f64 y, in f64 x, out i32 m) { m = 1; }"));
    CHECK_FAILS(tess_filter_spectrum(&out, NULL, TESS_SHAPE(2, 1, 1, 4), op, NULL), TESS_EDTYPE,
                "filter_spectrum: the result of op is i32", "must be f16, f32 or f64");
    tess_op_release(op);
    tess_release(&out);
    tess_release(&p);
}

/* The same as three calls, also where batches go in groups, of f16 and in place. */
TEST(real_images)
{
    const tess_shape shapes[] = {
        { { 3, 1, 9, 14 } }, { { 5, 1, 512, 700 } }, { { 2, 5, 6, 7 } }, { { 4, 1, 1, 33 } }
    };
    for (int i = 0; i < 4; i++) {
        tess_array              in = numbers(shapes[i], TESS_F32), out = { .data = NULL }, spectrum = { .data = NULL };
        tess_array              want = { .data = NULL }, half = { .data = NULL };
        const tess_lowpass_opts o = { .width = 0.1 };
        CHECK_OK(tess_lowpass_image(&out, &in, 0.2, &o));
        CHECK_OK(tess_fft_r2c(&spectrum, &in, NULL));
        CHECK_OK(tess_lowpass(&spectrum, &spectrum, shapes[i], 0.2, &o));
        CHECK_OK(tess_fft_c2r(&want, &spectrum, shapes[i], NULL));
        CHECK(memcmp(out.data, want.data, (size_t)tess_n_bytes(&want)) == 0);
        CHECK_OK(tess_cast(&half, &in, TESS_F16, NULL));
        CHECK_OK(tess_lowpass_image(&half, &half, 0.2, &o));
        CHECK_OK(tess_cast(&out, &half, TESS_F32, NULL));
        for (int64_t k = 0; k < tess_n_elements(&out); k++)
            CHECK(fabsf(((float *)out.data)[k] - ((float *)want.data)[k]) < 0.01f);
        CHECK_OK(tess_highpass_image(&in, &in, 0.2, NULL));
        tess_release(&in);
        tess_release(&out);
        tess_release(&spectrum);
        tess_release(&want);
        tess_release(&half);
    }
}

TEST(parameters_of_each_batch_of_images)
{
    tess_array in = numbers(TESS_SHAPE(9, 1, 300, 512), TESS_F32), out = { .data = NULL }, p = { .data = NULL };
    tess_array one, want = { .data = NULL };
    CHECK_OK(tess_linspace(&p, TESS_SHAPE(9, 1, 1, 1), TESS_F32, tess_cpu(), 0.1, 0.4, NULL));
    CHECK_OK(tess_lowpass_image(&out, &in, 0, &(tess_lowpass_opts){ .parameters = &p }));
    CHECK_OK(tess_index(&one, &in, 0, 7));
    CHECK_OK(tess_lowpass_image(&want, &one, (double)((float *)p.data)[7], NULL));
    CHECK(memcmp((float *)out.data + 7 * 300 * 512, want.data, 300 * 512 * 4) == 0);
    tess_release(&in);
    tess_release(&out);
    tess_release(&p);
    tess_release(&want);
}

TEST(empty_spectra)
{
    tess_array in = numbers(TESS_SHAPE(0, 1, 8, 5), TESS_C32), out = { .data = NULL };
    CHECK_OK(tess_lowpass(&out, &in, TESS_SHAPE(0, 1, 8, 8), 0.2, NULL));
    CHECK_I64(tess_n_elements(&out), 0);
    tess_release(&in);
    tess_release(&out);
}

TEST(asynchronous_streams_keep_what_they_need)
{
    tess_stream     *stream = NULL;
    tess_array       in = numbers(TESS_SHAPE(3, 1, 64, 33), TESS_C32), out = { .data = NULL }, want = { .data = NULL };
    tess_array       p = { .data = NULL }, shifted = { .data = NULL }, wanted = { .data = NULL };
    const tess_shape shape = TESS_SHAPE(3, 1, 64, 64);
    CHECK_OK(tess_linspace(&p, TESS_SHAPE(3, 1, 1, 2), TESS_F32, tess_cpu(), 0.1, 0.3, NULL));
    const tess_lowpass_opts o = { .parameters = &p, .to = TESS_FFT_FC };
    CHECK_OK(tess_lowpass(&want, &in, shape, 0, &o));
    CHECK_OK(tess_phase_shift(&wanted, &in, shape, &p, NULL));
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_lowpass(&out, &in, shape, 0, &o));
    CHECK_OK(tess_phase_shift(&shifted, &in, shape, &p, NULL));
    tess_release(&in);
    tess_release(&p);
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(memcmp(out.data, want.data, (size_t)tess_n_bytes(&out)) == 0);
    CHECK(memcmp(shifted.data, wanted.data, (size_t)tess_n_bytes(&shifted)) == 0);
    tess_release(&out);
    tess_release(&want);
    tess_release(&shifted);
    tess_release(&wanted);
    tess_stream_free(stream);
}

/* ---- Memory ---- */

static hooks h;

static tess_status call_one(int which, tess_array *out, const tess_array *spectrum, const tess_array *real)
{
    const tess_ctf ctf = { .pixel_size = { 1, 1 }, .defocus = 1 };
    if (which == 0) return tess_lowpass(out, spectrum, TESS_SHAPE(2, 1, 30, 34), 0.2, NULL);
    if (which == 1) return tess_lowpass_image(out, real, 0.2, NULL);
    if (which == 2) return tess_ctf_apply(out, spectrum, TESS_SHAPE(2, 1, 30, 34), &ctf, NULL);
    if (which == 3) return tess_phase_shift(out, spectrum, TESS_SHAPE(2, 1, 30, 34), real, NULL);
    return tess_dose_weight(out, spectrum, TESS_SHAPE(2, 1, 30, 34), &tess_f64(3), 1, NULL);
}

/* With allocation 1, 2, 3 … failing: an error that says so, and an output that is as it was. */
static void torture(int which)
{
    tess_array spectrum = numbers(TESS_SHAPE(2, 1, 30, 18), TESS_C16), real = { .data = NULL };
    real = numbers(which == 3 ? TESS_SHAPE(2, 1, 1, 2) : TESS_SHAPE(2, 1, 30, 34), TESS_F16);
    tess_fft_cache_clear();
    hooks_on(&h);
    for (long at = 1; at < 1000; at++) {
        tess_array out = { .data = NULL };
        atomic_store(&h.calls, 0);
        atomic_store(&h.fired, 0);
        atomic_store(&h.fail_at, at);
        const tess_status status = call_one(which, &out, &spectrum, &real);
        atomic_store(&h.fail_at, 0);
        if (status != TESS_OK) CHECK(out.data == NULL && out.dtype == TESS_DTYPE_NONE);
        tess_release(&out);
        tess_fft_cache_clear();
        if (atomic_load(&h.fired) == 0) break;
        if (status != TESS_OK) CHECK_FAILS(status, TESS_ENOMEM, "memory");
    }
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    CHECK_I64(atomic_load(&h.wrong), 0);
    tess_release(&spectrum);
    tess_release(&real);
}

TEST(allocations_that_fail)
{
    for (int which = 0; which < 5; which++) torture(which);
}

/* ---- Metrics ---- */

/* A hexagonal lattice: the six frequencies next to zero are as long, and rows of the spectrum are cut where they lie. */
TEST(skew_axes_have_a_metric)
{
    const tess_shape  shape = TESS_SHAPE(1, 1, 8, 8);
    const tess_metric hexagonal = { .hh = 1, .ww = 1, .hw = 0.5 };
    tess_array        in = { .data = NULL }, out = { .data = NULL };
    CHECK_OK(tess_full(&in, shape, TESS_C32, tess_cpu(), NAN));
    CHECK_OK(
        tess_bandpass(&out, &in, shape, 0.12, 0.13, &(tess_bandpass_opts){ .metric = hexagonal, .from = TESS_FFT_FC }));
    const float *x = out.data;
    for (int64_t i = 0; i < 64; i++) {
        const int64_t y = i / 8 - 4, z = i % 8 - 4;
        const bool    is_next = y * y + z * z + y * z == 1;
        CHECK(is_next ? isnan(x[2 * i]) : x[2 * i] == 0);
    }
    tess_release(&in);
    tess_release(&out);
}

/* Pixels twice as large along h: the same filter as of the frequency at half the size. */
TEST(pixels_of_two_sizes)
{
    tess_array out = { .data = NULL };
    CHECK_OK(tess_zeros(&out, TESS_SHAPE(1, 1, 8, 5), TESS_F64, tess_cpu()));
    CHECK_OK(tess_bfactor(&out, NULL, image, 4, 1, &(tess_bfactor_opts){ .metric = { .hh = 0.25 } }));
    const double *m = out.data;
    for (int64_t i = 0; i < 40; i++) {
        const double y = (double)(i / 5 < 4 ? i / 5 : i / 5 - 8) / 16, x = (double)(i % 5) / 8;
        CHECK(fabs(m[i] - exp(-(y * y + x * x))) < 1e-15);
    }
    tess_release(&out);
}

/* ---- Bad arguments ---- */

TEST(bad_metrics)
{
    tess_array        in = numbers(TESS_SHAPE(1, 1, 8, 5), TESS_C32), out = { .data = NULL };
    const tess_metric flat = { .hw = 1 }, below = { .hh = -1 };
    CHECK_FAILS(tess_lowpass(&out, &in, image, 0.1, &(tess_lowpass_opts){ .metric = flat }), TESS_ERANGE,
                "lowpass: opts->metric is 1, 1, 1, 0, 0, 1 (dd, hh, ww, dh, dw, hw)", "positive definite");
    CHECK_FAILS(tess_highpass(&out, &in, image, 0.1, &(tess_highpass_opts){ .metric = below }), TESS_ERANGE,
                "highpass: opts->metric_hh is -1", "1e-06 to 1000000 is allowed");
    CHECK_FAILS(tess_bandpass(&out, &in, image, 0.1, 0.2, &(tess_bandpass_opts){ .metric = { .dh = 0.8, .dw = -0.8 } }),
                TESS_ERANGE, "bandpass: opts->metric is 1, 1, 1, 0.8, -0.8, 0", "positive definite");
    CHECK_FAILS(tess_bfactor(&out, &in, image, 1, 1, &(tess_bfactor_opts){ .metric = { .ww = NAN } }), TESS_ERANGE,
                "bfactor: opts->metric_ww is nan");
    CHECK_FAILS(tess_dose_weight(&out, &in, image, &tess_f64(1), 1, &(tess_dose_weight_opts){ .metric = flat }),
                TESS_ERANGE, "dose_weight: opts->metric is", "positive definite");
    CHECK_FAILS(tess_filter_curve(&out, &in, image, &tess_f64(1), &(tess_filter_curve_opts){ .metric = flat }),
                TESS_ERANGE, "filter_curve: opts->metric is", "positive definite");
    CHECK(out.data == NULL);
    tess_release(&in);
}

TEST(bad_values)
{
    tess_array in = numbers(TESS_SHAPE(1, 1, 8, 5), TESS_C32), out = { .data = NULL };
    CHECK_FAILS(tess_lowpass(&out, &in, image, -0.1, NULL), TESS_ERANGE, "lowpass: cutoff is -0.1", "0 or more");
    CHECK_FAILS(tess_lowpass(&out, &in, image, NAN, NULL), TESS_ERANGE, "lowpass: cutoff is nan");
    CHECK_FAILS(tess_bandpass(&out, &in, image, 0.1, INFINITY, NULL), TESS_ERANGE, "bandpass: high is inf");
    CHECK_FAILS(tess_lowpass(&out, &in, image, 0.1, &(tess_lowpass_opts){ .width = -1 }), TESS_ERANGE,
                "lowpass: opts->width is -1");
    CHECK_FAILS(tess_lowpass(&out, &in, image, 0.1, &(tess_lowpass_opts){ .edge = 9 }), TESS_EARG,
                "lowpass: opts->edge is 9", "cosine");
    CHECK_FAILS(tess_lowpass(&out, &in, image, 0.1, &(tess_lowpass_opts){ .order = 65 }), TESS_ERANGE,
                "lowpass: opts->order is 65");
    CHECK_FAILS(tess_lowpass(&out, &in, image, 0.1, &(tess_lowpass_opts){ .start = 0.1 }), TESS_EARG,
                "lowpass: opts->start is 0.1", "signals in half layouts");
    tess_array signal = { 0 };
    CHECK_OK(tess_zeros(&signal, TESS_SHAPE(1, 1, 1, 9), TESS_C32, tess_cpu()));
    CHECK_FAILS(tess_lowpass(&out, &signal, TESS_SHAPE(1, 1, 1, 16), 0.1, &(tess_lowpass_opts){ .start = 0.6 }),
                TESS_ERANGE, "lowpass: opts->start is 0.6", "the highest frequency");
    tess_release(&signal);
    CHECK_FAILS(tess_lowpass(NULL, &in, image, 0.1, NULL), TESS_EARG, "lowpass: out is NULL");
    CHECK_FAILS(tess_lowpass(&out, NULL, image, 0.1, NULL), TESS_EARG, "lowpass: in is NULL and out is zeroed");
    CHECK_FAILS(tess_bfactor(&out, &in, image, -10, 0, NULL), TESS_ERANGE, "bfactor: pixel_size is 0", "above 0");
    CHECK_FAILS(tess_bfactor(&out, &in, image, NAN, 1, NULL), TESS_ERANGE, "bfactor: bfactor is nan");
    CHECK_FAILS(tess_dose_weight(&out, &in, image, NULL, 1, NULL), TESS_EARG, "dose_weight: doses is NULL");
    CHECK_FAILS(tess_dose_weight(&out, &in, image, &tess_f64(-3), 1, NULL), TESS_ERANGE,
                "dose_weight: row 0 of doses: the dose is -3; a finite number of electrons");
    CHECK_FAILS(tess_filter_curve(&out, &in, image, NULL, NULL), TESS_EARG, "filter_curve: curve is NULL");
    CHECK_FAILS(tess_filter_spectrum(&out, &in, image, NULL, NULL), TESS_EARG, "filter_spectrum: op is NULL");
    CHECK_FAILS(tess_phase_shift(&out, &in, image, NULL, NULL), TESS_EARG, "phase_shift: shifts is NULL");
    CHECK_FAILS(tess_phase_shift(&out, &in, image, &tess_f64(1), NULL), TESS_ESHAPE, "phase_shift: shifts has shape",
                "m from 2 to 3 ((w), (h, w) or (d, h, w))");
    CHECK(out.data == NULL);
    tess_release(&in);
}

TEST(bad_arrays)
{
    tess_array in = numbers(TESS_SHAPE(1, 1, 8, 5), TESS_C32), out = { .data = NULL }, other = { .data = NULL };
    tess_array ints = { .data = NULL };
    CHECK_OK(tess_zeros(&ints, TESS_SHAPE(1, 1, 8, 5), TESS_I32, tess_cpu()));
    CHECK_FAILS(tess_lowpass(&out, &ints, image, 0.1, NULL), TESS_EDTYPE, "lowpass: in is i32");
    CHECK_FAILS(tess_lowpass(&ints, &in, image, 0.1, NULL), TESS_EDTYPE, "lowpass: out is i32");
    CHECK_FAILS(tess_lowpass(&out, &in, TESS_SHAPE(1, 1, 8, 10), 0.1, NULL), TESS_ESHAPE, "lowpass: in has shape");
    CHECK_FAILS(tess_lowpass(&in, &in, image, 0.1, &(tess_lowpass_opts){ .to = TESS_FFT_HC }), TESS_EALIAS,
                "lowpass: out", "shares memory with in");
    CHECK_OK(tess_zeros(&other, TESS_SHAPE(1, 1, 8, 5), TESS_F64, tess_cpu()));
    CHECK_FAILS(tess_lowpass(&other, &in, image, 0.1, NULL), TESS_EDTYPE, "lowpass: out");
    CHECK_FAILS(tess_lowpass(&out, &in, image, 0.1, &(tess_lowpass_opts){ .parameters = &other }), TESS_ESHAPE,
                "lowpass: opts->parameters has shape {1,1,8,5}", "m from 1 to 2 (cutoff, width)");
    CHECK_FAILS(tess_lowpass(&out, &in, image, 0.1, &(tess_lowpass_opts){ .parameters = &in }), TESS_EDTYPE,
                "lowpass: opts->parameters is c32", "a real type");
    CHECK_FAILS(tess_dose_weight(&out, &in, image, &other, 1, NULL), TESS_ESHAPE, "dose_weight: doses has shape");
    CHECK_FAILS(tess_phase_shift(&out, &other, image, &other, NULL), TESS_EDTYPE, "phase_shift: in is f64");
    CHECK_FAILS(tess_lowpass_image(&out, &in, 0.1, NULL), TESS_EDTYPE, "lowpass_image: in is c32");
    CHECK(out.data == NULL);
    tess_release(&in);
    tess_release(&other);
    tess_release(&ints);
}

/* Numbers of a row that the same argument, given once for all, may not be. */
TEST(rows_of_parameters_are_checked)
{
    const tess_shape images = TESS_SHAPE(3, 1, 6, 6);
    tess_array       in = { 0 }, out = { 0 }, real = { 0 }, rows = { 0 }, doses = { 0 };
    CHECK_OK(tess_ones(&in, TESS_SHAPE(3, 1, 6, 4), TESS_C32, tess_cpu()));
    CHECK_OK(tess_ones(&real, images, TESS_F32, tess_cpu()));
    CHECK_OK(tess_full(&rows, TESS_SHAPE(3, 1, 1, 2), TESS_F32, tess_cpu(), 0.25));
    CHECK_OK(tess_full(&doses, TESS_SHAPE(3, 1, 1, 1), TESS_F64, tess_cpu(), 2));
    const tess_lowpass_opts  side = { .parameters = &rows };
    const tess_bandpass_opts band = { .parameters = &rows };
    const tess_bfactor_opts  fall = { .parameters = &rows };
    CHECK_OK(tess_set_f64(&rows, 2, 0, 0, 1, -0.5));
    CHECK_FAILS(tess_lowpass(&out, &in, images, 0.1, &side), TESS_ERANGE,
                "lowpass: row 2 of opts->parameters: width is -0.5; a finite number of cycles per pixel, 0 or more");
    CHECK_FAILS(tess_highpass_image(&out, &real, 0.1, &side), TESS_ERANGE,
                "highpass_image: row 2 of opts->parameters: width is -0.5");
    CHECK_FAILS(tess_bandpass(&out, &in, images, 0.1, 0.2, &band), TESS_ERANGE,
                "bandpass: row 2 of opts->parameters: high is -0.5");
    CHECK_FAILS(tess_bfactor(&out, &in, images, 1, 1, &fall), TESS_ERANGE,
                "bfactor: row 2 of opts->parameters: pixel_size is -0.5; a finite number above 0");
    CHECK_OK(tess_set_f64(&rows, 2, 0, 0, 1, 0.5));
    CHECK_OK(tess_set_f64(&rows, 1, 0, 0, 0, NAN));
    CHECK_FAILS(tess_bandpass_image(&out, &real, 0.1, 0.2, &band), TESS_ERANGE,
                "bandpass_image: row 1 of opts->parameters: low is nan");
    CHECK_FAILS(tess_bfactor_image(&out, &real, 1, 1, &fall), TESS_ERANGE,
                "bfactor_image: row 1 of opts->parameters: bfactor is nan");
    CHECK_OK(tess_set_f64(&doses, 1, 0, 0, 0, -1));
    CHECK_FAILS(tess_dose_weight(&out, &in, images, &doses, 1, NULL), TESS_ERANGE,
                "dose_weight: row 1 of doses: the dose is -1");
    CHECK_FAILS(tess_dose_weight_image(&out, &real, &doses, 1, &(tess_dose_weight_opts){ .normalize = 1 }), TESS_ERANGE,
                "dose_weight_image: row 1 of doses: the dose is -1");
    CHECK(out.data == NULL);
    tess_release(&in);
    tess_release(&real);
    tess_release(&rows);
    tess_release(&doses);
}
