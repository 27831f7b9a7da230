/* tessera ctf fit: defocus, astigmatism and phase shift of micrographs and movies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/context.h"
#include "command/units.h"
#include "ctf/ctf_picture.h"
#include "ctf/micrographs.h"
#include "files/outputs/output.h"
#include "operation/job_options.h"

static const option options[] = {
    VALUE("output", "OUT", OPTION_FILE, "write the fits to a STAR file", .letter = 'o', .writes = true),
    VALUE("plot", "OUT", OPTION_FILE, "plot each fit: '{name}_ctf.png', or .svg for the curves alone", .writes = true,
          .mark = "{name}"),
    FLAG("force", "overwrite existing files", .letter = 'f'),
    VALUE("phase-range", "A,A", OPTION_TEXT, "fit the phase shift in this range, degrees, as 0,180"),
    { 0 },
};
static const char *const examples[] = {
    "tessera ctf fit --tile 64 --max-defocus 2um x.mrc",
    "tessera ctf fit --tile 64 --max-defocus 2um x.mrc y.mrc -o fits.star --plot '{name}_ctf.png'",
    "tessera ctf fit --tile 64 --max-defocus 2um micrographs.star --apix 1.5 -o fitted.star --tsv",
    "tessera ctf fit --tile 64 --max-defocus 2um --movie --frames 2 movie.tif --apix 1.5 --voltage 200",
    NULL,
};

typedef struct fitting {
    job   *job;
    double range[2];  /* of --phase-range, radians */
    bool   has_phase; /* it is fitted or given */
} fitting;

/* ---- Options ---- */

/* "0,180" in radians. */
static tess_status parse_range(const char *text, double range[2])
{
    const char *comma = strchr(text, ',');
    char        first[48];
    quantity    q[2];
    TESS_CHECK(comma && comma - text < (long)sizeof first, TESS_EARG,
               "--phase-range is \"%s\"; two angles in degrees, as 0,180, are needed", text);
    (void)snprintf(first, sizeof first, "%.*s", (int)(comma - text), text);
    TESS_TRY(parse_quantity("--phase-range", OPTION_ANGLE, first, &q[0]));
    TESS_TRY(parse_quantity("--phase-range", OPTION_ANGLE, comma + 1, &q[1]));
    for (int i = 0; i < 2; i++) range[i] = to_radians(q[i]);
    TESS_CHECK(range[0] < range[1], TESS_ERANGE, "--phase-range is \"%s\"; the second must be the larger", text);
    return TESS_OK;
}

static tess_status take_options(const job *j, fitting *f)
{
    const char *phases = job_text(j, "phase-range", NULL);
    TESS_CHECK(!phases || !job_has(j, "phase-shift"), TESS_EARG,
               "ctf fit: --phase-shift gives the phase shift and --phase-range fits it; give only one of them");
    if (phases) TESS_TRY(parse_range(phases, f->range));
    f->has_phase = phases || job_has(j, "phase-shift") || job_has(j, "max-phase-shift");
    return TESS_OK;
}

static tess_status check_star_name(const job *j)
{
    const char *star = job_text(j, "output", NULL);
    if (!star) return TESS_OK;
    const size_t n = strlen(star);
    TESS_CHECK(n > 5 && strcmp(star + n - 5, ".star") == 0, TESS_EARG,
               "ctf fit: -o is %s; expected a STAR file, with the extension .star", star);
    return TESS_OK;
}

/* ---- One micrograph ---- */

/* The options of a micrograph, whose pixel size and microscope may be its own. */
static tess_status options_of(const fitting *f, const micrograph *one, tess_fit_ctf_opts *o)
{
    const double    pixel = micrograph_pixel(&one->known);
    const job_scale scale = { pixel, job_integer(f->job, "tile", 512) };
    TESS_TRY(job_fill_options(f->job, tess_job_find("fit_ctf"), scale, o));
    o->voltage = tess_given(one->known.voltage);
    o->cs = tess_given(one->known.cs);
    o->amplitude = tess_given(one->known.amplitude);
    o->phase_shift = one->known.phase_shift;
    if (job_has(f->job, "phase-range"))
        o->min_phase_shift = tess_given(f->range[0]), o->max_phase_shift = tess_given(f->range[1]);
    if (o->high > 0 && pixel / o->high > 0.5) job_note(f->job, "--high is beyond Nyquist; %g A is used", 2 * pixel);
    return TESS_OK;
}

static tess_status draw(const fitting *f, const micrograph *one, const tess_fit_ctf_opts *o,
                        const tess_fit_ctf_result *r)
{
    const double pixel = micrograph_pixel(&one->known);
    char         title[400];
    micrograph_title(title, one, f->has_phase);
    const ctf_picture p = { .title = title,
                            .ctf = &one->fit,
                            .low = pixel / (o->low > 0 ? o->low : 30),
                            .high = fmin(pixel / (o->high > 0 ? o->high : 5), 0.5),
                            .resolution = one->resolution,
                            .power = &r->power,
                            .curves = &r->curves };
    return ctf_picture_write(&p, one->plot, job_has(f->job, "force"));
}

/* The pixel size of the micrograph is not always that of its file. */
static tess_status fit_input(const fitting *f, micrograph *one, input *in)
{
    tess_fit_ctf_opts   o = { 0 };
    tess_fit_ctf_result r = { 0 };
    tess_context        context = job_context(f->job);
    tess_source         source = *input_source(in);
    tess_meta           meta = *source.meta;
    memcpy(meta.pixel_size + 1, one->known.pixel_size, sizeof one->known.pixel_size);
    source.meta = &meta;
    context.progress = NULL; /* there is one line for all of them */
    TESS_TRY(options_of(f, one, &o));
    TESS_TRY(tess_fit_ctf(&r, &source, &o, &context));
    micrograph_take_fit(one, &r);
    const tess_status status = one->fitted && one->plot ? draw(f, one, &o, &r) : TESS_OK;
    tess_fit_ctf_result_release(&r);
    return status;
}

static tess_status fit_one(const fitting *f, micrograph *one)
{
    input in;
    TESS_TRY(input_open(&in, f->job, one->name, NEED_IMAGES));
    const tess_status status = fit_input(f, one, &in);
    input_close(&in);
    return status;
}

/* ---- All of them ---- */

/* Rounded: A and degrees to two digits behind the point. */
static void put(table *t, const char *column, double value)
{
    if (isfinite(value)) table_number(t, column, round(100 * value) / 100);
    else table_null(t, column);
}

static void print_row(const fitting *f, table *t, const micrograph *one)
{
    const tess_ctf *c = &one->fit;
    const double    pixel = micrograph_pixel(c);
    table_text(t, "micrograph", one->called);
    put(t, "defocus_u", 1e4 * (c->defocus + c->astigmatism));
    put(t, "defocus_v", 1e4 * (c->defocus - c->astigmatism));
    put(t, "angle", CTF_DEGREES * c->angle);
    if (f->has_phase) put(t, "phase_shift", CTF_DEGREES * c->phase_shift);
    table_number(t, "score", round(1e6 * one->score) / 1e6);
    put(t, "resolution", one->resolution > 0 ? pixel / one->resolution : NAN);
    put(t, "defocus_error", 1e4 * one->errors[0]);
    put(t, "astigmatism_error", 2e4 * one->errors[1]);
    put(t, "angle_error", CTF_DEGREES * one->errors[2]);
    if (f->has_phase) put(t, "phase_shift_error", CTF_DEGREES * one->errors[3]);
    table_row(t);
}

/* After a failure the others are fitted only with --keep-going. */
static tess_status fit_each(fitting *f, micrographs *m, table *t, progress *bar)
{
    for (int64_t i = 0; i < m->n; i++) {
        micrograph       *one = &m->all[i];
        const tess_status status = fit_one(f, one);
        if (status != TESS_OK && !job_has(f->job, "keep-going")) return status;
        if (status != TESS_OK) job_failed(f->job, status, one->called);
        else if (!one->fitted) job_warn(f->job, "%s: no Thon rings were found; it has no fit", one->called);
        if (status == TESS_OK) print_row(f, t, one);
        progress_add(bar, 1);
    }
    return TESS_OK;
}

static tess_status fit_all(fitting *f, micrographs *m)
{
    progress *bar = NULL;
    int64_t   n = 0;
    TESS_TRY(progress_start(&bar, f->job, "micrographs", m->n, 0));
    table            *t = table_new(f->job, stdout);
    const tess_status status = fit_each(f, m, t, bar);
    progress_end(bar);
    if (status == TESS_OK) table_end(t);
    else table_free(t);
    TESS_TRY(status);
    for (int64_t i = 0; i < m->n; i++) n += m->all[i].fitted;
    TESS_CHECK(n > 0 || f->job->exit_code > 0, TESS_EFORMAT, "ctf fit: none of %lld micrographs could be fitted",
               (long long)m->n);
    const char *star = job_text(f->job, "output", NULL);
    return star && n > 0 ? micrographs_write_star(m, f->job, star, f->has_phase) : TESS_OK;
}

static tess_status run(job *j)
{
    micrographs m = { 0 };
    fitting     f = { .job = j };
    tess_status status;
    TESS_TRY(take_options(j, &f));
    TESS_TRY(check_star_name(j));
    TESS_GOTO(done, status, micrographs_find(&m, j, job_integer(j, "tile", 512), job_has(j, "movie")));
    if (job_has(j, "plot")) TESS_GOTO(done, status, micrographs_name_plots(&m, j, job_text(j, "plot", "")));
    TESS_GOTO(done, status, fit_all(&f, &m));
done:
    micrographs_free(&m);
    return status;
}

const verb verb_ctf_fit = {
    .name = "ctf fit",
    .job = "fit_ctf",
    .subject = "Fourier",
    .summary = "estimate the CTF of micrographs and movies",
    .arguments = "INPUT... [-o STAR]",
    .text =
        "Averages power spectra of tiles that overlap by half, and fits CTF^2 to them, after CTFFIND4. Inputs are "
        "micrographs, stacks of micrographs, files of frames with --movie (their spectra are averaged), or one STAR "
        "file of micrographs, whose rows or optics groups give voltage, Cs, amplitude contrast and pixel size; options "
        "take precedence over it.\n\nPrints defocus_u (the larger) and defocus_v in A, the angle of U in degrees from "
        "x towards y, the score (the correlation of spectrum and CTF^2), the resolution in A up to which rings follow "
        "the fit, and standard deviations of the mean defocus, of U - V and of the angle.\n\n-o writes rlnDefocusU, "
        "rlnDefocusV, rlnCtfAstigmatism, rlnDefocusAngle, rlnPhaseShift, rlnCtfFigureOfMerit and rlnCtfMaxResolution "
        "(999: rings follow nowhere), and the deviations as tessDefocusError and so on, to a new STAR file, or to a "
        "copy of the input STAR file. A micrograph without rings is left out of it, with a warning. ctf flip --ctf "
        "reads it.\n\nA picture shows the spectrum, its background subtracted, on the left, CTF^2 of the fit on the "
        "right, a circle at the resolution, and the curves along lines of equal phase.",
    .globals = GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS | GLOBAL_EACH,
    VERB_OF_FILE(1, -1),
};
