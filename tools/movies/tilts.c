/* Tilt angles of texts, mdoc files and STAR files. */
#include "movies/tilts.h"

#include <math.h>
#include <string.h>

#include "tessera/sidecar.h"
#include "tessera/star.h"

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
               "%s: there is no TiltAngle of a section [ZValue = %lld]", path, (long long)z);
    return tess_mdoc_numbers(angle, 1, &found, mdoc, section, "TiltAngle");
}

static tess_status angles_of_mdoc(tess_array *tilts, const char *path)
{
    tess_mdoc  *mdoc = NULL;
    tess_status status = TESS_OK;
    int64_t     n = 0;
    TESS_TRY(tess_mdoc_read(&mdoc, path));
    while (tess_mdoc_find(mdoc, n) >= 0) n++;
    status = n > 0 ? tess_empty(tilts, TESS_SHAPE(n, 1, 1, 1), TESS_F64, tess_cpu()) : TESS_OK;
    for (int64_t z = 0; z < n && status == TESS_OK; z++)
        status = angle_of_section((double *)tilts->data + z, mdoc, path, z);
    tess_mdoc_free(mdoc);
    TESS_CHECK(n > 0, TESS_EFORMAT, "%s: there is no section [ZValue = 0]; that of a tilt series is needed", path);
    return status;
}

/* ---- STAR ---- */

static const tess_star_table *table_with(const tess_star *star, const char *label)
{
    for (int64_t i = 0; i < tess_star_count(star); i++)
        if (tess_star_column(tess_star_at(star, i), label) >= 0) return tess_star_at(star, i);
    return NULL;
}

/* Poses of RELION that are tilts about y: a rotation of the view is the opposite one of the specimen. */
static tess_status angles_of_poses(tess_array *tilts, const tess_star_table *rows, const char *path)
{
    static const char *const others[] = { "rlnAngleRot", "rlnAnglePsi" };
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < tess_star_rows(rows) && tess_star_column(rows, others[k]) >= 0; i++) {
            double angle;
            TESS_TRY(tess_star_get_f64(&angle, rows, i, others[k]));
            TESS_CHECK(fabs(angle) < 1e-6, TESS_EARG,
                       "%s: line %lld has %s %g; tilts about y have 0 (tessera reconstruct takes any angles)", path,
                       (long long)tess_star_line(rows, i), others[k], angle);
        }
    TESS_TRY(tess_star_numbers(tilts, rows, "rlnAngleTilt"));
    return tess_neg(tilts, tilts);
}

static tess_status angles_of_star(tess_array *tilts, const char *path)
{
    static const char nominal[] = "rlnTomoNominalStageTiltAngle";
    tess_star        *star = NULL;
    tess_status       status;
    TESS_TRY(tess_star_read(&star, path));
    const tess_star_table *of_stage = table_with(star, nominal), *of_poses = table_with(star, "rlnAngleTilt");
    if (of_stage) status = tess_star_numbers(tilts, of_stage, nominal);
    else status = of_poses ? angles_of_poses(tilts, of_poses, path) : TESS_OK;
    tess_star_free(star);
    TESS_CHECK(of_stage || of_poses, TESS_EFORMAT, "%s: no table has a column _%s or _rlnAngleTilt", path, nominal);
    return status;
}

/* ---- All ---- */

tess_status tilts_of_file(tess_array *tilts, const char *path)
{
    if (ends_in(path, ".mdoc")) return angles_of_mdoc(tilts, path);
    if (ends_in(path, ".star")) return angles_of_star(tilts, path);
    return tess_tilts_read(tilts, path, 0);
}

/* Of the images that were chosen, in their order. */
static tess_status choose(tess_array *numbers, const input *in)
{
    double    *all = numbers->data;
    tess_array some = { 0 };
    TESS_TRY(tess_empty(&some, TESS_SHAPE(in->n_chosen, 1, 1, 1), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < in->n_chosen; i++) ((double *)some.data)[i] = all[in->chosen[i]];
    tess_release(numbers);
    *numbers = some;
    return TESS_OK;
}

tess_status keep_those_of_images(tess_array *numbers, const char *path, const char *kind, const input *in)
{
    const int64_t images = in->info.shape.b, all = in->file ? tess_file_info(in->file)->shape.b : images;
    const int64_t n = numbers->shape.b;
    if (n == all && in->chosen) return choose(numbers, in);
    TESS_CHECK(n == images, TESS_EARG, "%s has %lld %s; there are %lld images in %s", path, (long long)n, kind,
               (long long)images, in->name);
    return TESS_OK;
}

tess_status tilts_of_images(tess_array *tilts, const char *path, const input *in)
{
    TESS_TRY(tilts_of_file(tilts, path));
    return keep_those_of_images(tilts, path, "tilts", in);
}
