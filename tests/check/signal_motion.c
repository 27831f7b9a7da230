/* Alignment of simulated movies: how near the truth it comes, and that it depends on the numbers alone.
 *
 * Movies of 24 frames of 1024 x 1024 pixels of 1 angstrom: a random structure whose amplitudes fall with a B-factor of
 * 60 square angstrom, moved by a drift that is a random walk plus a decay (0.1 to 3 pixels a frame), and Poisson counts
 * of 1 electron a pixel and frame, with a contrast of 0.1. Frames are moved by their phases before the counts are
 * drawn. Global drift must be within 0.1 pixel rms. */
#include <math.h>

#include "support/layouts.h"
#include "support/sanitizers.h"
#include "tessera/random.h"
#include "tessera/signal.h"

enum { SIZE = 1024, FRAMES = 24 };

/* ---- Simulated movies ---- */

/* The spectrum of a structure of mean 0 and standard deviation `contrast`. */
static tess_array structure(int64_t n, double contrast, uint64_t seed)
{
    const tess_shape shape = TESS_SHAPE(1, 1, n, n);
    tess_array       image = { 0 }, spectrum = { 0 };
    CHECK_OK(tess_empty(&image, shape, TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&image, 0, 1, seed, NULL));
    CHECK_OK(tess_fft_r2c(&spectrum, &image, NULL));
    CHECK_OK(tess_bfactor(&spectrum, &spectrum, shape, 60, 1, NULL));
    CHECK_OK(tess_standardize(&spectrum, &spectrum, shape, NULL));
    CHECK_OK(tess_mul(&spectrum, &spectrum, &tess_f32((float)contrast)));
    tess_release(&image);
    return spectrum;
}

/* Where frames are, (h, w) in pixels: 0 for the first. */
static void make_drift(double drift[][2], int frames)
{
    drift[0][0] = drift[0][1] = 0;
    for (int i = 1; i < frames; i++) {
        const double decay = 2.5 * exp(-(i - 1) / 3.0);
        drift[i][0] = drift[i - 1][0] + 0.8 * decay + 0.4 * (test_random_unit() - 0.5) + 0.1;
        drift[i][1] = drift[i - 1][1] - 0.6 * decay + 0.4 * (test_random_unit() - 0.5);
    }
}

/* Counts of a structure that has moved: Poisson of mean 1 + what is seen. */
static void expose(const tess_array *frame, const tess_array *spectrum, const double drift[2], uint64_t seed)
{
    const tess_shape shape = frame->shape;
    double           by[2] = { drift[0], drift[1] };
    tess_array       shift, moved = { 0 }, image = { 0 }, out = *frame;
    CHECK_OK(tess_wrap(&shift, by, TESS_SHAPE(1, 1, 1, 2), TESS_F64, NULL));
    CHECK_OK(tess_fft_phase_shift(&moved, spectrum, shape, &shift, NULL));
    CHECK_OK(tess_fft_c2r(&image, &moved, shape, NULL));
    CHECK_OK(tess_add(&image, &image, &tess_f32(1)));
    CHECK_OK(tess_maximum(&image, &image, &tess_f32(0)));
    CHECK_OK(tess_random_poisson(&out, &image, seed, NULL));
    tess_release(&moved);
    tess_release(&image);
}

static tess_array movie(double drift[][2], int64_t n, int frames, uint64_t seed)
{
    tess_array all = { 0 }, spectrum = structure(n, 0.1, seed);
    CHECK_OK(tess_empty(&all, TESS_SHAPE(frames, 1, n, n), TESS_F32, tess_cpu()));
    for (int i = 0; i < frames; i++) {
        tess_array frame;
        CHECK_OK(tess_slice(&frame, &all, 0, i, i + 1, 1));
        expose(&frame, &spectrum, drift[i], seed + 1 + (uint64_t)i);
    }
    tess_release(&spectrum);
    return all;
}

/* Spectra of frames, cropped to 1 / factor of their size. */
static tess_array cropped(const tess_array *frames, int64_t factor)
{
    const tess_shape full = frames->shape, small = TESS_SHAPE(full.b, 1, full.h / factor, full.w / factor);
    tess_array       spectra = { 0 }, out = { 0 };
    CHECK_OK(tess_fft_r2c(&spectra, frames, NULL));
    CHECK_OK(tess_fft_resize(&out, &spectra, full, small, NULL));
    tess_release(&spectra);
    return out;
}

/* Root mean square distance of shifts, times `scale`, from those that undo the drift. */
static double distance(const tess_array *shifts, double drift[][2], double scale)
{
    double sum[2] = { 0, 0 }, squares = 0;
    for (int64_t i = 0; i < shifts->shape.b; i++)
        for (int k = 0; k < 2; k++) {
            double value = 0;
            CHECK_OK(tess_get_f64(&value, shifts, i, 0, 0, k));
            value = value * scale + drift[i][k];
            sum[k] += value, squares += value * value;
        }
    const double n = (double)shifts->shape.b;
    return sqrt((squares - (sum[0] * sum[0] + sum[1] * sum[1]) / n) / (2 * n));
}

/* ---- Accuracy ---- */

TEST(global_drift)
{
    double drift[FRAMES][2];
    for (int k = 0; k < (ADDRESS_SANITIZER || THREAD_SANITIZER ? 1 : 3); k++) {
        make_drift(drift, FRAMES);
        tess_array                   frames = movie(drift, SIZE, FRAMES, test_random());
        tess_array                   spectra = cropped(&frames, 2), shifts = { 0 }, changes = { 0 };
        const tess_align_frames_opts opts = { .changes = &changes };
        CHECK_OK(tess_align_frames(&shifts, &spectra, TESS_SHAPE(FRAMES, 1, SIZE / 2, SIZE / 2), 2, &opts));
        const double rms = distance(&shifts, drift, 2);
        if (!(rms < 0.1)) (void)test_failed(__FILE__, __LINE__, "drift is off by %g pixels rms", rms);
        CHECK(changes.shape.w > 2 && changes.shape.w < 30);
        tess_release(&frames);
        tess_release(&spectra);
        tess_release(&shifts);
        tess_release(&changes);
    }
}

/* Groups of two, and a structure of other sizes: odd ones, and ones that are not square. */
TEST(groups)
{
    double drift[FRAMES][2];
    for (int i = 0; i < FRAMES; i++) drift[i][0] = 0.3 * i, drift[i][1] = -0.2 * i;
    tess_array frames = movie(drift, 512, FRAMES, test_random()), part, spectra = { 0 }, shifts = { 0 };
    CHECK_OK(tess_subregion(&part, &frames, (tess_region){ .h = tess_from_to(3, 510), .w = tess_from_to(20, 411) }));
    CHECK_OK(tess_fft_r2c(&spectra, &part, NULL));
    CHECK_OK(tess_align_frames(&shifts, &spectra, part.shape, 1, &(tess_align_frames_opts){ .group = 2 }));
    const double rms = distance(&shifts, drift, 1);
    if (!(rms < 0.2)) (void)test_failed(__FILE__, __LINE__, "drift is off by %g pixels rms", rms);
    tess_release(&frames);
    tess_release(&spectra);
    tess_release(&shifts);
}

/* ---- The same for any layout and number of threads ---- */

TEST(layouts_and_threads)
{
    double drift[6][2];
    make_drift(drift, 6);
    tess_array frames = movie(drift, 256, 6, 5), spectra = { 0 }, apart = { 0 }, view, want = { 0 }, got = { 0 };
    CHECK_OK(tess_fft_r2c(&spectra, &frames, NULL));
    CHECK_OK(tess_empty(&apart, TESS_SHAPE(6, 1, 129, 256), TESS_C32, tess_cpu()));
    CHECK_OK(tess_permute(&view, &apart, 0, 1, 3, 2));
    CHECK_OK(tess_copy(&view, &spectra));
    CHECK_OK(tess_align_frames(&want, &spectra, frames.shape, 1, NULL));
    for (int n = 1; n < 4; n++) {
        CHECK_OK(tess_threads_set(n));
        CHECK_OK(tess_align_frames(&got, n == 2 ? &view : &spectra, frames.shape, 1, NULL));
        for (int64_t i = 0; i < 12; i++)
            CHECK(((double *)want.data)[i] == ((double *)got.data)[i] ||
                  (n == 2 && fabs(((double *)want.data)[i] - ((double *)got.data)[i]) < 1e-4));
        tess_release(&got);
    }
    CHECK_OK(tess_threads_set(0));
    tess_release(&frames);
    tess_release(&spectra);
    tess_release(&apart);
    tess_release(&want);
}
