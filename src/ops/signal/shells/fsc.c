/* Fourier shell correlation, of all directions or of cones. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/fft/layout.h"
#include "ops/op/library.h"
#include "ops/signal/shells/shells.h"
#include "tessera/ewise.h"
#include "tessera/math.h"
#include "tessera/op.h"
#include "tessera/reduce.h"

#define CONE_ROUNDING 1e-12 /* of the cosine of the aperture: what lies on the surface is inside */

static const tess_arg_info args[] = {
    TESS__OUT("out", "the correlation in each shell, {b,1,cones,shells}; f64 if newly allocated",
              .axes = "B,1,directions?,shells"),
    TESS__IN("lhs", "a complex spectrum", .sample = TESS__HALF_SPECTRUM),
    TESS__IN("rhs", "a complex spectrum; b of either may be 1", .sample = TESS__HALF_SPECTRUM),
    TESS__NEED_SHAPE("shape", "logical shape: the shape of the real array or full spectrum"),
    TESS__OPT_ARRAY(tess_fsc_opts, directions, const tess_array *,
                    "axes of cones: vectors (z, y, x), not 0, real {1,1,n,3}", .axes = "1,1,n,3"),
    TESS__OPT_RESULT_OF_ALL(tess_fsc_opts, counts,
                            "receives the number of coefficients in each shell, f64, {1,1,cones,shells}",
                            .axes = "1,1,directions?,shells"),
    TESS__OPT_F64(tess_fsc_opts, aperture, "radians", TESS_PI / 9, TESS__POSITIVE, TESS_PI / 2,
                  "angle between the axis of a cone and its surface"),
    TESS__OPT_CHOICE(tess_fsc_opts, layout, TESS_FFT_H, tess__fft_layouts, "layout of both spectra"),
    TESS__FLAG(tess_fsc_opts, nearest, "assign each coefficient to the nearest shell instead of splitting it"),
};
TESS__CALL(fsc, v[0].out, v[1].in, v[2].in, v[3].shape, opts)
const tess_function_info tess__info_fsc =
    TESS__OP_OPTS(TESS_CUT_BATCHES, fsc, "fsc", "Fourier shell correlation (FSC) of two spectra.", args, tess_fsc_opts,
                  .work_bytes = 48);

#include "ops/signal/shells/fsc.def"

/* ---- Checks ---- */

static tess_status check_directions(const tess_array *directions, const tess_array *lhs)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers("fsc", "opts->directions", directions));
    TESS_CHECK(directions->dtype < TESS_C16, TESS_EDTYPE, "fsc: `opts->directions` is %s; a real type is needed",
               tess_dtype_name(directions->dtype));
    const tess_shape *n = &directions->shape;
    TESS_CHECK(n->b == 1 && n->d == 1 && n->h >= 1 && n->w == 3, TESS_ESHAPE,
               "fsc: `opts->directions` has shape %s; {1,1,n,3} with n of 1 or more is needed",
               tess__shape_text(text, n->dim));
    TESS_TRY(tess__check_device_of("fsc", "lhs", lhs, "opts->directions", directions));
    return TESS_OK;
}

static tess_status check_spectra(const tess_array *lhs, const tess_array *rhs, tess_shape shape, int layout)
{
    char              text[3][TESS__SHAPE_TEXT];
    tess__fft_variant form = { "shape", shape, "opts->layout", layout, .any_b = true };
    TESS_TRY(tess__check_spectrum("fsc", "lhs", lhs, form));
    TESS_TRY(tess__check_spectrum("fsc", "rhs", rhs, form));
    TESS_TRY(tess__check_coefficients("fsc", "lhs", lhs));
    TESS_TRY(tess__check_coefficients("fsc", "rhs", rhs));
    const int64_t l = lhs->shape.b, r = rhs->shape.b, b = l == 1 ? r : l;
    TESS_CHECK(
        (l == 1 || r == 1 || l == r) && shape.b == b, TESS_ESHAPE,
        "fsc: `lhs` has shape %s, `rhs` has shape %s and `shape` is %s; b must be that of shape, or 1 for one spectrum",
        tess__shape_text(text[0], lhs->shape.dim), tess__shape_text(text[1], rhs->shape.dim),
        tess__shape_text(text[2], shape.dim));
    TESS_TRY(tess__check_device_of("fsc", "lhs", lhs, "rhs", rhs));
    return TESS_OK;
}

/* ---- The work ---- */

/* Unit vectors in f64. */
static tess_status make_axes(tess_array *axes, const tess_array *directions)
{
    tess_array  given = { .data = NULL }, length = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&given, directions, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_norm(&length, &given, TESS_W, NULL));
    TESS_GOTO(done, status, tess_div(axes, &given, &length));
done:
    tess_release(&given);
    tess_release(&length);
    return status;
}

/* `out` has the correlation of these sums. */
static tess_status write_ratio(tess_array *out, const tess_array *sums)
{
    tess_array  of[3], exact = { .data = NULL };
    tess_status status = TESS_OK;
    for (int k = 0; k < 3; k++) TESS_TRY(tess__shell_sum(&of[k], sums, k));
    if (out->dtype == TESS_F64) {
        TESS_TRY(tess_call(&fsc_ratio, &of[0], &of[1], &of[2], out));
        return TESS_OK;
    }
    TESS_GOTO(done, status, tess_call(&fsc_ratio, &of[0], &of[1], &of[2], &exact));
    TESS_GOTO(done, status, tess_cast(out, &exact, out->dtype, NULL));
done:
    tess_release(&exact);
    return status;
}

static tess_status write_counts(tess_array *counts, const tess_array *sums)
{
    tess_array all, first;
    TESS_TRY(tess__shell_sum(&all, sums, 3));
    TESS_TRY(tess_index(&first, &all, 0, 0));
    TESS_TRY(tess_copy(counts, &first));
    return TESS_OK;
}

/* Without batches the counts, which the shape alone decides, are those of any spectrum: one of zeros. */
static tess_status stand_in(tess_array *zero, tess_array *spectrum, tess__shell_terms *terms)
{
    tess_shape shape = terms->lhs->shape;
    shape.b = 1;
    TESS_TRY(tess_zeros(zero, TESS_SHAPE(1, 1, 1, 1), TESS_C32, terms->lhs->device));
    TESS_TRY(tess_broadcast(spectrum, zero, shape));
    terms->lhs = terms->rhs = spectrum;
    return TESS_OK;
}

static tess_status run(tess_array *out, tess__shell_terms terms, const tess_fsc_opts *o)
{
    tess_array  axes = { .data = NULL }, sums = { .data = NULL }, held[2] = { { .data = NULL }, { .data = NULL } };
    tess_array  spectrum;
    tess_status status = TESS_OK;
    if (terms.shape.b == 0) {
        TESS_GOTO(done, status, stand_in(&held[0], &spectrum, &terms));
    } else {
        TESS_GOTO(done, status, tess__hold(&held[0], "fsc", &terms.lhs));
        TESS_GOTO(done, status, tess__hold(&held[1], "fsc", &terms.rhs));
    }
    if (o->directions) {
        TESS_GOTO(done, status, make_axes(&axes, o->directions));
        terms.axes = &axes;
    }
    TESS_GOTO(done, status, tess__shell_sums("fsc", &sums, &terms));
    if (terms.shape.b > 0) TESS_GOTO(done, status, write_ratio(out, &sums));
    if (o->counts) TESS_GOTO(done, status, write_counts(o->counts, &sums));
done:
    tess_release(&held[0]);
    tess_release(&held[1]);
    tess_release(&axes);
    tess_release(&sums);
    return status;
}

/* An output that the caller has made shares no memory with what is read. */
static tess_status check_apart(const char *name, const tess_array *out, const tess_array *lhs, const tess_array *rhs,
                               const tess_array *directions)
{
    TESS_TRY(tess__check_disjoint("fsc", name, out, "lhs", lhs));
    TESS_TRY(tess__check_disjoint("fsc", name, out, "rhs", rhs));
    if (directions) TESS_TRY(tess__check_disjoint("fsc", name, out, "opts->directions", directions));
    return TESS_OK;
}

tess_status tess_fsc(tess_array *out, const tess_array *lhs, const tess_array *rhs, tess_shape shape,
                     const tess_fsc_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fsc_opts o;
    TESS_TRY(tess__resolve(&tess__info_fsc, opts, &o));
    TESS_TRY(tess__check_pointer("fsc", "out", out));
    TESS_TRY(check_spectra(lhs, rhs, shape, o.layout));
    if (o.directions) TESS_TRY(check_directions(o.directions, lhs));
    const tess_shape wanted = TESS_SHAPE(shape.b, 1, o.directions ? o.directions->shape.h : 1, tess_fsc_shells(shape));
    const tess_shape counted = TESS_SHAPE(1, 1, wanted.h, wanted.w);
    const bool       made = tess__is_empty_out(out), made_counts = o.counts && tess__is_empty_out(o.counts);
    if (!made) TESS_TRY(tess__check_curve_dtype("fsc", "out", out->dtype));
    TESS_TRY(tess__output("fsc", out, wanted, made ? TESS_F64 : out->dtype, lhs->device));
    tess_status status = TESS_OK;
    if (!made) TESS_GOTO(done, status, check_apart("out", out, lhs, rhs, o.directions));
    if (o.counts) {
        TESS_GOTO(done, status, tess__output_named("fsc", "opts->counts", o.counts, counted, TESS_F64, lhs->device));
        if (!made_counts) TESS_GOTO(done, status, check_apart("opts->counts", o.counts, lhs, rhs, o.directions));
        if (!made_counts && !made)
            TESS_GOTO(done, status, tess__check_disjoint("fsc", "opts->counts", o.counts, "out", out));
    }
    const tess__shell_terms terms = { .lhs = lhs,
                                      .rhs = rhs,
                                      .cosine = tessm_cos(o.aperture) - CONE_ROUNDING,
                                      .shape = shape,
                                      .layout = o.layout,
                                      .nearest = o.nearest };
    if (tess__has_elements(out) || (o.counts && tess__has_elements(o.counts)))
        TESS_GOTO(done, status, run(out, terms, &o));
done:
    if (o.counts) (void)tess__finish(status, o.counts, made_counts);
    return tess__finish(tess__error_under(status, "fsc"), out, made);
}
