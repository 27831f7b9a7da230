/* How values between pixels and beyond the edge are found. */
#include "maps/resampling.h"

#include <math.h>

#include "base/nearest.h"

static int32_t value_of(const tess_choice *choices, const char *name)
{
    while (choices->name && !names_equal(choices->name, name)) ++choices;
    return choices->value;
}

tess_border border_named(const char *name)
{
    static const tess_choice borders[] = {
#define TESS__BORDER(name, NAME, help) { #name, TESS_BORDER_##NAME, help },
#define TESS__BORDER_ALIAS(name, NAME) { #name, TESS_BORDER_##NAME, NULL },
#include "tessera/math/borders.def"
        { NULL, TESS_BORDER_DEFAULT, NULL },
    };
    return (tess_border)value_of(borders, name);
}

tess_status resampling_of_options(const job *j, resampling *r)
{
    static const tess_choice interps[] = {
#define TESS__INTERP(name, NAME, short_name, taps, cost, help) { #name, TESS_INTERP_##NAME, help },
#include "tessera/math/interps.def"
        { "bspline", TESS_INTERP_CUBIC_BSPLINE, NULL },
        { NULL, TESS_INTERP_DEFAULT, NULL },
    };
    TESS_CHECK(!job_has(j, "fill") || !job_has(j, "border"), TESS_EARG,
               "%s: --border and --fill both set the values beyond the edge; give only one", j->verb->name);
    *r = (resampling){ .interp = value_of(interps, job_text(j, "interp", "linear")),
                       .border = (int32_t)border_named(job_text(j, "border", "zero")),
                       .value = job_number(j, "fill", 0) };
    TESS_CHECK(isfinite(r->value), TESS_EARG, "%s: --fill is %s; it must be a finite number", j->verb->name,
               job_text(j, "fill", ""));
    r->prefilter = r->interp == TESS_INTERP_CUBIC_BSPLINE;
    if (job_has(j, "fill")) r->border = TESS_BORDER_VALUE;
    return TESS_OK;
}
