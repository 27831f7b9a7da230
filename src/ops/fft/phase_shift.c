/* Shift theorem: subpixel shifts by phase factors along each axis, multiplied into the coefficients. */
#include <inttypes.h>
#include <stdio.h>

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/array/rank.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/fft/rows.h"
#include "ops/op/library.h"
#include "tessera/ewise.h"
#include "tessera/op.h"
#include "tessera/scalar.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the shifted spectrum; may be the input itself"),
    TESS__IN("in", "a spectrum; NULL: write the factors to out, which must be allocated",
             .sample = TESS__HALF_SPECTRUM),
    TESS__NEED_SHAPE("shape", "logical shape: the shape of the real array or full spectrum"),
    TESS__IN_ROWS("shifts", "shifts in pixels, {1,1,1,m} or {b,1,1,m}: (w), (h, w) or (d, h, w)", .sample = "b,1,1,2",
                  .axes = "B,1,1,m"),
    TESS__OPT_CHOICE(tess_fft_phase_shift_opts, layout, TESS_FFT_H, tess__fft_layouts, "layout of both spectra"),
    TESS__FLAG(tess_fft_phase_shift_opts, real_nyquist,
               "use the mean of both factors at n/2 of an even size, as for real arrays"),
    TESS__OPT_F64(tess_fft_phase_shift_opts, cutoff, "cycles per pixel", 1, 0, 1,
                  "highest frequency to shift; higher ones are unchanged"),
};
TESS__CALL(fft_phase_shift, v[0].out, v[1].in, v[2].shape, v[3].in, opts)
const tess_function_info tess__info_fft_phase_shift =
    TESS__OP_OPTS(TESS_CUT_BATCHES, fft_phase_shift, "fft", "Shift a signal, image or volume by its spectrum.", args,
                  tess_fft_phase_shift_opts);

#include "ops/fft/phase_shift.def"

/* ---- Checks ---- */

/* Axes that have frequencies, counted from the width. */
/* The shapes that shifts may have. */
static void describe_shifts(char *text, size_t size, tess_shape shape, int rank)
{
    const char *m = rank == 3 ? "3" : "m";
    const int   n = shape.b == 1 ? snprintf(text, size, "{1,1,1,%s} is needed", m)
                                 : snprintf(text, size, "{1,1,1,%s} or {%" PRId64 ",1,1,%s} is needed", m, shape.b, m);
    if (rank < 3) (void)snprintf(text + n, size - (size_t)n, ", with m from %d to 3", rank);
}

static tess_status check_shifts(const tess_array *shifts, const tess_array *out, const tess_array *in, tess_shape shape)
{
    char      text[2][TESS__SHAPE_TEXT], need[120];
    const int rank = tess__rank(shape);
    TESS_TRY(tess__check_numbers("fft_phase_shift", "shifts", shifts));
    TESS_CHECK(shifts->dtype < TESS_C16, TESS_EDTYPE, "fft_phase_shift: `shifts` is %s; a real type is needed",
               tess_dtype_name(shifts->dtype));
    const tess_shape *n = &shifts->shape;
    const bool        fits = (n->b == 1 || n->b == shape.b) && n->d == 1 && n->h == 1 && n->w >= rank && n->w <= 3;
    if (!fits) describe_shifts(need, sizeof need, shape, rank);
    TESS_CHECK(fits, TESS_ESHAPE, "fft_phase_shift: `shifts` has shape %s and `shape` is %s; %s",
               tess__shape_text(text[0], n->dim), tess__shape_text(text[1], shape.dim), need);
    if (shifts->flags & TESS_SCALAR) return TESS_OK;
    TESS_TRY(tess__check_device_of("fft_phase_shift", "shifts", shifts, in ? "in" : "out", in ? in : out));
    TESS_TRY(tess__check_overlap("fft_phase_shift", out, "shifts", shifts, false));
    return TESS_OK;
}

static tess_status check_complex(const char *arg, const tess_array *a)
{
    TESS_CHECK(tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "fft_phase_shift: `%s` is %s; a complex type is needed", arg, tess_dtype_name(a->dtype));
    return TESS_OK;
}

static tess_status check_arrays(tess_array *out, const tess_array *in, tess_shape shape, int layout)
{
    const char             *fn = "fft_phase_shift";
    const tess__fft_variant form = { "shape", shape, "opts->layout", layout, .any_b = false };
    TESS_TRY(tess__check_pointer(fn, "out", out));
    if (in) {
        TESS_TRY(tess__check_spectrum(fn, "in", in, form));
        TESS_TRY(check_complex("in", in));
    } else {
        TESS_CHECK(!tess__is_empty_out(out), TESS_EARG,
                   "fft_phase_shift: `in` is `NULL` and `out` is zeroed; one of them must be an allocated array");
        TESS_TRY(tess__check_array(fn, "out", out));
        TESS_TRY(check_complex("out", out));
    }
    TESS_TRY(tess__spectrum_output(fn, out, form, in ? in->dtype : out->dtype, in ? in->device : out->device));
    return TESS_OK;
}

/* ---- The work ---- */

/* Temporary arrays, all to be released. */
typedef struct tables {
    tess_array shifts;   /* f64 */
    tess_array axis[4];  /* factors along D, H and W */
    tess_array rows;     /* those of D and H together */
    tess_array parts[4]; /* re and im of rows, and of the factors along W, as they are multiplied with */
    tess_array squares[2];
} tables;

static void release(tables *t)
{
    tess_release(&t->shifts);
    for (int k = 0; k < 4; k++) tess_release(&t->axis[k]);
    for (int k = 0; k < 4; k++) tess_release(&t->parts[k]);
    tess_release(&t->rows);
    for (int k = 0; k < 2; k++) tess_release(&t->squares[k]);
}

tess_status tess__fft_shift_factors(tess_array *row, const tess_array *shifts, tess__fft_axis a, int axis,
                                    bool real_nyquist, tess_device device)
{
    const tess__fft_count c = tess__fft_count_of(a);
    tess_array            column, shift = { .data = NULL };
    tess_status           status = TESS_OK;
    TESS_TRY(tess__make("fft_phase_shift", row, TESS_SHAPE(a.n == 1 ? 1 : shifts->shape.b, 1, 1, a.indices), TESS_C64,
                        device, false));
    if (a.n == 1) {
        TESS_TRY(tess_fill(row, 1));
        return TESS_OK;
    }
    TESS_GOTO(done, status, tess_index(&column, shifts, 3, shifts->shape.w - 4 + axis));
    TESS_GOTO(done, status, tess_mod(&shift, &column, &tess_f64(a.n)));
    TESS_GOTO(done, status, tess_call(&fft_phase_shift, &shift, a.n, c.first, c.wrap, (int)real_nyquist, row));
done:
    tess_release(&shift);
    return status;
}

/* The factors of an axis, along it. */
static tess_status make_factors(tables *t, tess_shape shape, int axis, const tess_fft_phase_shift_opts *o,
                                tess_device device)
{
    const tess__fft_axis a = tess__fft_axis_of(o->layout, axis, shape.dim[axis]);
    TESS_TRY(tess__fft_shift_factors(&t->axis[axis], &t->shifts, a, axis, o->real_nyquist, device));
    tess__fft_to_axis(&t->axis[axis], axis);
    return TESS_OK;
}

static tess_status split(tess_array parts[2], const tess_array *factors, tess_dtype dtype)
{
    tess_array view;
    TESS_TRY(tess_real_view(&view, factors));
    TESS_TRY(tess_cast(&parts[0], &view, dtype, NULL));
    TESS_TRY(tess_imag_view(&view, factors));
    TESS_TRY(tess_cast(&parts[1], &view, dtype, NULL));
    return TESS_OK;
}

static tess_status multiply(tess_array *out, const tess_array *in, tables *t, const tess_fft_phase_shift_opts *o)
{
    static tess_op_def *const ops[3] = { &fft_phase_shift_c16, &fft_phase_shift_c32, &fft_phase_shift_c64 };
    static tess_op_def *const below[3] = { &fft_phase_shift_c16_below, &fft_phase_shift_c32_below,
                                           &fft_phase_shift_c64_below };
    const int                 at = out->dtype - TESS_C16;
    tess_array *const         p = t->parts;
    if (o->cutoff < 1) {
        TESS_TRY(tess_call(below[at], in, p, p + 1, p + 2, p + 3, &t->squares[0], &t->squares[1], o->cutoff, out));
        return TESS_OK;
    }
    TESS_TRY(tess_call(ops[at], in, p, p + 1, p + 2, p + 3, out));
    return TESS_OK;
}

static tess_status run(tess_array *out, const tess_array *in, tess_shape shape, const tess_array *shifts,
                       const tess_fft_phase_shift_opts *o)
{
    const tess_dtype dtype = out->dtype == TESS_C64 ? TESS_F64 : TESS_F32;
    tables           t = { .rows = { .data = NULL } };
    tess_array       one = { .data = NULL };
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&t.shifts, shifts, TESS_F64, NULL));
    for (int axis = 1; axis < 4; axis++) TESS_GOTO(done, status, make_factors(&t, shape, axis, o, out->device));
    TESS_GOTO(done, status, tess_mul(&t.rows, &t.axis[1], &t.axis[2]));
    TESS_GOTO(done, status, split(&t.parts[0], &t.rows, dtype));
    TESS_GOTO(done, status, split(&t.parts[2], &t.axis[3], dtype));
    if (o->cutoff < 1)
        TESS_GOTO(
            done, status,
            tess__fft_squares(&t.squares[0], &t.squares[1], shape, o->layout, TESS_D | TESS_H | TESS_W, out->device));
    if (!in) {
        TESS_GOTO(done, status, tess_full(&one, TESS_SHAPE(1, 1, 1, 1), out->dtype, out->device, 1));
        in = &one;
    }
    TESS_GOTO(done, status, multiply(out, in, &t, o));
done:
    release(&t);
    tess_release(&one);
    return status;
}

tess_status tess_fft_phase_shift(tess_array *out, const tess_array *in, tess_shape shape, const tess_array *shifts,
                                 const tess_fft_phase_shift_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_fft_phase_shift_opts o;
    TESS_TRY(tess__resolve(&tess__info_fft_phase_shift, opts, &o));
    const bool  made = out && tess__is_empty_out(out);
    tess_status status = TESS_OK;
    TESS_TRY(check_arrays(out, in, shape, o.layout));
    TESS_GOTO(done, status, check_shifts(shifts, out, in, shape));
    if (in && !made) TESS_GOTO(done, status, tess__check_overlap("fft_phase_shift", out, "in", in, true));
    if (tess__has_elements(out)) TESS_GOTO(done, status, run(out, in, shape, shifts, &o));
done:
    return tess__finish(tess__error_under(status, "fft_phase_shift"), out, made);
}
