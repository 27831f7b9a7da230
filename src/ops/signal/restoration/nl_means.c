/* Non-local means of Buades, Coll and Morel: the mean of elements with weights of the patches around them. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/promote.h"
#include "core/device/float_env.h"
#include "core/table/registry.h"
#include "ops/signal/restoration/restoration.h"
#include "tessera/restoration.h"

enum { MAX_PATCH = 127, MAX_SEARCH = 100 };

static const tess_arg_info args[] = {
    TESS__OUT("out", "the filtered array; any strides"),
    TESS__IN("in", "real numbers; any strides"),
    TESS__NEED(TESS_ARG_F64, "strength", "difference of patches whose weight is 1/e, in units of the values",
               .sample = "0.5"),
    TESS__RESTORATION_BORDER(tess_nl_means_opts),
    TESS__UNUSED_ROW(tess_nl_means_opts),
    TESS__VALUE_ROW(tess_nl_means_opts),
    TESS__OPT_F64(tess_nl_means_opts, noise, "", 0, 0, DBL_MAX,
                  "standard deviation of the noise, which is subtracted from differences of patches"),
    TESS__OPT_I32(tess_nl_means_opts, patch, "elements", 2, 0, MAX_PATCH, "radius of the patches that are compared"),
    TESS__OPT_I32(tess_nl_means_opts, search, "elements", 7, 1, MAX_SEARCH,
                  "radius of the window in which patches are searched"),
};
TESS__CALL(nl_means, v[0].out, v[1].in, v[2].f64, opts)
const tess_function_info tess__info_nl_means = TESS__OP_OPTS(
    TESS_CUT_BATCHES, nl_means, "restoration",
    "Remove noise by non-local means: average elements with similar patches around them.", args, tess_nl_means_opts);

tess_status tess_nl_means(tess_array *out, const tess_array *in, double strength, const tess_nl_means_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char        *fn = "nl_means";
    tess_nl_means_opts o;
    tess__stencil      work = { .name = fn, .kind = TESS__STENCIL_NL_MEANS };
    double             n = 1;
    TESS_TRY(tess__resolve(&tess__info_nl_means, opts, &o));
    TESS_TRY(tess__restoration_arrays(fn, out, in, o.border));
    TESS_TRY(tess__restoration_positive(fn, "strength", strength, DBL_MAX));
    for (int k = 0; k < 3; k++) {
        const bool is_long = in->shape.dim[k + 1] > 1;
        work.patch[k] = is_long ? 2 * o.patch + 1 : 1;
        work.size[k] = is_long ? 2 * o.search + work.patch[k] : 1;
        n *= (double)work.patch[k];
    }
    work.computed = tess__half_to_single(tess__float_of(in->dtype));
    work.scale = tess__restoration_scale(1 / sqrt(n), strength, work.computed);
    work.base = 2 * (o.noise / strength) * (o.noise / strength);
    TESS_TRY(tess__stencil_border(&work, out, &(tess__outside){ o.border, o.value, 0 }));
    TESS_TRY(tess__stencil_finish(&work, out, in, tess__float_of(in->dtype)));
    return TESS_OK;
}
