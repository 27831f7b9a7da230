/* Jobs on arrays in memory, from a movie to particles, without a file: motion correction, CTF estimation, picking, and
 * extraction. The movie is simulated: dark blobs and ice behind a CTF, which drift, and noise in each frame. The
 * program fails if drift, defocus or particles are not recovered. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

enum { FRAMES = 8, SIZE = 512, GRID = 4, PARTICLES = GRID * GRID, BOX = 64 };
#define PIXEL    1.5  /* Å */
#define DIAMETER 45.0 /* Å, of a particle */

static const tess_ctf truth = { .pixel_size = { PIXEL, PIXEL },
                                .defocus = 1.5,
                                .astigmatism = 0.06,
                                .angle = 0.5,
                                .voltage = 300,
                                .amplitude = 0.1,
                                .cs = 2.7 };

/* ---- The movie ---- */

/* Pixels, along h (0) and w (1). */
static double drift_of(int frame, int axis) { return (axis ? -2.5 : 4) * (1 - exp(-frame / 3.0)); }

/* Particles lie near the points of a grid. */
static double place_of(int particle, int axis)
{
    const int cell = axis ? particle % GRID : particle / GRID;
    return (cell + 0.5) * SIZE / GRID + 14 * sin(7.0 * particle + 2 * axis);
}

/* White ice and dark blobs. */
static tess_status draw_specimen(tess_array *specimen)
{
    tess_array places = { 0 };
    TESS_TRY(tess_empty(&places, TESS_SHAPE(1, PARTICLES, 1, 2), TESS_F64, tess_cpu()));
    for (int i = 0; i < PARTICLES; i++)
        for (int axis = 0; axis < 2; axis++) TESS_AT(double, places, 0, i, 0, axis) = place_of(i, axis);
    const tess_draw_opts dark = { .centres = &places, .value = -4, .width = DIAMETER / PIXEL / 2, .op = TESS_DRAW_ADD };
    TESS_TRY(tess_empty(specimen, TESS_SHAPE(1, 1, SIZE, SIZE), TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(specimen, 0, 1, 1, NULL));
    TESS_TRY(tess_draw_sphere(specimen, specimen, &tess_f64(1), &dark));
    tess_release(&places);
    return TESS_OK;
}

/* One specimen behind the CTF, moved from frame to frame, and noise of the same strength in each. */
static tess_status simulate(tess_array *movie)
{
    const tess_shape shape = TESS_SHAPE(FRAMES, 1, SIZE, SIZE);
    tess_array       specimen = { 0 }, still, drift = { 0 }, moved = { 0 };
    TESS_TRY(draw_specimen(&specimen));
    TESS_TRY(tess_ctf_apply_image(&specimen, &specimen, &truth, NULL));
    TESS_TRY(tess_empty(&drift, TESS_SHAPE(FRAMES, 1, 1, 2), TESS_F64, tess_cpu()));
    for (int i = 0; i < FRAMES; i++)
        for (int axis = 0; axis < 2; axis++) TESS_AT(double, drift, i, 0, 0, axis) = drift_of(i, axis);
    TESS_TRY(tess_broadcast(&still, &specimen, shape));
    TESS_TRY(tess_phase_shift_image(&moved, &still, &drift, NULL));
    TESS_TRY(tess_empty(movie, shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(movie, 10, 1, 2, NULL));
    TESS_TRY(tess_add(movie, movie, &moved));
    tess_release(&specimen);
    tess_release(&drift);
    tess_release(&moved);
    return TESS_OK;
}

/* ---- Errors of the results ---- */

/* Pixels rms; shifts move frames back onto the first one. */
static double drift_error(const tess_array *shifts)
{
    double squares = 0;
    for (int i = 0; i < FRAMES; i++)
        squares += pow(TESS_AT(double, *shifts, 0, 0, i, 2) + drift_of(i, 0), 2) +
                   pow(TESS_AT(double, *shifts, 0, 0, i, 1) + drift_of(i, 1), 2);
    return sqrt(squares / (2 * FRAMES));
}

/* Particles that were found within 2 pixels. */
static int count_found(const tess_array *picked)
{
    int n = 0;
    for (int i = 0; i < PARTICLES; i++) {
        double nearest = INFINITY;
        for (int64_t k = 0; k < picked->shape.h; k++)
            nearest = fmin(nearest, hypot(TESS_AT(double, *picked, 0, 0, k, TESS_PICK_X) - place_of(i, 1),
                                          TESS_AT(double, *picked, 0, 0, k, TESS_PICK_Y) - place_of(i, 0)));
        n += nearest < 2;
    }
    return n;
}

/* ---- The jobs ---- */

/* The defocus, µm, of the sum of a movie: rings of the CTF go beyond what the exposure has left of the specimen. */
static tess_status fit(double *defocus, const tess_array *sum, const tess_meta *meta)
{
    const tess_fit_ctf_opts opts = { .tile = 256, .max_defocus = 3, .voltage = truth.voltage, .cs = truth.cs };
    tess_fit_ctf_result     r = { 0 };
    tess_source             source;
    TESS_TRY(tess_source_array(&source, sum, "sum", meta));
    TESS_TRY(tess_fit_ctf(&r, &source, &opts, NULL));
    *defocus = ((const tess_ctf *)r.fits.data)->defocus;
    tess_fit_ctf_result_release(&r);
    return TESS_OK;
}

/* Boxes around particles, bright on dark, whose background has mean 0 and standard deviation 1. */
static tess_status find_particles(int *n_found, tess_array *boxes, const tess_array *micrograph, const tess_meta *meta)
{
    const tess_pick_opts              pick = { .diameter = DIAMETER / PIXEL, .threshold = 2 };
    const tess_extract_particles_opts extract = { .bg_radius = 28, .invert = 1 };
    tess_pick_result                  picked = { 0 };
    tess_extract_particles_result     cut = { 0 };
    tess_source                       source;
    TESS_TRY(tess_source_array(&source, micrograph, "micrograph", meta));
    TESS_TRY(tess_pick(&picked, &source, &pick, NULL));
    TESS_TRY(tess_extract_particles(&cut, &source, &picked.particles, BOX, &extract, NULL));
    *n_found = count_found(&picked.particles);
    printf("%lld particles picked, %d of %d found, %lld boxes\n", (long long)picked.particles.shape.h, *n_found,
           PARTICLES, (long long)cut.boxes.shape.b);
    *boxes = cut.boxes; /* which now outlive the result */
    cut.boxes = (tess_array){ 0 };
    tess_pick_result_release(&picked);
    tess_extract_particles_result_release(&cut);
    return TESS_OK;
}

static tess_status run(bool *good)
{
    const tess_meta                meta = { .pixel_size = { PIXEL, PIXEL, PIXEL } };
    const tess_motion_correct_opts opts = { .dose = 1.5 };
    tess_array                     movie = { 0 }, boxes = { 0 }, middles;
    tess_source                    source;
    tess_motion_correct_result     corrected = { 0 };
    double                         defocus, contrast;
    int                            n_found;
    TESS_TRY(simulate(&movie));
    TESS_TRY(tess_source_array(&source, &movie, "movie", &meta));
    TESS_TRY(tess_motion_correct(&corrected, &source, &opts, NULL));
    TESS_TRY(fit(&defocus, &corrected.sum, &meta));
    TESS_TRY(find_particles(&n_found, &boxes, &corrected.weighted, &meta));
    TESS_TRY(tess_subregion_text(&middles, &boxes, "..., 24:40, 24:40"));
    TESS_TRY(tess_host_mean(&contrast, &middles));
    const double off = drift_error(&corrected.shifts);
    printf("drift off by %.3f pixels rms\n", off);
    printf("defocus %.4f um; %.4f um it was\n", defocus, truth.defocus);
    printf("particles are %.2f standard deviations above their background\n", contrast);
    *good = off < 0.1 && fabs(defocus - truth.defocus) < 0.01 && n_found == PARTICLES && contrast > 1;
    tess_motion_correct_result_release(&corrected);
    tess_release(&boxes);
    tess_release(&movie);
    return TESS_OK;
}

int main(void)
{
    bool good = false;
    if (run(&good) != TESS_OK) fputs(tess_error_trace(), stderr);
    return !good;
}
