/* Simulated structures, particles and movies against sums of Gaussians, whose projections are known; what they reject,
 * progress and cancellation. */
#include <math.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"

static const double pi = 3.141592653589793;

enum { BOX = 32, ATOMS = 40 };
static const double sigma = 1.2, apix = 1.5;

/* ---- Maps, contexts and comparisons ---- */

/* A map of atoms, and their positions x, y, z about the pixel n/2. */
static tess_array structure(double atoms[ATOMS][3])
{
    const tess_simulate_atoms_opts opts = { .box = BOX, .atoms = ATOMS, .radius = 9, .sigma = sigma };
    tess_simulate_atoms_result     r = { 0 };
    CHECK_OK(tess_simulate_atoms(&r, &opts, &(tess_context){ .seed = 4 }));
    for (int i = 0; i < 3 * ATOMS; i++) atoms[i / 3][i % 3] = ((const double *)r.positions.data)[i] - BOX / 2;
    tess_array map = r.map;
    tess_release(&r.positions);
    return map;
}

static tess_source source_of(const tess_array *map)
{
    static const tess_meta meta = { .pixel_size = { 1.5, 1.5, 1.5 } };
    tess_source            source = { 0 };
    CHECK_OK(tess_source_array(&source, map, "the map", &meta));
    return source;
}

/* Counts reports, and cancels at one of them (-1: never). */
typedef struct watch {
    int64_t n, cancel_at;
} watch;

static int32_t progress(void *user, const tess_progress *p)
{
    watch *w = user;
    CHECK(p->done >= 0 && p->done <= p->total);
    return w->n++ == w->cancel_at;
}

static tess_context context_of(watch *w) { return (tess_context){ .progress = progress, .user = w, .slab = 1 }; }

static double number(const tess_array *table, int64_t row, int64_t column)
{
    return ((const double *)table->data)[table->shape.w * row + column];
}

/* The largest difference of images, over the largest value of the second. */
static double difference(const float *got, const float *want, int64_t n)
{
    double worst = 0, largest = 0;
    for (int64_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs((double)got[i] - (double)want[i]));
        largest = fmax(largest, fabs((double)want[i]));
    }
    return worst / largest;
}

static double variance(const float *x, int64_t n)
{
    double mean = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) mean += (double)x[i] / (double)n;
    for (int64_t i = 0; i < n; i++) sum += ((double)x[i] - mean) * ((double)x[i] - mean);
    return sum / (double)n;
}

static void cross(double out[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Where a point of the map lies in the image: rotated by the conjugate of a quaternion (z, y, x, w). */
static void to_image(double at[3], const double *q, const double point[3])
{
    const double axis[3] = { -q[2], -q[1], -q[0] };
    double       once[3], twice[3];
    cross(once, axis, point);
    cross(twice, axis, once);
    for (int k = 0; k < 3; k++) at[k] = point[k] + 2 * (q[3] * once[k] + twice[k]);
}

/* Adds the projection of the atoms, whose mean lies at x, y, to an image of these sizes. */
static void add_projection(float *image, int64_t h, int64_t w, double atoms[ATOMS][3], const double *q,
                           const double place[2])
{
    for (int k = 0; k < ATOMS; k++) {
        double at[3];
        to_image(at, q, atoms[k]);
        for (int64_t i = 0; i < h * w; i++) {
            const double dx = (double)(i % w) - place[0] - at[0], dy = (double)(i / w) - place[1] - at[1];
            image[i] += (float)(sqrt(2 * pi) * sigma * exp(-0.5 * (dx * dx + dy * dy) / (sigma * sigma)));
        }
    }
}

/* ---- Structures ---- */

TEST(atoms_are_gaussians)
{
    double     atoms[ATOMS][3], mean[3] = { 0, 0, 0 }, farthest = 0, nearest = 1e9, worst = 0;
    tess_array map = structure(atoms);
    CHECK_DIMS(map.shape, 1, BOX, BOX, BOX);
    CHECK(map.dtype == TESS_F32);
    for (int i = 0; i < ATOMS; i++) {
        for (int k = 0; k < 3; k++) mean[k] += atoms[i][k] / ATOMS;
        farthest = fmax(farthest, hypot(hypot(atoms[i][0], atoms[i][1]), atoms[i][2]));
        for (int j = 0; j < i; j++)
            nearest = fmin(
                nearest, hypot(hypot(atoms[i][0] - atoms[j][0], atoms[i][1] - atoms[j][1]), atoms[i][2] - atoms[j][2]));
    }
    for (int m = 0; m < BOX * BOX * BOX; m++) {
        double sum = 0;
        for (int i = 0; i < ATOMS; i++) {
            const double x = m % BOX - BOX / 2 - atoms[i][0], y = m / BOX % BOX - BOX / 2 - atoms[i][1];
            const double z = m / BOX / BOX - BOX / 2 - atoms[i][2];
            sum += exp(-0.5 * (x * x + y * y + z * z) / (sigma * sigma));
        }
        worst = fmax(worst, fabs(sum - (double)((const float *)map.data)[m]));
    }
    CHECK(worst < 1e-5 && fabs(farthest - 9) < 1e-9 && nearest > 1);
    CHECK(hypot(hypot(mean[0], mean[1]), mean[2]) < 1e-9);
    tess_release(&map);
}

/* The same bits for any number of threads, memory and slab; a sink takes sections, and knows the pixel size. */
TEST(atoms_go_to_sinks)
{
    tess_simulate_atoms_opts   opts = { .box = 20, .atoms = 30, .pixel_size = apix };
    const tess_context         usual = { .seed = 7 }, little = { .seed = 7, .slab = 1, .memory = 1 << 20 };
    tess_simulate_atoms_result r = { 0 }, again = { 0 };
    tess_array                 map = { 0 };
    tess_sink                  sink;
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(tess_simulate_atoms(&r, &opts, &usual));
    CHECK_OK(tess_sink_array(&sink, &map));
    opts.sink = &sink;
    CHECK_OK(tess_threads_set(2));
    CHECK_OK(tess_simulate_atoms(&again, &opts, &little));
    CHECK_OK(tess_threads_set(0));
    CHECK(!again.map.data && same_values(&r.map, &map) && same_values(&r.positions, &again.positions));
    tess_simulate_atoms_result_release(&again);
    CHECK_OK(tess_simulate_atoms(&again, &(tess_simulate_atoms_opts){ .box = 20, .atoms = 30 }, NULL));
    CHECK(!same_values(&again.map, &map)); /* another seed */
    tess_simulate_atoms_result_release(&again);
    tess_simulate_atoms_result_release(&r);
    tess_release(&map);
}

#define ATOMS_OF(...) tess_simulate_atoms(&r, &(tess_simulate_atoms_opts){ __VA_ARGS__ }, NULL)

TEST(atoms_reject_bad_options)
{
    const tess_sink            none = { 0 };
    tess_simulate_atoms_result r = { 0 };
    CHECK_FAILS(tess_simulate_atoms(NULL, NULL, NULL), TESS_EARG, "simulate_atoms: result is NULL");
    CHECK_FAILS(ATOMS_OF(.box = 4), TESS_ERANGE, "opts->box is 4; 8 to 4096");
    CHECK_FAILS(ATOMS_OF(.atoms = -1), TESS_ERANGE, "opts->atoms is -1; 1 to 10000");
    CHECK_FAILS(ATOMS_OF(.box = 20, .radius = 10.5), TESS_ERANGE, "opts->radius is 10.5 pixels", "half the box, 10");
    CHECK_FAILS(ATOMS_OF(.radius = -1), TESS_ERANGE, "opts->radius is -1");
    CHECK_FAILS(ATOMS_OF(.sigma = 0.05), TESS_ERANGE, "opts->sigma is 0.05");
    CHECK_FAILS(ATOMS_OF(.box = 20, .sigma = 21), TESS_ERANGE, "opts->sigma is 21 pixels; 0.1 to 20");
    CHECK_FAILS(ATOMS_OF(.sink = &none), TESS_EARG, "opts->sink is zeroed");
    CHECK_FAILS(tess_simulate_atoms(&r, NULL, &(tess_context){ .memory = 1 << 18 }), TESS_ENOMEM, "opts->sink");
    /* the Gaussians of all atoms along two axes, and the map of 128 KiB */
    CHECK_FAILS(tess_simulate_atoms(&r, &(tess_simulate_atoms_opts){ .box = 32, .atoms = 2000 },
                                    &(tess_context){ .memory = 1 << 20 }),
                TESS_ENOMEM, "context->memory");
    CHECK(!r.map.data && !r.positions.data);
    r.map.data = &r;
    CHECK_FAILS(tess_simulate_atoms(&r, NULL, NULL), TESS_EARG, "result is not zeroed");
    tess_simulate_atoms_result_release(NULL);
}

/* ---- Particles ---- */

enum { VIEWS = 12 };

TEST(particles_are_projections)
{
    double                             atoms[ATOMS][3];
    tess_array                         map = structure(atoms);
    const tess_source                  in = source_of(&map);
    const tess_simulate_particles_opts opts = { .count = VIEWS, .no_noise = 1, .no_ctf = 1, .shift = 2 };
    tess_simulate_particles_result     r = { 0 };
    CHECK_OK(tess_simulate_particles(&r, &in, &opts, &(tess_context){ .seed = 3 }));
    CHECK_DIMS(r.images.shape, VIEWS, 1, BOX, BOX);
    CHECK_DIMS(r.particles.shape, 1, 1, VIEWS, TESS_SIMULATED_COLUMNS);
    CHECK_DIMS(r.rotations.shape, 1, 1, VIEWS, 4);
    CHECK_DIMS(r.shifts.shape, 1, 1, VIEWS, 2);
    CHECK(!r.ctfs.data && r.noise == 0 && r.pixel_size == apix);
    for (int64_t i = 0; i < VIEWS; i++) {
        const double place[2] = { BOX / 2 - number(&r.shifts, i, 1), BOX / 2 - number(&r.shifts, i, 0) };
        float        want[BOX * BOX] = { 0 };
        add_projection(want, BOX, BOX, atoms, (const double *)r.rotations.data + 4 * i, place);
        CHECK(difference((const float *)r.images.data + i * BOX * BOX, want, BOX * BOX) < 0.02);
        CHECK(fabs(number(&r.particles, i, TESS_SIMULATED_ORIGIN_X) - apix * number(&r.shifts, i, 1)) < 1e-9);
        CHECK(number(&r.particles, i, TESS_SIMULATED_HALF) == (double)(1 + i % 2));
        CHECK(number(&r.particles, i, TESS_SIMULATED_MICROGRAPH) == (double)(i * 10 / VIEWS));
    }
    tess_simulate_particles_result_release(&r);
    tess_release(&map);
}

/* Rows that are given are those that come back, and images are what they say. */
TEST(particles_are_as_given)
{
    double            atoms[ATOMS][3];
    const double      turns[2][4] = { { 0.1, -0.3, 0.5, 0 }, { -0.6, 0.2, 0.1, 0.7 } };
    double            quaternions[2][4];
    const double      moves[2][2] = { { 0, 0 }, { 1.5, -2.25 } };
    const tess_ctf    ctf = { .pixel_size = { apix, apix }, .defocus = 1.2, .voltage = 200, .amplitude = 0.1 };
    tess_array        map = structure(atoms), q, shifts, ctfs = { 0 }, want = { 0 }, one;
    const tess_source in = source_of(&map);
    tess_simulate_particles_opts   opts = { .no_noise = 1, .no_ctf = 1, .rotations = &q, .shifts = &shifts };
    tess_simulate_particles_result r = { 0 }, with = { 0 };
    for (int i = 0; i < 8; i++) {
        const double *t = turns[i / 4];
        quaternions[i / 4][i % 4] = t[i % 4] / sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2] + t[3] * t[3]);
    }
    CHECK_OK(tess_wrap(&q, quaternions, TESS_SHAPE(1, 1, 2, 4), TESS_F64, NULL));
    CHECK_OK(tess_wrap(&shifts, (void *)(uintptr_t)moves, TESS_SHAPE(2, 1, 1, 2), TESS_F64, NULL));
    CHECK_OK(tess_zeros(&ctfs, TESS_SHAPE(1, 1, 2, 8), TESS_F64, tess_cpu()));
    for (int i = 0; i < 2; i++) memcpy((double *)ctfs.data + 8 * i, &ctf, 8 * sizeof(double));
    CHECK_OK(tess_simulate_particles(&r, &in, &opts, NULL));
    CHECK(r.images.shape.b == 2 && memcmp(r.rotations.data, quaternions, sizeof quaternions) == 0);
    CHECK(memcmp(r.shifts.data, moves, sizeof moves) == 0 && number(&r.particles, 1, TESS_SIMULATED_ORIGIN_Y) == 2.25);
    for (int i = 0; i < 2; i++) {
        const double place[2] = { BOX / 2 - moves[i][1], BOX / 2 - moves[i][0] };
        float        plain[BOX * BOX] = { 0 };
        add_projection(plain, BOX, BOX, atoms, quaternions[i], place);
        CHECK(difference((const float *)r.images.data + i * BOX * BOX, plain, BOX * BOX) < 0.02);
        const double *turn = quaternions[i], tilt = number(&r.particles, i, TESS_SIMULATED_TILT) * pi / 180;
        CHECK(fabs(cos(tilt) - (1 - 2 * (turn[1] * turn[1] + turn[2] * turn[2]))) < 1e-9);
    }
    opts.no_ctf = 0, opts.ctfs = &ctfs;
    CHECK_OK(tess_simulate_particles(&with, &in, &opts, NULL));
    CHECK_DIMS(with.ctfs.shape, 1, 1, 2, TESS_CTF_COLUMNS);
    CHECK(number(&with.ctfs, 1, 2) == 1.2 && number(&with.ctfs, 1, TESS_CTF_COLUMNS - 1) == 0);
    CHECK_OK(tess_ctf_apply_image(&want, &r.images, &ctf, NULL));
    CHECK_OK(tess_slice(&one, &with.images, 0, 1, 2, 1));
    CHECK(difference(one.data, (const float *)want.data + BOX * BOX, BOX * BOX) < 1e-4);
    tess_simulate_particles_result_release(&r);
    tess_simulate_particles_result_release(&with);
    tess_release(&ctfs);
    tess_release(&want);
    tess_release(&map);
}

/* Noise has the variance that was asked for, and every micrograph a defocus in the range. */
TEST(particles_have_noise_and_ctfs)
{
    double                         atoms[ATOMS][3], sum = 0, clean = 0;
    tess_array                     map = structure(atoms);
    const tess_source              in = source_of(&map);
    tess_simulate_particles_opts   opts = { .count = VIEWS, .micrographs = 3, .snr = 0.5, .min_defocus = TESS_ZERO };
    tess_simulate_particles_result r = { 0 }, still = { 0 };
    CHECK_OK(tess_simulate_particles(&r, &in, &opts, NULL));
    opts.snr = 0, opts.no_noise = 1;
    CHECK_OK(tess_simulate_particles(&still, &in, &opts, NULL));
    CHECK(same_values(&r.ctfs, &still.ctfs) && same_values(&r.particles, &still.particles));
    for (int64_t i = 0; i < VIEWS; i++) {
        const float *a = (const float *)r.images.data + i * BOX * BOX,
                    *b = (const float *)still.images.data + i * BOX * BOX;
        float noise[BOX * BOX];
        for (int k = 0; k < BOX * BOX; k++) noise[k] = a[k] - b[k];
        sum += variance(noise, BOX * BOX) / VIEWS;
        clean += variance(b, BOX * BOX) / VIEWS;
        const tess_ctf *ctf = (const tess_ctf *)r.ctfs.data + i;
        CHECK(ctf->defocus >= 0 && ctf->defocus <= 2 && ctf->astigmatism >= 0 && ctf->astigmatism <= 0.02);
        CHECK(ctf->voltage == 300 && ctf->cs == 2.7 && ctf->amplitude == 0.1 && ctf->pixel_size[1] == apix);
        CHECK((ctf->defocus == ((const tess_ctf *)r.ctfs.data)[0].defocus) == (i < VIEWS / 3));
    }
    CHECK(fabs(sum / (clean / 0.5) - 1) < 0.05 && fabs(r.noise * r.noise / sum - 1) < 0.05);
    tess_simulate_particles_result_release(&r);
    tess_simulate_particles_result_release(&still);
    tess_release(&map);
}

/* Of two maps whose mean is about 0. */
static double correlation(const tess_array *one, const tess_array *other)
{
    const float *a = one->data, *b = other->data;
    double       ab = 0, aa = 0, bb = 0;
    for (int i = 0; i < BOX * BOX * BOX; i++) {
        ab += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    return ab / sqrt(aa * bb);
}

/* The truth is what a reconstruction needs. */
TEST(particles_give_their_map_back)
{
    double                             atoms[ATOMS][3];
    tess_array                         map = structure(atoms);
    const tess_source                  in = source_of(&map);
    const tess_simulate_particles_opts opts = { .count = 400, .snr = 1 };
    tess_simulate_particles_result     r = { 0 };
    tess_reconstruct_result            made = { 0 };
    tess_source                        images = { 0 };
    CHECK_OK(tess_simulate_particles(&r, &in, &opts, NULL));
    CHECK_OK(tess_source_array(&images, &r.images, "images", NULL));
    const tess_reconstruct_opts with = { .shifts = &r.shifts, .ctfs = &r.ctfs, .cutoff = 0.25 };
    CHECK_OK(tess_reconstruct(&made, &images, &r.rotations, &with, NULL));
    CHECK(correlation(&map, &made.map) > 0.85);
    tess_reconstruct_result_release(&made);
    tess_simulate_particles_result_release(&r);
    tess_release(&map);
}

/* Every field of a CTF counts: what it did to the images is undone. */
TEST(maps_come_back_from_images_with_aberrations)
{
    double atoms[ATOMS][3];
    enum { COUNT = 300 };
    tess_array                     map = structure(atoms), ctfs = constant(TESS_F64, COUNT, 1, 1, TESS_CTF_COLUMNS, 0);
    const tess_source              in = source_of(&map);
    tess_simulate_particles_result r = { 0 };
    tess_reconstruct_result        made = { 0 };
    tess_source                    images = { 0 };
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < COUNT; i++)
            ((tess_ctf *)ctfs.data)[i] = (tess_ctf){ .pixel_size = { apix, apix },
                                                     .defocus = 0.3 + 0.001 * i,
                                                     .voltage = 300,
                                                     .amplitude = 0.1,
                                                     .cs = 2.7,
                                                     .tetrafoil = kind == 0 ? 60 : 0,
                                                     .trefoil = kind == 1 ? 25 : 0,
                                                     .tilt = { 0, kind == 2 ? 8 : 0 } };
        CHECK_OK(
            tess_simulate_particles(&r, &in, &(tess_simulate_particles_opts){ .ctfs = &ctfs, .no_noise = 1 }, NULL));
        CHECK_OK(tess_source_array(&images, &r.images, "images", NULL));
        double found[2];
        for (int known = 0; known < 2; known++) {
            tess_array even = r.ctfs;
            if (!known) even.shape.w = 11; /* up to the scale */
            CHECK_OK(tess_reconstruct(&made, &images, &r.rotations,
                                      &(tess_reconstruct_opts){ .shifts = &r.shifts, .ctfs = &even, .pad = 1 }, NULL));
            found[known] = correlation(&map, &made.map);
            tess_reconstruct_result_release(&made);
        }
        CHECK(found[1] > 0.985 && found[1] > found[0] + 0.003);
        tess_simulate_particles_result_release(&r);
    }
    tess_release(&ctfs);
    tess_release(&map);
}

/* The same bits for any number of threads, memory and slab, and for files. */
TEST(particles_have_the_same_bits)
{
    double                         atoms[ATOMS][3];
    tess_array                     map = structure(atoms), images = { 0 };
    const tess_source              in = source_of(&map);
    tess_source                    file = { 0 };
    tess_sink                      sink;
    tess_simulate_particles_opts   opts = { .count = 30, .bfactor = 20 };
    const tess_context             usual = { .seed = 9 }, little = { .seed = 9, .slab = 1, .memory = 8 << 20 };
    tess_simulate_particles_result r = { 0 }, again = { 0 };
    CHECK_OK(tess_write(in_folder("map.npy"), &map, NULL));
    CHECK_OK(tess_source_open(&file, in_folder("map.npy"), NULL));
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(tess_simulate_particles(&r, &in, &opts, &usual));
    CHECK_OK(tess_threads_set(2));
    CHECK_OK(tess_sink_array(&sink, &images));
    opts.sink = &sink, opts.pixel_size = apix;
    CHECK_OK(tess_simulate_particles(&again, &file, &opts, &little));
    CHECK_OK(tess_threads_set(0));
    CHECK(!again.images.data && same_values(&r.images, &images) && same_values(&r.particles, &again.particles));
    CHECK(same_values(&r.rotations, &again.rotations) && same_values(&r.ctfs, &again.ctfs));
    CHECK(r.noise == again.noise);
    tess_simulate_particles_result_release(&r);
    tess_simulate_particles_result_release(&again);
    tess_source_close(&file);
    tess_release(&images);
    tess_release(&map);
}

#define PARTICLES(...) tess_simulate_particles(&r, &in, &(tess_simulate_particles_opts){ __VA_ARGS__ }, NULL)

TEST(particles_reject_bad_options)
{
    double                         atoms[ATOMS][3];
    tess_array                     map = structure(atoms), rows = constant(TESS_F64, 1, 1, 3, 4, 0.5), three, two, none;
    const tess_source              in = source_of(&map);
    const tess_sink                zeroed = { 0 };
    tess_simulate_particles_result r = { 0 };
    CHECK_OK(tess_slice(&three, &rows, 3, 0, 3, 1));
    CHECK_OK(tess_slice(&two, &rows, 3, 0, 2, 1));
    CHECK_OK(tess_slice(&none, &rows, 2, 0, 0, 1));
    CHECK_FAILS(PARTICLES(.count = -1), TESS_ERANGE, "opts->count is -1");
    CHECK_FAILS(PARTICLES(.snr = -1), TESS_ERANGE, "opts->snr is -1");
    CHECK_FAILS(PARTICLES(.snr = 1, .no_noise = 1), TESS_EARG, "opts->snr", "opts->no_noise");
    CHECK_FAILS(PARTICLES(.shift = 33), TESS_ERANGE, "opts->shift is 33 pixels; 0 to 32, the side of the box");
    CHECK_FAILS(PARTICLES(.min_defocus = 3), TESS_ERANGE, "opts->max_defocus (2 um)", "opts->min_defocus (3 um)");
    CHECK_FAILS(PARTICLES(.astigmatism = -1), TESS_ERANGE, "opts->astigmatism is -1");
    CHECK_FAILS(PARTICLES(.amplitude = 1), TESS_ERANGE, "opts->amplitude is 1");
    CHECK_FAILS(PARTICLES(.micrographs = -2), TESS_ERANGE, "opts->micrographs is -2");
    CHECK_FAILS(PARTICLES(.sink = &zeroed), TESS_EARG, "opts->sink is zeroed");
    CHECK_FAILS(PARTICLES(.rotations = &three), TESS_ESHAPE, "opts->rotations has the shape {1,1,3,3}");
    CHECK_FAILS(PARTICLES(.rotations = &none), TESS_ESHAPE, "opts->rotations has no rows");
    CHECK_FAILS(PARTICLES(.rotations = &rows, .count = 4), TESS_ESHAPE, "opts->rotations", "n = 4");
    CHECK_FAILS(PARTICLES(.shifts = &two, .shift = 1), TESS_EARG, "opts->shift", "opts->shifts");
    CHECK_FAILS(PARTICLES(.ctfs = &rows), TESS_ESHAPE, "opts->ctfs has the shape {1,1,3,4}");
    CHECK_FAILS(PARTICLES(.ctfs = &rows, .cs = TESS_ZERO), TESS_EARG, "opts->ctfs gives the CTFs", "opts->cs");
    CHECK_FAILS(PARTICLES(.ctfs = &rows, .no_ctf = 1), TESS_EARG, "opts->no_ctf cannot be given");
    tess_release(&rows);
    tess_release(&map);
}

TEST(particles_reject_bad_maps)
{
    double            atoms[ATOMS][3];
    tess_array        map = structure(atoms), brick = constant(TESS_F32, 1, 16, 16, 12, 1);
    tess_array        flat = constant(TESS_F32, 1, 16, 16, 16, 0), complex = constant(TESS_C32, 1, 8, 8, 8, 0);
    const tess_source in = source_of(&map), oblong = source_of(&brick), nothing = source_of(&flat), zeroed = { 0 };
    const tess_source wrong = source_of(&complex);
    tess_source       unknown = { 0 };
    tess_simulate_particles_result r = { 0 };
    CHECK_OK(tess_source_array(&unknown, &map, "the map", NULL));
    CHECK_FAILS(tess_simulate_particles(NULL, &in, NULL, NULL), TESS_EARG, "result is NULL");
    CHECK_FAILS(tess_simulate_particles(&r, NULL, NULL, NULL), TESS_EARG, "map is NULL");
    CHECK_FAILS(tess_simulate_particles(&r, &zeroed, NULL, NULL), TESS_EARG, "map is a zeroed source");
    CHECK_FAILS(tess_simulate_particles(&r, &oblong, NULL, NULL), TESS_EARG, "{1,16,16,12}", "cubic map");
    CHECK_FAILS(tess_simulate_particles(&r, &wrong, NULL, NULL), TESS_EDTYPE, "complex numbers");
    CHECK_FAILS(tess_simulate_particles(&r, &nothing, NULL, NULL), TESS_EARG, "variance 0", "opts->snr");
    CHECK_FAILS(tess_simulate_particles(&r, &unknown, NULL, NULL), TESS_EARG, "opts->pixel_size");
    CHECK_FAILS(tess_simulate_particles(&r, &in, NULL, &(tess_context){ .memory = 1 << 20 }), TESS_ENOMEM,
                "context->memory");
    CHECK_OK(tess_set_f64(&map, 0, 3, 4, 5, (double)NAN));
    CHECK_FAILS(tess_simulate_particles(&r, &in, NULL, NULL), TESS_ERANGE, "the map has NaNs or infinities");
    CHECK(!r.images.data && !r.rotations.data);
    tess_release(&map);
    tess_release(&brick);
    tess_release(&flat);
    tess_release(&complex);
}

/* ---- Movies ---- */

enum { HEIGHT = 90, WIDTH = 110, FRAMES = 5, COUNT = 3 };
static const tess_simulate_movie_opts expected = { .size = { { 1, 1, HEIGHT, WIDTH } },
                                                   .frames = FRAMES,
                                                   .count = COUNT,
                                                   .dose = 2,
                                                   .contrast = 0.05,
                                                   .ice = TESS_ZERO,
                                                   .drift = TESS_ZERO,
                                                   .astigmatism = 0.1,
                                                   .angle = 0.4,
                                                   .noise = TESS_COUNTING_NONE,
                                                   .no_damage = 1 };

/* Expected electrons of a frame that does not move, in plain loops but for the CTF. */
static tess_array plain_frame(const tess_simulate_movie_result *r, double atoms[ATOMS][3])
{
    tess_array sum = constant(TESS_F32, 1, 1, HEIGHT, WIDTH, 0), frame = { 0 };
    double     spread = 0;
    for (int64_t i = 0; i < COUNT; i++) {
        const double  at[2] = { number(&r->particles, i, TESS_MOVIE_PARTICLE_X),
                                number(&r->particles, i, TESS_MOVIE_PARTICLE_Y) };
        const double  inside[2] = { BOX / 2 + at[0] - floor(at[0]), BOX / 2 + at[1] - floor(at[1]) };
        const double *q = (const double *)r->rotations.data + 4 * i;
        float         box[BOX * BOX] = { 0 };
        add_projection(box, BOX, BOX, atoms, q, inside);
        add_projection(sum.data, HEIGHT, WIDTH, atoms, q, at);
        spread += variance(box, BOX * BOX) / COUNT;
    }
    CHECK_OK(tess_ctf_apply_image(&frame, &sum, r->ctf.data, NULL));
    for (int i = 0; i < HEIGHT * WIDTH; i++) {
        float *pixel = (float *)frame.data + i;
        *pixel = (float)(2 * apix * apix * (1 - 0.05 / sqrt(spread) * (double)*pixel));
    }
    tess_release(&sum);
    return frame;
}

TEST(movies_expect_what_the_beam_sees)
{
    double                     atoms[ATOMS][3];
    tess_array                 map = structure(atoms);
    const tess_source          in = source_of(&map);
    tess_simulate_movie_result r = { 0 };
    CHECK_OK(tess_simulate_movie(&r, &in, 1.4, &expected, &(tess_context){ .seed = 2 }));
    CHECK_DIMS(r.movie.shape, FRAMES, 1, HEIGHT, WIDTH);
    CHECK_DIMS(r.particles.shape, 1, 1, COUNT, TESS_MOVIE_PARTICLE_COLUMNS);
    CHECK_DIMS(r.shifts.shape, 1, 1, FRAMES, TESS_FRAME_SHIFT_COLUMNS);
    CHECK(!r.gain.data && !r.local_shifts.data && r.pixel_size == apix && r.dose == 2);
    const tess_ctf *ctf = r.ctf.data;
    CHECK(ctf->defocus == 1.4 && ctf->astigmatism == 0.1 && ctf->angle == 0.4 && ctf->voltage == 300);
    tess_array want = plain_frame(&r, atoms);
    for (int64_t i = 0; i < FRAMES; i++) {
        CHECK(difference((const float *)r.movie.data + i * HEIGHT * WIDTH, want.data, HEIGHT * WIDTH) < 2e-3);
        CHECK(number(&r.shifts, i, TESS_FRAME_SHIFT_X) == 0 && number(&r.shifts, i, TESS_FRAME_SHIFT_Y) == 0);
        CHECK(number(&r.shifts, i, TESS_FRAME_SHIFT_EXPOSURE) == 2 * ((double)i + 0.5));
    }
    for (int64_t i = 0; i < COUNT; i++)
        for (int64_t k = 0; k < i; k++)
            CHECK(hypot(number(&r.particles, i, 0) - number(&r.particles, k, 0),
                        number(&r.particles, i, 1) - number(&r.particles, k, 1)) >= 0.7 * BOX);
    tess_release(&want);
    tess_simulate_movie_result_release(&r);
    tess_release(&map);
}

/* Frames that are moved by their shifts are as if nothing had drifted. */
TEST(movies_drift_by_their_shifts)
{
    double                     atoms[ATOMS][3];
    tess_array                 map = structure(atoms);
    const tess_source          in = source_of(&map);
    tess_simulate_movie_opts   opts = expected;
    tess_simulate_movie_result still = { 0 }, r = { 0 };
    CHECK_OK(tess_simulate_movie(&still, &in, 1.4, &opts, NULL));
    opts.drift = 3;
    CHECK_OK(tess_simulate_movie(&r, &in, 1.4, &opts, NULL));
    CHECK(same_values(&r.particles, &still.particles));
    CHECK(number(&r.shifts, 0, TESS_FRAME_SHIFT_X) == 0 && number(&r.shifts, 0, TESS_FRAME_SHIFT_Y) == 0);
    for (int64_t i = 0; i < FRAMES; i++) {
        const double move[2] = { number(&r.shifts, i, TESS_FRAME_SHIFT_Y), number(&r.shifts, i, TESS_FRAME_SHIFT_X) };
        tess_array   frame, moves, spectrum = { 0 }, back = { 0 };
        CHECK_OK(tess_slice(&frame, &r.movie, 0, i, i + 1, 1));
        CHECK_OK(tess_wrap(&moves, (void *)(uintptr_t)move, TESS_SHAPE(1, 1, 1, 2), TESS_F64, NULL));
        CHECK_OK(tess_fft_r2c(&spectrum, &frame, NULL));
        CHECK_OK(tess_fft_phase_shift(&spectrum, &spectrum, frame.shape, &moves, NULL));
        CHECK_OK(tess_fft_c2r(&back, &spectrum, frame.shape, NULL));
        CHECK(i == 0 || hypot(move[0], move[1]) > 1);
        CHECK(difference(back.data, still.movie.data, HEIGHT * WIDTH) < 1e-3);
        tess_release(&spectrum);
        tess_release(&back);
    }
    tess_simulate_movie_result_release(&still);
    tess_simulate_movie_result_release(&r);
    tess_release(&map);
}

/* Counts have the variance of their mean, the gain undoes itself, and damage takes contrast away. */
TEST(movies_are_counted)
{
    double                     atoms[ATOMS][3], squares = 0;
    tess_array                 map = structure(atoms);
    const tess_source          in = source_of(&map);
    tess_simulate_movie_opts   opts = expected;
    tess_simulate_movie_result mean = { 0 }, r = { 0 };
    CHECK_OK(tess_simulate_movie(&mean, &in, 1.4, &opts, NULL));
    opts.noise = 0;
    CHECK_OK(tess_simulate_movie(&r, &in, 1.4, &opts, NULL));
    const float *counted = r.movie.data, *wanted = mean.movie.data;
    for (int i = 0; i < FRAMES * HEIGHT * WIDTH; i++) {
        CHECK(counted[i] == rintf(counted[i]));
        squares +=
            (double)((counted[i] - wanted[i]) * (counted[i] - wanted[i]) / wanted[i]) / (FRAMES * HEIGHT * WIDTH);
    }
    CHECK(fabs(squares - 1) < 0.05);
    tess_simulate_movie_result_release(&r);
    opts.noise = TESS_COUNTING_NONE, opts.gain = 1;
    CHECK_OK(tess_simulate_movie(&r, &in, 1.4, &opts, NULL));
    CHECK_DIMS(r.gain.shape, 1, 1, HEIGHT, WIDTH);
    CHECK(fabs(variance(r.gain.data, HEIGHT * WIDTH) / 0.0025 - 1) < 0.1);
    CHECK_OK(tess_mul(&r.movie, &r.movie, &r.gain));
    CHECK(difference(r.movie.data, wanted, FRAMES * HEIGHT * WIDTH) < 1e-6);
    tess_simulate_movie_result_release(&r);
    opts.gain = 0, opts.no_damage = 0;
    CHECK_OK(tess_simulate_movie(&r, &in, 1.4, &opts, NULL));
    const float *faded = (const float *)r.movie.data + (FRAMES - 1) * HEIGHT * WIDTH;
    CHECK(variance(faded, HEIGHT * WIDTH) < 0.9 * variance(wanted, HEIGHT * WIDTH));
    tess_simulate_movie_result_release(&r);
    tess_simulate_movie_result_release(&mean);
    tess_release(&map);
}

/* The same bits for any number of threads, memory and slab, and for files. */
TEST(movies_have_the_same_bits)
{
    double                     atoms[ATOMS][3];
    tess_array                 map = structure(atoms), movie = { 0 };
    const tess_source          in = source_of(&map);
    tess_source                file = { 0 };
    tess_sink                  sink;
    tess_simulate_movie_opts   opts = { .size = TESS_SHAPE(1, 1, HEIGHT, WIDTH), .count = 6, .local = 2, .gain = 1 };
    const tess_context         usual = { .seed = 5 }, little = { .seed = 5, .slab = 1, .memory = 6 << 20 };
    tess_simulate_movie_result r = { 0 }, again = { 0 };
    CHECK_OK(tess_write(in_folder("volume.npy"), &map, NULL));
    CHECK_OK(tess_source_open(&file, in_folder("volume.npy"), NULL));
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(tess_simulate_movie(&r, &in, 1, &opts, &usual));
    CHECK_DIMS(r.local_shifts.shape, 1, 1, 25 * 16, TESS_LOCAL_SHIFT_COLUMNS);
    CHECK(number(&r.local_shifts, 16, TESS_LOCAL_SHIFT_FRAME) == 0 && number(&r.local_shifts, 16, 1) == 0.3 * WIDTH);
    CHECK_OK(tess_threads_set(2));
    CHECK_OK(tess_sink_array(&sink, &movie));
    opts.sink = &sink, opts.pixel_size = apix;
    CHECK_OK(tess_simulate_movie(&again, &file, 1, &opts, &little));
    CHECK_OK(tess_threads_set(0));
    CHECK(!again.movie.data && same_values(&r.movie, &movie) && same_values(&r.particles, &again.particles));
    CHECK(same_values(&r.shifts, &again.shifts) && same_values(&r.local_shifts, &again.local_shifts));
    CHECK(same_values(&r.gain, &again.gain) && same_values(&r.rotations, &again.rotations));
    tess_simulate_movie_result_release(&r);
    tess_simulate_movie_result_release(&again);
    tess_source_close(&file);
    tess_release(&movie);
    tess_release(&map);
}

#define MOVIE(...) tess_simulate_movie(&r, &in, 1, &(tess_simulate_movie_opts){ __VA_ARGS__ }, NULL)
#define SMALL .size = TESS_SHAPE(1, 1, HEIGHT, WIDTH)

TEST(movies_reject_bad_options)
{
    double                     atoms[ATOMS][3];
    tess_array                 map = structure(atoms), flat = constant(TESS_F32, 1, 16, 16, 16, 0);
    const tess_source          in = source_of(&map), nothing = source_of(&flat);
    const tess_sink            zeroed = { 0 };
    tess_simulate_movie_result r = { 0 };
    CHECK_FAILS(tess_simulate_movie(NULL, &in, 1, NULL, NULL), TESS_EARG, "result is NULL");
    CHECK_FAILS(tess_simulate_movie(&r, NULL, 1, NULL, NULL), TESS_EARG, "map is NULL");
    CHECK_FAILS(tess_simulate_movie(&r, &in, (double)NAN, NULL, NULL), TESS_ERANGE, "defocus is nan um");
    CHECK_FAILS(MOVIE(.size = TESS_SHAPE(1, 1, 40, 20)), TESS_ERANGE, "opts->size is 20 x 40 pixels",
                "32, the side of the map");
    CHECK_FAILS(MOVIE(.size = TESS_SHAPE(1, 2, 40, 40)), TESS_ERANGE, "opts->size is {1,2,40,40}");
    CHECK_FAILS(MOVIE(SMALL, .frames = -1), TESS_ERANGE, "opts->frames is -1");
    CHECK_FAILS(MOVIE(SMALL, .count = 500), TESS_ERANGE, "of 500 particles", "opts->count", "opts->size");
    CHECK_FAILS(MOVIE(SMALL, .distance = 0.5), TESS_ERANGE, "opts->distance is 0.5");
    CHECK_FAILS(MOVIE(.size = TESS_SHAPE(1, 1, 4096, 4096), .distance = 1), TESS_ERANGE, "1000000 are allowed");
    CHECK_FAILS(MOVIE(SMALL, .dose = 1e-7), TESS_ERANGE, "opts->dose is 1e-07");
    CHECK_FAILS(MOVIE(SMALL, .contrast = -1), TESS_ERANGE, "opts->contrast is -1");
    CHECK_FAILS(MOVIE(SMALL, .noise = 7), TESS_EARG, "opts->noise is 7", "poisson");
    CHECK_FAILS(MOVIE(SMALL, .voltage = 120), TESS_EARG, "opts->voltage is 120", "opts->no_damage");
    CHECK_FAILS(MOVIE(SMALL, .sink = &zeroed), TESS_EARG, "opts->sink is zeroed");
    CHECK_FAILS(tess_simulate_movie(&r, &nothing, 1, NULL, NULL), TESS_EARG, "variance 0", "opts->contrast");
    CHECK_FAILS(tess_simulate_movie(&r, &in, 1, NULL, &(tess_context){ .memory = 8 << 20 }), TESS_ENOMEM,
                "an image of 1024 x 1024");
    CHECK(!r.movie.data && !r.rotations.data && !r.gain.data);
    tess_release(&map);
    tess_release(&flat);
}

/* ---- Progress, cancellation and memory ---- */

static tess_array small_map;

static tess_status small_atoms(const tess_context *context)
{
    tess_simulate_atoms_result r = { 0 };
    const tess_status status = tess_simulate_atoms(&r, &(tess_simulate_atoms_opts){ .box = 8, .atoms = 5 }, context);
    CHECK(status == TESS_OK || (!r.map.data && !r.positions.data));
    tess_simulate_atoms_result_release(&r);
    return status;
}

static tess_status small_particles(const tess_context *context)
{
    const tess_source              in = source_of(&small_map);
    tess_simulate_particles_result r = { 0 };
    const tess_status status = tess_simulate_particles(&r, &in, &(tess_simulate_particles_opts){ .count = 3 }, context);
    CHECK(status == TESS_OK || (!r.images.data && !r.particles.data && !r.ctfs.data));
    tess_simulate_particles_result_release(&r);
    return status;
}

static tess_status small_movie(const tess_context *context)
{
    const tess_source              in = source_of(&small_map);
    const tess_simulate_movie_opts opts = {
        .size = TESS_SHAPE(1, 1, 24, 20), .count = 2, .frames = 2, .local = 1, .gain = 1
    };
    tess_simulate_movie_result r = { 0 };
    const tess_status          status = tess_simulate_movie(&r, &in, 1, &opts, context);
    CHECK(status == TESS_OK || (!r.movie.data && !r.particles.data && !r.gain.data));
    tess_simulate_movie_result_release(&r);
    return status;
}

static void make_small_map(void)
{
    tess_simulate_atoms_result r = { 0 };
    CHECK_OK(tess_simulate_atoms(&r, &(tess_simulate_atoms_opts){ .box = 8, .atoms = 5 }, NULL));
    tess_release(&r.positions);
    small_map = r.map;
}

TEST(every_report_cancels)
{
    tess_status (*const jobs[])(const tess_context *) = { small_atoms, small_particles, small_movie };
    const int64_t reports[] = { 8 + 1, 3 + 1, 2 + 3 + 3 };
    make_small_map();
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++) {
        watch        all = { .cancel_at = -1 };
        tess_context c = context_of(&all);
        CHECK_OK(jobs[k](&c));
        CHECK_I64(all.n, reports[k]);
        for (int64_t at = 0; at < all.n; at++) {
            watch some = { .cancel_at = at };
            c = context_of(&some);
            CHECK_FAILS(jobs[k](&c), TESS_ECANCELLED, "cancelled after");
        }
        CHECK_OK(jobs[k](NULL));
    }
    tess_release(&small_map);
}

static tess_status atoms_by_default(void) { return small_atoms(NULL); }
static tess_status particles_by_default(void) { return small_particles(NULL); }
static tess_status movie_by_default(void) { return small_movie(NULL); }

TEST(every_allocation_fails_in_turn)
{
    static hooks h;
    make_small_map();
    hooks_each_fails(&h, atoms_by_default, 10);
    hooks_each_fails(&h, particles_by_default, 10);
    hooks_each_fails(&h, movie_by_default, 10);
    tess_release(&small_map);
}
