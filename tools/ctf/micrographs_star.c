/* Fits of CTFs as STAR files, with the labels and tables of RELION. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctf/micrographs.h"

static const double degrees = 180 / TESS_PI;

/* To two digits behind the point: A and degrees are not known better. */
static tess_status set(tess_star_table *rows, int64_t row, const char *label, double value)
{
    return tess_star_set_f64(rows, row, label, round(100 * value) / 100);
}

static tess_status set_fit(tess_star_table *rows, int64_t row, const micrograph *one, bool has_phase)
{
    const tess_ctf *fit = &one->fit;
    const double    pixel = 0.5 * (fit->pixel_size[0] + fit->pixel_size[1]);
    TESS_TRY(set(rows, row, "_rlnDefocusU", 1e4 * (fit->defocus + fit->astigmatism)));
    TESS_TRY(set(rows, row, "_rlnDefocusV", 1e4 * (fit->defocus - fit->astigmatism)));
    TESS_TRY(set(rows, row, "_rlnCtfAstigmatism", 2e4 * fit->astigmatism));
    TESS_TRY(set(rows, row, "_rlnDefocusAngle", degrees * fit->angle));
    if (has_phase) TESS_TRY(set(rows, row, "_rlnPhaseShift", degrees * fit->phase_shift));
    TESS_TRY(tess_star_set_f64(rows, row, "_rlnCtfFigureOfMerit", round(1e6 * one->score) / 1e6));
    TESS_TRY(set(rows, row, "_rlnCtfMaxResolution", one->resolution > 0 ? pixel / one->resolution : 999));
    TESS_TRY(set(rows, row, "_tessDefocusError", 1e4 * one->errors[0]));
    TESS_TRY(set(rows, row, "_tessAstigmatismError", 2e4 * one->errors[1]));
    TESS_TRY(set(rows, row, "_tessDefocusAngleError", degrees * one->errors[2]));
    return has_phase ? set(rows, row, "_tessPhaseShiftError", degrees * one->errors[3]) : TESS_OK;
}

/* ---- A new one ---- */

static tess_status add_group(tess_star_table *optics, const tess_ctf *known)
{
    const int64_t row = tess_star_rows(optics);
    char          name[40];
    (void)snprintf(name, sizeof name, "opticsGroup%lld", (long long)row + 1);
    TESS_TRY(tess_star_add_rows(optics, 1));
    TESS_TRY(tess_star_set(optics, row, "_rlnOpticsGroupName", name));
    TESS_TRY(tess_star_set_i64(optics, row, "_rlnOpticsGroup", row + 1));
    TESS_TRY(tess_star_set_f64(optics, row, "_rlnMicrographPixelSize", known->pixel_size[1]));
    TESS_TRY(tess_star_set_f64(optics, row, "_rlnVoltage", known->voltage));
    TESS_TRY(tess_star_set_f64(optics, row, "_rlnSphericalAberration", known->cs));
    return tess_star_set_f64(optics, row, "_rlnAmplitudeContrast", known->amplitude);
}

/* The optics group of a micrograph, from 1: of files, pixel sizes alone differ. */
static tess_status group_of(int64_t *group, tess_star_table *optics, const tess_ctf *known)
{
    for (int64_t i = 0; i < tess_star_rows(optics); i++) {
        double size;
        TESS_TRY(tess_star_get_f64(&size, optics, i, "_rlnMicrographPixelSize"));
        if (size == known->pixel_size[1]) return *group = i + 1, TESS_OK;
    }
    *group = tess_star_rows(optics) + 1;
    return add_group(optics, known);
}

static tess_status fill_new(const micrographs *m, tess_star *star, bool has_phase)
{
    tess_star_table *optics, *rows;
    TESS_TRY(tess_star_add(&optics, star, "optics", false));
    TESS_TRY(tess_star_add(&rows, star, "micrographs", false));
    for (int64_t i = 0; i < m->n; i++) {
        const micrograph *one = &m->all[i];
        const int64_t     row = tess_star_rows(rows);
        int64_t           group = 0;
        if (!one->fitted) continue;
        TESS_TRY(group_of(&group, optics, &one->known));
        TESS_TRY(tess_star_add_rows(rows, 1));
        TESS_TRY(tess_star_set(rows, row, m->movies ? "_rlnMicrographMovieName" : "_rlnMicrographName", one->called));
        TESS_TRY(tess_star_set_i64(rows, row, "_rlnOpticsGroup", group));
        TESS_TRY(set_fit(rows, row, one, has_phase));
    }
    return TESS_OK;
}

/* ---- The input STAR file ---- */

/* Writes values of options for all rows: to the columns that have them, or to the optics groups. */
static tess_status set_options(const job *j, const ctf_star *s)
{
    static const char *const options[][2] = { { "voltage", "_rlnVoltage" },
                                              { "cs", "_rlnSphericalAberration" },
                                              { "amplitude", "_rlnAmplitudeContrast" },
                                              { "apix", "_rlnMicrographPixelSize" } };
    tess_star_table         *optics = tess_star_find(s->star, "optics");
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        if (!job_has(j, options[k][0])) continue;
        const bool       own = !optics || tess_star_column(s->rows, options[k][1]) >= 0;
        tess_star_table *where = own ? s->rows : optics;
        for (int64_t i = 0; i < tess_star_rows(where); i++)
            TESS_TRY(tess_star_set_f64(where, i, options[k][1], job_number(j, options[k][0], 0)));
    }
    return TESS_OK;
}

static tess_status fill_old(const micrographs *m, const job *j, bool has_phase)
{
    int64_t *kept = calloc((size_t)m->n, sizeof *kept), n = 0;
    TESS_CHECK(kept, TESS_ENOMEM, "%s: no memory for a list of %lld rows", m->star.path, (long long)m->n);
    tess_status status = set_options(j, &m->star);
    for (int64_t i = 0; i < m->n && status == TESS_OK; i++) {
        if (!m->all[i].fitted) continue;
        kept[n++] = m->all[i].row;
        status = set_fit(m->star.rows, m->all[i].row, &m->all[i], has_phase);
    }
    if (status == TESS_OK) status = tess_star_select(m->star.rows, kept, n);
    free(kept);
    return status;
}

tess_status micrographs_write_star(const micrographs *m, job *j, const char *path, bool has_phase)
{
    tess_star  *made = NULL;
    tess_status status;
    if (!m->star.star) TESS_TRY(tess_star_new(&made));
    TESS_GOTO(done, status, made ? fill_new(m, made, has_phase) : fill_old(m, j, has_phase));
    TESS_GOTO(done, status,
              tess_star_write(path, made ? made : m->star.star, &(tess_star_opts){ .overwrite = job_has(j, "force") }));
done:
    tess_star_free(made);
    return status;
}
