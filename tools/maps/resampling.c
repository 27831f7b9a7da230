/* How values between pixels and beyond the edge are found. */
#include "maps/resampling.h"

#include <math.h>
#include <string.h>

#include "base/nearest.h"

/* The value of a choice of transform_2d, whose names all verbs share; 0: there is none of the name. */
static int32_t value_of(const char *row_name, const char *name)
{
    const tess_arg_info *row = tess_function_find("transform_2d")->args;
    while (strcmp(row->name, row_name) != 0) row++;
    const tess_choice *choice = row->choices;
    while (choice->name && !names_equal(choice->name, name)) choice++;
    return choice->value;
}

tess_border border_named(const char *name) { return (tess_border)value_of("border", name); }

tess_status resampling_of_options(const job *j, resampling *r)
{
    TESS_CHECK(!job_has(j, "fill") || !job_has(j, "border"), TESS_EARG,
               "%s: --border and --fill both set the values beyond the edge; give only one", j->verb->name);
    *r = (resampling){ .interp = value_of("interp", job_text(j, "interp", "linear")),
                       .border = value_of("border", job_text(j, "border", "zero")),
                       .value = job_number(j, "fill", 0) };
    TESS_CHECK(isfinite(r->value), TESS_EARG, "%s: --fill is %s; it must be a finite number", j->verb->name,
               job_text(j, "fill", ""));
    r->prefilter = r->interp == TESS_INTERP_CUBIC_BSPLINE;
    if (job_has(j, "fill")) r->border = TESS_BORDER_VALUE;
    return TESS_OK;
}
