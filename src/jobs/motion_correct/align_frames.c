/* Alignment of the frames of a movie: as a whole, then in patches. */
#include <math.h>

#include "core/check/marks.h"
#include "jobs/motion_correct/correcting.h"
#include "tessera/fft.h"
#include "tessera/reduce.h"

/* ---- Whole frames ---- */

static tess_status crop_spectra(void *user, const tess_array *spectra, int64_t first)
{
    tess__correcting *c = user;
    const int64_t     n = spectra->shape.b;
    tess_shape        full = c->frame, small = c->small;
    tess_array        to;
    full.b = small.b = n;
    TESS_TRY(tess_slice(&to, &c->spectra, 0, first, first + n, 1));
    return tess_fft_resize(&to, spectra, full, small, NULL);
}

/* A NaN or an infinity makes all coefficients of its frame NaN. */
static tess_status check_finite(const tess__correcting *c)
{
    tess_array means;
    double     sum[2];
    TESS_TRY(tess_subregion(&means, &c->spectra, (tess_region){ .h = tess_only(0), .w = tess_only(0) }));
    TESS_TRY(tess_host_sum_complex(sum, &means));
    TESS_CHECK(isfinite(sum[0]), TESS_ERANGE,
               "%s: %s has NaN or infinite values; mark them with `opts->defects`, and set `opts->hot` to 0", c->fn,
               c->source->name);
    return TESS_OK;
}

static tess_status align_whole(tess__correcting *c)
{
    TESS_TRY(tess_empty(&c->spectra, tess_rfft_shape(c->small), TESS_C32, c->context->device));
    TESS_TRY(tess__movie_each(&c->movie, c->small.b, crop_spectra, c));
    TESS_TRY(check_finite(c));
    const tess__whole_motion_opts opts = { .pixel_size = c->pixel_size * c->scale[1],
                                           .bfactor = c->opts->bfactor,
                                           .max_shift = c->opts->max_shift / c->scale[1],
                                           .scale = { c->scale[0], c->scale[1] },
                                           .group = c->group };
    TESS_TRY(tess__whole_motion_find(&c->whole, &c->spectra, c->small, &opts));
    if (c->whole.is_no_better)
        tess__warn(c->context,
                   "%s: frames correlate no better than noise (score %.1f; at least %.1f is needed); they are added "
                   "without alignment",
                   c->source->name, c->whole.score, c->whole.noise);
    return TESS_OK;
}

/* ---- Patches ---- */

/* The cropped frames, moved by the shifts of whole ones. */
static tess_status make_aligned(const tess__correcting *c, tess_array *images)
{
    tess_array  by = { 0 }, moved = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_copy(&by, &c->whole.shifts));
    for (int64_t i = 0; i < 2 * c->small.b; ++i) ((double *)by.data)[i] /= c->scale[i % 2];
    TESS_GOTO(done, status, tess__move(&by, c->context->device));
    TESS_GOTO(done, status, tess_fft_phase_shift(&moved, &c->spectra, c->small, &by, NULL));
    TESS_GOTO(done, status, tess_fft_c2r(images, &moved, c->small, &(tess_fft_opts){ .overwrite = 1 }));
done:
    tess_release(&by);
    tess_release(&moved);
    return status;
}

/* Says why only whole frames are moved although patches were requested, or why the model that is used is doubtful. */
static void warn_of_verdict(const tess__correcting *c)
{
    const tess__local_motion *m = &c->local;
    const long long           used = (long long)m->used, patches = (long long)m->shifts.shape.b;
    const long long           groups = (long long)(m->shifts.shape.h / c->group);
    if (m->verdict == TESS__LOCAL_MOTION_FEW)
        tess__warn(c->context,
                   "%s: only %lld of %lld patches can be aligned, too few for a model of local motion from %lld groups "
                   "of frames; only whole frames are shifted, as with `opts->patches` 1",
                   c->source->name, used, patches, groups);
    if (m->verdict == TESS__LOCAL_MOTION_NO_BETTER || m->verdict == TESS__LOCAL_MOTION_KEPT)
        tess__warn(c->context,
                   "%s: a model of local motion changes the cross-validated correlation by %.2g +- %.2g %%, which is "
                   "not a significant improvement; %s",
                   c->source->name, 100 * m->gain, 100 * m->error,
                   m->verdict == TESS__LOCAL_MOTION_KEPT
                       ? "it is used because of " TESS__MARK("opts->always_local")
                       : "only whole frames are shifted, as with " TESS__MARK("opts->patches") " 1");
}

static tess_status align_patches(tess__correcting *c)
{
    const tess__local_motion_opts opts = { .patches = { c->patches[0], c->patches[1] },
                                           .pixel_size = c->pixel_size * c->scale[1],
                                           .bfactor = c->opts->bfactor,
                                           .limit = c->max_local / c->scale[1],
                                           .scale = { c->scale[0], c->scale[1] },
                                           .group = c->group,
                                           .always = c->opts->always_local,
                                           .fn = c->fn,
                                           .context = c->context };
    tess_array                    images = { 0 };
    if (opts.patches[0] * opts.patches[1] == 1 || c->small.b == 1 || c->whole.is_no_better) return TESS_OK;
    tess_status status = make_aligned(c, &images);
    if (status == TESS_OK) status = tess__local_motion_find(&c->local, &images, &opts);
    tess_release(&images);
    TESS_TRY(status);
    warn_of_verdict(c);
    return TESS_OK;
}

tess_status tess__correcting_align(tess__correcting *c)
{
    TESS_TRY(align_whole(c));
    TESS_TRY(align_patches(c));
    tess_release(&c->spectra);
    return TESS_OK;
}
