/* CTFs of particles in STAR files: defoci of rows, voltage and so on of their optics groups. */
#include <math.h>
#include <string.h>

#include "core/device/memory.h"
#include "jobs/data/particles/particles.h"
#include "tessera/constants.h"
#include "tessera/ctf.h"
#include "tessera/jobs/star_rows.h"

#define RADIANS (TESS_PI / 180)

enum { EVEN_COLUMNS = offsetof(tess_ctf, tetrafoil) / sizeof(double) };

/* A number of a particle, in its row or in that of its optics group; `fallback` where it is in neither, or an error if
 * that is NaN. */
static tess_status number_of(double *value, const tess_particles *p, int64_t i, const char *label, double fallback)
{
    bool found;
    TESS_TRY_NOTE(tess_star_row_number(value, &found, p->star, p->rows, i, label), "of %s", p->name);
    if (found) return TESS_OK;
    TESS_CHECK(!isnan(fallback), TESS_EFORMAT, "%s: line %lld has no %s, neither in its table nor in its optics group",
               p->name, (long long)tess_star_line(p->rows, i), label);
    *value = fallback;
    return TESS_OK;
}

/* That of the row in a file of several, unless the caller gave one. */
static tess_status find_pixel_size(double *size, const tess_particles *p, int64_t i, bool is_given)
{
    *size = 0;
    if (!is_given) TESS_TRY_NOTE(tess_star_row_pixel_size(size, p->star, p->rows, i), "of %s", p->name);
    if (!(*size > 0)) *size = p->pixel_size;
    return TESS_OK;
}

static tess_status read_voltage(double *voltage, const tess_particles *p, int64_t i)
{
    TESS_TRY(number_of(voltage, p, i, "_rlnVoltage", NAN));
    TESS_CHECK(*voltage > 0, TESS_EFORMAT, "%s: line %lld has _rlnVoltage %g; it must be above 0", p->name,
               (long long)tess_star_line(p->rows, i), *voltage);
    return TESS_OK;
}

static tess_status read_ctf(tess_ctf *ctf, const tess_particles *p, int64_t i, bool size_is_given)
{
    double u, v, angle, degrees, size;
    TESS_TRY(find_pixel_size(&size, p, i, size_is_given));
    *ctf = (tess_ctf){ .pixel_size = { size, size } };
    TESS_TRY(number_of(&u, p, i, "_rlnDefocusU", NAN));
    TESS_TRY(number_of(&v, p, i, "_rlnDefocusV", u));
    TESS_TRY(number_of(&angle, p, i, "_rlnDefocusAngle", 0));
    TESS_TRY(read_voltage(&ctf->voltage, p, i));
    TESS_TRY(number_of(&ctf->cs, p, i, "_rlnSphericalAberration", NAN));
    TESS_TRY(number_of(&ctf->amplitude, p, i, "_rlnAmplitudeContrast", NAN));
    TESS_TRY(number_of(&degrees, p, i, "_rlnPhaseShift", 0));
    TESS_TRY(number_of(&ctf->bfactor, p, i, "_rlnCtfBfactor", 0));
    TESS_TRY(number_of(&ctf->scale, p, i, "_rlnCtfScalefactor", 1));
    if (ctf->scale == 0) ctf->scale = TESS_ZERO;
    tess_ctf_set_defoci(ctf, u * 1e-4, v * 1e-4, angle * RADIANS);
    TESS_TRY_NOTE(tess_star_row_beam_tilt(ctf->tilt, p->star, p->rows, i), "of %s", p->name);
    ctf->phase_shift = degrees * RADIANS;
    return TESS_OK;
}

/* Without tilts, rows are as short as they can be. */
static tess_status keep_ctfs(tess_particles *p, const tess_ctf *ctfs, bool is_tilted)
{
    const int64_t columns = is_tilted ? TESS_CTF_COLUMNS : EVEN_COLUMNS;
    TESS_TRY(tess_empty(&p->ctfs, TESS_SHAPE(p->n, 1, 1, columns), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < p->n; i++)
        memcpy((double *)p->ctfs.data + i * columns, &ctfs[i], (size_t)columns * sizeof(double));
    return TESS_OK;
}

tess_status tess__particles_read_ctfs(tess_particles *p, bool size_is_given, const tess_context *context)
{
    TESS_CHECK(p->pixel_size > 0, TESS_EARG,
               "%s: the pixel size is not known, but a CTF requires it; give `opts->pixel_size`", p->name);
    tess_star_warn_of_aberrations(p->star, p->rows, p->name, context);
    tess_ctf *ctfs = tess__alloc((size_t)p->n * sizeof *ctfs);
    TESS_CHECK(ctfs, TESS_ENOMEM, "%s: out of memory for CTFs of %lld rows", p->name, (long long)p->n);
    tess_status status = TESS_OK;
    bool        is_tilted = false;
    for (int64_t i = 0; i < p->n && status == TESS_OK; i++) {
        status = read_ctf(&ctfs[i], p, i, size_is_given);
        is_tilted = is_tilted || ctfs[i].tilt[0] != 0 || ctfs[i].tilt[1] != 0;
    }
    if (status == TESS_OK) status = keep_ctfs(p, ctfs, is_tilted);
    tess__free(ctfs);
    return status;
}
