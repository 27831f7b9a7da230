/* Refinement of particles by projection matching, with gold-standard half sets: iterations until neither resolution nor
 * orientations change. */
#include "tessera/jobs/refine.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/finite.h"
#include "jobs/data/maps/map_fsc.h"
#include "jobs/data/maps/map_grid.h"
#include "jobs/data/pixels.h"
#include "jobs/data/particles/table_rows.h"
#include "jobs/refine/refining.h"
#include "jobs/run/table.h"
#include "tessera/constants.h"
#include "tessera/reduce.h"
#include "tessera/rotation.h"
#include "tessera/symmetry.h"

static const char fn[] = "refine";

static const tess_choice history_columns[] = {
    { "iteration", TESS_REFINED_ITERATION, "iteration number, from 1" },
    { "all_orientations", TESS_REFINED_GLOBAL,
      "1: all orientations were searched; 0: only those near the previous ones" },
    { "resolution", TESS_REFINED_RESOLUTION,
      "resolution where the FSC of the half maps falls below 0.143, \xc3\x85; in pixels if their size is not known" },
    { "angle_50", TESS_REFINED_ANGLE_50, "median change of orientations, radians" },
    { "angle_90", TESS_REFINED_ANGLE_90, "90th percentile of the change of orientations, radians" },
    { "shift_50", TESS_REFINED_SHIFT_50, "median change of shifts, pixels" },
    { "shift_90", TESS_REFINED_SHIFT_90, "90th percentile of the change of shifts, pixels" },
    { "score_10", TESS_REFINED_SCORE_10, "10th percentile of the scores" },
    { "score_50", TESS_REFINED_SCORE_50, "median score" },
    { "score_90", TESS_REFINED_SCORE_90, "90th percentile of the scores" },
    { "views", TESS_REFINED_VIEWS, "fraction of 48 equal-area view directions with at least one image" },
    { .name = NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_ARRAY(tess_refine_result, map, "", "map of all images, filtered like the last references"),
    TESS__RESULT_ARRAY(tess_refine_result, half1, "", "unfiltered map of half set 1"),
    TESS__RESULT_ARRAY(tess_refine_result, half2, "", "unfiltered map of half set 2"),
    TESS__RESULT_IMAGES(tess_refine_result, rotations, "",
                        "quaternion (z, y, x, w) of each image, from the image to the map"),
    TESS__RESULT_IMAGES(tess_refine_result, shifts, "",
                        "shift (y, x) that moves each particle to the centre, in pixels"),
    TESS__RESULT_IMAGES(tess_refine_result, scores, "", "correlation coefficient of each image with its projection"),
    TESS__RESULT_ARRAY(tess_refine_result, fsc, "",
                       "Fourier shell correlation of the half maps within the spherical mask"),
    TESS__RESULT_COLUMNS(tess_refine_result, history, history_columns,
                         "resolution, scores and changes in each iteration"),
    TESS__RESULT_F64(tess_refine_result, resolution, "\xc3\x85",
                     "resolution where that FSC falls below 0.143; in pixels if their size is not known"),
    TESS__RESULT_F64(tess_refine_result, resolution_0_5, "\xc3\x85", "resolution where that FSC falls below 0.5"),
    TESS__RESULT_FLAG(tess_refine_result, converged, "whether resolution and orientations have stopped changing"),
    TESS__SOURCE_IMAGES("images", "square images of particles"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_SOURCE, TESS_ARG_VOLUME, "reference",
                  "initial map; it is rescaled if its pixel size differs from that of the images, otherwise it must "
                  "have their box size"),
    TESS__OPT_ARRAY(tess_refine_opts, rotations, const tess_array *,
                    "initial quaternion (z, y, x, w) of each image, from the image to the map"),
    TESS__OPT_ARRAY(tess_refine_opts, shifts, const tess_array *,
                    "initial shift (y, x) that moves each particle to the centre, in pixels"),
    TESS__OPT_ARRAY(tess_refine_opts, ctfs, const tess_array *, "CTF of each image, as fields of a tess_ctf"),
    TESS__OPT_ARRAY(tess_refine_opts, halves, const tess_array *, "half set of each image, 1 or 2"),
    TESS__OPT_TEXT(tess_refine_opts, sym, "point-group symmetry: C4, D7, T, O, I1, I2 [C1]"),
    TESS__OPT_I64(tess_refine_opts, iterations, "", 10, 1, 1000, "maximum number of iterations"),
    TESS__OPT_I64(tess_refine_opts, global_iterations, "", 3, 0, 1000,
                  "number of iterations that search all orientations; 0: refine the given rotations"),
    TESS__AUTO_F64(tess_refine_opts, step, "radians", "12 degrees", 0.0174532, 1.0471976,
                   "angular step of the global search"),
    TESS__OPT_F64(tess_refine_opts, shift_range, "pixels", 4, 0, 50, "maximum shift in the first iteration"),
    TESS__AUTO_F64(tess_refine_opts, diameter, "pixels", "0.85 of the box", TESS__POSITIVE, 1e9,
                   "diameter of the soft spherical mask on references"),
    TESS__AUTO_F64(tess_refine_opts, cutoff, "cycles per pixel", "that of 30 \xc3\x85", TESS__POSITIVE, 0.5,
                   "low-pass filter applied to the initial reference"),
    TESS__AUTO_F64(tess_refine_opts, pixel_size, "\xc3\x85", "that of the images", TESS__POSITIVE, DBL_MAX,
                   "pixel size"),
    TESS__AUTO_F64(tess_refine_opts, reference_pixel_size, "\xc3\x85", "that of the reference", TESS__POSITIVE, DBL_MAX,
                   "pixel size of the reference"),
};

TESS__JOB_RUN(refine, v[0].source, v[1].source)
const tess_job_info tess__job_refine =
    TESS__JOB(refine, "Refine orientations and shifts of particles by projection matching", args, tess_refine_opts,
              tess_refine_result);

/* ---- The reference ---- */

static tess_status rescale_reference(tess__refinement *r, double size)
{
    const tess_source *from = r->reference;
    const double       to = r->pixel_size;
    if (!(r->o.reference_pixel_size > 0))
        TESS_CHECK(tess_meta_is_cubic(from->meta, true), TESS_EUNSUPPORTED,
                   "%s: `reference` %s has pixels of %g x %g x %g A, or axes that are not at right angles; cubic "
                   "pixels are needed",
                   fn, from->name, size, from->meta->pixel_size[1], from->meta->pixel_size[0]);
    TESS_CHECK(
        size <= 32 * to && to <= 32 * size, TESS_ERANGE,
        "%s: `reference` %s has pixels of %g A and the images of %g A; they may differ by at most a factor of 32", fn,
        from->name, size, to);
    return tess__map_to_grid(&r->maps[0], to / size, r->side);
}

static tess_status check_contrast(const tess_source *from, const tess_array *map)
{
    double least, most;
    TESS_TRY(tess_host_minmax(&least, &most, map));
    TESS_CHECK(least < most, TESS_ERANGE, "%s: `reference` %s is %g everywhere; it must not be constant", fn,
               from->name, least);
    return TESS_OK;
}

/* Another pixel size than that of the images is brought to theirs. */
static tess_status read_reference(tess__refinement *r)
{
    const tess_source *from = r->reference;
    const tess_shape   s = from->shape;
    const double       known = from->meta ? from->meta->pixel_size[2] : 0;
    const double       size = r->o.reference_pixel_size > 0 ? r->o.reference_pixel_size : known;
    const bool         other = tess_pixel_sizes_differ(r->pixel_size, size);
    tess_context       host = *r->context;
    host.device = tess_cpu();
    TESS_TRY(tess__need_real(fn, from));
    TESS_CHECK(s.b == 1 && (other || (s.d == r->side && s.h == r->side && s.w == r->side)), TESS_ESHAPE,
               "%s: `reference` %s has %lld x %lld x %lld voxels; it must have %lld along each axis, as the images", fn,
               from->name, (long long)s.w, (long long)s.h, (long long)s.d, (long long)r->side);
    TESS_TRY(tess_source_read_all(from, &r->maps[0], TESS_F32, &host));
    TESS_TRY(tess__check_finite(fn, from, -1, &r->maps[0]));
    TESS_TRY(check_contrast(from, &r->maps[0]));
    if (other) TESS_TRY(rescale_reference(r, size));
    return tess_copy(&r->maps[1], &r->maps[0]);
}

/* ---- Before any work ---- */

static tess_status check_images(tess__refinement *r, const tess_source *images)
{
    const tess_shape s = images->shape;
    TESS_TRY(tess__need_real(fn, images));
    TESS_CHECK(s.h == s.w && s.w >= 8, TESS_ESHAPE,
               "%s: %s has images of %lld x %lld; square images of at least 8 pixels are needed", fn, images->name,
               (long long)s.w, (long long)s.h);
    r->side = s.w;
    r->pixel_size = r->o.pixel_size > 0 ? r->o.pixel_size : images->meta ? images->meta->pixel_size[2] : 0;
    return TESS_OK;
}

static tess_status fill_options(tess__refinement *r, const tess_source *images)
{
    tess_refine_opts *o = &r->o;
    int64_t           order;
    if (!o->sym) o->sym = "C1";
    TESS_TRY(tess_symmetry_order(&order, o->sym));
    if (!(o->step > 0)) o->step = 12 * TESS_PI / 180;
    if (!(o->diameter > 0)) o->diameter = 0.85 * (double)r->side;
    TESS_CHECK(o->diameter >= 4 && o->diameter <= (double)r->side, TESS_ERANGE,
               "%s: `opts->diameter` is %g pixels; 4 to %lld, the box size, are allowed", fn, o->diameter,
               (long long)r->side);
    TESS_CHECK(o->cutoff > 0 || r->pixel_size > 0, TESS_EARG,
               "%s: the pixel size of %s is not known, but the default of `opts->cutoff` requires it; give "
               "`opts->pixel_size` or `opts->cutoff`",
               fn, images->name);
    r->cutoff = fmax(o->cutoff > 0 ? o->cutoff : fmin(r->pixel_size / 30, 0.5), 3 / (double)r->side);
    return TESS_OK;
}

/* Rotations and shifts to start from, and half sets, where the caller has none. */
static tess_status complete_tables(tess__refinement *r)
{
    tess__particle_set *set = &r->set;
    const tess_shape    rows = TESS_SHAPE(set->n, 1, 1, 4);
    if (!set->rotations.data) {
        TESS_TRY(tess_zeros(&set->rotations, rows, TESS_F64, tess_cpu()));
        for (int64_t i = 0; i < set->n; i++) ((double *)set->rotations.data)[4 * i + 3] = 1;
    }
    if (!set->shifts.data) TESS_TRY(tess_zeros(&set->shifts, TESS_SHAPE(set->n, 1, 1, 2), TESS_F64, tess_cpu()));
    if (set->halves.data) return TESS_OK;
    TESS_TRY(tess_empty(&set->halves, TESS_SHAPE(set->n, 1, 1, 1), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < set->n; i++) ((double *)set->halves.data)[i] = (double)(i % 2 + 1);
    return TESS_OK;
}

static tess_status prepare(tess__refinement *r, const tess_source *images)
{
    const tess__particle_tables given = { "opts->rotations", r->o.rotations, r->o.shifts, r->o.ctfs, r->o.halves };
    TESS_TRY(check_images(r, images));
    TESS_TRY(fill_options(r, images));
    TESS_CHECK(r->o.rotations || r->o.global_iterations > 0, TESS_EARG,
               "%s: `opts->global_iterations` is 0, which requires `opts->rotations` to start from, but that is `NULL`",
               fn);
    TESS_TRY(tess__particle_set_open(&r->set, fn, images, &given));
    TESS_TRY(complete_tables(r));
    TESS_TRY(tess__particle_set_need_halves(&r->set));
    TESS_TRY(tess__refine_fits(r));
    if (r->o.global_iterations > 0)
        TESS_TRY(tess_quat_grid(&r->grid, r->o.step, &(tess_quat_grid_opts){ .sym = r->o.sym }));
    TESS_TRY(tess_zeros(&r->scores, TESS_SHAPE(r->set.n, 1, 1, 1), TESS_F64, tess_cpu()));
    return read_reference(r);
}

/* ---- Iterations ---- */

static double in_units(const tess__refinement *r, double frequency)
{
    return (r->pixel_size > 0 ? r->pixel_size : 1) / frequency;
}

/* An iteration, whose row is added to the history; *moved is the median of the changes of angles, in radians. */
static tess_status iterate(tess__refinement *r, tess__table_rows *history, int64_t i, double *moved)
{
    double      row[TESS_REFINED_COLUMNS];
    tess__poses before = { .scores = { .data = NULL } };
    tess_status status;
    TESS_GOTO(done, status, tess_copy(&before.rotations, &r->set.rotations));
    TESS_GOTO(done, status, tess_copy(&before.shifts, &r->set.shifts));
    TESS_GOTO(done, status, tess__refine_iterate(r, i));
    row[TESS_REFINED_ITERATION] = (double)(i + 1);
    row[TESS_REFINED_GLOBAL] = r->searches;
    row[TESS_REFINED_RESOLUTION] = in_units(r, r->frequency);
    TESS_GOTO(done, status, tess__pose_change(row, r, &before));
    TESS_GOTO(done, status, tess__table_rows_add(history, fn, row));
    *moved = row[TESS_REFINED_ANGLE_50] * 180 / TESS_PI * TESS_PI / 180; /* as tables have it, in degrees */
done:
    tess__poses_release(&before);
    return status;
}

/* Until neither resolution, by half a shell, nor angles, by a step, change any more. */
static tess_status iterate_all(tess_refine_result *result, tess__refinement *r, tess__table_rows *history)
{
    double best = 0, moved = 0;
    for (int64_t i = 0; i < r->o.iterations && !result->converged; i++) {
        TESS_TRY(iterate(r, history, i, &moved));
        const bool is_still = r->frequency <= best + 0.5 / (double)r->side && moved < r->angle;
        best = fmax(best, r->frequency);
        result->converged = i >= r->o.global_iterations && is_still;
    }
    return TESS_OK;
}

/* ---- Results ---- */

/* An array of the refinement becomes one of the result. */
static void hand_over(tess_array *to, tess_array *from)
{
    *to = *from;
    *from = (tess_array){ .data = NULL };
}

static tess_status give_results(tess_refine_result *result, tess__refinement *r, const tess__table_rows *history)
{
    double frequency;
    TESS_TRY(tess__refined_map(&result->map, r));
    TESS_TRY(tess__table_rows_array(&result->history, history));
    TESS_TRY(tess__fsc_frequency(&frequency, &r->fsc, r->maps[0].shape, 0.5));
    result->resolution = in_units(r, r->frequency);
    result->resolution_0_5 = in_units(r, fmax(frequency, 1 / (double)r->side));
    hand_over(&result->half1, &r->maps[0]);
    hand_over(&result->half2, &r->maps[1]);
    hand_over(&result->rotations, &r->set.rotations);
    hand_over(&result->shifts, &r->set.shifts);
    hand_over(&result->scores, &r->scores);
    hand_over(&result->fsc, &r->fsc);
    return TESS_OK;
}

static void release(tess__refinement *r)
{
    tess_array *const arrays[] = { &r->scores, &r->grid, &r->fsc, &r->curve };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tess_release(arrays[i]);
    for (int k = 0; k < 2; k++) {
        tess_release(&r->maps[k]);
        tess_release(&r->spectra[k]);
        for (int i = 0; i < 2; i++) tess_release(&r->sums[k][i]);
    }
    tess__particle_set_release(&r->set);
}

tess_status tess_refine(tess_refine_result *result, const tess_source *images, const tess_source *reference,
                        const tess_refine_opts *opts, const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_context     c;
    tess__refinement r = { .context = &c, .fn = fn, .reference = reference };
    tess__table_rows history = { .width = TESS_REFINED_COLUMNS };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "images", images));
    TESS_TRY(tess__check_source(fn, "reference", reference));
    TESS_TRY(tess__resolve(&tess__job_refine.function, opts, &r.o));
    TESS_TRY(tess__context(&c, fn, context));
    tess_status status = prepare(&r, images);
    if (status == TESS_OK) status = iterate_all(result, &r, &history);
    if (status == TESS_OK) status = give_results(result, &r, &history);
    release(&r);
    tess__table_rows_free(&history);
    if (status != TESS_OK) tess_refine_result_release(result);
    return status;
}

void tess_refine_result_release(tess_refine_result *result)
{
    if (!result) return;
    tess_array *const arrays[] = { &result->map,    &result->half1,  &result->half2, &result->rotations,
                                   &result->shifts, &result->scores, &result->fsc,   &result->history };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tess_release(arrays[i]);
    memset(result, 0, sizeof *result);
}
