/* Numbers of the rows of STAR files, their own or those of their optics groups. */
#include "particles/optics.h"

/* The row of the optics table that a row belongs to; -1 if there is none. A table of one group needs no numbers. */
static tess_status optics_row(int64_t *found, const tess_star_table *optics, const tess_star_table *rows, int64_t row)
{
    static const char label[] = "_rlnOpticsGroup";
    int64_t           group, other;
    *found = tess_star_rows(optics) == 1 ? 0 : -1;
    if (tess_star_column(rows, label) < 0 || tess_star_column(optics, label) < 0) return TESS_OK;
    TESS_TRY(tess_star_get_i64(&group, rows, row, label));
    for (int64_t i = 0; i < tess_star_rows(optics); i++) {
        TESS_TRY(tess_star_get_i64(&other, optics, i, label));
        if (other == group) return *found = i, TESS_OK;
    }
    TESS_FAIL(TESS_EFORMAT, "line %lld: its optics group is %lld, which the optics table does not have",
              (long long)tess_star_line(rows, row), (long long)group);
}

tess_status star_number(double *value, bool *found, const tess_star *star, const tess_star_table *rows, int64_t row,
                        const char *label)
{
    const tess_star_table *optics = tess_star_find(star, "optics");
    int64_t                group = -1;
    *found = tess_star_column(rows, label) >= 0;
    if (*found) return tess_star_get_f64(value, rows, row, label);
    if (!optics || tess_star_column(optics, label) < 0) return TESS_OK;
    TESS_TRY(optics_row(&group, optics, rows, row));
    *found = group >= 0;
    return *found ? tess_star_get_f64(value, optics, group, label) : TESS_OK;
}

tess_status star_pixel_size(double *angstrom, const tess_star *star, const tess_star_table *rows, int64_t row)
{
    static const char *const labels[] = { "_rlnImagePixelSize", "_rlnMicrographPixelSize" };
    const bool               is_micrograph = tess_star_column(rows, "_rlnImageName") < 0;
    double                   detector, magnification;
    bool                     found, has_magnification;
    *angstrom = 0;
    TESS_TRY(star_number(angstrom, &found, star, rows, row, labels[is_micrograph]));
    if (found) return TESS_OK;
    TESS_TRY(star_number(&detector, &found, star, rows, row, "_rlnDetectorPixelSize")); /* in micrometres */
    TESS_TRY(star_number(&magnification, &has_magnification, star, rows, row, "_rlnMagnification"));
    if (found && has_magnification && magnification > 0) *angstrom = 1e4 * detector / magnification;
    return TESS_OK;
}
