/* Rotational averages of spectra: means over shells of frequencies, along lines of equal phase where there is a CTF. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/fft/layout.h"
#include "ops/geometry/sampling/polar.h"
#include "ops/fft/metric.h"
#include "ops/signal/ctf/ctf.h"
#include "ops/signal/shells/shells.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "mean of each shell, {b,1,1,n}; power if out is real and in complex", .axes = "B,1,1,shells"),
    TESS__IN("in", "spectra of signals, images or volumes", .sample = "b,d,h,w/2+1"),
    TESS__NEED_SHAPE("shape", "logical shape: the shape of the real array or full spectrum"),
    TESS__OPT_ROWS(tess_rotational_average_opts, ctfs, "CTFs, {1 or b,1,1,m}: average along curves of equal phase",
                   .sample = "b,1,1,8", .axes = "B,1,1,m"),
    TESS__OPT_ARRAY(tess_rotational_average_opts, weights, tess_array *, "sums of weights, {b,1,1,n}",
                    .axes = "B,1,1,shells"),
    TESS__OPT_F64(tess_rotational_average_opts, start, "cycles per pixel", 0, 0, 1e6,
                  "lowest frequency of in; for signals only"),
    TESS__AUTO_F64(tess_rotational_average_opts, stop, "cycles per pixel", "given by shape", TESS__POSITIVE, 1e6,
                   "highest frequency of in"),
    TESS__OPT_F64(tess_rotational_average_opts, out_start, "cycles per pixel", 0, 0, 1e6,
                  "frequency of the first shell"),
    TESS__AUTO_F64(tess_rotational_average_opts, out_stop, "cycles per pixel", "the highest", TESS__POSITIVE, 1e6,
                   "frequency of the last shell"),
    TESS__AUTO_I64(tess_rotational_average_opts, shells, "", "half the longest axis, plus 1", 1,
                   (double)(INT32_MAX - 2), "number of shells"),
    TESS__OPT_CHOICE(tess_rotational_average_opts, layout, TESS_FFT_H, tess__fft_layouts, "layout of in"),
    TESS__FLAG(tess_rotational_average_opts, no_endpoint, "the last frequency of in lies one step below stop"),
    TESS__FLAG(tess_rotational_average_opts, out_no_endpoint, "the last shell lies one step below out_stop"),
    TESS__FLAG(tess_rotational_average_opts, sum, "write sums instead of means"),
    TESS__FLAG(tess_rotational_average_opts, add, "add to the sums in out and weights"),
    TESS__FLAG(tess_rotational_average_opts, power, "allocate a real out, which receives the power"),
    TESS__FLAG(tess_rotational_average_opts, nearest,
               "assign each coefficient to the nearest shell instead of splitting it"),
    TESS__METRIC_ROWS(tess_rotational_average_opts),
};
TESS__CALL(rotational_average, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_rotational_average =
    TESS__OP_OPTS(TESS_CUT_BATCHES, rotational_average, "polar",
                  "Rotational average of spectra over shells of frequency.", args, tess_rotational_average_opts);

/* ---- Checks ---- */

static tess_status check_range(const char *fn, tess_shape shape, const tess_rotational_average_opts *o)
{
    char          text[2][32], shape_text[TESS__SHAPE_TEXT];
    const int64_t n = shape.w;
    const double  highest = n > 1 ? (double)(n / 2) / (double)n : 0.5, stop = o->stop == 0 ? highest : o->stop;
    TESS_CHECK(o->start == 0 || (shape.d <= 1 && shape.h <= 1 && tess__fft_is_half(o->layout)), TESS_EARG,
               "%s: `opts->start` is %s, shape is %s and `opts->layout` is %s; a start other than 0 is allowed only "
               "for signals in a half layout",
               fn, tess__number_text(text[0], o->start), tess__shape_text(shape_text, shape.dim),
               tess__fft_layouts[o->layout - 1].name);
    TESS_CHECK(o->start == 0 || stop > o->start, TESS_ERANGE,
               "%s: `opts->start` is %s; it must be below the highest frequency, %s", fn,
               tess__number_text(text[0], o->start), tess__number_text(text[1], stop));
    return TESS_OK;
}

static tess_status check_ctfs(const char *fn, const tess_array *in, tess_shape shape,
                              const tess_rotational_average_opts *o)
{
    char text[TESS__SHAPE_TEXT];
    if (!o->ctfs) return TESS_OK;
    TESS_CHECK(shape.d <= 1, TESS_ESHAPE, "%s: `shape` is %s; `opts->ctfs` is for images, with d = 1", fn,
               tess__shape_text(text, shape.dim));
    const tess_metric *g = &o->metric;
    TESS_CHECK(g->dd == 1 && g->hh == 1 && g->ww == 1 && g->dh == 0 && g->dw == 0 && g->hw == 0, TESS_EARG,
               "%s: `opts->metric` and `opts->ctfs` are both given; CTFs have their own pixel sizes, so give only one",
               fn);
    TESS_TRY(tess__check_ctf_rows(fn, "opts->ctfs", o->ctfs, in, 1));
    return TESS_OK;
}

/* A real result of real numbers; of complex ones either. */
static tess_status check_dtypes(const char *fn, const tess_array *out, const tess_array *in)
{
    const bool      complex_in = tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX;
    const tess_kind kind = tess_dtype_kind(out->dtype);
    TESS_CHECK(kind == TESS_KIND_FLOAT || (kind == TESS_KIND_COMPLEX && complex_in), TESS_EDTYPE,
               "%s: `out` is %s and `in` is %s; f16, f32 or f64 is needed%s", fn, tess_dtype_name(out->dtype),
               tess_dtype_name(in->dtype), complex_in ? ", or a complex type" : "");
    return TESS_OK;
}

/* ---- The work ---- */

/* The axes of the spectrum; returns the highest frequency. */
static double set_axes(tess__radial_grid *g, tess_shape shape, const tess_rotational_average_opts *o)
{
    double highest = 0;
    for (int k = 0; k < 3; k++) {
        const int64_t               n = shape.dim[k + 1];
        const tess__resample_cycles c = tess__resample_cycles_of(n, k == 2 ? o->start : 0, o->stop, o->no_endpoint);
        g->axis[k] = tess__radial_axis_of(o->layout, k + 1, n);
        g->axis[k].start = c.start;
        g->axis[k].span = c.span;
        g->axis[k].count = c.count;
        if (n > 1) highest = fmax(highest, c.start + (double)(n / 2) * c.span / c.count);
    }
    return highest > 0 ? highest : 0.5;
}

static tess_status set_shells(tess__radial_grid *g, const char *fn, const tess_rotational_average_opts *o,
                              double highest, int64_t n)
{
    static const char *const names[2] = { "opts->out_start", "opts->out_stop" };
    const double             stop = o->out_stop == 0 ? highest : o->out_stop;
    TESS_TRY(tess__check_radii(fn, names, o->out_start, stop));
    g->start = o->out_start;
    g->scale = 1 / tess__resample_step(o->out_start, stop, n, !o->out_no_endpoint);
    g->shells = n;
    return TESS_OK;
}

static int64_t longest(tess_shape shape) { return tess__max(tess__max(shape.d, shape.h), shape.w); }

static tess_status run(tess__radial_bins *work, const tess__shell_end *end, const tess_array *in,
                       const tess_rotational_average_opts *o)
{
    tess_array  held = { .data = NULL }, ctfs = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, work->name, &in));
    work->lhs = *in;
    if (o->ctfs) {
        TESS_GOTO(done, status, tess__take_ctf_rows(&ctfs, work->name, o->ctfs, in->device));
        work->ctfs = ctfs;
        work->grid.kind = TESS__RADIAL_ASTIGMATIC;
    }
    TESS_GOTO(done, status, tess__shell_means(work, end));
done:
    tess_release(&held);
    tess_release(&ctfs);
    return status;
}

tess_status tess_rotational_average(tess_array *out, const tess_array *in, tess_shape shape,
                                    const tess_rotational_average_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char                  *fn = "rotational_average";
    tess_rotational_average_opts o;
    tess__radial_bins            work = { .name = fn, .grid = { .kind = TESS__RADIAL_ISOTROPIC } };
    TESS_TRY(tess__resolve(&tess__info_rotational_average, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    const tess__fft_variant form = { "shape", shape, "opts->layout", o.layout, .any_b = false };
    TESS_TRY(tess__check_spectrum(fn, "in", in, form));
    TESS_TRY(check_range(fn, shape, &o));
    TESS_TRY(check_ctfs(fn, in, shape, &o));
    TESS_TRY(tess__metric_of(&work.grid.metric, fn, &o.metric));
    work.grid.nearest = o.nearest;
    const bool    made = tess__is_empty_out(out);
    tess__outputs all = { .fn = fn };
    if (!made) TESS_TRY(check_dtypes(fn, out, in));
    const tess_dtype      like = tess__float_of(in->dtype), result = o.power ? tess_dtype_real(like) : like;
    const tess__shell_end end = { out, o.weights, o.sum, o.add };
    const int64_t         n = !made ? out->shape.w : o.shells ? o.shells : longest(shape) / 2 + 1;
    TESS_TRY(set_shells(&work.grid, fn, &o, set_axes(&work.grid, shape, &o), n));
    tess_status status = TESS_OK;
    tess__reads(&all, "opts->ctfs", o.ctfs);
    TESS_TRY(tess__shell_outputs(&all, &end, in, n, result));
    const bool complex_in = tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX;
    const bool complex_out = tess_dtype_kind(out->dtype) == TESS_KIND_COMPLEX;
    work.terms = !complex_in ? TESS__RADIAL_VALUE : complex_out ? TESS__RADIAL_COMPLEX : TESS__RADIAL_POWER;
    if (tess__has_elements(out)) TESS_GOTO(done, status, run(&work, &end, in, &o));
done:
    return tess__outputs_end(&all, tess__error_under(status, fn));
}
