/* tessera simulate particles: noisy projections of a map with CTFs, and the STAR file of what they are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "files/on_device.h"
#include "files/slab_pipeline.h"
#include "ctf/ctf_parameters.h"
#include "particles/projector.h"
#include "particles/truth_star.h"

static const option options[] = {
    { .name = "count", .value = "N", .type = OPTION_INTEGER, .help = "particles [500]" },
    { .name = "micrographs",
      .value = "N",
      .type = OPTION_INTEGER,
      .help = "that they are said to be from, each with a defocus of its own [10]" },
    { .name = "snr",
      .value = "R",
      .type = OPTION_NUMBER,
      .help = "variance of the images over that of the noise, over the whole box [0.1]" },
    { .name = "no-noise", .type = OPTION_FLAG, .help = "images without noise" },
    { .name = "no-ctf", .type = OPTION_FLAG, .help = "images without CTF; the STAR file has none either" },
    { .name = "shift", .value = "L", .type = OPTION_LENGTH, .help = "standard deviation of shifts, along x and y [1]" },
    { .name = "min-defocus", .value = "D", .type = OPTION_DEFOCUS, .help = "least mean defocus [1um]" },
    { .name = "max-defocus", .value = "D", .type = OPTION_DEFOCUS, .help = "largest one [2um]" },
    { .name = "astigmatism",
      .value = "D",
      .type = OPTION_DEFOCUS,
      .help = "half the difference of U and V, at most [0.02um]" },
    CTF_MICROSCOPE_OPTIONS,
    { .name = "bfactor",
      .value = "B",
      .type = OPTION_NUMBER,
      .help = "an envelope exp(-B/4 s^2), B in A^2: positive damps [0]" },
    { .name = "star",
      .writes = true,
      .is_particles = true,
      .value = "OUT",
      .type = OPTION_FILE,
      .help = "the STAR file of the particles; it is needed" },
    { 0 },
};
static const char *const examples[] = {
    "tessera simulate particles volume.mrc --count 100 --snr 0.2 -o simulated.mrcs --star simulated.star",
    "tessera simulate particles volume.mrc --count 8 --no-noise --shift 3A --min-defocus 1.5um --max-defocus 1.5um "
    "-o clean.mrcs --star clean.star",
    NULL,
};

/* Independent random numbers of one seed. */
enum { STREAM_ANGLES = 1, STREAM_SHIFTS, STREAM_CTFS, STREAM_NOISE };

typedef struct simulation {
    projector  projector;
    views      views;   /* on the device */
    tess_array angles;  /* {n,1,1,3} */
    tess_array origins; /* {n,1,1,2}, y and x in A: what takes a particle back to the middle */
    tess_array ctfs;    /* {n,1,1,17}, on the device in the end */
    tess_array rows;    /* the same on the host */
    int64_t    count, micrographs;
    double     defocus[2], astigmatism; /* micrometres */
    double     shift, noise;            /* pixels; standard deviation of noise */
    uint64_t   seed;
    tess_ctf   microscope;
} simulation;

/* ---- Options ---- */

static tess_status take_microscope(const job *j, simulation *s)
{
    s->defocus[0] = 1, s->defocus[1] = 2, s->astigmatism = 0.02;
    TESS_TRY(job_defocus(j, "min-defocus", &s->defocus[0]));
    TESS_TRY(job_defocus(j, "max-defocus", &s->defocus[1]));
    TESS_TRY(job_defocus(j, "astigmatism", &s->astigmatism));
    TESS_CHECK(s->defocus[0] <= s->defocus[1], TESS_ERANGE,
               "simulate particles: --min-defocus is %g um and --max-defocus %g um; the second must be the larger",
               s->defocus[0], s->defocus[1]);
    TESS_CHECK(s->astigmatism >= 0, TESS_ERANGE, "simulate particles: --astigmatism is %g um; 0A or more is needed",
               s->astigmatism);
    return ctf_of_microscope(j, &s->microscope);
}

static tess_status take_options(const job *j, simulation *s)
{
    const double snr = job_number(j, "snr", 0.1);
    s->count = job_integer(j, "count", 500);
    s->micrographs = job_integer(j, "micrographs", 10);
    s->seed = (uint64_t)job_integer(j, "seed", 0);
    TESS_CHECK(s->count >= 1 && s->count <= 10000000, TESS_ERANGE,
               "simulate particles: --count is %lld; 1 to 10000000 is allowed", (long long)s->count);
    TESS_CHECK(s->micrographs >= 1, TESS_ERANGE, "simulate particles: --micrographs is %lld; 1 or more is needed",
               (long long)s->micrographs);
    TESS_CHECK(snr > 0 && snr < 1e30, TESS_ERANGE, "simulate particles: --snr is %g; a number above 0 is needed", snr);
    TESS_CHECK(!job_has(j, "snr") || !job_has(j, "no-noise"), TESS_EARG,
               "simulate particles: --snr is of the noise that --no-noise leaves out; one is allowed");
    s->shift = 1;
    TESS_TRY(job_length(j, "shift", s->projector.pixel_size, &s->shift));
    TESS_CHECK(s->shift >= 0 && s->shift <= (double)s->projector.side, TESS_ERANGE,
               "simulate particles: --shift is %g pixels; 0 to the side of the box, %lld, is allowed", s->shift,
               (long long)s->projector.side);
    return take_microscope(j, s);
}

/* ---- Random parameters ---- */

/* Origins are rounded to a tenth of a thousandth of 1 A, as the STAR file has them, and shifts are made of those. */
static tess_status draw_shifts(simulation *s)
{
    const tess_shape shape = TESS_SHAPE(s->count, 1, 1, 2);
    TESS_TRY(tess_empty(&s->origins, shape, TESS_F64, tess_cpu()));
    TESS_TRY(tess_random_normal(&s->origins, 0, s->shift, s->seed, &(tess_random_opts){ .stream = STREAM_SHIFTS }));
    TESS_TRY(tess_empty(&s->views.shifts, shape, TESS_F64, tess_cpu()));
    double *origins = s->origins.data, *shifts = s->views.shifts.data;
    for (int64_t i = 0; i < 2 * s->count; i++) {
        origins[i] = round(1e4 * origins[i] * s->projector.pixel_size) / 1e4;
        shifts[i] = -origins[i] / s->projector.pixel_size;
    }
    return TESS_OK;
}

/* Which micrograph a particle is from: each has as many, one after the other. */
static int64_t micrograph_of(const simulation *s, int64_t i) { return i * s->micrographs / s->count; }

/* One CTF for each micrograph; those of micrograph m come from the random numbers 3 m to 3 m + 2. */
static tess_status draw_ctfs(simulation *s)
{
    tess_array numbers = { 0 };
    TESS_TRY(tess_zeros(&s->rows, TESS_SHAPE(s->count, 1, 1, TESS_CTF_COLUMNS), TESS_F64, tess_cpu()));
    TESS_TRY(tess_empty(&numbers, TESS_SHAPE(s->micrographs, 1, 1, 3), TESS_F64, tess_cpu()));
    const tess_status status =
        tess_random_uniform(&numbers, 0, 1, s->seed, &(tess_random_opts){ .stream = STREAM_CTFS });
    for (int64_t i = 0; i < s->count && status == TESS_OK; i++) {
        const double *random = (const double *)numbers.data + 3 * micrograph_of(s, i);
        tess_ctf     *ctf = (tess_ctf *)s->rows.data + i;
        *ctf = s->microscope;
        ctf->defocus = round(1e6 * (s->defocus[0] + random[0] * (s->defocus[1] - s->defocus[0]))) / 1e6;
        ctf->astigmatism = round(1e6 * random[1] * s->astigmatism) / 1e6;
        ctf->angle = round(1e4 * (180 * random[2] - 90)) / 1e4 * 3.14159265358979323846 / 180;
    }
    tess_release(&numbers);
    return status;
}

static tess_status draw_parameters(const job *j, simulation *s)
{
    double variance;
    TESS_TRY(random_orientations(&s->angles, &s->views.rotations, s->count, s->seed, STREAM_ANGLES));
    TESS_TRY(draw_shifts(s));
    TESS_TRY(draw_ctfs(s));
    TESS_TRY(tess_copy(&s->ctfs, &s->rows));
    TESS_TRY(move_array(&s->views.rotations, j->device));
    TESS_TRY(move_array(&s->views.shifts, j->device));
    TESS_TRY(move_array(&s->ctfs, j->device));
    if (!job_has(j, "no-ctf")) s->views.ctfs = &s->ctfs;
    if (job_has(j, "no-noise")) return TESS_OK;
    TESS_TRY(variance_of_views(&s->projector, &s->views, &variance));
    TESS_CHECK(variance > 0 && isfinite(variance), TESS_EARG,
               "simulate particles: %s has projections of variance %g; with nothing to see there is no --snr",
               j->arguments[0], variance);
    s->noise = sqrt(variance / job_number(j, "snr", 0.1));
    return TESS_OK;
}

/* ---- Images ---- */

static tess_status make_images(void *context, tess_array *out, const tess_array *in, const slab *part)
{
    (void)in;
    const simulation *s = context;
    const uint64_t    first = (uint64_t)(part->b * s->projector.side * s->projector.side);
    tess_array        noise = { 0 };
    TESS_TRY(project_views(&s->projector, out, &s->views, part->b, part->nb));
    if (s->noise <= 0) return TESS_OK;
    tess_status status = tess_empty(&noise, out->shape, TESS_F32, out->device);
    if (status == TESS_OK)
        status = tess_random_normal(&noise, 0, s->noise, s->seed,
                                    &(tess_random_opts){ .stream = STREAM_NOISE, .offset = first });
    if (status == TESS_OK) status = tess_add(out, out, &noise);
    tess_release(&noise);
    return status;
}

static tess_status write_images(job *j, simulation *s)
{
    const int64_t    side = s->projector.side;
    const tess_shape shape = TESS_SHAPE(s->count, 1, side, side);
    tess_meta        meta = { .pixel_size = { 0 } };
    slab_plan        plan = { .domain = shape,
                              .out_shape = shape,
                              .out_dtype = TESS_F32,
                              .extra = 3 * (int64_t)sizeof(float) * side * (side + 2),
                              .taken = 32 * side * side * (side + 1),
                              .unit = "images",
                              .device = j->device };
    for (int i = 0; i < 3; i++) meta.pixel_size[i] = s->projector.pixel_size;
    return stream_slabs_to_file(j, &plan, &meta, make_images, s);
}

/* ---- What they are ---- */

static tess_status fill_row(const simulation *s, tess_star_table *rows, int64_t i, const char *images)
{
    const double *angles = (const double *)s->angles.data + 3 * i, *origin = (const double *)s->origins.data + 2 * i;
    char          micrograph[40];
    (void)snprintf(micrograph, sizeof micrograph, "micrograph%06lld.mrc", (long long)micrograph_of(s, i) + 1);
    TESS_TRY(tess_star_set_image(rows, i, "_rlnImageName", i + 1, images));
    TESS_TRY(tess_star_set(rows, i, "_rlnMicrographName", micrograph));
    TESS_TRY(tess_star_set_i64(rows, i, "_rlnOpticsGroup", 1));
    TESS_TRY(truth_star_angles(rows, i, angles));
    TESS_TRY(tess_star_set_f64(rows, i, "_rlnOriginXAngst", origin[1]));
    TESS_TRY(tess_star_set_f64(rows, i, "_rlnOriginYAngst", origin[0]));
    if (s->views.ctfs) TESS_TRY(truth_star_ctf(rows, i, (const tess_ctf *)s->rows.data + i));
    if (s->views.ctfs && s->microscope.bfactor != 0)
        TESS_TRY(tess_star_set_f64(rows, i, "_rlnCtfBfactor", s->microscope.bfactor));
    return tess_star_set_i64(rows, i, "_rlnRandomSubset", i % 2 + 1);
}

static tess_status fill_star(const simulation *s, tess_star *star, const char *images)
{
    tess_star_table *rows;
    TESS_CHECK(images, TESS_ENOMEM, "simulate particles: no memory for the name of the images");
    TESS_TRY(truth_star_optics(star, &s->microscope, s->projector.side));
    TESS_TRY(tess_star_add(&rows, star, "particles", false));
    TESS_TRY(tess_star_add_rows(rows, s->count));
    for (int64_t i = 0; i < s->count; i++) TESS_TRY(fill_row(s, rows, i, images));
    return TESS_OK;
}

static tess_status write_star(const job *j, const simulation *s)
{
    tess_star *star = NULL;
    TESS_TRY(tess_star_new(&star));
    char       *images = truth_star_images(j);
    tess_status status = fill_star(s, star, images);
    if (status == TESS_OK) status = truth_star_write(j, star);
    free(images);
    tess_star_free(star);
    return status;
}

/* ---- The verb ---- */

static tess_status simulate(job *j, simulation *s)
{
    TESS_TRY(projector_open(&s->projector, j, j->arguments[0]));
    s->microscope.pixel_size[0] = s->microscope.pixel_size[1] = s->projector.pixel_size;
    TESS_TRY(take_options(j, s));
    TESS_TRY(draw_parameters(j, s));
    TESS_TRY(write_images(j, s));
    return job_has(j, "dry-run") ? TESS_OK : write_star(j, s);
}

static tess_status run(job *j)
{
    simulation s = { .count = 0 };
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(truth_star_check(j));
    const tess_status status = simulate(j, &s);
    projector_close(&s.projector);
    tess_release(&s.views.rotations);
    tess_release(&s.views.shifts);
    tess_release(&s.angles);
    tess_release(&s.origins);
    tess_release(&s.ctfs);
    tess_release(&s.rows);
    return status;
}

const verb verb_simulate_particles = {
    .name = "simulate particles",
    .subject = "files",
    .summary = "noisy projections of a map with CTFs, and their STAR file",
    .arguments = "MAP -o STACK --star STAR",
    .text =
        "Projections at random orientations, evenly distributed, are moved by normal shifts, multiplied with their "
        "CTF, and get white noise. They are central slices of the map's spectrum, padded to twice its size; what the "
        "map has beyond a ball in its box comes in again on the other side. Protein is white, as in images whose "
        "contrast was inverted.\n"
        "\n"
        "The STAR file has what RELION 3.1 and later expect: an optics group, rlnImageName, rlnAngleRot, Tilt and Psi, "
        "rlnOriginXAngst and YAngst (what moves the particle back to the middle), rlnDefocusU, V and Angle, and "
        "rlnRandomSubset, 1 and 2 in turn.\n"
        "\n"
        "The noise has the variance of the images, the mean over the first 64, divided by --snr.",
    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_SEED | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_OF_FILE(1, 1),
};
