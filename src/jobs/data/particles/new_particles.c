/* Particles made from arrays: a new document with a table of particles and one of the optics groups that CTFs have. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"
#include "jobs/data/particles/particle_rows.h"
#include "jobs/data/particles/particles.h"
#include "tessera/constants.h"
#include "tessera/ctf.h"

#define DEGREES (180 / TESS_PI)

static const char fn[] = "particles_new";

/* ---- Tables of the caller ---- */

static tess_status take_tables(tess_particles *p, const tess_particles *arrays)
{
    const struct {
        const char       *name;
        const tess_array *from;
        tess_array       *to;
        int64_t           least, most;
    } tables[] = {
        { "arrays->rotations", &arrays->rotations, &p->rotations, 4, 4 },
        { "arrays->shifts", &arrays->shifts, &p->shifts, 2, 2 },
        { "arrays->ctfs", &arrays->ctfs, &p->ctfs, TESS_CTF_MIN_COLUMNS, TESS_CTF_COLUMNS },
        { "arrays->halves", &arrays->halves, &p->halves, 1, 1 },
    };
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        const tess__rows_wanted wanted = { fn, tables[k].name, p->n, tables[k].least, tables[k].most };
        const bool              is_there = tables[k].from->data || tables[k].from->buffer;
        if (is_there) TESS_TRY(tess__particle_rows(tables[k].to, tables[k].from, &wanted));
    }
    TESS_TRY(tess__check_quaternions(fn, "arrays->rotations", &p->rotations));
    for (int64_t i = 0; p->halves.data && i < p->n; i++) {
        const double half = ((const double *)p->halves.data)[i];
        TESS_CHECK(half == 1 || half == 2, TESS_ERANGE, "%s: row %lld of `arrays->halves` is %g; 1 or 2 is expected",
                   fn, (long long)i, half);
    }
    return p->shifts.data ? TESS_OK : tess_zeros(&p->shifts, TESS_SHAPE(p->n, 1, 1, 2), TESS_F64, tess_cpu());
}

/* ---- Optics groups ---- */

static tess_ctf ctf_of(const tess_particles *p, int64_t i)
{
    const int64_t columns = p->ctfs.shape.w;
    tess_ctf      ctf = { .voltage = 0 };
    memcpy(&ctf, (const double *)p->ctfs.data + i * columns, sizeof(double) * (size_t)columns);
    if (ctf.voltage == 0) ctf.voltage = 300; /* the defaults of a tess_ctf; TESS_ZERO is 0 */
    if (ctf.scale == 0) ctf.scale = signbit(ctf.scale) ? 0 : 1;
    return ctf;
}

static bool is_same_microscope(const tess_ctf *a, const tess_ctf *b)
{
    return a->voltage == b->voltage && a->cs == b->cs && a->amplitude == b->amplitude && a->tilt[0] == b->tilt[0] &&
           a->tilt[1] == b->tilt[1];
}

static tess_status add_microscope(tess_star_table *optics, int64_t row, const tess_ctf *ctf)
{
    TESS_TRY(tess_star_set_f64(optics, row, "_rlnVoltage", ctf->voltage));
    TESS_TRY(tess_star_set_f64(optics, row, "_rlnSphericalAberration", ctf->cs));
    TESS_TRY(tess_star_set_f64(optics, row, "_rlnAmplitudeContrast", ctf->amplitude));
    if (ctf->tilt[0] == 0 && ctf->tilt[1] == 0) return TESS_OK;
    TESS_TRY(tess_star_set_f64(optics, row, "_rlnBeamTiltX", -ctf->tilt[1])); /* as tess_star_row_beam_tilt reads it */
    return tess_star_set_f64(optics, row, "_rlnBeamTiltY", -ctf->tilt[0]);
}

/* A row for a group; `ctf` is NULL where there are no CTFs. */
static tess_status add_group(tess_star_table *optics, const tess_ctf *ctf, double pixel_size, int64_t box)
{
    const int64_t row = tess_star_rows(optics);
    char          name[48];
    (void)snprintf(name, sizeof name, "opticsGroup%lld", (long long)row + 1);
    TESS_TRY(tess_star_add_rows(optics, 1));
    TESS_TRY(tess_star_set_i64(optics, row, "_rlnOpticsGroup", row + 1));
    TESS_TRY(tess_star_set(optics, row, "_rlnOpticsGroupName", name));
    if (ctf) TESS_TRY(add_microscope(optics, row, ctf));
    if (pixel_size > 0) TESS_TRY(tess_star_set_f64(optics, row, "_rlnImagePixelSize", pixel_size));
    TESS_TRY(tess_star_set_i64(optics, row, "_rlnImageSize", box));
    return tess_star_set_i64(optics, row, "_rlnImageDimensionality", 2);
}

/* The group of each particle with a CTF; `first` has the particle with which each group began. */
static tess_status find_groups(tess_particles *p, tess_star_table *optics, int64_t box, int64_t *first)
{
    int64_t n = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const tess_ctf ctf = ctf_of(p, i);
        int64_t        group = 0;
        for (; group < n; group++) {
            const tess_ctf other = ctf_of(p, first[group]);
            if (is_same_microscope(&ctf, &other)) break;
        }
        if (group == n) {
            first[n++] = i;
            TESS_TRY(add_group(optics, &ctf, p->pixel_size, box));
        }
        if (group > 0) TESS_TRY(tess_star_set_i64(p->rows, i, "_rlnOpticsGroup", group + 1));
    }
    return TESS_OK;
}

static tess_status add_groups(tess_particles *p, tess_star_table *optics, int64_t box)
{
    if (!p->ctfs.data) return add_group(optics, NULL, p->pixel_size, box);
    int64_t *first = tess__alloc(sizeof *first * (size_t)p->n);
    TESS_CHECK(first, TESS_ENOMEM, "%s: out of memory for %lld particles", fn, (long long)p->n);
    const tess_status status = find_groups(p, optics, box, first);
    tess__free(first);
    return status;
}

/* ---- Rows ---- */

static tess_status put_ctfs(tess_particles *p)
{
    for (int64_t i = 0; i < p->n; i++) {
        const tess_ctf ctf = ctf_of(p, i);
        TESS_TRY(tess_star_set_f64(p->rows, i, "_rlnDefocusU", (ctf.defocus + ctf.astigmatism) * 1e4));
        TESS_TRY(tess_star_set_f64(p->rows, i, "_rlnDefocusV", (ctf.defocus - ctf.astigmatism) * 1e4));
        TESS_TRY(tess_star_set_f64(p->rows, i, "_rlnDefocusAngle", ctf.angle * DEGREES));
        if (ctf.phase_shift != 0) TESS_TRY(tess_star_set_f64(p->rows, i, "_rlnPhaseShift", ctf.phase_shift * DEGREES));
        if (ctf.bfactor != 0) TESS_TRY(tess_star_set_f64(p->rows, i, "_rlnCtfBfactor", ctf.bfactor));
        TESS_TRY(tess_star_set_f64(p->rows, i, "_rlnCtfScalefactor", ctf.scale));
    }
    return TESS_OK;
}

static tess_status fill(tess_particles *p, const tess_particles *arrays, int64_t box)
{
    tess_star_table *optics = NULL;
    TESS_TRY(take_tables(p, arrays));
    TESS_TRY(tess_star_new(&p->star));
    TESS_TRY(tess_star_add(&optics, p->star, "optics", false));
    TESS_TRY(tess_star_add(&p->rows, p->star, "particles", false));
    TESS_TRY(tess_star_add_rows(p->rows, p->n));
    TESS_TRY(tess_star_add_column(p->rows, "_rlnImageName", "0"));
    TESS_TRY(tess_star_add_column(p->rows, "_rlnOpticsGroup", "1"));
    TESS_TRY(add_groups(p, optics, box));
    TESS_TRY(tess__particles_put_angles(p));
    if (arrays->shifts.data) TESS_TRY(tess__particles_put_origins(p));
    if (p->ctfs.data) TESS_TRY(put_ctfs(p));
    return p->halves.data ? tess_particles_put_halves(p) : TESS_OK;
}

tess_status tess_particles_new(tess_particles *particles, const tess_particles *arrays, int64_t box)
{
    static const char name[] = "new particles";
    TESS_TRY(tess__check_particles_zeroed(fn, particles));
    TESS_CHECK(arrays, TESS_EARG, "%s: `arrays` is `NULL`", fn);
    TESS_CHECK(arrays->rotations.data || arrays->rotations.buffer, TESS_EARG,
               "%s: `arrays->rotations` is zeroed; a table of quaternions is expected", fn);
    TESS_CHECK(box > 0, TESS_ERANGE, "%s: `box` is %lld; it must be at least 1 pixel", fn, (long long)box);
    TESS_CHECK(arrays->pixel_size >= 0 && isfinite(arrays->pixel_size), TESS_ERANGE,
               "%s: `arrays->pixel_size` is %g A; it must be above 0, or 0 if not known", fn, arrays->pixel_size);
    const tess_shape s = arrays->rotations.shape;
    TESS_CHECK(s.b * s.h > 0, TESS_ESHAPE, "%s: `arrays->rotations` has no rows; one or more are expected", fn);
    particles->name = tess__alloc(sizeof name);
    TESS_CHECK(particles->name, TESS_ENOMEM, "%s: out of memory", fn);
    memcpy(particles->name, name, sizeof name);
    particles->n = s.b * s.h;
    particles->pixel_size = arrays->pixel_size;
    const tess_status status = fill(particles, arrays, box);
    if (status != TESS_OK) tess_particles_release(particles);
    return status;
}
