/* Simulated movies: projections in amorphous ice times a CTF, moved, faded by the dose and counted frame by frame. */
#include "tessera/jobs/simulate_movie.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/movies/microscope.h"
#include "jobs/data/result_sink.h"
#include "jobs/simulate/projector.h"
#include "jobs/simulate/random_positions.h"
#include "jobs/simulate/specimen_motion.h"
#include "jobs/simulate/truth.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/jobs/slabs.h"
#include "tessera/random.h"
#include "tessera/resize.h"

static const char fn[] = "simulate_movie";

#define R tess_simulate_movie_result
#define O tess_simulate_movie_opts
#define ANGSTROM "\xc3\x85"
static const tess_choice particle_columns[] = {
    { "x", TESS_MOVIE_PARTICLE_X, "position along x in the first frame, in pixels from 0" },
    { "y", TESS_MOVIE_PARTICLE_Y, "position along y, in pixels" },
    { "rot", TESS_MOVIE_PARTICLE_ROT, "RELION's first Euler angle, degrees" },
    { "tilt", TESS_MOVIE_PARTICLE_TILT, "second Euler angle, degrees" },
    { "psi", TESS_MOVIE_PARTICLE_PSI, "third Euler angle, degrees" },
    { .name = NULL },
};
static const tess_choice shift_columns[] = {
    { "frame", TESS_FRAME_SHIFT_FRAME, "frame index, from 0" },
    { "x", TESS_FRAME_SHIFT_X, "shift along x that moves the frame onto the first one, in pixels" },
    { "y", TESS_FRAME_SHIFT_Y, "shift along y, in pixels" },
    { "exposure", TESS_FRAME_SHIFT_EXPOSURE, "exposure in the middle of the frame, electrons/" ANGSTROM "^2" },
    { .name = NULL },
};
static const tess_choice local_columns[] = {
    { "frame", TESS_LOCAL_SHIFT_FRAME, "frame index, from 0" },
    { "at_x", TESS_LOCAL_SHIFT_AT_X, "centre of the patch along x, in pixels from 0" },
    { "at_y", TESS_LOCAL_SHIFT_AT_Y, "centre of the patch along y, in pixels" },
    { "x", TESS_LOCAL_SHIFT_X, "shift along x that moves the patch back, in addition to that of the frame, in pixels" },
    { "y", TESS_LOCAL_SHIFT_Y, "shift along y, in pixels" },
    { .name = NULL },
};
static const tess_choice countings[] = {
    { "poisson", TESS_COUNTING_POISSON, "integer counts" },
    { "gaussian", TESS_COUNTING_GAUSSIAN, "Gaussian noise of the same variance" },
    { "none", TESS_COUNTING_NONE, "expected counts without noise" },
    { .name = NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_IMAGES(R, movie, "", "frames of the movie"),
    TESS__RESULT_COLUMNS(R, particles, particle_columns, "position and orientation of each particle"),
    TESS__RESULT_ARRAY(R, rotations, "", "quaternion (z, y, x, w) of each particle, from the image to the map"),
    TESS__RESULT_COLUMNS(R, shifts, shift_columns, "shifts of whole frames"),
    TESS__RESULT_COLUMNS(R, local_shifts, local_columns,
                         "shifts of 5 x 5 patches, patch by patch, all frames of each; only with local"),
    TESS__RESULT_ARRAY(R, ctf, "", "CTF, as fields of a tess_ctf"),
    TESS__RESULT_ARRAY(R, gain, "", "gain reference to multiply the frames by; only with gain"),
    TESS__RESULT_F64(R, pixel_size, ANGSTROM, "pixel size"),
    TESS__RESULT_F64(R, dose, "electrons/" ANGSTROM "^2", "dose per frame"),
    TESS__SOURCE_VOLUME("map", "map, a cube"),
    TESS__NEED(TESS_ARG_F64, "defocus", "mean defocus in \xc2\xb5m; underfocus is positive"),
    TESS__OPT_I64(O, frames, "", 16, 1, 10000, "number of frames"),
    TESS__AUTO_SHAPE(O, size, "1024 x 1024", "pixels along each side of a frame"),
    TESS__AUTO_I64(O, count, "", "number that covers 15 % of the area with discs of diameter distance", 1, 1000000,
                   "number of particles"),
    TESS__AUTO_F64(O, distance, "pixels", "0.7 of the box of the map", 1, 1e6, "minimum distance between particles"),
    TESS__OPT_F64(O, contrast, "", 0.1, 0, 1e6,
                  "standard deviation within a particle box, before the CTF, relative to the mean intensity"),
    TESS__OPT_F64(O, ice, "", 1, 0, 1e6,
                  "standard deviation of the amorphous ice, white before the CTF, relative to that of a particle box"),
    TESS__OPT_F64(O, dose, "electrons/" ANGSTROM "^2", 1, 1e-6, 1e6, "dose per frame"),
    TESS__FLAG(O, no_damage, "leave out radiation damage, which attenuates high frequencies"),
    TESS__OPT_F64(O, drift, "pixels", 1, 0, 1e6, "first step of a decaying drift, on top of a random walk"),
    TESS__OPT_F64(O, local, "pixels", 0, 0, 1e6,
                  "maximum local motion, varying smoothly over the frame, on top of the drift"),
    TESS__OPT_CHOICE(O, noise, TESS_COUNTING_POISSON, countings, "noise model of electron counting"),
    TESS__FLAG(O, gain, "vary the sensitivity of the pixels, and make the gain reference"),
    TESS__OPT_F64(O, astigmatism, "\xc2\xb5m", 0, -DBL_MAX, DBL_MAX, "half the difference between the defoci U and V"),
    TESS__OPT_F64(O, angle, "radians", 0, -DBL_MAX, DBL_MAX, "angle of the larger defocus, from x towards y"),
    TESS__MICROSCOPE_ROWS(O),
    TESS__OPT_F64(O, phase_shift, "radians", 0, -DBL_MAX, DBL_MAX, "phase shift of a phase plate"),
    TESS__ENVELOPE_ROW(O),
    TESS__OPT_SINK(O, sink, "sink for the frames"),
    TESS__AUTO_F64(O, pixel_size, ANGSTROM, "that of the map", TESS__POSITIVE, DBL_MAX, "pixel size"),
};
#undef R
#undef O

TESS__JOB_RUN(simulate_movie, v[0].source, v[1].f64)
const tess_job_info tess__job_simulate_movie =
    TESS__JOB(simulate_movie, "Simulate a movie of particles in ice with known ground truth", args,
              tess_simulate_movie_opts, tess_simulate_movie_result);

/* Independent random numbers of one seed. */
enum { STREAM_ANGLES = 1, STREAM_POSITIONS, STREAM_ICE, STREAM_DRIFT, STREAM_GAIN, STREAM_COUNTS, STREAM_LOCAL };

typedef struct simulation {
    const tess_context         *context;
    const tess_source          *map;
    tess_simulate_movie_opts    o;
    tess_simulate_movie_result *r;
    tess__projector             projector;
    tess__views                 views;           /* of the particles, moved by fractions of pixels; on the device */
    tess_array                  angles;          /* {n,1,1,3}, degrees */
    tess_array                  positions;       /* {n,1,1,2}, y and x */
    tess_array                  drift, doses;    /* {frames,1,1,2}, y and x; {frames,1,1,1}, in the middle of a frame */
    tess_array                  moves, received; /* the same on the device */
    tess__specimen_motion       specimen;        /* local motion; no model: there is none */
    tess_array                  spectrum;        /* of the micrograph, with CTF, in counts, on the device */
    tess_array                  gain;            /* on the device; zeroed: there is none */
    tess_shape                  frame;           /* {1,1,h,w} */
    double                      counts;          /* expected in a pixel of a frame */
    tess_ctf                    ctf;
} simulation;

/* ---- Options ---- */

static tess_status find_size(simulation *s)
{
    const tess_shape asked = s->o.size;
    const int64_t    side = s->projector.side;
    const bool       is_given = asked.b != 0 || asked.d != 0 || asked.h != 0 || asked.w != 0;
    s->frame = is_given ? TESS_SHAPE(1, 1, asked.h, asked.w) : TESS_SHAPE(1, 1, 1024, 1024);
    TESS_CHECK(!is_given || (asked.b >= 0 && asked.b <= 1 && asked.d >= 0 && asked.d <= 1), TESS_ERANGE,
               "%s: `opts->size` is {%lld,%lld,%lld,%lld}; the size of a frame, {1,1,h,w}, is expected", fn,
               (long long)asked.b, (long long)asked.d, (long long)asked.h, (long long)asked.w);
    for (int k = 2; k < 4; k++)
        TESS_CHECK(
            s->frame.dim[k] >= side && s->frame.dim[k] <= 65536, TESS_ERANGE,
            "%s: `opts->size` is %lld x %lld pixels; each must be an integer from %lld, the side of the map, to 65536",
            fn, (long long)s->frame.w, (long long)s->frame.h, (long long)side);
    return TESS_OK;
}

static tess_status find_particles(simulation *s)
{
    tess_simulate_movie_opts *o = &s->o;
    const double              side = (double)s->projector.side, area = (double)(s->frame.h * s->frame.w);
    if (!(o->distance > 0)) o->distance = 0.7 * side;
    const double usual = fmax(1, 0.15 * area / (0.7854 * o->distance * o->distance));
    if (o->count == 0) o->count = (int64_t)usual;
    TESS_CHECK(o->count <= 1000000, TESS_ERANGE,
               "%s: a distance of %g pixels gives %lld particles; at most 1000000 are allowed; give `opts->count` or a "
               "larger `opts->distance`",
               fn, o->distance, (long long)o->count);
    return TESS_OK;
}

static tess_status find_ctf(simulation *s, double defocus)
{
    const tess_simulate_movie_opts *o = &s->o;
    const double                    size = s->projector.pixel_size;
    TESS_CHECK(isfinite(defocus), TESS_ERANGE, "%s: `defocus` is %g um; it must be finite", fn, defocus);
    TESS_CHECK(
        o->no_damage || o->voltage == 300 || o->voltage == 200, TESS_EARG,
        "%s: `opts->voltage` is %g; radiation damage is known only at 300 and 200 kV; `opts->no_damage` leaves it out",
        fn, o->voltage);
    s->ctf = (tess_ctf){ .pixel_size = { size, size },
                         .defocus = defocus,
                         .astigmatism = o->astigmatism,
                         .angle = o->angle,
                         .voltage = o->voltage,
                         .cs = o->cs,
                         .amplitude = o->amplitude,
                         .phase_shift = o->phase_shift,
                         .bfactor = o->bfactor };
    return TESS_OK;
}

static tess_status find_options(simulation *s, double defocus)
{
    TESS_TRY(find_size(s));
    TESS_TRY(find_particles(s));
    TESS_TRY(find_ctf(s, defocus));
    s->counts = s->o.dose * s->projector.pixel_size * s->projector.pixel_size;
    return tess__image_fits(s->context, fn, s->frame, 28 * s->frame.h * s->frame.w);
}

/* ---- Random parameters ---- */

/* Steps along one direction that fade over four frames, and a random walk of a fifth of the first step. */
static tess_status draw_drift(simulation *s)
{
    const double step = s->o.drift;
    tess_array   numbers = { 0 };
    TESS_TRY(tess_zeros(&s->drift, TESS_SHAPE(s->o.frames, 1, 1, 2), TESS_F64, tess_cpu()));
    TESS_TRY(tess_empty(&numbers, TESS_SHAPE(s->o.frames, 1, 1, 2), TESS_F64, tess_cpu()));
    const tess_status status =
        tess_random_normal(&numbers, 0, 1, s->context->seed, &(tess_random_opts){ .stream = STREAM_DRIFT });
    const double *random = numbers.data;
    double       *drift = s->drift.data;
    for (int64_t i = 1; i < s->o.frames && status == TESS_OK; i++) {
        const double along = step * exp(-(double)(i - 1) / 4) / hypot(random[0], random[1]);
        for (int axis = 0; axis < 2; axis++) {
            const double moved = drift[2 * i - 2 + axis] + along * random[axis] + 0.2 * step * random[2 * i + axis];
            drift[2 * i + axis] = round(1e4 * moved) / 1e4;
        }
    }
    tess_release(&numbers);
    return status;
}

static tess_status set_doses(simulation *s)
{
    TESS_TRY(tess_zeros(&s->doses, TESS_SHAPE(s->o.frames, 1, 1, 1), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < s->o.frames; i++) ((double *)s->doses.data)[i] = s->o.dose * ((double)i + 0.5);
    return TESS_OK;
}

static tess_status draw_motion(simulation *s)
{
    const tess_device device = s->context->device;
    TESS_TRY(draw_drift(s));
    TESS_TRY(set_doses(s));
    TESS_TRY(tess__copy_to_device(&s->moves, &s->drift, device));
    TESS_TRY(tess__copy_to_device(&s->received, &s->doses, device));
    if (!(s->o.local > 0)) return TESS_OK;
    return tess__specimen_motion_draw(&s->specimen, s->o.local, s->o.dose, s->o.frames, s->context->seed, STREAM_LOCAL);
}

static tess_status draw_particles(simulation *s)
{
    const tess_device            device = s->context->device;
    const tess__positions_wanted wanted = { .fn = fn,
                                            .context = s->context,
                                            .n = s->o.count,
                                            .image = s->frame,
                                            .margin = s->projector.side / 2,
                                            .distance = s->o.distance,
                                            .stream = STREAM_POSITIONS };
    tess_array                  *shifts = &s->views.shifts;
    TESS_TRY(tess__random_orientations(&s->angles, &s->r->rotations, s->o.count, s->context->seed, STREAM_ANGLES));
    TESS_TRY(tess__copy_to_device(&s->views.rotations, &s->r->rotations, device));
    TESS_TRY(tess__random_positions(&s->positions, &wanted));
    TESS_TRY(tess_floor(shifts, &s->positions));
    TESS_TRY(tess_sub(shifts, &s->positions, shifts));
    return tess__move(shifts, device);
}

/* ---- The micrograph ---- */

/* Where the first pixels of the boxes of particles first to first + n lie, {n,1,1,2}. */
static tess_status find_origins(const simulation *s, tess_array *origins, int64_t first, int64_t n)
{
    const double *positions = (const double *)s->positions.data + 2 * first;
    TESS_TRY(tess_empty(origins, TESS_SHAPE(n, 1, 1, 2), TESS_I64, tess_cpu()));
    for (int64_t i = 0; i < 2 * n; i++)
        ((int64_t *)origins->data)[i] = (int64_t)floor(positions[i]) - s->projector.side / 2;
    return tess__move(origins, s->context->device);
}

static tess_status add_some(const simulation *s, tess_array *micrograph, int64_t first, int64_t n)
{
    tess_array  boxes = { 0 }, origins = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess__project_views(&s->projector, &boxes, &s->views, first, n));
    TESS_GOTO(done, status, find_origins(s, &origins, first, n));
    TESS_GOTO(done, status, tess_insert(micrograph, &boxes, &origins, &(tess_insert_opts){ .add = 1 }));
done:
    tess_release(&boxes);
    tess_release(&origins);
    return status;
}

/* As many at a time as slabs have, so that the caller hears of it. */
static tess_status add_particles(const simulation *s, tess_array *micrograph)
{
    const int64_t count = s->o.count, each = 16 * s->projector.side * s->projector.side;
    const int64_t fit = tess__images_at_a_time(s->context, count, each), usual = s->context->slab / each;
    const int64_t at_a_time = usual < 1 ? 1 : usual < fit ? usual : fit;
    tess__stage   stage;
    TESS_TRY(tess__stage_begin(&stage, fn, s->context, (tess_progress){ .stage = "particles", .total = count }));
    for (int64_t first = 0, n; first < count; first += n) {
        n = count - first < at_a_time ? count - first : at_a_time;
        TESS_TRY(add_some(s, micrograph, first, n));
        TESS_TRY(tess__stage_add(&stage, n));
    }
    return TESS_OK;
}

/* Ice and particles, as bright as their projections are; what is denser becomes darker. */
static tess_status draw_specimen(const simulation *s, tess_array *micrograph)
{
    double variance;
    TESS_TRY(tess__variance_of_views(&s->projector, &s->views, &variance));
    TESS_CHECK(variance > 0 && isfinite(variance), TESS_EARG,
               "%s: %s has projections of variance %g; `opts->contrast` requires a variance above 0", fn, s->map->name,
               variance);
    TESS_TRY(tess_empty(micrograph, s->frame, TESS_F32, s->context->device));
    TESS_TRY(tess_random_normal(micrograph, 0, s->o.ice * sqrt(variance), s->context->seed,
                                &(tess_random_opts){ .stream = STREAM_ICE }));
    TESS_TRY(add_particles(s, micrograph));
    return tess_mul(micrograph, micrograph, &tess_num(-s->counts * s->o.contrast / sqrt(variance)));
}

static tess_status make_micrograph(simulation *s)
{
    tess_array  micrograph = { 0 };
    tess_status status;
    TESS_GOTO(done, status, draw_specimen(s, &micrograph));
    TESS_GOTO(done, status, tess_fft_r2c(&s->spectrum, &micrograph, NULL));
    TESS_GOTO(done, status, tess_ctf_apply(&s->spectrum, &s->spectrum, s->frame, &s->ctf, NULL));
done:
    tess_release(&micrograph);
    return status;
}

/* The gain reference: 1, and 5 % from pixel to pixel. */
static tess_status make_gain(simulation *s)
{
    tess_array *gain = &s->r->gain;
    if (!s->o.gain) return TESS_OK;
    TESS_TRY(tess_empty(gain, s->frame, TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(gain, 1, 0.05, s->context->seed, &(tess_random_opts){ .stream = STREAM_GAIN }));
    TESS_TRY(tess_maximum(gain, gain, &tess_num(0.5)));
    return tess__copy_to_device(&s->gain, gain, s->context->device);
}

/* ---- Frames ---- */

/* Spectra of frames `first` on, whose specimen moves locally. */
static tess_status move_locally(const simulation *s, tess_array *spectra, tess_shape shape, int64_t first)
{
    tess_array  still = { 0 }, moved = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_fft_c2r(&still, spectra, shape, NULL));
    TESS_GOTO(done, status, tess__specimen_motion_apply(&s->specimen, &moved, &still, first));
    TESS_GOTO(done, status, tess_fft_r2c(spectra, &moved, NULL));
done:
    tess_release(&still);
    tess_release(&moved);
    return status;
}

/* Spectra of n frames, with what the dose has left. */
static tess_status fade(const simulation *s, tess_array *spectra, tess_shape shape, int64_t first)
{
    const tess_dose_weight_opts opts = { .voltage = s->ctf.voltage };
    tess_array                  same, doses;
    tess_shape                  all = s->spectrum.shape;
    all.b = shape.b;
    TESS_TRY(tess_broadcast(&same, &s->spectrum, all));
    if (s->o.no_damage) return tess_copy(spectra, &same);
    TESS_TRY(tess_slice(&doses, &s->received, 0, first, first + shape.b, 1));
    return tess_dose_weight(spectra, &same, shape, &doses, s->projector.pixel_size, &opts);
}

/* Expected counts of n frames, into `out`. */
static tess_status expose(const simulation *s, tess_array *out, int64_t first, int64_t n)
{
    const tess_fft_phase_shift_opts opts = { .real_nyquist = 1 };
    tess_array                      moves, spectra = { 0 };
    tess_shape                      shape = s->frame;
    tess_status                     status;
    shape.b = n;
    TESS_TRY(tess_slice(&moves, &s->moves, 0, first, first + n, 1));
    TESS_GOTO(done, status, fade(s, &spectra, shape, first));
    if (s->specimen.model.data) TESS_GOTO(done, status, move_locally(s, &spectra, shape, first));
    TESS_GOTO(done, status, tess_fft_phase_shift(&spectra, &spectra, shape, &moves, &opts));
    TESS_GOTO(done, status, tess_fft_c2r(out, &spectra, shape, NULL));
    TESS_GOTO(done, status, tess_add(out, out, &tess_num(s->counts)));
    TESS_GOTO(done, status, tess_maximum(out, out, &tess_num(0)));
done:
    tess_release(&spectra);
    return status;
}

/* Normal noise of the variance that counting has. */
static tess_status add_normal(const simulation *s, tess_array *out, const tess_random_opts *opts)
{
    tess_array  noise = { 0 };
    tess_status status = tess_empty(&noise, out->shape, TESS_F32, out->device);
    if (status == TESS_OK) status = tess_random_normal(&noise, 0, sqrt(s->counts), s->context->seed, opts);
    if (status == TESS_OK) status = tess_add(out, out, &noise);
    tess_release(&noise);
    return status;
}

static tess_status make_frames(void *user, tess_array *out, const tess_array *in, const tess_slab *slab)
{
    (void)in;
    const simulation      *s = user;
    const tess_random_opts opts = { .stream = STREAM_COUNTS, .offset = (uint64_t)(slab->b * s->frame.h * s->frame.w) };
    TESS_TRY(expose(s, out, slab->b, slab->nb));
    if (s->gain.data) TESS_TRY(tess_div(out, out, &s->gain));
    if (s->o.noise == TESS_COUNTING_POISSON) return tess_random_poisson(out, out, s->context->seed, &opts);
    return s->o.noise == TESS_COUNTING_GAUSSIAN ? add_normal(s, out, &opts) : TESS_OK;
}

static tess_status make_all(simulation *s)
{
    const int64_t     pixels = s->frame.h * s->frame.w, side = s->projector.side;
    const double      size = s->projector.pixel_size;
    const tess_meta   meta = { .pixel_size = { size, size, size } };
    tess_shape        shape = s->frame;
    tess__result_sink to = { .fn = fn, .sink = s->o.sink };
    shape.b = s->o.frames;
    TESS_TRY(tess__result_sink_begin(&to, &s->r->movie, shape, TESS_F32, &meta, s->context));
    const tess_slab_plan plan = { .name = fn,
                                  .domain = shape,
                                  .out_shape = shape,
                                  .out_dtype = TESS_F32,
                                  .extra = (s->specimen.model.data ? 20 : 12) * pixels,
                                  .taken = 8 * pixels + 32 * side * side * (side + 1) + to.taken,
                                  .stage = "frames" };
    return tess_slabs_run(&plan, to.sink, make_frames, s, s->context);
}

/* ---- The truth ---- */

static tess_status fill_particles(const simulation *s)
{
    tess_array *table = &s->r->particles;
    TESS_TRY(tess_empty(table, TESS_SHAPE(1, 1, s->o.count, TESS_MOVIE_PARTICLE_COLUMNS), TESS_F64, tess_cpu()));
    double *row = table->data;
    for (int64_t i = 0; i < s->o.count; i++, row += TESS_MOVIE_PARTICLE_COLUMNS) {
        row[TESS_MOVIE_PARTICLE_X] = ((const double *)s->positions.data)[2 * i + 1];
        row[TESS_MOVIE_PARTICLE_Y] = ((const double *)s->positions.data)[2 * i];
        for (int k = 0; k < 3; k++) row[TESS_MOVIE_PARTICLE_ROT + k] = ((const double *)s->angles.data)[3 * i + k];
    }
    tess__rows_to_table(&s->r->rotations);
    return TESS_OK;
}

static tess_status fill_shifts(const simulation *s)
{
    const double *drift = s->drift.data;
    tess_array   *table = &s->r->shifts;
    TESS_TRY(tess_empty(table, TESS_SHAPE(1, 1, s->o.frames, TESS_FRAME_SHIFT_COLUMNS), TESS_F64, tess_cpu()));
    double *row = table->data;
    for (int64_t i = 0; i < s->o.frames; i++, row += TESS_FRAME_SHIFT_COLUMNS) {
        row[TESS_FRAME_SHIFT_FRAME] = (double)i;
        row[TESS_FRAME_SHIFT_X] = 0 - drift[2 * i + 1];
        row[TESS_FRAME_SHIFT_Y] = 0 - drift[2 * i];
        row[TESS_FRAME_SHIFT_EXPOSURE] = ((const double *)s->doses.data)[i];
    }
    if (!s->specimen.model.data) return TESS_OK;
    return tess__specimen_motion_table(&s->specimen, &s->r->local_shifts, s->frame);
}

static tess_status fill_truth(const simulation *s)
{
    TESS_TRY(fill_particles(s));
    TESS_TRY(fill_shifts(s));
    TESS_TRY(tess_zeros(&s->r->ctf, TESS_SHAPE(1, 1, 1, TESS_CTF_COLUMNS), TESS_F64, tess_cpu()));
    memcpy(s->r->ctf.data, &s->ctf, sizeof s->ctf);
    s->r->pixel_size = s->projector.pixel_size;
    s->r->dose = s->o.dose;
    return TESS_OK;
}

static tess_status work(simulation *s, double defocus)
{
    TESS_TRY(tess__projector_open(&s->projector, fn, s->map, s->o.pixel_size, s->context));
    TESS_TRY(find_options(s, defocus));
    TESS_TRY(draw_motion(s));
    TESS_TRY(draw_particles(s));
    TESS_TRY(make_micrograph(s));
    TESS_TRY(make_gain(s));
    TESS_TRY(make_all(s));
    return fill_truth(s);
}

static void release(simulation *s)
{
    tess_array *const all[] = { &s->views.rotations, &s->views.shifts, &s->angles,   &s->positions, &s->drift,
                                &s->doses,           &s->moves,        &s->received, &s->spectrum,  &s->gain };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    tess__specimen_motion_release(&s->specimen);
    tess__projector_close(&s->projector);
}

tess_status tess_simulate_movie(tess_simulate_movie_result *result, const tess_source *map, double defocus,
                                const tess_simulate_movie_opts *opts, const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_context c;
    simulation   s = { .context = &c, .map = map, .r = result };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "map", map));
    TESS_TRY(tess__resolve(&tess__job_simulate_movie.function, opts, &s.o));
    TESS_TRY(tess__context(&c, fn, context));
    const tess_status status = work(&s, defocus);
    release(&s);
    if (status != TESS_OK) tess_simulate_movie_result_release(result);
    return status;
}

void tess_simulate_movie_result_release(tess_simulate_movie_result *result)
{
    if (!result) return;
    tess_array *const all[] = { &result->movie,        &result->particles, &result->rotations, &result->shifts,
                                &result->local_shifts, &result->ctf,       &result->gain };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    memset(result, 0, sizeof *result);
}
