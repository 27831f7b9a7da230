/* Fit of the contrast transfer function to power spectra: background, exhaustive search in sectors, least squares.
 *
 * As many spectra as there are threads are fitted at the same time, each by one of them; the rest one after the other,
 * each by all threads. */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/error.h"
#include "cpu/cpu.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/stream.h"
#include "cpu/signal/ctf_fit.h"
#include "formulas/ctf.op.h"

typedef struct fitting {
    const tess__ctf_fit *work;
    atomic_bool          no_memory;
} fitting;

/* The best of the candidates of the search, first in sectors, then in all samples. */
static bool find_best(tess__fit_result *best, const tess__fit_points *points, const tess__ctf_fit *work)
{
    const double     high = work->range.high;
    tess__fit_points sectors = { .storage = NULL };
    tess__fit_result found[TESS__FIT_CANDIDATES];
    int              n = 0;
    const bool       done = tess__fit_sectors(&sectors, points) && tess__fit_search(found, &n, &sectors, work);
    for (int k = 0; k < n && !tess__cancelled(); k++) {
        tess__fit_refine(&found[k], &sectors, work, tess__fit_search_limit(&work->range));
        tess__fit_refine(&found[k], &sectors, work, high);
        if (found[k].score > 0 && (best->score == 0 || found[k].merit > best->merit)) *best = found[k];
    }
    if (best->score > 0 && !tess__cancelled()) tess__fit_refine(best, points, work, high);
    tess__fit_release(&sectors);
    return done;
}

/* ---- Results ---- */

/* Where those of a spectrum go. */
typedef struct results {
    double *fit, *score, *resolution, *errors, *curves;
} results;

static double *row_of(const tess_array *a, int64_t b) { return (double *)a->data + b * a->strides.b; }

static tess_ctf ctf_of(const tess__fit_result *r, const tess__ctf_fit *work)
{
    const double c = r->parameter[TESS__FIT_COSINE], s = r->parameter[TESS__FIT_SINE];
    const bool   found = r->score > 0;
    tess_ctf     ctf = work->ctf;
    ctf.defocus = found ? r->parameter[TESS__FIT_DEFOCUS] : (double)NAN;
    ctf.astigmatism = found ? sqrt(c * c + s * s) : (double)NAN;
    ctf.angle = found ? 0.5 * tess__atan2_f64(s, c) : (double)NAN;
    ctf.phase_shift = found || !tess__fit_shifts(work) ? r->parameter[TESS__FIT_SHIFT] : (double)NAN;
    return ctf;
}

/* Those of astigmatism and angle from those of its components, which are alike. */
static void write_errors(double *to, const tess__fit_result *r, const tess_ctf *ctf)
{
    const double c = r->error[TESS__FIT_COSINE], s = r->error[TESS__FIT_SINE], mean = sqrt(0.5 * (c * c + s * s));
    to[0] = r->error[TESS__FIT_DEFOCUS];
    to[1] = mean;
    to[2] = mean > 0 ? fmin(0.5 * mean / ctf->astigmatism, 0.5 * TESS_PI) : 0;
    to[3] = r->error[TESS__FIT_SHIFT];
    for (int k = 0; k < 4 && !(r->score > 0); k++) to[k] = (double)NAN;
}

/* ---- Spectra ---- */

static bool fit_one(const results *to, const tess__ctf_fit *work, const double *power)
{
    tess__fit_points points = { .storage = NULL };
    tess__fit_result best = { .score = 0 };
    bool             usable = false;
    best.parameter[TESS__FIT_SHIFT] = work->shift[0];
    bool done = tess__fit_gather(&points, work, power, &usable);
    if (done && usable) done = find_best(&best, &points, work);
    tess__fit_release(&points);
    const tess_ctf ctf = ctf_of(&best, work);
    memcpy(to->fit, &ctf, sizeof ctf);
    *to->score = best.score;
    *to->resolution = 0;
    write_errors(to->errors, &best, &ctf);
    if (done && best.score > 0 && !tess__cancelled())
        done = tess__fit_curves(to->curves, to->resolution, work, power, &ctf);
    return done;
}

static void fit_some(void *context, int64_t first, int64_t last)
{
    fitting             *c = context;
    const tess__ctf_fit *w = c->work;
    for (int64_t b = first; b < last && !tess__cancelled(); b++) {
        const results to = { row_of(&w->fits, b), row_of(&w->scores, b), row_of(&w->resolutions, b),
                             row_of(&w->errors, b), row_of(&w->curves, b) };
        if (!fit_one(&to, w, row_of(&w->power, b))) atomic_store(&c->no_memory, true);
    }
}

tess_status tess__cpu_ctf_fit(const tess__ctf_fit *w)
{
    const int64_t n = w->power.shape.b, together = n - n % tess_threads_get();
    fitting       context = { .work = w };
    if (together) tess__parallel(together, 1, fit_some, &context);
    fit_some(&context, together, n);
    TESS_CHECK(!atomic_load(&context.no_memory), TESS_ENOMEM,
               "%s: no memory for the samples and the search of a spectrum of %" PRId64 " x %" PRId64, w->name,
               w->range.h, w->range.w);
    return TESS_OK;
}
