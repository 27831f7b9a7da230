/* After slices were put into a volume: division by weights, and by the transform of the interpolation kernel. */
#include "core/array/broadcast.h"
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/array/rows.h"
#include "core/device/stream.h"
#include "ops/fft/rows.h"
#include "ops/geometry/slices/slices.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/fourier_slices.h"
#include "tessera/math/interp_weights.op.h"
#include "tessera/scalar.h"

static const tess_arg_info normalize_args[] = {
    TESS__OUT("out", "volume divided by weights; may be the input itself"),
    TESS__IN("volume", "spectrum into which slices were inserted", .sample = TESS__HALF_SPECTRUM),
    TESS__IN("weights", "real", .sample = "b,d,h,w/2+1"),
    TESS__OPT_F64(tess_fourier_normalize_opts, noise, "", 0, 0, DBL_MAX, "constant added to weights"),
    TESS__OPT_F64(tess_fourier_normalize_opts, min_weight, "", 0.001, 0, DBL_MAX, "lower bound of the weights"),
};
TESS__CALL(fourier_normalize, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_fourier_normalize =
    TESS__OP_OPTS(TESS_CUT_NONE, fourier_normalize, "fourier_slices",
                  "Divide a spectrum of inserted slices by its weights.", normalize_args, tess_fourier_normalize_opts);

static const tess_arg_info correct_args[] = {
    TESS__OUT("out", "the corrected array; may be the input itself"),
    TESS__IN("in", "images or volumes"),
    TESS__OPT_CHOICE(tess_gridding_correct_opts, interp, TESS_INTERP_LINEAR, tess__interps,
                     "interpolation kernel to correct for"),
    TESS__FLAG(tess_gridding_correct_opts, multiply, "multiply by the transform of the kernel: undo the correction"),
};
TESS__CALL(gridding_correct, v[0].out, v[1].in, opts)
const tess_function_info tess__info_gridding_correct =
    TESS__OP_OPTS(TESS_CUT_BATCHES, gridding_correct, "fourier_slices",
                  "Correct images for the interpolation of their spectra.", correct_args, tess_gridding_correct_opts);

/* ---- Weights ---- */

tess_status tess_fourier_normalize(tess_array *out, const tess_array *volume, const tess_array *weights,
                                   const tess_fourier_normalize_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fourier_normalize_opts o;
    const char                 *fn = "fourier_normalize";
    tess_array                  divisor = { .data = NULL };
    tess_status                 status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_fourier_normalize, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "volume", volume));
    TESS_TRY(tess__check_numbers(fn, "weights", weights));
    TESS_TRY(tess__check_ordered(fn, "weights", weights->dtype));
    TESS_TRY(tess__check_device_of(fn, "volume", volume, "weights", weights));
    const char *const       names[2] = { "volume", "weights" };
    const tess_array *const inputs[2] = { volume, weights };
    tess_shape              shape;
    TESS_TRY(tess__common_shape(&shape, fn, names, inputs, 2));
    if (!tess__is_empty_out(out)) {
        TESS_TRY(tess__check_writable(fn, "out", out));
        TESS_TRY(tess__check_broadcast(fn, "volume", volume, "out", &out->shape));
        TESS_TRY(tess__check_broadcast(fn, "weights", weights, "out", &out->shape));
        TESS_TRY(tess__check_overlap(fn, out, "volume", volume, true));
        TESS_TRY(tess__check_overlap(fn, out, "weights", weights, false));
    }
    const tess_dtype dtype = tess__float_of(weights->dtype);
    TESS_GOTO(done, status, tess__make(fn, &divisor, weights->shape, dtype, weights->device, false));
    TESS_GOTO(done, status, tess_add(&divisor, weights, &tess_f64(o.noise)));
    TESS_GOTO(done, status, tess_maximum(&divisor, &divisor, &tess_f64(o.min_weight)));
    TESS_GOTO(done, status, tess_div(out, volume, &divisor));
done:
    tess_release(&divisor);
    return tess__error_under(status, fn);
}

/* ---- The kernel ---- */

/* Gauss' rule of five points on each of so many parts of the distance between two samples; of nearest, halves count. */
enum { PARTS = 8, POINTS = 5 };

/* The integral of a kernel times cos(2 pi u x). */
static double kernel_transform(int32_t method, double u)
{
    static const double nodes[POINTS] = { 0, 0.53846931010568309, -0.53846931010568309, 0.90617984593866399,
                                          -0.90617984593866399 };
    static const double weights[POINTS] = { 0.56888888888888889, 0.47862867049936647, 0.47862867049936647,
                                            0.23692688505618909, 0.23692688505618909 };
    const int           taps = tess__interp_taps(method), first = tess__interp_first(method);
    double              sum = 0, w[8];
    for (int part = 0; part < PARTS; part++)
        for (int point = 0; point < POINTS; point++) {
            const double t = ((double)part + 0.5 + 0.5 * nodes[point]) / PARTS;
            const double from = t - (double)(first + tess__interp_base_f64(method, 0, t));
            tess__interp_weights_f64(method, t, w);
            for (int i = 0; i < taps; i++)
                sum += weights[point] * w[i] * tess__cos_fast_f64((2 * TESS_PI) * u * (from - (double)i));
        }
    return sum * 0.5 / PARTS;
}

/* Factors of an axis, as an array along it of a dtype. */
static tess_status make_factors(tess_array *out, int axis, const tess_array *like, const tess_gridding_correct_opts *o)
{
    const int64_t n = like->shape.dim[axis];
    tess_array    host = { .data = NULL }, moved = { .data = NULL };
    tess_status   status = TESS_OK;
    TESS_TRY(tess__make("gridding_correct", &host, TESS_SHAPE(1, 1, 1, n), TESS_F64, tess_cpu(), false));
    for (int64_t i = 0; i < n; i++) {
        const double k = n == 1 ? 1 : kernel_transform(o->interp, (double)(i - n / 2) / (double)n);
        ((double *)host.data)[i] = o->multiply ? k : 1 / k;
    }
    TESS_GOTO(done, status, tess_to_device(&moved, &host, like->device));
    TESS_GOTO(done, status, tess_cast(out, &moved, tess_dtype_real(like->dtype), NULL));
    tess__fft_to_axis(out, axis);
done:
    tess_release(&host);
    tess_release(&moved);
    return status;
}

static tess_status correct(tess_array *out, const tess_array *in, const tess_gridding_correct_opts *o)
{
    tess_array  factors[3] = { { .data = NULL } }, plane = { .data = NULL }, to = *out;
    tess__rows  rows = { .name = "gridding_correct" }; /* the output is gone through twice */
    tess_status status = TESS_OK;
    for (int k = 0; k < 3; k++) TESS_GOTO(done, status, make_factors(&factors[k], k + 1, out, o));
    TESS_GOTO(done, status, tess_mul(&plane, &factors[0], &factors[1]));
    if (tess__rows_differ(out, in)) TESS_GOTO(done, status, tess__rows_write(&rows, &to, false));
    TESS_GOTO(done, status, tess_mul(&to, in, &plane));
    TESS_GOTO(done, status, tess_mul(&to, &to, &factors[2]));
done:
    status = tess__rows_end(&rows, status);
    for (int k = 0; k < 3; k++) tess_release(&factors[k]);
    tess_release(&plane);
    return status;
}

tess_status tess_gridding_correct(tess_array *out, const tess_array *in, const tess_gridding_correct_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_gridding_correct_opts o;
    const char                *fn = "gridding_correct";
    tess_status                status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_gridding_correct, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__slice_check_dtype(fn, "in", in));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output(fn, out, in->shape, in->dtype, in->device));
    if (!made) TESS_TRY(tess__check_overlap(fn, out, "in", in, true));
    if (tess__has_elements(out)) TESS_GOTO(done, status, correct(out, in, &o));
done:
    return tess__finish(tess__error_under(status, fn), out, made);
}
