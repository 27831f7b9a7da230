/* tessera sharpen: the mean of two half maps, weighted by their correlation, with a B-factor by a Guinier fit. */
#include <stdlib.h>

#include "files/one_input.h"
#include "maps/guinier.h"
#include "operation/job_call.h"

static const option options[] = {
    VALUE("plot", "OUT", OPTION_FILE, "write the Guinier plot to an .svg or .png file", .writes = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera sharpen half1.mrc half2.mrc -o sharp.mrc",
    "tessera gen sphere --size 32,32,32 --radius 9 --soft 5 --apix 1.5 -o ball.mrc",
    "tessera sharpen half1.mrc half2.mrc --mask ball.mrc --apply-mask --plot guinier.svg -o masked.mrc",
    "tessera sharpen volume.mrc --bfactor -80 --lowpass 4 -o crisp.mrc",
    NULL,
};

static void tell(job *j, const tess_sharpen_result *r)
{
    if (r->resolution > 0)
        job_note(j, "FSC 0.143 = %.2f A%s", r->resolution,
                 r->crosses ? "" : " (Nyquist: the curve never falls below the threshold)");
    if (r->is_fitted)
        job_note(j, "B = %.2f A^2, fitted from %.2f to %.2f A (correlation %.3f)", r->bfactor, r->fit_from, r->fit_to,
                 r->correlation);
    else job_note(j, "B = %.2f A^2, as given", r->bfactor);
}

/* Amplitudes before and after, from columns 1 and 3 of the table of shells. */
static tess_status draw(const job *j, const tess_sharpen_result *r)
{
    enum { AMPLITUDE = 1, SHARPENED = 3 };
    const int64_t n = r->shells.shape.h, columns = r->shells.shape.w;
    const double *shells = r->shells.data;
    double       *amplitudes = malloc(2 * (size_t)n * sizeof *amplitudes);
    TESS_CHECK(amplitudes, TESS_ENOMEM, "sharpen: out of memory");
    for (int64_t i = 0; i < n; ++i) {
        amplitudes[i] = shells[i * columns + AMPLITUDE];
        amplitudes[n + i] = shells[i * columns + SHARPENED];
    }
    const guinier     line = { .n = n,
                               .step = shells[columns],
                               .amplitude = amplitudes,
                               .sharpened = amplitudes + n,
                               .from = r->fit_from,
                               .to = r->fit_to,
                               .bfactor = r->bfactor,
                               .intercept = r->intercept };
    const tess_status status = guinier_plot(&line, job_text(j, "plot", ""), job_has(j, "force"));
    free(amplitudes);
    return status;
}

static tess_dtype dtype_of(const job_call *call)
{
    for (int i = 0; i < call->job->n_arguments; ++i)
        if (dtype_to_compute(call->in[i].info.dtype) == TESS_F64) return TESS_F64;
    return TESS_F32;
}

static tess_status work(job *j, job_call *call)
{
    const tess_meta            meta = meta_of(&call->in[0]);
    const tess_sharpen_result *r = call->result;
    bool                       skip;
    TESS_TRY(output_planned(j, NULL, call->in[0].info.shape, dtype_of(call), &skip));
    if (skip) return TESS_OK;
    ((tess_sharpen_opts *)call->opts)->want_sharpened = job_has(j, "plot");
    TESS_TRY(job_call_run(call));
    tell(j, r);
    TESS_TRY(output_write(j, NULL, &r->map, &meta));
    return job_has(j, "plot") ? draw(j, r) : TESS_OK;
}

static tess_status run(job *j)
{
    job_call call;
    TESS_CHECK(!job_has(j, "plot") || !job_has(j, "bfactor"), TESS_EARG,
               "sharpen: --plot shows the fit of the B-factor, but --bfactor replaces it; give only one");
    TESS_TRY(output_check(j, NULL));
    tess_status status = job_call_open(&call, j);
    if (status == TESS_OK) status = work(j, &call);
    job_call_close(&call);
    return status;
}

const verb verb_sharpen = {
    .name = "sharpen",
    .job = "sharpen",
    .fills = "want_sharpened",
    .subject = "maps",
    .summary = "sharpen a map or two half maps, with B-factor and FSC weighting",
    .arguments = "HALF1 [HALF2] -o OUT",
    .text = "The coefficients of the mean of both maps are multiplied by sqrt(2 FSC / (1 + FSC)), interpolated "
            "linearly between shells, and by exp(-B/4 s^2), with s in 1/A. Last comes a low-pass filter with a "
            "raised-cosine edge of --edge shells, which is 0.5 at the resolution, where the FSC falls below 0.143. "
            "With --mask, the FSC is the corrected one of `tessera fsc`, with the same options.\n\n"
            "Without --bfactor, B is 4 times the slope of a straight line through the Guinier plot: ln(weighted mean "
            "amplitude of a shell) against 1/d^2, from --fit-from to the resolution. The B-factor, the range and the "
            "correlation of the fit are reported on standard error.\n\n"
            "relion_postprocess fits the same line, also from 10 A, but beyond the resolution, up to the shell "
            "before the FSC first falls to 0 (below 0.0001). There the weights fall fast, so its B is mostly more "
            "negative. --relion-fit uses RELION's range and its shells of round(|f| n); --fit-from and --fit-to are "
            "then its autob_lowres and autob_highres. There is no correction for the MTF of a detector.\n\n"
            "A single map is not weighted, and requires --lowpass.",
    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_PROGRESS | GLOBAL_DEVICE | GLOBAL_SEED,
    VERB_OF_FILE(1, 2),
};
