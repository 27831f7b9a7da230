/* tessera ctf fit: defocus, astigmatism and phase shift of micrographs and movies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/output.h"
#include "ctf/micrographs.h"
#include "measure/units.h"
#include "picture/ctf_picture.h"

static const option options[] = {
    { .name = "output",
      .letter = 'o',
      .value = "OUT",
      .type = OPTION_FILE,
      .writes = true,
      .help = "write the fits as a STAR file" },
    { .name = "plot",
      .writes = true,
      .mark = "{name}",
      .value = "OUT",
      .type = OPTION_FILE,
      .help = "a picture of each fit: '{name}_ctf.png', or .svg for its curves alone" },
    { .name = "force", .letter = 'f', .type = OPTION_FLAG, .help = "replace files that are there" },
    CTF_MICROSCOPE_OPTIONS,
    { .name = "tile", .value = "N", .type = OPTION_INTEGER, .help = "pixels of a side of the tiles, even [512]" },
    { .name = "low", .value = "A", .type = OPTION_CUTOFF, .help = "rings are fitted from this resolution on [30]" },
    { .name = "high", .value = "A", .type = OPTION_CUTOFF, .help = "up to this one [5, or Nyquist]" },
    { .name = "min-defocus", .value = "D", .type = OPTION_DEFOCUS, .help = "least mean defocus that is tried [0.3um]" },
    { .name = "max-defocus", .value = "D", .type = OPTION_DEFOCUS, .help = "largest one [5um]" },
    { .name = "max-astigmatism",
      .value = "D",
      .type = OPTION_DEFOCUS,
      .help = "of half the difference of U and V [0.3um]; 0A: none is fitted" },
    { .name = "tolerated-astigmatism",
      .value = "D",
      .type = OPTION_DEFOCUS,
      .help = "the same, restrained softly; 0A: not restrained [0.01um]" },
    { .name = "phase-shift", .value = "A", .type = OPTION_ANGLE, .help = "of a phase plate, where it is known [0]" },
    { .name = "phase-range",
      .value = "A,A",
      .type = OPTION_TEXT,
      .help = "fit the phase shift between these, in degrees, as 0,180" },
    { .name = "movie", .type = OPTION_FLAG, .help = "the images of a file are frames of one movie" },
    { .name = "frames",
      .value = "N",
      .type = OPTION_INTEGER,
      .help = "of a movie: frames to add up for a spectrum [1]" },
    { 0 },
};
static const char *const examples[] = {
    "tessera ctf fit --tile 64 --max-defocus 2um x.mrc",
    "tessera ctf fit --tile 64 --max-defocus 2um x.mrc y.mrc -o fits.star --plot '{name}_ctf.png'",
    "tessera ctf fit --tile 64 --max-defocus 2um micrographs.star --apix 1.5 -o fitted.star --tsv",
    "tessera ctf fit --tile 64 --max-defocus 2um --movie --frames 2 movie.tif --apix 1.5 --voltage 200",
    NULL,
};

static const double degrees = 180 / 3.14159265358979323846; /* of a radian */

typedef struct fitting {
    job              *job;
    int64_t           tile, frames;
    bool              has_phase; /* it is fitted or given */
    tess_ctf_fit_opts opts;
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

static tess_status take_astigmatism(const job *j, tess_ctf_fit_opts *o)
{
    double largest = 0.3, tolerated = 0.01;
    TESS_TRY(job_defocus(j, "max-astigmatism", &largest));
    TESS_TRY(job_defocus(j, "tolerated-astigmatism", &tolerated));
    TESS_CHECK(largest >= 0 && tolerated >= 0, TESS_ERANGE, "ctf fit: --%s is %s; 0A or more is needed",
               largest < 0 ? "max-astigmatism" : "tolerated-astigmatism",
               job_text(j, largest < 0 ? "max-astigmatism" : "tolerated-astigmatism", ""));
    o->isotropic = largest == 0;
    o->unrestrained = tolerated == 0;
    if (largest > 0) o->max_astigmatism = largest;
    if (tolerated > 0) o->tolerated_astigmatism = tolerated;
    return TESS_OK;
}

static tess_status take_options(const job *j, fitting *f)
{
    tess_ctf_fit_opts *o = &f->opts;
    double             range[2] = { 0, 0 };
    f->tile = job_integer(j, "tile", 512);
    f->frames = job_integer(j, "frames", 1);
    TESS_CHECK(f->tile >= 16 && f->tile <= 8192 && f->tile % 2 == 0, TESS_ERANGE,
               "ctf fit: --tile is %lld; an even number of 16 to 8192 is needed", (long long)f->tile);
    TESS_CHECK(f->frames >= 1, TESS_ERANGE, "ctf fit: --frames is %lld; 1 or more is needed", (long long)f->frames);
    TESS_CHECK(!job_has(j, "frames") || job_has(j, "movie"), TESS_EARG, "ctf fit: --frames requires --movie");
    o->min_defocus = 0.3, o->max_defocus = 5;
    TESS_TRY(job_defocus(j, "min-defocus", &o->min_defocus));
    TESS_TRY(job_defocus(j, "max-defocus", &o->max_defocus));
    TESS_CHECK(o->min_defocus < o->max_defocus, TESS_ERANGE,
               "ctf fit: --max-defocus (%g um) must exceed --min-defocus (%g um)", o->max_defocus, o->min_defocus);
    o->min_defocus = tess_given(o->min_defocus), o->max_defocus = tess_given(o->max_defocus);
    TESS_TRY(take_astigmatism(j, o));
    const char *phases = job_text(j, "phase-range", NULL);
    TESS_CHECK(!phases || !job_has(j, "phase-shift"), TESS_EARG,
               "ctf fit: --phase-shift gives the phase shift and --phase-range fits it; one of them is allowed");
    if (phases) TESS_TRY(parse_range(phases, range));
    if (phases) o->min_phase_shift = tess_given(range[0]), o->max_phase_shift = tess_given(range[1]);
    f->has_phase = phases || job_has(j, "phase-shift");
    return TESS_OK;
}

static tess_status check_star_name(const job *j)
{
    const char *star = job_text(j, "output", NULL);
    if (!star) return TESS_OK;
    const size_t n = strlen(star);
    TESS_CHECK(n > 5 && strcmp(star + n - 5, ".star") == 0, TESS_EARG,
               "ctf fit: -o is %s; the name of a STAR file, which ends with .star, is needed", star);
    return TESS_OK;
}

/* ---- One micrograph ---- */

/* The range of resolutions by the pixel size. What the library would take is told, for the picture. */
static tess_status take_range(const fitting *f, const micrograph *one, tess_ctf_fit_opts *o)
{
    const double pixel = 0.5 * (one->known.pixel_size[0] + one->known.pixel_size[1]);
    o->low = pixel / 30;
    o->high = fmin(pixel / 5, 0.5);
    TESS_TRY(job_cutoff(f->job, "low", pixel, f->tile, &o->low));
    TESS_TRY(job_cutoff(f->job, "high", pixel, f->tile, &o->high));
    if (o->high > 0.5) {
        job_note(f->job, "--high is beyond Nyquist, %g A; that is taken", 2 * pixel);
        o->high = 0.5;
    }
    TESS_CHECK(o->low < o->high, TESS_ERANGE, "ctf fit: %s is fitted from %.3g to %.3g A; --low must be the coarser",
               one->called, pixel / o->low, pixel / o->high);
    o->low = tess_given(o->low);
    return TESS_OK;
}

/* "a.mrc: defocus 15994 and 15001 A, 29.8 degrees; …", with the name of the file alone. */
static void make_title(char title[400], const fitting *f, const micrograph *one)
{
    const tess_ctf *c = &one->fit;
    const char     *slash = strrchr(one->called, '/');
    char            phase[48] = "", rings[48] = "no rings follow it";
    if (f->has_phase) (void)snprintf(phase, sizeof phase, ", phase shift %.1f\xc2\xb0", degrees * c->phase_shift);
    if (one->resolution > 0)
        (void)snprintf(rings, sizeof rings, "rings to %.1f \xc3\x85",
                       0.5 * (c->pixel_size[0] + c->pixel_size[1]) / one->resolution);
    (void)snprintf(title, 400, "%.80s: defocus %.0f and %.0f \xc3\x85, %.1f\xc2\xb0%s; correlation %.3f; %s",
                   slash ? slash + 1 : one->called, 1e4 * (c->defocus + c->astigmatism),
                   1e4 * (c->defocus - c->astigmatism), degrees * c->angle, phase, one->score, rings);
}

static tess_status draw(const fitting *f, const micrograph *one, const tess_ctf_fit_opts *o, const tess_array *power)
{
    char title[400];
    make_title(title, f, one);
    const ctf_picture p = { title, &one->fit, o->low, o->high, one->resolution, power, o->curves };
    return ctf_picture_write(&p, one->plot, job_has(f->job, "force"));
}

/* Numbers of a fit; what is not finite was not fitted. */
static tess_status fit_power(const fitting *f, micrograph *one, const tess_array *power)
{
    tess_array        fits = { 0 }, scores = { 0 }, resolutions = { 0 }, errors = { 0 }, curves = { 0 };
    tess_ctf_fit_opts o = f->opts;
    tess_status       status;
    o.errors = &errors, o.curves = &curves;
    TESS_TRY(take_range(f, one, &o));
    TESS_GOTO(done, status,
              tess_ctf_fit(&fits, &scores, &resolutions, power, TESS_SHAPE(1, 1, f->tile, f->tile), &one->known, &o));
    one->fit = *(const tess_ctf *)fits.data;
    one->score = *(const double *)scores.data;
    one->resolution = *(const double *)resolutions.data;
    memcpy(one->errors, errors.data, sizeof one->errors);
    one->fitted = isfinite(one->fit.defocus);
    if (one->fitted && one->plot) TESS_GOTO(done, status, draw(f, one, &o, power));
done:
    tess_release(&fits);
    tess_release(&scores);
    tess_release(&resolutions);
    tess_release(&errors);
    tess_release(&curves);
    return status;
}

static tess_status fit_one(fitting *f, micrograph *one)
{
    input      in;
    tess_array power = { 0 };
    TESS_TRY(input_open(&in, f->job, one->name, NEED_IMAGES));
    tess_status status = micrograph_power(&power, f->job, &in, f->tile, f->frames);
    if (status == TESS_OK) status = fit_power(f, one, &power);
    tess_release(&power);
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
    const double    pixel = 0.5 * (c->pixel_size[0] + c->pixel_size[1]);
    table_text(t, "micrograph", one->called);
    put(t, "defocus_u", 1e4 * (c->defocus + c->astigmatism));
    put(t, "defocus_v", 1e4 * (c->defocus - c->astigmatism));
    put(t, "angle", degrees * c->angle);
    if (f->has_phase) put(t, "phase_shift", degrees * c->phase_shift);
    table_number(t, "score", round(1e6 * one->score) / 1e6);
    put(t, "resolution", one->resolution > 0 ? pixel / one->resolution : NAN);
    put(t, "defocus_error", 1e4 * one->errors[0]);
    put(t, "astigmatism_error", 2e4 * one->errors[1]);
    put(t, "angle_error", degrees * one->errors[2]);
    if (f->has_phase) put(t, "phase_shift_error", degrees * one->errors[3]);
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
        else if (!one->fitted) job_warn(f->job, "%s: no rings were found; it has no fit", one->called);
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
    TESS_GOTO(done, status, micrographs_find(&m, j, f.tile, job_has(j, "movie")));
    if (job_has(j, "plot")) TESS_GOTO(done, status, micrographs_name_plots(&m, j, job_text(j, "plot", "")));
    TESS_GOTO(done, status, fit_all(&f, &m));
done:
    micrographs_free(&m);
    return status;
}

const verb verb_ctf_fit = {
    .name = "ctf fit",
    .subject = "Fourier",
    .summary = "fit defocus, astigmatism and phase shift to micrographs and movies",
    .arguments = "INPUT... [-o STAR]",
    .text =
        "Power spectra of tiles that overlap by half are averaged, and CTF^2 is fitted to them, after CTFFIND4. Inputs "
        "are micrographs, stacks of them, with --movie files of frames whose spectra are averaged, or one STAR file "
        "of micrographs, whose rows or optics groups say voltage, Cs, amplitude contrast and pixel size; options go "
        "before it.\n"
        "\n"
        "Printed are defocus_u (the larger) and defocus_v in A, the angle of U in degrees from x towards y, the score, "
        "which is the correlation of spectrum and CTF^2, the resolution in A up to which rings follow the fit, and "
        "standard deviations of the mean defocus, of U - V and of the angle.\n"
        "\n"
        "-o writes rlnDefocusU, rlnDefocusV, rlnCtfAstigmatism, rlnDefocusAngle, rlnPhaseShift, rlnCtfFigureOfMerit "
        "and rlnCtfMaxResolution (999: rings follow nowhere), and the deviations as tessDefocusError and so on, into "
        "a new STAR file, or into a copy of the one that came in. A micrograph without rings is left out of it, with "
        "a warning. ctf flip --ctf reads it.\n"
        "\n"
        "A picture has the spectrum, its background subtracted, on the left, CTF^2 of the fit on the right, a circle "
        "at the resolution, and the curves along lines of equal phase.",
    .globals = GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS | GLOBAL_EACH,
    VERB_OF_FILE(1, -1),
};
