/* Fourier resampling: spectra cropped and padded, each axis separately. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/fft/fft.h"
#include "ops/fft/moves.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the resized spectrum, of logical shape out_shape"),
    TESS__IN("in", "a spectrum of logical shape in_shape", .sample = TESS__HALF_SPECTRUM),
    TESS__NEED_SHAPE("in_shape", "logical shape of in"),
    TESS__NEED_SHAPE("out_shape", "logical shape of out, with the same b as in", .sample = "b,d,h+2,w+2"),
    TESS__OPT_CHOICE(tess_fft_resize_opts, layout, TESS_FFT_H, tess__fft_layouts, "layout of both spectra"),
    TESS__OPT_CHOICE(tess_fft_resize_opts, norm, TESS_FFT_NORM_NONE, tess__fft_norms,
                     "normalisation that keeps real-space values; none: keep the coefficients"),
    TESS__FLAG(tess_fft_resize_opts, correct_nyquist, "keep the result the spectrum of a real array"),
};
TESS__CALL(fft_resize, v[0].out, v[1].in, v[2].shape, v[3].shape, opts)
const tess_function_info tess__info_fft_resize =
    TESS__OP_OPTS(TESS_CUT_BATCHES, fft_resize, "fft", "Crop or pad a spectrum.", args, tess_fft_resize_opts);

/* ---- What becomes of each axis ---- */

/* The frequency n/2 of an even size, which is also -n/2: the mean of both when it is cropped to, half of it at each
 * when it is padded. A half axis has no negative frequencies: there, what is added comes with the mirrored runs. */
static void add_nyquist(tess__fft_axis_runs *runs, tess__fft_axis out, tess__fft_axis in, int64_t k)
{
    if (out.order == TESS__FFT_HALF) {
        tess__fft_add(runs, out, in, (tess__fft_stretch){ k, k, 1, 1, 0.5, false });
        return;
    }
    tess__fft_add(runs, out, in, (tess__fft_stretch){ -k, -k, 1, 1, 0.5, false });
    if (out.n < in.n) tess__fft_add(runs, out, in, (tess__fft_stretch){ -k, k, 1, 1, 0.5, true });
    else tess__fft_add(runs, out, in, (tess__fft_stretch){ k, -k, 1, 1, 0.5, false });
}

static tess__fft_axis_runs runs_of(tess__fft_axis out, tess__fft_axis in, bool correct)
{
    tess__fft_axis_runs runs = { .n = 0 };
    const int64_t       n = out.n < in.n ? out.n : in.n; /* the frequencies of the smaller are in both */
    const bool          half = out.order == TESS__FFT_HALF, nyquist = correct && out.n != in.n && n > 0 && n % 2 == 0;
    const bool          first = out.n == in.n && out.order == TESS__FFT_FIRST; /* as one run, from index 0 on */
    const int64_t       low = half || first ? 0 : nyquist ? 1 - n / 2 : -(n / 2);
    const int64_t       many = half ? n / 2 + !nyquist : n - nyquist;
    if (n == 0) return runs;
    tess__fft_add(&runs, out, in, (tess__fft_stretch){ low, low, many, 1, 1, false });
    if (nyquist) add_nyquist(&runs, out, in, n / 2);
    return runs;
}

/* The same with what is at the negative frequencies, to be added. */
static tess__fft_axis_runs mirrored(const tess__fft_axis_runs *runs, tess__fft_axis in)
{
    tess__fft_axis_runs to = { .n = 0 };
    const int64_t       zero = in.order == TESS__FFT_CENTRED ? in.n / 2 : 0;
    for (int i = 0; i < runs->n; i++) {
        const tess__fft_axis_run *r = &runs->run[i];
        tess__fft_axis            out = { TESS__FFT_HALF, 0, r->out + r->n }; /* indices as they are */
        tess__fft_add(&to, out, in, (tess__fft_stretch){ r->out, zero - r->in, r->n, -1, r->weight, true });
    }
    return to;
}

/* ---- Indices of the output that nothing is copied to ---- */

/* Indices of an axis that have runs, or that have none, as runs. */
static tess__fft_axis_runs covered(const tess__fft_axis_runs *runs, int64_t indices, bool wanted)
{
    tess__fft_axis_runs to = { .n = 0 };
    for (int64_t at = 0; at < indices;) {
        int64_t end = indices;
        bool    inside = false;
        for (int i = 0; i < runs->n; i++) {
            const tess__fft_axis_run *r = &runs->run[i];
            if (r->out <= at && at < r->out + r->n) {
                inside = true;
                end = r->out + r->n;
                break;
            }
            if (r->out > at && r->out < end) end = r->out;
        }
        if (inside == wanted) to.run[to.n++] = (tess__fft_axis_run){ .out = at, .in = at, .n = end - at, .step = 1 };
        at = end;
    }
    return to;
}

/* Boxes that together are all that is outside: what is left of one axis, along those after it all indices, along
 * those before it only the ones that something is copied to. */
static tess_status clear_outside(tess__fft_moves *m, const tess__fft_axis_runs runs[4])
{
    static const tess__fft_axis_runs none = { .n = 0 };
    for (int axis = 1; axis < 4; axis++) {
        const tess__fft_axis_run *run[4];
        tess__fft_axis_runs       box[4];
        int                       at[4] = { 0 };
        for (int k = 0; k < 4; k++) box[k] = covered(k > axis ? &none : &runs[k], m->out.shape.dim[k], k < axis);
        for (bool started = false; tess__fft_next(box, at, run, &started);) {
            const tess_array part = tess__fft_select(&m->out, run, false);
            TESS_TRY(tess__fft_clear(m, &part));
        }
    }
    return TESS_OK;
}

/* ---- The work ---- */

/* What a combination of runs has in common. */
static double weight_of(const tess__fft_axis_run *const run[4], bool *adds)
{
    double weight = 1;
    *adds = false;
    for (int k = 0; k < 4; k++) {
        weight *= run[k]->weight;
        *adds |= run[k]->adds;
    }
    return weight;
}

static tess_status write_first(tess__fft_moves *m, const tess__fft_axis_runs runs[4], double scale)
{
    const tess__fft_axis_run *run[4];
    int                       at[4] = { 0 };
    for (bool started = false; tess__fft_next(runs, at, run, &started);) {
        bool         adds;
        const double weight = weight_of(run, &adds), factor = weight == 1 ? scale : weight;
        if (adds) continue;
        const tess_array to = tess__fft_select(&m->out, run, false), from = tess__fft_select(&m->in, run, true);
        if (factor == 1) TESS_TRY(tess__fft_move(m, &to, &from, TESS__FFT_COPY));
        else TESS_TRY(tess__fft_scale(m, &to, &from, factor));
    }
    return TESS_OK;
}

static tess_status add_others(tess__fft_moves *m, const tess__fft_axis_runs runs[4], bool conjugate)
{
    const tess__fft_axis_run *run[4];
    int                       at[4] = { 0 };
    for (bool started = false; tess__fft_next(runs, at, run, &started);) {
        bool         adds;
        const double weight = weight_of(run, &adds);
        if (!adds) continue;
        const tess_array to = tess__fft_select(&m->out, run, false), from = tess__fft_select(&m->in, run, true);
        TESS_TRY(tess__fft_accumulate(m, &to, &from, weight, conjugate));
    }
    return TESS_OK;
}

/* Means are sums of halves, which are exact; so they are scaled last. */
static tess_status scale_means(tess__fft_moves *m, const tess__fft_axis_runs runs[4], double scale)
{
    const tess__fft_axis_run *run[4];
    int                       at[4] = { 0 };
    for (bool started = false; scale != 1 && tess__fft_next(runs, at, run, &started);) {
        bool         adds;
        const double weight = weight_of(run, &adds);
        if (adds || weight == 1) continue;
        const tess_array part = tess__fft_select(&m->out, run, false);
        TESS_TRY(tess__fft_scale(m, &part, &part, scale));
    }
    return TESS_OK;
}

/* The last column of half a spectrum cropped to an even width: the conjugates of the mirrored one. */
static tess_status add_mirrored(tess__fft_moves *m, const tess__fft_axis_runs runs[4], const tess__fft_axis in[4])
{
    tess__fft_axis_runs       other[4] = { runs[0], mirrored(&runs[1], in[1]), mirrored(&runs[2], in[2]), { .n = 0 } };
    const tess__fft_axis_run *last = &runs[3].run[runs[3].n - 1];
    other[3].run[other[3].n++] = *last;
    other[3].run[0].adds = true;
    TESS_TRY(add_others(m, other, true));
    return TESS_OK;
}

static tess_status resize(tess__fft_moves *m, tess_shape in_shape, tess_shape out_shape, const tess_fft_resize_opts *o,
                          double scale)
{
    tess__fft_axis_runs runs[4];
    tess__fft_axis      in[4];
    for (int k = 0; k < 4; k++) {
        in[k] = tess__fft_axis_of(o->layout, k, in_shape.dim[k]);
        runs[k] = runs_of(tess__fft_axis_of(o->layout, k, out_shape.dim[k]), in[k], o->correct_nyquist);
    }
    TESS_TRY(clear_outside(m, runs));
    TESS_TRY(write_first(m, runs, scale));
    TESS_TRY(add_others(m, runs, false));
    if (o->correct_nyquist && tess__fft_is_half(o->layout) && out_shape.w < in_shape.w && out_shape.w % 2 == 0)
        TESS_TRY(add_mirrored(m, runs, in));
    TESS_TRY(scale_means(m, runs, scale));
    return TESS_OK;
}

/* The scale that keeps values in real space: coefficients are sums over the array, or means, or between the two. */
static double scale_of(tess_shape in, tess_shape out, int norm)
{
    double n_in = 1, n_out = 1; /* integers: equal ones give 1 */
    for (int k = 1; k < 4; k++) {
        n_in *= (double)in.dim[k];
        n_out *= (double)out.dim[k];
    }
    const double ratio = n_in > 0 ? n_out / n_in : 1;
    return norm == TESS_FFT_NORM_BACKWARD ? ratio : norm == TESS_FFT_NORM_ORTHO ? sqrt(ratio) : 1;
}

static tess_status resize_spectrum(tess_array *out, const tess_array *in, tess_shape in_shape, tess_shape out_shape,
                                   const tess_fft_resize_opts *o, double scale)
{
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    if (!tess__has_elements(out)) return TESS_OK;
    TESS_TRY(tess__hold(&held, "fft_resize", &in));
    tess__fft_moves m = { .name = "fft_resize", .out = *out, .in = *in };
    TESS_GOTO(done, status, resize(&m, in_shape, out_shape, o, scale));
    TESS_GOTO(done, status, tess__fft_submit(&m));
done:
    tess__fft_forget(&m);
    tess_release(&held);
    return status;
}

tess_status tess_fft_resize(tess_array *out, const tess_array *in, tess_shape in_shape, tess_shape out_shape,
                            const tess_fft_resize_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fft_resize_opts o;
    char                 text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__resolve(&tess__info_fft_resize, opts, &o));
    TESS_TRY(tess__check_pointer("fft_resize", "out", out));
    const tess__fft_variant from = { "in_shape", in_shape, "opts->layout", o.layout, .any_b = false };
    const tess__fft_variant to = { "out_shape", out_shape, "opts->layout", o.layout, .any_b = false };
    TESS_TRY(tess__check_spectrum("fft_resize", "in", in, from));
    TESS_TRY(tess__check_shape("fft_resize", "out_shape", out_shape, in->dtype));
    TESS_CHECK(in_shape.b == out_shape.b, TESS_ESHAPE,
               "fft_resize: `in_shape` is %s and `out_shape` is %s; batches are not resized, so b must be equal",
               tess__shape_text(text[0], in_shape.dim), tess__shape_text(text[1], out_shape.dim));
    const tess_kind kind = tess_dtype_kind(in->dtype);
    const double    scale = scale_of(in_shape, out_shape, o.norm);
    TESS_CHECK(kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX || (scale == 1 && !o.correct_nyquist), TESS_EDTYPE,
               "fft_resize: `in` is %s; a floating or complex type is needed for `opts->%s`",
               tess_dtype_name(in->dtype), scale != 1 ? "norm" : "correct_nyquist");
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__spectrum_output("fft_resize", out, to, in->dtype, in->device));
    if (!made) TESS_TRY(tess__check_overlap("fft_resize", out, "in", in, false));
    return tess__finish(tess__error_under(resize_spectrum(out, in, in_shape, out_shape, &o, scale), "fft_resize"), out,
                        made);
}
