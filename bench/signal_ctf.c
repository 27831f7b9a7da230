/* Fits of the CTF beside averaging the power spectrum that they need.
 *
 * One JSON line each. `--quick` takes fewer rounds; other arguments are names of works to run.
 */
#include "bench.h"
#include "tessera/signal.h"

enum { SIZE = 4096, PATCH = 512 };

static int    rounds = 5;
static int    n_names;
static char **names;

static bool wanted(const char *name) { return bench_wanted(name, names, n_names); }

typedef struct micrograph {
    tess_array        image, power, fits, scores, found;
    tess_ctf          known;
    tess_ctf_fit_opts opts;
} micrograph;

static void run_power(void *context)
{
    micrograph                   *m = context;
    const tess_average_power_opts opts = { .window = TESS_POWER_WINDOW_HANN };
    bench_need(tess_average_power(&m->power, &m->image, TESS_SHAPE(1, 1, PATCH, PATCH), &opts));
}

static void run_fit(void *context)
{
    micrograph *m = context;
    bench_need(
        tess_ctf_fit(&m->fits, &m->scores, &m->found, &m->power, TESS_SHAPE(1, 1, PATCH, PATCH), &m->known, &m->opts));
}

/* White structure behind a CTF, and as much noise. */
static void make(micrograph *m, double pixel)
{
    const tess_shape shape = TESS_SHAPE(1, 1, SIZE, SIZE);
    tess_array       noise = { 0 }, spectrum = { 0 };
    tess_ctf         ctf = { .pixel_size = { pixel }, .voltage = 300, .amplitude = 0.07, .cs = 2.7 };
    m->known = ctf;
    tess_ctf_set_defoci(&ctf, 1.7, 1.5, 0.4);
    bench_need(tess_empty(&m->image, shape, TESS_F32, tess_cpu()));
    bench_need(tess_empty(&noise, shape, TESS_F32, tess_cpu()));
    bench_need(tess_random_normal(&m->image, 0, 1, 1, NULL));
    bench_need(tess_random_normal(&noise, 0, 1, 2, NULL));
    bench_need(tess_fft_r2c(&spectrum, &m->image, NULL));
    bench_need(tess_ctf_apply(&spectrum, &spectrum, shape, &ctf, NULL));
    bench_need(tess_fft_c2r(&m->image, &spectrum, shape, NULL));
    bench_need(tess_add(&m->image, &m->image, &noise));
    tess_release(&noise);
    tess_release(&spectrum);
}

static void bench_fit(const char *name, double pixel, double max_phase_shift, int threads)
{
    micrograph m = { .opts = { .max_phase_shift = max_phase_shift } };
    if (!wanted(name)) return;
    make(&m, pixel);
    bench_need(tess_threads_set(threads));
    run_power(&m);
    run_fit(&m);
    bench_report(name, "f32", threads, bench_compare(run_fit, &m, run_power, &m, rounds, 0.01));
    tess_release(&m.image);
    tess_release(&m.power);
    tess_release(&m.fits);
    tess_release(&m.scores);
    tess_release(&m.found);
}

int main(int argc, char **argv)
{
    names = argv + 1;
    n_names = argc - 1;
    if (n_names && strcmp(names[0], "--quick") == 0) rounds = 2, names++, n_names--;
    for (int threads = 1; threads <= 2; threads++) {
        bench_fit("CTF fit of a 4096 x 4096 micrograph, 1 angstrom, 512 x 512, beside its power spectrum", 1, 0,
                  threads);
        bench_fit("CTF fit of a 4096 x 4096 micrograph, 2 angstrom, 512 x 512, beside its power spectrum", 2, 0,
                  threads);
        bench_fit("CTF and phase shift of a 4096 x 4096 micrograph, 1 angstrom, 512 x 512, beside its power spectrum",
                  1, 3, threads);
    }
    return 0;
}
