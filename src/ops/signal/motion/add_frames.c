/* Sums of frames that are moved by their shifts, plain and weighted by exposure filters. */
#include <float.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/check/text.h"
#include "ops/op/library.h"
#include "ops/signal/filter.h"
#include "ops/signal/motion/motion.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/filter.h"
#include "tessera/motion.h"
#include "tessera/scalar.h"

static const char fn[] = "add_frames";

static const tess_arg_info args[] = {
    TESS__OUT("sum", "sum to which the shifted frames are added, {1,1,h,w/2+1}; 0 at first if newly allocated",
              .axes = "1,1,h,w"),
    TESS__OUT_OPTIONAL("weighted", "the same for dose-weighted frames; may be NULL", .axes = "1,1,h,w"),
    TESS__IN("spectra", "half spectra of the frames, layout h, c32 or c64", .sample = TESS__HALF_SPECTRUM,
             .axes = "B,1,h,w"),
    TESS__NEED_SHAPE("shape", "logical shape of the frames, {b,1,h,w}"),
    TESS__IN_ROWS("shifts", "shifts (h, w) towards higher indices, in pixels, {b,1,1,2} or {1,1,1,2}",
                  .sample = "b,1,1,2", .axes = "B,1,1,2"),
    TESS__OPT_ROWS(tess_add_frames_opts, doses,
                   "accumulated dose at the end of each frame, electrons per square angstrom, {b,1,1,1}",
                   .sample = "b,1,1,1", .axes = "B,1,1,1"),
    TESS__OPT_F64(tess_add_frames_opts, pixel_size, "angstrom", 1, TESS__POSITIVE, DBL_MAX,
                  "pixel size of the frames, for dose weighting"),
    TESS__OPT_F64(tess_add_frames_opts, voltage, "kilovolt", 300, 1, 1e5, "acceleration voltage"),
    TESS__AUTO_F64(tess_add_frames_opts, critical_factor, "", "1 at 300 kV, 0.8 at 200 kV", TESS__POSITIVE, 1e6,
                   "factor applied to the critical dose"),
};
TESS__CALL(add_frames, v[0].out, v[1].out, v[2].in, v[3].shape, v[4].in, opts)
const tess_function_info tess__info_add_frames = TESS__OP_OPTS(
    TESS_CUT_NONE, add_frames, "motion", "Sum shifted frames, also with dose weighting.", args, tess_add_frames_opts);

#include "ops/signal/motion/add_frames.def"

/* Frames that are added by one call. */
enum { FRAMES = 4 };

typedef struct sums {
    tess_array                 *sum, *weighted; /* weighted: or NULL */
    tess_shape                  shape;          /* logical, b = 1 */
    const tess_add_frames_opts *o;
    tess_array                  shifts, doses;               /* f64 on the host */
    tess_array                  row[FRAMES], column[FRAMES]; /* phase factors of some frames */
    tess_array                  rate;                        /* of the dose in exponents */
} sums;

/* Factors of one frame along h, or along w. */
static tess_status make_factors(tess_array *out, const sums *s, int axis, double shift)
{
    const tess_device device = s->sum->device;
    tess_shape        of = TESS_SHAPE(1, 1, 1, 1);
    tess_array        host = { .data = NULL }, there = { .data = NULL };
    tess_status       status = TESS_OK;
    of.dim[axis] = s->shape.dim[axis];
    TESS_GOTO(done, status, tess__make(fn, &host, TESS_SHAPE(1, 1, 1, 2), TESS_F64, tess_cpu(), true));
    ((double *)host.data)[axis - 2] = shift;
    TESS_GOTO(done, status, tess_to_device(&there, &host, device));
    TESS_GOTO(done, status,
              tess_fft_phase_shift(out, NULL, of, &there,
                                   &(tess_fft_phase_shift_opts){ .layout = axis == 3 ? TESS_FFT_H : TESS_FFT_F }));
    TESS_GOTO(done, status, tess__sync(fn, device));
done:
    tess_release(&host);
    tess_release(&there);
    return status;
}

/* The exponent of the exposure filter for a dose of 1, by way of the filter: it is computed in one place alone. Up to
 * frequency `stop`, or all if that is 0. */
static tess_status make_exponents(tess_array *out, const sums *s, tess_shape shape, double stop)
{
    const tess_dose_weight_opts opts = { .stop = stop,
                                         .voltage = s->o->voltage,
                                         .critical_factor = s->o->critical_factor };
    TESS_TRY(tess__make(fn, out, tess_rfft_shape(shape), TESS_F64, s->sum->device, false));
    TESS_TRY(tess_dose_weight(out, NULL, shape, &tess_f64(1), s->o->pixel_size, &opts));
    TESS_TRY(tess_log(out, out));
    return TESS_OK;
}

static tess_status make_rate(sums *s, tess_dtype dtype)
{
    const bool  by_table = dtype == TESS_F32 && tess__radial_by_table(s->shape);
    tess_array  wide = { .data = NULL };
    tess_status status = TESS_OK;
    if (by_table) {
        TESS_GOTO(done, status, make_exponents(&wide, s, tess__radial_table(), TESS__RADIAL_LAST));
        TESS_GOTO(done, status, tess__make(fn, &s->rate, tess_rfft_shape(s->shape), TESS_F32, s->sum->device, false));
        TESS_GOTO(
            done, status,
            tess_filter_curve(&s->rate, NULL, s->shape, &wide, &(tess_filter_curve_opts){ .last = TESS__RADIAL_LAST }));
    } else {
        TESS_GOTO(done, status, make_exponents(&wide, s, s->shape, 0));
        TESS_GOTO(done, status, tess_cast(&s->rate, &wide, dtype, NULL));
    }
done:
    tess_release(&wide);
    return status;
}

/* Frame b, with the k-th factors. */
static tess_status add_one(const sums *s, const tess_array *spectra, int64_t b, int k)
{
    const bool       is_double = spectra->dtype == TESS_C64;
    const tess_array x = tess__frame_of(spectra, b), *row = &s->row[k], *column = &s->column[k];
    if (!s->weighted) {
        TESS_TRY(tess_call(is_double ? &add_frame_c64 : &add_frame_c32, &x, row, column, s->sum));
        return TESS_OK;
    }
    const double dose = ((const double *)s->doses.data)[b];
    TESS_TRY(tess_call(is_double ? &add_frame_twice_c64 : &add_frame_twice_c32, &x, row, column, &s->rate, dose, s->sum,
                       s->weighted));
    return TESS_OK;
}

/* Frames b to b + 3. */
static tess_status add_four(const sums *s, const tess_array *spectra, int64_t b)
{
    const bool        is_double = spectra->dtype == TESS_C64;
    const tess_array *row = s->row, *column = s->column;
    tess_array        x[FRAMES];
    for (int k = 0; k < FRAMES; k++) x[k] = tess__frame_of(spectra, b + k);
    if (!s->weighted) {
        TESS_TRY(tess_call(is_double ? &add_four_frames_c64 : &add_four_frames_c32, &x[0], &x[1], &x[2], &x[3], &row[0],
                           &row[1], &row[2], &row[3], &column[0], &column[1], &column[2], &column[3], s->sum));
        return TESS_OK;
    }
    const double *dose = (const double *)s->doses.data + b;
    TESS_TRY(tess_call(is_double ? &add_four_frames_twice_c64 : &add_four_frames_twice_c32, &x[0], &x[1], &x[2], &x[3],
                       &row[0], &row[1], &row[2], &row[3], &column[0], &column[1], &column[2], &column[3], &s->rate,
                       dose[0], dose[1], dose[2], dose[3], s->sum, s->weighted));
    return TESS_OK;
}

/* Up to FRAMES frames from b on, one after the other in each sum. */
static tess_status add_some(sums *s, const tess_array *spectra, int64_t b, int n)
{
    const double *shift = (const double *)s->shifts.data + 2 * b;
    for (int k = 0; k < n; k++) {
        TESS_TRY(make_factors(&s->row[k], s, 2, shift[2 * k]));
        TESS_TRY(make_factors(&s->column[k], s, 3, shift[2 * k + 1]));
    }
    if (n == FRAMES) return add_four(s, spectra, b);
    for (int k = 0; k < n; k++) TESS_TRY(add_one(s, spectra, b + k, k));
    return TESS_OK;
}

static tess_status add_all(sums *s, const tess_array *spectra, const tess_array *shifts)
{
    const int64_t    n = spectra->shape.b;
    const tess_dtype dtype = spectra->dtype;
    const tess_shape half = tess_rfft_shape(s->shape);
    TESS_TRY(tess__motion_numbers(fn, "shifts", &s->shifts, shifts, TESS_SHAPE(n, 1, 1, 2)));
    if (s->weighted) {
        const tess_array *doses = s->o->doses ? s->o->doses : &tess_f64(0);
        TESS_TRY(tess__motion_numbers(fn, "opts->doses", &s->doses, doses, TESS_SHAPE(n, 1, 1, 1)));
        TESS_TRY(make_rate(s, tess_dtype_real(dtype)));
    }
    for (int k = 0; k < FRAMES; k++) {
        TESS_TRY(tess__make(fn, &s->row[k], TESS_SHAPE(1, 1, half.h, 1), dtype, spectra->device, false));
        TESS_TRY(tess__make(fn, &s->column[k], TESS_SHAPE(1, 1, 1, half.w), dtype, spectra->device, false));
    }
    for (int64_t b = 0; b < n; b += FRAMES) TESS_TRY(add_some(s, spectra, b, (int)tess__min(n - b, FRAMES)));
    return TESS_OK;
}

/* Sums that are allocated begin at 0. */
static tess_status begin(tess__outputs *out)
{
    TESS_TRY(tess__outputs_take(out));
    for (int k = 0; k < out->n; k++)
        if (out->wanted[k].made) TESS_TRY(tess_fill(out->wanted[k].array, 0));
    return TESS_OK;
}

static tess_status check(const tess_array *sum, const tess_array *weighted, const tess_array *spectra, tess_shape shape,
                         const tess_array *shifts, const tess_add_frames_opts *o)
{
    TESS_TRY(tess__check_pointer(fn, "sum", sum));
    TESS_TRY(tess__check_frames(fn, "spectra", spectra, shape));
    TESS_TRY(tess__check_motion_numbers(fn, "shifts", shifts, TESS_SHAPE(shape.b, 1, 1, 2)));
    TESS_TRY(tess__check_waits(fn, spectra->device));
    if (!weighted) return TESS_OK;
    if (o->doses) TESS_TRY(tess__check_motion_numbers(fn, "opts->doses", o->doses, TESS_SHAPE(shape.b, 1, 1, 1)));
    TESS_TRY(tess__check_positive(fn, "opts->pixel_size", o->pixel_size));
    return TESS_OK;
}

tess_status tess_add_frames(tess_array *sum, tess_array *weighted, const tess_array *spectra, tess_shape shape,
                            const tess_array *shifts, const tess_add_frames_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_add_frames_opts o;
    sums                 s = { .sum = sum, .weighted = weighted, .shape = TESS_SHAPE(1, 1, shape.h, shape.w), .o = &o };
    tess_status          status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_add_frames, opts, &o));
    TESS_TRY(check(sum, weighted, spectra, shape, shifts, &o));
    const tess_shape half = tess_rfft_shape(s.shape);
    tess__outputs    out = { .fn = fn };
    tess__wants(&out, "sum", sum, half, spectra->dtype, spectra->device);
    tess__wants(&out, "weighted", weighted, half, spectra->dtype, spectra->device);
    tess__reads(&out, "spectra", spectra);
    tess__reads(&out, "shifts", shifts);
    tess__reads(&out, "opts->doses", o.doses);
    TESS_GOTO(done, status, begin(&out));
    if (tess__has_elements(spectra)) TESS_GOTO(done, status, add_all(&s, spectra, shifts));
done:
    tess_release(&s.shifts);
    tess_release(&s.doses);
    for (int k = 0; k < FRAMES; k++) tess_release(&s.row[k]), tess_release(&s.column[k]);
    tess_release(&s.rate);
    return tess__outputs_end(&out, tess__error_under(status, fn));
}
