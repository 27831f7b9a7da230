/* Exposure filters of Grant and Grigorieff for aligned movies and tilt series, and the sum of what they pass. */
#include "tessera/jobs/dose_weight_stack.h"

#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/each_image.h"
#include "jobs/data/movies/exposure.h"
#include "jobs/data/pixels.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"

static const char fn[] = "dose_weight_stack";

#define R tess_dose_weight_stack_result
#define O tess_dose_weight_stack_opts
#define ANGSTROM "\xc3\x85"
static const tess_arg_info args[] = {
    TESS__RESULT_ARRAY(R, images, "", "dose-weighted images; none with sum"),
    TESS__RESULT_ARRAY(R, sum, "", "sum of the dose-weighted images, with white noise; only with sum"),
    TESS__RESULT_F64(R, exposure, "electrons/" ANGSTROM "^2", "exposure at the end of the last image"),
    TESS__RESULT_F64(R, pixel_size, ANGSTROM, "pixel size"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_SOURCE, TESS_ARG_IMAGES, "images", "aligned frames or tilt images"),
    TESS__EXPOSURE_ROWS(O),
    TESS__FLAG(O, sum, "make only the sum of the dose-weighted images, with white noise"),
    TESS__AUTO_F64(O, pixel_size, ANGSTROM, "that of the images", TESS__POSITIVE, DBL_MAX, "pixel size"),
    TESS__OPT_SINK(O, sink, "sink for the dose-weighted images"),
};
#undef R
#undef O

TESS__JOB_RUN(dose_weight_stack, v[0].source)
const tess_job_info tess__job_dose_weight_stack =
    TESS__JOB(dose_weight_stack, "Dose-weight aligned movies and tilt series: each image or their sum", args,
              tess_dose_weight_stack_opts, tess_dose_weight_stack_result);

typedef struct weighting {
    const tess_source *source;
    tess__exposure     exposure;
    double             pixel_size;
    tess_dtype         dtype;
    tess_shape         image; /* b = 1 */
    tess_array         sum;   /* the spectrum so far */
} weighting;

static tess_status weight_images(void *user, tess_array *out, const tess_array *in, const tess_slab *s)
{
    const weighting *w = user;
    tess_array       doses = { 0 };
    TESS_TRY(tess__exposure_part(&doses, &w->exposure, s->b, in->shape.b, in->device));
    const tess_status status = tess_dose_weight_image(out, in, &doses, w->pixel_size, &w->exposure.weight);
    tess_release(&doses);
    return status;
}

/* One by one, so that the sum does not depend on how many images come at a time. */
static tess_status add_images(void *user, tess_array *out, const tess_array *in, const tess_slab *s)
{
    (void)out;
    weighting                   *w = user;
    const tess_dose_weight_opts *opts = &w->exposure.weight;
    tess_array                   spectrum = { 0 }, doses = { 0 };
    tess_status                  status = TESS_OK;
    for (int64_t i = 0; i < in->shape.b && status == TESS_OK; ++i) {
        tess_array one;
        TESS_GOTO(done, status, tess_slice(&one, in, 0, i, i + 1, 1));
        TESS_GOTO(done, status, tess__exposure_part(&doses, &w->exposure, s->b + i, 1, in->device));
        TESS_GOTO(done, status, tess_fft_r2c(&spectrum, &one, NULL));
        TESS_GOTO(done, status, tess_dose_weight(&spectrum, &spectrum, w->image, &doses, w->pixel_size, opts));
        if (w->sum.data) TESS_GOTO(done, status, tess_add(&w->sum, &w->sum, &spectrum));
        else TESS_GOTO(done, status, tess_copy(&w->sum, &spectrum));
        tess_release(&doses);
    }
done:
    tess_release(&spectrum);
    tess_release(&doses);
    return status;
}

/* Divided by the root of the sum of squares of the filters, and back in real space. */
static tess_status finish_sum(weighting *w, tess_array *result)
{
    tess_array  doses = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_to_device(&doses, &w->exposure.doses, w->sum.device));
    TESS_GOTO(done, status,
              tess_dose_normalize(&w->sum, &w->sum, w->image, &doses, w->pixel_size, &w->exposure.weight));
    TESS_GOTO(done, status, tess_fft_c2r(result, &w->sum, w->image, NULL));
    TESS_GOTO(done, status, tess__move(result, tess_cpu()));
done:
    tess_release(&doses);
    return status;
}

static tess_status check_images(weighting *w, const tess_dose_weight_stack_opts *o)
{
    const tess__exposure_opts exposure = TESS__EXPOSURE_OF(o);
    const tess_source        *source = w->source;
    const tess_shape          s = source->shape;
    TESS_CHECK(!o->sum || !o->sink, TESS_EARG,
               "%s: `opts->sink` takes weighted images, but `opts->sum` makes none; give only one of them", fn);
    TESS_TRY(tess__need_real(fn, source));
    TESS_CHECK(s.d == 1, TESS_ESHAPE, "%s: %s is a volume; a movie or a tilt series is needed, {n,1,h,w}", fn,
               source->name);
    TESS_CHECK(s.b * s.h * s.w > 0, TESS_ESHAPE, "%s: %s is empty", fn, source->name);
    w->pixel_size = o->pixel_size > 0 ? o->pixel_size : source->meta ? source->meta->pixel_size[2] : 0;
    TESS_CHECK(w->pixel_size > 0, TESS_EARG, "%s: %s: the pixel size is not known; give `opts->pixel_size`", fn,
               source->name);
    TESS_TRY(tess__exposure_open(&w->exposure, fn, &exposure, s.b));
    TESS_CHECK(w->exposure.doses.data, TESS_EARG, "%s: the exposure is not known; give `opts->dose` or `opts->doses`",
               fn);
    w->dtype = tess__dtype_to_compute(source->dtype);
    w->image = TESS_SHAPE(1, 1, s.h, s.w);
    return TESS_OK;
}

static tess_status work(tess_dose_weight_stack_result *r, weighting *w, const tess_dose_weight_stack_opts *o,
                        const tess_context *context)
{
    TESS_TRY(check_images(w, o));
    const int64_t               workspace = 4 * (int64_t)tess_dtype_size(w->dtype) * w->image.h * w->image.w;
    const tess__each_image_plan plan = { .fn = fn,
                                         .source = w->source,
                                         .dtype = w->dtype,
                                         .extra = o->sum ? 0 : workspace,
                                         .step = o->sum ? add_images : weight_images,
                                         .user = w };
    r->pixel_size = w->pixel_size;
    r->exposure = ((const double *)w->exposure.doses.data)[w->source->shape.b - 1];
    if (!o->sum) return tess__each_image(&plan, o->sink, &r->images, context);
    TESS_TRY(tess__each_image_read(&plan, workspace, context));
    return finish_sum(w, &r->sum);
}

tess_status tess_dose_weight_stack(tess_dose_weight_stack_result *result, const tess_source *images,
                                   const tess_dose_weight_stack_opts *opts, const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_dose_weight_stack_opts o;
    tess_context                c;
    weighting                   w = { .source = images };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "images", images));
    TESS_TRY(tess__resolve(&tess__job_dose_weight_stack.function, opts, &o));
    TESS_TRY(tess__context(&c, fn, context));
    const tess_status status = work(result, &w, &o, &c);
    tess_release(&w.sum);
    tess__exposure_close(&w.exposure);
    if (status != TESS_OK) tess_dose_weight_stack_result_release(result);
    return status;
}

void tess_dose_weight_stack_result_release(tess_dose_weight_stack_result *result)
{
    if (!result) return;
    tess_release(&result->images);
    tess_release(&result->sum);
    memset(result, 0, sizeof *result);
}
