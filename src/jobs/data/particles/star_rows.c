/* Rows of STAR files: numbers in a column of their own, or in the optics table as RELION has it since 3.1. */
#include "tessera/jobs/star_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/check/check.h"
#include "io/text/star.h"
#include "jobs/run/context.h"

/* ---- Optics groups ---- */

/* The row of the optics table that a row belongs to; -1 if there is none. A table of one group needs no numbers. */
static tess_status optics_row(int64_t *found, const tess_star_table *optics, const tess_star_table *rows, int64_t row)
{
    static const char label[] = "_rlnOpticsGroup";
    char              text[160];
    int64_t           group, other;
    *found = tess_star_rows(optics) == 1 ? 0 : -1;
    if (tess_star_column(rows, label) < 0 || tess_star_column(optics, label) < 0) return TESS_OK;
    TESS_TRY(tess_star_get_i64(&group, rows, row, label));
    for (int64_t i = 0; i < tess_star_rows(optics); i++) {
        TESS_TRY(tess_star_get_i64(&other, optics, i, label));
        if (other == group) return *found = i, TESS_OK;
    }
    TESS_FAIL(TESS_EFORMAT, "%s: its optics group %lld is not in the optics table",
              tess__star_location(text, rows, row), (long long)group);
}

tess_status tess_star_row_number(double *value, bool *found, const tess_star *star, const tess_star_table *rows,
                                 int64_t row, const char *label)
{
    static const char fn[] = "star_row_number";
    TESS_TRY(tess__check_pointer(fn, "value", value));
    TESS_TRY(tess__check_pointer(fn, "found", found));
    TESS_TRY(tess__check_pointer(fn, "star", star));
    TESS_TRY(tess__check_pointer(fn, "rows", rows));
    TESS_TRY(tess__check_pointer(fn, "label", label));
    const tess_star_table *optics = tess_star_find(star, "optics");
    int64_t                group = -1;
    *found = tess_star_column(rows, label) >= 0;
    if (*found) return tess_star_get_f64(value, rows, row, label);
    if (!optics || tess_star_column(optics, label) < 0) return TESS_OK;
    TESS_TRY(optics_row(&group, optics, rows, row));
    *found = group >= 0;
    return *found ? tess_star_get_f64(value, optics, group, label) : TESS_OK;
}

/* ---- Pixel size and beam tilt ---- */

tess_status tess_star_row_pixel_size(double *size, const tess_star *star, const tess_star_table *rows, int64_t row)
{
    static const char *const labels[] = { "_rlnImagePixelSize", "_rlnMicrographPixelSize" };
    const bool               is_micrograph = tess_star_column(rows, "_rlnImageName") < 0;
    double                   detector, magnification;
    bool                     found, has_magnification;
    TESS_TRY(tess__check_pointer("star_row_pixel_size", "size", size));
    *size = 0;
    TESS_TRY(tess_star_row_number(size, &found, star, rows, row, labels[is_micrograph]));
    if (found) return TESS_OK;
    TESS_TRY(tess_star_row_number(&detector, &found, star, rows, row, "_rlnDetectorPixelSize")); /* in micrometres */
    TESS_TRY(tess_star_row_number(&magnification, &has_magnification, star, rows, row, "_rlnMagnification"));
    if (found && has_magnification && magnification > 0) *size = 1e4 * detector / magnification;
    return TESS_OK;
}

tess_status tess_star_row_beam_tilt(double tilt[2], const tess_star *star, const tess_star_table *rows, int64_t row)
{
    static const char *const labels[] = { "_rlnBeamTiltY", "_rlnBeamTiltX" };
    char                     text[160];
    TESS_TRY(tess__check_pointer("star_row_beam_tilt", "tilt", tilt));
    for (int k = 0; k < 2; k++) {
        double value = 0;
        bool   found;
        TESS_TRY(tess_star_row_number(&value, &found, star, rows, row, labels[k]));
        TESS_CHECK(isfinite(value), TESS_EFORMAT, "%s: %s is %g; it must be a finite number of mrad",
                   tess__star_location(text, rows, row), labels[k], value);
        /* RELION's images are projections times exp(-i phase), those of tess_ctf times exp(i phase). */
        tilt[k] = -value;
    }
    return TESS_OK;
}

/* ---- Aberrations that are not used ---- */

/* Has a field of cryoSPARC's, of several values, one that is not 0? */
static bool has_values(const tess_star_table *rows, const char *field)
{
    char   label[40];
    double value;
    for (int k = 0; k < 4; k++) {
        (void)snprintf(label, sizeof label, "%s_%d", field, k);
        for (int64_t r = 0; tess_star_column(rows, label) >= 0 && r < tess_star_rows(rows); r++)
            if (tess_star_get_f64(&value, rows, r, label) == TESS_OK && (value < 0 || value > 0)) return true;
    }
    tess_error_clear();
    return false;
}

void tess_star_warn_of_aberrations(const tess_star *star, const tess_star_table *rows, const char *path,
                                   const tess_context *context)
{
    static const char *const labels[] = { "_rlnOddZernike", "_rlnEvenZernike", "_rlnMagMat00",
                                          "_rlnMagMat01",   "_rlnMagMat10",    "_rlnMagMat11" };
    static const char *const fields[] = { "ctf/tilt_A", "ctf/shift_A", "ctf/trefoil_A", "ctf/tetrafoil_A",
                                          "ctf/anisomag" };
    char                     named[200] = "";
    size_t                   used = 0;
    int                      n = 0;
    if (!star || !rows || !context) return;
    const tess_star_table *optics = tess_star_find(star, "optics");
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        if (tess_star_column(rows, labels[i]) < 0 && (!optics || tess_star_column(optics, labels[i]) < 0)) continue;
        used += (size_t)snprintf(named + used, sizeof named - used, "%s%s", n++ ? ", " : "", labels[i]);
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (has_values(rows, fields[i]))
            used += (size_t)snprintf(named + used, sizeof named - used, "%s%s", n++ ? ", " : "", fields[i]);
    if (n > 0) tess__warn(context, "%s: %s %s not used", path, named, n > 1 ? "are" : "is");
}
