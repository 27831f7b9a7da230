/* One iteration of a refinement: references from the last half maps, poses by projection matching, half maps by Fourier
 * insertion, and from their Fourier shell correlation the weights of the next references. */
#include <math.h>
#include <string.h>

#include "jobs/data/maps/map_fsc.h"
#include "jobs/refine/refining.h"
#include "jobs/run/context.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/filter.h"
#include "tessera/fourier_project.h"
#include "tessera/jobs/slabs.h"
#include "tessera/window.h"

enum {
    EDGE = 5,        /* pixels of the soft edge of the sphere */
    AT_A_TIME = 256, /* images on the CPU, so that progress is reported often; fewer would cost speed */
};

/* ---- References ---- */

static tess_status cut_by_sphere(tess_array *out, const tess__refinement *r, const tess_array *map)
{
    return tess_taper_radial(out, map, r->o.diameter / 2, &(tess_taper_radial_opts){ .width = EDGE });
}

/* A soft sphere of a map, with its shells weighted. */
static tess_status filter_map(tess_array *out, const tess__refinement *r, const tess_array *map)
{
    const tess_lowpass_opts edge = { .width = 2 / (double)r->side };
    tess_array              spectrum = { 0 }, smooth = { 0 };
    tess_status             status;
    TESS_GOTO(done, status, tess_fft_r2c(&spectrum, map, NULL));
    if (r->curve.data) TESS_GOTO(done, status, tess_filter_curve(&spectrum, &spectrum, map->shape, &r->curve, NULL));
    else TESS_GOTO(done, status, tess_lowpass(&spectrum, &spectrum, map->shape, r->cutoff, &edge));
    TESS_GOTO(done, status, tess_fft_c2r(&smooth, &spectrum, map->shape, NULL));
    TESS_GOTO(done, status, cut_by_sphere(out, r, &smooth));
done:
    tess_release(&spectrum);
    tess_release(&smooth);
    return status;
}

static tess_status prepare_references(tess__refinement *r)
{
    tess_status status = TESS_OK;
    for (int k = 0; k < 2 && status == TESS_OK; k++) {
        tess_array map = { 0 };
        tess_release(&r->spectra[k]);
        status = filter_map(&map, r, &r->maps[k]);
        if (status == TESS_OK) status = tess__move(&map, r->context->device);
        if (status == TESS_OK) status = tess_fourier_prepare(&r->spectra[k], &map, NULL);
        tess_release(&map);
    }
    return status;
}

/* ---- Images ---- */

static void keep_poses(tess__refinement *r, const tess__particle_part *part, const tess__poses *new, int64_t first)
{
    const int64_t *numbers = part->numbers.data;
    for (int64_t i = 0; i < part->n; i++) {
        const int64_t to = first + numbers[i];
        memcpy((double *)r->set.rotations.data + 4 * to, (double *)new->rotations.data + 4 * i, 4 * sizeof(double));
        memcpy((double *)r->set.shifts.data + 2 * to, (double *)new->shifts.data + 2 * i, 2 * sizeof(double));
        ((double *)r->scores.data)[to] = ((double *)new->scores.data)[i];
    }
}

static tess_status add_half(tess__refinement *r, const tess_array *images, int half, int64_t first)
{
    tess_array *const   sums = r->sums[half - 1];
    tess__particle_part part;
    tess__poses new = { .scores = { .data = NULL } };
    tess_status status;
    TESS_GOTO(done, status, tess__particles_of_half(&part, &r->set, half, images, first));
    if (part.n == 0) goto done;
    TESS_GOTO(done, status, tess__refine_match(&new, r, &part, half));
    keep_poses(r, &part, &new, first);
    const tess_fourier_backproject_opts opts = { .shifts = &new.shifts,
                                                 .ctfs = part.ctfs.data ? &part.ctfs : NULL,
                                                 .sym = r->o.sym,
                                                 .add = sums[0].data != NULL };
    TESS_GOTO(done, status, tess_fourier_backproject(&sums[0], &sums[1], &part.images, &new.rotations, &opts));
done:
    tess__particle_part_release(&part);
    tess__poses_release(&new);
    return status;
}

static tess_status match_slab(void *user, tess_array *out, const tess_array *in, const tess_slab *s)
{
    tess__refinement *r = user;
    const tess_array *images;
    tess_array        made = { 0 };
    tess_status       status = tess__particle_images(&images, &made, &r->set, in, s->b);
    (void)out;
    for (int half = 1; half <= 2 && status == TESS_OK; half++) status = add_half(r, images, half, s->b);
    tess_release(&made);
    return status;
}

/* Bytes of the references and sums of both halves, and of what becomes of them for a moment. */
static int64_t bytes_taken(const tess__refinement *r)
{
    const int64_t p = 2 * r->side;
    return 2 * 20 * p * p * (p / 2 + 1);
}

tess_status tess__refine_fits(const tess__refinement *r)
{
    const int64_t p = 2 * r->side;
    return tess__volume_fits(r->context, r->fn, TESS_SHAPE(1, p, p, p), bytes_taken(r) + 16 * p * p * (p / 2 + 1));
}

static tess_status go_through_images(tess__refinement *r)
{
    const tess_dtype     dtype = TESS_F32;
    const tess_slab_plan plan = { .name = r->fn,
                                  .domain = r->set.images->shape,
                                  .sources = &r->set.images,
                                  .in_dtypes = &dtype,
                                  .n_sources = 1,
                                  .images = 1,
                                  .out_shape = r->set.images->shape,
                                  .extra = 8 * 8 * r->side * (r->side / 2 + 1),
                                  .taken = bytes_taken(r),
                                  .stage = "images" };
    tess_context         context = *r->context;
    const int64_t        most = AT_A_TIME * r->side * r->side * (int64_t)sizeof(float);
    if (context.device.kind == TESS_CPU && context.slab > most) context.slab = most;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) tess_release(&r->sums[k][i]);
    return tess_slabs_run(&plan, NULL, match_slab, r, &context);
}

/* ---- Half maps ---- */

static tess_status map_of(tess_array *map, const tess_array sums[2])
{
    TESS_TRY(tess_fourier_reconstruct(map, &sums[0], &sums[1], NULL));
    return tess__move(map, tess_cpu());
}

static tess_status make_halves(tess__refinement *r)
{
    const tess_progress of = { .stage = "half maps", .total = 2 };
    tess__stage         stage;
    TESS_TRY(tess__stage_begin(&stage, r->fn, r->context, of));
    for (int k = 0; k < 2; k++) {
        tess_release(&r->maps[k]);
        TESS_TRY(map_of(&r->maps[k], r->sums[k]));
        TESS_TRY(tess__stage_add(&stage, 1));
    }
    return TESS_OK;
}

/* sqrt(2 FSC / (1 + FSC)) of the shells up to where it falls below 0.143, and 0 of those beyond. */
static tess_status weigh_shells(tess__refinement *r)
{
    const int64_t n = r->fsc.shape.w;
    tess_release(&r->curve);
    TESS_TRY(tess_zeros(&r->curve, TESS_SHAPE(1, 1, 1, n), TESS_F64, tess_cpu()));
    for (int64_t k = 0; k < n; k++) {
        const double f = k == 0 ? 1 : fmax(((const double *)r->fsc.data)[k], 0);
        if ((double)k <= r->frequency * (double)r->side) ((double *)r->curve.data)[k] = sqrt(2 * f / (1 + f));
    }
    return TESS_OK;
}

/* From their correlation under the sphere the weights and the cutoff of the next iteration. */
static tess_status compare_halves(tess__refinement *r)
{
    const double shell = 1 / (double)r->side;
    tess_array   masked[2] = { { .data = NULL } };
    tess_status  status = TESS_OK;
    tess_release(&r->fsc);
    for (int k = 0; k < 2; k++) TESS_GOTO(done, status, cut_by_sphere(&masked[k], r, &r->maps[k]));
    TESS_GOTO(done, status, tess__map_fsc(&r->fsc, &masked[0], &masked[1]));
    TESS_GOTO(done, status, tess__fsc_frequency(&r->frequency, &r->fsc, masked[0].shape, 0.143));
    r->frequency = fmax(r->frequency, shell);
    r->cutoff = fmin(fmax(r->frequency, 3 / (double)r->side) + shell, 0.5);
    TESS_GOTO(done, status, weigh_shells(r));
done:
    tess_release(&masked[0]);
    tess_release(&masked[1]);
    return status;
}

/* ---- The iteration ---- */

/* Steps about the best: half the grid where all orientations are searched, otherwise half of what the cutoff can tell
 * apart. */
static void choose_steps(tess__refinement *r, int64_t i)
{
    const double told = 1 / (r->cutoff * r->o.diameter);
    r->searches = i < r->o.global_iterations;
    r->angle = r->searches ? r->o.step / 2 : fmin(told, r->o.step / 2) / 2;
    r->reach = i > 0 ? fmin(r->o.shift_range, 2) : r->o.shift_range;
}

tess_status tess__refine_iterate(tess__refinement *r, int64_t i)
{
    choose_steps(r, i);
    TESS_TRY(prepare_references(r));
    TESS_TRY(go_through_images(r));
    TESS_TRY(make_halves(r));
    return compare_halves(r);
}

tess_status tess__refined_map(tess_array *map, tess__refinement *r)
{
    tess_array whole = { 0 };
    for (int i = 0; i < 2; i++) TESS_TRY(tess_add(&r->sums[0][i], &r->sums[0][i], &r->sums[1][i]));
    tess_status status = map_of(&whole, r->sums[0]);
    if (status == TESS_OK) status = filter_map(map, r, &whole);
    tess_release(&whole);
    return status;
}
