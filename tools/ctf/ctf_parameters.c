/* Parameters of CTFs, by options and by STAR files. */
#include "ctf/ctf_parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/context.h"
#include "command/units.h"
#include "files/file_name.h"
#include "tessera/cryosparc.h"

static const double degree = TESS_PI / 180;

/* ---- Options ---- */

/* "1.5um" or "1.6um,1.5um", in micrometres. */
static tess_status parse_defoci(const char *text, double defoci[2], int *n)
{
    const char *at = text;
    for (*n = 0;; ++at) {
        char         part[48];
        quantity     q;
        const size_t size = strcspn(at, ",");
        TESS_CHECK(*n < 2 && size < sizeof part, TESS_EARG,
                   "--defocus is \"%s\"; expected one defocus, or two as 1.6um,1.5um", text);
        (void)snprintf(part, sizeof part, "%.*s", (int)size, at);
        TESS_TRY(parse_quantity("--defocus", OPTION_DEFOCUS, part, &q));
        defoci[(*n)++] = to_micrometres(q);
        at += size;
        if (!*at) return TESS_OK;
    }
}

static tess_status defocus_of_options(const job *j, tess_ctf *ctf)
{
    const char *name = j->verb->name, *text = job_text(j, "defocus", NULL);
    double      defoci[2];
    int         n;
    quantity    q;
    TESS_CHECK(text || !(job_has(j, "astigmatism") || job_has(j, "angle")), TESS_EARG,
               "%s: --%s requires --defocus, which was not given", name,
               job_has(j, "astigmatism") ? "astigmatism" : "angle");
    if (!text) return TESS_OK;
    TESS_TRY(parse_defoci(text, defoci, &n));
    TESS_TRY(job_angle(j, "angle", &ctf->angle));
    ctf->defocus = defoci[0];
    if (n == 2) tess_ctf_set_defoci(ctf, defoci[0], defoci[1], ctf->angle);
    if (!job_has(j, "astigmatism")) return TESS_OK;
    TESS_CHECK(n == 1, TESS_EARG, "%s: --defocus is %s, two defoci; with --astigmatism give their mean", name, text);
    TESS_TRY(parse_quantity("--astigmatism", OPTION_DEFOCUS, job_text(j, "astigmatism", ""), &q));
    ctf->astigmatism = to_micrometres(q);
    return TESS_OK;
}

static tess_status check_number(const job *j, const char *called, double value, bool is_good, const char *allowed)
{
    char text[32];
    TESS_CHECK(is_good, TESS_ERANGE, "%s: --%s is %s; expected %s", j->verb->name, called, number_text(text, value),
               allowed);
    return TESS_OK;
}

tess_status ctf_of_microscope(const job *j, tess_ctf *ctf)
{
    ctf->voltage = job_number(j, "voltage", 300);
    ctf->cs = job_number(j, "cs", 2.7);
    ctf->amplitude = job_number(j, "amplitude", 0.1);
    ctf->bfactor = job_number(j, "bfactor", 0);
    TESS_TRY(check_number(j, "voltage", ctf->voltage, ctf->voltage > 0 && ctf->voltage < 1e5,
                          "a number of kV above 0 and below 1e5"));
    TESS_TRY(check_number(j, "cs", ctf->cs, fabs(ctf->cs) < 1e5, "a number of mm above -1e5 and below 1e5"));
    TESS_TRY(check_number(j, "amplitude", ctf->amplitude, ctf->amplitude >= 0 && ctf->amplitude < 1,
                          "a fraction of at least 0 and below 1"));
    return check_number(j, "bfactor", ctf->bfactor, isfinite(ctf->bfactor), "a finite number of A^2");
}

tess_status ctf_of_options(const job *j, tess_ctf *ctf)
{
    TESS_TRY(ctf_of_microscope(j, ctf));
    TESS_TRY(job_angle(j, "phase-shift", &ctf->phase_shift));
    return defocus_of_options(j, ctf);
}

/* ---- STAR files ---- */

static tess_status find_table(ctf_star *s)
{
    const char *label;
    for (int64_t i = 0; i < tess_star_count(s->star); i++) {
        s->rows = tess_star_at(s->star, i);
        if (tess_star_column(s->rows, "_rlnDefocusU") >= 0) return TESS_OK;
    }
    return tess_star_find_images(&s->rows, &label, s->star, s->path);
}

tess_status ctf_star_open(ctf_star *s, const char *path)
{
    *s = (ctf_star){ .path = path };
    TESS_TRY(tess_star_read_relion(&s->star, path));
    const tess_status status = find_table(s);
    if (status != TESS_OK) ctf_star_close(s);
    return status;
}

void ctf_star_close(ctf_star *s)
{
    tess_star_free(s->star);
    s->star = NULL;
}

typedef struct microscope_number {
    const char *option, *label;
    double     *value;
} microscope_number;

tess_status ctf_star_microscope(tess_ctf *ctf, const job *j, const ctf_star *s, int64_t row)
{
    const microscope_number numbers[] = { { "voltage", "_rlnVoltage", &ctf->voltage },
                                          { "cs", "_rlnSphericalAberration", &ctf->cs },
                                          { "amplitude", "_rlnAmplitudeContrast", &ctf->amplitude } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        bool found;
        if (job_has(j, numbers[i].option)) continue; /* ctf_of_options has read it */
        TESS_TRY_NOTE(tess_star_row_number(numbers[i].value, &found, s->star, s->rows, row, numbers[i].label), "of %s",
                      s->path);
        TESS_CHECK(found, TESS_EFORMAT, "%s: neither table %s nor an optics table has %s; give --%s", s->path,
                   tess_star_name(s->rows), numbers[i].label, numbers[i].option);
    }
    return TESS_OK;
}

static tess_status defocus_of_row(tess_ctf *ctf, const ctf_star *s, int64_t row)
{
    double u, v, angle = 0;
    bool   found;
    TESS_TRY(tess_star_row_number(&u, &found, s->star, s->rows, row, "_rlnDefocusU"));
    TESS_CHECK(found, TESS_EFORMAT, "%s: table %s has no column _rlnDefocusU; give --defocus for all rows", s->path,
               tess_star_name(s->rows));
    TESS_TRY(tess_star_row_number(&v, &found, s->star, s->rows, row, "_rlnDefocusV"));
    if (!found) v = u;
    TESS_TRY(tess_star_row_number(&angle, &found, s->star, s->rows, row, "_rlnDefocusAngle"));
    TESS_CHECK(isfinite(u) && isfinite(v) && isfinite(angle), TESS_EFORMAT,
               "%s: row %lld has defoci of %g and %g A at %g degrees; they must be finite", s->path, (long long)row + 1,
               u, v, angle);
    tess_ctf_set_defoci(ctf, 1e-4 * u, 1e-4 * v, degree * angle);
    return TESS_OK;
}

/* Optional columns of a row; options take precedence. */
static tess_status rest_of_row(tess_ctf *ctf, const job *j, const ctf_star *s, int64_t row)
{
    double value;
    bool   found;
    TESS_TRY(tess_star_row_number(&value, &found, s->star, s->rows, row, "_rlnPhaseShift"));
    if (found && !job_has(j, "phase-shift")) ctf->phase_shift = degree * value;
    TESS_TRY(tess_star_row_number(&value, &found, s->star, s->rows, row, "_rlnCtfBfactor"));
    if (found && !job_has(j, "bfactor")) ctf->bfactor = value;
    TESS_TRY(tess_star_row_number(&value, &found, s->star, s->rows, row, "_rlnCtfScalefactor"));
    if (found) ctf->scale = value == 0 ? TESS_ZERO : value;
    return tess_star_row_beam_tilt(ctf->tilt, s->star, s->rows, row);
}

tess_status ctf_star_row(tess_ctf *ctf, const job *j, const ctf_star *s, int64_t row)
{
    double angstrom = 0;
    TESS_TRY(ctf_of_options(j, ctf));
    TESS_TRY(ctf_star_microscope(ctf, j, s, row));
    if (!job_has(j, "defocus")) TESS_TRY_NOTE(defocus_of_row(ctf, s, row), "of %s", s->path);
    TESS_TRY_NOTE(rest_of_row(ctf, j, s, row), "of %s", s->path);
    if (ctf->pixel_size[0] > 0) return TESS_OK;
    TESS_TRY_NOTE(tess_star_row_pixel_size(&angstrom, s->star, s->rows, row), "of %s", s->path);
    TESS_CHECK(angstrom > 0, TESS_EARG, "%s: row %lld has no pixel size; give it with --apix", s->path,
               (long long)row + 1);
    ctf->pixel_size[0] = ctf->pixel_size[1] = angstrom;
    return TESS_OK;
}

/* ---- A CTF for each image ---- */

/* The index in its file of image i of an input. */
static int64_t index_of(const input *in, int64_t i) { return in->chosen ? in->chosen[i] : i; }

static const char *without_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The number of the file's image that a row is of, from 1; 0: of all of them; -1: the row is of another file. */
static tess_status image_of_row(int64_t *image, const tess_star_table *rows, const char *label, int64_t row,
                                const char *file)
{
    const char *text, *name;
    char        path[4096];
    TESS_TRY(tess_star_get(&text, rows, row, label));
    TESS_TRY(tess_star_get_image(image, &name, rows, row, label, 0));
    if (!plain_path(path, sizeof path, name) || strcmp(without_folder(path), file) != 0) *image = -1;
    else if (!strchr(text, '@')) *image = 0;
    return TESS_OK;
}

/* Finds the row of each image of an input, by the names of files. */
static tess_status match_rows(int64_t *wanted, const ctf_star *s, const input *in)
{
    tess_star_table *list;
    const char      *label;
    char             file[4096];
    TESS_TRY(tess_star_find_images(&list, &label, s->star, s->path));
    TESS_CHECK(plain_path(file, sizeof file, behind_number(in->name)), TESS_EARG, "%s: the name is too long", in->name);
    for (int64_t i = 0; i < in->info.shape.b; i++) wanted[i] = -1;
    for (int64_t row = 0; row < tess_star_rows(list); row++) {
        int64_t image;
        TESS_TRY(image_of_row(&image, list, label, row, without_folder(file)));
        for (int64_t i = 0; i < in->info.shape.b && image >= 0; i++)
            if (image == 0 || index_of(in, i) == image - 1) wanted[i] = row;
    }
    for (int64_t i = 0; i < in->info.shape.b; i++)
        TESS_CHECK(wanted[i] >= 0, TESS_EARG, "%s: no row for image %lld of %s", s->path,
                   (long long)index_of(in, i) + 1, in->name);
    return TESS_OK;
}

/* Which rows the images of an input have: its own, the only one, or those with the name of its file. */
static tess_status choose_rows(int64_t *wanted, const ctf_star *s, const input *in)
{
    const int64_t n = tess_star_rows(s->rows);
    for (int64_t i = 0; i < in->info.shape.b; i++) wanted[i] = in->listed ? index_of(in, i) : 0;
    TESS_CHECK(n > 0, TESS_EFORMAT, "%s: table %s has no rows", s->path, tess_star_name(s->rows));
    return in->listed || n == 1 ? TESS_OK : match_rows(wanted, s, in);
}

static tess_status fill_rows(tess_array *rows, const int64_t *wanted, const job *j, const ctf_star *s, const input *in)
{
    const double *size = in->info.meta.pixel_size;
    const bool    from_file = in->file || job_has(j, "apix"); /* each row of a list has its own pixel size */
    TESS_TRY(tess_zeros(rows, TESS_SHAPE(in->info.shape.b, 1, 1, TESS_CTF_COLUMNS), TESS_F64, tess_cpu()));
    tess_ctf *ctfs = rows->data;
    for (int64_t i = 0; i < in->info.shape.b; i++) {
        double angstrom = 0;
        if (in->listed) TESS_TRY(tess_star_row_pixel_size(&angstrom, s->star, s->rows, wanted[i]));
        if (from_file || angstrom <= 0) ctfs[i].pixel_size[0] = size[1], ctfs[i].pixel_size[1] = size[2];
        TESS_TRY(ctf_star_row(&ctfs[i], j, s, wanted[i]));
    }
    return TESS_OK;
}

static tess_status rows_of_star(tess_array *rows, job *j, const char *path, const input *in)
{
    ctf_star    s;
    tess_status status;
    int64_t    *wanted = calloc((size_t)in->info.shape.b, sizeof *wanted);
    TESS_CHECK(wanted, TESS_ENOMEM, "%s: no memory for %lld rows", path, (long long)in->info.shape.b);
    TESS_GOTO(done, status, ctf_star_open(&s, path));
    const tess_context context = job_context(j);
    tess_star_warn_of_aberrations(s.star, s.rows, path, &context);
    TESS_GOTO(close, status, choose_rows(wanted, &s, in));
    TESS_GOTO(close, status, fill_rows(rows, wanted, j, &s, in));
close:
    ctf_star_close(&s);
done:
    if (status != TESS_OK) tess_release(rows);
    free(wanted);
    return status;
}

static tess_status row_of_options(tess_array *rows, const job *j, const input *in)
{
    double angstrom;
    TESS_CHECK(job_has(j, "defocus"), TESS_EARG,
               "%s: %s has no CTF parameters; give --defocus, or --ctf with a STAR file", j->verb->name, in->name);
    TESS_TRY(input_pixel_size(in, &angstrom));
    tess_ctf ctf = { .pixel_size = { in->info.meta.pixel_size[1], in->info.meta.pixel_size[2] } };
    TESS_TRY(ctf_of_options(j, &ctf));
    TESS_TRY(tess_zeros(rows, TESS_SHAPE(1, 1, 1, TESS_CTF_COLUMNS), TESS_F64, tess_cpu()));
    *(tess_ctf *)rows->data = ctf;
    return TESS_OK;
}

tess_status ctf_of_images(tess_array *rows, job *j, const input *in)
{
    const char *path = job_text(j, "ctf", NULL);
    TESS_CHECK(!path || !in->listed, TESS_EARG, "%s: %s has the CTFs of its images; --ctf applies to image files only",
               j->verb->name, in->name);
    if (in->listed) return rows_of_star(rows, j, in->name, in);
    return path ? rows_of_star(rows, j, path, in) : row_of_options(rows, j, in);
}
