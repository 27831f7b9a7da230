/* A map of the sums that images were put into: division by weights with a floor for each shell, inverse transform,
 * gridding correction. */
#include <float.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/geometry/slices/fourier_project.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/filter.h"
#include "tessera/polar.h"
#include "tessera/resize.h"
#include "tessera/scalar.h"

#define FN "fourier_reconstruct"

static const tess_arg_info args[] = {
    TESS__OUT("map", "the map, a cube {1,s,s,s}", .axes = "1,d,h,w"),
    TESS__IN("volume", "spectrum {1,p,p,p/2+1} from fourier_backproject", .sample = "1,8,8,5 complex",
             .axes = "1,d,h,w"),
    TESS__IN("weights", "weights from fourier_backproject, real, in the shape of volume", .sample = "1,8,8,5",
             .axes = "1,d,h,w"),
    TESS__OPT_F64(tess_fourier_reconstruct_opts, noise, "", 0, 0, DBL_MAX,
                  "constant added to weights: 1 / signal-to-noise ratio"),
    TESS__OPT_F64(tess_fourier_reconstruct_opts, floor, "", 0.001, 0, 1,
                  "lower bound of weights, as a fraction of the mean of their shell"),
    TESS__OPT_I32(tess_fourier_reconstruct_opts, padding, "", 2, 1, 8, "padding factor of the volume"),
    TESS__OPT_I32(tess_fourier_reconstruct_opts, unused, "", 0, 0, 0, "must be 0"),
};
TESS__CALL(fourier_reconstruct, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_fourier_reconstruct =
    TESS__OP_OPTS(TESS_CUT_NONE, fourier_reconstruct, "fourier_project",
                  "Reconstruct the map from back-projected images.", args, tess_fourier_reconstruct_opts);

/* What each coefficient is divided by: its weight with the noise, at least a part of the mean of its shell. */
static tess_status make_divisors(tess_array *out, const tess_array *weights, tess_shape cube,
                                 const tess_fourier_reconstruct_opts *o)
{
    tess_array  curve = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__make(FN, out, weights->shape, weights->dtype, weights->device, false));
    TESS_GOTO(done, status, tess_rotational_average(&curve, weights, cube, NULL));
    TESS_GOTO(done, status, tess_mul(&curve, &curve, &tess_f64(o->floor)));
    TESS_GOTO(done, status, tess_add(&curve, &curve, &tess_f64(o->noise)));
    TESS_GOTO(done, status, tess_fill(out, 1));
    TESS_GOTO(done, status, tess_filter_curve(out, out, cube, &curve, NULL));
    if (o->noise > 0) {
        tess_array sum = { .data = NULL };
        status = tess_add(&sum, weights, &tess_f64(o->noise));
        if (status == TESS_OK) status = tess_maximum(out, out, &sum);
        tess_release(&sum);
    } else TESS_GOTO(done, status, tess_maximum(out, out, weights));
done:
    tess_release(&curve);
    return status;
}

static tess_status reconstruct(tess_array *map, const tess_array *volume, const tess_array *weights, int64_t padded,
                               const tess_fourier_reconstruct_opts *o)
{
    const tess_shape cube = TESS_SHAPE(1, padded, padded, padded);
    tess_array       quotients = { .data = NULL }, divisors = { .data = NULL }, wide = { .data = NULL },
               centred = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, make_divisors(&divisors, weights, cube, o));
    TESS_GOTO(
        done, status,
        tess_fourier_normalize(&quotients, volume, &divisors, &(tess_fourier_normalize_opts){ .min_weight = FLT_MIN }));
    tess_release(&divisors);
    TESS_GOTO(done, status, tess_fft_c2r(&wide, &quotients, cube, &(tess_fft_opts){ .overwrite = 1 }));
    tess_release(&quotients);
    TESS_GOTO(done, status, tess_fftshift(&centred, &wide, TESS_D | TESS_H | TESS_W));
    tess_release(&wide);
    TESS_GOTO(done, status, tess_gridding_correct(&centred, &centred, NULL));
    TESS_GOTO(done, status, tess_resize(map, &centred, map->shape, NULL));
done:
    tess_release(&divisors);
    tess_release(&quotients);
    tess_release(&wide);
    tess_release(&centred);
    return status;
}

tess_status tess_fourier_reconstruct(tess_array *map, const tess_array *volume, const tess_array *weights,
                                     const tess_fourier_reconstruct_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fourier_reconstruct_opts o;
    int64_t                       side, padded;
    char                          text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__resolve(&tess__info_fourier_reconstruct, opts, &o));
    TESS_TRY(tess__check_pointer(FN, "map", map));
    TESS_TRY(tess__check_numbers(FN, "volume", volume));
    TESS_CHECK(volume->dtype == TESS_C32 || volume->dtype == TESS_C64, TESS_EDTYPE,
               "%s: `volume` is %s; c32 or c64 is needed", FN, tess_dtype_name(volume->dtype));
    TESS_TRY(tess__padded_sides(&side, &padded, FN, "volume", volume, o.padding));
    TESS_TRY(tess__check_numbers(FN, "weights", weights));
    TESS_CHECK(weights->dtype == tess_dtype_real(volume->dtype), TESS_EDTYPE,
               "%s: `weights` is %s and `volume` is %s; `weights` must be %s", FN, tess_dtype_name(weights->dtype),
               tess_dtype_name(volume->dtype), tess_dtype_name(tess_dtype_real(volume->dtype)));
    TESS_CHECK(tess_same_shape(volume, weights), TESS_ESHAPE,
               "%s: `weights` has shape %s and `volume` has shape %s; they must be equal", FN,
               tess__shape_text(text[0], weights->shape.dim), tess__shape_text(text[1], volume->shape.dim));
    TESS_TRY(tess__check_device_of(FN, "volume", volume, "weights", weights));
    const bool made = tess__is_empty_out(map);
    TESS_TRY(tess__output_named(FN, "map", map, TESS_SHAPE(1, side, side, side), tess_dtype_real(volume->dtype),
                                volume->device));
    if (!made) {
        TESS_TRY(tess__check_disjoint(FN, "map", map, "volume", volume));
        TESS_TRY(tess__check_disjoint(FN, "map", map, "weights", weights));
    }
    return tess__finish(tess__error_under(reconstruct(map, volume, weights, padded, &o), FN), map, made);
}
