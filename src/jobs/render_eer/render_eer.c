/* EER movies rendered as counts of electrons, less a dark image and times a gain image. */
#include "tessera/jobs/render_eer.h"

#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/movies/camera.h"
#include "jobs/data/each_image.h"
#include "jobs/data/pixels.h"

static const char fn[] = "render_eer";

static const tess_arg_info args[] = {
    TESS__RESULT_ARRAY(tess_render_eer_result, images, "", "images"),
    TESS__RESULT_I64(tess_render_eer_result, n_images, "", "number of images"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_SOURCE, TESS_ARG_IMAGES, "movie",
                  "EER movie; frames are grouped and up-sampled as set when it was opened"),
    TESS__CAMERA_ROWS(tess_render_eer_opts),
    TESS__OPT_SINK(tess_render_eer_opts, sink, "sink for the images"),
};

TESS__JOB_RUN(render_eer, v[0].source)
const tess_job_info tess__job_render_eer =
    TESS__JOB(render_eer, "Render EER movies as images: group frames, up-sample, apply a gain", args,
              tess_render_eer_opts, tess_render_eer_result);

static tess_status correct_images(void *user, tess_array *out, const tess_array *in, const tess_slab *slab)
{
    (void)slab;
    return tess_camera_correct(user, out, in, 0, 0);
}

static tess_status work(tess_render_eer_result *r, tess_camera *camera, const tess_source *movie,
                        const tess_render_eer_opts *o, const tess_context *context)
{
    const tess_camera_opts opts = { .dark = o->dark,
                                    .gain = o->gain,
                                    .gain_sense = o->gain_sense,
                                    .gain_rot = o->gain_rot,
                                    .gain_flip = o->gain_flip };
    TESS_CHECK(movie->format == TESS_FORMAT_EER, TESS_EARG, "%s: %s is not an EER movie", fn, movie->name);
    TESS_TRY(tess__camera_open(camera, fn, movie, &opts, context));
    const tess__each_image_plan plan = { .fn = fn,
                                         .source = movie,
                                         .dtype = camera->op ? tess__dtype_to_compute(movie->dtype) : movie->dtype,
                                         .step = camera->op ? correct_images : NULL,
                                         .user = camera };
    r->n_images = movie->shape.b;
    return tess__each_image(&plan, o->sink, &r->images, context);
}

tess_status tess_render_eer(tess_render_eer_result *result, const tess_source *movie, const tess_render_eer_opts *opts,
                            const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_render_eer_opts o;
    tess_context         c;
    tess_camera          camera = { 0 };
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "movie", movie));
    TESS_TRY(tess__resolve(&tess__job_render_eer.function, opts, &o));
    TESS_TRY(tess__context(&c, fn, context));
    const tess_status status = work(result, &camera, movie, &o, &c);
    tess_camera_release(&camera);
    if (status != TESS_OK) tess_render_eer_result_release(result);
    return status;
}

void tess_render_eer_result_release(tess_render_eer_result *result)
{
    if (!result) return;
    tess_release(&result->images);
    memset(result, 0, sizeof *result);
}
