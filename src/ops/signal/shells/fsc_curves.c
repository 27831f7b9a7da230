/* What is read off shell correlation curves: the resolution at a threshold, and curves corrected for a mask. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/fft/layout.h"
#include "ops/signal/shells/shells.h"
#include "tessera/op.h"

static const tess_arg_info resolution_args[] = {
    TESS__OUT("out", "one resolution per curve, {b,1,cones,1}; f64 if newly allocated", .axes = "B,1,cones?,1"),
    TESS__IN("fsc", "FSC curves, {b,1,cones,shells}", .sample = "b,1,1,h/2+1", .axes = "B,1,cones?,shells"),
    TESS__NEED_SHAPE("shape", "logical shape of the spectra that were compared"),
    TESS__OPT_ARRAY(tess_fsc_resolution_opts, counts, const tess_array *,
                    "number of coefficients in each shell, {1,1,cones,shells}: use the half-bit criterion",
                    .axes = "1,1,cones?,shells"),
    TESS__OPT_F64(tess_fsc_resolution_opts, threshold, "", 0.143, -1, 1, "FSC threshold"),
    TESS__AUTO_F64(tess_fsc_resolution_opts, pixel_size, "angstrom", "none: give frequencies in cycles per pixel",
                   TESS__POSITIVE, DBL_MAX, "pixel size, to give resolutions in angstrom"),
    TESS__FLAG(tess_fsc_resolution_opts, no_interpolate,
               "give the last shell before the crossing, without interpolation"),
};
TESS__CALL(fsc_resolution, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_fsc_resolution =
    TESS__OP_OPTS(TESS_CUT_BATCHES, fsc_resolution, "fsc", "Resolution at which FSC curves fall below a threshold.",
                  resolution_args, tess_fsc_resolution_opts);

static const tess_arg_info corrected_args[] = {
    TESS__OUT("out", "the corrected curves; may be masked or randomized itself", .axes = "B,1,cones?,shells"),
    TESS__IN("masked", "FSC curves of masked maps, {b,1,cones,shells}", .sample = "b,1,1,h/2+1",
             .axes = "B,1,cones?,shells"),
    TESS__IN("randomized", "FSC curves of the same maps with randomised phases and the same mask",
             .sample = "b,1,1,h/2+1", .axes = "B,1,cones?,shells"),
    TESS__NEED_SHAPE("shape", "logical shape of the spectra that were compared"),
    TESS__NEED_FREQUENCY("frequency", "frequency above which phases were randomised"),
    TESS__OPT_I32(tess_fsc_corrected_opts, margin, "shells", 2, 0, 1000,
                  "number of shells above the frequency that keep the masked curve"),
};
TESS__CALL(fsc_corrected, v[0].out, v[1].in, v[2].in, v[3].shape, v[4].f64, opts)
const tess_function_info tess__info_fsc_corrected = TESS__OP_OPTS(
    TESS_CUT_BATCHES, fsc_corrected, "fsc", "Correct FSC curves for the correlation that the mask introduces.",
    corrected_args, tess_fsc_corrected_opts);

/* Shell 0 is the mean of the maps, which may be 0 in both: it does not end a curve.
 * The half-bit curve is multiplied by the root of the count, so that a shell of none has a value. */
/* clang-format off */
TESS_IWISE(fsc_crossing, (view(f64,curve), view(f64,counts), val(i32,shells), val(i32,half_bit), val(f64,threshold),
                          val(f64,m), val(f64,pixel_size), val(i32,whole), out(f64,z)),
    f64 found = 0.0 - 1.0;
    f64 before = 0.0;
    for (i32 s = 0; s < shells; ++s) {
        f64 root = tessm_sqrt(tess_at(counts, 0, 0, h, s));
        f64 half = (0.2071*root + 1.9102) / (1.2071*root + 0.9102);
        f64 over = tess_at(curve, b, 0, h, s) - (half_bit != 0 ? half : threshold);
        f64 after = before > 0.0 && whole == 0 ? before / (before - over) : 0.0;
        f64 crossing = s == 0 ? 0.0 : (f64)(s - 1) + after;
        found = found < 0.0 && over < 0.0 && (s > 0 || shells == 1) ? crossing : found;
        before = over;
    }
    found = found < 0.0 ? (f64)(shells - 1) : found;
    z = pixel_size > 0.0 ? pixel_size*m / found : found / m; )

TESS_IWISE(fsc_correction, (in(f64,masked), in(f64,randomized), val(f64,last), out(f64,z)),
    f64 left = 1.0 - randomized;
    f64 corrected = left > 0.0 ? (masked - randomized) / left : 0.0;
    z = (f64)w > last ? corrected : masked; )
/* clang-format on */

/* ---- Checks ---- */

static tess_status check_curves(const char *fn, const char *arg, const tess_array *a, tess_shape shape, int64_t b)
{
    char text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(fn, arg, a));
    TESS_TRY(tess__check_curve_dtype(fn, arg, a->dtype));
    TESS_TRY(tess__check_shape(fn, "shape", shape, TESS_F64));
    const int64_t shells = tess_fsc_shells(shape);
    TESS_CHECK(a->shape.b == b && a->shape.d == 1 && a->shape.w == shells, TESS_ESHAPE,
               "%s: `%s` has shape %s; shape is %s, so {%lld,1,cones,%lld} is needed", fn, arg,
               tess__shape_text(text[0], a->shape.dim), tess__shape_text(text[1], shape.dim), (long long)b,
               (long long)shells);
    return TESS_OK;
}

static tess_status check_cones(const char *fn, const char *arg, const tess_array *a, const char *other,
                               const tess_array *curves)
{
    char text[2][TESS__SHAPE_TEXT];
    TESS_CHECK(a->shape.h == curves->shape.h, TESS_ESHAPE,
               "%s: `%s` has shape %s and `%s` has shape %s; the numbers of cones must be equal", fn, arg,
               tess__shape_text(text[0], a->shape.dim), other, tess__shape_text(text[1], curves->shape.dim));
    TESS_TRY(tess__check_device_of(fn, other, curves, arg, a));
    return TESS_OK;
}

/* ---- Resolution ---- */

static tess_status find_crossings(tess_array *out, const tess_array *fsc, tess_shape shape,
                                  const tess_fsc_resolution_opts *o)
{
    tess_array  curve = { .data = NULL }, counts = { .data = NULL }, exact = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&curve, fsc, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_cast(&counts, o->counts ? o->counts : fsc, TESS_F64, NULL));
    TESS_GOTO(done, status, tess__make("fsc_resolution", &exact, out->shape, TESS_F64, out->device, false));
    TESS_GOTO(done, status,
              tess_call(&fsc_crossing, &curve, &counts, (int32_t)fsc->shape.w, (int32_t)(o->counts != NULL),
                        o->threshold, tess__shell_size(shape, NULL), o->pixel_size, o->no_interpolate, &exact));
    TESS_GOTO(done, status, tess_cast(out, &exact, out->dtype, NULL));
done:
    tess_release(&curve);
    tess_release(&counts);
    tess_release(&exact);
    return status;
}

tess_status tess_fsc_resolution(tess_array *out, const tess_array *fsc, tess_shape shape,
                                const tess_fsc_resolution_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fsc_resolution_opts o;
    const char              *fn = "fsc_resolution";
    TESS_TRY(tess__resolve(&tess__info_fsc_resolution, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_curves(fn, "fsc", fsc, shape, shape.b));
    TESS_CHECK(fsc->shape.w > 0, TESS_ESHAPE, "%s: `fsc` has no shells; no size of shape may be 0", fn);
    if (o.counts) {
        TESS_TRY(check_curves(fn, "opts->counts", o.counts, shape, 1));
        TESS_TRY(check_cones(fn, "opts->counts", o.counts, "fsc", fsc));
    }
    const bool       made = tess__is_empty_out(out);
    const tess_shape wanted = TESS_SHAPE(fsc->shape.b, 1, fsc->shape.h, 1);
    if (!made) TESS_TRY(tess__check_curve_dtype(fn, "out", out->dtype));
    TESS_TRY(tess__output(fn, out, wanted, made ? TESS_F64 : out->dtype, fsc->device));
    if (!made) TESS_TRY(tess__check_overlap(fn, out, "fsc", fsc, false));
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) TESS_GOTO(done, status, find_crossings(out, fsc, shape, &o));
done:
    return tess__finish(tess__error_under(status, fn), out, made);
}

/* ---- Correction ---- */

static tess_status correct(tess_array *out, const tess_array *masked, const tess_array *randomized, double last)
{
    tess_array  curve[2] = { { .data = NULL }, { .data = NULL } }, exact = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&curve[0], masked, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_cast(&curve[1], randomized, TESS_F64, NULL));
    TESS_GOTO(done, status, tess__make("fsc_corrected", &exact, out->shape, TESS_F64, out->device, false));
    TESS_GOTO(done, status, tess_call(&fsc_correction, &curve[0], &curve[1], last, &exact));
    TESS_GOTO(done, status, tess_cast(out, &exact, out->dtype, NULL));
done:
    tess_release(&curve[0]);
    tess_release(&curve[1]);
    tess_release(&exact);
    return status;
}

tess_status tess_fsc_corrected(tess_array *out, const tess_array *masked, const tess_array *randomized,
                               tess_shape shape, double frequency, const tess_fsc_corrected_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fsc_corrected_opts o;
    char                    text[32];
    const char             *fn = "fsc_corrected";
    TESS_TRY(tess__resolve(&tess__info_fsc_corrected, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_curves(fn, "masked", masked, shape, shape.b));
    TESS_TRY(check_curves(fn, "randomized", randomized, shape, shape.b));
    TESS_TRY(check_cones(fn, "randomized", randomized, "masked", masked));
    TESS_CHECK(frequency >= 0 && frequency <= 1, TESS_ERANGE,
               "%s: `frequency` is %s; 0 to 1 cycles per pixel are allowed", fn, tess__number_text(text, frequency));
    const bool   made = tess__is_empty_out(out);
    const double last = frequency * tess__shell_size(shape, NULL) + o.margin;
    if (!made) TESS_TRY(tess__check_curve_dtype(fn, "out", out->dtype));
    TESS_TRY(tess__output(fn, out, masked->shape, made ? TESS_F64 : out->dtype, masked->device));
    if (!made) {
        TESS_TRY(tess__check_overlap(fn, out, "masked", masked, true));
        TESS_TRY(tess__check_overlap(fn, out, "randomized", randomized, true));
    }
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) TESS_GOTO(done, status, correct(out, masked, randomized, last));
done:
    return tess__finish(tess__error_under(status, fn), out, made);
}
