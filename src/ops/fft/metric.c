/* Metrics of frequencies: the Cholesky decomposition. */
#include "ops/fft/metric.h"

#include <math.h>

#include "core/check/check.h"
#include "core/check/text.h"

/* From the last axis to the first; a length of 0 by rounding alone is none. */
tess_status tess__metric_of(tess__metric *factor, const char *fn, const tess_metric *m)
{
    const double rounding = 1e-12, ww = sqrt(m->ww), wd = m->dw / ww, wh = m->hw / ww;
    const double hh = sqrt(m->hh - wh * wh), hd = (m->dh - wd * wh) / hh;
    const double dd = sqrt(m->dd - wd * wd - hd * hd);
    char         text[6][32];
    TESS_CHECK(hh * hh > rounding * m->hh && dd * dd > rounding * m->dd, TESS_ERANGE,
               "%s: `opts->metric` is %s, %s, %s, %s, %s, %s (dd, hh, ww, dh, dw, hw); a positive definite matrix is "
               "needed",
               fn, tess__number_text(text[0], m->dd), tess__number_text(text[1], m->hh),
               tess__number_text(text[2], m->ww), tess__number_text(text[3], m->dh), tess__number_text(text[4], m->dw),
               tess__number_text(text[5], m->hw));
    *factor = (tess__metric){ .dd = dd, .hd = hd, .hh = hh, .wd = wd, .wh = wh, .ww = ww };
    return TESS_OK;
}
