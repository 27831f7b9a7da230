/* Local motion of frames: shifts of patches, a model of them, and its cross-validation. */
#include "jobs/motion_correct/local_motion.h"

#include <math.h>

#include "jobs/motion_correct/whole_motion.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/filter.h"
#include "tessera/motion.h"
#include "tessera/order.h"
#include "tessera/reduce.h"

/* Neighbouring frames of noise are farther apart than JUMP of the limit, in the median. A model is kept that is
 * better by SURE standard errors: models of all other patches are worse at a patch than that of all is, so that one
 * is enough. */
static const double JUMP = 0.4, SURE = 1;

/* Coefficients of the model along each axis. */
enum { COEFFICIENTS = 18 };

/* A shift counts by the square of its score, which the variance of its error falls with; by no less than this. */
static const double MINIMUM_WEIGHT = 0.01;

/* ---- Patches ---- */

/* Pixels of a patch along an axis: from the first to before the last. */
static tess_range patch_range(int64_t n, int64_t patches, int64_t k)
{
    return tess_from_to(n * k / patches, n * (k + 1) / patches);
}

static tess_region patch_region(const tess_array *images, const tess__local_motion_opts *o, int64_t p)
{
    return (tess_region){ .h = patch_range(images->shape.h, o->patches[0], p / o->patches[1]),
                          .w = patch_range(images->shape.w, o->patches[1], p % o->patches[1]) };
}

static tess_status patch_spectra(tess_array *spectra, tess_shape *shape, const tess_array *images,
                                 const tess__local_motion_opts *o, int64_t p)
{
    tess_array part;
    TESS_TRY(tess_subregion(&part, images, patch_region(images, o, p)));
    *shape = part.shape;
    return tess_fft_r2c(spectra, &part, NULL);
}

static int64_t patch_count(const tess__local_motion_opts *o) { return o->patches[0] * o->patches[1]; }

/* Shifts of a patch, in pixels of frames, and its mean score. */
static tess_status align_patch(tess__local_motion *m, double *score, const tess_array *images,
                               const tess__local_motion_opts *o, int64_t p)
{
    const tess_region      at = patch_region(images, o, p);
    double                *position = (double *)m->positions.data + 2 * p;
    tess_array             spectra = { 0 }, shifts = { 0 }, scores = { 0 };
    tess_shape             shape = images->shape;
    tess_align_frames_opts opts = {
        .bfactor = tess_given(o->bfactor), .max_move = o->limit, .group = o->group, .scores = &scores
    };
    tess_status status = TESS_OK;
    position[0] = (double)(at.h.from + at.h.to) / (2 * (double)images->shape.h) - 0.5;
    position[1] = (double)(at.w.from + at.w.to) / (2 * (double)images->shape.w) - 0.5;
    TESS_GOTO(done, status, patch_spectra(&spectra, &shape, images, o, p));
    TESS_GOTO(done, status, tess_align_frames(&shifts, &spectra, shape, o->pixel_size, &opts));
    TESS_GOTO(done, status, tess_host_mean(score, &scores));
    TESS_GOTO(done, status, tess__move(&scores, tess_cpu()));
    TESS_GOTO(done, status, tess__move(&shifts, tess_cpu()));
    for (int64_t i = 0; i < shape.b; i++) {
        const double one = ((const double *)scores.data)[i];
        ((double *)m->weights.data)[p * shape.b + i] = one > 0 ? fmax(one * one, MINIMUM_WEIGHT) : MINIMUM_WEIGHT;
    }
    double *to = (double *)m->shifts.data + 2 * p * shape.b;
    for (int64_t i = 0; i < 2 * shape.b; i++) to[i] = ((const double *)shifts.data)[i] * o->scale[i % 2];
done:
    tess_release(&spectra);
    tess_release(&shifts);
    tess_release(&scores);
    return status;
}

/* The median distance of a patch from one frame to the next, in pixels of the images. */
static tess_status median_step(double *median, const tess__local_motion *m, const tess__local_motion_opts *o, int64_t p)
{
    const int64_t n = m->shifts.shape.h;
    const double *shift = (const double *)m->shifts.data + 2 * p * n;
    tess_array    steps = { 0 };
    TESS_TRY(tess_empty(&steps, TESS_SHAPE(1, 1, 1, n - 1), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i + 1 < n; i++)
        ((double *)steps.data)[i] =
            hypot((shift[2 * i + 2] - shift[2 * i]) / o->scale[0], (shift[2 * i + 3] - shift[2 * i + 1]) / o->scale[1]);
    const tess_status status = tess_host_median(median, &steps);
    tess_release(&steps);
    return status;
}

static tess_status align_patches(tess__local_motion *m, const tess_array *images, const tess__local_motion_opts *o)
{
    const int64_t patches = patch_count(o), n = images->shape.b;
    const double  noise = tess__score_of_noise(tess__disc_area(o->limit * o->pixel_size), o->pixel_size, o->bfactor);
    tess__stage   stage;
    TESS_TRY(tess_empty(&m->positions, TESS_SHAPE(patches, 1, 1, 2), TESS_F64, tess_cpu()));
    TESS_TRY(tess_empty(&m->shifts, TESS_SHAPE(patches, 1, n, 2), TESS_F64, tess_cpu()));
    TESS_TRY(tess_zeros(&m->weights, TESS_SHAPE(patches, 1, n, 1), TESS_F64, tess_cpu()));
    TESS_TRY(tess__stage_begin(&stage, o->fn, o->context, (tess_progress){ .stage = "patches", .total = patches }));
    for (int64_t p = 0; p < patches; p++) {
        double score = 0, step = 0;
        TESS_TRY(align_patch(m, &score, images, o, p));
        TESS_TRY(median_step(&step, m, o, p));
        const bool counts = score >= noise && step <= JUMP * o->limit;
        for (int64_t i = 0; i < n && !counts; i++) ((double *)m->weights.data)[p * n + i] = 0;
        m->used += counts;
        TESS_TRY(tess__stage_add(&stage, 1));
    }
    return TESS_OK;
}

/* ---- Cross-validation ---- */

/* The power of half spectra. */
static tess_status power_of(double *power, const tess_array *spectra)
{
    double norm = 0;
    TESS_TRY(tess_host_norm(&norm, spectra, NULL));
    *power = norm * norm;
    return TESS_OK;
}

/* Powers of a patch: of its frames one by one, of their sum, and of the sum of frames that are moved by `shifts`. */
typedef struct powers {
    double frames, sum, moved;
} powers;

static tess_status measure_patch(powers *found, const tess_array *images, const tess__local_motion_opts *o, int64_t p,
                                 const tess_array *shifts)
{
    tess_array  spectra = { 0 }, sum = { 0 }, moved = { 0 }, zero;
    tess_shape  shape = images->shape;
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, patch_spectra(&spectra, &shape, images, o, p));
    TESS_GOTO(done, status, tess_bfactor(&spectra, &spectra, shape, o->bfactor / 2, o->pixel_size, NULL));
    TESS_GOTO(done, status, tess_subregion(&zero, &spectra, (tess_region){ .h = tess_only(0), .w = tess_only(0) }));
    TESS_GOTO(done, status, tess_fill(&zero, 0));
    TESS_GOTO(done, status, tess_sum(&sum, &spectra, TESS_B, NULL));
    TESS_GOTO(done, status, tess_add_frames(&moved, NULL, &spectra, shape, shifts, NULL));
    TESS_GOTO(done, status, power_of(&found->frames, &spectra));
    TESS_GOTO(done, status, power_of(&found->sum, &sum));
    TESS_GOTO(done, status, power_of(&found->moved, &moved));
done:
    tess_release(&spectra);
    tess_release(&sum);
    tess_release(&moved);
    return status;
}

/* Shifts {n,1,1,2} of a patch, in pixels of the images, by the model of all others. */
static tess_status predict(tess_array *shifts, tess__local_motion *m, const tess__local_motion_opts *o, int64_t p)
{
    const int64_t n = m->shifts.shape.h;
    tess_array    weights = { 0 }, model = { 0 }, times = { 0 }, position, own;
    tess_status   status = TESS_OK;
    TESS_GOTO(done, status, tess_copy(&weights, &m->weights));
    TESS_GOTO(done, status, tess_slice(&own, &weights, 0, p, p + 1, 1));
    TESS_GOTO(done, status, tess_fill(&own, 0));
    TESS_GOTO(done, status, tess_slice(&position, &m->positions, 0, p, p + 1, 1));
    TESS_GOTO(done, status, tess_arange(&times, TESS_SHAPE(1, 1, 1, n), TESS_F64, tess_cpu(), 0, 1));
    TESS_GOTO(done, status,
              tess_motion_fit(&model, &m->shifts, &m->positions,
                              &(tess_motion_fit_opts){ .weights = &weights, .offsets = 1 }));
    TESS_GOTO(done, status, tess_motion_shifts(shifts, &model, &position, &times));
    TESS_GOTO(done, status, tess_reshape(shifts, shifts, TESS_SHAPE(n, 1, 1, 2)));
    for (int64_t i = 0; i < 2 * n; i++) ((double *)shifts->data)[i] /= o->scale[i % 2];
done:
    tess_release(&weights);
    tess_release(&model);
    tess_release(&times);
    return status;
}

/* What the model of other patches adds to the correlation of frames, summed over the patches, over what it is without;
 * the standard error by how much patches differ. */
static tess_status validate(tess__local_motion *m, const tess_array *images, const tess__local_motion_opts *o)
{
    const int64_t patches = patch_count(o);
    double        gain = 0, squares = 0, total = 0;
    tess__stage   stage;
    TESS_TRY(tess__stage_begin(&stage, o->fn, o->context, (tess_progress){ .stage = "patches", .total = patches }));
    for (int64_t p = 0; p < patches; p++) {
        tess_array  shifts = { 0 };
        powers      found = { 0 };
        tess_status status = predict(&shifts, m, o, p);
        if (status == TESS_OK) status = measure_patch(&found, images, o, p, &shifts);
        tess_release(&shifts);
        TESS_TRY(status);
        gain += found.moved - found.sum;
        squares += (found.moved - found.sum) * (found.moved - found.sum);
        total += fabs(found.sum - found.frames);
        TESS_TRY(tess__stage_add(&stage, 1));
    }
    const double n = (double)patches, variance = (squares - gain * gain / n) * n / (n - 1);
    m->gain = total > 0 ? gain / total : 0;
    m->error = total > 0 ? sqrt(fmax(variance, 0)) / total : 0;
    return TESS_OK;
}

/* ---- All of it ---- */

static tess_status fit(tess__local_motion *m)
{
    tess_array  residual = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status,
              tess_motion_fit(&m->model, &m->shifts, &m->positions,
                              &(tess_motion_fit_opts){ .weights = &m->weights, .offsets = 1, .residual = &residual }));
    TESS_GOTO(done, status, tess_get_f64(&m->residual, &residual, 0, 0, 0, 0));
done:
    tess_release(&residual);
    return status;
}

/* Half of the patches or more, and along each axis at least twice as many shifts as unknowns: the coefficients of the
 * model and an offset of each patch. A group of frames has one shift that is measured. */
static bool are_enough(const tess__local_motion *m, const tess__local_motion_opts *o)
{
    const int64_t patches = m->shifts.shape.b, groups = m->shifts.shape.h / o->group;
    return 2 * m->used >= patches && m->used * groups >= 2 * (COEFFICIENTS + m->used);
}

tess_status tess__local_motion_find(tess__local_motion *m, const tess_array *images, const tess__local_motion_opts *o)
{
    m->verdict = TESS__LOCAL_MOTION_NONE;
    if (patch_count(o) < 2 || images->shape.b < 2) return TESS_OK;
    TESS_TRY(align_patches(m, images, o));
    m->verdict = TESS__LOCAL_MOTION_FEW;
    if (!are_enough(m, o)) return TESS_OK;
    TESS_TRY(fit(m));
    TESS_TRY(validate(m, images, o));
    const bool is_sure = m->gain > SURE * m->error;
    m->verdict = is_sure ? TESS__LOCAL_MOTION_USED : o->always ? TESS__LOCAL_MOTION_KEPT : TESS__LOCAL_MOTION_NO_BETTER;
    if (m->verdict == TESS__LOCAL_MOTION_NO_BETTER) tess_release(&m->model);
    return TESS_OK;
}

void tess__local_motion_free(tess__local_motion *m)
{
    tess_array *all[] = { &m->positions, &m->shifts, &m->weights, &m->model };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tess_release(all[k]);
}
