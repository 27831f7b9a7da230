/* STAR files of what was simulated. */
#include "particles/truth_star.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/outputs/output.h"
#include "files/star_file.h"
#include "files/outputs/target.h"

tess_status truth_star_check(job *j)
{
    const char *path = job_text(j, "star", NULL);
    TESS_CHECK(path, TESS_EARG, "%s: --star is required: the STAR file of the ground truth", j->verb->name);
    const size_t n = strlen(path);
    TESS_CHECK(n > 5 && strcmp(path + n - 5, ".star") == 0, TESS_EARG, "%s: --star is %s; the name must end with .star",
               j->verb->name, path);
    return TESS_OK;
}

char *truth_star_images(const job *j)
{
    target *t = NULL;
    if (target_parse(&t, j, job_text(j, "output", "")) != TESS_OK) return NULL;
    char *path = malloc(strlen(t->path) + 1);
    if (path) memcpy(path, t->path, strlen(t->path) + 1);
    target_free(t);
    return path;
}

tess_status truth_star_optics(tess_star *star, const tess_ctf *ctf, int64_t box)
{
    tess_star_table *optics;
    TESS_TRY(tess_star_add(&optics, star, "optics", false));
    TESS_TRY(tess_star_add_rows(optics, 1));
    TESS_TRY(tess_star_set(optics, 0, "_rlnOpticsGroupName", "opticsGroup1"));
    TESS_TRY(tess_star_set_i64(optics, 0, "_rlnOpticsGroup", 1));
    TESS_TRY(tess_star_set_f64(optics, 0, "_rlnVoltage", ctf->voltage));
    TESS_TRY(tess_star_set_f64(optics, 0, "_rlnSphericalAberration", ctf->cs));
    TESS_TRY(tess_star_set_f64(optics, 0, "_rlnAmplitudeContrast", ctf->amplitude));
    TESS_TRY(tess_star_set_f64(optics, 0, "_rlnMicrographPixelSize", ctf->pixel_size[1]));
    if (box == 0) return TESS_OK;
    TESS_TRY(tess_star_set_f64(optics, 0, "_rlnImagePixelSize", ctf->pixel_size[1]));
    TESS_TRY(tess_star_set_i64(optics, 0, "_rlnImageSize", box));
    return tess_star_set_i64(optics, 0, "_rlnImageDimensionality", 2);
}

tess_status truth_star_ctf(tess_star_table *rows, int64_t row, const tess_ctf *ctf)
{
    const double degrees = 180 / TESS_PI;
    TESS_TRY(tess_star_set_f64(rows, row, "_rlnDefocusU", round(1e6 * (ctf->defocus + ctf->astigmatism)) / 100));
    TESS_TRY(tess_star_set_f64(rows, row, "_rlnDefocusV", round(1e6 * (ctf->defocus - ctf->astigmatism)) / 100));
    return tess_star_set_f64(rows, row, "_rlnDefocusAngle", round(1e4 * degrees * ctf->angle) / 1e4);
}

tess_status truth_star_angles(tess_star_table *rows, int64_t row, const double angles[3])
{
    TESS_TRY(tess_star_set_f64(rows, row, "_rlnAngleRot", angles[0]));
    TESS_TRY(tess_star_set_f64(rows, row, "_rlnAngleTilt", angles[1]));
    return tess_star_set_f64(rows, row, "_rlnAnglePsi", angles[2]);
}

tess_status truth_star_write(const job *j, const tess_star *star)
{
    return star_file_write(job_text(j, "star", ""), star, j);
}
