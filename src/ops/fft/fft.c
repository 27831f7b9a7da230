/* Fourier transforms (r2c, c2r, c2c): checks, output rule, and request. */
#include "ops/fft/fft.h"

#include <inttypes.h>
#include <math.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/marks.h"
#include "core/check/output.h"
#include "core/array/overlap.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/fft/layout.h"

const tess_choice tess__fft_norms[] = {
    { "backward", TESS_FFT_NORM_BACKWARD, "forward 1, backward 1/N" },
    { "forward", TESS_FFT_NORM_FORWARD, "forward 1/N, backward 1" },
    { "ortho", TESS_FFT_NORM_ORTHO, "both 1/sqrt(N)" },
    { "none", TESS_FFT_NORM_NONE, "both 1" },
    { NULL, 0, NULL },
};
const tess_choice tess__fft_signs[] = {
    { "forward", TESS_FFT_FORWARD, "the exponent is negative" },
    { "backward", TESS_FFT_BACKWARD, "the exponent is positive" },
    { NULL, 0, NULL },
};

enum { DHW = TESS_D | TESS_H | TESS_W };

static const tess_arg_info args_r2c[] = {
    TESS__OUT("out", "the half spectrum {b,d,h,w/2+1}; in may be a real view of its storage"),
    TESS__IN("in", "f16, f32 or f64"),
    TESS__FFT_ROWS(DHW),
};
static const tess_arg_info args_c2r[] = {
    TESS__OUT("out", "the real array; may be a real view of the storage of in"),
    TESS__IN("in", "the half spectrum {b,d,h,w/2+1}: c16, c32 or c64", .sample = TESS__HALF_SPECTRUM),
    TESS__NEED_SHAPE("shape", "shape of the result {b,d,h,w}"),
    TESS__FFT_ROWS(DHW),
};
static const tess_arg_info args_c2c[] = {
    TESS__OUT("out", "the transform; may be the input itself"),
    TESS__IN("in", "c16, c32 or c64; real f16, f32 and f64 are converted to complex", .sample = "complex"),
    TESS__NEED_CHOICE("sign", tess__fft_signs, "direction of the transform"),
    TESS__FFT_ROWS(DHW),
};
TESS__CALL(fft_r2c, v[0].out, v[1].in, opts)
const tess_function_info tess__info_fft_r2c =
    TESS__OP_OPTS(TESS_CUT_BATCHES, fft_r2c, "fft", "Fourier transform of real arrays to half spectra.", args_r2c,
                  tess_fft_opts, .metadata = TESS_METADATA_KEPT);
TESS__CALL(fft_c2r, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_fft_c2r =
    TESS__OP_OPTS(TESS_CUT_BATCHES, fft_c2r, "fft", "Fourier transform of half spectra to real arrays.", args_c2r,
                  tess_fft_opts, .metadata = TESS_METADATA_KEPT);
TESS__CALL(fft_c2c, v[0].out, v[1].in, (tess_fft_sign)v[2].i32, opts)
const tess_function_info tess__info_fft_c2c =
    TESS__OP_OPTS(TESS_CUT_BATCHES, fft_c2c, "fft", "Fourier transform of complex arrays.", args_c2c, tess_fft_opts);

/* ---- Options ---- */

tess_status tess__fft_check_sign(const char *fn, int sign)
{
    TESS_CHECK(sign == TESS_FFT_FORWARD || sign == TESS_FFT_BACKWARD, TESS_EARG,
               "%s: `sign` is %d; TESS_FFT_FORWARD (-1) or TESS_FFT_BACKWARD (1) is needed", fn, sign);
    return TESS_OK;
}

tess_status tess__fft_check_axes(const char *fn, tess_fft_kind kind, int axes)
{
    TESS_CHECK(
        (axes & ~TESS_ALL_AXES) == 0, TESS_ERANGE,
        "%s: `opts->axes` is 0x%x; a set of TESS_B, TESS_D, TESS_H and TESS_W, or 0 for D, H and W, is needed (not "
        "the number of an axis)",
        fn, (unsigned)axes);
    TESS_CHECK(kind == TESS_FFT_C2C || (axes & TESS_W), TESS_EARG,
               "%s: `opts->axes` is 0x%x, without TESS_W; it must include the width, of which half is kept", fn,
               (unsigned)axes);
    return TESS_OK;
}

double tess__fft_size(tess_shape shape, int axes)
{
    double n = 1;
    for (int k = 0; k < 4; k++)
        if (axes & (TESS_B << k)) n *= (double)shape.dim[k];
    return n;
}

double tess__fft_factor(int norm, int sign, double n)
{
    if (norm == TESS_FFT_NORM_NONE) return 1;
    if (norm == TESS_FFT_NORM_ORTHO) return 1 / sqrt(n);
    return (norm == TESS_FFT_NORM_FORWARD) == (sign == TESS_FFT_FORWARD) ? 1 / n : 1;
}

/* ---- Arrays ---- */

static tess_status check_input(const char *fn, tess_fft_kind kind, const tess_array *in)
{
    TESS_TRY(tess__check_array(fn, "in", in));
    const bool real = in->dtype >= TESS_F16 && in->dtype <= TESS_F64;
    const bool complex = in->dtype >= TESS_C16 && in->dtype <= TESS_C64;
    if (kind == TESS_FFT_R2C)
        TESS_CHECK(real, TESS_EDTYPE, "%s: `in` is %s; f16, f32 or f64 is needed (%s)", fn, tess_dtype_name(in->dtype),
                   complex ? TESS__MARK("tess_fft_c2c") " transforms complex arrays"
                           : TESS__MARK("tess_cast") " converts");
    else if (kind == TESS_FFT_C2R)
        TESS_CHECK(complex, TESS_EDTYPE, "%s: `in` is %s; c16, c32 or c64 is needed", fn, tess_dtype_name(in->dtype));
    else
        TESS_CHECK(
            real || complex, TESS_EDTYPE,
            "%s: `in` is %s; c16, c32 or c64 is needed, or f16, f32 or f64, which are taken as complex (`tess_cast` "
            "converts)",
            fn, tess_dtype_name(in->dtype));
    return TESS_OK;
}

/* A spectrum has the sizes of the real array's half spectrum. */
static tess_status check_half(const char *fn, const char *arg, tess_shape have, tess_shape real)
{
    char             text[3][TESS__SHAPE_TEXT];
    const tess_shape want = tess_rfft_shape(real);
    TESS_CHECK(tess__same_sizes(&have, &want), TESS_ESHAPE,
               "%s: `%s` has shape %s; the half spectrum of a real array of %s has %s%s", fn, arg,
               tess__shape_text(text[0], have.dim), tess__shape_text(text[1], real.dim),
               tess__shape_text(text[2], want.dim), tess__fft_shape_hint(have, want));
    return TESS_OK;
}

/* An allocated output has the shape of the result. */
static tess_status check_result(const char *fn, const tess_array *out, tess_shape want)
{
    char text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_array(fn, "out", out));
    TESS_CHECK(tess__same_sizes(&out->shape, &want), TESS_ESHAPE, "%s: `out` has shape %s; %s is needed%s", fn,
               tess__shape_text(text[0], out->shape.dim), tess__shape_text(text[1], want.dim),
               tess__fft_shape_hint(out->shape, want));
    return TESS_OK;
}

/* The stride that a real array has along an axis if its rows lie in those of its spectrum. */
static int64_t stride_in_place(const tess_array *spectrum, int axis)
{
    return axis == 3 ? 1 : 2 * spectrum->strides.dim[axis];
}

/* The last axis of a real array whose stride is not that; -1 if there is none. */
static int misplaced_axis(const tess_array *real, const tess_array *spectrum)
{
    for (int k = 3; k >= 0; k--)
        if (real->shape.dim[k] > 1 && real->strides.dim[k] != stride_in_place(spectrum, k)) return k;
    return -1;
}

/* Disjoint, or in place: both begin at the same address, and rows of one lie in those of the other. */
static tess_status check_in_place(const char *fn, const tess_array *out, const tess_array *in, bool forward)
{
    static const char *const names[4] = { "batch", "depth", "height", "width" };
    if (tess__disjoint(out, in)) return TESS_OK;
    const tess_array *real = forward ? in : out, *spectrum = forward ? out : in;
    if (real->data != spectrum->data || (spectrum->shape.w > 1 && spectrum->strides.w != 1)) {
        TESS_TRY(tess__check_overlap(fn, out, "in", in, false));
        return TESS_OK;
    }
    const int axis = misplaced_axis(real, spectrum);
    if (axis < 0) return TESS_OK;
    char text[3][TESS__SHAPE_TEXT];
    TESS_FAIL(
        TESS_EALIAS,
        "%s: `out` and in share memory, and the real one (shape %s, strides %s) has stride %" PRId64
        " along axis %d (%s); in place it must be %" PRId64
        ": 1 along the width, else twice the stride of the spectrum, whose strides are %s (`tess_fft_empty` makes "
        "such a pair)",
        fn, tess__shape_text(text[0], real->shape.dim), tess__shape_text(text[1], real->strides.dim),
        real->strides.dim[axis], axis, names[axis], stride_in_place(spectrum, axis),
        tess__shape_text(text[2], spectrum->strides.dim));
}

/* The output rule for each kind; shape is that of the real array or of the full spectrum. */
static tess_status prepare_output(const char *fn, tess_fft_kind kind, tess_array *out, const tess_array *in,
                                  tess_shape shape)
{
    const bool       made = tess__is_empty_out(out);
    const tess_dtype real = tess_dtype_real(in->dtype);
    if (kind == TESS_FFT_R2C && !made) {
        TESS_TRY(tess__check_array(fn, "out", out));
        TESS_TRY(check_half(fn, "out", out->shape, shape));
    } else if (!made) {
        TESS_TRY(check_result(fn, out, shape));
    }
    TESS_TRY(tess__output(fn, out, kind == TESS_FFT_R2C ? tess_rfft_shape(shape) : shape,
                          kind == TESS_FFT_C2R ? real : tess__fft_complex(real), in->device));
    if (made || !tess__has_elements(out)) return TESS_OK;
    if (kind == TESS_FFT_C2C) TESS_TRY(tess__check_overlap(fn, out, "in", in, out->dtype == in->dtype));
    else TESS_TRY(check_in_place(fn, out, in, kind == TESS_FFT_R2C));
    return TESS_OK;
}

/* ---- The call ---- */

/* The w first reals of the rows of a complex array. */
static tess_array real_rows(const tess_array *spectrum, int64_t w)
{
    tess_array real = *spectrum;
    real.dtype = tess_dtype_real(spectrum->dtype);
    for (int k = 0; k < 3; k++) real.strides.dim[k] *= 2;
    real.shape.w = w;
    return real;
}

/* f16: converted to f32, transformed in place there, converted back. */
static tess_status compute_wide(tess__fft *work, tess_array *out, const tess_array *in)
{
    const bool  from_real = work->kind == TESS_FFT_R2C, to_real = work->kind == TESS_FFT_C2R;
    tess_array  workspace = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__make(work->name, &workspace, to_real ? in->shape : out->shape,
                        work->kind == TESS__FFT_R2R ? TESS_F32 : TESS_C32, out->device, false));
    work->in = from_real ? real_rows(&workspace, in->shape.w) : workspace;
    work->out = to_real ? real_rows(&workspace, out->shape.w) : workspace;
    TESS_GOTO(done, status, tess_cast(&work->in, in, work->in.dtype, NULL));
    TESS_GOTO(done, status, tess__fft_run(work));
    TESS_GOTO(done, status, tess_cast(out, &work->out, out->dtype, NULL));
done:
    tess_release(&workspace);
    return status;
}

static tess_status compute(tess__fft *work, tess_array *out, const tess_array *in)
{
    if (tess_dtype_real(in->dtype) == TESS_F16) {
        TESS_TRY(compute_wide(work, out, in));
        return TESS_OK;
    }
    work->in = *in;
    work->out = *out;
    TESS_TRY(tess__fft_run(work));
    return TESS_OK;
}

tess_status tess__fft_compute(tess__fft *work, tess_array *out, const tess_array *in, bool made)
{
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, work->name, &in));
    TESS_GOTO(done, status, compute(work, out, in));
done:
    tess_release(&held);
    return tess__finish(tess__error_under(status, work->name), out, made);
}

tess_status tess__fft_transform(const tess__fft_call *call, tess_array *out, const tess_array *in)
{
    TESS__FLOAT_SCOPE();
    const tess_fft_opts *o = call->opts;
    const bool           made = tess__is_empty_out(out);
    TESS_TRY(prepare_output(call->fn, call->kind, out, in, call->shape));
    if (!tess__has_elements(out)) return TESS_OK;
    const bool once = !(in->flags & (TESS_READ_ONLY | TESS_SCALAR)) && tess__elements_unique(in);
    tess__fft  work = { .name = call->fn,
                        .kind = (int32_t)call->kind,
                        .sign = call->sign,
                        .axes = (uint32_t)o->axes,
                        .overwrite = o->overwrite && once,
                        .held = call->held,
                        .scale = tess__fft_factor(o->norm, call->sign, tess__fft_size(call->shape, o->axes)) };
    TESS_TRY(tess__fft_compute(&work, out, in, made));
    return TESS_OK;
}

tess_status tess__fft_c2r_times(const char *fn, tess_array *out, const tess_array *in, const tess_array *multipliers,
                                tess_shape shape)
{
    const int  axes = TESS_D | TESS_H | TESS_W;
    const bool made = tess__is_empty_out(out);
    TESS_TRY(prepare_output(fn, TESS_FFT_C2R, out, in, shape));
    tess__fft work = { .name = fn,
                       .kind = TESS_FFT_C2R,
                       .sign = TESS_FFT_BACKWARD,
                       .axes = (uint32_t)axes,
                       .overwrite = 1,
                       .scale =
                           tess__fft_factor(TESS_FFT_NORM_BACKWARD, TESS_FFT_BACKWARD, tess__fft_size(shape, axes)),
                       .multipliers = *multipliers };
    TESS_TRY(tess__fft_compute(&work, out, in, made));
    return TESS_OK;
}

tess_status tess_fft_r2c(tess_array *out, const tess_array *in, const tess_fft_opts *opts)
{
    static const char fn[] = "fft_r2c";
    tess_fft_opts     o;
    TESS_TRY(tess__resolve(&tess__info_fft_r2c, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_input(fn, TESS_FFT_R2C, in));
    TESS_TRY(tess__fft_check_axes(fn, TESS_FFT_R2C, o.axes));
    const tess__fft_call call = { fn, TESS_FFT_R2C, TESS_FFT_FORWARD, in->shape, &o, NULL };
    TESS_TRY(tess__fft_transform(&call, out, in));
    return TESS_OK;
}

tess_status tess_fft_c2r(tess_array *out, const tess_array *in, tess_shape shape, const tess_fft_opts *opts)
{
    static const char fn[] = "fft_c2r";
    tess_fft_opts     o;
    TESS_TRY(tess__resolve(&tess__info_fft_c2r, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_input(fn, TESS_FFT_C2R, in));
    TESS_TRY(tess__check_shape(fn, "shape", shape, tess_dtype_real(in->dtype)));
    TESS_TRY(check_half(fn, "in", in->shape, shape));
    TESS_TRY(tess__fft_check_axes(fn, TESS_FFT_C2R, o.axes));
    const tess__fft_call call = { fn, TESS_FFT_C2R, TESS_FFT_BACKWARD, shape, &o, NULL };
    TESS_TRY(tess__fft_transform(&call, out, in));
    return TESS_OK;
}

tess_status tess_fft_c2c(tess_array *out, const tess_array *in, tess_fft_sign sign, const tess_fft_opts *opts)
{
    static const char fn[] = "fft_c2c";
    tess_fft_opts     o;
    TESS_TRY(tess__resolve(&tess__info_fft_c2c, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_input(fn, TESS_FFT_C2C, in));
    TESS_TRY(tess__fft_check_sign(fn, (int)sign));
    TESS_TRY(tess__fft_check_axes(fn, TESS_FFT_C2C, o.axes));
    const tess__fft_call call = { fn, TESS_FFT_C2C, (int)sign, in->shape, &o, NULL };
    TESS_TRY(tess__fft_transform(&call, out, in));
    return TESS_OK;
}
