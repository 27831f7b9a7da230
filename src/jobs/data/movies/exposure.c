/* Exposures: a dose for each frame, or a list, after what came before. */
#include "jobs/data/movies/exposure.h"

#include <math.h>

#include "core/check/text.h"
#include "jobs/data/particles/number_list.h"

static tess_status check_doses(const tess__exposure *e, const char *fn, int64_t n)
{
    for (int64_t i = 0; i < n; ++i) {
        const double dose = ((const double *)e->doses.data)[i];
        char         text[32];
        TESS_CHECK(dose >= 0 && isfinite(dose), TESS_ERANGE,
                   "%s: the exposure of image %lld is %s; it must be 0 or more electrons/A^2", fn, (long long)i,
                   tess__number_text(text, dose));
    }
    return TESS_OK;
}

tess_status tess__exposure_open(tess__exposure *e, const char *fn, const tess__exposure_opts *o, int64_t n)
{
    char text[32];
    TESS_CHECK(o->critical_factor > 0 || o->voltage == 300 || o->voltage == 200, TESS_EARG,
               "%s: `opts->voltage` is %s; 300 or 200 is allowed; others require `opts->critical_factor`", fn,
               tess__number_text(text, o->voltage));
    TESS_CHECK(o->dose > 0 || o->doses || o->pre == 0, TESS_EARG,
               "%s: `opts->pre` is %s, but the exposure of the frames is not known; give `opts->dose` or `opts->doses`",
               fn, tess__number_text(text, o->pre));
    e->each = o->dose;
    e->weight = (tess_dose_weight_opts){ .voltage = o->voltage, .critical_factor = o->critical_factor };
    if (o->doses) {
        TESS_TRY(tess__number_list(&e->doses, fn, "opts->doses", o->doses, n));
        for (int64_t i = 0; i < n; ++i) ((double *)e->doses.data)[i] += o->pre;
    } else if (o->dose > 0) {
        TESS_TRY(tess_empty(&e->doses, TESS_SHAPE(n, 1, 1, 1), TESS_F64, tess_cpu()));
        for (int64_t i = 0; i < n; ++i) ((double *)e->doses.data)[i] = o->pre + o->dose * (double)(i + 1);
    }
    return e->doses.data ? check_doses(e, fn, n) : TESS_OK;
}

void tess__exposure_close(tess__exposure *e) { tess_release(&e->doses); }

tess_status tess__exposure_part(tess_array *doses, const tess__exposure *e, int64_t first, int64_t n,
                                tess_device device)
{
    tess_array some;
    TESS_TRY(tess_slice(&some, &e->doses, 0, first, first + n, 1));
    return tess_to_device(doses, &some, device);
}
