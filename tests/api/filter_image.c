/* Filters of real arrays: the same bits as transform, filter and inverse, also where batches go in groups; masks in
 * Fourier space; bad arguments. */
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "tessera/op.h"
#include "tessera/random.h"
#include "tessera/signal.h"

enum {
    LOWPASS,
    BFACTOR,
    DOSE,
    DOSE_OF_ALL,
    CURVE,
    OPERATOR,
    SHIFT,
    APPLY,
    FLIP,
    WIENER,
    WHITEN,
    RANDOMIZE,
    WEDGE,
    CONE,
    ELLIPSOID,
    CROSS,
    FILTERS
};

/* What the filters of a call need: rows of numbers for each batch. */
typedef struct rows {
    tess_array cutoffs, doses, curve, shifts, ctfs;
    tess_op   *op;
} rows;

static const tess_ctf ctf = { .pixel_size = { 1.5, 1.5 }, .defocus = 1, .amplitude = 0.1, .cs = 2.7 };

static void rows_make(rows *r, int64_t b)
{
    const tess_device cpu = tess_cpu();
    memset(r, 0, sizeof *r);
    CHECK_OK(tess_linspace(&r->cutoffs, TESS_SHAPE(b, 1, 1, 1), TESS_F32, cpu, 0.1, 0.4, NULL));
    CHECK_OK(tess_linspace(&r->doses, TESS_SHAPE(b, 1, 1, 1), TESS_F64, cpu, 1, 40, NULL));
    CHECK_OK(tess_linspace(&r->curve, TESS_SHAPE(b, 1, 1, 7), TESS_F32, cpu, 1, 0, NULL));
    CHECK_OK(tess_linspace(&r->shifts, TESS_SHAPE(b, 1, 1, 3), TESS_F64, cpu, -3.3, 5.2, NULL));
    CHECK_OK(tess_full(&r->ctfs, TESS_SHAPE(b, 1, 1, 17), TESS_F64, cpu, 0));
    for (int64_t i = 0; i < b; i++) memcpy((double *)r->ctfs.data + 17 * i, &ctf, sizeof ctf);
    for (int64_t i = 0; i < b; i++) ((double *)r->ctfs.data)[17 * i + 13] = 0.1 * (double)i; /* beam tilt */
    CHECK_OK(tess_op_text(&r->op, "op f(in f64 z, in f64 y, in f64 x, out f64 m) { m = (1 - x)*(1 + b); }"));
}

static void rows_release(rows *r)
{
    tess_release(&r->cutoffs);
    tess_release(&r->doses);
    tess_release(&r->curve);
    tess_release(&r->shifts);
    tess_release(&r->ctfs);
    tess_op_release(r->op);
}

static tess_status of_images(int which, tess_array *out, const tess_array *in, const rows *r)
{
    const tess_lowpass_opts         pass = { .width = 0.1, .parameters = &r->cutoffs };
    const tess_filter_spectrum_opts each = { .batched = 1 };
    const tess_ctf_opts             own = { .parameters = &r->ctfs };
    switch (which) {
    case LOWPASS: return tess_lowpass_image(out, in, 0, &pass);
    case BFACTOR: return tess_bfactor_image(out, in, 80, 1.5, NULL);
    case DOSE: return tess_dose_weight_image(out, in, &r->doses, 1.5, NULL);
    case DOSE_OF_ALL:
        return tess_dose_weight_image(out, in, &r->doses, 1.5, &(tess_dose_weight_opts){ .normalize = 1 });
    case CURVE: return tess_filter_curve_image(out, in, &r->curve, NULL);
    case OPERATOR: return tess_filter_image(out, in, r->op, &each);
    case SHIFT: return tess_phase_shift_image(out, in, &r->shifts, NULL);
    case APPLY: return tess_ctf_apply_image(out, in, NULL, &own);
    case FLIP: return tess_ctf_flip_image(out, in, &ctf, NULL);
    case WIENER: return tess_ctf_wiener_image(out, in, NULL, 5, &own);
    case WHITEN: return tess_whiten_image(out, in, NULL);
    case RANDOMIZE: return tess_phase_randomize_image(out, in, 0.2, 7, NULL);
    case WEDGE: return tess_fourier_wedge_image(out, in, -0.5, 1, NULL);
    case CONE: return tess_fourier_cone_image(out, in, 0.5, NULL);
    case ELLIPSOID: return tess_fourier_ellipsoid_image(out, in, 0.3, 0.2, 0.1, NULL);
    default: return tess_fourier_cross_image(out, in, 0.05, &(tess_fourier_cross_opts){ .invert = 1, .width = 0.02 });
    }
}

/* In place. */
static tess_status of_spectra(int which, tess_array *x, tess_shape shape, const rows *r)
{
    const tess_lowpass_opts         pass = { .width = 0.1, .parameters = &r->cutoffs };
    const tess_filter_spectrum_opts each = { .batched = 1 };
    const tess_ctf_opts             own = { .parameters = &r->ctfs };
    switch (which) {
    case LOWPASS: return tess_lowpass(x, x, shape, 0, &pass);
    case BFACTOR: return tess_bfactor(x, x, shape, 80, 1.5, NULL);
    case DOSE: return tess_dose_weight(x, x, shape, &r->doses, 1.5, NULL);
    case DOSE_OF_ALL: return tess_dose_weight(x, x, shape, &r->doses, 1.5, &(tess_dose_weight_opts){ .normalize = 1 });
    case CURVE: return tess_filter_curve(x, x, shape, &r->curve, NULL);
    case OPERATOR: return tess_filter_spectrum(x, x, shape, r->op, &each);
    case SHIFT: return tess_phase_shift(x, x, shape, &r->shifts, NULL);
    case APPLY: return tess_ctf_apply(x, x, shape, NULL, &own);
    case FLIP: return tess_ctf_flip(x, x, shape, &ctf, NULL);
    case WIENER: return tess_ctf_wiener(x, x, shape, NULL, 5, &own);
    case WHITEN: return tess_whiten(x, x, shape, NULL);
    case RANDOMIZE: return tess_phase_randomize(x, x, shape, 0.2, 7, NULL);
    case WEDGE: return tess_fourier_wedge(x, x, shape, -0.5, 1, NULL);
    case CONE: return tess_fourier_cone(x, x, shape, 0.5, NULL);
    case ELLIPSOID: return tess_fourier_ellipsoid(x, x, shape, 0.3, 0.2, 0.1, NULL);
    default: return tess_fourier_cross(x, x, shape, 0.05, &(tess_fourier_cross_opts){ .invert = 1, .width = 0.02 });
    }
}

/* Transform, filter, inverse. */
static void three_calls(int which, tess_array *out, const tess_array *in, const rows *r)
{
    tess_array spectrum = { .data = NULL };
    CHECK_OK(tess_fft_r2c(&spectrum, in, NULL));
    CHECK_OK(of_spectra(which, &spectrum, in->shape, r));
    CHECK_OK(tess_fft_c2r(out, &spectrum, in->shape, NULL));
    tess_release(&spectrum);
}

static void check_filter(int which, const tess_array *in, const rows *r)
{
    tess_array out = { .data = NULL }, want = { .data = NULL };
    CHECK_OK(of_images(which, &out, in, r));
    three_calls(which, &want, in, r);
    if (memcmp(out.data, want.data, (size_t)tess_n_bytes(&want)) != 0)
        (void)test_failed(__FILE__, __LINE__, "filter %d: other bits than three calls", which);
    tess_release(&out);
    tess_release(&want);
}

TEST(images_are_filtered_in_groups)
{
    tess_array in = { .data = NULL };
    rows       r;
    CHECK_OK(tess_empty(&in, TESS_SHAPE(5, 1, 400, 700), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&in, 1, 1, 3, NULL));
    rows_make(&r, 5);
    for (int which = 0; which < FILTERS; which++) check_filter(which, &in, &r);
    rows_release(&r);
    tess_release(&in);
}

/* Of f64 and f16, in place, of any strides, and of nothing. */
TEST(images_of_any_dtype_and_strides)
{
    tess_array in = { .data = NULL }, half = { .data = NULL }, wide = { .data = NULL }, turned, none = { .data = NULL };
    rows       r;
    CHECK_OK(tess_empty(&in, TESS_SHAPE(2, 1, 9, 14), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_normal(&in, 1, 1, 3, NULL));
    CHECK_OK(tess_zeros(&none, TESS_SHAPE(0, 1, 9, 14), TESS_F32, tess_cpu()));
    rows_make(&r, 2);
    for (int which = 0; which < FILTERS; which++) {
        tess_array want = { .data = NULL }, narrow = { .data = NULL }, strided = { .data = NULL };
        check_filter(which, &in, &r);
        CHECK_OK(of_images(which, &want, &in, &r));
        CHECK_OK(tess_cast(&half, &in, TESS_F16, NULL));
        CHECK_OK(of_images(which, &half, &half, &r));
        CHECK_OK(tess_cast(&wide, &half, TESS_F64, NULL));
        const double *x = wide.data, *y = want.data;
        for (int i = 0; i < 2 * 9 * 14; i++) CHECK(fabs(x[i] - y[i]) < 0.02 * (1 + fabs(y[i])));
        CHECK_OK(tess_empty(&strided, TESS_SHAPE(2, 1, 14, 9), TESS_F64, tess_cpu()));
        CHECK_OK(tess_transpose(&turned, &strided));
        CHECK_OK(tess_copy(&turned, &in));
        CHECK_OK(of_images(which, &turned, &turned, &r));
        CHECK_OK(tess_copy(&narrow, &turned));
        CHECK(memcmp(narrow.data, want.data, (size_t)tess_n_bytes(&want)) == 0);
        if (which != LOWPASS && which != DOSE && which != DOSE_OF_ALL && which != CURVE && which != SHIFT &&
            which != APPLY && which != WIENER)
            CHECK_OK(of_images(which, &none, &none, &r));
        tess_release(&want);
        tess_release(&narrow);
        tess_release(&strided);
        tess_release(&half);
        tess_release(&wide);
    }
    rows_release(&r);
    tess_release(&in);
    tess_release(&none);
}

/* By a whole number of pixels, and by half of one and half of one again. */
TEST(images_are_shifted)
{
    tess_array in = { .data = NULL }, out = { .data = NULL }, shifts = { .data = NULL };
    CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 1, 7, 9), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_normal(&in, 0, 1, 3, NULL));
    CHECK_OK(tess_full(&shifts, TESS_SHAPE(1, 1, 1, 2), TESS_F64, tess_cpu(), 0.5));
    CHECK_OK(tess_phase_shift_image(&out, &in, &shifts, NULL));
    CHECK_OK(tess_phase_shift_image(&out, &out, &shifts, NULL));
    const double *x = in.data, *y = out.data;
    for (int64_t i = 0; i < 63; i++) {
        const int64_t h = i / 9, w = i % 9;
        CHECK(fabs(y[(h + 1) % 7 * 9 + (w + 1) % 9] - x[i]) < 1e-13);
    }
    tess_release(&in);
    tess_release(&out);
    tess_release(&shifts);
}

/* ---- Layouts ---- */

/* On the way to another layout, and with a remap after it. */
static void check_layouts(int which, int from, int to)
{
    const tess_shape                shape = TESS_SHAPE(2, 3, 6, 7);
    tess_array                      real = { .data = NULL }, half = { .data = NULL }, in = { .data = NULL };
    tess_array                      got = { .data = NULL }, want = { .data = NULL }, there = { .data = NULL };
    const tess_standardize_opts     one = { .from = from, .to = to }, one_stays = { .from = from };
    const tess_whiten_opts          two = { .from = from, .to = to }, two_stays = { .from = from };
    const tess_phase_randomize_opts three = { .from = from, .to = to }, three_stays = { .from = from };
    CHECK_OK(tess_empty(&real, shape, TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_normal(&real, 1, 1, 3, NULL));
    CHECK_OK(tess_fft_r2c(&half, &real, NULL));
    CHECK_OK(tess_fft_remap(&in, &half, shape, TESS_FFT_H, (tess_fft_layout)from));
    if (which == 0) CHECK_OK(tess_standardize(&got, &in, shape, &one));
    if (which == 0) CHECK_OK(tess_standardize(&there, &in, shape, &one_stays));
    if (which == 1) CHECK_OK(tess_whiten(&got, &in, shape, &two));
    if (which == 1) CHECK_OK(tess_whiten(&there, &in, shape, &two_stays));
    if (which == 2) CHECK_OK(tess_phase_randomize(&got, &in, shape, 0.2, 9, &three));
    if (which == 2) CHECK_OK(tess_phase_randomize(&there, &in, shape, 0.2, 9, &three_stays));
    CHECK_OK(tess_fft_remap(&want, &there, shape, (tess_fft_layout)from, (tess_fft_layout)to));
    const double *x = got.data, *y = want.data;
    for (int64_t i = 0; i < 2 * tess_n_elements(&want); i++)
        if (!(fabs(x[i] - y[i]) <= 1e-12 * (1 + fabs(y[i])))) {
            (void)test_failed(__FILE__, __LINE__, "function %d from %d to %d: number %d", which, from, to, (int)i);
            break;
        }
    tess_release(&real);
    tess_release(&half);
    tess_release(&in);
    tess_release(&got);
    tess_release(&want);
    tess_release(&there);
}

TEST(standardize_whiten_and_phase_randomize_change_layouts)
{
    for (int which = 0; which < 3; which++)
        for (int from = TESS_FFT_H; from <= TESS_FFT_FC; from++)
            for (int to = TESS_FFT_H; to <= TESS_FFT_FC; to++) check_layouts(which, from, to);
}

/* A signal whose frequencies begin at 0.25: phases from index 0 on are random, and nothing is a mean. */
TEST(ranges_of_standardize_and_phase_randomize)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 1, 8);
    tess_array       in = { .data = NULL }, out = { .data = NULL };
    CHECK_OK(tess_full(&in, TESS_SHAPE(1, 1, 1, 5), TESS_C64, tess_cpu(), 1));
    CHECK_OK(
        tess_phase_randomize(&out, &in, shape, 0.2, 1, &(tess_phase_randomize_opts){ .start = 0.25, .stop = 0.5 }));
    const double *x = out.data;
    for (int i = 1; i < 4; i++) CHECK(x[2 * i] != 1 && fabs(hypot(x[2 * i], x[2 * i + 1]) - 1) < 1e-12);
    CHECK_OK(tess_phase_randomize(&out, &in, shape, 0.2, 1, &(tess_phase_randomize_opts){ .stop = 0.1 }));
    for (int i = 0; i < 5; i++) CHECK(x[2 * i] == 1 && x[2 * i + 1] == 0);
    CHECK_OK(tess_standardize(&out, &in, shape, &(tess_standardize_opts){ .start = 0.25, .stop = 0.5 }));
    for (int i = 0; i < 5; i++) CHECK(fabs(x[2 * i] - 8 / sqrt(9)) < 1e-12);
    CHECK_OK(tess_standardize(&out, &in, shape, NULL));
    CHECK(x[0] == 0 && fabs(x[2] - 8 / sqrt(7)) < 1e-12);
    tess_release(&in);
    tess_release(&out);
}

/* Reciprocals beyond the largest number of the precision stay finite, so that no 0 becomes NaN. */
TEST(whitening_of_the_smallest_numbers)
{
    tess_array in = { .data = NULL };
    CHECK_OK(tess_zeros(&in, TESS_SHAPE(1, 1, 1, 5), TESS_C32, tess_cpu()));
    ((float *)in.data)[2] = 1e-44f;
    CHECK_OK(tess_whiten(&in, &in, TESS_SHAPE(1, 1, 1, 8), NULL));
    for (int i = 0; i < 10; i++) CHECK(((float *)in.data)[i] >= 0 && ((float *)in.data)[i] <= 1);
    tess_release(&in);
}

/* A mean that is no number is taken out, as any other is. */
TEST(standardize_clears_a_mean_that_is_infinite)
{
    tess_array in = { .data = NULL };
    CHECK_OK(tess_full(&in, TESS_SHAPE(1, 1, 4, 3), TESS_C32, tess_cpu(), 1));
    ((float *)in.data)[0] = INFINITY;
    CHECK_OK(tess_standardize(&in, &in, TESS_SHAPE(1, 1, 4, 4), NULL));
    CHECK(((float *)in.data)[0] == 0 && isfinite(((float *)in.data)[2]) && ((float *)in.data)[2] > 0);
    tess_release(&in);
}

/* ---- Masks ---- */

static double mask_value(const tess_array *mask, int64_t d, int64_t h, int64_t w)
{
    const int64_t at = d * mask->strides.d + h * mask->strides.h + w * mask->strides.w;
    return ((double *)mask->data)[at];
}

/* Tilts of up to 45 degrees about h: the planes pass, the d axis does not. */
TEST(a_missing_wedge)
{
    const double     quarter = atan(1);
    const tess_shape shape = TESS_SHAPE(1, 8, 8, 8);
    tess_array       mask = { .data = NULL }, missing = { .data = NULL };
    CHECK_OK(tess_zeros(&mask, shape, TESS_F64, tess_cpu()));
    CHECK_OK(tess_zeros(&missing, shape, TESS_F64, tess_cpu()));
    const tess_fourier_wedge_opts o = { .from = TESS_FFT_FC }, rest = { .from = TESS_FFT_FC, .invert = 1 };
    CHECK_OK(tess_fourier_wedge(&mask, NULL, shape, -quarter, quarter, &o));
    CHECK_OK(tess_fourier_wedge(&missing, NULL, shape, -quarter, quarter, &rest));
    for (int64_t d = 0; d < 8; d++)
        for (int64_t h = 0; h < 8; h++)
            for (int64_t w = 0; w < 8; w++) {
                CHECK(mask_value(&mask, d, h, w) == (llabs(d - 4) <= llabs(w - 4)));
                CHECK(mask_value(&mask, d, h, w) + mask_value(&missing, d, h, w) == 1);
            }
    tess_release(&mask);
    tess_release(&missing);
}

/* Beyond `keep` the mask falls over its own width; where it is larger than what is kept, it counts. */
TEST(what_is_kept_has_the_edge_of_the_mask)
{
    const tess_shape              signal = TESS_SHAPE(1, 1, 1, 40);
    const tess_fourier_cone_opts  none = { .direction_h = 1, .keep = 0.1, .width = 0.2 }; /* w is across its axis */
    const tess_fourier_cross_opts hard = { .axes = TESS_W, .invert = 1, .keep = 0.1 };
    tess_array                    out = constant(TESS_F64, 1, 1, 1, 21, 0);
    const double                  pi = acos(-1.0);
    CHECK_OK(tess_fourier_cross(&out, NULL, signal, 0, &hard));
    for (int64_t k = 0; k <= 20; k++) CHECK(value_at(&out, 0, 0, 0, k) == (k <= 4));
    CHECK_OK(tess_fourier_cone(&out, NULL, signal, 0, &none));
    for (int64_t k = 0; k <= 20; k++) {
        const double f = (double)k / 40, kept = f <= 0.1 ? 1 : f >= 0.3 ? 0 : 0.5 + 0.5 * cos(pi * (f - 0.1) / 0.2);
        const double own = f >= 0.2 ? 0 : 0.5 + 0.5 * cos(pi * f / 0.2);
        CHECK(fabs(value_at(&out, 0, 0, 0, k) - fmax(kept, own)) < 1e-12);
    }
    tess_release(&out);
}

TEST(a_soft_edge_is_measured_from_the_surface)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 20, 20);
    tess_array       mask = { .data = NULL };
    CHECK_OK(tess_zeros(&mask, TESS_SHAPE(1, 1, 20, 11), TESS_F64, tess_cpu()));
    const tess_fourier_cross_opts o = { .axes = TESS_W, .width = 0.2, .keep = 0.1 };
    CHECK_OK(tess_fourier_cross(&mask, NULL, shape, 0.1, &o));
    CHECK(mask_value(&mask, 0, 2, 7) == 1); /* 0.1 from the w axis */
    CHECK(fabs(mask_value(&mask, 0, 4, 7) - 0.5) < 1e-12);
    CHECK(mask_value(&mask, 0, 6, 0) < 1e-12 && mask_value(&mask, 0, 6, 9) == 0);
    const tess_fourier_cross_opts stripes = { .invert = 1, .keep = 0.1 };
    CHECK_OK(tess_fourier_cross(&mask, NULL, shape, 0, &stripes));
    CHECK(mask_value(&mask, 0, 0, 0) == 1 && mask_value(&mask, 0, 2, 0) == 1 && mask_value(&mask, 0, 3, 0) == 0);
    CHECK(mask_value(&mask, 0, 0, 5) == 0 && mask_value(&mask, 0, 1, 5) == 1);
    const tess_fourier_ellipsoid_opts soft = { .width = 0.1 };
    CHECK_OK(tess_fourier_ellipsoid(&mask, NULL, shape, 1, 0.1, 0.3, &soft));
    CHECK(mask_value(&mask, 0, 2, 0) == 1 && mask_value(&mask, 0, 0, 6) == 1);
    CHECK(fabs(mask_value(&mask, 0, 3, 0) - 0.5) < 1e-12 && fabs(mask_value(&mask, 0, 0, 7) - 0.5) < 1e-12);
    const tess_fourier_cone_opts upright = { .direction_h = 5 };
    CHECK_OK(tess_fourier_cone(&mask, NULL, shape, atan(1), &upright));
    CHECK(mask_value(&mask, 0, 3, 3) == 1 && mask_value(&mask, 0, 3, 4) == 0 && mask_value(&mask, 0, 17, 3) == 1);
    tess_release(&mask);
}

/* ---- Memory ---- */

static hooks h;

/* With allocation 1, 2, 3 … failing: an error that says so, and an output that is as it was. */
static void torture(int which, const tess_array *in, const rows *r)
{
    tess_fft_cache_clear();
    hooks_on(&h);
    for (long at = 1; at < 1000; at++) {
        tess_array out = { .data = NULL };
        atomic_store(&h.calls, 0);
        atomic_store(&h.fired, 0);
        atomic_store(&h.fail_at, at);
        const tess_status status = of_images(which, &out, in, r);
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
}

TEST(allocations_that_fail)
{
    static const int some[] = { DOSE_OF_ALL, CURVE, SHIFT, WHITEN, RANDOMIZE, CROSS };
    tess_array       in = { .data = NULL };
    rows             r;
    CHECK_OK(tess_full(&in, TESS_SHAPE(2, 1, 30, 34), TESS_F16, tess_cpu(), 1));
    rows_make(&r, 2);
    for (int i = 0; i < 6; i++) {
        tess_array out = { .data = NULL };
        CHECK_OK(of_images(some[i], &out, &in, &r)); /* what is made once for all */
        tess_release(&out);
        torture(some[i], &in, &r);
    }
    rows_release(&r);
    tess_release(&in);
}

/* ---- Bad arguments ---- */

TEST(bad_images)
{
    tess_array in = { .data = NULL }, out = { .data = NULL }, spectrum = { .data = NULL }, other = { .data = NULL };
    CHECK_OK(tess_full(&in, TESS_SHAPE(2, 1, 8, 8), TESS_F32, tess_cpu(), 1));
    CHECK_OK(tess_full(&spectrum, TESS_SHAPE(2, 1, 8, 5), TESS_C32, tess_cpu(), 1));
    CHECK_OK(tess_full(&other, TESS_SHAPE(3, 1, 1, 2), TESS_F32, tess_cpu(), 1));
    const tess_ctf tilted = { .pixel_size = { 0, 1 } };
    CHECK_FAILS(tess_bfactor_image(&out, &spectrum, 1, 1, NULL), TESS_EDTYPE, "bfactor_image: in is c32", "f16, f32");
    CHECK_FAILS(tess_bfactor_image(&out, &in, NAN, 1, NULL), TESS_ERANGE, "bfactor_image: bfactor is nan");
    CHECK_FAILS(tess_bfactor_image(NULL, &in, 1, 1, NULL), TESS_EARG, "bfactor_image: out is NULL");
    CHECK_FAILS(tess_bfactor_image(&out, NULL, 1, 1, NULL), TESS_EARG, "bfactor_image: in is NULL");
    CHECK_FAILS(tess_dose_weight_image(&out, &in, NULL, 1, NULL), TESS_EARG, "dose_weight_image: doses is NULL");
    CHECK_FAILS(tess_dose_weight_image(&out, &in, &other, 1, NULL), TESS_ESHAPE, "dose_weight_image: doses has shape",
                "{2,1,1,m}");
    CHECK_FAILS(tess_dose_weight_image(&out, &in, &other, 1, &(tess_dose_weight_opts){ .normalize = 1 }), TESS_ESHAPE,
                "dose_weight_image: doses has shape");
    CHECK_FAILS(tess_dose_weight_image(&out, &in, &other, 1, &(tess_dose_weight_opts){ .voltage = 120 }), TESS_ERANGE,
                "dose_weight_image: opts->voltage is 120");
    CHECK_FAILS(tess_filter_curve_image(&out, &in, &other, NULL), TESS_ESHAPE, "filter_curve_image: curve has shape");
    CHECK_FAILS(tess_filter_image(&out, &in, NULL, NULL), TESS_EARG, "filter_image: op is NULL");
    CHECK_FAILS(tess_phase_shift_image(&out, &in, NULL, NULL), TESS_EARG, "phase_shift_image: shifts is NULL");
    CHECK_FAILS(tess_phase_shift_image(&out, &in, &other, NULL), TESS_ESHAPE, "phase_shift_image: shifts has shape");
    CHECK_FAILS(tess_ctf_apply_image(&out, &in, &tilted, NULL), TESS_ERANGE,
                "ctf_apply_image: ctf->pixel_size[0] is 0");
    CHECK_FAILS(tess_ctf_flip_image(&out, &in, NULL, NULL), TESS_EARG, "ctf_flip_image: ctf is NULL");
    CHECK_FAILS(tess_ctf_wiener_image(&out, &in, &ctf, 0, NULL), TESS_ERANGE, "ctf_wiener_image: snr is 0");
    CHECK_FAILS(tess_whiten_image(&out, &spectrum, NULL), TESS_EDTYPE, "whiten_image: in is c32");
    CHECK_FAILS(tess_phase_randomize_image(&out, &in, 2, 1, NULL), TESS_ERANGE,
                "phase_randomize_image: frequency is 2");
    CHECK_FAILS(tess_whiten_image(&other, &in, NULL), TESS_ESHAPE, "whiten_image: out");
    CHECK(out.data == NULL);
    tess_release(&in);
    tess_release(&spectrum);
    tess_release(&other);
}

TEST(bad_masks)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 8, 8);
    tess_array       in = { .data = NULL }, out = { .data = NULL };
    CHECK_OK(tess_full(&in, TESS_SHAPE(1, 1, 8, 5), TESS_C32, tess_cpu(), 1));
    CHECK_FAILS(tess_fourier_wedge(&out, &in, shape, 1, 0, NULL), TESS_ERANGE,
                "fourier_wedge: first is 1 and last is 0", "first <= last <= first + pi");
    CHECK_FAILS(tess_fourier_wedge(&out, &in, shape, 0, 4, NULL), TESS_ERANGE,
                "fourier_wedge: first is 0 and last is 4");
    CHECK_FAILS(tess_fourier_wedge(&out, &in, shape, NAN, 1, NULL), TESS_ERANGE, "fourier_wedge: first is nan");
    CHECK_FAILS(tess_fourier_wedge(&out, &in, shape, 0, 1, &(tess_fourier_wedge_opts){ .axis = TESS_B }), TESS_EARG,
                "fourier_wedge: opts->axis is 16", "32 (d), 64 (h), 128 (w) are allowed");
    CHECK_FAILS(tess_fourier_cone(&out, &in, shape, 2, NULL), TESS_ERANGE, "fourier_cone: aperture is 2", "pi/2");
    CHECK_FAILS(tess_fourier_ellipsoid(&out, &in, shape, 1, 0, 1, NULL), TESS_ERANGE,
                "fourier_ellipsoid: radius_h is 0");
    CHECK_FAILS(tess_fourier_cross(&out, &in, shape, -1, NULL), TESS_ERANGE, "fourier_cross: half_width is -1");
    CHECK_FAILS(tess_fourier_cross(&out, &in, shape, 1, &(tess_fourier_cross_opts){ .axes = 1 }), TESS_ERANGE,
                "fourier_cross: opts->axes is 1");
    CHECK_FAILS(tess_fourier_cross(&out, &in, shape, 1, &(tess_fourier_cross_opts){ .keep = -1 }), TESS_ERANGE,
                "fourier_cross: opts->keep is -1");
    CHECK_FAILS(tess_fourier_cross_image(&out, &in, 1, NULL), TESS_EDTYPE, "fourier_cross_image: in is c32");
    CHECK(out.data == NULL);
    tess_release(&in);
}
