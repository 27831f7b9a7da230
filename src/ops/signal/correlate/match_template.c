/* Template matching: locally normalised cross-correlation under a mask, by Fourier transforms. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/op/library.h"
#include "ops/signal/correlate/correlate.h"
#include "ops/signal/shells/shells.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/op.h"
#include "tessera/reduce.h"
#include "tessera/resize.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "correlation coefficient at each pixel, in the shape of image; allocated as f32 or f64"),
    TESS__IN("image", "real numbers; b may be 1 with several templates"),
    TESS__IN("templ", "template to look for, not larger than the image; b may be 1"),
    TESS__IN_OPTIONAL("mask", "weight of each element of the template, in its shape; b may be 1; may be NULL"),
    TESS__FLAG(tess_match_template_opts, periodic, "continue images periodically beyond their edges"),
};
TESS__CALL(match_template, v[0].out, v[1].in, v[2].in, v[3].in, opts)
const tess_function_info tess__info_match_template =
    TESS__OP_OPTS(TESS_CUT_BATCHES, match_template, "correlate", "Find a template in images by normalised correlation.",
                  args, tess_match_template_opts, .work_bytes = 160);

#include "ops/signal/correlate/match_template.def"

/* Temporary arrays, all to be released. */
typedef struct match {
    tess_array image, image_mean, centred, square, typical; /* of the image, f64 */
    tess_array mask, templ, templ_mean, weighted, n, norm;  /* of the template */
    tess_array spectrum, square_spectrum, templ_spectrum, mask_spectrum;
    tess_array both, sum, squares, score;
    tess_shape padded; /* of the transforms */
} match;

static void release(match *m)
{
    tess_array *all[] = { &m->image, &m->image_mean, &m->centred,         &m->square,         &m->typical,
                          &m->mask,  &m->templ,      &m->templ_mean,      &m->weighted,       &m->n,
                          &m->norm,  &m->spectrum,   &m->square_spectrum, &m->templ_spectrum, &m->mask_spectrum,
                          &m->both,  &m->sum,        &m->squares,         &m->score };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tess_release(all[k]);
}

enum { SPACE = TESS_D | TESS_H | TESS_W };

/* The image less its mean, and its square. */
static tess_status prepare_image(match *m, const tess_array *image)
{
    TESS_TRY(tess_cast(&m->image, image, TESS_F64, NULL));
    TESS_TRY(tess_mean(&m->image_mean, &m->image, SPACE, NULL));
    TESS_TRY(tess_sub(&m->centred, &m->image, &m->image_mean));
    TESS_TRY(tess_square(&m->square, &m->centred));
    TESS_TRY(tess_mean(&m->typical, &m->square, SPACE, NULL));
    return TESS_OK;
}

/* The template less its mean under the mask, times the mask; and their sums. */
static tess_status prepare_template(match *m, const tess_array *templ, const tess_array *mask)
{
    tess_array  product = { .data = NULL }, norm = { .data = NULL }, size = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&m->templ, templ, TESS_F64, NULL));
    if (mask) TESS_GOTO(done, status, tess_cast(&m->mask, mask, TESS_F64, NULL));
    else
        TESS_GOTO(done, status,
                  tess_full(&m->mask, TESS_SHAPE(1, templ->shape.d, templ->shape.h, templ->shape.w), TESS_F64,
                            templ->device, 1));
    TESS_GOTO(done, status, tess_sum(&m->n, &m->mask, SPACE, NULL));
    TESS_GOTO(done, status, tess_weighted_mean(&m->templ_mean, &m->templ, &m->mask, SPACE));
    TESS_GOTO(done, status, tess_call(&template_centred, &m->templ, &m->templ_mean, &m->mask, &m->weighted));
    TESS_GOTO(done, status, tess_sub(&product, &m->templ, &m->templ_mean));
    TESS_GOTO(done, status, tess_mul(&product, &product, &m->weighted));
    TESS_GOTO(done, status, tess_sum(&norm, &product, SPACE, NULL));
    TESS_GOTO(done, status, tess_square(&product, &m->templ));
    TESS_GOTO(done, status, tess_mul(&product, &product, &m->mask));
    TESS_GOTO(done, status, tess_sum(&size, &product, SPACE, NULL));
    TESS_GOTO(done, status, tess__make("match_template", &m->norm, norm.shape, TESS_F64, norm.device, false));
    TESS_GOTO(done, status, tess_call(&template_variance, &norm, &size, &m->norm));
done:
    tess_release(&product);
    tess_release(&norm);
    tess_release(&size);
    return status;
}

/* Transformed with `before` elements in front, and as many behind as the size of the transforms asks for. */
static tess_status transform(tess_array *spectrum, const match *m, const tess_array *in, tess_shape before, int border)
{
    tess_array  wide = { .data = NULL };
    tess_status status = TESS_OK;
    tess_shape  after = before;
    for (int k = 0; k < 4; k++) after.dim[k] = k ? m->padded.dim[k] - in->shape.dim[k] - before.dim[k] : 0;
    TESS_GOTO(done, status, tess_pad(&wide, in, before, after, &(tess_resize_opts){ .border = border }));
    TESS_GOTO(done, status, tess_fft_r2c(spectrum, &wide, NULL));
done:
    tess_release(&wide);
    return status;
}

/* Sums over the template's elements of an image, at every position of it. */
static tess_status correlate(tess_array *out, const match *m, const tess_array *image, const tess_array *templ)
{
    const int64_t b = image->shape.b > templ->shape.b ? image->shape.b : templ->shape.b;
    tess_shape    shape = m->padded;
    tess_array    product = { .data = NULL };
    tess_status   status = TESS_OK;

    tess__correlate_factors none = { { .data = NULL }, { .data = NULL } };
    shape.b = b;
    TESS_GOTO(done, status,
              tess__make("match_template", &product, tess_rfft_shape(shape), TESS_C64, image->device, false));
    TESS_GOTO(done, status, tess__correlate_product(&product, image, templ, TESS_CORRELATE_CONVENTIONAL, &none));
    TESS_GOTO(done, status, tess_fft_c2r(out, &product, shape, &(tess_fft_opts){ .overwrite = 1 }));
done:
    tess_release(&product);
    return status;
}

/* What of the transforms' size belongs to the image. */
static tess_status crop(tess_array *view, const tess_array *a, tess_shape shape)
{
    TESS_TRY(tess_subregion(
        view, a,
        (tess_region){ .d = tess_from_to(0, shape.d), .h = tess_from_to(0, shape.h), .w = tess_from_to(0, shape.w) }));
    return TESS_OK;
}

static tess_status score(tess_array *out, match *m)
{
    tess_array both, sum, squares;
    TESS_TRY(correlate(&m->both, m, &m->spectrum, &m->templ_spectrum));
    TESS_TRY(correlate(&m->sum, m, &m->spectrum, &m->mask_spectrum));
    TESS_TRY(correlate(&m->squares, m, &m->square_spectrum, &m->mask_spectrum));
    TESS_TRY(crop(&both, &m->both, out->shape));
    TESS_TRY(crop(&sum, &m->sum, out->shape));
    TESS_TRY(crop(&squares, &m->squares, out->shape));
    TESS_TRY(tess__make("match_template", &m->score, out->shape, TESS_F64, out->device, false));
    TESS_TRY(tess_call(&template_score, &both, &sum, &squares, &m->n, &m->norm, &m->typical, &m->score));
    TESS_TRY(tess_cast(out, &m->score, out->dtype, NULL));
    return TESS_OK;
}

static tess_status run(tess_array *out, const tess_array *image, const tess_array *templ, const tess_array *mask,
                       bool periodic)
{
    match            m = { .padded = image->shape };
    tess_status      status = TESS_OK;
    const tess_shape none = TESS_SHAPE(0, 0, 0, 0);
    tess_shape       before = none;
    const int        border = periodic ? TESS_BORDER_PERIODIC : TESS_BORDER_ZERO;
    for (int k = 1; k < 4; k++) {
        const int64_t n = image->shape.dim[k], t = templ->shape.dim[k];
        before.dim[k] = t / 2;
        m.padded.dim[k] = t > 1 ? tess_fft_fast_size(n + t - 1) : n;
    }
    TESS_GOTO(done, status, prepare_image(&m, image));
    TESS_GOTO(done, status, prepare_template(&m, templ, mask));
    TESS_GOTO(done, status, transform(&m.spectrum, &m, &m.centred, before, border));
    TESS_GOTO(done, status, transform(&m.square_spectrum, &m, &m.square, before, border));
    TESS_GOTO(done, status, transform(&m.templ_spectrum, &m, &m.weighted, none, TESS_BORDER_ZERO));
    TESS_GOTO(done, status, transform(&m.mask_spectrum, &m, &m.mask, none, TESS_BORDER_ZERO));
    TESS_GOTO(done, status, score(out, &m));
done:
    release(&m);
    return status;
}

/* ---- Checks ---- */

static tess_status check_part(const char *arg, const tess_array *a, const tess_array *image)
{
    char text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers("match_template", arg, a));
    TESS_TRY(tess__check_real("match_template", arg, a));
    TESS_CHECK(a->shape.b == 1 || a->shape.b == image->shape.b || image->shape.b == 1, TESS_ESHAPE,
               "match_template: `%s` has shape %s and `image` has shape %s; b must be equal, or 1", arg,
               tess__shape_text(text[0], a->shape.dim), tess__shape_text(text[1], image->shape.dim));
    for (int k = 1; k < 4; k++)
        TESS_CHECK(a->shape.dim[k] >= 1 && (a->shape.dim[k] <= image->shape.dim[k] || image->shape.dim[k] == 0),
                   TESS_ESHAPE,
                   "match_template: `%s` has shape %s and `image` has shape %s; each axis needs at least 1 element and "
                   "at most as many as the image has",
                   arg, tess__shape_text(text[0], a->shape.dim), tess__shape_text(text[1], image->shape.dim));
    TESS_TRY(tess__check_device_of("match_template", "image", image, arg, a));
    return TESS_OK;
}

static tess_status check_mask(const tess_array *mask, const tess_array *templ, const tess_array *image)
{
    char text[2][TESS__SHAPE_TEXT];
    TESS_TRY(check_part("mask", mask, image));
    TESS_CHECK(mask->shape.b == templ->shape.b || mask->shape.b == 1 || templ->shape.b == 1, TESS_ESHAPE,
               "match_template: `mask` has shape %s and `templ` has shape %s; b must be equal, or 1",
               tess__shape_text(text[0], mask->shape.dim), tess__shape_text(text[1], templ->shape.dim));
    for (int k = 1; k < 4; k++)
        TESS_CHECK(mask->shape.dim[k] == templ->shape.dim[k], TESS_ESHAPE,
                   "match_template: `mask` has shape %s and `templ` has shape %s; equal d, h and w are needed",
                   tess__shape_text(text[0], mask->shape.dim), tess__shape_text(text[1], templ->shape.dim));
    return TESS_OK;
}

tess_status tess_match_template(tess_array *out, const tess_array *image, const tess_array *templ,
                                const tess_array *mask, const tess_match_template_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_match_template_opts o;
    const char              *fn = "match_template";
    TESS_TRY(tess__resolve(&tess__info_match_template, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "image", image));
    TESS_TRY(tess__check_real(fn, "image", image));
    TESS_TRY(check_part("templ", templ, image));
    if (mask) TESS_TRY(check_mask(mask, templ, image));
    const bool made = tess__is_empty_out(out);
    tess_shape shape = image->shape;
    if (shape.b == 1) shape.b = templ->shape.b != 1 || !mask ? templ->shape.b : mask->shape.b;
    if (!made) TESS_TRY(tess__check_curve_dtype(fn, "out", out->dtype));
    TESS_TRY(tess__output(fn, out, shape, made ? (image->dtype == TESS_F64 ? TESS_F64 : TESS_F32) : out->dtype,
                          image->device));
    if (!made) {
        TESS_TRY(tess__check_overlap(fn, out, "image", image, false));
        TESS_TRY(tess__check_overlap(fn, out, "templ", templ, false));
        if (mask) TESS_TRY(tess__check_overlap(fn, out, "mask", mask, false));
    }
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) TESS_GOTO(done, status, run(out, image, templ, mask, o.periodic));
done:
    return tess__finish(tess__error_under(status, fn), out, made);
}
