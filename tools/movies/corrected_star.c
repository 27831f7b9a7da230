/* The STAR file of corrected micrographs. */
#include "movies/corrected_star.h"

#include <math.h>
#include <stdio.h>

enum { KEYS = 4 };
static const char *const labels[KEYS] = { "_rlnMicrographOriginalPixelSize", "_rlnVoltage", "_rlnSphericalAberration",
                                          "_rlnAmplitudeContrast" };

static tess_status is_group(bool *same, tess_star_table *optics, int64_t row, const double values[KEYS])
{
    *same = true;
    for (int k = 0; k < KEYS; k++) {
        double value;
        TESS_TRY(tess_star_get_f64(&value, optics, row, labels[k]));
        *same = *same && value == values[k];
    }
    return TESS_OK;
}

/* The optics group of a micrograph, from 1. */
static tess_status find_group(int64_t *group, tess_star_table *optics, const corrected_micrograph *m)
{
    const double  values[KEYS] = { m->pixel_size, m->voltage, m->cs, m->amplitude };
    const int64_t n = tess_star_rows(optics);
    char          name[40];
    for (int64_t i = 0; i < n; i++) {
        bool same;
        TESS_TRY(is_group(&same, optics, i, values));
        if (same) return *group = i + 1, TESS_OK;
    }
    *group = n + 1;
    (void)snprintf(name, sizeof name, "opticsGroup%lld", (long long)*group);
    TESS_TRY(tess_star_add_rows(optics, 1));
    TESS_TRY(tess_star_set(optics, n, "_rlnOpticsGroupName", name));
    TESS_TRY(tess_star_set_i64(optics, n, "_rlnOpticsGroup", *group));
    for (int k = 0; k < KEYS; k++) TESS_TRY(tess_star_set_f64(optics, n, labels[k], values[k]));
    return tess_star_set_f64(optics, n, "_rlnMicrographPixelSize", m->pixel_size);
}

/* To a thousandth of an Å: motion is not known better. */
static tess_status set_way(tess_star_table *rows, int64_t row, const char *label, double way)
{
    return tess_star_set_f64(rows, row, label, round(1000 * way) / 1000);
}

static tess_status set_row(tess_star_table *rows, int64_t row, const corrected_micrograph *m, int64_t group)
{
    if (m->unweighted) TESS_TRY(tess_star_set(rows, row, "_rlnMicrographNameNoDW", m->unweighted));
    TESS_TRY(tess_star_set(rows, row, "_rlnMicrographName", m->name));
    if (m->metadata) TESS_TRY(tess_star_set(rows, row, "_rlnMicrographMetadata", m->metadata));
    TESS_TRY(tess_star_set_i64(rows, row, "_rlnOpticsGroup", group));
    TESS_TRY(set_way(rows, row, "_rlnAccumMotionTotal", m->early + m->late));
    TESS_TRY(set_way(rows, row, "_rlnAccumMotionEarly", m->early));
    TESS_TRY(set_way(rows, row, "_rlnAccumMotionLate", m->late));
    TESS_TRY(tess_star_set_i64(rows, row, "_tessPatches", m->patches));
    return tess_star_set_i64(rows, row, "_tessLocalModel", m->has_model ? 1 : 0);
}

tess_status corrected_star_add(tess_star **star, const corrected_micrograph *m)
{
    tess_star_table *optics, *rows;
    int64_t          group = 0;
    if (!*star) {
        TESS_TRY(tess_star_new(star));
        TESS_TRY(tess_star_add(&optics, *star, "optics", false));
        TESS_TRY(tess_star_add(&rows, *star, "micrographs", false));
    }
    optics = tess_star_find(*star, "optics");
    rows = tess_star_find(*star, "micrographs");
    TESS_TRY(find_group(&group, optics, m));
    TESS_TRY(tess_star_add_rows(rows, 1));
    return set_row(rows, tess_star_rows(rows) - 1, m, group);
}
