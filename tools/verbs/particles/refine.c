/* tessera refine: orientations and shifts of particles by projection matching, with half sets kept apart. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "particles/half_sets.h"
#include "files/on_device.h"
#include "files/one_input.h"
#include "command/context.h"
#include "maps/map_grid.h"
#include "measure/pixel_sizes.h"
#include "measure/unit_cell.h"
#include "particles/particles.h"
#include "particles/poses.h"

static const option options[] = {
    { .name = "reference",
      .value = "MAP",
      .type = OPTION_FILE,
      .help = "map to start from, with the box of the images, or with another pixel size, from which it is rescaled" },
    { .name = "lowpass",
      .value = "RES",
      .type = OPTION_CUTOFF,
      .help = "what of the reference is kept at the start [30 A]" },
    { .name = "star",
      .writes = true,
      .is_particles = true,
      .value = "OUT",
      .type = OPTION_FILE,
      .help = "write the rows with their new angles and shifts here" },
    { .name = "half-maps",
      .writes = true,
      .mark = "{half}",
      .value = "OUT",
      .type = OPTION_FILE,
      .help = "write maps of both half sets: half{half}.mrc is half1.mrc and half2.mrc" },
    { .name = "sym",
      .alias = "group",
      .value = "GROUP",
      .type = OPTION_TEXT,
      .help = "point group: C4, D7, T, O, I1, I2 [C1]" },
    { .name = "rounds", .value = "N", .type = OPTION_INTEGER, .help = "maximum number of iterations [10]" },
    { .name = "global",
      .value = "N",
      .type = OPTION_INTEGER,
      .help = "rounds that search all orientations; 0: angles are those of the STAR file, and refined [3]" },
    { .name = "step", .value = "DEG", .type = OPTION_ANGLE, .help = "of the search of all orientations [12]" },
    { .name = "shift-range",
      .value = "L",
      .type = OPTION_LENGTH,
      .help = "largest shift that the first round tries [4 pixels]" },
    { .name = "diameter",
      .value = "L",
      .type = OPTION_LENGTH,
      .help = "of the soft sphere around references [0.85 of the box]" },
    { .name = "no-ctf", .type = OPTION_FLAG, .help = "take no account of CTFs that the STAR file has" },
    { 0 },
};
static const char *const examples[] = {
    "tessera refine poses.star --reference volume.mrc --rounds 2 --step 40 -o refined.mrc --star refined.star",
    "tessera refine poses.star --reference volume.mrc --global 0 --rounds 1 --half-maps 'h{half}.mrc' -o local.mrc",
    NULL,
};

enum { EDGE = 5 }; /* pixels of the soft edge of the sphere */

typedef struct refinement {
    job           *job;
    input          in;
    tess_particles p;
    tess_array     tilts;                /* of particles_tilts */
    tess_array     scores;               /* f64 {n,1,1,1} */
    int64_t        side, rounds, global; /* at most so many rounds, and how many of them search all orientations */
    double         pixel_size, diameter, reach; /* pixels: of the sphere, and of shifts */
    double         step;                        /* radians, of the search of all */
    double         angle;                       /* of the steps about the best in this round */
    double         cutoff;                      /* cycles per pixel up to which images are compared */
    const char    *symmetry;
    bool           searches;   /* this round searches all orientations */
    tess_array     grid;       /* all orientations */
    tess_array     curve;      /* weights of shells of the reference, {1,1,1,side/2+1}; no data: all 1 */
    tess_array     maps[2];    /* of both halves, on the host */
    tess_array     spectra[2]; /* references of this round, on the device */
    tess_array     sums[2][2]; /* of this round: volume and weights of each half */
    char           names[2][4096];
} refinement;

/* ---- References ---- */

/* A soft sphere of a map, with its shells weighted. */
static tess_status filter_map(const refinement *r, tess_array *out, const tess_array *map)
{
    tess_array  spectrum = { 0 }, smooth = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_fft_r2c(&spectrum, map, NULL));
    if (r->curve.data) TESS_GOTO(done, status, tess_filter_curve(&spectrum, &spectrum, map->shape, &r->curve, NULL));
    else
        TESS_GOTO(done, status,
                  tess_lowpass(&spectrum, &spectrum, map->shape, r->cutoff,
                               &(tess_lowpass_opts){ .width = 2 / (double)r->side }));
    TESS_GOTO(done, status, tess_fft_c2r(&smooth, &spectrum, map->shape, NULL));
    TESS_GOTO(done, status,
              tess_taper_radial(out, &smooth, r->diameter / 2, &(tess_taper_radial_opts){ .width = EDGE }));
done:
    tess_release(&spectrum);
    tess_release(&smooth);
    return status;
}

static tess_status prepare_references(refinement *r)
{
    tess_status status = TESS_OK;
    for (int k = 0; k < 2 && status == TESS_OK; k++) {
        tess_array map = { 0 };
        tess_release(&r->spectra[k]);
        status = filter_map(r, &map, &r->maps[k]);
        if (status == TESS_OK) status = move_array(&map, r->job->device);
        if (status == TESS_OK) status = tess_fourier_prepare(&r->spectra[k], &map, NULL);
        tess_release(&map);
    }
    return status;
}

/* ---- Images ---- */

/* Particles of one half in a part of the stack: their numbers there, images and rows. */
typedef struct chosen {
    tess_array numbers, there; /* i64 on the host and on the device */
    tess_array images, rotations, shifts, ctfs;
} chosen;

static void release_chosen(chosen *c)
{
    tess_array *all[] = { &c->numbers, &c->there, &c->images, &c->rotations, &c->shifts, &c->ctfs };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
}

static tess_status choose(chosen *c, const refinement *r, const tess_array *images, int half, int64_t first)
{
    const int64_t n = images->shape.b;
    tess_array    part;
    TESS_TRY(particles_of_half(&c->numbers, &r->p, half, first, n));
    if (c->numbers.shape.w == 0) return TESS_OK;
    TESS_TRY(tess_to_device(&c->there, &c->numbers, images->device));
    TESS_TRY(tess_take(&c->images, images, &c->there, 0));
    TESS_TRY(tess_take(&c->rotations, particles_part(&part, &r->p.rotations, first, n), &c->numbers, 0));
    TESS_TRY(tess_take(&c->shifts, particles_part(&part, &r->p.shifts, first, n), &c->numbers, 0));
    if (r->p.ctfs.data) TESS_TRY(tess_take(&c->ctfs, particles_even_ctfs(&part, &r->p, first, n), &c->numbers, 0));
    return TESS_OK;
}

/* New poses of the chosen ones, on the host. */
typedef struct poses {
    tess_array rotations, shifts, scores;
} poses;

static void release_poses(poses *p)
{
    tess_release(&p->rotations);
    tess_release(&p->shifts);
    tess_release(&p->scores);
}

static tess_status match(poses *out, const refinement *r, const chosen *c, int half, const tess_array *candidates,
                         tess_match_projections_opts o)
{
    poses       there = { 0 };
    tess_status status;
    o.ctfs = c->ctfs.data ? &c->ctfs : NULL;
    TESS_GOTO(done, status,
              tess_match_projections(&there.rotations, &there.shifts, &there.scores, &r->spectra[half - 1], &c->images,
                                     candidates, &o));
    TESS_GOTO(done, status, tess_to_device(&out->rotations, &there.rotations, tess_cpu()));
    TESS_GOTO(done, status, tess_to_device(&out->shifts, &there.shifts, tess_cpu()));
    TESS_GOTO(done, status, tess_to_device(&out->scores, &there.scores, tess_cpu()));
done:
    release_poses(&there);
    return status;
}

/* All orientations up to the frequency that their distance can tell apart, then steps about the best up to the
 * cutoff. */
static tess_status find_poses(poses *out, const refinement *r, const chosen *c, int half)
{
    poses             coarse = { 0 };
    const tess_array *start = &c->rotations, *around = &c->shifts;
    tess_status       status = TESS_OK;
    if (r->searches) {
        const double apart = fmax(1 / (r->step * r->diameter), 3 / (double)r->side);
        TESS_GOTO(done, status,
                  match(&coarse, r, c, half, &r->grid,
                        (tess_match_projections_opts){
                            .around = around, .high = fmin(r->cutoff, apart), .radius = r->reach }));
        start = &coarse.rotations;
        around = &coarse.shifts;
    }
    TESS_GOTO(done, status,
              match(out, r, c, half, start,
                    (tess_match_projections_opts){ .around = around,
                                                   .high = r->cutoff,
                                                   .each = 1,
                                                   .angle = r->angle,
                                                   .shift_step = r->searches ? 0.5 : 0.25,
                                                   .halvings = 2 }));
done:
    release_poses(&coarse);
    return status;
}

static void keep_poses(refinement *r, const chosen *c, const poses *new, int64_t first)
{
    const int64_t *numbers = c->numbers.data;
    for (int64_t i = 0; i < c->numbers.shape.w; i++) {
        const int64_t to = first + numbers[i];
        memcpy((double *)r->p.rotations.data + 4 * to, (double *)new->rotations.data + 4 * i, 4 * sizeof(double));
        memcpy((double *)r->p.shifts.data + 2 * to, (double *)new->shifts.data + 2 * i, 2 * sizeof(double));
        ((double *)r->scores.data)[to] = ((double *)new->scores.data)[i];
    }
}

static tess_status add_half(refinement *r, const tess_array *images, int half, int64_t first)
{
    chosen c = { 0 };
    poses new = { 0 };
    tess_status status;
    tess_array *sums = r->sums[half - 1];
    TESS_GOTO(done, status, choose(&c, r, images, half, first));
    if (c.numbers.shape.w == 0) goto done;
    TESS_GOTO(done, status, find_poses(&new, r, &c, half));
    keep_poses(r, &c, &new, first);
    TESS_GOTO(done, status,
              tess_fourier_backproject(&sums[0], &sums[1], &c.images, &new.rotations,
                                       &(tess_fourier_backproject_opts){ .shifts = &new.shifts,
                                                                         .ctfs = c.ctfs.data ? &c.ctfs : NULL,
                                                                         .symmetry = r->symmetry,
                                                                         .add = sums[0].data != NULL }));
done:
    release_chosen(&c);
    release_poses(&new);
    return status;
}

static tess_status match_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    refinement       *r = context;
    const tess_array *images;
    tess_array        made = { 0 };
    tess_status       status;
    TESS_GOTO(done, status, check_particles_finite(&r->p, in, s->b));
    TESS_GOTO(done, status, particles_without_tilt(&images, &made, &r->tilts, in, s->b));
    for (int half = 1; half <= 2 && status == TESS_OK; half++) status = add_half(r, images, half, s->b);
done:
    tess_release(&made);
    return status;
}

/* ---- Rounds ---- */

static tess_status map_of(tess_array *map, const tess_array sums[2])
{
    tess_array  there = { 0 };
    tess_status status = tess_fourier_reconstruct(&there, &sums[0], &sums[1], NULL);
    if (status == TESS_OK) status = tess_to_device(map, &there, tess_cpu());
    tess_release(&there);
    return status;
}

static tess_status go_through_images(refinement *r)
{
    const int64_t   s = r->side;
    input *const    inputs[] = { &r->in };
    const int64_t   p = 2 * s, taken = 2 * 20 * p * p * (p / 2 + 1);
    const slab_plan plan = { .domain = r->in.info.shape,
                             .inputs = inputs,
                             .n_inputs = 1,
                             .in_dtypes = &(tess_dtype){ TESS_F32 },
                             .images = true,
                             .out_shape = r->in.info.shape,
                             .extra = 8 * 8 * s * (s / 2 + 1),
                             .taken = taken,
                             .unit = "images",
                             .device = r->job->device };
    TESS_TRY(volume_fits(r->job, TESS_SHAPE(1, p, p, p), taken + 16 * p * p * (p / 2 + 1)));
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) tess_release(&r->sums[k][i]);
    return stream_slabs(r->job, &plan, NULL, match_slab, r);
}

/* Maps of both halves, and from their correlation under the sphere the weights and the cutoff of the next round. */
static tess_status compare_halves(refinement *r, double *frequency)
{
    tess_array  masked[2] = { { .data = NULL } };
    tess_status status = TESS_OK;
    for (int k = 0; k < 2; k++) {
        tess_release(&r->maps[k]);
        TESS_GOTO(done, status, map_of(&r->maps[k], r->sums[k]));
        TESS_GOTO(
            done, status,
            tess_taper_radial(&masked[k], &r->maps[k], r->diameter / 2, &(tess_taper_radial_opts){ .width = EDGE }));
    }
    tess_release(&r->curve);
    TESS_GOTO(done, status, shell_weights(&r->curve, frequency, &masked[0], &masked[1]));
    r->cutoff = fmin(fmax(*frequency, 3 / (double)r->side) + 1 / (double)r->side, 0.5);
done:
    tess_release(&masked[0]);
    tess_release(&masked[1]);
    return status;
}

/* Steps about the best: half the grid where all orientations are searched, else half of what the cutoff can tell
 * apart. */
static void choose_steps(refinement *r, int64_t round)
{
    const double told = 1 / (r->cutoff * r->diameter);
    r->searches = round < r->global;
    r->angle = r->searches ? r->step / 2 : fmin(told, r->step / 2) / 2;
    if (round > 0) r->reach = fmin(r->reach, 2);
}

/* One row of the report; `moved` receives the median of the changes of angles, in radians. */
static tess_status report_round(refinement *r, table *report, int64_t round, double frequency, const poses *old,
                                double *moved)
{
    const pose_change change = {
        &old->rotations, &r->p.rotations, &old->shifts, &r->p.shifts, &r->scores, r->symmetry
    };
    const bool known = r->pixel_size > 0;
    table_integer(report, "round", round + 1);
    table_text(report, "search", r->searches ? "all" : "local");
    table_number_as(report, known ? "resolution_A" : "resolution_px", (known ? r->pixel_size : 1) / frequency,
                    TESS_F32);
    TESS_TRY(report_poses(report, &change, moved));
    table_row(report);
    return TESS_OK;
}

static tess_status do_round(refinement *r, table *report, int64_t round, double *frequency, double *moved)
{
    poses       old = { 0 };
    tess_status status;
    choose_steps(r, round);
    TESS_GOTO(done, status, prepare_references(r));
    TESS_GOTO(done, status, tess_copy(&old.rotations, &r->p.rotations));
    TESS_GOTO(done, status, tess_copy(&old.shifts, &r->p.shifts));
    TESS_GOTO(done, status, go_through_images(r));
    TESS_GOTO(done, status, compare_halves(r, frequency));
    TESS_GOTO(done, status, report_round(r, report, round, *frequency, &old, moved));
done:
    release_poses(&old);
    return status;
}

/* Until neither resolution, by half a shell, nor angles, by a step, change any more. */
static tess_status do_rounds(refinement *r)
{
    table      *report = table_new(r->job, stdout);
    double      best = 0;
    tess_status status = TESS_OK;
    TESS_CHECK(report, TESS_ENOMEM, "refine: out of memory");
    for (int64_t round = 0; round < r->rounds && status == TESS_OK; round++) {
        double frequency = 0, moved = 0;
        status = do_round(r, report, round, &frequency, &moved);
        const bool still = frequency <= best + 0.5 / (double)r->side && moved < r->angle;
        best = fmax(best, frequency);
        if (round >= r->global && still) break;
    }
    if (status == TESS_OK) table_end(report);
    else table_free(report);
    return status;
}

/* ---- Results ---- */

static tess_status write_results(refinement *r)
{
    const tess_meta meta = { .pixel_size = { r->pixel_size, r->pixel_size, r->pixel_size } };
    tess_array      map = { 0 }, filtered = { 0 };
    tess_status     status = TESS_OK;
    for (int k = 0; k < 2 && r->names[k][0]; k++)
        TESS_GOTO(done, status, output_write(r->job, r->names[k], &r->maps[k], &meta));
    for (int i = 0; i < 2; i++) TESS_GOTO(done, status, tess_add(&r->sums[0][i], &r->sums[0][i], &r->sums[1][i]));
    TESS_GOTO(done, status, map_of(&map, r->sums[0]));
    TESS_GOTO(done, status, filter_map(r, &filtered, &map));
    TESS_GOTO(done, status, output_write(r->job, NULL, &filtered, &meta));
    if (job_has(r->job, "star")) {
        TESS_GOTO(done, status, tess_particles_put_halves(&r->p));
        TESS_GOTO(done, status, tess_particles_put_poses(&r->p));
        TESS_GOTO(done, status, particles_write(&r->p, r->job, job_text(r->job, "star", "")));
    }
done:
    tess_release(&map);
    tess_release(&filtered);
    return status;
}

/* ---- Options and inputs ---- */

/* Another pixel size than that of the images is brought to theirs. */
static tess_status rescale_reference(refinement *r, const input *in)
{
    const double size = in->info.meta.pixel_size[2];
    TESS_CHECK(unit_cell_is_cubic(&in->info.meta, true), TESS_EUNSUPPORTED,
               "refine: --reference %s has pixels of %g x %g x %g A, or axes that are not at right angles; pixels that "
               "are alike along all axes are needed",
               in->name, size, in->info.meta.pixel_size[1], in->info.meta.pixel_size[0]);
    TESS_CHECK(size <= 32 * r->pixel_size && r->pixel_size <= 32 * size, TESS_ERANGE,
               "refine: --reference %s has pixels of %g A and the images of %g A; a factor of 32 at most is allowed",
               in->name, size, r->pixel_size);
    TESS_TRY(map_to_grid(&r->maps[0], r->pixel_size / size, r->side));
    job_note(r->job, "--reference %s is rescaled from %lld pixels of %.6g A to %lld of %.6g A, those of the images",
             in->name, (long long)in->info.shape.w, size, (long long)r->side, r->pixel_size);
    return TESS_OK;
}

static tess_status take_reference(refinement *r, input *in)
{
    const tess_shape shape = in->info.shape;
    const bool       other = pixel_sizes_differ(r->pixel_size, in->info.meta.pixel_size[2]);
    TESS_TRY(need_real(r->job, in));
    TESS_CHECK(shape.b == 1 && (other || (shape.d == r->side && shape.h == r->side && shape.w == r->side)), TESS_ESHAPE,
               "refine: --reference %s has %lld x %lld x %lld voxels; the images need %lld along each axis", in->name,
               (long long)shape.w, (long long)shape.h, (long long)shape.d, (long long)r->side);
    TESS_TRY(input_read_all(in, r->job, &r->maps[0], TESS_F32));
    TESS_TRY(need_finite(r->job, in->name, &r->maps[0]));
    if (other) TESS_TRY(rescale_reference(r, in));
    return tess_copy(&r->maps[1], &r->maps[0]);
}

static tess_status read_reference(refinement *r)
{
    input       in;
    const char *name = job_text(r->job, "reference", NULL);
    TESS_CHECK(name, TESS_EARG, "refine: --reference MAP is needed, where the refinement starts");
    TESS_TRY(input_open(&in, r->job, name, NEED_VOLUME));
    const tess_status status = take_reference(r, &in);
    input_close(&in);
    return status;
}

static tess_status read_particles(refinement *r)
{
    job                      *j = r->job;
    const tess_context        context = job_context(j);
    const int32_t             ctfs = job_has(j, "no-ctf") ? 0 : TESS_PARTICLES_CTFS;
    const tess_particles_opts opts = { .what = TESS_PARTICLES_HALVES | TESS_PARTICLES_POSES | ctfs,
                                       .needed = r->global == 0 ? TESS_PARTICLES_POSES : 0,
                                       .rows = r->in.chosen,
                                       .n_rows = r->in.n_chosen,
                                       .pixel_size = tess_given(r->pixel_size) };
    TESS_TRY(tess_particles_open(&r->p, r->in.name, &opts, &context));
    TESS_TRY(particles_need_halves(&r->p, j));
    for (int half = 1; half <= 2; half++) {
        int64_t n = 0;
        for (int64_t i = 0; i < r->p.n; i++) n += ((const double *)r->p.halves.data)[i] == half;
        TESS_CHECK(n > 0, TESS_EARG, "%s: no row is of half %d", r->p.name, half);
    }
    if (!r->p.rotations.data) TESS_TRY(tess_particles_reset_poses(&r->p));
    TESS_TRY(particles_tilts(&r->tilts, &r->p));
    TESS_TRY(tess_zeros(&r->scores, TESS_SHAPE(r->p.n, 1, 1, 1), TESS_F64, tess_cpu()));
    return TESS_OK;
}

static tess_status find_options(refinement *r)
{
    job    *j = r->job;
    int64_t order;
    r->symmetry = job_text(j, "sym", "C1");
    TESS_TRY(tess_symmetry_order(&order, r->symmetry));
    r->rounds = job_integer(j, "rounds", 10);
    r->global = job_integer(j, "global", 3);
    TESS_CHECK(r->rounds >= 1 && r->rounds <= 1000, TESS_ERANGE, "--rounds: %lld; 1 to 1000 is allowed",
               (long long)r->rounds);
    TESS_CHECK(r->global >= 0, TESS_ERANGE, "--global: %lld; 0 or more is allowed", (long long)r->global);
    r->step = 12 * 3.14159265358979323846 / 180;
    TESS_TRY(job_angle(j, "step", &r->step));
    TESS_CHECK(r->step >= 0.017 && r->step <= 1.1, TESS_ERANGE, "--step: %g degrees; 1 to 60 is allowed",
               r->step * 180 / 3.14159265358979323846);
    r->reach = 4;
    TESS_TRY(job_length(j, "shift-range", r->pixel_size, &r->reach));
    TESS_CHECK(r->reach >= 0 && r->reach <= 50, TESS_ERANGE, "--shift-range: %g pixels; 0 to 50 is allowed", r->reach);
    r->diameter = 0.85 * (double)r->side;
    TESS_TRY(job_length(j, "diameter", r->pixel_size, &r->diameter));
    TESS_CHECK(r->diameter >= 4 && r->diameter <= (double)r->side, TESS_ERANGE,
               "--diameter: %g pixels; 4 to the %lld of the box are allowed", r->diameter, (long long)r->side);
    TESS_CHECK(job_has(j, "lowpass") || r->pixel_size > 0, TESS_EARG,
               "%s: the pixel size is not known, which 30 A need; give it with --apix, or --lowpass in 1/px",
               r->in.name);
    r->cutoff = r->pixel_size > 0 ? fmin(r->pixel_size / 30, 0.5) : 0.5;
    TESS_TRY(job_cutoff(j, "lowpass", r->pixel_size, r->side, &r->cutoff));
    r->cutoff = fmax(r->cutoff, 3 / (double)r->side);
    if (r->global > 0) TESS_TRY(tess_quat_grid(&r->grid, r->step, &(tess_quat_grid_opts){ .symmetry = r->symmetry }));
    return TESS_OK;
}

static tess_status refine_list(refinement *r)
{
    const tess_shape shape = r->in.info.shape;
    bool             skip;
    TESS_CHECK(r->in.listed, TESS_EARG, "refine: %s is no STAR file; a list of images is needed", r->in.name);
    TESS_CHECK(shape.h == shape.w && shape.w >= 8, TESS_ESHAPE,
               "refine: %s has images of %lld x %lld; square ones of 8 pixels or more are needed", r->in.name,
               (long long)shape.w, (long long)shape.h);
    r->side = shape.w;
    r->pixel_size = r->in.info.meta.pixel_size[2];
    TESS_TRY(need_real(r->job, &r->in));
    TESS_TRY(find_options(r));
    TESS_TRY(read_particles(r));
    TESS_TRY(output_planned(r->job, NULL, TESS_SHAPE(1, r->side, r->side, r->side), TESS_F32, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(read_reference(r));
    TESS_TRY(do_rounds(r));
    return write_results(r);
}

static void release_all(refinement *r)
{
    tess_particles_release(&r->p);
    tess_release(&r->tilts);
    tess_release(&r->scores);
    tess_release(&r->grid);
    tess_release(&r->curve);
    for (int k = 0; k < 2; k++) {
        tess_release(&r->maps[k]);
        tess_release(&r->spectra[k]);
        for (int i = 0; i < 2; i++) tess_release(&r->sums[k][i]);
    }
}

static tess_status open_and_refine(job *j, refinement *r)
{
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(half_map_names(j, "half-maps", r->names));
    TESS_TRY(input_open(&r->in, j, j->arguments[0], NEED_IMAGES));
    const tess_status status = refine_list(r);
    input_close(&r->in);
    return status;
}

static tess_status run(job *j)
{
    refinement *r = calloc(1, sizeof *r);
    TESS_CHECK(r, TESS_ENOMEM, "refine: out of memory");
    r->job = j;
    const tess_status status = open_and_refine(j, r);
    release_all(r);
    free(r);
    return status;
}

const verb verb_refine = {
    .name = "refine",
    .subject = "particles",
    .summary = "orientations and shifts of particles, by matching projections of their own map",
    .arguments = "STAR... --reference MAP -o MAP",
    .text =
        "A small refinement, for tests, teaching and a first look. It is no replacement for that of RELION or "
        "cryoSPARC: each particle has one orientation, noise is taken as white, there are no classes, no refinement of "
        "CTFs, no local masks.\n\n"
        "In each round every particle is compared with projections of the map of its own half set, times its CTF, by "
        "the "
        "correlation up to the present resolution; then both halves are reconstructed anew. The first rounds "
        "(--global) "
        "search all orientations, --step apart, and shifts up to --shift-range; then steps about the best are halved "
        "twice. The halves, by rlnRandomSubset or by turns, begin with the same reference, low-passed (--lowpass), and "
        "are apart from there on. References are cut by a soft sphere, weighted by sqrt(2 FSC / (1 + FSC)), and "
        "low-passed where the FSC of the halves under the sphere falls below 0.143; one shell more is compared. It "
        "stops when neither resolution nor angles change, or after --rounds.\n\n"
        "Standard output has a row for each round: resolution; how far angles (degrees) and shifts (pixels) moved, at "
        "the median and for 90 % of particles; scores, of which 10, 50 and 90 % are below; and which part of 48 equal "
        "directions has any view. The map is that of both halves, weighted as the last reference.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
