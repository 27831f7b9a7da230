/* Dark and gain images. */
#include "movies/correction.h"

#include <string.h>

#include "tessera.h"

static const char text[] = "op correct(in f32 x, in f32 dark, in f32 gain, out f32 z) { z = (x - dark)*gain; }\n";

/* TIFFs of this name multiply, and their rows go as those of the movie do. */
static bool is_gain_file(const char *path)
{
    const size_t n = strlen(path);
    return n > 5 && strcmp(path + n - 5, ".gain") == 0;
}

/* By --gain-rot times 90 degrees from x towards y, then by --gain-flip mirrored along x or y. */
static tess_status turn_gain(const job *j, tess_array *image)
{
    const int64_t turns = job_integer(j, "gain-rot", 0);
    const char   *flip = job_text(j, "gain-flip", "none");
    tess_array    view = *image, turned = { 0 };
    TESS_CHECK(turns >= 0 && turns <= 3, TESS_EARG, "%s: --gain-rot is %lld; 0 to 3 times 90 degrees are allowed",
               j->verb->name, (long long)turns);
    if (turns == 0 && strcmp(flip, "none") == 0) return TESS_OK;
    if (turns == 2) TESS_TRY(tess_reverse(&view, &view, TESS_H | TESS_W));
    if (turns == 1 || turns == 3) {
        TESS_TRY(tess_reverse(&view, &view, turns == 1 ? TESS_H : TESS_W));
        TESS_TRY(tess_transpose(&view, &view));
    }
    if (strcmp(flip, "none") != 0) TESS_TRY(tess_reverse(&view, &view, flip[0] == 'x' ? TESS_W : TESS_H));
    TESS_TRY(tess_copy(&turned, &view));
    tess_release(image);
    *image = turned;
    return TESS_OK;
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

/* Does an image that is called this divide? */
static bool divides(job *j, const char *path, bool is_eer)
{
    const char *sense = job_text(j, "gain-sense", NULL);
    if (sense) return sense[0] == 'd';
    const bool by_kind = is_eer && !is_gain_file(path);
    if (by_kind) job_note(j, "%s: gains of EER movies divide; --gain-sense multiply is for others", path);
    return by_kind;
}

static tess_status check_size(const job *j, const char *name, tess_shape got, tess_shape shape)
{
    TESS_CHECK(got.b == 1 && got.d == 1 && got.h == shape.h && got.w == shape.w, TESS_ESHAPE,
               "%s: --%s has %lld images of %lld x %lld; one of %lld x %lld is needed", j->verb->name, name,
               (long long)(got.b * got.d), (long long)got.w, (long long)got.h, (long long)shape.w, (long long)shape.h);
    return TESS_OK;
}

static tess_status read_image(job *j, const char *name, bool keep_rows, tess_array *image)
{
    input       in = { 0 };
    tess_status status;
    TESS_TRY(input_open_beside(&in, j, job_text(j, name, ""), NEED_IMAGES, keep_rows));
    status = input_read_all(&in, j, image, TESS_F32);
    input_close(&in);
    return status;
}

static tess_status read_gain(job *j, const input *movie, tess_array *gain)
{
    const char *path = job_text(j, "gain", NULL);
    const bool  is_eer = movie->info.format == TESS_FORMAT_EER;
    if (!path) return TESS_OK;
    TESS_TRY(read_image(j, "gain", is_eer && is_gain_file(path), gain));
    if (gain->shape.b * gain->shape.d == 1) {
        TESS_TRY(turn_gain(j, gain));
        if (is_eer) TESS_TRY(fit_to_eer(gain, movie->info.shape));
    }
    TESS_TRY(check_size(j, "gain", gain->shape, movie->info.shape));
    return divides(j, path, is_eer) ? invert_gain(gain) : TESS_OK;
}

tess_status correction_open(correction *c, job *j, const input *in)
{
    TESS_CHECK(job_has(j, "gain") || !job_has(j, "gain-sense"), TESS_EARG, "%s: --gain-sense requires --gain",
               j->verb->name);
    if (job_has(j, "dark")) {
        TESS_TRY(read_image(j, "dark", false, &c->dark));
        TESS_TRY(check_size(j, "dark", c->dark.shape, in->info.shape));
    }
    TESS_TRY(read_gain(j, in, &c->gain));
    if (c->dark.data || c->gain.data) TESS_TRY(tess_op_text(&c->op, text));
    return TESS_OK;
}

void correction_free(correction *c)
{
    tess_release(&c->dark);
    tess_release(&c->gain);
    tess_op_release(c->op);
    c->op = NULL;
}

tess_status correction_apply(const correction *c, tess_array *corrected, const tess_array **part, int64_t row,
                             int64_t column)
{
    if (!c->op) return TESS_OK;
    const tess_shape  s = (*part)->shape;
    const tess_region region = { .h = tess_from_to(row, row + s.h), .w = tess_from_to(column, column + s.w) };
    tess_array        dark = tess_f32(0), gain = tess_f32(1);
    if (c->dark.data) TESS_TRY(tess_subregion(&dark, &c->dark, region));
    if (c->gain.data) TESS_TRY(tess_subregion(&gain, &c->gain, region));
    TESS_TRY(tess_call(c->op, *part, &dark, &gain, corrected));
    *part = corrected;
    return TESS_OK;
}
