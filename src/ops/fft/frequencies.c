/* Frequency grids: the frequency of every coefficient of a spectrum. */
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "ops/fft/rows.h"
#include "ops/op/library.h"
#include "tessera/ewise.h"
#include "tessera/op.h"
#include "tessera/scalar.h"

static const tess_choice dtypes[] = {
    { "f32", TESS_F32, "single precision" },
    { "f64", TESS_F64, "double precision" },
    { NULL, 0, NULL },
};
static const tess_arg_info args[] = {
    TESS__OUT("out", "frequencies in cycles per pixel; f16, f32 or f64, with any b"),
    TESS__NEED(TESS_ARG_SHAPE, "shape", "logical shape: the shape of the real array or full spectrum"),
    TESS__OPT_CHOICE(tess_fft_frequencies_opts, layout, TESS_FFT_H, tess__fft_layouts, "layout of the spectrum"),
    TESS__FIELD(tess_fft_frequencies_opts, axes, int32_t, TESS_ARG_AXIS_SET, INT32_MIN, INT32_MAX,
                TESS_D | TESS_H | TESS_W, NULL, "",
                "axes: one gives signed frequencies, several the length; 0: D, H and W"),
    TESS__OPT_CHOICE(tess_fft_frequencies_opts, dtype, TESS_F64, dtypes, "dtype of a newly allocated output"),
};
TESS__CALL(fft_frequencies, v[0].out, v[1].shape, opts)
const tess_function_info tess__info_fft_frequencies =
    TESS__OP_OPTS(TESS_CUT_NONE, fft_frequencies, "fft", "Frequency of every coefficient of a spectrum.", args,
                  tess_fft_frequencies_opts);

#include "ops/fft/frequencies.def"

/* ---- Rows ---- */

tess__fft_count tess__fft_count_of(tess__fft_axis a)
{
    if (a.order == TESS__FFT_CENTRED) return (tess__fft_count){ -(a.n / 2), a.n };
    return (tess__fft_count){ 0, a.order == TESS__FFT_HALF ? a.indices : (a.n + 1) / 2 };
}

void tess__fft_to_axis(tess_array *row, int axis)
{
    if (axis == 3) return;
    row->shape.dim[axis] = row->shape.w;
    row->strides.dim[axis] = row->strides.w;
    row->shape.w = 1;
}

/* Cycles per pixel of an axis: a new array of f64. */
static tess_status frequency_row(tess_array *row, tess__fft_axis a, int axis, tess_device device)
{
    const tess__fft_count c = tess__fft_count_of(a);
    TESS_TRY(tess__make("fft_frequencies", row, TESS_SHAPE(1, 1, 1, a.indices), TESS_F64, device, false));
    TESS_TRY(tess_call(&fft_frequencies, a.n, c.first, c.wrap, row));
    tess__fft_to_axis(row, axis);
    return TESS_OK;
}

static tess_status squares(tess_array *row, tess_shape shape, int layout, int axis, int axes, tess_device device)
{
    if (!(axes & TESS_B << axis)) {
        TESS_TRY(tess__make("fft_frequencies", row, TESS_SHAPE(1, 1, 1, 1), TESS_F64, device, true));
        return TESS_OK;
    }
    TESS_TRY(frequency_row(row, tess__fft_axis_of(layout, axis, shape.dim[axis]), axis, device));
    TESS_TRY(tess_square(row, row));
    return TESS_OK;
}

tess_status tess__fft_squares(tess_array *dh, tess_array *w, tess_shape shape, int layout, int axes, tess_device device)
{
    tess_array  d = { .data = NULL }, h = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, squares(&d, shape, layout, 1, axes, device));
    TESS_GOTO(done, status, squares(&h, shape, layout, 2, axes, device));
    TESS_GOTO(done, status, squares(w, shape, layout, 3, axes, device));
    TESS_GOTO(done, status, tess_add(dh, &d, &h));
done:
    tess_release(&d);
    tess_release(&h);
    return status;
}

/* ---- All of a spectrum ---- */

static tess_status signed_ones(tess_array *out, tess_shape shape, const tess_fft_frequencies_opts *o)
{
    const int   axis = o->axes == TESS_D ? 1 : o->axes == TESS_H ? 2 : 3;
    tess_array  row = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status,
              frequency_row(&row, tess__fft_axis_of(o->layout, axis, shape.dim[axis]), axis, out->device));
    TESS_GOTO(done, status, tess_cast(out, &row, out->dtype, NULL));
done:
    tess_release(&row);
    return status;
}

static tess_status lengths(tess_array *out, tess_shape shape, const tess_fft_frequencies_opts *o)
{
    tess_op_def *const op = out->dtype == TESS_F16   ? &fft_lengths_f16
                            : out->dtype == TESS_F32 ? &fft_lengths_f32
                                                     : &fft_lengths_f64;
    tess_array         dh = { .data = NULL }, w = { .data = NULL };
    tess_status        status = TESS_OK;
    TESS_GOTO(done, status, tess__fft_squares(&dh, &w, shape, o->layout, o->axes, out->device));
    TESS_GOTO(done, status, tess_call(op, &dh, &w, out));
done:
    tess_release(&dh);
    tess_release(&w);
    return status;
}

tess_status tess_fft_frequencies(tess_array *out, tess_shape shape, const tess_fft_frequencies_opts *opts)
{
    tess_fft_frequencies_opts o;
    const char               *fn = "fft_frequencies";
    TESS_TRY(tess__resolve(&tess__info_fft_frequencies, opts, &o));
    TESS_CHECK((o.axes & ~(TESS_D | TESS_H | TESS_W)) == 0, TESS_ERANGE,
               "%s: `opts->axes` is 0x%x; a set of TESS_D, TESS_H and TESS_W, or 0 for all three, is needed (not the "
               "number of an axis)",
               fn, (unsigned)o.axes);
    TESS_TRY(tess__check_pointer(fn, "out", out));
    const bool made = tess__is_empty_out(out);
    if (!made) TESS_TRY(tess__check_array(fn, "out", out));
    TESS_CHECK(made || tess_dtype_kind(out->dtype) == TESS_KIND_FLOAT, TESS_EDTYPE,
               "%s: `out` is %s; f16, f32 or f64 is needed", fn, tess_dtype_name(out->dtype));
    TESS_TRY(tess__check_shape(fn, "shape", shape, TESS_F64));
    const tess__fft_variant form = { "shape", shape, "opts->layout", o.layout, .any_b = true };
    TESS_TRY(
        tess__spectrum_output(fn, out, form, made ? (tess_dtype)o.dtype : out->dtype, made ? tess_cpu() : out->device));
    if (!tess__has_elements(out)) return TESS_OK;
    const bool        one = (o.axes & (o.axes - 1)) == 0;
    const tess_status status = one ? signed_ones(out, shape, &o) : lengths(out, shape, &o);
    return tess__finish(tess__error_under(status, fn), out, made);
}
