/* Dark and gain images. */
#include "movies/correction.h"

#include <string.h>

#include "tessera.h"

static const char text[] = "op correct(in f32 x, in f32 dark, in f32 gain, out f32 z) { z = (x - dark)*gain; }\n";

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

static tess_status read_reference(job *j, const char *name, tess_shape shape, tess_array *image)
{
    if (!job_has(j, name)) return TESS_OK;
    input       in = { 0 };
    tess_status status;
    TESS_TRY(input_open(&in, j, job_text(j, name, ""), NEED_IMAGES));
    tess_shape got = in.info.shape;
    status = input_read_all(&in, j, image, TESS_F32);
    input_close(&in);
    TESS_TRY(status);
    if (strcmp(name, "gain") == 0 && got.b * got.d == 1) {
        TESS_TRY(turn_gain(j, image));
        got = image->shape;
    }
    TESS_CHECK(got.b == 1 && got.d == 1 && got.h == shape.h && got.w == shape.w, TESS_ESHAPE,
               "%s: --%s has %lld images of %lld x %lld; one of %lld x %lld is needed", j->verb->name, name,
               (long long)(got.b * got.d), (long long)got.w, (long long)got.h, (long long)shape.w, (long long)shape.h);
    return TESS_OK;
}

tess_status correction_open(correction *c, job *j, tess_shape shape)
{
    TESS_TRY(read_reference(j, "dark", shape, &c->dark));
    TESS_TRY(read_reference(j, "gain", shape, &c->gain));
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
