/* Spectrum layout conversion, and fftshift: arrays shifted by half their size. */
#include "ops/fft/remap.h"

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "ops/fft/fft.h"
#include "ops/fft/moves.h"

static const tess_arg_info remap_args[] = {
    TESS__OUT("out", "the converted spectrum; may be the input itself between h and hc, or f and fc"),
    TESS__IN("in", "a spectrum", .sample = TESS__HALF_SPECTRUM),
    TESS__NEED_SHAPE("shape", "logical shape: the shape of the real array or full spectrum"),
    TESS__NEED_CHOICE("from", tess__fft_layouts, "layout of in"),
    TESS__NEED_CHOICE("to", tess__fft_layouts, "layout of out"),
};
TESS__CALL(fft_remap, v[0].out, v[1].in, v[2].shape, (tess_fft_layout)v[3].i32, (tess_fft_layout)v[4].i32)
const tess_function_info tess__info_fft_remap =
    TESS__OP(TESS_CUT_BATCHES, fft_remap, "fft", "Convert a spectrum to another layout.", remap_args,
             .metadata = TESS_METADATA_KEPT);

static const tess_arg_info shift_args[] = {
    TESS__OUT("out", "the shifted array; may be the input itself"),
    TESS__IN("in", "array to shift"),
    TESS__NEED_AXES(TESS_D | TESS_H | TESS_W, "axes", "axes to shift; 0: d, h and w"),
};
TESS__CALL(fftshift, v[0].out, v[1].in, v[2].i32)
const tess_function_info tess__info_fftshift =
    TESS__OP(TESS_CUT_BATCHES, fftshift, "fft", "Move zero frequency to the centre: index 0 to n / 2.", shift_args);
TESS__CALL(ifftshift, v[0].out, v[1].in, v[2].i32)
const tess_function_info tess__info_ifftshift =
    TESS__OP(TESS_CUT_BATCHES, ifftshift, "fft", "Move zero frequency from the centre: index n / 2 to 0.", shift_args);

/* ---- Moves ---- */

/* All frequencies of an axis from one order to another; mirrored: those at the negative ones. */
static tess__fft_axis_runs all_of(tess__fft_axis out, tess__fft_axis in, bool mirrored)
{
    tess__fft_axis_runs runs = { .n = 0 };
    const int64_t       n = out.indices < in.indices ? out.indices : in.indices;
    tess__fft_add(&runs, out, in, (tess__fft_stretch){ .n = n, .step = mirrored ? -1 : 1 });
    return runs;
}

static tess_status move(tess__fft_moves *m, tess__fft_remapping how)
{
    const tess_shape     shape = how.shape;
    const int            from = how.from, to = how.to;
    tess__fft_axis_runs  runs[4];
    const tess__fft_axis in = tess__fft_axis_of(from, 3, shape.w), out = tess__fft_axis_of(to, 3, shape.w);
    for (int k = 0; k < 4; k++)
        runs[k] = all_of(tess__fft_axis_of(to, k, shape.dim[k]), tess__fft_axis_of(from, k, shape.dim[k]), false);
    TESS_TRY(tess__fft_move_all(m, runs, how.direct));
    if (out.indices <= in.indices) return TESS_OK;
    for (int k = 1; k < 3; k++)
        runs[k] = all_of(tess__fft_axis_of(to, k, shape.dim[k]), tess__fft_axis_of(from, k, shape.dim[k]), true);
    const int64_t n = (shape.w - 1) / 2; /* negative frequencies that are not in half a spectrum */
    runs[3].n = 0;
    tess__fft_add(&runs[3], out, in, (tess__fft_stretch){ .k_out = -n, .k_in = n, .n = n, .step = -1 });
    TESS_TRY(tess__fft_move_all(m, runs, how.mirrored));
    return TESS_OK;
}

tess_status tess__fft_remap(const char *fn, const tess_array *out, const tess_array *in, tess__fft_remapping how)
{
    tess__fft_moves m = { .name = fn, .out = *out, .in = *in };
    tess_status     status = TESS_OK;
    TESS_GOTO(done, status, move(&m, how));
    TESS_GOTO(done, status, tess__fft_submit(&m));
done:
    tess__fft_forget(&m);
    return status;
}

/* A copy of `in`, if `out` is exactly that: `*in` points to it, and it is to be released after the work. */
static tess_status set_aside(tess_array *copy, const char *fn, const tess_array *out, const tess_array **in)
{
    if (!tess__same_view(out, *in)) return TESS_OK;
    tess__ewise work = { .name = fn, .kind = TESS__COPY };
    TESS_TRY(tess__make(fn, copy, (*in)->shape, (*in)->dtype, (*in)->device, false));
    TESS_TRY(tess__ewise_run(&work, copy, in, 1));
    *in = copy;
    return TESS_OK;
}

/* ---- Layouts ---- */

static tess_status remap(tess_array *out, const tess_array *in, tess_shape shape, int from, int to, bool power)
{
    const bool  is_complex = tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX;
    const int   direct = power ? TESS__OP_abs2 : TESS__FFT_COPY;
    const int   mirrored = power || !is_complex ? direct : TESS__OP_conj;
    tess_array  held = { .data = NULL }, copy = { .data = NULL };
    tess_status status = TESS_OK;
    if (!tess__has_elements(out) || (from == to && tess__same_view(out, in))) return TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, "fft_remap", &in));
    TESS_GOTO(done, status, set_aside(&copy, "fft_remap", out, &in));
    TESS_GOTO(done, status,
              tess__fft_remap("fft_remap", out, in, (tess__fft_remapping){ shape, from, to, direct, mirrored }));
done:
    tess_release(&held);
    tess_release(&copy);
    return status;
}

tess_status tess_fft_remap(tess_array *out, const tess_array *in, tess_shape shape, tess_fft_layout from,
                           tess_fft_layout to)
{
    int source, target;
    TESS_TRY(tess__check_pointer("fft_remap", "out", out));
    TESS_TRY(tess__check_fft_layout(&source, "fft_remap", "from", from));
    TESS_TRY(tess__check_fft_layout(&target, "fft_remap", "to", to));
    const tess__fft_variant given = { "shape", shape, "from", source, .any_b = false };
    const tess__fft_variant wanted = { "shape", shape, "to", target, .any_b = false };
    TESS_TRY(tess__check_spectrum("fft_remap", "in", in, given));
    const bool made = tess__is_empty_out(out);
    const bool power = !made && tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX && tess__dtype_valid(out->dtype) &&
                       out->dtype < TESS_C16;
    TESS_TRY(tess__spectrum_output("fft_remap", out, wanted, power ? out->dtype : in->dtype, in->device));
    if (!made)
        TESS_TRY(tess__check_overlap("fft_remap", out, "in", in,
                                     !power && tess__fft_is_half(source) == tess__fft_is_half(target)));
    return tess__finish(tess__error_under(remap(out, in, shape, source, target, power), "fft_remap"), out, made);
}

/* ---- Shifts ---- */

static tess_status move_half(const char *fn, const tess_array *out, const tess_array *in, int axes, bool back)
{
    tess__fft_moves     m = { .name = fn, .out = *out, .in = *in };
    tess__fft_axis_runs runs[4];
    tess_status         status = TESS_OK;
    for (int k = 0; k < 4; k++) {
        const int64_t  n = in->shape.dim[k];
        const int      order = axes & TESS_B << k ? TESS__FFT_CENTRED : TESS__FFT_FIRST;
        tess__fft_axis first = { TESS__FFT_FIRST, n, n }, other = { order, n, n };
        runs[k] = all_of(back ? first : other, back ? other : first, false);
    }
    TESS_GOTO(done, status, tess__fft_move_all(&m, runs, TESS__FFT_COPY));
    TESS_GOTO(done, status, tess__fft_submit(&m));
done:
    tess__fft_forget(&m);
    return status;
}

static tess_status shift(const char *fn, tess_array *out, const tess_array *in, int axes, bool back)
{
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_array(fn, "in", in));
    TESS_CHECK(
        (axes & ~TESS_ALL_AXES) == 0, TESS_ERANGE,
        "%s: `axes` is 0x%x; a set of TESS_B, TESS_D, TESS_H and TESS_W, or 0 for the last three, is needed (not "
        "the number of an axis)",
        fn, (unsigned)axes);
    if (axes == 0) axes = TESS_D | TESS_H | TESS_W;
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output(fn, out, in->shape, in->dtype, in->device));
    if (!made) TESS_TRY(tess__check_overlap(fn, out, "in", in, true));
    tess_array  held = { .data = NULL }, copy = { .data = NULL };
    tess_status status = TESS_OK;
    if (!tess__has_elements(out)) return TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, fn, &in));
    TESS_GOTO(done, status, set_aside(&copy, fn, out, &in));
    TESS_GOTO(done, status, move_half(fn, out, in, axes, back));
done:
    tess_release(&held);
    tess_release(&copy);
    return tess__finish(tess__error_under(status, fn), out, made);
}

tess_status tess_fftshift(tess_array *out, const tess_array *in, int axes)
{
    TESS_TRY(shift("fftshift", out, in, axes, false));
    return TESS_OK;
}

tess_status tess_ifftshift(tess_array *out, const tess_array *in, int axes)
{
    TESS_TRY(shift("ifftshift", out, in, axes, true));
    return TESS_OK;
}
