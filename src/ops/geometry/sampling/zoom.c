/* Resizing by factors: a transform between the grids of elements, after a Gaussian along axes that shrink. */
#include <math.h>

#include "core/check/check.h"
#include "core/check/output.h"
#include "core/check/text.h"
#include "core/device/cancel.h"
#include "core/device/float_env.h"
#include "core/table/registry.h"
#include "ops/geometry/sampling/transform.h"
#include "tessera/convolve.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the resized images or volumes; any strides"),
    TESS__IN("in", "images or volumes"),
    TESS__NEED(TESS_ARG_F64, "factor_d", "new size divided by the old one along d; 1 for images", .sample = "1"),
    TESS__NEED(TESS_ARG_F64, "factor_h", "new size divided by the old one along h"),
    TESS__NEED(TESS_ARG_F64, "factor_w", "new size divided by the old one along w"),
    TESS__INTERP_ROW(tess_zoom_opts),
    TESS__OPT_CHOICE(tess_zoom_opts, border, TESS_BORDER_REFLECT, tess__borders,
                     "extension of the array beyond its edges"),
    TESS__FLAG(tess_zoom_opts, prefilter, "with cubic_bspline: compute the spline coefficients of in first"),
    TESS__FLAG(tess_zoom_opts, pixel_grid, "align the outer edges of the first and last pixels, not their centres"),
    TESS__FLAG(tess_zoom_opts, antialias, "blur with a Gaussian first, along axes that shrink"),
    TESS__OPT_I32(tess_zoom_opts, unused, "", 0, 0, 0, "must be 0"),
    TESS__OUTSIDE_VALUE_ROWS(tess_zoom_opts),
};
TESS__CALL(zoom, v[0].out, v[1].in, v[2].f64, v[3].f64, v[4].f64, opts)
const tess_function_info tess__info_zoom =
    TESS__OP_OPTS(TESS_CUT_BATCHES, zoom, "transform", "Resize images or volumes by factors, with interpolation.", args,
                  tess_zoom_opts);

static const char fn[] = "zoom";

static tess_status new_shape(tess_shape *shape, const tess_array *in, const double factors[3])
{
    static const char *const names[3] = { "factor_d", "factor_h", "factor_w" };
    char                     text[2][32];
    *shape = in->shape;
    TESS_CHECK(in->shape.d != 1 || factors[0] == 1, TESS_ERANGE,
               "zoom: `factor_d` is %s, but `in` holds images; expected 1", tess__number_text(text[0], factors[0]));
    for (int k = 0; k < 3; k++) {
        TESS_CHECK(factors[k] > 0 && isfinite(factors[k]), TESS_ERANGE,
                   "zoom: `%s` is %s; it must be finite and above 0", names[k], tess__number_text(text[0], factors[k]));
        const double n = rint((double)in->shape.dim[k + 1] * factors[k]);
        TESS_CHECK(n < 0x1p40, TESS_ESHAPE,
                   "zoom: `%s` is %s: this makes %s elements along an axis; fewer than 2^40 are allowed", names[k],
                   tess__number_text(text[0], factors[k]), tess__number_text(text[1], n));
        if (in->shape.dim[k + 1] > 0) shape->dim[k + 1] = n < 1 ? 1 : (int64_t)n;
    }
    return TESS_OK;
}

/* The output, if it is allocated: before the input is blurred for it. */
static tess_status check_given(tess_array *out, const tess_array *in, tess_shape shape)
{
    if (tess__is_empty_out(out)) return TESS_OK;
    TESS_TRY(tess__output(fn, out, shape, tess__transform_dtype(in->dtype), in->device));
    TESS_TRY(tess__check_overlap(fn, out, "in", in, false));
    return TESS_OK;
}

/* The input without the frequencies that a smaller grid cannot hold, in `blurred`; or the input itself. */
static tess_status blur(tess_array *blurred, const tess_array **in, tess_shape shape, const tess_zoom_opts *o)
{
    double sigma[3], most = 0;
    for (int k = 0; k < 3; k++) {
        const double step = (double)(*in)->shape.dim[k + 1] / (double)shape.dim[k + 1];
        sigma[k] = step > 1 ? (step - 1) / 2 : 0;
        most = fmax(most, sigma[k]);
    }
    if (most == 0) return TESS_OK;
    const tess_gaussian_opts gaussian = { .border = o->border, .value = o->value };
    TESS_TRY(tess__make(fn, blurred, (*in)->shape, tess__transform_dtype((*in)->dtype), (*in)->device, false));
    TESS_TRY(tess_gaussian_filter(blurred, *in, sigma[0], sigma[1], sigma[2], &gaussian));
    *in = blurred;
    return TESS_OK;
}

/* From n elements to m with the same ends, the last of which rounding must not move beyond. */
static double step_between_ends(double n, double m)
{
    double step = m > 1 ? (n - 1) / (m - 1) : 1;
    while (m > 1 && step * (m - 1) > n - 1) step = nextafter(step, 0);
    return step;
}

/* Steps between the elements of the result, and the positions in both arrays that coincide. */
static void set_grids(tess__transform *work, double *matrix, tess_shape from, tess_shape to, bool pixel_grid)
{
    const int n = work->dims;
    for (int k = 0; k < 3; k++) {
        const double a = (double)from.dim[k + 1], b = (double)to.dim[k + 1];
        const int    i = k + n - 3;
        work->from[k] = work->to[k] = pixel_grid ? -0.5 : 0;
        if (i >= 0) matrix[i * (n + 2)] = pixel_grid ? a / b : step_between_ends(a, b);
    }
}

static tess_status resize(tess__transform *work, tess_array *out, const tess_array *in, tess_shape shape,
                          const tess_zoom_opts *o)
{
    const tess_resample_opts sampling = { .interp = o->interp,
                                          .border = o->border,
                                          .prefilter = o->prefilter,
                                          .value = o->value,
                                          .value_imag = o->value_imag };
    tess_array               rows = { .data = NULL }, blurred = { .data = NULL };
    tess_status              status = TESS_OK;
    TESS_GOTO(done, status, tess__transform_sampling(work, out, in, &sampling));
    TESS_GOTO(done, status, check_given(out, in, shape));
    TESS_GOTO(done, status,
              tess__make(fn, &rows, TESS_SHAPE(1, 1, work->dims, work->dims + 1), TESS_F64, tess_cpu(), true));
    set_grids(work, rows.data, in->shape, shape, o->pixel_grid);
    if (o->antialias && tess__has_elements(in)) TESS_GOTO(done, status, blur(&blurred, &in, shape, o));
    TESS_GOTO(done, status, tess__transform_finish(work, &sampling, out, in, &rows, shape));
done:
    tess_release(&rows);
    tess_release(&blurred);
    return status;
}

tess_status tess_zoom(tess_array *out, const tess_array *in, double factor_d, double factor_h, double factor_w,
                      const tess_zoom_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    char                  text[32];
    tess_zoom_opts        o;
    tess_shape            shape;
    tess__transform       work = { .name = fn };
    const volatile double given[3] = { factor_d, factor_h, factor_w };
    const double          factors[3] = { given[0], given[1], given[2] };
    TESS_TRY(tess__resolve(&tess__info_zoom, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_CHECK(!o.antialias || o.border != TESS_BORDER_NOTHING, TESS_EARG,
               "zoom: `opts->antialias` is 1 and `opts->border` is \"nothing\"; expected another border");
    TESS_CHECK(!o.antialias || o.value_imag == 0, TESS_EARG,
               "zoom: `opts->antialias` is 1 and `opts->value_imag` is %s; expected 0",
               tess__number_text(text, o.value_imag));
    TESS_TRY(new_shape(&shape, in, factors));
    work.dims = in->shape.d > 1 ? 3 : 2;
    TESS_TRY(resize(&work, out, in, shape, &o));
    return TESS_OK;
}
