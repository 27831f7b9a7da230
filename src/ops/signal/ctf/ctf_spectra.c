/* 1-D spectra of different CTFs brought to one: averaged (fused), or each by itself. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/geometry/sampling/polar.h"
#include "ops/signal/ctf/ctf.h"
#include "ops/signal/shells/shells.h"

/* ---- Descriptions ---- */

#define FREQUENCY(opts, field, how, min, help) TESS__AUTO_F64(opts, field, "cycles per pixel", how, min, 1e6, help)
#define RANGES(opts)                                                                                                   \
    TESS__OPT_F64(opts, start, "cycles per pixel", 0, 0, 1e6, "frequency of the first column of in"),                  \
        FREQUENCY(opts, stop, "0.5", TESS__POSITIVE, "frequency of the last column of in"),                            \
        FREQUENCY(opts, out_start, "start", 0, "frequency of the first column of out"),                                \
        FREQUENCY(opts, out_stop, "stop", TESS__POSITIVE, "frequency of the last column of out"),                      \
        TESS__AUTO_I64(opts, width, "", "width of in", 1, (double)(INT32_MAX - 2), "width of out"),                    \
        TESS__FLAG(opts, no_endpoint, "the last column of in lies one step below stop"),                               \
        TESS__FLAG(opts, out_no_endpoint, "the last column of out lies one step below out_stop")
#define IN TESS__IN("in", "1-D spectra, {b,1,h,m}", .axes = "B,1,h,m")
#define CTFS TESS__IN("ctfs", "CTFs of the spectra, {1 or b,1,1 or h,k}", .sample = "b,1,1,8", .axes = "B,1,h,k")
#define TARGET TESS__IN("target", "target CTF, {1 or b,1,1,k}", .sample = "b,1,1,8", .axes = "B,1,1,k")
static const tess_arg_info fuse_args[] = {
    TESS__OUT("out", "the mean of each batch, {b,1,1,n}", .axes = "B,1,1,n"),
    IN,
    CTFS,
    TARGET,
    TESS__OPT_ARRAY(tess_fuse_spectra_opts, weights, tess_array *, "sums of weights, {b,1,1,n}", .axes = "B,1,1,n"),
    RANGES(tess_fuse_spectra_opts),
    TESS__FLAG(tess_fuse_spectra_opts, sum, "write sums instead of means"),
    TESS__FLAG(tess_fuse_spectra_opts, add, "add to the sums in out and weights"),
};
static const tess_arg_info phase_args[] = {
    TESS__OUT("out", "the spectra, {b,1,h,n}", .axes = "B,1,h,n"),
    IN,
    CTFS,
    TARGET,
    RANGES(tess_phase_spectra_opts),
    TESS__INTERP_ROW(tess_phase_spectra_opts),
    TESS__OPT_I32(tess_phase_spectra_opts, unused, "", 0, 0, 0, "must be 0"),
};
TESS__CALL(fuse_spectra, v[0].out, v[1].in, v[2].in, v[3].in, opts)
TESS__CALL(phase_spectra, v[0].out, v[1].in, v[2].in, v[3].in, opts)
const tess_function_info tess__info_fuse_spectra =
    TESS__OP_OPTS(TESS_CUT_NONE, fuse_spectra, "polar", "Average 1-D spectra after resampling each to one CTF.",
                  fuse_args, tess_fuse_spectra_opts);
const tess_function_info tess__info_phase_spectra =
    TESS__OP_OPTS(TESS_CUT_NONE, phase_spectra, "polar", "Resample 1-D spectra so that all follow one CTF.", phase_args,
                  tess_phase_spectra_opts);

/* ---- Ranges ---- */

typedef struct range {
    double start, stop;
    bool   no_endpoint;
} range;

/* The ranges of both, with their defaults. */
static tess_status resolve(range *in, range *out, const char *fn)
{
    static const char *const names[2] = { "opts->start", "opts->stop" };
    static const char *const out_names[2] = { "opts->out_start", "opts->out_stop" };
    if (in->stop == 0) in->stop = 0.5;
    if (isnan(out->start)) out->start = in->start;
    if (out->stop == 0) out->stop = in->stop;
    TESS_TRY(tess__check_radii(fn, names, in->start, in->stop));
    TESS_TRY(tess__check_radii(fn, out_names, out->start, out->stop));
    return TESS_OK;
}

static double step_of(const range *r, int64_t n) { return tess__resample_step(r->start, r->stop, n, !r->no_endpoint); }

/* ---- Checks ---- */

static tess_status check_inputs(const char *fn, const tess_array *in, const tess_array *ctfs, const tess_array *target)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_CHECK(in->shape.d == 1, TESS_ESHAPE, "%s: `in` has shape %s; rows {b,1,h,m} are needed", fn,
               tess__shape_text(text, in->shape.dim));
    TESS_TRY(tess__check_ctf_rows(fn, "ctfs", ctfs, in, in->shape.h));
    TESS_TRY(tess__check_ctf_rows(fn, "target", target, in, 1));
    return TESS_OK;
}

/* ---- Fused ---- */

static tess_status fuse(tess__radial_bins *work, const tess__shell_end *end, const tess_array *in,
                        const tess_array *ctfs, const tess_array *target)
{
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, work->name, &in));
    TESS_GOTO(done, status, tess__take_ctf_rows(&work->ctfs, work->name, ctfs, in->device));
    TESS_GOTO(done, status, tess__take_ctf_rows(&work->target, work->name, target, in->device));
    work->lhs = *in;
    TESS_GOTO(done, status, tess__shell_means(work, end));
done:
    tess_release(&held);
    tess_release(&work->ctfs);
    tess_release(&work->target);
    return status;
}

/* A result of the kind of `in`. */
static tess_status check_kind(const char *fn, const tess_array *out, tess_dtype result)
{
    TESS_CHECK(tess_dtype_kind(out->dtype) == tess_dtype_kind(result), TESS_EDTYPE,
               "%s: `out` is %s; %s is needed, or the same kind in another precision", fn, tess_dtype_name(out->dtype),
               tess_dtype_name(result));
    return TESS_OK;
}

tess_status tess_fuse_spectra(tess_array *out, const tess_array *in, const tess_array *ctfs, const tess_array *target,
                              const tess_fuse_spectra_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char            *fn = "fuse_spectra";
    tess_fuse_spectra_opts o;
    tess__radial_bins      work = { .name = fn, .grid = { .kind = TESS__RADIAL_FUSED } };
    TESS_TRY(tess__resolve(&tess__info_fuse_spectra, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_inputs(fn, in, ctfs, target));
    range from = { o.start, o.stop, o.no_endpoint }, to = { o.out_start, o.out_stop, o.out_no_endpoint };
    TESS_TRY(resolve(&from, &to, fn));
    const bool            made = tess__is_empty_out(out);
    tess__outputs         all = { .fn = fn };
    const tess_dtype      result = tess__float_of(in->dtype);
    const int64_t         n = !made ? out->shape.w : o.width ? o.width : in->shape.w;
    const tess__shell_end end = { out, o.weights, o.sum, o.add };
    if (!made) TESS_TRY(check_kind(fn, out, result));
    tess_status status = TESS_OK;
    tess__reads(&all, "ctfs", ctfs);
    tess__reads(&all, "target", target);
    TESS_TRY(tess__shell_outputs(&all, &end, in, n, result));
    work.terms = tess_dtype_kind(result) == TESS_KIND_COMPLEX ? TESS__RADIAL_COMPLEX : TESS__RADIAL_VALUE;
    for (int k = 0; k < 3; k++)
        work.grid.axis[k] = (tess__radial_axis){ .n = in->shape.dim[k + 1], .span = 1, .count = 1 };
    work.grid.axis[2].start = from.start;
    work.grid.axis[2].span = step_of(&from, in->shape.w);
    work.grid.start = to.start;
    work.grid.scale = 1 / step_of(&to, n);
    work.grid.shells = n;
    if (tess__has_elements(out)) TESS_GOTO(done, status, fuse(&work, &end, in, ctfs, target));
done:
    return tess__outputs_end(&all, tess__error_under(status, fn));
}

/* ---- One by one ---- */

static tess_status sample(tess__resample_2d *work, const tess_array *out, const tess_array *in, const tess_array *ctfs,
                          const tess_array *target)
{
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__take_ctf_rows(&work->ctfs, work->name, ctfs, in->device));
    TESS_GOTO(done, status, tess__take_ctf_rows(&work->target, work->name, target, in->device));
    TESS_GOTO(done, status, tess__resample_submit(work, out, in));
done:
    tess_release(&work->ctfs);
    tess_release(&work->target);
    return status;
}

tess_status tess_phase_spectra(tess_array *out, const tess_array *in, const tess_array *ctfs, const tess_array *target,
                               const tess_phase_spectra_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char             *fn = "phase_spectra";
    tess_phase_spectra_opts o;
    tess__resample_2d       work = { .name = fn, .grid = { .kind = TESS__RESAMPLE_PHASES } };
    tess_status             status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_phase_spectra, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_inputs(fn, in, ctfs, target));
    range from = { o.start, o.stop, o.no_endpoint }, to = { o.out_start, o.out_stop, o.out_no_endpoint };
    TESS_TRY(resolve(&from, &to, fn));
    const bool       made = tess__is_empty_out(out);
    const int64_t    n = !made ? out->shape.w : o.width ? o.width : in->shape.w;
    const tess_shape shape = TESS_SHAPE(in->shape.b, 1, in->shape.h, n);
    TESS_TRY(tess__output(fn, out, shape, tess__transform_dtype(in->dtype), in->device));
    if (!made) {
        TESS_TRY(tess__check_overlap(fn, out, "in", in, false));
        TESS_TRY(tess__check_overlap(fn, out, "ctfs", ctfs, false));
        TESS_TRY(tess__check_overlap(fn, out, "target", target, false));
    }
    work.grid.rho_start = to.start;
    work.grid.rho_step = step_of(&to, n);
    work.grid.in_start = from.start;
    work.grid.in_step = step_of(&from, in->shape.w);
    work.interp = o.interp;
    work.source.axis[0] = (tess__resample_axis){ .n = 1, .high = 1, .border = TESS_BORDER_CLAMP }; /* the row itself */
    work.source.axis[1] = (tess__resample_axis){ .n = in->shape.w, .high = in->shape.w, .border = TESS_BORDER_ZERO };
    if (tess__has_elements(out) && tess__has_elements(in))
        TESS_GOTO(done, status, sample(&work, out, in, ctfs, target));
    else if (tess__has_elements(out)) TESS_GOTO(done, status, tess_fill(out, 0));
done:
    return tess__finish(tess__error_under(status, fn), out, made);
}
