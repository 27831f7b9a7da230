/* The fields of cryoSPARC that have a column in RELION, with their units; cells as numbers. */
#include "io/text/cryosparc/columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/check/text.h"
#include "io/text/text.h"
#include "tessera/constants.h"

#define DEGREES (180 / TESS_PI)

const tess__cs_link tess__cs_links[] = {
    { "ctf/accel_kv", "rlnVoltage", 1, 0, true },
    { "ctf/cs_mm", "rlnSphericalAberration", 1, 0, true },
    { "ctf/amp_contrast", "rlnAmplitudeContrast", 1, 0, true },
    { "blob/psize_A", "rlnImagePixelSize", 1, 0, true },
    { "ctf/df1_A", "rlnDefocusU", 1, 0, false },
    { "ctf/df2_A", "rlnDefocusV", 1, 0, false },
    { "ctf/df_angle_rad", "rlnDefocusAngle", DEGREES, 0, false },
    { "ctf/phase_shift_rad", "rlnPhaseShift", DEGREES, 0, false },
    { "ctf/bfactor", "rlnCtfBfactor", 1, 0, false },
    { "ctf/scale", "rlnCtfScalefactor", 1, 0, false },
    { "alignments2D/class", "rlnClassNumber", 1, 1, false },
    { "alignments3D/split", "rlnRandomSubset", 1, 1, false },
    { "alignments3D/class", "rlnClassNumber", 1, 1, false },
};
const int tess__cs_n_links = sizeof tess__cs_links / sizeof *tess__cs_links;

tess_status tess__cs_number(double *value, const char *fn, const tess_star_table *t, int64_t row, int64_t column)
{
    if (column < 0) return TESS_OK;
    const char *text = t->cells[row * t->n_columns + column];
    TESS_CHECK(tess__text_f64(value, text, (int64_t)strlen(text)), TESS_EFORMAT,
               "%s: %s: row %" PRId64 ": %s is \"%.60s\"; expected a number", fn,
               t->star->path ? t->star->path : "star", row, t->labels[column] + 1, text);
    return TESS_OK;
}

tess_status tess__cs_set(tess_star_table *t, int64_t row, int64_t column, const char *text)
{
    char *copy;
    TESS_TRY(tess__star_keep_text(&copy, t->star, text, (int64_t)strlen(text)));
    t->cells[row * t->n_columns + column] = copy;
    return TESS_OK;
}

tess_status tess__cs_set_number(tess_star_table *t, int64_t row, int64_t column, double value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.10g", value);
    for (char *c = text; *c; c++)
        if (*c == ',') *c = '.';
    return tess__cs_set(t, row, column, text);
}

tess_status tess__cs_column(int64_t *column, tess_star_table *t, const char *label)
{
    *column = tess_star_column(t, label);
    if (*column < 0) TESS_TRY(tess_star_add_column(t, label, "0"));
    *column = tess_star_column(t, label);
    return TESS_OK;
}

tess_status tess__cs_transfer(tess_star_table *to, int64_t to_column, const tess_star_table *from, int64_t from_row,
                              int64_t row, const tess__cs_link *scaled, int64_t from_column)
{
    double value = 0;
    if (scaled->scale == 1 && scaled->offset == 0)
        return tess__cs_set(to, row, to_column, from->cells[from_row * from->n_columns + from_column]);
    TESS_TRY(tess__cs_number(&value, "star_convert", from, from_row, from_column));
    return tess__cs_set_number(to, row, to_column, value * scaled->scale + scaled->offset);
}
