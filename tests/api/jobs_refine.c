/* Refinement on arrays in memory: orientations of a known structure, one iteration beside plain loops and the
 * reconstruction, what is rejected, progress, cancellation and memory. */
#include <math.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"
#include "tessera/random.h"

#define PI 3.14159265358979323846

enum { BOX = 24, N = 60 };

/* ---- A structure of Gaussian balls, whose projections are known ---- */

static const double balls[][4] = { { 5, 0, -3, 1 },  { -4, 3, 0, 0.7 }, { 0, -5, 4, 1.3 },
                                   { 2, 4, 5, 0.8 }, { -3, -4, -4, 1 }, { 1, 1, 1, 0.6 } }; /* x, y, z, height */
enum { N_BALLS = sizeof balls / sizeof *balls };

/* The structure in a box of side n, whose pixels are `size` of those of images. */
static tess_array structure(int n, double size)
{
    tess_array a = constant(TESS_F32, 1, n, n, n, 0);
    for (int i = 0; i < n * n * n; i++)
        for (int k = 0; k < N_BALLS; k++) {
            const double x = size * (i % n - n / 2) - balls[k][0], y = size * (i / n % n - n / 2) - balls[k][1];
            const double z = size * (i / n / n - n / 2) - balls[k][2];
            ((float *)a.data)[i] += (float)(balls[k][3] * exp(-(x * x + y * y + z * z) / 4.5));
        }
    return a;
}

/* x and y of a ball in the image, which the rotation takes to the map: the first two rows of the inverse. */
static void ball_in_image(double *x, double *y, const double *q, const double *p)
{
    const double a = q[2], b = q[1], c = q[0], w = q[3];
    *x = (1 - 2 * (b * b + c * c)) * p[0] + 2 * (a * b + c * w) * p[1] + 2 * (a * c - b * w) * p[2];
    *y = 2 * (a * b - c * w) * p[0] + (1 - 2 * (a * a + c * c)) * p[1] + 2 * (b * c + a * w) * p[2];
}

/* Images with their true poses, and poses that are a little off. */
typedef struct particles {
    tess_array  images, rotations, shifts, near_rotations, near_shifts, reference;
    tess_source in, map;
} particles;

static const tess_meta meta = { .pixel_size = { 2, 2, 2 } };

static void draw(particles *p, int i)
{
    const double *q = (double *)p->rotations.data + 4 * i, *shift = (double *)p->shifts.data + 2 * i;
    for (int k = 0; k < N_BALLS; k++) {
        double x, y;
        ball_in_image(&x, &y, q, balls[k]);
        for (int m = 0; m < BOX * BOX; m++) {
            const double dx = m % BOX - BOX / 2 - x + shift[1], dy = m / BOX - BOX / 2 - y + shift[0];
            ((float *)p->images.data)[i * BOX * BOX + m] +=
                (float)(balls[k][3] * 1.5 * sqrt(2 * PI) * exp(-(dx * dx + dy * dy) / 4.5));
        }
    }
}

static particles make_particles(void)
{
    particles p = { .images = constant(TESS_F32, N, 1, BOX, BOX, 0), .reference = structure(BOX, 1) };
    CHECK_OK(tess_empty(&p.rotations, TESS_SHAPE(N, 1, 1, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_quat_random(&p.rotations, 11, NULL));
    CHECK_OK(tess_empty(&p.shifts, TESS_SHAPE(N, 1, 1, 2), TESS_F64, tess_cpu()));
    for (int i = 0; i < N; i++) {
        ((double *)p.shifts.data)[2 * i] = sin(i);
        ((double *)p.shifts.data)[2 * i + 1] = 2 * cos(i);
        draw(&p, i);
    }
    CHECK_OK(tess_copy(&p.near_rotations, &p.rotations));
    CHECK_OK(tess_copy(&p.near_shifts, &p.shifts));
    for (int i = 0; i < N; i++) {
        double *q = (double *)p.near_rotations.data + 4 * i, norm = 0;
        for (int k = 0; k < 4; k++) q[k] += 0.03 * cos(7 * i + k), norm += q[k] * q[k];
        for (int k = 0; k < 4; k++) q[k] /= sqrt(norm);
        ((double *)p.near_shifts.data)[2 * i] += 0.4;
    }
    CHECK_OK(tess_source_array(&p.in, &p.images, "the images", &meta));
    CHECK_OK(tess_source_array(&p.map, &p.reference, "the map", &meta));
    return p;
}

/* A source of an array that does not move, as those of p may have when it was copied. */
static tess_source source_of(const tess_array *array, const tess_meta *known)
{
    tess_source source = { 0 };
    CHECK_OK(tess_source_array(&source, array, "the array", known));
    return source;
}

static void take_sources(particles *p)
{
    p->in = source_of(&p->images, &meta);
    p->map = source_of(&p->reference, &meta);
}

static void release_particles(particles *p)
{
    tess_array *const all[] = { &p->images,         &p->rotations,   &p->shifts,
                                &p->near_rotations, &p->near_shifts, &p->reference };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorted angles between rotations, in radians. */
static void angles_between(double *angles, const tess_array *one, const tess_array *other)
{
    const double *p = one->data, *q = other->data;
    for (int i = 0; i < N; i++, p += 4, q += 4)
        angles[i] = 2 * acos(fmin(1, fabs(p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3])));
    qsort(angles, N, sizeof *angles, compare_numbers);
}

static void distances_between(double *distances, const tess_array *one, const tess_array *other)
{
    const double *p = one->data, *q = other->data;
    for (int i = 0; i < N; i++) distances[i] = hypot(p[2 * i] - q[2 * i], p[2 * i + 1] - q[2 * i + 1]);
    qsort(distances, N, sizeof *distances, compare_numbers);
}

/* The correlation of two maps. */
static double likeness(const tess_array *one, const tess_array *other)
{
    double       ab = 0, aa = 0, bb = 0;
    const float *a = one->data, *b = other->data;
    for (int64_t i = 0; i < tess_n_elements(one); i++)
        ab += (double)a[i] * b[i], aa += (double)a[i] * a[i], bb += (double)b[i] * b[i];
    return ab / sqrt(aa * bb);
}

static bool same_results(const tess_refine_result *a, const tess_refine_result *b)
{
    return same_values(&a->map, &b->map) && same_values(&a->half1, &b->half1) && same_values(&a->half2, &b->half2) &&
           same_values(&a->rotations, &b->rotations) && same_values(&a->shifts, &b->shifts) &&
           same_values(&a->scores, &b->scores) && same_values(&a->fsc, &b->fsc) &&
           same_values(&a->history, &b->history) && a->resolution == b->resolution &&
           a->resolution_0_5 == b->resolution_0_5 && a->converged == b->converged;
}

/* ---- What it finds ---- */

/* Of a low-passed map and nothing else, the structure comes back. */
TEST(refinement_finds_orientations)
{
    particles              p = make_particles();
    double                 angles[N], distances[N];
    tess_refine_result     r = { 0 };
    const tess_refine_opts opts = { .cutoff = 0.15, .global_iterations = 2, .iterations = 5, .step = 0.3 };
    take_sources(&p);
    CHECK_OK(tess_refine(&r, &p.in, &p.map, &opts, NULL));
    CHECK_DIMS(r.map.shape, 1, BOX, BOX, BOX);
    CHECK_DIMS(r.half1.shape, 1, BOX, BOX, BOX);
    CHECK_DIMS(r.rotations.shape, N, 1, 1, 4);
    CHECK_DIMS(r.shifts.shape, N, 1, 1, 2);
    CHECK_DIMS(r.scores.shape, N, 1, 1, 1);
    angles_between(angles, &r.rotations, &p.rotations);
    distances_between(distances, &r.shifts, &p.shifts);
    CHECK(angles[N / 2] < 0.06 && distances[N / 2] < 0.3);
    CHECK(likeness(&r.map, &p.reference) > 0.97 && likeness(&r.half2, &p.reference) > 0.95);
    CHECK(r.history.shape.h <= 6 && r.history.shape.w == TESS_REFINED_COLUMNS);
    for (int64_t i = 0; i < r.history.shape.h; i++) {
        CHECK(value_at(&r.history, 0, 0, i, TESS_REFINED_ITERATION) == (double)(i + 1));
        CHECK(value_at(&r.history, 0, 0, i, TESS_REFINED_GLOBAL) == (i < 2));
    }
    CHECK(value_at(&r.history, 0, 0, r.history.shape.h - 1, TESS_REFINED_RESOLUTION) == r.resolution);
    CHECK(r.resolution >= 4 && r.resolution < 10 && r.resolution_0_5 >= r.resolution);
    CHECK(value_at(&r.scores, 3, 0, 0, 0) > 0.9 && value_at(&r.history, 0, 0, 0, TESS_REFINED_VIEWS) > 0.5);
    tess_refine_result_release(&r);
    release_particles(&p);
}

/* The half set of each image, in two shapes and types. */
static void make_halves(tess_array halves[2])
{
    halves[0] = constant(TESS_F64, N, 1, 1, 1, 1);
    halves[1] = constant(TESS_U8, 1, 1, N, 1, 1);
    for (int i = 0; i < N; i++)
        if (i % 3 == 0) ((double *)halves[0].data)[i] = 2, ((uint8_t *)halves[1].data)[i] = 2;
}

/* One iteration about given poses: its half maps are those of a reconstruction, its row by plain sorting. */
TEST(an_iteration_by_plain_steps)
{
    particles               p = make_particles();
    double                  angles[N], distances[N], scores[N];
    tess_array              halves[2];
    tess_refine_result      r = { 0 };
    tess_reconstruct_result made = { 0 };
    make_halves(halves);
    take_sources(&p);
    const tess_refine_opts opts = { .rotations = &p.near_rotations,
                                    .shifts = &p.near_shifts,
                                    .halves = &halves[1],
                                    .cutoff = 0.25,
                                    .iterations = 1,
                                    .global_iterations = TESS_ZERO_INT };
    CHECK_OK(tess_refine(&r, &p.in, &p.map, &opts, NULL));
    CHECK_OK(tess_reconstruct(&made, &p.in, &r.rotations,
                              &(tess_reconstruct_opts){ .shifts = &r.shifts, .halves = &halves[0] }, NULL));
    CHECK(same_values(&r.half1, &made.half1) && same_values(&r.half2, &made.half2) && !r.converged);

    angles_between(angles, &r.rotations, &p.near_rotations);
    distances_between(distances, &r.shifts, &p.near_shifts);
    memcpy(scores, r.scores.data, sizeof scores);
    qsort(scores, N, sizeof *scores, compare_numbers);
    const double *row = r.history.data;
    CHECK(r.history.shape.h == 1 && row[TESS_REFINED_GLOBAL] == 0);
    CHECK(fabs(row[TESS_REFINED_ANGLE_50] - angles[N / 2]) < 1e-6);
    CHECK(fabs(row[TESS_REFINED_ANGLE_90] - angles[N * 9 / 10]) < 1e-6);
    CHECK(row[TESS_REFINED_SHIFT_50] == distances[N / 2] && row[TESS_REFINED_SHIFT_90] == distances[N * 9 / 10]);
    CHECK(row[TESS_REFINED_SCORE_10] == scores[N / 10] && row[TESS_REFINED_SCORE_50] == scores[N / 2] &&
          row[TESS_REFINED_SCORE_90] == scores[N * 9 / 10]);

    double before[N];
    angles_between(before, &p.near_rotations, &p.rotations);
    angles_between(angles, &r.rotations, &p.rotations);
    distances_between(distances, &r.shifts, &p.shifts);
    CHECK(angles[N / 2] < 0.5 * before[N / 2] && distances[N / 2] < 0.2);
    tess_refine_result_release(&r);
    tess_reconstruct_result_release(&made);
    tess_release(&halves[0]);
    tess_release(&halves[1]);
    release_particles(&p);
}

/* The map of both half sets: weighted by sqrt(2 FSC / (1 + FSC)) up to 0.143, and under the sphere. */
TEST(the_map_is_weighted_by_its_fsc)
{
    particles    p = make_particles();
    const double diameter = 20;
    tess_array   masked[2] = { { .data = NULL } }, spectra[2] = { { .data = NULL } }, fsc = { 0 }, at = { 0 },
               whole = { 0 };
    tess_refine_result      r = { 0 };
    tess_reconstruct_result made = { 0 };
    take_sources(&p);
    const tess_refine_opts opts = { .rotations = &p.near_rotations,
                                    .cutoff = 0.25,
                                    .iterations = 1,
                                    .global_iterations = TESS_ZERO_INT,
                                    .diameter = diameter };
    CHECK_OK(tess_refine(&r, &p.in, &p.map, &opts, NULL));
    const tess_taper_radial_opts edge = { .width = 5 };
    const tess_array *const      halves[2] = { &r.half1, &r.half2 };
    for (int k = 0; k < 2; k++) {
        CHECK_OK(tess_taper_radial(&masked[k], halves[k], diameter / 2, &edge));
        CHECK_OK(tess_fft_r2c(&spectra[k], &masked[k], NULL));
    }
    CHECK_OK(tess_fsc(&fsc, &spectra[0], &spectra[1], masked[0].shape, &(tess_fsc_opts){ .nearest = 1 }));
    CHECK_OK(tess_fsc_resolution(&at, &fsc, masked[0].shape, NULL));
    CHECK(same_values(&fsc, &r.fsc) && r.resolution == 2 / *(double *)at.data);

    CHECK_OK(tess_reconstruct(&made, &p.in, &r.rotations, &(tess_reconstruct_opts){ .shifts = &r.shifts }, NULL));
    CHECK_OK(tess_fft_r2c(&spectra[0], &made.map, NULL));
    for (int64_t k = 0; k < fsc.shape.w; k++) {
        double      *value = (double *)fsc.data + k;
        const double f = k == 0 ? 1 : fmax(*value, 0);
        *value = (double)k <= *(double *)at.data * BOX ? sqrt(2 * f / (1 + f)) : 0;
    }
    CHECK_OK(tess_filter_curve(&spectra[0], &spectra[0], made.map.shape, &fsc, NULL));
    CHECK_OK(tess_fft_c2r(&whole, &spectra[0], made.map.shape, NULL));
    CHECK_OK(tess_taper_radial(&whole, &whole, diameter / 2, &edge));
    CHECK(likeness(&r.map, &whole) > 1 - 1e-9);
    for (int k = 0; k < 2; k++) tess_release(&masked[k]), tess_release(&spectra[k]);
    tess_release(&fsc);
    tess_release(&at);
    tess_release(&whole);
    tess_refine_result_release(&r);
    tess_reconstruct_result_release(&made);
    release_particles(&p);
}

/* Symmetry is in the maps; what moved is measured to the nearest equal orientation. */
TEST(refinement_with_symmetry)
{
    particles              p = make_particles();
    tess_refine_result     r = { 0 };
    const tess_refine_opts opts = { .cutoff = 0.15, .iterations = 1, .step = 0.5, .sym = "C2" };
    take_sources(&p);
    CHECK_OK(tess_refine(&r, &p.in, &p.map, &opts, NULL));
    const float *map = r.half1.data;
    double       worst = 0, most = 0;
    for (int z = 1; z < BOX; z++)
        for (int y = 1; y < BOX; y++)
            for (int x = 1; x < BOX; x++) {
                const double one = map[(z * BOX + y) * BOX + x], other = map[(z * BOX + BOX - y) * BOX + BOX - x];
                worst = fmax(worst, fabs(one - other)), most = fmax(most, fabs(one));
            }
    CHECK(worst < 1e-5 * most);
    tess_refine_result_release(&r);
    release_particles(&p);
}

/* CTFs, with and without beam tilt: of images that have them, orientations are found if they are given. */
TEST(refinement_with_ctfs)
{
    particles  p = make_particles();
    tess_array ctfs[2], images[2] = { { .data = NULL } };
    double     angles[2][N];
    take_sources(&p);
    for (int k = 0; k < 2; k++) {
        const int64_t columns = k ? TESS_CTF_COLUMNS : 11;
        ctfs[k] = constant(TESS_F64, N, 1, 1, columns, 0);
        for (int i = 0; i < N; i++) {
            tess_ctf ctf = { .pixel_size = { 2, 2 }, .defocus = 0.5 + 0.01 * i, .voltage = 300, .cs = 2.7, .scale = 1 };
            ctf.amplitude = 0.1, ctf.tilt[0] = k ? 4 : 0, ctf.tilt[1] = k ? -3 : 0;
            memcpy((double *)ctfs[k].data + i * columns, &ctf, (size_t)columns * sizeof(double));
        }
        CHECK_OK(tess_ctf_apply_image(&images[k], &p.images, NULL, &(tess_ctf_opts){ .parameters = &ctfs[k] }));
        const tess_source      in = source_of(&images[k], &meta);
        const tess_refine_opts opts = { .rotations = &p.near_rotations,
                                        .shifts = &p.near_shifts,
                                        .ctfs = &ctfs[k],
                                        .cutoff = 0.25,
                                        .iterations = 1,
                                        .global_iterations = TESS_ZERO_INT };
        tess_refine_result     r = { 0 };
        CHECK_OK(tess_refine(&r, &in, &p.map, &opts, NULL));
        angles_between(angles[k], &r.rotations, &p.rotations);
        CHECK(angles[k][N / 2] < 0.02);
        tess_refine_result_release(&r);
        tess_release(&images[k]);
        tess_release(&ctfs[k]);
    }
    release_particles(&p);
}

/* A reference of other pixels, by its metadata or by the option. */
TEST(references_are_rescaled)
{
    particles          p = make_particles();
    tess_array         coarse = structure(18, 1.5), fine = { 0 };
    const tess_meta    known = { .pixel_size = { 3, 3, 3 } }, oblong = { .pixel_size = { 3, 3, 4 } };
    const tess_source  by_meta = source_of(&coarse, &known), bare = source_of(&coarse, NULL);
    const tess_source  uneven = source_of(&coarse, &oblong);
    tess_refine_result r = { 0 }, again = { 0 };
    double             angles[N];
    take_sources(&p);
    tess_refine_opts opts = { .rotations = &p.near_rotations,
                              .shifts = &p.near_shifts,
                              .cutoff = 0.25,
                              .iterations = 1,
                              .global_iterations = TESS_ZERO_INT };
    CHECK_OK(tess_refine(&r, &p.in, &by_meta, &opts, NULL));
    CHECK_FAILS(tess_refine(&again, &p.in, &bare, &opts, NULL), TESS_ESHAPE, "reference the array has 18 x 18 x 18",
                "must have 24");
    CHECK_FAILS(tess_refine(&again, &p.in, &uneven, &opts, NULL), TESS_EUNSUPPORTED, "3 x 3 A", "cubic pixels");
    opts.reference_pixel_size = 3;
    CHECK_OK(tess_refine(&again, &p.in, &bare, &opts, NULL));
    CHECK(same_results(&r, &again));
    angles_between(angles, &r.rotations, &p.rotations);
    CHECK(angles[N / 2] < 0.02);
    tess_refine_result_release(&again);
    opts.reference_pixel_size = 65;
    CHECK_FAILS(tess_refine(&again, &p.in, &bare, &opts, NULL), TESS_ERANGE, "at most a factor of 32");
    tess_refine_result_release(&r);
    tess_release(&coarse);
    tess_release(&fine);
    release_particles(&p);
}

/* ---- The same bits ---- */

TEST(refinement_gives_the_same_bits)
{
    particles          p = make_particles();
    tess_source        file = { 0 }, map = { 0 };
    tess_array         halves = constant(TESS_I32, 1, 1, N, 1, 1), around = { 0 };
    const tess_context little = { .memory = 24 << 20, .slab = 1 }, some = { .slab = 7 * BOX * BOX * 4 };
    tess_refine_result r[5] = { { .converged = 0 } };
    tess_refine_opts   opts = { .cutoff = 0.15, .iterations = 2, .global_iterations = 1, .step = 0.5, .pixel_size = 2 };
    take_sources(&p);
    for (int i = 1; i < N; i += 2) ((int32_t *)halves.data)[i] = 2;
    CHECK_OK(tess_write(in_folder("images.npy"), &p.images, NULL));
    CHECK_OK(tess_write(in_folder("map.npy"), &p.reference, NULL));
    CHECK_OK(tess_source_open(&file, in_folder("images.npy"), NULL));
    CHECK_OK(tess_source_open(&map, in_folder("map.npy"), NULL));
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(tess_refine(&r[0], &p.in, &p.map, &opts, NULL));
    CHECK_OK(tess_threads_set(2));
    CHECK_OK(tess_refine(&r[1], &p.in, &p.map, &opts, &little));
    CHECK_OK(tess_refine(&r[2], &file, &map, &opts, &some));
    opts.halves = &halves;
    CHECK_OK(tess_refine(&r[3], &p.in, &p.map, &opts, NULL));
    CHECK_OK(tess_empty(&around, TESS_SHAPE(1, N, BOX, BOX), TESS_F64, tess_cpu()));
    for (int i = 0; i < N * BOX * BOX; i++) ((double *)around.data)[i] = ((float *)p.images.data)[i];
    const tess_source other = source_of(&around, NULL);
    CHECK_OK(tess_refine(&r[4], &other, &p.map, &opts, NULL));
    CHECK_OK(tess_threads_set(0));
    for (int k = 1; k < 5; k++) CHECK(same_results(&r[0], &r[k]));
    for (int k = 0; k < 5; k++) tess_refine_result_release(&r[k]);
    tess_source_close(&file);
    tess_source_close(&map);
    tess_release(&halves);
    tess_release(&around);
    release_particles(&p);
}

/* ---- Bad inputs ---- */

#define REFINE(...) tess_refine(&r, &p.in, &p.map, &(tess_refine_opts){ __VA_ARGS__ }, NULL)

TEST(refinement_rejects_bad_sources)
{
    particles          p = make_particles();
    tess_array         oblong = constant(TESS_F32, 2, 1, 8, 10, 0), small = constant(TESS_F32, 2, 1, 7, 7, 0);
    tess_array         complex = constant(TESS_C32, 2, 1, 8, 8, 0), none = constant(TESS_F32, 0, 1, 8, 8, 0);
    const tess_source  zeroed = { 0 }, side = source_of(&oblong, NULL), little = source_of(&small, NULL);
    const tess_source  wrong = source_of(&complex, NULL), empty = source_of(&none, &meta);
    tess_refine_result r = { 0 };
    take_sources(&p);
    CHECK_FAILS(tess_refine(NULL, &p.in, &p.map, NULL, NULL), TESS_EARG, "refine: result is NULL");
    CHECK_FAILS(tess_refine(&r, NULL, &p.map, NULL, NULL), TESS_EARG, "refine: images is NULL");
    CHECK_FAILS(tess_refine(&r, &p.in, NULL, NULL, NULL), TESS_EARG, "refine: reference is NULL");
    CHECK_FAILS(tess_refine(&r, &zeroed, &p.map, NULL, NULL), TESS_EARG, "images is a zeroed source");
    CHECK_FAILS(tess_refine(&r, &p.in, &zeroed, NULL, NULL), TESS_EARG, "reference is a zeroed source");
    CHECK_FAILS(tess_refine(&r, &side, &p.map, NULL, NULL), TESS_ESHAPE, "10 x 8; square images of at least 8");
    CHECK_FAILS(tess_refine(&r, &little, &p.map, NULL, NULL), TESS_ESHAPE, "7 x 7; square images of at least 8");
    CHECK_FAILS(tess_refine(&r, &wrong, &p.map, NULL, NULL), TESS_EDTYPE, "complex numbers");
    CHECK_FAILS(tess_refine(&r, &p.in, &wrong, NULL, NULL), TESS_EDTYPE, "complex numbers");
    CHECK_FAILS(tess_refine(&r, &empty, &p.map, NULL, NULL), TESS_ESHAPE, "has no images");
    CHECK_FAILS(tess_refine(&r, &p.in, &p.in, NULL, NULL), TESS_ESHAPE, "reference the array has 24 x 24 x 1 voxels");
    CHECK_OK(tess_set_f64(&p.reference, 0, 1, 2, 3, (double)NAN));
    CHECK_FAILS(REFINE(.iterations = 1), TESS_EARG, "refine: the array has 1 NaN and 0 infinite pixels");
    CHECK_OK(tess_set_f64(&p.reference, 0, 1, 2, 3, 0));
    CHECK_OK(tess_set_f64(&p.images, 5, 0, 2, 3, INFINITY));
    CHECK_FAILS(REFINE(.iterations = 1), TESS_ERANGE, "the image in row 5 of the array has NaNs");
    r.converged = 1;
    CHECK_FAILS(REFINE(.iterations = 1), TESS_EARG, "refine: result is not zeroed");
    tess_refine_result_release(NULL);
    tess_release(&oblong);
    tess_release(&small);
    tess_release(&complex);
    tess_release(&none);
    release_particles(&p);
}

TEST(refinement_rejects_bad_options)
{
    particles          p = make_particles();
    tess_array         ones = constant(TESS_F32, N, 1, 1, 1, 1), three;
    tess_refine_result r = { 0 };
    take_sources(&p);
    CHECK_OK(tess_slice(&three, &p.rotations, 3, 0, 3, 1));
    CHECK_FAILS(REFINE(.iterations = TESS_ZERO_INT), TESS_ERANGE, "opts->iterations is 0");
    CHECK_FAILS(REFINE(.iterations = 1001), TESS_ERANGE, "opts->iterations is 1001");
    CHECK_FAILS(REFINE(.global_iterations = -1), TESS_ERANGE, "opts->global_iterations is -1");
    CHECK_FAILS(REFINE(.global_iterations = TESS_ZERO_INT), TESS_EARG, "requires opts->rotations");
    CHECK_FAILS(REFINE(.step = 0.01), TESS_ERANGE, "opts->step is 0.01");
    CHECK_FAILS(REFINE(.step = 2), TESS_ERANGE, "opts->step is 2");
    CHECK_FAILS(REFINE(.shift_range = 51), TESS_ERANGE, "opts->shift_range is 51");
    CHECK_FAILS(REFINE(.diameter = 3), TESS_ERANGE, "opts->diameter is 3 pixels; 4 to 24, the box size");
    CHECK_FAILS(REFINE(.diameter = 25), TESS_ERANGE, "opts->diameter is 25 pixels; 4 to 24, the box size");
    CHECK_FAILS(REFINE(.cutoff = -0.1), TESS_ERANGE, "opts->cutoff is -0.1");
    CHECK_FAILS(REFINE(.sym = "Q7"), TESS_EPARSE, "Q7");
    CHECK_FAILS(REFINE(.rotations = &three), TESS_ESHAPE, "opts->rotations has the shape {60,1,1,3}");
    CHECK_FAILS(REFINE(.shifts = &ones), TESS_ESHAPE, "opts->shifts has the shape {60,1,1,1}");
    CHECK_FAILS(REFINE(.ctfs = &ones), TESS_ESHAPE, "opts->ctfs has the shape {60,1,1,1}");
    CHECK_FAILS(REFINE(.halves = &ones), TESS_EARG, "the array: no row belongs to half set 2");
    CHECK_OK(tess_set_f64(&ones, 4, 0, 0, 0, 3));
    CHECK_FAILS(REFINE(.halves = &ones), TESS_ERANGE, "row 4 of opts->halves is 3; 1 or 2");
    CHECK_FAILS(REFINE(.reserved = { 1 }), TESS_EARG, "opts->reserved");
    CHECK_FAILS(tess_refine(&r, &p.in, &p.map, NULL, &(tess_context){ .memory = 1 << 18 }), TESS_ENOMEM,
                "context->memory");
    p.in = source_of(&p.images, NULL);
    CHECK_FAILS(REFINE(.iterations = 1), TESS_EARG, "pixel size of the array is not known", "opts->cutoff");
    CHECK(!r.map.data && !r.history.data);
    tess_release(&ones);
    release_particles(&p);
}

/* ---- Progress and cancellation ---- */

typedef struct watch {
    int     calls, cancel_at;
    int     wrong; /* reports out of order */
    int64_t done;
} watch;

static int32_t count_reports(void *user, const tess_progress *p)
{
    watch *w = user;
    if (p->done < 0 || p->done > p->total || (p->done < w->done && p->done != 0) || !p->stage) w->wrong++;
    w->done = p->done;
    return ++w->calls == w->cancel_at;
}

static hooks     h;
static particles few; /* four images of 8 x 8 */

static tess_status refine_few(const tess_context *context)
{
    const tess_source      in = source_of(&few.images, &meta), map = source_of(&few.reference, &meta);
    const tess_refine_opts opts = { .cutoff = 0.3, .iterations = 2, .global_iterations = 1, .step = 1, .diameter = 7 };
    tess_refine_result     r = { 0 };
    const tess_status      status = tess_refine(&r, &in, &map, &opts, context);
    if (status != TESS_OK) CHECK(!r.map.data && !r.rotations.data && !r.history.data);
    tess_refine_result_release(&r);
    return status;
}

static tess_status refine_few_alone(void) { return refine_few(NULL); }

static void make_few(void)
{
    few.images = constant(TESS_F32, 4, 1, 8, 8, 0);
    CHECK_OK(tess_random_normal(&few.images, 0, 1, 3, NULL));
    few.reference = structure(8, 2);
}

TEST(refinement_is_cancelled_at_every_report)
{
    watch        w = { .calls = 0 };
    tess_context context = { .progress = count_reports, .user = &w, .slab = 1 };
    make_few();
    CHECK_OK(refine_few(&context));
    const int reports = w.calls;
    CHECK(reports >= 2 * (1 + 4 + 3) && w.wrong == 0);
    hooks_on(&h);
    for (int at = 1; at <= reports; at++) {
        w = (watch){ .cancel_at = at };
        CHECK_FAILS(refine_few(&context), TESS_ECANCELLED, "refine: cancelled after");
        CHECK_I64(w.calls, at);
        CHECK_I64(atomic_load(&h.live), 0);
    }
    hooks_off();
    release_particles(&few);
}

TEST(every_allocation_fails_in_turn)
{
    make_few();
    hooks_each_fails(&h, refine_few_alone, 50);
    release_particles(&few);
}
