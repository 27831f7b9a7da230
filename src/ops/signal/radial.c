/* Radial filters of spectra: B-factors, exposure (dose) filters, and curves of the user's. */
#include <math.h>

#include "core/check.h"
#include "core/float_env.h"
#include "core/registry.h"
#include "core/text.h"
#include "ops/signal/filter.h"
#include "tessera/filter.h"

#define OUT TESS__OUT("out", "the filtered spectrum, or its power; may be exactly in if the layout stays")
#define IN TESS__IN("in", "a spectrum; NULL: out, which was made, receives the filter")
#define SHAPE TESS__NEED_SHAPE("shape", "logical shape: that of the real array, or of the full spectrum")

static const tess_arg_info bfactor_args[] = {
    OUT,
    IN,
    SHAPE,
    TESS__NEED(TESS_ARG_F64, "bfactor", "square angstrom; negative ones blur"),
    TESS__NEED(TESS_ARG_F64, "pixel_size", "angstrom"),
    TESS__OPT_ARRAY(tess_bfactor_opts, parameters, const tess_array *,
                    "{b,1,1,m}: bfactor and pixel size of each batch"),
    TESS__FILTER_ROWS(tess_bfactor_opts),
};
TESS__CALL(bfactor, v[0].out, v[1].in, v[2].shape, v[3].f64, v[4].f64, opts)
const tess_function_info tess__info_bfactor =
    TESS__OP_OPTS(TESS_CUT_BATCHES, bfactor, "filter", "A spectrum times the Gaussian of a B-factor.", bfactor_args,
                  tess_bfactor_opts);

static const tess_arg_info dose_args[] = {
    OUT,
    IN,
    SHAPE,
    TESS__IN("doses", "electrons per square angstrom, {b,1,1,1} or {1,1,1,1}"),
    TESS__NEED(TESS_ARG_F64, "pixel_size", "angstrom"),
    TESS__OPT_F64(tess_dose_weight_opts, voltage, "kilovolt", 300, 1, 1e5, "of the microscope"),
    TESS__OPT_F64(tess_dose_weight_opts, critical_factor, "", 0, 0, 1e6,
                  "of the critical dose; 0: 1 at 300 kV, 0.8 at 200 kV"),
    TESS__FLAG(tess_dose_weight_opts, normalize, "the sum of all batches keeps the power of noise"),
    TESS__FILTER_ROWS(tess_dose_weight_opts),
};
TESS__CALL(dose_weight, v[0].out, v[1].in, v[2].shape, v[3].in, v[4].f64, opts)
const tess_function_info tess__info_dose_weight =
    TESS__OP_OPTS(TESS_CUT_NONE, dose_weight, "filter", "The exposure filter of Grant and Grigorieff.", dose_args,
                  tess_dose_weight_opts);

static const tess_arg_info curve_args[] = {
    OUT,
    IN,
    SHAPE,
    TESS__IN("curve", "multipliers at frequencies from 0 to opts->last, {1,1,1,n} or {b,1,1,n}"),
    TESS__OPT_F64(tess_filter_curve_opts, last, "cycles per pixel", 0.5, 1e-6, 1e6, "frequency of its last value"),
    TESS__FILTER_ROWS(tess_filter_curve_opts),
};
TESS__CALL(filter_curve, v[0].out, v[1].in, v[2].shape, v[3].in, opts)
const tess_function_info tess__info_filter_curve = TESS__OP_OPTS(
    TESS_CUT_NONE, filter_curve, "filter", "A spectrum times a radial curve.", curve_args, tess_filter_curve_opts);

tess_status tess_bfactor(tess_array *out, const tess_array *in, tess_shape shape, double bfactor, double pixel_size,
                         const tess_bfactor_opts *opts)
{
    TESS__FLOAT_SCOPE();
    char              text[32];
    tess_bfactor_opts o;
    TESS_TRY(tess__resolve(&tess__info_bfactor, opts, &o));
    TESS_CHECK(isfinite(bfactor), TESS_ERANGE, "bfactor: bfactor is %s; a finite number is needed",
               tess__number_text(text, bfactor));
    TESS_TRY(tess__check_positive("bfactor", "pixel_size", pixel_size));
    tess__spectrum_filter   work = { .spec = { .kind = TESS__FILTER_BFACTOR },
                                     .columns = { [TESS__BFACTOR_B] = bfactor, [TESS__BFACTOR_PIXEL] = pixel_size },
                                     .column_of = { TESS__BFACTOR_B, TESS__BFACTOR_PIXEL } };
    const tess__filter_call call = { .fn = "bfactor",
                                     .out = out,
                                     .in = in,
                                     .shape = shape,
                                     .range = TESS__FILTER_RANGE(o),
                                     .parameters = o.parameters,
                                     .columns = "bfactor, pixel_size",
                                     .min_columns = 1,
                                     .max_columns = 2 };
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}

/* That of the critical dose, by voltage. */
static tess_status find_factor(double *factor, const tess_dose_weight_opts *o)
{
    char text[32];
    *factor = o->critical_factor != 0 ? o->critical_factor : o->voltage == 200 ? 0.8 : 1;
    TESS_CHECK(
        o->critical_factor != 0 || o->voltage == 300 || o->voltage == 200, TESS_ERANGE,
        "dose_weight: opts->voltage is %s and opts->critical_factor is 0; voltages other than 300 and 200 need a "
        "critical_factor",
        tess__number_text(text, o->voltage));
    return TESS_OK;
}

tess_status tess_dose_weight(tess_array *out, const tess_array *in, tess_shape shape, const tess_array *doses,
                             double pixel_size, const tess_dose_weight_opts *opts)
{
    TESS__FLOAT_SCOPE();
    double                factor;
    tess_dose_weight_opts o;
    TESS_TRY(tess__resolve(&tess__info_dose_weight, opts, &o));
    TESS_TRY(tess__check_pointer("dose_weight", "doses", doses));
    TESS_TRY(tess__check_positive("dose_weight", "pixel_size", pixel_size));
    TESS_TRY(find_factor(&factor, &o));
    tess__spectrum_filter   work = { .spec = { .kind = TESS__FILTER_DOSE, .normalize = o.normalize },
                                     .columns = { [TESS__DOSE_PIXEL] = pixel_size, [TESS__DOSE_FACTOR] = factor },
                                     .column_of = { TESS__DOSE_DOSE } };
    const tess__filter_call call = { .fn = "dose_weight",
                                     .out = out,
                                     .in = in,
                                     .shape = shape,
                                     .range = TESS__FILTER_RANGE(o),
                                     .parameters = doses,
                                     .parameters_name = "doses",
                                     .columns = "the dose",
                                     .min_columns = 1,
                                     .max_columns = 1 };
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}

tess_status tess_filter_curve(tess_array *out, const tess_array *in, tess_shape shape, const tess_array *curve,
                              const tess_filter_curve_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_filter_curve_opts o;
    TESS_TRY(tess__resolve(&tess__info_filter_curve, opts, &o));
    TESS_TRY(tess__check_pointer("filter_curve", "curve", curve));
    tess__spectrum_filter   work = { .spec = { .kind = TESS__FILTER_CURVE, .curve_stop = o.last } };
    const tess__filter_call call = { .fn = "filter_curve",
                                     .out = out,
                                     .in = in,
                                     .shape = shape,
                                     .range = TESS__FILTER_RANGE(o),
                                     .curve = curve,
                                     .columns = "its values" };
    TESS_TRY(tess__filter_run(&work, &call));
    return TESS_OK;
}
