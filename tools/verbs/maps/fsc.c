/* tessera fsc: Fourier shell correlation of half maps, ring correlation of images. */
#include <math.h>

#include "maps/fsc_files.h"
#include "operation/job_call.h"

static const option options[] = {
    VALUE("star", "OUT", OPTION_FILE, "write the curves to this STAR file, as RELION does", .writes = true),
    VALUE("xml", "OUT", OPTION_FILE, "write the curve to this XML file, as for EMDB", .writes = true),
    VALUE("plot", "OUT", OPTION_FILE, "plot the curves to an .svg or .png file", .writes = true),
    FLAG("force", "overwrite existing files", .letter = 'f'),
    { 0 },
};
static const char *const examples[] = {
    "tessera fsc half1.mrc half2.mrc",
    "tessera gen sphere --size 32,32,32 --radius 9 --soft 5 --apix 1.5 -o ball.mrc",
    "tessera fsc half1.mrc half2.mrc --mask ball.mrc --plot fsc.svg --star fsc.star > fsc.tsv",
    "tessera fsc half1.mrc half2.mrc --cones 20 --tsv",
    "tessera fsc stack.mrcs stack.mrcs --each --json",
    NULL,
};

static const char *const names[FSC_KINDS] = { "unmasked", "masked", "randomised", "corrected" };

/* ---- Printing ---- */

static void print_direction(table *t, const fsc_curves *c, int64_t cone)
{
    const double *xyz = (const double *)c->result->cones.data + cone * c->result->cones.shape.w;
    table_integer(t, "cone", cone);
    for (int k = 0; k < 3; ++k) table_number_as(t, k == 0 ? "x" : k == 1 ? "y" : "z", xyz[k], TESS_F32);
}

static void print_curves(table *t, const fsc_curves *c, int64_t pair, bool each)
{
    const int64_t cones = c->result->cones.shape.h;
    for (int64_t row = cones > 0 ? 1 : 0; row <= cones; ++row)
        for (int64_t i = 0; i < c->result->n_shells; ++i) {
            const double frequency = fsc_frequency(c, i);
            if (each) table_integer(t, "image", pair);
            if (cones > 0) print_direction(t, c, row - 1);
            table_integer(t, "shell", i);
            table_number(t, "1/A", frequency);
            table_number(t, "A", i > 0 ? 1 / frequency : INFINITY);
            for (int k = 0; k < (c->is_masked ? FSC_KINDS : 1); ++k)
                table_number(t, names[k], fsc_curve(c, pair, k, row)[i]);
            table_row(t);
        }
}

/* "3.42 A", or why the curve has no such resolution. */
static const char *resolution_text(char text[64], double angstrom, bool crosses)
{
    if (!crosses) (void)snprintf(text, 64, "%.2f A (Nyquist: the curve never falls below the threshold)", angstrom);
    else if (!isfinite(angstrom)) (void)snprintf(text, 64, "none (the curve begins below the threshold)");
    else (void)snprintf(text, 64, "%.2f A", angstrom);
    return text;
}

static void tell(job *j, const fsc_curves *c)
{
    const tess_half_map_fsc_result *r = c->result;
    char                            text[2][64];
    if (c->is_masked && r->first_random >= r->n_shells)
        job_note(j, "the unmasked curve never falls below %g: no phases were randomised",
                 job_number(j, "randomize-at-fsc", 0.8));
    else if (c->is_masked && r->n_pairs == 1)
        job_note(j, "phases are randomised from shell %lld on, %.2f A", (long long)r->first_random, r->randomized_from);
    job_note(j, "%s 0.143 = %s, 0.5 = %s", c->is_volume ? "FSC" : "FRC",
             resolution_text(text[0], r->resolution_143, r->crosses_143),
             resolution_text(text[1], r->resolution_500, r->crosses_500));
    if (r->cones.shape.h > 0)
        job_note(j, "FSC 0.143 of %lld cones: %.2f to %.2f A", (long long)r->cones.shape.h, r->cones_best,
                 r->cones_worst);
}

/* ---- The work ---- */

static tess_status write_files(const job *j, const fsc_curves *c)
{
    const bool overwrite = job_has(j, "force");
    if (job_has(j, "star")) TESS_TRY(fsc_write_star(c, job_text(j, "star", ""), overwrite));
    if (job_has(j, "xml")) TESS_TRY(fsc_write_xml(c, job_text(j, "xml", ""), overwrite));
    if (job_has(j, "plot")) TESS_TRY(fsc_write_plot(c, job_text(j, "plot", ""), overwrite));
    return TESS_OK;
}

static tess_status work(job *j, job_call *call, table *t)
{
    const fsc_curves c = { .result = call->result,
                           .names = { call->in[0].name, call->in[1].name },
                           .is_volume = call->in[0].info.shape.d > 1,
                           .is_masked = job_has(j, "mask") };
    TESS_TRY(job_call_run(call));
    for (int64_t i = 0; i < c.result->all.shape.b; ++i) print_curves(t, &c, i, job_has(j, "each"));
    tell(j, &c);
    return write_files(j, &c);
}

static tess_status run(job *j)
{
    job_call call;
    TESS_CHECK(!job_has(j, "each") || !job_has(j, "cones"), TESS_EARG,
               "fsc: --each and --cones were both given; give only one");
    table *t = table_new(j, stdout);
    table_tabs(t);
    tess_status status = job_call_open(&call, j);
    if (status == TESS_OK) status = work(j, &call, t);
    if (status == TESS_OK) table_end(t);
    else table_free(t);
    job_call_close(&call);
    return status;
}

const verb verb_fsc = {
    .name = "fsc",
    .job = "half_map_fsc",
    .subject = "maps",
    .summary = "compute the Fourier shell correlation (FSC) of half maps or images",
    .arguments = "HALF1 HALF2",
    .text = "Prints one row per shell, separated by tabs: shell, 1/A, A, unmasked and, with --mask, masked, "
            "randomised and corrected. A coefficient belongs to the shell round(|f| n), with f in cycles per pixel "
            "and n the smallest side. Shells go up to n/2; coefficients beyond Nyquist are left out. FSC = Re sum(F1 "
            "conj F2) / sqrt(sum|F1|^2 sum|F2|^2) over the full transform, or 0 where the denominator is 0. Images "
            "give the Fourier ring correlation; two stacks give the mean of the curves of all pairs.\n\n"
            "A mask introduces correlations of its own. To measure them, the phases of both maps are randomised from "
            "the first shell where the unmasked curve is below --randomize-at-fsc; `randomised` is the correlation "
            "of these maps under the mask. From two shells after that on, corrected = (masked - randomised) / (1 - "
            "randomised); before, corrected = masked. --seed chooses other phases.\n\n"
            "The resolutions at 0.143 and 0.5 are reported on standard error: the first crossing of the corrected "
            "curve, or without a mask of the unmasked one, interpolated between shells. RELION sums only the stored "
            "half of the transform, so its lowest shells differ slightly, and reports the last shell above 0.143, as "
            "--no-interpolate does.\n\n"
            "With --cones, there is one row per shell and cone, with the direction x, y, z of the axis of the cone. "
            "Axes are spread evenly over a hemisphere, or for images over a half circle. A cone contains the "
            "coefficients within --cone-angle of its axis, on both sides.",
    .globals = GLOBAL_READ | GLOBAL_APIX | GLOBAL_TABLE | GLOBAL_PROGRESS | GLOBAL_DEVICE | GLOBAL_SEED,
    VERB_OF_FILE(2, 2),
};
