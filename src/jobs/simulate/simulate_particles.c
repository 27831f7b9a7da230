/* Simulated particles: central slices of a map's spectrum, moved, times CTFs, and white noise. */
#include "tessera/jobs/simulate_particles.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/movies/microscope.h"
#include "jobs/data/particles/particle_rows.h"
#include "jobs/data/result_sink.h"
#include "jobs/simulate/projector.h"
#include "jobs/simulate/truth.h"
#include "tessera/constants.h"
#include "tessera/ewise.h"
#include "tessera/jobs/slabs.h"
#include "tessera/random.h"

static const char fn[] = "simulate_particles";

#define R tess_simulate_particles_result
#define O tess_simulate_particles_opts
static const tess_choice columns[] = {
    { "micrograph", TESS_SIMULATED_MICROGRAPH, "micrograph index, from 0" },
    { "rot", TESS_SIMULATED_ROT, "RELION's first Euler angle, degrees" },
    { "tilt", TESS_SIMULATED_TILT, "second Euler angle, degrees" },
    { "psi", TESS_SIMULATED_PSI, "third Euler angle, degrees" },
    { "origin_x", TESS_SIMULATED_ORIGIN_X, "shift along x that moves the particle to the centre, \xc3\x85" },
    { "origin_y", TESS_SIMULATED_ORIGIN_Y, "shift along y, \xc3\x85" },
    { "half", TESS_SIMULATED_HALF, "half set, 1 or 2" },
    { .name = NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_IMAGES(R, images, "", "images of the particles"),
    TESS__RESULT_COLUMNS(R, particles, columns, "micrograph, pose and half set of each particle"),
    TESS__RESULT_ARRAY(R, rotations, "", "quaternion (z, y, x, w) of each image, from the image to the map"),
    TESS__RESULT_ARRAY(R, shifts, "pixels", "shifts (y, x) that move each particle to the centre"),
    TESS__RESULT_ARRAY(R, ctfs, "", "CTF of each image, as fields of a tess_ctf; not with no_ctf"),
    TESS__RESULT_F64(R, pixel_size, "\xc3\x85", "pixel size"),
    TESS__RESULT_F64(R, noise, "", "standard deviation of the noise"),
    TESS__SOURCE_VOLUME("map", "map, a cube"),
    TESS__AUTO_I64(O, count, "", "500, or the number of rows of a given table", 1, 10000000, "number of particles"),
    TESS__OPT_I64(O, micrographs, "", 10, 1, 10000000,
                  "number of micrographs to distribute the particles over, each with its own defocus"),
    TESS__OPT_F64(O, snr, "", 0.1, TESS__POSITIVE, 1e30,
                  "signal-to-noise ratio: variance of the images relative to that of the noise, over the whole box"),
    TESS__FLAG(O, no_noise, "make images without noise"),
    TESS__FLAG(O, no_ctf, "make images without CTF"),
    TESS__OPT_F64(O, shift, "pixels", 1, 0, DBL_MAX, "standard deviation of the random shifts along x and y"),
    TESS__OPT_F64(O, min_defocus, "\xc2\xb5m", 1, -DBL_MAX, DBL_MAX, "minimum mean defocus"),
    TESS__OPT_F64(O, max_defocus, "\xc2\xb5m", 2, -DBL_MAX, DBL_MAX, "maximum mean defocus"),
    TESS__OPT_F64(O, astigmatism, "\xc2\xb5m", 0.02, 0, DBL_MAX,
                  "maximum astigmatism: half the difference between U and V"),
    TESS__MICROSCOPE_ROWS(O),
    TESS__ENVELOPE_ROW(O),
    TESS__OPT_ARRAY(O, rotations, const tess_array *,
                    "quaternion (z, y, x, w) of each image, from the image to the map, instead of random ones"),
    TESS__OPT_ARRAY(O, shifts, const tess_array *,
                    "shift (y, x) that moves each particle to the centre, in pixels, instead of random ones"),
    TESS__OPT_ARRAY(O, ctfs, const tess_array *, "CTF of each image, as fields of a tess_ctf, instead of random ones"),
    TESS__OPT_SINK(O, sink, "sink for the images"),
    TESS__AUTO_F64(O, pixel_size, "\xc3\x85", "that of the map", TESS__POSITIVE, DBL_MAX, "pixel size"),
};
#undef R
#undef O

TESS__JOB_RUN(simulate_particles, v[0].source)
const tess_job_info tess__job_simulate_particles =
    TESS__JOB(simulate_particles, "Simulate noisy, CTF-modulated projections of a map with known ground truth", args,
              tess_simulate_particles_opts, tess_simulate_particles_result);

/* Independent random numbers of one seed. */
enum { STREAM_ANGLES = 1, STREAM_SHIFTS, STREAM_CTFS, STREAM_NOISE };
enum { USUAL_COUNT = 500 };

typedef struct simulation {
    const tess_context             *context;
    const tess_source              *map;
    tess_simulate_particles_opts    o;
    tess_simulate_particles_result *r; /* its tables are {n,1,1,k} until the end */
    tess__projector                 projector;
    tess__views                     views;   /* on the device */
    tess_array                      ctfs;    /* on the device */
    tess_array                      angles;  /* {n,1,1,3}, degrees */
    tess_array                      origins; /* {n,1,1,2}, y and x in Å: what takes a particle back to the centre */
    int64_t                         n;
} simulation;

/* ---- Options ---- */

static bool is_given(double value) { return value != 0 || signbit(value); }

/* Options of random CTFs say nothing where CTFs are given, or left out. */
static tess_status check_given_ctfs(const tess_simulate_particles_opts *given)
{
    const struct {
        const char *name;
        double      value;
    } others[] = {
        { "min_defocus", given->min_defocus },
        { "max_defocus", given->max_defocus },
        { "astigmatism", given->astigmatism },
        { "voltage", given->voltage },
        { "cs", given->cs },
        { "amplitude", given->amplitude },
        { "bfactor", given->bfactor },
        { "no_ctf", given->no_ctf },
    };
    const size_t n = sizeof others / sizeof *others;
    for (size_t i = 0; given->ctfs && i < n; i++)
        TESS_CHECK(!is_given(others[i].value), TESS_EARG,
                   "%s: `opts->ctfs` gives the CTFs; `opts->%s` cannot be given with it", fn, others[i].name);
    for (size_t i = 0; given->no_ctf && i + 1 < n; i++)
        TESS_CHECK(!is_given(others[i].value), TESS_EARG,
                   "%s: `opts->no_ctf` leaves the CTF out; `opts->%s` cannot be given with it", fn, others[i].name);
    return TESS_OK;
}

/* `given` are the options as the caller wrote them. */
static tess_status check_given(const tess_simulate_particles_opts *given)
{
    TESS_CHECK(!given->no_noise || !is_given(given->snr), TESS_EARG,
               "%s: `opts->snr` sets the noise level, but `opts->no_noise` leaves noise out; give only one", fn);
    TESS_CHECK(!given->shifts || !is_given(given->shift), TESS_EARG,
               "%s: `opts->shift` is for random shifts, but `opts->shifts` gives the shifts; give only one", fn);
    return check_given_ctfs(given);
}

static tess_status check_options(const simulation *s)
{
    const tess_simulate_particles_opts *o = &s->o;
    TESS_CHECK(o->min_defocus <= o->max_defocus, TESS_ERANGE,
               "%s: `opts->max_defocus` (%g um) must be at least `opts->min_defocus` (%g um)", fn, o->max_defocus,
               o->min_defocus);
    TESS_CHECK(o->shift <= (double)s->projector.side, TESS_ERANGE,
               "%s: `opts->shift` is %g pixels; 0 to %lld, the side of the box, is allowed", fn, o->shift,
               (long long)s->projector.side);
    return TESS_OK;
}

static int64_t rows_of(const tess_array *table) { return table->shape.b == 1 ? table->shape.h : table->shape.b; }

/* Tables that are given, as {n,1,1,k}; they say how many particles there are, unless the count does. */
static tess_status read_tables(simulation *s)
{
    const struct {
        const char       *name;
        const tess_array *table;
        tess_array       *to;
        int64_t           least, most;
    } tables[] = { { "opts->rotations", s->o.rotations, &s->r->rotations, 4, 4 },
                   { "opts->shifts", s->o.shifts, &s->r->shifts, 2, 2 },
                   { "opts->ctfs", s->o.ctfs, &s->r->ctfs, TESS_CTF_MIN_COLUMNS, TESS_CTF_COLUMNS } };
    s->n = s->o.count;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (!tables[i].table) continue;
        if (s->n == 0) s->n = rows_of(tables[i].table);
        TESS_CHECK(s->n > 0, TESS_ESHAPE, "%s: `%s` has no rows; one row per particle is expected", fn, tables[i].name);
        const tess__rows_wanted wanted = { fn, tables[i].name, s->n, tables[i].least, tables[i].most };
        TESS_TRY(tess__particle_rows(tables[i].to, tables[i].table, &wanted));
    }
    if (s->n == 0) s->n = USUAL_COUNT;
    return tess__check_quaternions(fn, "opts->rotations", &s->r->rotations);
}

/* ---- Parameters ---- */

static tess_status find_orientations(simulation *s)
{
    tess_array *rotations = &s->r->rotations;
    if (rotations->data) TESS_TRY(tess__angles_of(&s->angles, rotations));
    else TESS_TRY(tess__random_orientations(&s->angles, rotations, s->n, s->context->seed, STREAM_ANGLES));
    return tess__copy_to_device(&s->views.rotations, rotations, s->context->device);
}

/* Origins are rounded to a tenth of a thousandth of 1 Å, as STAR files have them, and shifts are made of those. */
static tess_status draw_shifts(simulation *s, double *origins, double *shifts)
{
    const double size = s->projector.pixel_size;
    TESS_TRY(tess_random_normal(&s->origins, 0, s->o.shift, s->context->seed,
                                &(tess_random_opts){ .stream = STREAM_SHIFTS }));
    for (int64_t i = 0; i < 2 * s->n; i++) {
        origins[i] = round(1e4 * origins[i] * size) / 1e4;
        shifts[i] = origins[i] / size;
    }
    return TESS_OK;
}

static tess_status find_shifts(simulation *s)
{
    const tess_shape shape = TESS_SHAPE(s->n, 1, 1, 2);
    const bool       are_given = s->r->shifts.data != NULL;
    TESS_TRY(tess_empty(&s->origins, shape, TESS_F64, tess_cpu()));
    if (!are_given) TESS_TRY(tess_empty(&s->r->shifts, shape, TESS_F64, tess_cpu()));
    double *origins = s->origins.data, *shifts = s->r->shifts.data;
    if (!are_given) TESS_TRY(draw_shifts(s, origins, shifts));
    for (int64_t i = 0; are_given && i < 2 * s->n; i++) origins[i] = shifts[i] * s->projector.pixel_size;
    TESS_TRY(tess_neg(&s->views.shifts, &s->r->shifts));
    return tess__move(&s->views.shifts, s->context->device);
}

/* Which micrograph a particle is from: each has as many, one after the other. */
static int64_t micrograph_of(const simulation *s, int64_t i) { return i * s->o.micrographs / s->n; }

/* The CTF of a micrograph from three random numbers. */
static tess_ctf random_ctf(const simulation *s, const double random[3])
{
    const tess_simulate_particles_opts *o = &s->o;
    const double                        size = s->projector.pixel_size, degree = TESS_PI / 180;
    return (tess_ctf){ .pixel_size = { size, size },
                       .defocus = round(1e6 * (o->min_defocus + random[0] * (o->max_defocus - o->min_defocus))) / 1e6,
                       .astigmatism = round(1e6 * random[1] * o->astigmatism) / 1e6,
                       .angle = round(1e4 * (180 * random[2] - 90)) / 1e4 * degree,
                       .voltage = o->voltage,
                       .cs = o->cs,
                       .amplitude = o->amplitude,
                       .bfactor = o->bfactor };
}

/* One CTF for each micrograph; those of micrograph m come from the random numbers 3 m to 3 m + 2. */
static tess_status draw_ctfs(simulation *s)
{
    tess_array numbers = { 0 };
    TESS_TRY(tess_zeros(&s->r->ctfs, TESS_SHAPE(s->n, 1, 1, TESS_CTF_COLUMNS), TESS_F64, tess_cpu()));
    TESS_TRY(tess_empty(&numbers, TESS_SHAPE(s->o.micrographs, 1, 1, 3), TESS_F64, tess_cpu()));
    const tess_status status =
        tess_random_uniform(&numbers, 0, 1, s->context->seed, &(tess_random_opts){ .stream = STREAM_CTFS });
    for (int64_t i = 0; i < s->n && status == TESS_OK; i++)
        ((tess_ctf *)s->r->ctfs.data)[i] = random_ctf(s, (const double *)numbers.data + 3 * micrograph_of(s, i));
    tess_release(&numbers);
    return status;
}

/* All columns, also of tables that have fewer. */
static tess_status complete_ctfs(tess_array *ctfs)
{
    const int64_t width = ctfs->shape.w;
    tess_array    all = { 0 };
    if (width == TESS_CTF_COLUMNS) return TESS_OK;
    TESS_TRY(tess_zeros(&all, TESS_SHAPE(ctfs->shape.b, 1, 1, TESS_CTF_COLUMNS), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < ctfs->shape.b; i++)
        memcpy((tess_ctf *)all.data + i, (const double *)ctfs->data + i * width, sizeof(double) * (size_t)width);
    tess_release(ctfs);
    *ctfs = all;
    return TESS_OK;
}

static tess_status find_ctfs(simulation *s)
{
    if (s->o.no_ctf) return TESS_OK;
    if (s->r->ctfs.data) TESS_TRY(complete_ctfs(&s->r->ctfs));
    else TESS_TRY(draw_ctfs(s));
    s->views.ctfs = &s->ctfs;
    return tess__copy_to_device(&s->ctfs, &s->r->ctfs, s->context->device);
}

static tess_status find_noise(simulation *s)
{
    double variance;
    if (s->o.no_noise) return TESS_OK;
    TESS_TRY(tess__variance_of_views(&s->projector, &s->views, &variance));
    TESS_CHECK(variance > 0 && isfinite(variance), TESS_EARG,
               "%s: %s has projections of variance %g; `opts->snr` requires a variance above 0", fn, s->map->name,
               variance);
    s->r->noise = sqrt(variance / s->o.snr);
    return TESS_OK;
}

/* ---- Images ---- */

static tess_status make_images(void *user, tess_array *out, const tess_array *in, const tess_slab *slab)
{
    (void)in;
    const simulation *s = user;
    const uint64_t    first = (uint64_t)(slab->b * s->projector.side * s->projector.side);
    tess_array        noise = { 0 };
    TESS_TRY(tess__project_views(&s->projector, out, &s->views, slab->b, slab->nb));
    if (s->r->noise <= 0) return TESS_OK;
    tess_status status = tess_empty(&noise, out->shape, TESS_F32, out->device);
    if (status == TESS_OK)
        status = tess_random_normal(&noise, 0, s->r->noise, s->context->seed,
                                    &(tess_random_opts){ .stream = STREAM_NOISE, .offset = first });
    if (status == TESS_OK) status = tess_add(out, out, &noise);
    tess_release(&noise);
    return status;
}

static tess_status make_all(simulation *s)
{
    const int64_t     side = s->projector.side;
    const double      size = s->projector.pixel_size;
    const tess_shape  shape = TESS_SHAPE(s->n, 1, side, side);
    const tess_meta   meta = { .pixel_size = { size, size, size } };
    tess__result_sink to = { .fn = fn, .sink = s->o.sink };
    TESS_TRY(tess__result_sink_begin(&to, &s->r->images, shape, TESS_F32, &meta, s->context));
    const tess_slab_plan plan = { .name = fn,
                                  .domain = shape,
                                  .out_shape = shape,
                                  .out_dtype = TESS_F32,
                                  .extra = 3 * (int64_t)sizeof(float) * side * (side + 2),
                                  .taken = 32 * side * side * (side + 1) + to.taken,
                                  .stage = "images" };
    return tess_slabs_run(&plan, to.sink, make_images, s, s->context);
}

/* ---- What they are ---- */

static tess_status fill_particles(simulation *s)
{
    tess_simulate_particles_result *r = s->r;
    TESS_TRY(tess_empty(&r->particles, TESS_SHAPE(1, 1, s->n, TESS_SIMULATED_COLUMNS), TESS_F64, tess_cpu()));
    double *row = r->particles.data;
    for (int64_t i = 0; i < s->n; i++, row += TESS_SIMULATED_COLUMNS) {
        const double *angles = (const double *)s->angles.data + 3 * i;
        const double *origin = (const double *)s->origins.data + 2 * i;
        row[TESS_SIMULATED_MICROGRAPH] = (double)micrograph_of(s, i);
        for (int k = 0; k < 3; k++) row[TESS_SIMULATED_ROT + k] = angles[k];
        row[TESS_SIMULATED_ORIGIN_X] = origin[1];
        row[TESS_SIMULATED_ORIGIN_Y] = origin[0];
        row[TESS_SIMULATED_HALF] = (double)(i % 2 + 1);
    }
    tess__rows_to_table(&r->rotations);
    tess__rows_to_table(&r->shifts);
    tess__rows_to_table(&r->ctfs);
    r->pixel_size = s->projector.pixel_size;
    return TESS_OK;
}

static tess_status work(simulation *s)
{
    TESS_TRY(tess__projector_open(&s->projector, fn, s->map, s->o.pixel_size, s->context));
    TESS_TRY(check_options(s));
    TESS_TRY(read_tables(s));
    TESS_TRY(find_orientations(s));
    TESS_TRY(find_shifts(s));
    TESS_TRY(find_ctfs(s));
    TESS_TRY(find_noise(s));
    TESS_TRY(make_all(s));
    return fill_particles(s);
}

tess_status tess_simulate_particles(tess_simulate_particles_result *result, const tess_source *map,
                                    const tess_simulate_particles_opts *opts, const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_context c;
    simulation   s = { .context = &c, .map = map, .r = result };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "map", map));
    TESS_TRY(tess__resolve(&tess__job_simulate_particles.function, opts, &s.o));
    if (opts) TESS_TRY(check_given(opts));
    TESS_TRY(tess__context(&c, fn, context));
    const tess_status status = work(&s);
    tess_array *const all[] = { &s.views.rotations, &s.views.shifts, &s.ctfs, &s.angles, &s.origins };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    tess__projector_close(&s.projector);
    if (status != TESS_OK) tess_simulate_particles_result_release(result);
    return status;
}

void tess_simulate_particles_result_release(tess_simulate_particles_result *result)
{
    if (!result) return;
    tess_array *const all[] = { &result->images, &result->particles, &result->rotations, &result->shifts,
                                &result->ctfs };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    memset(result, 0, sizeof *result);
}
