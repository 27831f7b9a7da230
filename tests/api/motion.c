/* Motion of frames: alignment, sums, models and bad pixels against naive loops; every bad argument with its message. */
#include <math.h>
#include <stdlib.h>

#include "support/arrays.h"
#include "tessera/signal.h"

static const double pi = 3.14159265358979323846;

static tess_array noise(tess_shape shape, tess_dtype dtype)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, shape, dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0, 1, 7, NULL));
    return a;
}

/* Numbers {b,1,h,w} of f64. */
static tess_array table(const double *values, int64_t b, int64_t h, int64_t w)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(b, 1, h, w), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < b * h * w; i++) ((double *)a.data)[i] = values[i];
    return a;
}

/* ---- Alignment ---- */

TEST(alignment_of_moved_images)
{
    static const double moves[] = { 0, 0, 3.25, -5.5, -9.5, 2.25, 12, 11 };
    for (int k = 0; k < 3; k++) {
        const tess_shape shape = k == 0 ? TESS_SHAPE(4, 1, 48, 61) : TESS_SHAPE(4, 1, 150, 130);
        tess_array       image = noise(TESS_SHAPE(1, 1, shape.h, shape.w), k == 2 ? TESS_F32 : TESS_F64), all;
        tess_array       by = table(moves, 4, 1, 2), frames = { 0 }, spectra = { 0 }, shifts = { 0 };
        CHECK_OK(tess_bfactor_image(&image, &image, 20, 1, NULL));
        CHECK_OK(tess_broadcast(&all, &image, shape));
        CHECK_OK(tess_phase_shift_image(&frames, &all, &by, &(tess_phase_shift_opts){ .real_nyquist = 1 }));
        CHECK_OK(tess_fft_r2c(&spectra, &frames, NULL));
        CHECK_OK(tess_align_frames(&shifts, &spectra, shape, 1, &(tess_align_frames_opts){ .tolerance = 1e-3 }));
        CHECK_DIMS(shifts.shape, 4, 1, 1, 2);
        CHECK(shifts.dtype == TESS_F64);
        for (int64_t i = 0; i < 4; i++)
            for (int64_t a = 0; a < 2; a++) CHECK(fabs(value_at(&shifts, i, 0, 0, a) + moves[2 * i + a]) < 0.02);
        tess_array *given[] = { &image, &by, &frames, &spectra, &shifts };
        for (size_t i = 0; i < 5; i++) tess_release(given[i]);
    }
}

/* One frame, none, images that are 0, and images of a NaN. */
TEST(alignment_of_nothing)
{
    tess_array one = noise(TESS_SHAPE(1, 1, 8, 8), TESS_F32), zeros = constant(TESS_C32, 3, 1, 8, 5, 0),
               spectrum = { 0 };
    tess_array shifts = { 0 }, none, bad = constant(TESS_C32, 3, 1, 8, 5, NAN), changes = { 0 };
    CHECK_OK(tess_fft_r2c(&spectrum, &one, NULL));
    CHECK_OK(tess_align_frames(&shifts, &spectrum, one.shape, 1, &(tess_align_frames_opts){ .changes = &changes }));
    CHECK(all_are(&shifts, 0) && changes.shape.w == 0);
    tess_release(&shifts);
    CHECK_OK(tess_align_frames(&shifts, &zeros, TESS_SHAPE(3, 1, 8, 8), 1, NULL));
    CHECK(all_are(&shifts, 0));
    CHECK_OK(tess_align_frames(&shifts, &bad, TESS_SHAPE(3, 1, 8, 8), 1, NULL));
    CHECK(all_are(&shifts, 0));
    tess_release(&shifts);
    CHECK_OK(tess_slice(&none, &zeros, 0, 0, 0, 1));
    CHECK_OK(tess_align_frames(&shifts, &none, TESS_SHAPE(0, 1, 8, 8), 1, NULL));
    CHECK_DIMS(shifts.shape, 0, 1, 1, 2);
    tess_array *given[] = { &one, &zeros, &spectrum, &shifts, &bad, &changes };
    for (size_t i = 0; i < 6; i++) tess_release(given[i]);
}

/* No frame is moved by more than it may be; those that need not be moved so far are found. */
TEST(alignment_within_a_limit)
{
    static const double moves[] = { 1, -1, -2.5, 0.5, 0.5, 2, 30, -24, 0, 0 };
    const tess_shape    shape = TESS_SHAPE(5, 1, 150, 130);
    tess_array          image = noise(TESS_SHAPE(1, 1, shape.h, shape.w), TESS_F64), all;
    tess_array          by = table(moves, 5, 1, 2), frames = { 0 }, spectra = { 0 }, shifts = { 0 };
    CHECK_OK(tess_bfactor_image(&image, &image, 20, 1, NULL));
    CHECK_OK(tess_broadcast(&all, &image, shape));
    CHECK_OK(tess_phase_shift_image(&frames, &all, &by, &(tess_phase_shift_opts){ .real_nyquist = 1 }));
    CHECK_OK(tess_fft_r2c(&spectra, &frames, NULL));
    CHECK_OK(tess_align_frames(&shifts, &spectra, shape, 1,
                               &(tess_align_frames_opts){ .tolerance = 1e-3, .max_move = 6 }));
    for (int64_t i = 0; i < 5; i++) {
        double off = 0;
        for (int64_t a = 0; a < 2; a++)
            off = fmax(off, fabs(value_at(&shifts, i, 0, 0, a) + moves[2 * i + a] - moves[a]));
        CHECK(i == 3 || off < 0.1);
        CHECK(hypot(value_at(&shifts, i, 0, 0, 0), value_at(&shifts, i, 0, 0, 1)) < 12.001);
    }
    tess_array *given[] = { &image, &by, &frames, &spectra, &shifts };
    for (size_t i = 0; i < 5; i++) tess_release(given[i]);
}

/* By the definition, on the frames where they are: sums over the whole spectrum, weighted by the B-factor. */
static double score_of(const tess_array *spectra, tess_shape shape, double bfactor, int64_t b)
{
    double at_0 = 0, variance = 0;
    for (int64_t i = 0; i < spectra->shape.h * spectra->shape.w; i++) {
        const int64_t h = i / spectra->shape.w, w = i % spectra->shape.w;
        const double y = (double)(2 * h > shape.h ? h - shape.h : h) / (double)shape.h, x = (double)w / (double)shape.w,
                     weight = exp(-bfactor / 4 * (y * y + x * x));
        double others[2] = { 0, 0 }, own[2] = { 0, 0 };
        for (int64_t k = 0; k < shape.b; k++)
            for (int part = 0; part < 2; part++) {
                const double *at =
                    (const double *)spectra->data + 2 * ((k * spectra->shape.h + h) * spectra->shape.w + w);
                *(k == b ? &own[part] : &others[part]) += at[part];
            }
        const double times = w == 0 || 2 * w == shape.w ? 1 : 2, re = own[0] * others[0] + own[1] * others[1],
                     im = own[0] * others[1] - own[1] * others[0];
        if (i == 0) continue;
        at_0 += times * weight * re;
        variance += times * weight * weight * (re * re + im * im);
    }
    return at_0 / sqrt(variance);
}

TEST(scores_of_frames)
{
    const tess_shape shape = TESS_SHAPE(4, 1, 24, 30);
    tess_array       frames = noise(shape, TESS_F64), image = noise(TESS_SHAPE(1, 1, 24, 30), TESS_F64);
    tess_array       spectra = { 0 }, shifts = { 0 }, scores = { 0 }, groups = { 0 };
    CHECK_OK(tess_mul(&image, &image, &tess_f64(3)));
    CHECK_OK(tess_add(&frames, &frames, &image));
    CHECK_OK(tess_fft_r2c(&spectra, &frames, NULL));
    CHECK_OK(tess_align_frames(&shifts, &spectra, shape, 1,
                               &(tess_align_frames_opts){ .bfactor = 30, .max_move = 1e-9, .scores = &scores }));
    CHECK_DIMS(scores.shape, 4, 1, 1, 1);
    for (int64_t b = 0; b < 4; b++) {
        const double want = score_of(&spectra, shape, 30, b);
        CHECK(want > 5 && fabs(value_at(&scores, b, 0, 0, 0) - want) < 1e-6 * want);
    }
    CHECK_OK(
        tess_align_frames(&shifts, &spectra, shape, 1, &(tess_align_frames_opts){ .group = 2, .scores = &groups }));
    CHECK(value_at(&groups, 0, 0, 0, 0) == value_at(&groups, 1, 0, 0, 0));
    CHECK(value_at(&groups, 2, 0, 0, 0) == value_at(&groups, 3, 0, 0, 0) && value_at(&groups, 2, 0, 0, 0) > 5);
    tess_array *given[] = { &frames, &image, &spectra, &shifts, &scores, &groups };
    for (size_t i = 0; i < 6; i++) tess_release(given[i]);
}

TEST(bad_alignments)
{
    tess_array spectra = constant(TESS_C32, 2, 1, 8, 5, 1), real = constant(TESS_F32, 2, 1, 8, 5, 1), shifts = { 0 };
    tess_array half = constant(TESS_C16, 2, 1, 8, 5, 1), wrong = constant(TESS_F64, 1, 1, 1, 2, 0);
    const tess_shape shape = TESS_SHAPE(2, 1, 8, 8);
#define ALIGN(...) tess_align_frames(&shifts, &spectra, shape, 1, &(tess_align_frames_opts){ __VA_ARGS__ })
    CHECK_FAILS(tess_align_frames(NULL, &spectra, shape, 1, NULL), TESS_EARG, "align_frames: shifts is NULL");
    CHECK_FAILS(tess_align_frames(&shifts, NULL, shape, 1, NULL), TESS_EARG, "align_frames: spectra is NULL");
    CHECK_FAILS(tess_align_frames(&shifts, &real, shape, 1, NULL), TESS_EDTYPE, "spectra is f32; c32 or c64 is needed");
    CHECK_FAILS(tess_align_frames(&shifts, &half, shape, 1, NULL), TESS_EDTYPE, "spectra is c16; c32 or c64 is needed");
    CHECK_FAILS(tess_align_frames(&shifts, &spectra, TESS_SHAPE(2, 1, 8, 10), 1, NULL), TESS_ESHAPE,
                "align_frames: spectra has shape {2,1,8,5}");
    CHECK_FAILS(tess_align_frames(&shifts, &spectra, TESS_SHAPE(2, 2, 8, 8), 1, NULL), TESS_ESHAPE,
                "align_frames: shape is {2,2,8,8}; the shape of frames");
    CHECK_FAILS(tess_align_frames(&shifts, &spectra, shape, 0, NULL), TESS_ERANGE, "align_frames: pixel_size is 0");
    CHECK_FAILS(tess_align_frames(&wrong, &spectra, shape, 1, NULL), TESS_ESHAPE, "align_frames: shifts has shape");
    CHECK_FAILS(ALIGN(.tolerance = -1), TESS_ERANGE, "align_frames: opts->tolerance is -1");
    CHECK_FAILS(ALIGN(.iterations = -1), TESS_ERANGE, "align_frames: opts->iterations is -1");
    CHECK_FAILS(ALIGN(.group = -1), TESS_ERANGE, "align_frames: opts->group is -1");
    CHECK_FAILS(ALIGN(.bfactor = -1), TESS_ERANGE, "align_frames: opts->bfactor is -1; 0 or more is allowed");
    CHECK_FAILS(ALIGN(.max_shift = TESS_ZERO), TESS_ERANGE,
                "align_frames: opts->max_shift is 0; a number above 0 is allowed");
    CHECK_FAILS(ALIGN(.max_shift = -1), TESS_ERANGE, "align_frames: opts->max_shift is -1");
    CHECK_FAILS(ALIGN(.max_move = -1), TESS_ERANGE, "align_frames: opts->max_move is -1");
    CHECK_FAILS(ALIGN(.scores = &wrong), TESS_ESHAPE, "align_frames: opts->scores has shape {1,1,1,2}");
    CHECK(shifts.data == NULL);
#undef ALIGN
    tess_array *given[] = { &spectra, &real, &half, &wrong };
    for (size_t i = 0; i < 4; i++) tess_release(given[i]);
}

/* ---- Tilt series ---- */

/* A flat specimen of Gaussian spots, seen at an angle, compressed across an axis and moved: by its definition. */
static void tilt(tess_array *image, double angle, double axis, double dy, double dx)
{
    const int64_t n = image->shape.h, m = image->shape.w;
    for (int64_t i = 0; i < n * m; i++) {
        const double y = (double)(i / m) - (double)(n / 2) - dy, x = (double)(i % m) - (double)(m / 2) - dx;
        const double along = y * sin(axis) + x * cos(axis), more = (1 / cos(angle) - 1) * along;
        const double v = y + more * sin(axis), u = x + more * cos(axis);
        double       sum = 0;
        for (int k = 0; k < 60; k++) {
            const double py = 90 * sin(1.7 * k * k + k), px = 90 * cos(2.3 * k * k + 1);
            const double r2 = (v - py) * (v - py) + (u - px) * (u - px);
            if (r2 < 150) sum += exp(-r2 / 8);
        }
        CHECK_OK(tess_set_f64(image, 0, 0, i / m, i % m, sum));
    }
}

TEST(alignment_of_tilts)
{
    enum { N = 7 };
    static const double moves[2 * N] = { 3, -4, 1.5, 2, 0, 0, -2.5, 1, -4, 5.25, -1, 0.5, 6, -3 };
    for (int k = 0; k < 2; k++) {
        const double axis = k ? 0.4 : 0;
        tess_array   images = { 0 }, angles = { 0 }, shifts = { 0 };
        CHECK_OK(tess_empty(&images, TESS_SHAPE(N, 1, 150, 160), k ? TESS_F64 : TESS_F32, tess_cpu()));
        CHECK_OK(tess_empty(&angles, TESS_SHAPE(N, 1, 1, 1), TESS_F64, tess_cpu()));
        for (int64_t i = 0; i < N; i++) {
            const double angle = (double)(i - 2) * 0.15 + 0.01;
            tess_array   one;
            CHECK_OK(tess_slice(&one, &images, 0, i, i + 1, 1));
            tilt(&one, angle, axis, -moves[2 * i], -moves[2 * i + 1]);
            ((double *)angles.data)[i] = angle;
        }
        CHECK_OK(tess_align_tilts(&shifts, &images, &angles, &(tess_align_tilts_opts){ .axis = axis }));
        CHECK_DIMS(shifts.shape, N, 1, 1, 2);
        for (int64_t i = 0; i < 2 * N; i++)
            if (fabs(((double *)shifts.data)[i] - moves[i]) > 0.3)
                (void)test_failed(__FILE__, __LINE__, "shift %d is %g, not %g", (int)i, ((double *)shifts.data)[i],
                                  moves[i]);
        tess_release(&images);
        tess_release(&angles);
        tess_release(&shifts);
    }
}

TEST(bad_tilts)
{
    tess_array images = constant(TESS_F32, 3, 1, 8, 8, 1), angles = constant(TESS_F64, 3, 1, 1, 1, 0), shifts = { 0 };
    tess_array two = constant(TESS_F64, 2, 1, 1, 1, 0), steep = constant(TESS_F64, 3, 1, 1, 1, 1.55);
    tess_array volume = constant(TESS_F32, 1, 3, 8, 8, 1), spectrum = constant(TESS_C32, 3, 1, 8, 8, 1);
    CHECK_FAILS(tess_align_tilts(NULL, &images, &angles, NULL), TESS_EARG, "align_tilts: shifts is NULL");
    CHECK_FAILS(tess_align_tilts(&shifts, NULL, &angles, NULL), TESS_EARG, "align_tilts: images is NULL");
    CHECK_FAILS(tess_align_tilts(&shifts, &images, NULL, NULL), TESS_EARG, "align_tilts: angles is NULL");
    CHECK_FAILS(tess_align_tilts(&shifts, &images, &two, NULL), TESS_ESHAPE, "one angle per image is needed");
    CHECK_FAILS(tess_align_tilts(&shifts, &images, &steep, NULL), TESS_ERANGE,
                "align_tilts: angle 0 of angles is 1.55");
    CHECK_FAILS(tess_align_tilts(&shifts, &volume, &angles, NULL), TESS_ESHAPE, "images has shape {1,3,8,8}");
    CHECK_FAILS(tess_align_tilts(&shifts, &spectrum, &angles, NULL), TESS_EDTYPE, "images is c32");
    CHECK_FAILS(tess_align_tilts(&shifts, &images, &angles, &(tess_align_tilts_opts){ .low = 0.4 }), TESS_ERANGE,
                "opts->low is 0.4 and opts->high is 0.25");
    CHECK(shifts.data == NULL);
    CHECK_OK(tess_align_tilts(&shifts, &images, &angles, NULL));
    CHECK(all_are(&shifts, 0));
    tess_array *given[] = { &images, &angles, &two, &steep, &volume, &spectrum, &shifts };
    for (size_t i = 0; i < 7; i++) tess_release(given[i]);
}

/* ---- Sums ---- */

/* Real and imaginary parts of a coefficient. */
static void parts_of(double z[2], const tess_array *a, int64_t b, int64_t h, int64_t w)
{
    tess_array real, imag;
    CHECK_OK(tess_real_view(&real, a));
    CHECK_OK(tess_imag_view(&imag, a));
    z[0] = value_at(&real, b, 0, h, w), z[1] = value_at(&imag, b, 0, h, w);
}

/* The exposure filter of a frame, by its formula. */
static double exposure(double dose, double fy, double fx, double pixel, double factor)
{
    const double k = sqrt(fy * fy + fx * fx) / pixel;
    return k == 0 ? 1 : exp(-dose / (2 * factor * (0.245 * pow(k, -1.665) + 2.81)));
}

TEST(sums_of_moved_frames)
{
    static const double moves[] = { 0.5, -1.25, 3, 2.75, -7.5, 0.125, 0, 1, 4.5, -2, 0.25, 0.75 };
    static const double received[] = { 4, 11, 30, 35, 41, 50 };
    for (int k = 0; k < 2; k++) {
        const int64_t    h = 9, w = 10, n = 6;
        const tess_shape shape = TESS_SHAPE(n, 1, h, w);
        tess_array       frames = noise(shape, k ? TESS_F32 : TESS_F64), spectra = { 0 }, sum = { 0 }, weighted = { 0 };
        tess_array       by = table(moves, n, 1, 2), doses = table(received, n, 1, 1), white = { 0 };
        const double     tolerance = k ? 1e-4 : 1e-10;
        CHECK_OK(tess_fft_r2c(&spectra, &frames, NULL));
        const tess_add_frames_opts opts = { .doses = &doses, .pixel_size = 1.5, .voltage = 200 };
        CHECK_OK(tess_add_frames(&sum, &weighted, &spectra, shape, &by, &opts));
        const tess_dose_weight_opts same = { .voltage = 200 };
        CHECK_OK(tess_dose_normalize(&white, &weighted, TESS_SHAPE(1, 1, h, w), &doses, 1.5, &same));
        for (int64_t i = 0; i < h * (w / 2 + 1); i++) {
            const int64_t y = i / (w / 2 + 1), x = i % (w / 2 + 1);
            const double  fy = (double)(2 * y > h ? y - h : y) / (double)h, fx = (double)x / (double)w;
            double        want[2][2] = { { 0 } }, squares = 0, got[3][2];
            for (int64_t b = 0; b < n; b++) {
                const double turn = -2 * pi * (fy * moves[2 * b] + fx * moves[2 * b + 1]);
                const double q = exposure(received[b], fy, fx, 1.5, 0.8);
                double       z[2];
                parts_of(z, &spectra, b, y, x);
                const double re = z[0] * cos(turn) - z[1] * sin(turn), im = z[0] * sin(turn) + z[1] * cos(turn);
                want[0][0] += re, want[0][1] += im, want[1][0] += q * re, want[1][1] += q * im, squares += q * q;
            }
            parts_of(got[0], &sum, 0, y, x);
            parts_of(got[1], &weighted, 0, y, x);
            parts_of(got[2], &white, 0, y, x);
            for (int a = 0; a < 2; a++) {
                CHECK(fabs(got[0][a] - want[0][a]) < tolerance);
                CHECK(fabs(got[1][a] - want[1][a]) < tolerance);
                CHECK(fabs(got[2][a] - want[1][a] / sqrt(squares)) < tolerance);
            }
        }
        tess_array *given[] = { &frames, &spectra, &sum, &weighted, &by, &doses, &white };
        for (size_t i = 0; i < 7; i++) tess_release(given[i]);
    }
}

/* Weights of large frames of f32 come of a table of the radial function. */
TEST(weights_of_large_frames)
{
    static const double received[] = { 5, 60 }, none[] = { 0, 0 };
    const int64_t       h = 1030, w = 1100, columns = 551;
    const tess_shape    shape = TESS_SHAPE(2, 1, h, w);
    tess_array          spectra = constant(TESS_C32, 2, 1, h, columns, 1), sum = { 0 }, weighted = { 0 }, white = { 0 };
    tess_array          doses = table(received, 2, 1, 1), still = table(none, 1, 1, 2);
    const tess_add_frames_opts opts = { .doses = &doses, .pixel_size = 1.9 };
    double                     largest[2] = { 0, 0 };
    CHECK_OK(tess_add_frames(&sum, &weighted, &spectra, shape, &still, &opts));
    CHECK_OK(tess_dose_normalize(&white, &weighted, TESS_SHAPE(1, 1, h, w), &doses, 1.9, NULL));
    const tess_c32 *got[2] = { weighted.data, white.data };
    for (int64_t i = 0; i < h * columns; i++) {
        const int64_t y = i / columns;
        const double  fy = (double)(2 * y > h ? y - h : y) / (double)h, fx = (double)(i % columns) / (double)w;
        const double  q[2] = { exposure(5, fy, fx, 1.9, 1), exposure(60, fy, fx, 1.9, 1) };
        const double  want[2] = { q[0] + q[1], (q[0] + q[1]) / sqrt(q[0] * q[0] + q[1] * q[1]) };
        for (int k = 0; k < 2; k++) largest[k] = fmax(largest[k], fabs((double)got[k][i].re / want[k] - 1));
    }
    CHECK(largest[0] < 5e-7 && largest[1] < 5e-7);
    tess_array *given[] = { &spectra, &sum, &weighted, &white, &doses, &still };
    for (size_t i = 0; i < 6; i++) tess_release(given[i]);
}

/* Parts of a movie in several calls, of any strides, give the same bits; so does a shift for all. */
TEST(sums_in_parts)
{
    static const double moves[] = { 0.5, -1.25, 0.5, -1.25, 0.5, -1.25, 0.5, -1.25, 0.5, -1.25 };
    const tess_shape    shape = TESS_SHAPE(5, 1, 9, 10), half = TESS_SHAPE(1, 1, 9, 6);
    tess_array frames = noise(shape, TESS_F32), spectra = { 0 }, apart = { 0 }, view, want = { 0 }, got = { 0 };
    tess_array by = table(moves, 5, 1, 2), one = table(moves, 1, 1, 2), same = { 0 };
    CHECK_OK(tess_fft_r2c(&spectra, &frames, NULL));
    CHECK_OK(tess_empty(&apart, TESS_SHAPE(5, 1, 6, 9), TESS_C32, tess_cpu()));
    CHECK_OK(tess_permute(&view, &apart, 0, 1, 3, 2));
    CHECK_OK(tess_copy(&view, &spectra));
    CHECK_OK(tess_add_frames(&want, NULL, &spectra, shape, &by, NULL));
    for (int64_t b = 0; b < 5; b++) {
        tess_array part, row;
        CHECK_OK(tess_slice(&part, b == 1 ? &view : &spectra, 0, b, b + 1, 1));
        CHECK_OK(tess_slice(&row, &by, 0, b, b + 1, 1));
        CHECK_OK(tess_add_frames(&got, NULL, &part, TESS_SHAPE(1, 1, 9, 10), &row, NULL));
    }
    CHECK(memcmp(want.data, got.data, (size_t)tess_n_bytes(&want)) == 0);
    tess_release(&got);
    CHECK_OK(tess_zeros(&got, half, TESS_C32, tess_cpu()));
    CHECK_OK(tess_add_frames(&got, &same, &view, shape, &one, NULL));
    CHECK(memcmp(want.data, got.data, (size_t)tess_n_bytes(&want)) == 0);
    CHECK(memcmp(want.data, same.data, (size_t)tess_n_bytes(&want)) == 0);
    tess_array *given[] = { &frames, &spectra, &apart, &want, &got, &by, &one, &same };
    for (size_t i = 0; i < 8; i++) tess_release(given[i]);
}

TEST(bad_sums)
{
    tess_array spectra = constant(TESS_C32, 2, 1, 8, 5, 1), shifts = constant(TESS_F64, 2, 1, 1, 2, 0), sum = { 0 };
    tess_array doses = constant(TESS_F64, 2, 1, 1, 1, 1), three = constant(TESS_F64, 3, 1, 1, 2, 0), other = { 0 };
    const tess_shape shape = TESS_SHAPE(2, 1, 8, 8);
    CHECK_FAILS(tess_add_frames(NULL, NULL, &spectra, shape, &shifts, NULL), TESS_EARG, "add_frames: sum is NULL");
    CHECK_FAILS(tess_add_frames(&sum, NULL, NULL, shape, &shifts, NULL), TESS_EARG, "add_frames: spectra is NULL");
    CHECK_FAILS(tess_add_frames(&sum, NULL, &spectra, shape, NULL, NULL), TESS_EARG, "add_frames: shifts is NULL");
    CHECK_FAILS(tess_add_frames(&sum, NULL, &spectra, shape, &three, NULL), TESS_ESHAPE,
                "add_frames: shifts has shape {3,1,1,2}; {2,1,1,2} is needed");
    CHECK_FAILS(tess_add_frames(&sum, &other, &spectra, shape, &shifts,
                                &(tess_add_frames_opts){ .doses = &doses, .voltage = 100 }),
                TESS_ERANGE, "add_frames: opts->voltage is 100");
    CHECK_FAILS(tess_add_frames(&shifts, NULL, &spectra, shape, &shifts, NULL), TESS_ESHAPE,
                "add_frames: sum has shape");
    CHECK_FAILS(tess_add_frames(&sum, &other, &spectra, shape, &shifts, &(tess_add_frames_opts){ .doses = &three }),
                TESS_ESHAPE, "add_frames: opts->doses has shape {3,1,1,2}");
    CHECK_FAILS(tess_dose_normalize(&sum, &spectra, shape, NULL, 1, NULL), TESS_EARG, "dose_normalize: doses is NULL");
    CHECK_FAILS(tess_dose_normalize(&sum, &spectra, shape, &doses, -1, NULL), TESS_ERANGE,
                "dose_normalize: pixel_size is -1");
    CHECK(sum.data == NULL && other.data == NULL);
    tess_array *given[] = { &spectra, &shifts, &doses, &three };
    for (size_t i = 0; i < 4; i++) tess_release(given[i]);
}

/* ---- The model ---- */

/* The polynomial by its definition. */
static double model(const double *c, double y, double x, double t)
{
    const double terms[6] = { 1, x, x * x, y, y * y, x * y };
    double       sum = 0;
    for (int k = 0; k < 6; k++)
        for (int j = 0; j < 3; j++) sum += c[3 * k + j] * terms[k] * pow(t, j + 1);
    return sum;
}

static void make_model(double c[36])
{
    for (int k = 0; k < 36; k++) c[k] = (k % 5 - 2.2) * pow(0.1, k % 3 + 1);
}

TEST(fits_of_a_model)
{
    enum { PATCHES = 25, N = 12 };
    double c[36], at[2 * PATCHES], shifts[2 * PATCHES * N], times[N];
    make_model(c);
    for (int i = 0; i < N; i++) times[i] = 1.5 * i;
    for (int p = 0; p < PATCHES; p++) {
        at[2 * p] = p / 5 / 5.0 - 0.4, at[2 * p + 1] = p % 5 / 5.0 - 0.4;
        for (int i = 0; i < N; i++)
            for (int a = 0; a < 2; a++)
                shifts[2 * (p * N + i) + a] = model(c + 18 * a, at[2 * p], at[2 * p + 1], times[i]);
    }
    shifts[77] += 50; /* an outlier */
    tess_array found = { 0 }, where = table(at, PATCHES, 1, 2), seen = table(shifts, PATCHES, N, 2), again = { 0 };
    tess_array when = table(times, 1, 1, N), left = { 0 };
    CHECK_OK(tess_motion_fit(&found, &seen, &where, &(tess_motion_fit_opts){ .times = &when, .residual = &left }));
    CHECK_DIMS(found.shape, 2, 1, 1, 18);
    for (int k = 0; k < 36; k++) CHECK(fabs(((double *)found.data)[k] - c[k]) < 1e-8);
    CHECK(value_at(&left, 0, 0, 0, 0) < 1e-8);
    CHECK_OK(tess_motion_shifts(&again, &found, &where, &when));
    CHECK_DIMS(again.shape, PATCHES, 1, N, 2);
    for (int i = 0; i < 2 * PATCHES * N; i++)
        CHECK(i == 77 || fabs(((double *)again.data)[i] - shifts[i]) < 1e-8 * (1 + fabs(shifts[i])));
    CHECK_OK(tess_motion_fit(&found, &seen, &where, &(tess_motion_fit_opts){ .times = &when, .outliers = TESS_ZERO }));
    CHECK(fabs(((double *)found.data)[18] - c[18]) > 1e-8);
    tess_array *given[] = { &found, &where, &seen, &again, &when, &left };
    for (size_t i = 0; i < 6; i++) tess_release(given[i]);
}

/* A third of the shifts are anywhere, one patch does not count, and patches have constants of their own. */
TEST(fits_with_outliers)
{
    enum { PATCHES = 25, N = 16, WRONG = 9 };
    double   c[36], at[2 * PATCHES], shifts[2 * PATCHES * N], weights[PATCHES * N];
    uint32_t random = 5;
    make_model(c);
    for (int p = 0; p < PATCHES; p++) {
        at[2 * p] = p / 5 / 5.0 - 0.4, at[2 * p + 1] = p % 5 / 5.0 - 0.4;
        for (int i = 0; i < 2 * N; i++) {
            const double right = model(c + 18 * (i % 2), at[2 * p], at[2 * p + 1], i / 2) + 0.3 * sin(p + 2 * i % 2);
            random = random * 1664525U + 1013904223U;
            const double far = (double)(random >> 8) / 8388608 - 1;
            const bool   is_wrong = p == WRONG || (p * N + i / 2) % 3 == 1;
            shifts[2 * N * p + i] = right + (is_wrong ? 8 * far : 0.01 * far);
            weights[p * N + i / 2] = p != WRONG;
        }
    }
    tess_array found = { 0 }, where = table(at, PATCHES, 1, 2), seen = table(shifts, PATCHES, N, 2), kept = { 0 };
    tess_array count = table(weights, PATCHES, N, 1), left = { 0 };
    CHECK_OK(
        tess_motion_fit(&found, &seen, &where,
                        &(tess_motion_fit_opts){ .weights = &count, .offsets = 1, .residual = &left, .kept = &kept }));
    CHECK_DIMS(kept.shape, PATCHES, 1, N, 1);
    CHECK(value_at(&left, 0, 0, 0, 0) < 0.01);
    for (int p = 0; p < PATCHES; p++)
        for (int i = 0; i < 2 * N; i++) {
            const double near = model((double *)found.data + 18 * (i % 2), at[2 * p], at[2 * p + 1], i / 2) -
                                model(c + 18 * (i % 2), at[2 * p], at[2 * p + 1], i / 2);
            CHECK(fabs(near) < 0.02);
            if (p == WRONG) CHECK(value_at(&kept, p, 0, i / 2, 0) == 0);
        }
    tess_array *given[] = { &found, &where, &seen, &count, &kept, &left };
    for (size_t i = 0; i < 6; i++) tess_release(given[i]);
}

/* Linear interpolation by its definition, with clamped indices. */
static double at_clamped(const tess_array *a, int64_t y, int64_t x)
{
    const int64_t h = a->shape.h, w = a->shape.w;
    return value_at(a, 0, 0, y < 0 ? 0 : y >= h ? h - 1 : y, x < 0 ? 0 : x >= w ? w - 1 : x);
}

TEST(warped_frames)
{
    double       c[36];
    const double time = 3;
    make_model(c);
    for (int k = 0; k < 2; k++) {
        tess_array   in = noise(TESS_SHAPE(1, 1, 12, 17), k ? TESS_F32 : TESS_F64), out = { 0 };
        tess_array   coefficients = table(c, 2, 1, 18), when = table(&time, 1, 1, 1);
        const double tolerance = k ? 1e-5 : 1e-12;
        CHECK_OK(tess_motion_warp(&out, &in, &coefficients, &when,
                                  &(tess_motion_warp_opts){ .interp = TESS_INTERP_LINEAR }));
        for (int64_t i = 0; i < 12 * 17; i++) {
            const double  y = (double)(i / 17), x = (double)(i % 17), v = y / 12 - 0.5, u = x / 17 - 0.5;
            const double  from_y = y - model(c, v, u, time), from_x = x - model(c + 18, v, u, time);
            const double  fy = from_y - floor(from_y), fx = from_x - floor(from_x);
            const int64_t iy = (int64_t)floor(from_y), ix = (int64_t)floor(from_x);
            const double  want = (1 - fy) * ((1 - fx) * at_clamped(&in, iy, ix) + fx * at_clamped(&in, iy, ix + 1)) +
                                fy * ((1 - fx) * at_clamped(&in, iy + 1, ix) + fx * at_clamped(&in, iy + 1, ix + 1));
            CHECK(fabs(value_at(&out, 0, 0, i / 17, i % 17) - want) < tolerance * (1 + fabs(want)));
        }
        tess_array *given[] = { &in, &out, &coefficients, &when };
        for (size_t i = 0; i < 4; i++) tess_release(given[i]);
    }
}

/* A model that is 0 leaves frames as they are, with every interpolation. */
TEST(frames_that_do_not_move)
{
    static const int32_t interps[] = {
        0, TESS_INTERP_LINEAR, TESS_INTERP_CUBIC, TESS_INTERP_LANCZOS4, TESS_INTERP_LANCZOS6, TESS_INTERP_LANCZOS8
    };
    tess_array in = noise(TESS_SHAPE(3, 1, 9, 7), TESS_F32), zero = constant(TESS_F64, 2, 1, 1, 18, 0), out = { 0 };
    tess_array when = numbers(TESS_F32, 1, 1, 1, 3);
    for (size_t k = 0; k < sizeof interps / sizeof *interps; k++) {
        CHECK_OK(tess_motion_warp(&out, &in, &zero, &when, &(tess_motion_warp_opts){ .interp = interps[k] }));
        for (int64_t i = 0; i < 3 * 63; i++) CHECK(fabsf(((float *)out.data)[i] - ((float *)in.data)[i]) < 1e-6f);
    }
    tess_array *given[] = { &in, &zero, &out, &when };
    for (size_t i = 0; i < 4; i++) tess_release(given[i]);
}

TEST(bad_models)
{
    tess_array shifts = constant(TESS_F64, 3, 1, 4, 2, 0), places = constant(TESS_F64, 3, 1, 1, 2, 0), out = { 0 };
    tess_array model_of = constant(TESS_F64, 2, 1, 1, 18, 0), image = constant(TESS_F32, 1, 1, 4, 4, 0);
    tess_array times = constant(TESS_F64, 1, 1, 1, 4, 0), whole = constant(TESS_I32, 1, 1, 4, 4, 0);
    tess_array nan = constant(TESS_F64, 3, 1, 4, 2, NAN), there = on_gpu(places);
    tess_array minus = constant(TESS_F64, 3, 1, 4, 1, -1);
    CHECK_FAILS(tess_motion_fit(NULL, &shifts, &places, NULL), TESS_EARG, "motion_fit: coefficients is NULL");
    CHECK_FAILS(tess_motion_fit(&out, &places, &places, &(tess_motion_fit_opts){ .times = &times }), TESS_ESHAPE,
                "motion_fit: opts->times has shape {1,1,1,4}; {1,1,1,1} is needed");
    CHECK_FAILS(tess_motion_fit(&out, &model_of, &places, NULL), TESS_ESHAPE,
                "motion_fit: shifts has shape {2,1,1,18}; {p,1,n,2} is needed");
    CHECK_FAILS(tess_motion_fit(&out, &shifts, &times, NULL), TESS_ESHAPE, "motion_fit: positions has shape {1,1,1,4}");
    CHECK_FAILS(tess_motion_fit(&out, &shifts, &there, NULL), TESS_EDEVICE, "motion_fit");
    CHECK_FAILS(tess_motion_fit(&out, &nan, &places, NULL), TESS_ERANGE, "motion_fit:");
    CHECK_FAILS(tess_motion_fit(&out, &shifts, &places, &(tess_motion_fit_opts){ .weights = &times }), TESS_ESHAPE,
                "motion_fit: opts->weights has shape {1,1,1,4}; {3,1,4,1} is needed");
    CHECK_FAILS(tess_motion_fit(&out, &shifts, &places, &(tess_motion_fit_opts){ .weights = &minus }), TESS_ERANGE,
                "motion_fit: opts->weights has -1 for frame 0 of patch 0; 0 or more is allowed");
    CHECK_FAILS(tess_motion_fit(&out, &shifts, &places, &(tess_motion_fit_opts){ .kept = &shifts }), TESS_ESHAPE,
                "motion_fit: opts->kept has shape {3,1,4,2}");
    CHECK_FAILS(tess_motion_fit(&model_of, &shifts, &places, &(tess_motion_fit_opts){ .residual = &times }),
                TESS_ESHAPE, "motion_fit: opts->residual has shape {1,1,1,4}");
    CHECK_FAILS(tess_motion_shifts(NULL, &model_of, &places, &times), TESS_EARG, "motion_shifts: shifts is NULL");
    CHECK_FAILS(tess_motion_shifts(&out, &places, &places, &times), TESS_ESHAPE,
                "motion_shifts: coefficients has shape {3,1,1,2}; {2,1,1,18} is needed");
    CHECK_FAILS(tess_motion_shifts(&out, &model_of, &times, &times), TESS_ESHAPE, "motion_shifts: positions has shape");
    CHECK_FAILS(tess_motion_warp(NULL, &image, &model_of, &times, NULL), TESS_EARG, "motion_warp: out is NULL");
    CHECK_FAILS(tess_motion_warp(&out, &whole, &model_of, &times, NULL), TESS_EDTYPE,
                "in is i32; f32 or f64 is needed");
    CHECK_FAILS(tess_motion_warp(&out, &image, &model_of, &times, NULL), TESS_ESHAPE,
                "motion_warp: times has shape {1,1,1,4}; {1,1,1,1} is needed");
    CHECK_FAILS(tess_motion_warp(&image, &image, &model_of, &model_of, NULL), TESS_ESHAPE, "motion_warp: times");
    CHECK_FAILS(tess_motion_warp(&out, &image, &model_of, &times,
                                 &(tess_motion_warp_opts){ .interp = TESS_INTERP_CUBIC_BSPLINE }),
                TESS_EARG, "motion_warp: opts->interp");
    CHECK(out.data == NULL);
    tess_array *given[] = { &shifts, &places, &model_of, &image, &times, &whole, &nan, &minus };
    for (size_t i = 0; i < 8; i++) tess_release(given[i]);
}

/* ---- Bad pixels ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the good pixels around one, by sorting. */
static double naive_repair(const tess_array *in, const tess_array *mask, int64_t y, int64_t x)
{
    double  found[81];
    int64_t n = 0;
    for (int64_t r = 1; r <= 4 && n < 4; r++) {
        n = 0;
        for (int64_t i = y - r; i <= y + r; i++)
            for (int64_t j = x - r; j <= x + r; j++) {
                if (i < 0 || j < 0 || i >= in->shape.h || j >= in->shape.w) continue;
                const double v = value_at(in, 0, 0, i, j);
                if (value_at(mask, 0, 0, i, j) == 0 && !isnan(v)) found[n++] = v;
            }
    }
    if (n == 0) return 0;
    qsort(found, (size_t)n, sizeof *found, compare);
    return (found[(n - 1) / 2] + found[n / 2]) / 2;
}

TEST(bad_pixels)
{
    for (int k = 0; k < 2; k++) {
        tess_array in = noise(TESS_SHAPE(1, 1, 23, 19), k ? TESS_F32 : TESS_F64), out = { 0 };
        tess_array mask = constant(TESS_U8, 1, 1, 23, 19, 0);
        for (int64_t i = 0; i < 23 * 19; i++) {
            const int64_t y = i / 19, x = i % 19;
            const bool    block = y >= 4 && y < 14 && x < 12;
            CHECK_OK(tess_set_f64(&mask, 0, 0, y, x, block || i % 7 == 0));
            if (i % 11 == 0) CHECK_OK(tess_set_f64(&in, 0, 0, y, x, i % 22 ? (double)NAN : 2));
        }
        CHECK_OK(tess_repair_pixels(&out, &in, &mask));
        for (int64_t i = 0; i < 23 * 19; i++) {
            const int64_t y = i / 19, x = i % 19;
            const bool    bad = value_at(&mask, 0, 0, y, x) != 0;
            const double  want = bad ? naive_repair(&in, &mask, y, x) : value_at(&in, 0, 0, y, x);
            const double  got = value_at(&out, 0, 0, y, x);
            CHECK((isnan(want) && isnan(got)) || fabs(got - want) < 1e-6);
        }
        CHECK_OK(tess_repair_pixels(&in, &in, &mask));
        CHECK(memcmp(in.data, out.data, (size_t)tess_n_bytes(&in)) == 0);
        tess_release(&in);
        tess_release(&out);
        tess_release(&mask);
    }
}

TEST(bad_repairs)
{
    tess_array in = constant(TESS_F32, 2, 1, 4, 4, 1), mask = constant(TESS_U8, 1, 1, 4, 4, 0), out = { 0 };
    tess_array whole = constant(TESS_U8, 2, 1, 4, 4, 1), small = constant(TESS_U8, 1, 1, 4, 3, 0);
    tess_array volume = constant(TESS_F32, 1, 2, 4, 4, 1), part;
    CHECK_OK(tess_reverse(&part, &in, TESS_H));
    CHECK_FAILS(tess_repair_pixels(NULL, &in, &mask), TESS_EARG, "repair_pixels: out is NULL");
    CHECK_FAILS(tess_repair_pixels(&out, NULL, &mask), TESS_EARG, "repair_pixels: in is NULL");
    CHECK_FAILS(tess_repair_pixels(&out, &in, NULL), TESS_EARG, "repair_pixels: mask is NULL");
    CHECK_FAILS(tess_repair_pixels(&out, &whole, &mask), TESS_EDTYPE, "in is u8; f32 or f64 is needed");
    CHECK_FAILS(tess_repair_pixels(&out, &volume, &mask), TESS_ESHAPE, "in has shape {1,2,4,4}; images");
    CHECK_FAILS(tess_repair_pixels(&out, &in, &small), TESS_ESHAPE, "mask has shape {1,1,4,3} and in has shape");
    CHECK_FAILS(tess_repair_pixels(&part, &in, &mask), TESS_EALIAS, "repair_pixels: out");
    CHECK(out.data == NULL);
    CHECK_OK(tess_repair_pixels(&out, &in, &whole));
    CHECK(all_are(&out, 0));
    tess_array *given[] = { &in, &mask, &whole, &small, &volume, &out };
    for (size_t i = 0; i < 6; i++) tess_release(given[i]);
}
