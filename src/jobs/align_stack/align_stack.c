/* Alignment of the images of a stack: each is correlated with the sum of the others. */
#include "tessera/jobs/align_stack.h"

#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/shifted_stack.h"
#include "tessera/motion.h"

static const char fn[] = "align_stack";

#define ANGSTROM "\xc3\x85"
static const tess_arg_info args[] = {
    TESS__RESULT_COLUMNS(tess_align_stack_result, shifts, tess__shift_columns,
                         "shifts that move images onto the first one"),
    TESS__SOURCE_IMAGES("images", "stack of images"),
    TESS__CUTOFF_ROW(tess_align_stack_opts),
    TESS__OPT_F64(tess_align_stack_opts, bfactor, ANGSTROM "^2", 0, 0, DBL_MAX,
                  "B-factor of the correlation weight exp(-B/4 s^2)"),
    TESS__AUTO_F64(tess_align_stack_opts, max_shift, "pixels", "unlimited", TESS__POSITIVE, DBL_MAX,
                   "maximum shift per image and iteration"),
    TESS__AUTO_F64(tess_align_stack_opts, pixel_size, ANGSTROM, "that of the images", TESS__POSITIVE, DBL_MAX,
                   "pixel size"),
    TESS__ALIGNED_ROW(tess_align_stack_opts),
};

TESS__JOB_RUN(align_stack, v[0].source)
const tess_job_info tess__job_align_stack =
    TESS__JOB(align_stack, "Align the images of a stack, each by correlation with the sum of the others", args,
              tess_align_stack_opts, tess_align_stack_result);

/* Only B-factors need the size of pixels. */
static tess_status find_pixel_size(double *size, const tess_source *images, const tess_align_stack_opts *o)
{
    *size = o->pixel_size > 0 ? o->pixel_size : images->meta ? images->meta->pixel_size[2] : 0;
    TESS_CHECK(!(o->bfactor > 0) || *size > 0, TESS_EARG,
               "%s: %s: the pixel size is not known; `opts->bfactor` requires it; give `opts->pixel_size`", fn,
               images->name);
    if (!(*size > 0)) *size = 1;
    return TESS_OK;
}

static tess_status work(tess_align_stack_result *r, tess__shifted_stack *s, const tess_align_stack_opts *o)
{
    double pixel;
    TESS_TRY(find_pixel_size(&pixel, s->source, o));
    TESS_TRY(tess__shifted_stack_read(s, o->cutoff));
    const tess_align_frames_opts opts = { .bfactor = tess_given(o->bfactor),
                                          .max_shift = o->max_shift / s->scale[1] };
    TESS_TRY(tess_align_frames(&s->shifts, &s->spectra, s->small, pixel * s->scale[1], &opts));
    return tess__shifted_stack_finish(s, &r->shifts);
}

tess_status tess_align_stack(tess_align_stack_result *result, const tess_source *images,
                             const tess_align_stack_opts *opts, const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_context          c;
    tess_align_stack_opts o;
    tess__shifted_stack   s = { .fn = fn, .context = &c, .source = images };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "images", images));
    TESS_TRY(tess__resolve(&tess__job_align_stack.function, opts, &o));
    TESS_TRY(tess__context(&c, fn, context));
    s.sink = o.sink;
    const tess_status status = work(result, &s, &o);
    tess__shifted_stack_close(&s);
    if (status != TESS_OK) tess_align_stack_result_release(result);
    return status;
}

void tess_align_stack_result_release(tess_align_stack_result *result)
{
    if (!result) return;
    tess_release(&result->shifts);
    memset(result, 0, sizeof *result);
}
