/* Spectrum layouts: their shapes, and the index of a frequency. */
#include "ops/fft/layout.h"

#include <inttypes.h>
#include <math.h>

#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/fft/fft.h"

const tess_choice tess__fft_layouts[] = {
    { "h", TESS_FFT_H, "half, zero frequency first" },
    { "hc", TESS_FFT_HC, "half, centred along D and H" },
    { "f", TESS_FFT_F, "full, zero frequency first" },
    { "fc", TESS_FFT_FC, "full, centred" },
    { NULL, 0, NULL },
};
static const tess_arg_info frequency_args[] = {
    TESS__ARG(TESS_ROLE_OUT, TESS_ARG_RESULT, "frequency", "frequency in cycles per pixel"),
    TESS__NEED_CHOICE("layout", tess__fft_layouts, "layout of the spectrum"),
    TESS__NEED(TESS_ARG_AXIS, "axis", "axis: 1 (depth), 2 (height) or 3 (width)"),
    TESS__NEED(TESS_ARG_I64, "n", "logical size of the axis", .sample = "6"),
    TESS__NEED(TESS_ARG_I64, "index", "index along the axis"),
};
TESS__CALL(fft_frequency, v[0].result, (tess_fft_layout)v[1].i32, v[2].i32, v[3].i64, v[4].i64)
const tess_function_info tess__info_fft_frequency =
    TESS__OP(TESS_CUT_NONE, fft_frequency, "fft", "Convert an index of a spectrum to its frequency.", frequency_args);

static const tess_arg_info index_args[] = {
    TESS__ARG(TESS_ROLE_OUT, TESS_ARG_RESULT, "index", "index along the axis; may be fractional"),
    TESS__NEED_CHOICE("layout", tess__fft_layouts, "layout of the spectrum"),
    TESS__NEED(TESS_ARG_AXIS, "axis", "axis: 1 (depth), 2 (height) or 3 (width)"),
    TESS__NEED(TESS_ARG_I64, "n", "logical size of the axis", .sample = "6"),
    TESS__NEED(TESS_ARG_F64, "frequency", "frequency in cycles per pixel, -0.5 to 0.5"),
};
TESS__CALL(fft_index, v[0].result, (tess_fft_layout)v[1].i32, v[2].i32, v[3].i64, v[4].f64)
const tess_function_info tess__info_fft_index =
    TESS__OP(TESS_CUT_NONE, fft_index, "fft", "Convert a frequency to its index in a spectrum.", index_args);

/* ---- Layouts and shapes ---- */

tess_shape tess_rfft_shape(tess_shape shape)
{
    if (shape.w > 0) shape.w = shape.w / 2 + 1;
    return shape;
}

tess_shape tess__spectrum_shape(tess_shape shape, int layout)
{
    return tess__fft_is_half(layout) ? tess_rfft_shape(shape) : shape;
}

tess__fft_axis tess__fft_axis_of(int layout, int axis, int64_t n)
{
    const bool     half = axis == 3 && tess__fft_is_half(layout);
    const bool     centred = axis != 0 && (layout == TESS_FFT_HC || layout == TESS_FFT_FC);
    tess__fft_axis a = { TESS__FFT_FIRST, n, n };
    if (half) {
        a.order = TESS__FFT_HALF;
        a.indices = n ? n / 2 + 1 : 0;
    } else if (centred) {
        a.order = TESS__FFT_CENTRED;
    }
    return a;
}

tess_status tess__check_fft_layout(int *layout, const char *fn, const char *arg, tess_fft_layout given)
{
    *layout = (int)given;
    TESS_CHECK(*layout >= 0 && *layout <= TESS_FFT_FC, TESS_EARG,
               "%s: `%s` is %d; 0 (the default, h), 1 (h), 2 (hc), 3 (f) and 4 (fc) are allowed", fn, arg, *layout);
    if (*layout == TESS_FFT_LAYOUT_DEFAULT) *layout = TESS_FFT_H;
    return TESS_OK;
}

const char *tess__fft_shape_hint(tess_shape have, tess_shape want)
{
    const bool swapped = have.b == want.d && have.d == want.b && have.b != have.d && have.h == want.h;
    return swapped ? " (batch and depth are swapped: images or a volume?)" : "";
}

/* What was given looks like the real array itself: what is missing is its transform. */
static const char *transform_hint(const tess_array *a, tess_shape have, tess__fft_variant form)
{
    const bool real = tess_dtype_kind(a->dtype) != TESS_KIND_COMPLEX && tess__fft_is_half(form.layout);
    if (form.any_b) have.b = form.shape.b;
    return real && tess__same_sizes(&have, &form.shape) ? "; this is a real array: fft_r2c makes its spectrum" : "";
}

/* An array without the shape of a spectrum is an error. */
static tess_status check_sizes(const char *fn, const char *arg, const tess_array *a, tess__fft_variant form)
{
    char             text[3][TESS__SHAPE_TEXT];
    const tess_shape want = tess__spectrum_shape(form.shape, form.layout);
    tess_shape       have = a->shape;
    if (form.any_b) have.b = want.b;
    if (tess__same_sizes(&have, &want)) return TESS_OK;
    TESS_FAIL(TESS_ESHAPE, "%s: `%s` has shape %s; `%s` is %s, whose %s spectrum (`%s` is %s) is %s%s%s", fn, arg,
              tess__shape_text(text[0], a->shape.dim), form.arg_shape, tess__shape_text(text[1], form.shape.dim),
              tess__fft_is_half(form.layout) ? "half" : "full", form.arg_layout,
              tess__fft_layouts[form.layout - 1].name, tess__shape_text(text[2], want.dim),
              form.any_b ? ", where b may be any" : tess__fft_shape_hint(have, want),
              transform_hint(a, a->shape, form));
}

tess_status tess__check_spectrum(const char *fn, const char *arg, const tess_array *a, tess__fft_variant form)
{
    TESS_TRY(tess__check_numbers(fn, arg, a));
    TESS_TRY(tess__check_shape(fn, form.arg_shape, form.shape, a->dtype));
    TESS_TRY(check_sizes(fn, arg, a, form));
    return TESS_OK;
}

tess_status tess__spectrum_output(const char *fn, tess_array *out, tess__fft_variant form, tess_dtype dtype,
                                  tess_device device)
{
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_shape(fn, form.arg_shape, form.shape, dtype));
    const bool made = tess__is_empty_out(out);
    tess_shape shape = tess__spectrum_shape(form.shape, form.layout);
    if (!made) {
        TESS_TRY(tess__check_array(fn, "out", out));
        TESS_TRY(check_sizes(fn, "out", out, form));
    }
    if (form.any_b) shape.b = made ? 1 : out->shape.b;
    TESS_TRY(tess__output(fn, out, shape, dtype, device));
    return TESS_OK;
}

/* ---- Single frequencies ---- */

static tess_status check_axis(const char *fn, const void *result, const char *name, int *axis, int64_t n)
{
    TESS_TRY(tess__check_pointer(fn, name, result));
    TESS_TRY(tess__check_axis(fn, "axis", axis));
    TESS_CHECK(*axis != 0, TESS_ERANGE, "%s: `axis` is the batch; 1 (depth), 2 (height) or 3 (width) is needed", fn);
    TESS_CHECK(n >= 1 && n <= TESS__MAX_BYTES, TESS_ESHAPE, "%s: `n` is %" PRId64 "; a size from 1 to 2^60 is needed",
               fn, n);
    return TESS_OK;
}

tess_status tess_fft_frequency(double *frequency, tess_fft_layout layout, int axis, int64_t n, int64_t index)
{
    TESS__FLOAT_SCOPE();
    int given;
    TESS_TRY(tess__check_fft_layout(&given, "fft_frequency", "layout", layout));
    TESS_TRY(check_axis("fft_frequency", frequency, "frequency", &axis, n));
    const tess__fft_axis a = tess__fft_axis_of(given, axis, n);
    TESS_CHECK(index >= 0 && index < a.indices, TESS_ERANGE,
               "fft_frequency: `index` is %" PRId64 "; axis %d of size %" PRId64 " has indices 0 to %" PRId64
               " in layout %s",
               index, axis, n, a.indices - 1, tess__fft_layouts[given - 1].name);
    if (a.order == TESS__FFT_CENTRED) index -= n / 2;
    else if (a.order == TESS__FFT_FIRST && index >= (n + 1) / 2) index -= n;
    *frequency = (double)index / (double)n;
    return TESS_OK;
}

/* Frequency times n; an integer where the frequency is that of an index, though the product may be rounded. */
static double cycles_of(double frequency, int64_t n)
{
    const double cycles = frequency * (double)n, whole = rint(cycles);
    return whole / (double)n == frequency ? whole : cycles;
}

tess_status tess_fft_index(double *index, tess_fft_layout layout, int axis, int64_t n, double frequency)
{
    TESS__FLOAT_SCOPE();
    char text[32];
    int  given;
    TESS_TRY(tess__check_fft_layout(&given, "fft_index", "layout", layout));
    TESS_TRY(check_axis("fft_index", index, "index", &axis, n));
    const tess__fft_axis a = tess__fft_axis_of(given, axis, n);
    TESS_CHECK(frequency >= (a.order == TESS__FFT_HALF ? 0 : -0.5) && frequency <= 0.5, TESS_ERANGE,
               "fft_index: `frequency` is %s; axis %d has %s to 0.5 in layout %s", tess__number_text(text, frequency),
               axis, a.order == TESS__FFT_HALF ? "0" : "-0.5", tess__fft_layouts[given - 1].name);
    double at = cycles_of(frequency, n);
    if (a.order == TESS__FFT_CENTRED) at += (double)(n / 2);
    if (a.order != TESS__FFT_HALF && at < 0) at += (double)n;
    if (a.order != TESS__FFT_HALF && at >= (double)n) at -= (double)n; /* 0.5 is -0.5, and -1e-300 is rounded to 0 */
    *index = at;
    return TESS_OK;
}
