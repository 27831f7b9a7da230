/* Alignment of tilt series: neighbours are correlated, stretched across the tilt axis by the ratio of cosines. */
#include "tessera/jobs/align_tilt_series.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/text.h"
#include "jobs/data/particles/number_list.h"
#include "jobs/data/shifted_stack.h"
#include "tessera/constants.h"
#include "tessera/fft.h"
#include "tessera/motion.h"

static const char fn[] = "align_tilt_series";

static const tess_arg_info args[] = {
    TESS__RESULT_COLUMNS(tess_align_tilt_series_result, shifts, tess__shift_columns,
                         "shifts that move images onto the one with the smallest tilt"),
    TESS__SOURCE_IMAGES("images", "tilt series"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "tilts", "tilt angle of each image, in degrees"),
    TESS__OPT_F64(tess_align_tilt_series_opts, axis, "radians", 0, -DBL_MAX, DBL_MAX,
                  "angle of the tilt axis from y, counter-clockwise with y up, as in IMOD"),
    TESS__CUTOFF_ROW(tess_align_tilt_series_opts),
    TESS__AUTO_F64(tess_align_tilt_series_opts, max_shift, "pixels", "unlimited", TESS__POSITIVE, DBL_MAX,
                   "maximum shift relative to the neighbouring image"),
    TESS__ALIGNED_ROW(tess_align_tilt_series_opts),
};

TESS__JOB_RUN(align_tilt_series, v[0].source, v[1].in)
const tess_job_info tess__job_align_tilt_series =
    TESS__JOB(align_tilt_series, "Align a tilt series by correlating neighbours, stretched by the ratio of cosines",
              args, tess_align_tilt_series_opts, tess_align_tilt_series_result);

static tess_status take_tilts(tess_array *radians, const tess_array *tilts, int64_t n)
{
    TESS_TRY(tess__number_list(radians, fn, "tilts", tilts, n));
    for (int64_t i = 0; i < n; i++) {
        double *angle = (double *)radians->data + i;
        char    text[32];
        TESS_CHECK(fabs(*angle) <= 85, TESS_ERANGE, "%s: angle %lld of `tilts` is %s; -85 to 85 degrees are allowed",
                   fn, (long long)i, tess__number_text(text, *angle));
        *angle *= TESS_PI / 180;
    }
    return TESS_OK;
}

/* By images of the cropped spectra. */
static tess_status find_shifts(tess__shifted_stack *s, const tess_array *radians, const tess_align_tilt_series_opts *o)
{
    const tess_align_tilts_opts opts = { .axis = o->axis, .high = 0.45, .max_shift = o->max_shift / s->scale[1] };
    tess_array                  images = { 0 };
    tess_status                 status = TESS_OK;
    TESS_GOTO(done, status, tess_fft_c2r(&images, &s->spectra, s->small, NULL));
    TESS_GOTO(done, status, tess_align_tilts(&s->shifts, &images, radians, &opts));
done:
    tess_release(&images);
    return status;
}

static tess_status work(tess_align_tilt_series_result *r, tess__shifted_stack *s, const tess_array *tilts,
                        const tess_align_tilt_series_opts *o)
{
    tess_array  radians = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, take_tilts(&radians, tilts, s->source->shape.b));
    TESS_GOTO(done, status, tess__shifted_stack_read(s, o->cutoff));
    TESS_GOTO(done, status, find_shifts(s, &radians, o));
    TESS_GOTO(done, status, tess__shifted_stack_finish(s, &r->shifts));
done:
    tess_release(&radians);
    return status;
}

tess_status tess_align_tilt_series(tess_align_tilt_series_result *result, const tess_source *images,
                                   const tess_array *tilts, const tess_align_tilt_series_opts *opts,
                                   const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_context                c;
    tess_align_tilt_series_opts o;
    tess__shifted_stack         s = { .fn = fn, .context = &c, .source = images };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "images", images));
    TESS_TRY(tess__resolve(&tess__job_align_tilt_series.function, opts, &o));
    TESS_TRY(tess__context(&c, fn, context));
    s.sink = o.sink;
    const tess_status status = work(result, &s, tilts, &o);
    tess__shifted_stack_close(&s);
    if (status != TESS_OK) tess_align_tilt_series_result_release(result);
    return status;
}

void tess_align_tilt_series_result_release(tess_align_tilt_series_result *result)
{
    if (!result) return;
    tess_release(&result->shifts);
    memset(result, 0, sizeof *result);
}
