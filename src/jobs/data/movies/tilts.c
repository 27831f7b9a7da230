/* Geometry of tilt series: angles and the direction of the axis, of texts, mdoc files and STAR files. */
#include "tessera/jobs/tilts.h"

#include <math.h>
#include <string.h>

#include "io/text/text.h"
#include "jobs/run/context.h"
#include "tessera/constants.h"
#include "tessera/ewise.h"
#include "tessera/sidecar.h"
#include "tessera/star.h"

static const char fn[] = "tilt_series_read";

static bool ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* ---- mdoc ---- */

static tess_status angle_of_section(double *angle, const tess_mdoc *mdoc, const char *path, int64_t z)
{
    const int64_t section = tess_mdoc_find(mdoc, z);
    int           found = 0;
    TESS_CHECK(section >= 0 && tess_mdoc_get(mdoc, section, "TiltAngle"), TESS_EFORMAT,
               "%s: %s: no section [ZValue = %lld] with a TiltAngle", fn, path, (long long)z);
    return tess_mdoc_numbers(angle, 1, &found, mdoc, section, "TiltAngle");
}

/* "[T = Tilt axis angle = 85.3, binning = 1  spot = 8  camera = 0]", as SerialEM writes it. */
static void axis_of_titles(tess_tilt_series *series, const tess_mdoc *mdoc)
{
    static const char label[] = "Tilt axis angle = ";
    for (int64_t i = 0; i < tess_mdoc_sections(mdoc); i++) {
        const char *at = strstr(tess_mdoc_title(mdoc, i), label);
        double      degrees;
        if (!at) continue;
        at += sizeof label - 1;
        if (tess__text_f64(&degrees, at, (int64_t)strcspn(at, ", "))) series->axis = degrees * (TESS_PI / 180);
    }
}

static tess_status read_mdoc(tess_tilt_series *series, const char *path)
{
    tess_mdoc  *mdoc = NULL;
    tess_status status = TESS_OK;
    int64_t     n = 0;
    TESS_TRY(tess_mdoc_read(&mdoc, path));
    while (tess_mdoc_find(mdoc, n) >= 0) n++;
    status = n > 0 ? tess_empty(&series->angles, TESS_SHAPE(n, 1, 1, 1), TESS_F64, tess_cpu()) : TESS_OK;
    for (int64_t z = 0; z < n && status == TESS_OK; z++)
        status = angle_of_section((double *)series->angles.data + z, mdoc, path, z);
    axis_of_titles(series, mdoc);
    tess_mdoc_free(mdoc);
    TESS_CHECK(n > 0, TESS_EFORMAT,
               "%s: %s: there is no section [ZValue = 0]; the mdoc file of a tilt series is needed", fn, path);
    return status;
}

/* ---- STAR ---- */

static const tess_star_table *table_with(const tess_star *star, const char *label)
{
    for (int64_t i = 0; i < tess_star_count(star); i++)
        if (tess_star_column(tess_star_at(star, i), label) >= 0) return tess_star_at(star, i);
    return NULL;
}

static tess_status read_stage(tess_tilt_series *series, const tess_star_table *rows, const char *label)
{
    static const char axis[] = "rlnTomoNominalTiltAxisAngle";
    double            degrees;
    TESS_TRY(tess_star_numbers(&series->angles, rows, label));
    if (tess_star_rows(rows) == 0 || tess_star_column(rows, axis) < 0) return TESS_OK;
    TESS_TRY(tess_star_get_f64(&degrees, rows, 0, axis));
    series->axis = degrees * (TESS_PI / 180);
    return TESS_OK;
}

/* Poses of RELION that are tilts about y: a rotation of the view is the opposite one of the specimen. */
static tess_status read_poses(tess_tilt_series *series, const tess_star_table *rows, const char *path)
{
    static const char *const others[] = { "rlnAngleRot", "rlnAnglePsi" };
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < tess_star_rows(rows) && tess_star_column(rows, others[k]) >= 0; i++) {
            double angle;
            TESS_TRY(tess_star_get_f64(&angle, rows, i, others[k]));
            TESS_CHECK(
                fabs(angle) < 1e-6, TESS_EARG,
                "%s: %s: line %lld has %s %g; it must be 0 for tilts about y (`tess_reconstruct` takes any angles)", fn,
                path, (long long)tess_star_line(rows, i), others[k], angle);
        }
    series->axis = 0;
    TESS_TRY(tess_star_numbers(&series->angles, rows, "rlnAngleTilt"));
    return tess_neg(&series->angles, &series->angles);
}

static tess_status read_star(tess_tilt_series *series, const char *path)
{
    static const char nominal[] = "rlnTomoNominalStageTiltAngle";
    tess_star        *star = NULL;
    tess_status       status = TESS_OK;
    TESS_TRY(tess_star_read(&star, path));
    const tess_star_table *of_stage = table_with(star, nominal), *of_poses = table_with(star, "rlnAngleTilt");
    if (of_stage) status = read_stage(series, of_stage, nominal);
    else if (of_poses) status = read_poses(series, of_poses, path);
    tess_star_free(star);
    TESS_CHECK(of_stage || of_poses, TESS_EFORMAT, "%s: %s: no table has a column _%s or _rlnAngleTilt", fn, path,
               nominal);
    return status;
}

/* ---- All ---- */

static tess_status read_any(tess_tilt_series *series, const char *path)
{
    if (ends_in(path, ".mdoc")) return read_mdoc(series, path);
    if (ends_in(path, ".star")) return read_star(series, path);
    return tess_tilts_read(&series->angles, path, 0);
}

tess_status tess_tilt_series_read(tess_tilt_series *series, const char *path)
{
    TESS_CHECK(series, TESS_EARG, "%s: `series` is `NULL`", fn);
    TESS_CHECK(!series->angles.data, TESS_EARG, "%s: `series` is not zeroed; a zeroed or released one is expected", fn);
    TESS_CHECK(path, TESS_EARG, "%s: `path` is `NULL`", fn);
    series->axis = (double)NAN;
    const tess_status status = read_any(series, path);
    if (status != TESS_OK) tess_tilt_series_release(series);
    return status;
}

void tess_tilt_series_release(tess_tilt_series *series)
{
    if (!series) return;
    tess_release(&series->angles);
    memset(series, 0, sizeof *series);
}
