/* Motion correction: frames aligned as a whole and in patches by their correlation, and added. */
#include "tessera/jobs/motion_correct.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/pixels.h"
#include "jobs/motion_correct/correcting.h"
#include "tessera/fft.h"
#include "tessera/interp.h"

static const char fn[] = "motion_correct";

static const tess_choice shift_columns[] = {
    { "frame", 0, "frame index, from 0" },
    { "x", 1, "shift along x that moves it onto the first frame, in pixels" },
    { "y", 2, "shift along y, in pixels" },
    { NULL, 0, NULL },
};
static const tess_choice interps[] = {
    { "linear", TESS_INTERP_LINEAR, "2 pixels along each axis" },
    { "cubic", TESS_INTERP_CUBIC, "4 pixels, Catmull-Rom" },
    { "lanczos4", TESS_INTERP_LANCZOS4, "4 pixels, windowed sinc" },
    { "lanczos6", TESS_INTERP_LANCZOS6, "6 pixels" },
    { "lanczos8", TESS_INTERP_LANCZOS8, "8 pixels" },
    { NULL, 0, NULL },
};

#define R tess_motion_correct_result
#define O tess_motion_correct_opts
#define ANGSTROM "\xc3\x85"
static const tess_arg_info args[] = {
    TESS__RESULT_ARRAY(R, sum, "", "sum of the aligned frames"),
    TESS__RESULT_ARRAY(R, weighted, "", "dose-weighted sum of the frames; none where doses are not known"),
    TESS__RESULT_ARRAY(R, odd, "", "sum of frames 1, 3, 5 ...; only with odd"),
    TESS__RESULT_ARRAY(R, even, "", "sum of frames 0, 2, 4 ...; only with even"),
    TESS__RESULT_ARRAY(R, thumbnail, "",
                       "sum, cropped in Fourier space to at most 384 pixels along each axis; only with thumbnail"),
    TESS__RESULT_COLUMNS(R, shifts, shift_columns, "shifts of whole frames"),
    TESS__RESULT_ARRAY(R, model, "pixels", "model of local motion, as motion_warp takes it; none where it is not used"),
    TESS__RESULT_ARRAY(R, patch_positions, "", "positions of patches, as motion_fit takes them"),
    TESS__RESULT_ARRAY(R, patch_shifts, "pixels", "shifts of patches along h and w, relative to those of whole frames"),
    TESS__RESULT_ARRAY(R, patch_weights, "", "weights of these shifts; 0 for rejected patches"),
    TESS__RESULT_ARRAY(R, hot_pixels, "", "1 where a pixel is hot but not a defect"),
    TESS__RESULT_F64(R, pixel_size, ANGSTROM, "pixel size"),
    TESS__RESULT_F64(R, motion, ANGSTROM,
                     "path length of the whole-frame motion: the sum of its steps from frame to frame"),
    TESS__RESULT_F64(R, motion_early, ANGSTROM, "part of motion up to an exposure of 4 electrons/" ANGSTROM "^2"),
    TESS__RESULT_F64(R, motion_late, ANGSTROM, "part of motion after that"),
    TESS__RESULT_F64(R, score, "",
                     "mean correlation of each frame with the others, in standard deviations of random phases"),
    TESS__RESULT_F64(R, noise, "", "minimum score for frames to be shifted"),
    TESS__RESULT_F64(R, residual, "pixels", "root mean square residual of the patch shifts from the model"),
    TESS__RESULT_F64(R, local_gain, "", "relative gain in correlation from the model, cross-validated"),
    TESS__RESULT_F64(R, local_error, "", "standard error of local_gain"),
    TESS__RESULT_I64(R, n_frames, "", "number of frames"),
    TESS__RESULT_I64(R, n_bad_pixels, "", "number of bad pixels"),
    TESS__RESULT_I64(R, n_patches, "", "number of patches used"),
    TESS__RESULT_I64(R, group, "", "number of frames aligned together"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_SOURCE, TESS_ARG_IMAGES, "movie", "frames of a movie"),
    TESS__CAMERA_ROWS(O),
    TESS__FLAGGED_FIELD(O, defects, const tess_source *, TESS_ARG_SOURCE, 0, 0, 0, NULL, "", TESS_ARG_IMAGES,
                        "image that is not 0 at bad pixels"),
    TESS__OPT_F64(
        O, hot, "", 6, 0, DBL_MAX,
        "hot-pixel threshold: deviation of the mean frame from its local median, in standard deviations; 0: off"),
    TESS__EXPOSURE_ROWS(O),
    TESS__AUTO_I32(O, group, "", "enough frames for 1 electron/" ANGSTROM "^2, if dose is known; otherwise 1", 1,
                   INT32_MAX, "number of frames aligned together"),
    TESS__OPT_F64(O, resolution, ANGSTROM, 4, TESS__POSITIVE, DBL_MAX, "resolution limit of the alignment"),
    TESS__OPT_F64(O, bfactor, ANGSTROM "^2", 150, 0, DBL_MAX, "B-factor applied to the cross-correlation"),
    TESS__AUTO_F64(O, max_shift, "pixels", "unlimited", TESS__POSITIVE, DBL_MAX,
                   "maximum shift per frame and iteration"),
    TESS__AUTO_SHAPE(O, patches,
                     "5 if patches then have at least 200 pixels at the alignment resolution, and there are at least 4 "
                     "groups of frames; otherwise 1",
                     "number of patches along each axis for local motion; 1: whole frames only"),
    TESS__AUTO_F64(O, max_local, "pixels", "10 " ANGSTROM, TESS__POSITIVE, DBL_MAX,
                   "maximum shift of a patch relative to the whole frame"),
    TESS__FLAG(O, always_local, "use the model of local motion even if cross-validation finds no improvement"),
    TESS__OPT_CHOICE(O, interp, TESS_INTERP_LANCZOS6, interps, "interpolation of frames with local motion"),
    TESS__AUTO_F64(O, pixel_size, ANGSTROM, "that of the movie", TESS__POSITIVE, DBL_MAX, "pixel size"),
    TESS__FLAG(O, odd, "also make the sum of frames 1, 3, 5 ..."),
    TESS__FLAG(O, even, "also make the sum of frames 0, 2, 4 ..."),
    TESS__FLAG(O, thumbnail, "also make a thumbnail of the sum"),
    TESS__FLAG(O, unweighted, "leave out the dose-weighted sum"),
};
#undef R
#undef O

TESS__JOB_RUN(motion_correct, v[0].source)
const tess_job_info tess__job_motion_correct = TESS__JOB(
    motion_correct, "Correct beam-induced motion: align the frames of a movie, as a whole and in patches, and sum them",
    args, tess_motion_correct_opts, tess_motion_correct_result);

/* Patches along an axis by default, and pixels of what is aligned that each must have for that. */
enum { USUAL_PATCHES = 5, USUAL_PIXELS = 200, FEWEST_PIXELS = 32 };

/* ---- What is asked for ---- */

/* What is aligned has the resolution that is asked for, at sizes that are fast to transform. */
static void choose_size(tess__correcting *c)
{
    const double cut = c->pixel_size / c->opts->resolution;
    for (int k = 0; k < 2; ++k) {
        const int64_t n = c->frame.dim[2 + k], wanted = tess_fft_fast_size((int64_t)ceil(2 * cut * (double)n));
        c->small.dim[2 + k] = wanted < n ? wanted : n;
        c->scale[k] = (double)n / (double)c->small.dim[2 + k];
    }
}

/* As many frames as have 1 electron/Å^2. */
static tess_status choose_group(tess__correcting *c)
{
    const double  each = c->exposure.each;
    const int64_t n = c->small.b, usual = each > 0 && each < 1 ? (int64_t)ceil(1 / each - 1e-9) : 1;
    const int64_t group = c->opts->group ? c->opts->group : usual < n ? usual : n;
    TESS_CHECK(group <= n, TESS_EARG, "%s: `opts->group` is %lld; 1 to %lld frames are allowed", fn, (long long)group,
               (long long)n);
    c->group = (int32_t)group;
    return TESS_OK;
}

/* Enough for the usual model of local motion: patches whose peaks stand out of noise, and times for its third order. */
static bool has_usual_patches(const tess__correcting *c)
{
    const int64_t side = c->small.h < c->small.w ? c->small.h : c->small.w;
    return side / USUAL_PATCHES >= USUAL_PIXELS && c->small.b / c->group >= 4;
}

static tess_status choose_patches(tess__correcting *c)
{
    const tess_shape p = c->opts->patches;
    c->max_local = c->opts->max_local > 0 ? c->opts->max_local : 10 / c->pixel_size;
    c->patches[0] = c->patches[1] = has_usual_patches(c) ? USUAL_PATCHES : 1;
    if (p.b == 0 && p.d == 0 && p.h == 0 && p.w == 0) return TESS_OK;
    const bool is_allowed = (p.b == 0 || p.b == 1) && (p.d == 0 || p.d == 1) && p.h >= 1 && p.w >= 1 &&
                            p.h <= c->small.h / FEWEST_PIXELS && p.w <= c->small.w / FEWEST_PIXELS;
    TESS_CHECK(is_allowed || (p.h == 1 && p.w == 1), TESS_EARG,
               "%s: `opts->patches` is %lld,%lld (x,y); 1 to %lld,%lld are allowed: a patch must have at least %d "
               "pixels at the alignment resolution",
               fn, (long long)p.w, (long long)p.h, (long long)(c->small.w / FEWEST_PIXELS),
               (long long)(c->small.h / FEWEST_PIXELS), FEWEST_PIXELS);
    c->patches[0] = p.h;
    c->patches[1] = p.w;
    const bool is_local = p.h * p.w > 1;
    TESS_CHECK(is_local || !(c->opts->max_local > 0), TESS_EARG,
               "%s: `opts->max_local` requires patches, but `opts->patches` is 1,1", fn);
    TESS_CHECK(is_local || !c->opts->always_local, TESS_EARG,
               "%s: `opts->always_local` requires patches, but `opts->patches` is 1,1", fn);
    return TESS_OK;
}

static tess_status check_movie(tess__correcting *c)
{
    const tess_shape s = c->source->shape;
    TESS_TRY(tess__need_real(fn, c->source));
    TESS_CHECK(s.d == 1, TESS_ESHAPE, "%s: %s is a volume; a movie is needed, {frames,1,h,w}", fn, c->source->name);
    TESS_CHECK(s.b * s.h * s.w > 0, TESS_ESHAPE, "%s: %s is empty", fn, c->source->name);
    TESS_CHECK(c->opts->pixel_size > 0 || (c->source->meta && c->source->meta->pixel_size[2] > 0), TESS_EARG,
               "%s: %s: the pixel size is not known; give `opts->pixel_size`", fn, c->source->name);
    c->pixel_size = c->opts->pixel_size > 0 ? c->opts->pixel_size : c->source->meta->pixel_size[2];
    c->frame = TESS_SHAPE(1, 1, s.h, s.w);
    c->small = s;
    return TESS_OK;
}

static tess_status read_options(tess__correcting *c)
{
    const tess__exposure_opts exposure = TESS__EXPOSURE_OF(c->opts);
    TESS_TRY(check_movie(c));
    TESS_TRY(tess__exposure_open(&c->exposure, fn, &exposure, c->small.b));
    choose_size(c);
    TESS_TRY(choose_group(c));
    TESS_TRY(choose_patches(c));
    c->halves = c->opts->odd || c->opts->even;
    c->weights = c->exposure.doses.data && !c->opts->unweighted;
    return TESS_OK;
}

/* Bytes of what is aligned: its spectra, and two copies of them. */
static double bytes_to_align(const tess__correcting *c)
{
    const tess_shape half = tess_rfft_shape(c->small);
    return 3 * 8.0 * (double)half.b * (double)half.h * (double)half.w;
}

static tess_status open_movie(tess__correcting *c)
{
    const tess_motion_correct_opts *o = c->opts;
    const tess__movie_opts          opts = { .camera = { .dark = o->dark,
                                                         .gain = o->gain,
                                                         .gain_sense = o->gain_sense,
                                                         .gain_rot = o->gain_rot,
                                                         .gain_flip = o->gain_flip },
                                             .defects = o->defects,
                                             .hot = o->hot,
                                             .reserved = bytes_to_align(c) };
    c->movie = (tess__movie){ .fn = fn, .context = c->context, .source = c->source };
    return tess__movie_open(&c->movie, &opts);
}

/* ---- Results ---- */

/* Electrons per square Å that the early motion ends at. */
static const double EARLY = 4;

/* The length of the way of whole frames up to an exposure of 4 electrons/Å^2 (of frames of 1 if it is not known), as
 * RELION's rlnAccumMotionEarly, and the rest. */
static void measure_way(tess_motion_correct_result *r, const tess__correcting *c)
{
    const double  each = c->exposure.each > 0 ? c->exposure.each : 1;
    const double *doses = c->exposure.doses.data, *shifts = c->whole.shifts.data;
    double        early = 0, late = 0;
    for (int64_t i = 1; i < c->small.b; ++i) {
        const double *a = shifts + 2 * (i - 1), *b = shifts + 2 * i;
        const double  dose = doses ? doses[i] : each * (double)(i + 1);
        *(dose <= EARLY * (1 + 1e-9) ? &early : &late) += hypot(b[0] - a[0], b[1] - a[1]);
    }
    r->motion = (early + late) * c->pixel_size;
    r->motion_early = early * c->pixel_size;
    r->motion_late = late * c->pixel_size;
}

static tess_status list_shifts(tess_array *table, const tess__correcting *c)
{
    const double *shifts = c->whole.shifts.data;
    TESS_TRY(tess_empty(table, TESS_SHAPE(1, 1, c->small.b, 3), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < c->small.b; ++i) {
        double *row = (double *)table->data + 3 * i;
        row[0] = (double)i;
        row[1] = shifts[2 * i + 1];
        row[2] = shifts[2 * i];
    }
    return TESS_OK;
}

/* Puts an array into the result, and leaves none behind. */
static void give(tess_array *to, tess_array *from)
{
    *to = *from;
    *from = (tess_array){ 0 };
}

static tess_status report(tess_motion_correct_result *r, tess__correcting *c)
{
    TESS_TRY(list_shifts(&r->shifts, c));
    measure_way(r, c);
    r->pixel_size = c->pixel_size;
    r->score = c->whole.score;
    r->noise = c->whole.noise;
    r->residual = c->local.model.data ? c->local.residual : 0;
    r->local_gain = c->local.gain;
    r->local_error = c->local.error;
    r->n_frames = c->small.b;
    r->n_bad_pixels = c->movie.n_bad;
    r->n_patches = c->local.used;
    r->group = c->group;
    give(&r->model, &c->local.model);
    give(&r->patch_positions, &c->local.positions);
    give(&r->patch_shifts, &c->local.shifts);
    give(&r->patch_weights, &c->local.weights);
    give(&r->hot_pixels, &c->movie.hot_pixels);
    return TESS_OK;
}

static tess_status work(tess_motion_correct_result *r, tess__correcting *c)
{
    TESS_TRY(read_options(c));
    TESS_TRY(open_movie(c));
    TESS_TRY(tess__correcting_align(c));
    TESS_TRY(tess__correcting_add(c));
    TESS_TRY(tess__correcting_images(c, r));
    return report(r, c);
}

static void release(tess__correcting *c)
{
    tess_array *all[] = { &c->spectra, &c->sums[0], &c->sums[1], &c->weighted, &c->zero };
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) tess_release(all[k]);
    tess__whole_motion_free(&c->whole);
    tess__local_motion_free(&c->local);
    tess__movie_close(&c->movie);
    tess__exposure_close(&c->exposure);
}

tess_status tess_motion_correct(tess_motion_correct_result *result, const tess_source *movie,
                                const tess_motion_correct_opts *opts, const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_motion_correct_opts o;
    tess_context             resolved;
    tess__correcting         c = { .fn = fn, .opts = &o, .context = &resolved, .source = movie };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "movie", movie));
    TESS_TRY(tess__resolve(&tess__job_motion_correct.function, opts, &o));
    TESS_TRY(tess__context(&resolved, fn, context));
    const tess_status status = work(result, &c);
    release(&c);
    if (status != TESS_OK) tess_motion_correct_result_release(result);
    return status;
}

void tess_motion_correct_result_release(tess_motion_correct_result *result)
{
    if (!result) return;
    tess_array *all[] = { &result->sum,           &result->weighted,     &result->odd,
                          &result->even,          &result->thumbnail,    &result->shifts,
                          &result->model,         &result->patch_shifts, &result->patch_positions,
                          &result->patch_weights, &result->hot_pixels };
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) tess_release(all[k]);
    memset(result, 0, sizeof *result);
}
