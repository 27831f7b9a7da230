/* Otsu's threshold: the edge of a histogram that parts its elements into two classes whose means differ most, by the
 * variance between the classes. */
#include <inttypes.h>
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "tessera/device.h"
#include "tessera/distance.h"
#include "tessera/reduce.h"

enum { AXES = TESS_D | TESS_H | TESS_W };

static const tess_arg_info args[] = {
    TESS__OUT("out", "thresholds, {b,1,1,1} of f64", .axes = "B,1,1,1"),
    TESS__IN("in", "images or volumes of real numbers"),
    TESS__OPT_I64(tess_otsu_opts, bins, "", 256, 2, 65536,
                  "number of histogram bins between the minimum and the maximum"),
};
TESS__CALL(otsu, v[0].out, v[1].in, opts)
const tess_function_info tess__info_otsu =
    TESS__OP_OPTS(TESS_CUT_BATCHES, otsu, "distance", "Otsu threshold of each image or volume.", args, tess_otsu_opts);

/* ---- The threshold of a histogram ---- */

/* The number k of the edge between bins k - 1 and k that is best. Where bins without elements make several edges
 * equal, it is the middle of them. */
static double best_edge(const int64_t *counts, int64_t bins)
{
    double  all = 0, all_moments = 0, below = 0, moments = 0, best = -1;
    int64_t first = 1, last = 1;
    for (int64_t i = 0; i < bins; i++) {
        all += (double)counts[i];
        all_moments += (double)counts[i] * (double)i;
    }
    for (int64_t k = 1; k < bins; k++) {
        below += (double)counts[k - 1];
        moments += (double)counts[k - 1] * (double)(k - 1);
        const double above = all - below, apart = moments / below - (all_moments - moments) / above;
        const double variance = below > 0 && above > 0 ? below * above * apart * apart : -1;
        if (variance > best) best = variance, first = last = k;
        else if (variance == best && last == k - 1) last = k;
    }
    return 0.5 * (double)(first + last);
}

/* The numbers of a histogram in the host's memory. */
static tess_status count_elements(tess_array *counts, const tess_array *in, int64_t bins, double low, double high)
{
    tess_array  there = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status,
              tess_histogram(&there, in, bins, AXES,
                             &(tess_histogram_opts){ .low = tess_given(low), .high = tess_given(high) }));
    TESS_GOTO(done, status, tess_to_device(counts, &there, tess_cpu()));
    TESS_GOTO(done, status, tess_stream_sync(tess_stream_current(in->device)));
    TESS_GOTO(done, status, tess_stream_sync(tess_stream_current(tess_cpu())));
done:
    tess_release(&there);
    return status;
}

/* Of one batch. */
static tess_status threshold_of(double *threshold, const tess_array *in, int64_t batch, int64_t bins)
{
    double      low, high;
    char        text[2][32];
    tess_array  counts = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess_host_minmax(&low, &high, in));
    TESS_CHECK(isfinite(low) && isfinite(high), TESS_ERANGE,
               "otsu: batch %" PRId64 " of in has elements from %s to %s; finite numbers are needed", batch,
               tess__number_text(text[0], low), tess__number_text(text[1], high));
    *threshold = low;
    if (low == high) return TESS_OK;
    TESS_GOTO(done, status, count_elements(&counts, in, bins, low, high));
    const double part = best_edge(counts.data, bins) / (double)bins;
    *threshold = low * (1 - part) + high * part;
done:
    tess_release(&counts);
    return status;
}

/* ---- All batches ---- */

static tess_status run(tess_array *out, const tess_array *in, int64_t bins)
{
    const int64_t n = in->shape.b;
    tess_array    host = { .data = NULL };
    tess_status   status = TESS_OK;
    char          text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__output("otsu", out, TESS_SHAPE(n, 1, 1, 1), TESS_F64, in->device));
    if (n == 0) return TESS_OK;
    TESS_CHECK(tess_n_elements(in) > 0, TESS_ESHAPE, "otsu: `in` has shape %s; it must not be empty",
               tess__shape_text(text, in->shape.dim));
    TESS_TRY(tess__make("otsu", &host, out->shape, TESS_F64, tess_cpu(), false));
    for (int64_t i = 0; i < n; i++) {
        tess_array one;
        TESS_GOTO(done, status, tess_index(&one, in, 0, i));
        TESS_GOTO(done, status, threshold_of((double *)host.data + i, &one, i, bins));
    }
    TESS_GOTO(done, status, tess_to_device(out, &host, out->device));
done:
    tess_release(&host);
    return status;
}

tess_status tess_otsu(tess_array *out, const tess_array *in, const tess_otsu_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_otsu_opts o;
    TESS_TRY(tess__resolve(&tess__info_otsu, opts, &o));
    TESS_TRY(tess__check_pointer("otsu", "out", out));
    TESS_TRY(tess__check_numbers("otsu", "in", in));
    TESS_CHECK(in->dtype < TESS_C16, TESS_EDTYPE, "otsu: `in` is %s; a real type is needed",
               tess_dtype_name(in->dtype));
    TESS_TRY(tess__check_apart("otsu", "out", out, "in", in));
    const bool  made = tess__is_empty_out(out);
    tess_status status = tess__error_under(run(out, in, o.bins), "otsu");
    return made ? tess__finish(status, out, true) : status;
}
