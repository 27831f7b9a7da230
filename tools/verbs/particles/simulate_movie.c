/* tessera simulate movie: frames of a micrograph with particles at known places, drift, dose damage and CTF. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/on_device.h"
#include "files/slab_pipeline.h"
#include "ctf/ctf_parameters.h"
#include "movies/specimen_motion.h"
#include "particles/projector.h"
#include "particles/random_places.h"
#include "particles/truth_star.h"

static const option options[] = {
    { .name = "frames", .value = "N", .type = OPTION_INTEGER, .help = "of the movie [16]" },
    { .name = "size", .value = "X,Y", .type = OPTION_XYZ, .help = "pixels of a frame; one number: a square [1024]" },
    { .name = "count",
      .value = "N",
      .type = OPTION_INTEGER,
      .help = "particles [as many as cover 15 % of the area, each as a disc of the distance]" },
    { .name = "distance",
      .value = "L",
      .type = OPTION_LENGTH,
      .help = "least one from particle to particle [0.7 of the box of the map]" },
    { .name = "contrast",
      .value = "C",
      .type = OPTION_NUMBER,
      .help = "standard deviation of a particle's box, before the CTF, over the mean intensity [0.1]" },
    { .name = "ice",
      .value = "S",
      .type = OPTION_NUMBER,
      .help = "that of amorphous ice, white before the CTF, over that of a particle's box [1]" },
    { .name = "dose", .value = "E", .type = OPTION_NUMBER, .help = "electrons per square A and frame [1]" },
    { .name = "no-damage", .type = OPTION_FLAG, .help = "the dose does not fade high frequencies" },
    { .name = "drift",
      .value = "L",
      .type = OPTION_LENGTH,
      .help = "from the first frame to the second; it fades, and a random walk is added [1]" },
    { .name = "local",
      .value = "L",
      .type = OPTION_LENGTH,
      .help = "largest local motion on top of the drift, which differs smoothly over the frame [0]" },
    { .name = "noise",
      .value = "KIND",
      .choices = "poisson gaussian none",
      .type = OPTION_CHOICE,
      .help = "of counting electrons: whole numbers, normal of the same variance, or expected numbers [poisson]" },
    { .name = "gain",
      .writes = true,
      .value = "OUT",
      .type = OPTION_FILE,
      .help = "give pixels different sensitivities, and write the gain reference" },
    CTF_OPTIONS,
    { .name = "star",
      .writes = true,
      .value = "OUT",
      .type = OPTION_FILE,
      .help = "the STAR file of places, angles, drift and CTF; it is needed" },
    { 0 },
};
static const char *const examples[] = {
    "tessera simulate movie volume.mrc --size 256 --frames 6 --defocus 1.5um -o movie.mrcs --star movie.star",
    "tessera simulate movie volume.mrc --size 200,160 --frames 4 --defocus 1.6um,1.5um --angle 30 --drift 3A "
    "--gain gain.mrc --dtype u8 -o raw.mrcs --star raw.star",
    NULL,
};

/* Independent random numbers of one seed. */
enum { STREAM_ANGLES = 1, STREAM_PLACES, STREAM_ICE, STREAM_DRIFT, STREAM_GAIN, STREAM_COUNTS, STREAM_LOCAL };

typedef struct movie {
    projector       projector;
    views           views;           /* of the particles, moved by what their places are beyond whole pixels */
    tess_array      angles, places;  /* {n,1,1,3}; {n,1,1,2}, y and x */
    tess_array      drift, doses;    /* {frames,1,1,2}, y and x; {frames,1,1,1}, in the middle of a frame */
    tess_array      moves, received; /* the same on the device */
    specimen_motion specimen;        /* local motion; no model: there is none */
    tess_array      spectrum;        /* of the micrograph, with CTF, in counts, on the device */
    tess_array      gain;            /* {1,1,h,w}, on the device; zeroed: there is none */
    tess_shape      frame;           /* {1,1,h,w} */
    int64_t         frames, count;
    double          distance, contrast, ice, dose, step;
    double          local;  /* largest local motion, pixels */
    double          counts; /* expected in a pixel of a frame */
    bool            has_damage;
    const char     *noise;
    uint64_t        seed;
    tess_ctf        ctf;
} movie;

/* ---- Options ---- */

static tess_status take_size(const job *j, movie *m)
{
    double xyz[3] = { 1024, 1024, 1 };
    int    n = 0;
    TESS_TRY(job_xyz(j, "size", xyz, &n));
    if (n == 1) xyz[1] = xyz[0];
    for (int i = 0; i < 2; i++)
        TESS_CHECK(
            n < 3 && xyz[i] >= (double)m->projector.side && xyz[i] <= 65536 && xyz[i] == floor(xyz[i]), TESS_ERANGE,
            "simulate movie: --size is %s; whole numbers x,y from the side of the map, %lld, to 65536 are needed",
            job_text(j, "size", "1024"), (long long)m->projector.side);
    m->frame = TESS_SHAPE(1, 1, (int64_t)xyz[1], (int64_t)xyz[0]);
    return TESS_OK;
}

static tess_status take_particles(const job *j, movie *m)
{
    const double side = (double)m->projector.side, area = (double)(m->frame.h * m->frame.w);
    m->distance = 0.7 * side;
    TESS_TRY(job_length(j, "distance", m->projector.pixel_size, &m->distance));
    TESS_CHECK(m->distance >= 1 && m->distance <= 1e6, TESS_ERANGE,
               "simulate movie: --distance is %g pixels; 1 or more is needed", m->distance);
    m->count = job_integer(j, "count", (int64_t)fmax(1, 0.15 * area / (0.7854 * m->distance * m->distance)));
    TESS_CHECK(m->count >= 1 && m->count <= 1000000, TESS_ERANGE,
               "simulate movie: --count is %lld; 1 to 1000000 is allowed", (long long)m->count);
    return TESS_OK;
}

static tess_status need_number(const char *name, double value, double least)
{
    TESS_CHECK(value >= least && value < 1e6, TESS_ERANGE, "simulate movie: --%s is %g; %g to 1e6 is allowed", name,
               value, least);
    return TESS_OK;
}

static tess_status take_exposure(const job *j, movie *m)
{
    const double pixel = m->projector.pixel_size;
    m->frames = job_integer(j, "frames", 16);
    m->dose = job_number(j, "dose", 1);
    m->contrast = job_number(j, "contrast", 0.1);
    m->ice = job_number(j, "ice", 1);
    m->noise = job_text(j, "noise", "poisson");
    m->step = 1;
    TESS_TRY(job_length(j, "drift", pixel, &m->step));
    TESS_TRY(job_length(j, "local", pixel, &m->local));
    TESS_CHECK(m->frames >= 1 && m->frames <= 10000, TESS_ERANGE,
               "simulate movie: --frames is %lld; 1 to 10000 is allowed", (long long)m->frames);
    TESS_TRY(need_number("dose", m->dose, 1e-6));
    TESS_TRY(need_number("contrast", m->contrast, 0));
    TESS_TRY(need_number("ice", m->ice, 0));
    TESS_TRY(need_number("drift", m->step, 0));
    TESS_TRY(need_number("local", m->local, 0));
    m->counts = m->dose * pixel * pixel;
    return TESS_OK;
}

static tess_status take_options(const job *j, movie *m)
{
    m->seed = (uint64_t)job_integer(j, "seed", 0);
    TESS_TRY(take_size(j, m));
    TESS_TRY(take_particles(j, m));
    TESS_TRY(take_exposure(j, m));
    TESS_CHECK(job_has(j, "defocus"), TESS_EARG, "simulate movie: there is no defocus; give --defocus");
    TESS_TRY(ctf_of_options(j, &m->ctf));
    TESS_CHECK(job_has(j, "no-damage") || m->ctf.voltage == 300 || m->ctf.voltage == 200, TESS_EARG,
               "simulate movie: --voltage is %g; dose damage is known at 300 and 200 kV, --no-damage leaves it out",
               m->ctf.voltage);
    m->ctf.pixel_size[0] = m->ctf.pixel_size[1] = m->projector.pixel_size;
    return image_fits(j, m->frame, 28 * m->frame.h * m->frame.w);
}

/* ---- Random parameters ---- */

/* Steps along one direction that fade over four frames, and a random walk of a fifth of the first step. */
static tess_status draw_drift(movie *m)
{
    tess_array numbers = { 0 };
    TESS_TRY(tess_zeros(&m->drift, TESS_SHAPE(m->frames, 1, 1, 2), TESS_F64, tess_cpu()));
    TESS_TRY(tess_empty(&numbers, TESS_SHAPE(m->frames, 1, 1, 2), TESS_F64, tess_cpu()));
    const tess_status status =
        tess_random_normal(&numbers, 0, 1, m->seed, &(tess_random_opts){ .stream = STREAM_DRIFT });
    const double *random = numbers.data;
    double       *drift = m->drift.data;
    for (int64_t i = 1; i < m->frames && status == TESS_OK; i++) {
        const double along = m->step * exp(-(double)(i - 1) / 4) / hypot(random[0], random[1]);
        for (int axis = 0; axis < 2; axis++) {
            const double moved = drift[2 * i - 2 + axis] + along * random[axis] + 0.2 * m->step * random[2 * i + axis];
            drift[2 * i + axis] = round(1e4 * moved) / 1e4;
        }
    }
    tess_release(&numbers);
    return status;
}

static tess_status set_doses(movie *m)
{
    TESS_TRY(tess_zeros(&m->doses, TESS_SHAPE(m->frames, 1, 1, 1), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < m->frames; i++) ((double *)m->doses.data)[i] = m->dose * ((double)i + 0.5);
    return TESS_OK;
}

static tess_status draw_parameters(const job *j, movie *m)
{
    TESS_TRY(random_orientations(&m->angles, &m->views.rotations, m->count, m->seed, STREAM_ANGLES));
    TESS_TRY(random_places(&m->places, m->count, m->frame, m->projector.side / 2, m->distance, m->seed, STREAM_PLACES));
    TESS_TRY(draw_drift(m));
    TESS_TRY(set_doses(m));
    if (m->local > 0) TESS_TRY(specimen_motion_draw(&m->specimen, m->local, m->dose, m->frames, m->seed, STREAM_LOCAL));
    TESS_TRY(tess_copy(&m->moves, &m->drift));
    TESS_TRY(tess_copy(&m->received, &m->doses));
    TESS_TRY(tess_empty(&m->views.shifts, m->places.shape, TESS_F64, tess_cpu()));
    TESS_TRY(tess_floor(&m->views.shifts, &m->places));
    TESS_TRY(tess_sub(&m->views.shifts, &m->places, &m->views.shifts));
    TESS_TRY(move_array(&m->moves, j->device));
    TESS_TRY(move_array(&m->received, j->device));
    TESS_TRY(move_array(&m->views.shifts, j->device));
    return move_array(&m->views.rotations, j->device);
}

/* ---- The micrograph ---- */

/* Where the first pixels of the boxes of particles first to first + n lie, {n,1,1,2}. */
static tess_status find_origins(const movie *m, tess_array *origins, int64_t first, int64_t n)
{
    const double *places = (const double *)m->places.data + 2 * first;
    TESS_TRY(tess_empty(origins, TESS_SHAPE(n, 1, 1, 2), TESS_I64, tess_cpu()));
    for (int64_t i = 0; i < 2 * n; i++)
        ((int64_t *)origins->data)[i] = (int64_t)floor(places[i]) - m->projector.side / 2;
    return move_array(origins, m->views.shifts.device);
}

static tess_status add_particles(const movie *m, tess_array *micrograph, int64_t first, int64_t n)
{
    tess_array  boxes = { 0 }, origins = { 0 };
    tess_status status;
    TESS_GOTO(done, status, project_views(&m->projector, &boxes, &m->views, first, n));
    TESS_GOTO(done, status, find_origins(m, &origins, first, n));
    TESS_GOTO(done, status, tess_insert(micrograph, &boxes, &origins, &(tess_insert_opts){ .add = 1 }));
done:
    tess_release(&boxes);
    tess_release(&origins);
    return status;
}

/* Ice and particles, as white as their projections are. */
static tess_status draw_specimen(const job *j, const movie *m, tess_array *micrograph)
{
    const int64_t at_once = images_at_a_time(j, m->count, 16 * m->projector.side * m->projector.side);
    double        variance;
    TESS_TRY(variance_of_views(&m->projector, &m->views, &variance));
    TESS_CHECK(variance > 0 && isfinite(variance), TESS_EARG,
               "simulate movie: %s has projections of variance %g; with nothing to see there is no --contrast",
               j->arguments[0], variance);
    TESS_TRY(tess_empty(micrograph, m->frame, TESS_F32, j->device));
    TESS_TRY(tess_random_normal(micrograph, 0, m->ice * sqrt(variance), m->seed,
                                &(tess_random_opts){ .stream = STREAM_ICE }));
    for (int64_t first = 0; first < m->count; first += at_once)
        TESS_TRY(add_particles(m, micrograph, first, first + at_once < m->count ? at_once : m->count - first));
    return tess_mul(micrograph, micrograph, &tess_num(-m->counts * m->contrast / sqrt(variance)));
}

/* What is denser is darker. */
static tess_status make_micrograph(const job *j, movie *m)
{
    tess_array  micrograph = { 0 };
    tess_status status;
    TESS_GOTO(done, status, draw_specimen(j, m, &micrograph));
    TESS_GOTO(done, status, tess_fft_r2c(&m->spectrum, &micrograph, NULL));
    TESS_GOTO(done, status, tess_ctf_apply(&m->spectrum, &m->spectrum, m->frame, &m->ctf, NULL));
done:
    tess_release(&micrograph);
    return status;
}

/* The gain reference: 1, and 5 % from pixel to pixel. */
static tess_status make_gain(job *j, movie *m)
{
    const char *path = job_text(j, "gain", NULL);
    tess_meta   meta = { .pixel_size = { 0 } };
    if (!path) return TESS_OK;
    for (int i = 0; i < 3; i++) meta.pixel_size[i] = m->projector.pixel_size;
    TESS_TRY(tess_empty(&m->gain, m->frame, TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(&m->gain, 1, 0.05, m->seed, &(tess_random_opts){ .stream = STREAM_GAIN }));
    TESS_TRY(tess_maximum(&m->gain, &m->gain, &tess_num(0.5)));
    if (!job_has(j, "dry-run"))
        TESS_TRY(tess_write(path, &m->gain, &(tess_write_opts){ .meta = &meta, .overwrite = job_has(j, "force") }));
    return move_array(&m->gain, j->device);
}

/* ---- Frames ---- */

/* Spectra of frames `first` on, whose specimen moves locally. */
static tess_status move_locally(const movie *m, tess_array *spectra, tess_shape shape, int64_t first)
{
    tess_array  still = { 0 }, moved = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_fft_c2r(&still, spectra, shape, NULL));
    TESS_GOTO(done, status, specimen_motion_apply(&m->specimen, &moved, &still, first));
    TESS_GOTO(done, status, tess_fft_r2c(spectra, &moved, NULL));
done:
    tess_release(&still);
    tess_release(&moved);
    return status;
}

/* Expected counts of n frames, into `out`. */
static tess_status expose(const movie *m, tess_array *out, int64_t first, int64_t n)
{
    tess_array  same, doses, moves, spectra = { 0 };
    tess_shape  spectra_shape = m->spectrum.shape, shape = m->frame;
    tess_status status;
    spectra_shape.b = shape.b = n;
    TESS_TRY(tess_broadcast(&same, &m->spectrum, spectra_shape));
    TESS_TRY(tess_slice(&doses, &m->received, 0, first, first + n, 1));
    TESS_TRY(tess_slice(&moves, &m->moves, 0, first, first + n, 1));
    if (m->has_damage)
        TESS_GOTO(done, status,
                  tess_dose_weight(&spectra, &same, shape, &doses, m->projector.pixel_size,
                                   &(tess_dose_weight_opts){ .voltage = m->ctf.voltage }));
    else TESS_GOTO(done, status, tess_copy(&spectra, &same));
    if (m->specimen.model.data) TESS_GOTO(done, status, move_locally(m, &spectra, shape, first));
    TESS_GOTO(
        done, status,
        tess_fft_phase_shift(&spectra, &spectra, shape, &moves, &(tess_fft_phase_shift_opts){ .real_nyquist = 1 }));
    TESS_GOTO(done, status, tess_fft_c2r(out, &spectra, shape, NULL));
    TESS_GOTO(done, status, tess_add(out, out, &tess_num(m->counts)));
    TESS_GOTO(done, status, tess_maximum(out, out, &tess_num(0)));
done:
    tess_release(&spectra);
    return status;
}

/* Normal noise of the variance that counting has. */
static tess_status add_normal(const movie *m, tess_array *out, const tess_random_opts *opts)
{
    tess_array  noise = { 0 };
    tess_status status = tess_empty(&noise, out->shape, TESS_F32, out->device);
    if (status == TESS_OK) status = tess_random_normal(&noise, 0, sqrt(m->counts), m->seed, opts);
    if (status == TESS_OK) status = tess_add(out, out, &noise);
    tess_release(&noise);
    return status;
}

static tess_status make_frames(void *context, tess_array *out, const tess_array *in, const slab *part)
{
    (void)in;
    const movie           *m = context;
    const tess_random_opts opts = { .stream = STREAM_COUNTS, .offset = (uint64_t)(part->b * m->frame.h * m->frame.w) };
    TESS_TRY(expose(m, out, part->b, part->nb));
    if (m->gain.data) TESS_TRY(tess_div(out, out, &m->gain));
    if (strcmp(m->noise, "poisson") == 0) return tess_random_poisson(out, out, m->seed, &opts);
    return strcmp(m->noise, "gaussian") == 0 ? add_normal(m, out, &opts) : TESS_OK;
}

static tess_status write_frames(job *j, movie *m)
{
    const int64_t pixels = m->frame.h * m->frame.w;
    tess_shape    shape = m->frame;
    tess_meta     meta = { .pixel_size = { 0 } };
    shape.b = m->frames;
    slab_plan plan = { .domain = shape,
                       .out_shape = shape,
                       .out_dtype = TESS_F32,
                       .extra = (m->specimen.model.data ? 20 : 12) * pixels,
                       .taken = 8 * pixels + 32 * m->projector.side * m->projector.side * (m->projector.side + 1),
                       .unit = "frames",
                       .device = j->device };
    for (int i = 0; i < 3; i++) meta.pixel_size[i] = m->projector.pixel_size;
    return stream_slabs_to_file(j, &plan, &meta, make_frames, m);
}

/* ---- The truth ---- */

static tess_status fill_general(const movie *m, tess_star *star, const char *images, const char *gain)
{
    tess_star_table *general;
    TESS_TRY(tess_star_add(&general, star, "general", true));
    TESS_TRY(tess_star_set(general, 0, "_rlnMicrographMovieName", images));
    if (gain) TESS_TRY(tess_star_set(general, 0, "_rlnMicrographGainName", gain));
    TESS_TRY(tess_star_set_i64(general, 0, "_rlnImageSizeX", m->frame.w));
    TESS_TRY(tess_star_set_i64(general, 0, "_rlnImageSizeY", m->frame.h));
    TESS_TRY(tess_star_set_i64(general, 0, "_rlnImageSizeZ", m->frames));
    TESS_TRY(tess_star_set_f64(general, 0, "_rlnMicrographOriginalPixelSize", m->projector.pixel_size));
    TESS_TRY(tess_star_set_f64(general, 0, "_rlnMicrographDoseRate", m->dose));
    TESS_TRY(tess_star_set_f64(general, 0, "_rlnVoltage", m->ctf.voltage));
    return truth_star_ctf(general, 0, &m->ctf);
}

/* As tessera motion writes them: what moves a frame onto the first one. */
static tess_status fill_drift(const movie *m, tess_star *star)
{
    const double    *drift = m->drift.data;
    tess_star_table *rows;
    TESS_TRY(tess_star_add(&rows, star, "global_shift", false));
    TESS_TRY(tess_star_add_rows(rows, m->frames));
    for (int64_t i = 0; i < m->frames; i++) {
        TESS_TRY(tess_star_set_i64(rows, i, "_rlnMicrographFrameNumber", i + 1));
        TESS_TRY(tess_star_set_f64(rows, i, "_rlnMicrographShiftX", 0 - drift[2 * i + 1]));
        TESS_TRY(tess_star_set_f64(rows, i, "_rlnMicrographShiftY", 0 - drift[2 * i]));
    }
    return TESS_OK;
}

static tess_status fill_particles(const movie *m, tess_star *star, const char *images)
{
    const double    *places = m->places.data, *angles = m->angles.data;
    tess_star_table *rows;
    TESS_TRY(tess_star_add(&rows, star, "particles", false));
    TESS_TRY(tess_star_add_rows(rows, m->count));
    for (int64_t i = 0; i < m->count; i++) {
        TESS_TRY(tess_star_set_f64(rows, i, "_rlnCoordinateX", places[2 * i + 1]));
        TESS_TRY(tess_star_set_f64(rows, i, "_rlnCoordinateY", places[2 * i]));
        TESS_TRY(tess_star_set(rows, i, "_rlnMicrographName", images));
        TESS_TRY(tess_star_set_i64(rows, i, "_rlnOpticsGroup", 1));
        TESS_TRY(truth_star_angles(rows, i, angles + 3 * i));
        TESS_TRY(truth_star_ctf(rows, i, &m->ctf));
    }
    return TESS_OK;
}

static tess_status fill_star(const movie *m, tess_star *star, const char *images, const char *gain)
{
    TESS_CHECK(images, TESS_ENOMEM, "simulate movie: no memory for the name of the movie");
    TESS_TRY(fill_general(m, star, images, gain));
    TESS_TRY(truth_star_optics(star, &m->ctf, 0));
    TESS_TRY(fill_drift(m, star));
    if (m->specimen.model.data) TESS_TRY(specimen_motion_add_truth(&m->specimen, star, m->frame));
    return fill_particles(m, star, images);
}

static tess_status write_star(const job *j, const movie *m)
{
    tess_star *star = NULL;
    TESS_TRY(tess_star_new(&star));
    char       *images = truth_star_images(j);
    tess_status status = fill_star(m, star, images, job_text(j, "gain", NULL));
    if (status == TESS_OK) status = truth_star_write(j, star);
    free(images);
    tess_star_free(star);
    return status;
}

/* ---- The verb ---- */

static tess_status simulate(job *j, movie *m)
{
    m->has_damage = !job_has(j, "no-damage");
    TESS_TRY(projector_open(&m->projector, j, j->arguments[0]));
    TESS_TRY(take_options(j, m));
    TESS_TRY(draw_parameters(j, m));
    TESS_TRY(make_micrograph(j, m));
    TESS_TRY(make_gain(j, m));
    TESS_TRY(write_frames(j, m));
    return job_has(j, "dry-run") ? TESS_OK : write_star(j, m);
}

static tess_status run(job *j)
{
    movie m = { .frames = 0 };
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(truth_star_check(j));
    const tess_status status = simulate(j, &m);
    tess_array *const all[] = { &m.views.rotations, &m.views.shifts, &m.angles,   &m.places,   &m.drift,
                                &m.doses,           &m.moves,        &m.received, &m.spectrum, &m.gain };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    specimen_motion_free(&m.specimen);
    projector_close(&m.projector);
    return status;
}

const verb verb_simulate_movie = {
    .name = "simulate movie",
    .subject = "files",
    .summary = "frames of a micrograph with particles, CTF, drift and dose damage, and their truth",
    .arguments = "MAP --defocus U[,V] -o MOVIE --star STAR",
    .text =
        "Projections of the map at random orientations lie at random places in amorphous ice. Their sum times the CTF "
        "is what the beam sees: each frame of it is moved by the drift, filtered by what the dose has left of it "
        "(exp(-N / 2Nc) of Grant and Grigorieff 2015, N in the middle of the frame; of the ice as well), and counted. "
        "Protein is dark. Drift within a frame is not simulated.\n"
        "\n"
        "With --local, parts of the specimen move against each other: each point by a random quadratic polynomial of "
        "its position, times 1 - exp(-N / 5), N the exposure before the frame in electrons/A^2. The mean over the "
        "frame is 0. The table local_shift has the shifts that undo it, on top of global_shift, at the middles of "
        "5 x 5 patches.\n"
        "\n"
        "The STAR file has the tables general (movie, gain reference, dose, defoci), optics, global_shift "
        "(rlnMicrographShiftX and Y, in pixels: what moves a frame onto the first one) and particles "
        "(rlnCoordinateX and Y in the first frame, pixels from 0, and Euler angles).\n"
        "\n"
        "With --gain, expected counts are divided by a reference of 1, and 5 % from pixel to pixel, which is written; "
        "frames times the reference are right.",
    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_SEED | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_OF_FILE(1, 1),
};
