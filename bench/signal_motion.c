/* Alignment and sums of the frames of a movie beside the transforms that they need.
 *
 * A movie of 24 frames of 2048 x 2048 pixels of 1 angstrom; alignment is on frames cropped to half of that. The limit is
 * the forward transforms of all frames. One JSON line each. `--quick` takes fewer rounds; other arguments are names of
 * works to run.
 */
#include "bench.h"
#include "tessera/signal.h"

enum { SIZE = 2048, FRAMES = 24 };

static int    rounds = 5;
static int    n_names;
static char **names;

static bool wanted(const char *name) { return bench_wanted(name, names, n_names); }

typedef struct movie {
    tess_array frames, spectra, cropped, shifts, doses, sum, weighted, warped, coefficients, times;
} movie;

static const tess_shape full = { { FRAMES, 1, SIZE, SIZE } }, small = { { FRAMES, 1, SIZE / 2, SIZE / 2 } };

static void run_transforms(void *context)
{
    movie *m = context;
    for (int64_t i = 0; i < FRAMES; i++) {
        tess_array from, to;
        bench_need(tess_slice(&from, &m->frames, 0, i, i + 1, 1));
        bench_need(tess_slice(&to, &m->spectra, 0, i, i + 1, 1));
        bench_need(tess_fft_r2c(&to, &from, NULL));
    }
}

static void run_align(void *context)
{
    movie *m = context;
    bench_need(tess_align_frames(&m->shifts, &m->cropped, small, 2, NULL));
}

static void run_sum(void *context)
{
    movie *m = context;
    bench_need(tess_add_frames(&m->sum, NULL, &m->spectra, full, &m->shifts, NULL));
}

static void run_weighted(void *context)
{
    movie                     *m = context;
    const tess_add_frames_opts opts = { .doses = &m->doses };
    bench_need(tess_add_frames(&m->sum, &m->weighted, &m->spectra, full, &m->shifts, &opts));
}

static void run_warp(void *context)
{
    movie *m = context;
    bench_need(tess_motion_warp(&m->warped, &m->frames, &m->coefficients, &m->times, NULL));
}

/* One structure, moved by 0.7 and -0.4 pixels from frame to frame, and noise. */
static void make(movie *m)
{
    tess_array image = { 0 }, spectrum = { 0 }, shifts = { 0 }, moved = { 0 };
    bench_need(tess_empty(&m->frames, full, TESS_F32, tess_cpu()));
    bench_need(tess_empty(&image, TESS_SHAPE(1, 1, SIZE, SIZE), TESS_F32, tess_cpu()));
    bench_need(tess_empty(&shifts, TESS_SHAPE(FRAMES, 1, 1, 2), TESS_F64, tess_cpu()));
    for (int i = 0; i < FRAMES; i++) {
        ((double *)shifts.data)[2 * i] = 0.7 * i;
        ((double *)shifts.data)[2 * i + 1] = -0.4 * i;
    }
    bench_need(tess_random_normal(&image, 0, 0.2, 1, NULL));
    bench_need(tess_bfactor_image(&image, &image, 40, 1, NULL));
    bench_need(tess_random_normal(&m->frames, 0, 1, 2, NULL));
    bench_need(tess_broadcast(&spectrum, &image, full));
    bench_need(tess_phase_shift_image(&moved, &spectrum, &shifts, NULL));
    bench_need(tess_add(&m->frames, &m->frames, &moved));
    bench_need(tess_fft_r2c(&m->spectra, &m->frames, NULL));
    bench_need(tess_fft_resize(&m->cropped, &m->spectra, full, small, NULL));
    bench_need(tess_arange(&m->doses, TESS_SHAPE(FRAMES, 1, 1, 1), TESS_F64, tess_cpu(), 1, 1));
    bench_need(tess_arange(&m->times, TESS_SHAPE(1, 1, 1, FRAMES), TESS_F64, tess_cpu(), 0, 1));
    bench_need(tess_full(&m->coefficients, TESS_SHAPE(2, 1, 1, 18), TESS_F64, tess_cpu(), 1e-3));
    tess_release(&image);
    tess_release(&shifts);
    tess_release(&moved);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        bench_fn   *run;
    } works[] = { { "align_frames", run_align },
                  { "add_frames", run_sum },
                  { "add_frames_weighted", run_weighted },
                  { "motion_warp", run_warp } };
    movie m = { .frames = { .data = NULL } };
    names = argv + 1;
    n_names = argc - 1;
    if (n_names && strcmp(names[0], "--quick") == 0) rounds = 2, names++, n_names--;
    make(&m);
    bench_need(tess_threads_set(2));
    run_align(&m);
    for (size_t k = 0; k < sizeof works / sizeof *works; k++)
        if (wanted(works[k].name))
            bench_report(works[k].name, "f32", 2, bench_compare(works[k].run, &m, run_transforms, &m, rounds, 0.01));
    tess_array *all[] = { &m.frames, &m.spectra,  &m.cropped, &m.shifts,       &m.doses,
                          &m.sum,    &m.weighted, &m.warped,  &m.coefficients, &m.times };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tess_release(all[k]);
    return 0;
}
