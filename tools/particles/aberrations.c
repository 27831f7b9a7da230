/* Beam tilt of STAR files, and aberrations that are not used. */
#include "particles/aberrations.h"

#include <math.h>

#include "particles/optics.h"

tess_status star_beam_tilt(double tilt[2], const tess_star *star, const tess_star_table *rows, int64_t row)
{
    static const char *const labels[] = { "_rlnBeamTiltY", "_rlnBeamTiltX" };
    for (int k = 0; k < 2; k++) {
        double value = 0;
        bool   found;
        TESS_TRY(star_number(&value, &found, star, rows, row, labels[k]));
        TESS_CHECK(isfinite(value), TESS_EFORMAT, "line %lld has %s %g; a finite number of mrad is needed",
                   (long long)tess_star_line(rows, row), labels[k], value);
        tilt[k] =
            -value; /* RELION's images are projections times exp(-i phase), those of tess_ctf times exp(i phase) */
    }
    return TESS_OK;
}

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

void warn_of_aberrations(job *j, const tess_star *star, const tess_star_table *rows, const char *path)
{
    static const char *const labels[] = { "_rlnOddZernike", "_rlnEvenZernike", "_rlnMagMat00",
                                          "_rlnMagMat01",   "_rlnMagMat10",    "_rlnMagMat11" };
    static const char *const fields[] = { "ctf/tilt_A", "ctf/shift_A", "ctf/trefoil_A", "ctf/tetrafoil_A",
                                          "ctf/anisomag" };
    const tess_star_table   *optics = tess_star_find(star, "optics");
    char                     named[200] = "";
    size_t                   used = 0;
    int                      n = 0;
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        if (tess_star_column(rows, labels[i]) < 0 && (!optics || tess_star_column(optics, labels[i]) < 0)) continue;
        used += (size_t)snprintf(named + used, sizeof named - used, "%s%s", n++ ? ", " : "", labels[i]);
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (has_values(rows, fields[i]))
            used += (size_t)snprintf(named + used, sizeof named - used, "%s%s", n++ ? ", " : "", fields[i]);
    if (n > 0) job_warn(j, "%s: %s %s not used", path, named, n > 1 ? "are" : "is");
}
