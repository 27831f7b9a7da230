/* Alignment of frames by leave-one-out cross-correlation: maps on a coarse grid, then parabolas on finer ones. */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/check/text.h"
#include "ops/arrays/deliver.h"
#include "ops/op/library.h"
#include "ops/signal/filter.h"
#include "ops/signal/motion/motion.h"
#include "tessera/correlate.h"
#include "tessera/device.h"
#include "tessera/fft.h"
#include "tessera/filter.h"
#include "tessera/math.h"
#include "tessera/motion.h"
#include "tessera/reduce.h"

static const char fn[] = "align_frames";

static const tess_arg_info args[] = {
    TESS__OUT("shifts",
              "shifts (h, w) that move each frame onto the first, in pixels, {b,1,1,2}; f64 if newly allocated",
              .axes = "B,1,1,2"),
    TESS__IN("spectra", "half spectra of the frames, layout h, c32 or c64", .sample = TESS__HALF_SPECTRUM,
             .axes = "B,1,h,w"),
    TESS__NEED_SHAPE("shape", "logical shape of the frames, {b,1,h,w}"),
    TESS__NEED(TESS_ARG_F64, "pixel_size", "pixel size of the frames, angstrom"),
    TESS__OPT_F64(tess_align_frames_opts, bfactor, "square angstrom", 150, 0, DBL_MAX,
                  "B-factor of the cross-correlation: products of spectra are multiplied by exp(-bfactor k^2 / 4)"),
    TESS__OPT_F64(tess_align_frames_opts, tolerance, "pixels", 0.05, 0, DBL_MAX,
                  "iterations end when no shift changes by more than this"),
    TESS__AUTO_F64(tess_align_frames_opts, max_shift, "pixels", "unlimited", TESS__POSITIVE, DBL_MAX,
                   "maximum distance of a frame from the sum of the others in the first iterations"),
    TESS__AUTO_F64(tess_align_frames_opts, max_move, "pixels", "unlimited", TESS__POSITIVE, DBL_MAX,
                   "maximum shift of a frame from its initial position in all iterations together"),
    TESS__OPT_I32(tess_align_frames_opts, iterations, "", 10, 1, 1000, "maximum number of iterations on each grid"),
    TESS__OPT_I32(tess_align_frames_opts, group, "", 1, 1, INT32_MAX, "number of frames summed before the alignment"),
    TESS__OPT_RESULT(tess_align_frames_opts, changes, tess_array *,
                     "receives the largest change of each iteration, {1,1,1,n}, pixels", .axes = "1,1,1,n"),
    TESS__OPT_RESULT(tess_align_frames_opts, scores, tess_array *,
                     "receives the correlation of each frame with the others, {b,1,1,1}, in standard deviations of "
                     "random phases",
                     .axes = "B,1,1,1"),
};
TESS__CALL(align_frames, v[0].out, v[1].in, v[2].shape, v[3].f64, opts)
const tess_function_info tess__info_align_frames = TESS__OP_OPTS(
    TESS_CUT_NONE, align_frames, "motion", "Align the frames of a movie by correlation.", args, tess_align_frames_opts);

#include "ops/signal/motion/align_frames.def"

/* Grids are not smaller than this along an axis; the spectra of maps that are made by one call, in bytes. */
enum { COARSEST = 64, GRIDS = 3, CPU_GROUP_BYTES = 4 << 20, GPU_GROUP_BYTES = 256 << 20, MAX_CHANGES = 4096 };

typedef struct alignment {
    const tess_align_frames_opts *o;
    tess_shape                    full;    /* logical shape of the groups of frames */
    tess_array                    spectra; /* of them, times the filter */
    double                       *shifts;  /* (h, w) of each group so far, pixels of the full grid */
    double                       *scores;  /* of each group, or NULL */
    double                        changes[MAX_CHANGES];
    int64_t                       n_changes;
} alignment;

/* One grid: spectra that are moved in place as shifts change. */
typedef struct grid {
    tess_shape shape;
    double     scale[2];                  /* pixels of the full grid in one of this */
    tess_array moved, total, step;        /* step: of a round, f64 {n,1,1,2} */
    tess_array c_h, s_h, c_w, s_w, times; /* cosines and sines of one pixel; how often a column counts */
    tess_array sums[5];                   /* of align_lags, f64 {n,1,1,1} */
    tess_array product, map;              /* of some frames */
} grid;

static void release_grid(grid *g)
{
    tess_array *all[] = { &g->moved, &g->total, &g->step, &g->c_h, &g->s_h, &g->c_w, &g->s_w, &g->times };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tess_release(all[k]);
    for (int k = 0; k < 5; k++) tess_release(&g->sums[k]);
    tess_release(&g->product);
    tess_release(&g->map);
}

/* ---- Groups of frames, filtered ---- */

/* Each group is the sum of `group` frames; those that are left at the end belong to the last one. */
static int64_t group_count(int64_t n, int32_t group) { return n < group ? n > 0 : n / group; }

static tess_status add_groups(tess_array *out, const tess_array *spectra, int32_t group)
{
    const int64_t n = spectra->shape.b, groups = group_count(n, group);
    tess_shape    shape = spectra->shape;
    shape.b = groups;
    TESS_TRY(tess__make(fn, out, shape, spectra->dtype, spectra->device, false));
    for (int64_t g = 0; g < groups; g++) {
        const int64_t from = g * group, to = g + 1 == groups ? n : from + group;
        tess_array    part, sum = tess__frame_of(out, g);
        TESS_TRY(tess_slice(&part, spectra, 0, from, to, 1));
        TESS_TRY(tess_sum(&sum, &part, TESS_B, NULL));
    }
    return TESS_OK;
}

/* Times the root of the weight of products: exp(-bfactor k^2 / 8); and 0 at frequency 0. */
static tess_status filter(alignment *a, const tess_array *spectra, double pixel_size)
{
    tess_array zero;
    if (a->o->group > 1) {
        TESS_TRY(add_groups(&a->spectra, spectra, a->o->group));
        spectra = &a->spectra;
    }
    TESS_TRY(tess_bfactor(&a->spectra, spectra, a->full, a->o->bfactor / 2, pixel_size, NULL));
    TESS_TRY(tess_subregion(&zero, &a->spectra, (tess_region){ .h = tess_only(0), .w = tess_only(0) }));
    TESS_TRY(tess_fill(&zero, 0));
    return TESS_OK;
}

/* ---- Grids ---- */

/* An array on the host, as another dtype on a device. */
static tess_status put(tess_array *out, const tess_array *host, tess_dtype dtype, tess_device device)
{
    tess_array  wide = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&wide, host, dtype, NULL));
    TESS_GOTO(done, status, tess_to_device(out, &wide, device));
done:
    tess_release(&wide);
    return status;
}

/* Cosines and sines of a shift by one pixel along an axis of `n`, of which `indices` frequencies are there. */
static tess_status make_turns(tess_array *c, tess_array *s, int64_t n, int64_t indices, int axis,
                              const tess_array *like)
{
    const tess_dtype real = tess_dtype_real(like->dtype);
    tess_shape       shape = TESS_SHAPE(1, 1, 1, 1);
    tess_array       wide[2] = { { .data = NULL }, { .data = NULL } };
    tess_status      status = TESS_OK;
    shape.dim[axis] = indices;
    for (int k = 0; k < 2; k++) TESS_GOTO(done, status, tess__make(fn, &wide[k], shape, TESS_F64, tess_cpu(), false));
    for (int64_t i = 0; i < indices; i++) {
        const double turn = 2 * TESS_PI * (double)(2 * i > n ? i - n : i) / (double)n;
        ((double *)wide[0].data)[i] = tessm_cos(turn);
        ((double *)wide[1].data)[i] = tessm_sin(turn);
    }
    TESS_GOTO(done, status, put(c, &wide[0], real, like->device));
    TESS_GOTO(done, status, put(s, &wide[1], real, like->device));
done:
    tess_release(&wide[0]);
    tess_release(&wide[1]);
    return status;
}

/* How often a column of half a spectrum counts in sums over all of it. */
static tess_status make_times(tess_array *times, tess_shape shape, const tess_array *like)
{
    const int64_t columns = tess_rfft_shape(shape).w;
    tess_array    wide = { .data = NULL };
    tess_status   status = TESS_OK;
    TESS_TRY(tess__make(fn, &wide, TESS_SHAPE(1, 1, 1, columns), TESS_F64, tess_cpu(), false));
    for (int64_t i = 0; i < columns; i++) ((double *)wide.data)[i] = i == 0 || 2 * i == shape.w ? 1 : 2;
    status = put(times, &wide, tess_dtype_real(like->dtype), like->device);
    tess_release(&wide);
    return status;
}

/* A grid of 1 / factor of the size, with spectra that are moved as far as shifts are known. */
static tess_status make_grid(grid *g, alignment *a, int64_t factor)
{
    const tess_array *spectra = &g->moved;
    tess_shape        half;
    g->shape = a->full;
    for (int k = 2; k < 4; k++) {
        const int64_t n = a->full.dim[k];
        g->shape.dim[k] = factor == 1 ? n : tess__min(n, tess_fft_fast_size((n + factor - 1) / factor));
        g->scale[k - 2] = (double)n / (double)g->shape.dim[k];
    }
    half = tess_rfft_shape(g->shape);
    half.b = 1;
    if (factor == 1) { /* the last grid: they are not needed any more */
        g->moved = a->spectra;
        a->spectra = (tess_array){ .data = NULL };
    } else TESS_TRY(tess_fft_resize(&g->moved, &a->spectra, a->full, g->shape, NULL));
    TESS_TRY(tess__make(fn, &g->total, half, spectra->dtype, spectra->device, false));
    TESS_TRY(tess__make(fn, &g->step, TESS_SHAPE(a->full.b, 1, 1, 2), TESS_F64, tess_cpu(), false));
    TESS_TRY(make_turns(&g->c_h, &g->s_h, g->shape.h, half.h, 2, spectra));
    TESS_TRY(make_turns(&g->c_w, &g->s_w, g->shape.w, half.w, 3, spectra));
    TESS_TRY(make_times(&g->times, g->shape, spectra));
    for (int k = 0; k < 5; k++)
        TESS_TRY(tess__make(fn, &g->sums[k], TESS_SHAPE(a->full.b, 1, 1, 1), TESS_F64, spectra->device, false));
    return TESS_OK;
}

/* Move spectra by g->step. */
static tess_status move(grid *g)
{
    tess_array  there = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_to_device(&there, &g->step, g->moved.device));
    TESS_GOTO(done, status, tess_fft_phase_shift(&g->moved, &g->moved, g->shape, &there, NULL));
    TESS_GOTO(done, status, tess_sum(&g->total, &g->moved, TESS_B, NULL));
    TESS_GOTO(done, status, tess__sync(fn, g->moved.device));
done:
    tess_release(&there);
    return status;
}

/* ---- Steps ---- */

/* The smaller of two limits, of which 0 is none. */
static double least_above_0(double a, double b) { return a > 0 && (b == 0 || a < b) ? a : b; }

/* Steps of all frames by the peaks of whole maps, some frames at a time. */
static tess_status step_by_maps(grid *g, const alignment *a)
{
    tess_op_def *const op = g->moved.dtype == TESS_C64 ? &align_product_c64 : &align_product_c32;
    const tess_shape   half = tess_rfft_shape(g->shape);
    const int64_t      each = half.h * half.w * tess__dtype_size(g->moved.dtype);
    const int64_t      most = g->moved.device.kind == TESS_CPU ? CPU_GROUP_BYTES : GPU_GROUP_BYTES;
    const int64_t      group = tess__clamp(most / each, 1, g->shape.b);
    const double       limit = least_above_0(a->o->max_shift, a->o->max_move);
    double             radii[2] = { limit / g->scale[0], limit / g->scale[1] };
    tess_array         lag, steps = { .data = NULL };
    tess_status        status = TESS_OK;
    TESS_TRY(tess_wrap(&lag, radii, TESS_SHAPE(1, 1, 1, 2), TESS_F64, NULL));
    const tess_correlate_peak_opts peak = { .max_lag = limit > 0 ? &lag : NULL };
    for (int64_t first = 0; first < g->shape.b; first += group) {
        const int64_t n = tess__min(group, g->shape.b - first);
        tess_array    frames, to;
        TESS_GOTO(done, status, tess_slice(&frames, &g->moved, 0, first, first + n, 1));
        TESS_GOTO(done, status, tess_slice(&to, &g->step, 0, first, first + n, 1));
        tess_release(&g->product);
        tess_release(&g->map);
        TESS_GOTO(done, status, tess_call(op, &g->total, &frames, &g->product));
        TESS_GOTO(done, status,
                  tess_fft_c2r(&g->map, &g->product, TESS_SHAPE(n, 1, g->shape.h, g->shape.w),
                               &(tess_fft_opts){ .overwrite = 1 }));
        TESS_GOTO(done, status, tess_correlate_peak(&steps, NULL, &g->map, &peak));
        TESS_GOTO(done, status, tess_to_device(&to, &steps, tess_cpu()));
        TESS_GOTO(done, status, tess__sync(fn, g->moved.device));
        tess_release(&steps);
    }
done:
    tess_release(&steps);
    return status;
}

/* The vertex of the parabola through correlations at -1, 0 and 1: with c(1) = even - odd and c(-1) = even + odd. */
static double vertex(double at_0, double even, double odd)
{
    const double curvature = 2 * (at_0 - even);
    const double x = curvature > 0 ? -odd / curvature : odd > 0 ? -1 : odd < 0 ? 1 : 0;
    return x < -1 ? -1 : x > 1 ? 1 : x;
}

/* Steps of all frames by parabolas around lag 0. */
static tess_status step_by_lags(grid *g)
{
    tess_op_def *const op = g->moved.dtype == TESS_C64 ? &align_lags_c64 : &align_lags_c32;
    double            *step = g->step.data;
    TESS_TRY(tess_call(op, &g->total, &g->moved, &g->c_h, &g->s_h, &g->c_w, &g->s_w, &g->times, &g->sums[0],
                       &g->sums[1], &g->sums[2], &g->sums[3], &g->sums[4]));
    for (int64_t b = 0; b < g->shape.b; b++) {
        double sums[5];
        for (int k = 0; k < 5; k++) TESS_TRY(tess_get_f64(&sums[k], &g->sums[k], b, 0, 0, 0));
        step[2 * b] = vertex(sums[0], sums[1], sums[2]);
        step[2 * b + 1] = vertex(sums[0], sums[3], sums[4]);
    }
    return TESS_OK;
}

/* ---- Rounds ---- */

/* Make a step shorter that would move a frame by more than the limit from where it was at first. */
static void limit_step(double step[2], const double shift[2], const double scale[2], double limit)
{
    const double to[2] = { shift[0] + step[0] * scale[0], shift[1] + step[1] * scale[1] };
    const double far = hypot(to[0], to[1]);
    if (limit == 0 || far <= limit) return;
    for (int k = 0; k < 2; k++) step[k] = (to[k] * limit / far - shift[k]) / scale[k];
}

/* Take the step of a round: the spectra are moved and the shifts added up. The largest change comes in pixels of this
 * grid. A frame that is off the mean of all of n by e is off that of the others by e n / (n - 1). Frames that are moved
 * all alike are not moved against each other. After a step below `last` spectra are not needed any more. */
static tess_status take_step(alignment *a, grid *g, double *largest, double last)
{
    double       *step = g->step.data, mean[2] = { 0, 0 };
    const int64_t n = g->shape.b;
    *largest = 0;
    for (int64_t i = 0; i < 2 * n; i++) step[i] = isfinite(step[i]) ? step[i] * (double)(n - 1) / (double)n : 0;
    for (int64_t i = 0; i < 2 * n; i++) mean[i % 2] += step[i] / (double)n;
    for (int64_t i = 0; i < 2 * n; i++) step[i] -= mean[i % 2];
    for (int64_t i = 0; i < n; i++) limit_step(step + 2 * i, a->shifts + 2 * i, g->scale, a->o->max_move);
    for (int64_t i = 0; i < 2 * n; i++) {
        a->shifts[i] += step[i] * g->scale[i % 2];
        *largest = fmax(*largest, fabs(step[i]));
    }
    if (a->n_changes < MAX_CHANGES) a->changes[a->n_changes++] = *largest * fmax(g->scale[0], g->scale[1]);
    if (*largest >= last) TESS_TRY(move(g));
    return TESS_OK;
}

static tess_status run_rounds(alignment *a, grid *g, bool by_maps, double tolerance)
{
    double largest = tolerance + 1;
    for (int k = 0; k < a->o->iterations && !(largest < tolerance); k++) {
        if (by_maps) TESS_TRY(step_by_maps(g, a));
        else TESS_TRY(step_by_lags(g));
        TESS_TRY(take_step(a, g, &largest, by_maps ? 0 : tolerance));
    }
    return TESS_OK;
}

/* Scores of all frames where they are now. */
static tess_status score(alignment *a, grid *g)
{
    tess_op_def *const op = g->moved.dtype == TESS_C64 ? &align_score_c64 : &align_score_c32;
    TESS_TRY(tess_call(op, &g->total, &g->moved, &g->times, &g->sums[0], &g->sums[1]));
    for (int64_t b = 0; b < g->shape.b; b++) {
        double sums[2];
        for (int k = 0; k < 2; k++) TESS_TRY(tess_get_f64(&sums[k], &g->sums[k], b, 0, 0, 0));
        a->scores[b] = sums[1] > 0 ? sums[0] / sqrt(sums[1]) : 0;
    }
    return TESS_OK;
}

/* All rounds on one grid; the first one begins with maps. */
static tess_status align_on_grid(alignment *a, int64_t factor, bool is_first)
{
    grid        g = { .scale = { 1, 1 } };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, make_grid(&g, a, factor));
    for (int64_t i = 0; i < 2 * g.shape.b; i++) ((double *)g.step.data)[i] = a->shifts[i] / g.scale[i % 2];
    TESS_GOTO(done, status, move(&g));
    if (is_first) TESS_GOTO(done, status, run_rounds(a, &g, true, 0.5));
    TESS_GOTO(done, status, run_rounds(a, &g, false, factor == 1 ? a->o->tolerance : 0.1));
    if (factor == 1 && a->scores) TESS_GOTO(done, status, score(a, &g));
done:
    release_grid(&g);
    return status;
}

static tess_status align_all(alignment *a)
{
    int64_t first = 1;
    while (first < 1 << (GRIDS - 1) && tess__min(a->full.h, a->full.w) / (2 * first) >= COARSEST) first *= 2;
    for (int64_t factor = first; factor >= 1; factor /= 2) TESS_TRY(align_on_grid(a, factor, factor == first));
    return TESS_OK;
}

/* ---- Results ---- */

/* The middle of a group, in frames. */
static double middle(const alignment *a, int64_t g, int64_t n)
{
    const int64_t from = g * a->o->group, to = g + 1 == a->full.b ? n : from + a->o->group;
    return (double)(from + to - 1) / 2;
}

/* Shifts of frames, by lines through those of the middles of groups, relative to the first frame. */
static void spread(double *shifts, const alignment *a, int64_t n)
{
    const int64_t groups = a->full.b;
    int64_t       g = 0;
    for (int64_t i = 0; i < n; i++) {
        while (g + 2 < groups && (double)i > middle(a, g + 1, n)) g++;
        for (int k = 0; k < 2; k++) {
            const double left = a->shifts[2 * g + k], right = groups > 1 ? a->shifts[2 * (g + 1) + k] : left;
            const double width = groups > 1 ? middle(a, g + 1, n) - middle(a, g, n) : 1;
            const double t = ((double)i - middle(a, g, n)) / width;
            shifts[2 * i + k] = groups == n ? a->shifts[2 * i + k] : left + t * (right - left);
        }
    }
    for (int64_t i = 2 * n; i-- > 0;) shifts[i] -= shifts[i % 2];
}

/* Shifts of all frames, and their scores if they are asked for, f64 on the host: to be released. Each frame has the
 * score of its group. */
static tess_status align(tess_array host[2], const tess_array *spectra, alignment *a, double pixel_size)
{
    const int64_t n = spectra->shape.b;
    tess_array    groups = { .data = NULL }, scores = { .data = NULL };
    tess_status   status = TESS_OK;
    TESS_GOTO(done, status, tess__make(fn, &host[0], TESS_SHAPE(n, 1, 1, 2), TESS_F64, tess_cpu(), true));
    TESS_GOTO(done, status, tess__make(fn, &host[1], TESS_SHAPE(n, 1, 1, 1), TESS_F64, tess_cpu(), true));
    if (!tess__has_elements(spectra)) goto done;
    TESS_GOTO(done, status, tess__make(fn, &groups, TESS_SHAPE(a->full.b, 1, 1, 2), TESS_F64, tess_cpu(), true));
    TESS_GOTO(done, status, tess__make(fn, &scores, TESS_SHAPE(a->full.b, 1, 1, 1), TESS_F64, tess_cpu(), true));
    a->shifts = groups.data;
    a->scores = a->o->scores ? scores.data : NULL;
    if (a->full.b > 1) {
        TESS_GOTO(done, status, filter(a, spectra, pixel_size));
        TESS_GOTO(done, status, align_all(a));
    }
    spread(host[0].data, a, n);
    for (int64_t i = 0; i < n && a->scores; i++)
        ((double *)host[1].data)[i] = a->scores[tess__min(i / a->o->group, a->full.b - 1)];
done:
    tess_release(&groups);
    tess_release(&scores);
    tess_release(&a->spectra);
    return status;
}

/* How many changes there are is known after the work: outputs are checked before it, and taken when it is done. */
static tess_status run(tess__outputs *out, const tess_array *spectra, alignment *a, double pixel_size)
{
    const int         last = out->n - 1;
    tess_array        host[2] = { { .data = NULL } }, changes = { .data = NULL };
    const tess_array *results[TESS__MAX_OUTPUTS] = { &host[0] };
    tess_status       status = TESS_OK;
    TESS_TRY(tess__outputs_check(out));
    TESS_GOTO(done, status, align(host, spectra, a, pixel_size));
    TESS_GOTO(done, status, tess__make(fn, &changes, TESS_SHAPE(1, 1, 1, a->n_changes), TESS_F64, tess_cpu(), false));
    for (int64_t i = 0; i < a->n_changes; i++) ((double *)changes.data)[i] = a->changes[i];
    if (a->o->scores) results[1] = &host[1];
    if (a->o->changes) results[last] = &changes, out->wanted[last].shape = changes.shape;
    TESS_GOTO(done, status, tess__outputs_take(out));
    TESS_GOTO(done, status, tess__deliver(out, results));
done:
    for (int k = 0; k < 2; k++) tess_release(&host[k]);
    tess_release(&changes);
    return tess__outputs_end(out, status);
}

tess_status tess_align_frames(tess_array *shifts, const tess_array *spectra, tess_shape shape, double pixel_size,
                              const tess_align_frames_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_align_frames_opts o;
    alignment              a = { .o = &o, .full = shape };
    TESS_TRY(tess__resolve(&tess__info_align_frames, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "shifts", shifts));
    TESS_TRY(tess__check_frames(fn, "spectra", spectra, shape));
    TESS_TRY(tess__check_positive(fn, "pixel_size", pixel_size));
    TESS_TRY(tess__check_waits(fn, spectra->device));
    a.full.b = group_count(shape.b, o.group);
    tess__outputs out = { .fn = fn };
    TESS_TRY(tess__wants_numbers(&out, "shifts", shifts, TESS_SHAPE(shape.b, 1, 1, 2), spectra->device));
    TESS_TRY(tess__wants_numbers(&out, "opts->scores", o.scores, TESS_SHAPE(shape.b, 1, 1, 1), spectra->device));
    TESS_TRY(tess__wants_numbers(&out, "opts->changes", o.changes, o.changes ? o.changes->shape : shape, tess_cpu()));
    tess__reads(&out, "spectra", spectra);
    return tess__error_under(run(&out, spectra, &a, pixel_size), fn);
}
