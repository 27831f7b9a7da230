/* Dark and gain correction: frames less a dark image, times a gain image. */
#include "jobs/data/movies/camera.h"

#include <string.h>

#include "jobs/data/pixels.h"
#include "tessera/ewise.h"
#include "tessera/resize.h"
#include "tessera/op.h"
#include "tessera/reduce.h"

const tess_choice tess__gain_senses[] = {
    { "multiply", TESS_GAIN_MULTIPLY, "multiply by the gain reference" },
    { "divide", TESS_GAIN_DIVIDE, "multiply by its mean over its value; pixels of value 0 become 0" },
    { NULL, 0, NULL },
};
const tess_choice tess__gain_flips[] = {
    { "none", TESS_GAIN_FLIP_NONE, "not mirrored" },
    { "x", TESS_GAIN_FLIP_X, "along x" },
    { "y", TESS_GAIN_FLIP_Y, "along y" },
    { NULL, 0, NULL },
};

static const char text[] = "op correct(in f32 x, in f32 dark, in f32 gain, out f32 z) { z = (x - dark)*gain; }\n";

/* TIFFs of this name multiply, and their rows go as those of the movie do. */
static bool is_gain_file(const char *name)
{
    const size_t n = name ? strlen(name) : 0;
    return n > 5 && strcmp(name + n - 5, ".gain") == 0;
}

/* Replaces an image by a copy of a view of it. */
static tess_status take_view(tess_array *image, const tess_array *view)
{
    tess_array copy = { 0 };
    TESS_TRY(tess_copy(&copy, view));
    tess_release(image);
    *image = copy;
    return TESS_OK;
}

/* Rows of these formats are read from the last to the first, unless they are kept. */
static tess_status restore_rows(tess_array *image, const tess_source *source)
{
    const bool is_reversed =
        !source->keep_rows &&
        (source->format == TESS_FORMAT_TIFF || source->format == TESS_FORMAT_PNG || source->format == TESS_FORMAT_DM);
    tess_array view;
    if (!is_reversed) return TESS_OK;
    TESS_TRY(tess_reverse(&view, image, TESS_H));
    return take_view(image, &view);
}

/* By quarter turns from x towards y, then mirrored along x or y. */
static tess_status orient(tess_array *image, const tess_camera_opts *o)
{
    const bool mirrors = o->gain_flip == TESS_GAIN_FLIP_X || o->gain_flip == TESS_GAIN_FLIP_Y;
    tess_array view = *image;
    if (o->gain_rot == 0 && !mirrors) return TESS_OK;
    if (o->gain_rot == 2) TESS_TRY(tess_reverse(&view, &view, TESS_H | TESS_W));
    if (o->gain_rot == 1 || o->gain_rot == 3) {
        TESS_TRY(tess_reverse(&view, &view, o->gain_rot == 1 ? TESS_H : TESS_W));
        TESS_TRY(tess_transpose(&view, &view));
    }
    if (mirrors) TESS_TRY(tess_reverse(&view, &view, o->gain_flip == TESS_GAIN_FLIP_X ? TESS_W : TESS_H));
    return take_view(image, &view);
}

/* Each pixel becomes n x n equal ones. */
static tess_status repeat_pixels(tess_array *image, int64_t n)
{
    const tess_shape s = image->shape;
    tess_array       large = { 0 }, rows, part;
    tess_status      status = TESS_OK;
    TESS_TRY(tess_empty(&large, TESS_SHAPE(1, 1, n * s.h, n * s.w), image->dtype, tess_cpu()));
    for (int64_t i = 0; i < n * n && status == TESS_OK; i++) {
        status = tess_slice(&rows, &large, 2, i / n, large.shape.h, n);
        if (status == TESS_OK) status = tess_slice(&part, &rows, 3, i % n, large.shape.w, n);
        if (status == TESS_OK) status = tess_copy(&part, image);
    }
    tess_release(image);
    *image = large;
    return status;
}

/* Means of n x n pixels. */
static tess_status mean_pixels(tess_array *image, int64_t n)
{
    tess_array        small = { 0 };
    const tess_status status = tess_bin(&small, image, TESS_SHAPE(1, 1, n, n), NULL);
    tess_release(image);
    *image = small;
    return status;
}

/* Gains of EER movies are of the camera's size, or of that of a movie that is up-sampled. */
static tess_status fit_to_eer(tess_array *image, tess_shape shape)
{
    for (int64_t n = 2; n <= 4; n *= 2) {
        const tess_shape s = image->shape;
        if (s.h * n == shape.h && s.w * n == shape.w) return repeat_pixels(image, n);
        if (shape.h * n == s.h && shape.w * n == s.w) return mean_pixels(image, n);
    }
    return TESS_OK;
}

/* The mean over each value; 0, a defect, stays 0. */
static tess_status invert_gain(tess_array *gain)
{
    tess_op    *op = NULL;
    double      mean = 0;
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_op_text(&op, "op over(val f32 mean, inout f32 g) { g = g == 0 ? 0 : mean/g; }\n"));
    TESS_GOTO(done, status, tess_host_mean(&mean, gain));
    TESS_GOTO(done, status, tess_call(op, mean, gain));
done:
    tess_op_release(op);
    return status;
}

static tess_status check_size(const char *fn, const char *name, tess_shape got, tess_shape shape)
{
    TESS_CHECK(got.b == 1 && got.d == 1 && got.h == shape.h && got.w == shape.w, TESS_ESHAPE,
               "%s: `opts->%s` has %lld images of %lld x %lld; one of %lld x %lld is needed", fn, name,
               (long long)(got.b * got.d), (long long)got.w, (long long)got.h, (long long)shape.w, (long long)shape.h);
    return TESS_OK;
}

/* Images are made ready on the CPU. */
static tess_status read_image(tess_array *image, const char *fn, const char *name, const tess_source *source,
                              const tess_context *context)
{
    tess_context here = *context;
    here.device = tess_cpu();
    TESS_TRY(tess__check_source(fn, name, source));
    TESS_TRY(tess__need_real(fn, source));
    return tess_source_read_all(source, image, TESS_F32, &here);
}

static tess_status read_gain(tess_array *gain, const char *fn, const tess_source *movie, const tess_camera_opts *o,
                             const tess_context *context)
{
    const bool is_eer = movie->format == TESS_FORMAT_EER;
    TESS_TRY(read_image(gain, fn, "opts->gain", o->gain, context));
    if (is_eer && is_gain_file(o->gain->name)) TESS_TRY(restore_rows(gain, o->gain));
    if (gain->shape.b * gain->shape.d == 1) {
        TESS_TRY(orient(gain, o));
        if (is_eer) TESS_TRY(fit_to_eer(gain, movie->shape));
    }
    TESS_TRY(check_size(fn, "gain", gain->shape, movie->shape));
    const bool divides =
        o->gain_sense == TESS_GAIN_DEFAULT ? is_eer && !is_gain_file(o->gain->name) : o->gain_sense == TESS_GAIN_DIVIDE;
    return divides ? invert_gain(gain) : TESS_OK;
}

tess_status tess__camera_open(tess_camera *c, const char *fn, const tess_source *movie, const tess_camera_opts *o,
                              const tess_context *context)
{
    const bool flips = o->gain_flip == TESS_GAIN_FLIP_X || o->gain_flip == TESS_GAIN_FLIP_Y;
    TESS_CHECK(o->gain || o->gain_sense == TESS_GAIN_DEFAULT, TESS_EARG, "%s: `opts->gain_sense` requires `opts->gain`",
               fn);
    TESS_CHECK(o->gain || !(flips || o->gain_rot != 0), TESS_EARG, "%s: `opts->%s` requires `opts->gain`", fn,
               flips ? "gain_flip" : "gain_rot");
    if (o->dark) {
        TESS_TRY(read_image(&c->dark, fn, "opts->dark", o->dark, context));
        TESS_TRY(check_size(fn, "dark", c->dark.shape, movie->shape));
    }
    if (o->gain) TESS_TRY(read_gain(&c->gain, fn, movie, o, context));
    TESS_TRY(tess__move(&c->dark, context->device));
    TESS_TRY(tess__move(&c->gain, context->device));
    return o->dark || o->gain ? tess_op_text(&c->op, text) : TESS_OK;
}

/* ---- By itself ---- */

static const tess_arg_info args[] = { TESS__CAMERA_ROWS(tess_camera_opts) };

static const tess_function_info info =
    TESS__INFO_OPTS("camera_open", "jobs/camera", "Reads the dark and gain images of a movie", args, tess_camera_opts);

tess_status tess_camera_open(tess_camera *camera, const tess_source *movie, const tess_camera_opts *opts,
                             const tess_context *context)
{
    tess_camera_opts o;
    tess_context     c;
    TESS_TRY(tess__check_result(info.name, camera, sizeof *camera));
    TESS_TRY(tess__check_source(info.name, "movie", movie));
    TESS_TRY(tess__resolve(&info, opts, &o));
    TESS_TRY(tess__context(&c, info.name, context));
    return tess__camera_open(camera, info.name, movie, &o, &c);
}

tess_status tess_camera_correct(const tess_camera *camera, tess_array *out, const tess_array *in, int64_t row,
                                int64_t column)
{
    TESS_CHECK(camera && out && in, TESS_EARG, "camera_correct: %s is NULL", !camera ? "camera" : !out ? "out" : "in");
    if (!camera->op) return TESS_OK;
    const tess_region region = { .h = tess_from_to(row, row + in->shape.h),
                                 .w = tess_from_to(column, column + in->shape.w) };
    tess_array        dark = tess_f32(0), gain = tess_f32(1);
    if (camera->dark.data) TESS_TRY(tess_subregion(&dark, &camera->dark, region));
    if (camera->gain.data) TESS_TRY(tess_subregion(&gain, &camera->gain, region));
    return tess_call(camera->op, in, &dark, &gain, out);
}

void tess_camera_release(tess_camera *camera)
{
    if (!camera) return;
    tess_release(&camera->dark);
    tess_release(&camera->gain);
    tess_op_release(camera->op);
    memset(camera, 0, sizeof *camera);
}
