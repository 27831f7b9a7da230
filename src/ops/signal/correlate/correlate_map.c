/* Correlation maps by Fourier transforms: conventional, phase, double phase and mutual correlation. */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/fft/fft.h"
#include "ops/fft/layout.h"
#include "ops/op/library.h"
#include "ops/signal/correlate/correlate.h"
#include "ops/signal/shells/shells.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/op.h"
#include "tessera/reduce.h"
#include "tessera/resize.h"
#include "tessera/scalar.h"

const tess_choice tess__correlate_modes[] = {
    { "conventional", TESS_CORRELATE_CONVENTIONAL, "P, the product of one spectrum and the conjugate of the other" },
    { "phase", TESS_CORRELATE_PHASE, "P / |P|" },
    { "double_phase", TESS_CORRELATE_DOUBLE_PHASE, "P^2 / |P|; lags are doubled" },
    { "mutual", TESS_CORRELATE_MUTUAL, "P / sqrt(|P|)" },
    { NULL, 0, NULL },
};
static const tess_arg_info map_args[] = {
    TESS__OUT("out", "the correlation map, of the logical shape; allocated in the precision of the spectra"),
    TESS__IN("lhs", "a half spectrum, layout h", .sample = TESS__HALF_SPECTRUM),
    TESS__IN("rhs", "a half spectrum of the same dtype; b of either may be 1", .sample = TESS__HALF_SPECTRUM),
    TESS__NEED_SHAPE("shape", "logical shape, which the map has too"),
    TESS__OPT_CHOICE(tess_correlate_map_opts, mode, TESS_CORRELATE_CONVENTIONAL, tess__correlate_modes,
                     "weighting of the product of spectra"),
    TESS__FLAG(tess_correlate_map_opts, centred, "lag 0 is at n/2 along each axis"),
    TESS__OPT_CHOICE(tess_correlate_map_opts, norm, TESS_FFT_NORM_BACKWARD, tess__fft_norms,
                     "normalisation of the inverse transform"),
};
TESS__CALL(correlate_map, v[0].out, v[1].in, v[2].in, v[3].shape, opts)
const tess_function_info tess__info_correlate_map =
    TESS__OP_OPTS(TESS_CUT_BATCHES, correlate_map, "correlate", "Cross-correlation map of two spectra.", map_args,
                  tess_correlate_map_opts, .work_bytes = 48);

static const tess_arg_info args[] = {
    TESS__OUT("out", "the correlation map, of the shape of the arrays; allocated as f32 or f64"),
    TESS__IN("lhs", "real numbers"),
    TESS__IN("rhs", "real numbers; b of either may be 1"),
    TESS__OPT_CHOICE(tess_correlate_opts, mode, TESS_CORRELATE_CONVENTIONAL, tess__correlate_modes,
                     "weighting of the product of spectra"),
    TESS__FLAG(tess_correlate_opts, centred, "lag 0 is at n/2 along each axis"),
    TESS__FLAG(tess_correlate_opts, pad, "pad the arrays with zeros so that nothing wraps around"),
};
TESS__CALL(correlate, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_correlate =
    TESS__OP_OPTS(TESS_CUT_BATCHES, correlate, "correlate", "Cross-correlation map of two arrays.", args,
                  tess_correlate_opts, .work_bytes = 48);

/* ---- Products ---- */

#include "ops/signal/correlate/correlate_map.def"

static tess_op_def *op_of(tess_dtype dtype, int mode, bool centred)
{
#define OPS(C)                                                                                                         \
    {                                                                                                                  \
        { &correlate_conventional_##C, &correlate_conventional_##C##_centred },                                        \
            { &correlate_phase_##C, &correlate_phase_##C##_centred },                                                  \
            { &correlate_double_phase_##C, &correlate_double_phase_##C##_centred },                                    \
        {                                                                                                              \
            &correlate_mutual_##C, &correlate_mutual_##C##_centred                                                     \
        }                                                                                                              \
    }
    static tess_op_def *const ops[3][4][2] = { OPS(c16), OPS(c32), OPS(c64) };
#undef OPS
    return ops[dtype - TESS_C16][mode - TESS_CORRELATE_CONVENTIONAL][centred];
}

/* The magnitude below which a coefficient may be nothing but the rounding of a transform, of each batch: {b,1,1,1} of
 * f64. Roundings of n coefficients are about eps sqrt(log2 n) times their root mean square; the largest of many, and
 * those of transforms that are not the best, are some times that. */
static tess_status make_least(tess_array *least, const tess_array *spectrum)
{
    const double n = (double)spectrum->shape.d * (double)spectrum->shape.h * (double)spectrum->shape.w;
    const double eps = spectrum->dtype == TESS_C64 ? DBL_EPSILON : FLT_EPSILON;
    const double factor = 8 * eps * sqrt((1 + log2(n)) / n);
    TESS_TRY(
        tess__make("correlate_map", least, TESS_SHAPE(spectrum->shape.b, 1, 1, 1), TESS_F64, spectrum->device, false));
    TESS_TRY(tess_norm(least, spectrum, TESS_D | TESS_H | TESS_W, NULL));
    TESS_TRY(tess_mul(least, least, &tess_f64(factor)));
    return TESS_OK;
}

/* The factors that move by n/2 along a set of axes, of which the others have size 1: those of a row or of a column. */
static tess_status make_factors(tess_array *factors, tess_shape shape, int axes, tess_dtype dtype, tess_device device)
{
    tess_array  shifts = { .data = NULL };
    tess_status status = TESS_OK;
    tess_shape  of = TESS_SHAPE(1, 1, 1, 1);
    for (int k = 1; k < 4; k++)
        if (axes & TESS_B << k) of.dim[k] = shape.dim[k];
    TESS_TRY(tess__make("correlate_map", factors, axes & TESS_W ? tess_rfft_shape(of) : of, dtype, device, false));
    TESS_GOTO(done, status, tess_empty(&shifts, TESS_SHAPE(1, 1, 1, 3), TESS_F64, tess_cpu()));
    for (int k = 1; k < 4; k++) ((double *)shifts.data)[k - 1] = (double)(of.dim[k] / 2);
    if (device.kind != TESS_CPU) {
        tess_array there = { .data = NULL };
        TESS_GOTO(done, status, tess_to_device(&there, &shifts, device));
        tess_release(&shifts);
        shifts = there;
    }
    TESS_GOTO(done, status,
              tess_fft_phase_shift(factors, NULL, of, &shifts,
                                   &(tess_fft_phase_shift_opts){ .layout = axes & TESS_W ? TESS_FFT_H : TESS_FFT_F }));
done:
    tess_release(&shifts);
    return status;
}

tess_status tess__correlate_factors_make(tess__correlate_factors *factors, tess_shape shape, tess_dtype dtype,
                                         tess_device device)
{
    TESS_TRY(make_factors(&factors->row, shape, TESS_D | TESS_H, dtype, device));
    TESS_TRY(make_factors(&factors->column, shape, TESS_W, dtype, device));
    return TESS_OK;
}

void tess__correlate_factors_release(tess__correlate_factors *factors)
{
    tess_release(&factors->row);
    tess_release(&factors->column);
}

/* Modes that divide by a magnitude. */
static tess_status divided_product(tess_array *out, const tess_array *lhs, const tess_array *rhs, tess_op_def *op,
                                   tess__correlate_factors *factors)
{
    tess_array  least[2] = { { .data = NULL }, { .data = NULL } };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, make_least(&least[0], lhs));
    TESS_GOTO(done, status, make_least(&least[1], rhs));
    if (factors->row.data)
        TESS_GOTO(done, status, tess_call(op, lhs, rhs, &least[0], &least[1], &factors->row, &factors->column, out));
    else TESS_GOTO(done, status, tess_call(op, lhs, rhs, &least[0], &least[1], out));
done:
    tess_release(&least[0]);
    tess_release(&least[1]);
    return status;
}

tess_status tess__correlate_product(tess_array *out, const tess_array *lhs, const tess_array *rhs, int mode,
                                    tess__correlate_factors *factors)
{
    const bool   centred = factors->row.data != NULL;
    tess_op_def *op = op_of(lhs->dtype, mode, centred);
    if (mode == TESS_CORRELATE_PHASE || mode == TESS_CORRELATE_MUTUAL)
        TESS_TRY(divided_product(out, lhs, rhs, op, factors));
    else if (centred) TESS_TRY(tess_call(op, lhs, rhs, &factors->row, &factors->column, out));
    else TESS_TRY(tess_call(op, lhs, rhs, out));
    return TESS_OK;
}

/* ---- Checks ---- */

tess_dtype tess__correlate_dtype(tess_dtype a, tess_dtype b)
{
    const tess_dtype given[2] = { a, b };
    bool             is_complex = false, is_double = false;
    for (int k = 0; k < 2; k++) {
        const tess_dtype real = tess_dtype_real(given[k]);
        const bool       is_float = real == TESS_F16 || real == TESS_F32;
        is_complex = is_complex || real != given[k];
        is_double = is_double || !(is_float || tess_dtype_size(real) <= 2);
    }
    return is_complex ? (is_double ? TESS_C64 : TESS_C32) : is_double ? TESS_F64 : TESS_F32;
}

tess_status tess__check_batches(int64_t *b, const char *fn, const char *arg, const tess_array *a, const char *other,
                                const tess_array *with)
{
    char text[2][TESS__SHAPE_TEXT];
    *b = a->shape.b == 1 ? with->shape.b : a->shape.b;
    TESS_CHECK(a->shape.b == with->shape.b || a->shape.b == 1 || with->shape.b == 1, TESS_ESHAPE,
               "%s: `%s` has shape %s and `%s` has shape %s; b must be equal, or 1 for one of them", fn, arg,
               tess__shape_text(text[0], a->shape.dim), other, tess__shape_text(text[1], with->shape.dim));
    return TESS_OK;
}

tess_status tess__check_real(const char *fn, const char *arg, const tess_array *a)
{
    TESS_CHECK(a->dtype < TESS_C16, TESS_EDTYPE, "%s: `%s` is %s; a real type is needed", fn, arg,
               tess_dtype_name(a->dtype));
    return TESS_OK;
}

static tess_status check_spectra(const tess_array *lhs, const tess_array *rhs, tess_shape shape)
{
    const char             *fn = "correlate_map";
    const tess__fft_variant form = { "shape", shape, "the layout", TESS_FFT_H, .any_b = true };
    int64_t                 b;
    TESS_TRY(tess__check_spectrum(fn, "lhs", lhs, form));
    TESS_TRY(tess__check_spectrum(fn, "rhs", rhs, form));
    TESS_TRY(tess__check_coefficients(fn, "lhs", lhs));
    TESS_CHECK(lhs->dtype == rhs->dtype, TESS_EDTYPE, "%s: `rhs` is %s and `lhs` is %s; equal dtypes are needed", fn,
               tess_dtype_name(rhs->dtype), tess_dtype_name(lhs->dtype));
    TESS_TRY(tess__check_batches(&b, fn, "lhs", lhs, "rhs", rhs));
    TESS_CHECK(shape.b == b, TESS_ESHAPE, "%s: `shape` has b = %" PRId64 "; it must be that of the spectra, %" PRId64,
               fn, shape.b, b);
    TESS_TRY(tess__check_device_of(fn, "lhs", lhs, "rhs", rhs));
    return TESS_OK;
}

/* ---- Maps ---- */

/* The product of c16, and its transform, are c32. */
static tess_status run_map(tess_array *out, const tess_array *lhs, const tess_array *rhs, tess_shape shape,
                           const tess_correlate_map_opts *o)
{
    const tess_dtype        dtype = lhs->dtype == TESS_C16 ? TESS_C32 : lhs->dtype;
    const tess_fft_opts     inverse = { .norm = o->norm, .overwrite = 1 };
    tess_array              product = { .data = NULL }, wide = { .data = NULL };
    tess__correlate_factors factors = { { .data = NULL }, { .data = NULL } };
    tess_status             status = TESS_OK;
    TESS_GOTO(done, status, tess__make("correlate_map", &product, tess_rfft_shape(shape), dtype, lhs->device, false));
    if (o->centred) TESS_GOTO(done, status, tess__correlate_factors_make(&factors, shape, dtype, lhs->device));
    TESS_GOTO(done, status, tess__correlate_product(&product, lhs, rhs, o->mode, &factors));
    TESS_GOTO(done, status, tess_fft_c2r(dtype == lhs->dtype ? out : &wide, &product, shape, &inverse));
    if (wide.data) TESS_GOTO(done, status, tess_cast(out, &wide, out->dtype, NULL));
done:
    tess_release(&product);
    tess_release(&wide);
    tess__correlate_factors_release(&factors);
    return status;
}

tess_status tess_correlate_map(tess_array *out, const tess_array *lhs, const tess_array *rhs, tess_shape shape,
                               const tess_correlate_map_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_correlate_map_opts o;
    const char             *fn = "correlate_map";
    TESS_TRY(tess__resolve(&tess__info_correlate_map, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_spectra(lhs, rhs, shape));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output(fn, out, shape, tess_dtype_real(lhs->dtype), lhs->device));
    if (!made) {
        TESS_TRY(tess__check_overlap(fn, out, "lhs", lhs, false));
        TESS_TRY(tess__check_overlap(fn, out, "rhs", rhs, false));
    }
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) TESS_GOTO(done, status, run_map(out, lhs, rhs, shape, &o));
done:
    return tess__finish(tess__error_under(status, fn), out, made);
}

/* ---- Of real arrays ---- */

/* The spectrum of an array in f32 or f64, which is padded with zeros behind its elements. */
static tess_status transform(tess_array *spectrum, const tess_array *in, tess_dtype dtype, tess_shape padded)
{
    tess_array  real = { .data = NULL }, wide = { .data = NULL };
    tess_status status = TESS_OK;
    tess_shape  none = TESS_SHAPE(0, 0, 0, 0), after = none;
    bool        pads = false;
    for (int k = 1; k < 4; k++) after.dim[k] = padded.dim[k] - in->shape.dim[k], pads = pads || after.dim[k];
    if (in->dtype != dtype || in->flags & TESS_SCALAR) {
        TESS_GOTO(done, status, tess_cast(&real, in, dtype, NULL));
        in = &real;
    }
    if (pads) {
        TESS_GOTO(done, status, tess_pad(&wide, in, none, after, NULL));
        in = &wide;
    }
    TESS_GOTO(done, status, tess_fft_r2c(spectrum, in, NULL));
done:
    tess_release(&real);
    tess_release(&wide);
    return status;
}

/* Of the arrays of a group of batches on the CPU, for each thread, about. */
enum { GROUP_BYTES = 8 << 20 };

/* Twice the size, so that all lags of `out` are free of others. */
static tess_shape padded_shape(tess_shape shape)
{
    for (int k = 1; k < 4; k++)
        if (shape.dim[k] > 1) shape.dim[k] = tess_fft_fast_size(2 * shape.dim[k] - 1);
    return shape;
}

/* The lags of `out` from a centred map of a padded shape. */
static tess_status take_lags(tess_array *out, const tess_array *map, bool centred)
{
    tess_array  part = *map, real = { .data = NULL };
    tess_status status = TESS_OK;
    int64_t     first[4] = { 0 };
    for (int k = 1; k < 4; k++) first[k] = map->shape.dim[k] / 2 - out->shape.dim[k] / 2;
    const tess_region region = { .d = tess_from_to(first[1], first[1] + out->shape.d),
                                 .h = tess_from_to(first[2], first[2] + out->shape.h),
                                 .w = tess_from_to(first[3], first[3] + out->shape.w) };
    TESS_TRY(tess_subregion(&part, map, region));
    if (centred) {
        TESS_TRY(tess_cast(out, &part, out->dtype, NULL));
        return TESS_OK;
    }
    TESS_GOTO(done, status, tess_ifftshift(&real, &part, TESS_D | TESS_H | TESS_W));
    TESS_GOTO(done, status, tess_cast(out, &real, out->dtype, NULL));
done:
    tess_release(&real);
    return status;
}

/* Work on some batches at a time, so that spectra stay in the cache and memory for them is taken once. */
typedef struct correlation {
    const tess_correlate_opts *o;
    tess_dtype                 dtype;
    tess_array                 spectra[2]; /* of a group of batches, or of the one that all share */
    tess__correlate_factors    factors;
    tess_array                 map; /* where it is not `out` */
} correlation;

/* The batches first to first+n-1 of an array, or its only one. */
static tess_status group_of(tess_array *view, const tess_array *a, int64_t first, int64_t n)
{
    if (a->shape.b == 1) {
        *view = *a;
        return TESS_OK;
    }
    TESS_TRY(tess_slice(view, a, 0, first, first + n, 1));
    return TESS_OK;
}

static tess_status correlate_group(tess_array *out, const tess_array *const in[2], correlation *c, tess_shape shape,
                                   int64_t first)
{
    tess_array parts[2], spectra[2], map;
    for (int k = 0; k < 2; k++) {
        const bool shared = in[k]->shape.b == 1 && first > 0;
        TESS_TRY(group_of(&parts[k], in[k], first, shape.b));
        if (!c->spectra[k].data)
            TESS_TRY(tess__make("correlate", &c->spectra[k],
                                tess_rfft_shape(TESS_SHAPE(parts[k].shape.b, shape.d, shape.h, shape.w)),
                                tess__fft_complex(c->dtype), out->device, false));
        TESS_TRY(group_of(&spectra[k], &c->spectra[k], 0, parts[k].shape.b));
        if (!shared) TESS_TRY(transform(&spectra[k], &parts[k], c->dtype, shape));
    }
    tess_array *product =
        spectra[0].shape.b == shape.b && (in[0]->shape.b > 1 || in[1]->shape.b == 1) ? &spectra[0] : &spectra[1];
    TESS_TRY(tess__correlate_product(product, &spectra[0], &spectra[1], c->o->mode, &c->factors));
    if (!c->o->pad && out->dtype == c->dtype) {
        TESS_TRY(tess_fft_c2r(out, product, shape, &(tess_fft_opts){ .overwrite = 1 }));
        return TESS_OK;
    }
    if (!c->map.data) TESS_TRY(tess__make("correlate", &c->map, shape, c->dtype, out->device, false));
    map = c->map;
    map.shape.b = shape.b;
    TESS_TRY(tess_fft_c2r(&map, product, shape, &(tess_fft_opts){ .overwrite = 1 }));
    if (c->o->pad) TESS_TRY(take_lags(out, &map, c->o->centred));
    else TESS_TRY(tess_cast(out, &map, out->dtype, NULL));
    return TESS_OK;
}

static tess_status run(tess_array *out, const tess_array *lhs, const tess_array *rhs, const tess_correlate_opts *o)
{
    correlation   c = { .o = o, .dtype = tess__correlate_dtype(lhs->dtype, rhs->dtype) };
    tess_shape    shape = o->pad ? padded_shape(out->shape) : out->shape;
    const int64_t bytes = shape.d * shape.h * shape.w * (int64_t)tess_dtype_size(c.dtype), b = shape.b;
    const int64_t group = out->device.kind == TESS_CPU && bytes
                              ? tess__clamp((int64_t)GROUP_BYTES * tess_threads_get() / bytes, 1, b)
                              : b;
    tess_status   status = TESS_OK;
    if (o->centred || o->pad)
        TESS_GOTO(done, status,
                  tess__correlate_factors_make(&c.factors, shape, tess__fft_complex(c.dtype), out->device));
    for (int64_t first = 0; first < b; first += group) {
        tess_array part;
        shape.b = tess__min(group, b - first);
        TESS_GOTO(done, status, tess_slice(&part, out, 0, first, first + shape.b, 1));
        TESS_GOTO(done, status, correlate_group(&part, (const tess_array *const[]){ lhs, rhs }, &c, shape, first));
    }
done:
    for (int k = 0; k < 2; k++) tess_release(&c.spectra[k]);
    tess__correlate_factors_release(&c.factors);
    tess_release(&c.map);
    return status;
}

static tess_status check_arrays(tess_shape *shape, const tess_array *lhs, const tess_array *rhs)
{
    char text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers("correlate", "lhs", lhs));
    TESS_TRY(tess__check_numbers("correlate", "rhs", rhs));
    TESS_TRY(tess__check_real("correlate", "lhs", lhs));
    TESS_TRY(tess__check_real("correlate", "rhs", rhs));
    *shape = lhs->shape;
    TESS_TRY(tess__check_batches(&shape->b, "correlate", "lhs", lhs, "rhs", rhs));
    for (int k = 1; k < 4; k++)
        TESS_CHECK(lhs->shape.dim[k] == rhs->shape.dim[k], TESS_ESHAPE,
                   "correlate: `lhs` has shape %s and `rhs` has shape %s; equal d, h and w are needed",
                   tess__shape_text(text[0], lhs->shape.dim), tess__shape_text(text[1], rhs->shape.dim));
    TESS_TRY(tess__check_device_of("correlate", "lhs", lhs, "rhs", rhs));
    return TESS_OK;
}

tess_status tess_correlate(tess_array *out, const tess_array *lhs, const tess_array *rhs,
                           const tess_correlate_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_correlate_opts o;
    tess_shape          shape;
    TESS_TRY(tess__resolve(&tess__info_correlate, opts, &o));
    TESS_TRY(tess__check_pointer("correlate", "out", out));
    TESS_TRY(check_arrays(&shape, lhs, rhs));
    const tess_dtype result = tess__correlate_dtype(lhs->dtype, rhs->dtype);
    const bool       made = tess__is_empty_out(out);
    TESS_TRY(tess__output("correlate", out, shape, made ? result : out->dtype, lhs->device));
    if (!made) {
        TESS_TRY(tess__check_curve_dtype("correlate", "out", out->dtype));
        TESS_TRY(tess__check_overlap("correlate", out, "lhs", lhs, false));
        TESS_TRY(tess__check_overlap("correlate", out, "rhs", rhs, false));
    }
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) TESS_GOTO(done, status, run(out, lhs, rhs, &o));
done:
    return tess__finish(tess__error_under(status, "correlate"), out, made);
}
