/* How values between pixels and beyond the edge are found. */
#include "maps/resampling.h"

#include <math.h>
#include <string.h>

static int32_t value_of(const tess_choice *choices, const char *name)
{
    while (choices->name && strcmp(choices->name, name) != 0) ++choices;
    return choices->value;
}

tess_status resampling_of_options(const job *j, resampling *r)
{
    static const tess_choice interps[] = {
        { "nearest", TESS_INTERP_NEAREST, NULL },
        { "linear", TESS_INTERP_LINEAR, NULL },
        { "cosine", TESS_INTERP_COSINE, NULL },
        { "cubic", TESS_INTERP_CUBIC, NULL },
        { "bspline", TESS_INTERP_CUBIC_BSPLINE, NULL },
        { "lanczos4", TESS_INTERP_LANCZOS4, NULL },
        { "lanczos6", TESS_INTERP_LANCZOS6, NULL },
        { "lanczos8", TESS_INTERP_LANCZOS8, NULL },
        { NULL, TESS_INTERP_DEFAULT, NULL },
    };
    static const tess_choice borders[] = {
        { "zero", TESS_BORDER_ZERO, NULL },         { "clamp", TESS_BORDER_CLAMP, NULL },
        { "periodic", TESS_BORDER_PERIODIC, NULL }, { "mirror", TESS_BORDER_MIRROR, NULL },
        { "reflect", TESS_BORDER_REFLECT, NULL },   { NULL, TESS_BORDER_DEFAULT, NULL },
    };
    TESS_CHECK(!job_has(j, "fill") || !job_has(j, "border"), TESS_EARG,
               "%s: --border and --fill both set the values beyond the edge; give only one", j->verb->name);
    *r = (resampling){ .interp = value_of(interps, job_text(j, "interp", "linear")),
                       .border = value_of(borders, job_text(j, "border", "zero")),
                       .value = job_number(j, "fill", 0) };
    TESS_CHECK(isfinite(r->value), TESS_EARG, "%s: --fill is %s; it must be a finite number", j->verb->name,
               job_text(j, "fill", ""));
    r->prefilter = r->interp == TESS_INTERP_CUBIC_BSPLINE;
    if (job_has(j, "fill")) r->border = TESS_BORDER_VALUE;
    return TESS_OK;
}
