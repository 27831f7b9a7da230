/* Poses of particles in STAR files: Euler angles as quaternions, and origins in Å or pixels as shifts. */
#include <math.h>

#include "jobs/data/particles/particles.h"
#include "tessera/jobs/star_rows.h"
#include "tessera/rotation.h"

static const char *const angle_labels[] = { "_rlnAngleRot", "_rlnAngleTilt", "_rlnAnglePsi" };
static const char *const origin_labels[2][2] = { { "_rlnOriginYAngst", "_rlnOriginXAngst" },
                                                 { "_rlnOriginY", "_rlnOriginX" } };

/* ---- Reading ---- */

/* Optics groups of other pixel sizes would need images of other sizes. */
static tess_status check_pixel_sizes(const tess_particles *p)
{
    double first = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double size = 0;
        TESS_TRY_NOTE(tess_star_row_pixel_size(&size, p->star, p->rows, i), "of %s", p->name);
        if (i == 0) first = size;
        TESS_CHECK(fabs(size - first) <= 1e-4 * first, TESS_EARG,
                   "%s: line %lld has pixels of %g A, but the first row of %g A; all must have the same size", p->name,
                   (long long)tess_star_line(p->rows, i), size, first);
    }
    return TESS_OK;
}

static tess_status read_columns(tess_array *out, const tess_particles *p, const char *const *labels, int n,
                                double scale)
{
    TESS_TRY(tess_empty(out, TESS_SHAPE(p->n, 1, 1, n), TESS_F64, tess_cpu()));
    double *numbers = out->data;
    for (int64_t i = 0; i < p->n; i++)
        for (int k = 0; k < n; k++) {
            double *value = &numbers[i * n + k];
            TESS_TRY_NOTE(tess_star_get_f64(value, p->rows, i, labels[k]), "of %s", p->name);
            TESS_CHECK(isfinite(*value), TESS_EFORMAT, "%s: line %lld has %s %g; it must be finite", p->name,
                       (long long)tess_star_line(p->rows, i), labels[k], *value);
            *value *= scale;
        }
    return TESS_OK;
}

static tess_status read_shifts(tess_particles *p)
{
    for (int k = 0; k < 2; k++) {
        if (tess_star_column(p->rows, origin_labels[k][0]) < 0) continue;
        TESS_CHECK(k == 1 || p->pixel_size > 0, TESS_EARG,
                   "%s: the origins are in A, but the pixel size is not known; give `opts->pixel_size`", p->name);
        return read_columns(&p->shifts, p, origin_labels[k], 2, k ? 1 : 1 / p->pixel_size);
    }
    return tess_zeros(&p->shifts, TESS_SHAPE(p->n, 1, 1, 2), TESS_F64, tess_cpu());
}

tess_status tess__particles_read_poses(tess_particles *p)
{
    tess_array  angles = { 0 };
    tess_status status;
    TESS_GOTO(done, status, check_pixel_sizes(p));
    TESS_GOTO(done, status, read_columns(&angles, p, angle_labels, 3, 1));
    TESS_GOTO(done, status, tess_euler_to_quat(&p->rotations, &angles, &(tess_euler_opts){ .convention = "relion" }));
    TESS_GOTO(done, status, read_shifts(p));
done:
    tess_release(&angles);
    return status;
}

/* ---- Writing ---- */

tess_status tess__particles_put_angles(tess_particles *p)
{
    tess_array  angles = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_euler_from_quat(&angles, &p->rotations, &(tess_euler_opts){ .convention = "relion" }));
    for (int64_t i = 0; i < p->n; i++)
        for (int k = 0; k < 3; k++)
            TESS_GOTO(done, status, tess_star_set_f64(p->rows, i, angle_labels[k], ((double *)angles.data)[i * 3 + k]));
done:
    tess_release(&angles);
    return status;
}

tess_status tess__particles_put_origins(tess_particles *p)
{
    const bool   angstrom = p->pixel_size > 0 && tess_star_column(p->rows, origin_labels[1][0]) < 0;
    const double scale = angstrom ? p->pixel_size : 1;
    for (int64_t i = 0; i < p->n; i++)
        for (int k = 1; k >= 0; k--)
            TESS_TRY(tess_star_set_f64(p->rows, i, origin_labels[!angstrom][k],
                                       scale * ((double *)p->shifts.data)[i * 2 + k]));
    return TESS_OK;
}
