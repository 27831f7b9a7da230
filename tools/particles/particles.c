/* Particles of a STAR file: columns of RELION 3.0 and 3.1 as rotations, pixels and CTFs. */
#include "particles/particles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/star_file.h"
#include "files/target.h"
#include "particles/aberrations.h"

#define RADIANS (3.14159265358979323846 / 180)

static const char *const angle_labels[] = { "_rlnAngleRot", "_rlnAngleTilt", "_rlnAnglePsi" };
static const char *const origin_labels[2][2] = { { "_rlnOriginYAngst", "_rlnOriginXAngst" },
                                                 { "_rlnOriginY", "_rlnOriginX" } };

/* ---- Tables ---- */

tess_status particles_open(particles *p, const char *path, const char *key, const int64_t *chosen, int64_t n)
{
    memset(p, 0, sizeof *p);
    p->name = path;
    TESS_TRY(star_file_read(&p->star, path));
    for (int64_t i = 0; i < tess_star_count(p->star) && !p->rows; i++) {
        tess_star_table *rows = tess_star_at(p->star, i);
        if (tess_star_column(rows, key) >= 0) p->rows = rows;
    }
    TESS_CHECK(p->rows, TESS_EFORMAT, "%s: no table has a column %s", path, key);
    if (chosen) TESS_TRY(tess_star_select(p->rows, chosen, n));
    p->n = tess_star_rows(p->rows);
    TESS_CHECK(p->n > 0, TESS_EFORMAT, "%s: the table with the column %s has no rows", path, key);
    return TESS_OK;
}

void particles_free(particles *p)
{
    tess_star_free(p->star);
    tess_release(&p->rotations);
    tess_release(&p->shifts);
    tess_release(&p->ctfs);
    tess_release(&p->tilts);
    free(p->half);
    memset(p, 0, sizeof *p);
}

/* ---- Numbers of particles and of their optics groups ---- */

/* The row of the optics table that a particle belongs to; -1 if there is none. */
static int64_t optics_row(const particles *p, const tess_star_table *optics, int64_t i)
{
    int64_t group = 0, other = 0;
    if (!optics || tess_star_rows(optics) == 0) return -1;
    if (tess_star_column(p->rows, "_rlnOpticsGroup") < 0) return 0;
    if (tess_star_get_i64(&group, p->rows, i, "_rlnOpticsGroup") != TESS_OK) return -1;
    for (int64_t k = 0; k < tess_star_rows(optics); k++)
        if (tess_star_get_i64(&other, optics, k, "_rlnOpticsGroup") == TESS_OK && other == group) return k;
    return -1;
}

/* A number of a particle, in its row or in that of its optics group; `fallback` where it is in neither, or an error if
 * that is NaN. */
static tess_status number_of(double *value, const particles *p, int64_t i, const char *label, double fallback)
{
    const tess_star_table *optics = tess_star_find(p->star, "optics");
    if (tess_star_column(p->rows, label) >= 0) {
        TESS_TRY_NOTE(tess_star_get_f64(value, p->rows, i, label), "of %s", p->name);
        return TESS_OK;
    }
    const int64_t k = optics && tess_star_column(optics, label) >= 0 ? optics_row(p, optics, i) : -1;
    TESS_CHECK(k >= 0 || !isnan(fallback), TESS_EFORMAT,
               "%s: line %lld has no %s, in its table or in an optics group of its own", p->name,
               (long long)tess_star_line(p->rows, i), label);
    *value = fallback;
    if (k >= 0) TESS_TRY_NOTE(tess_star_get_f64(value, optics, k, label), "of %s", p->name);
    return TESS_OK;
}

/* Optics groups of other pixel sizes would need images of other sizes. */
static tess_status check_pixel_sizes(const particles *p)
{
    double first, size;
    TESS_TRY(number_of(&first, p, 0, "_rlnImagePixelSize", 0));
    for (int64_t i = 1; i < p->n; i++) {
        TESS_TRY(number_of(&size, p, i, "_rlnImagePixelSize", 0));
        TESS_CHECK(fabs(size - first) <= 1e-4 * first, TESS_EARG,
                   "%s: line %lld has pixels of %g A, the first row of %g A; one size for all is needed", p->name,
                   (long long)tess_star_line(p->rows, i), size, first);
    }
    return TESS_OK;
}

/* ---- Orientations ---- */

static tess_status read_columns(tess_array *out, const particles *p, const char *const *labels, int n, double scale)
{
    TESS_TRY(tess_empty(out, TESS_SHAPE(p->n, 1, 1, n), TESS_F64, tess_cpu()));
    double *numbers = out->data;
    for (int64_t i = 0; i < p->n; i++)
        for (int k = 0; k < n; k++) {
            double *value = &numbers[i * n + k];
            TESS_TRY_NOTE(tess_star_get_f64(value, p->rows, i, labels[k]), "of %s", p->name);
            TESS_CHECK(isfinite(*value), TESS_EFORMAT, "%s: line %lld has %s %g; a finite number is needed", p->name,
                       (long long)tess_star_line(p->rows, i), labels[k], *value);
            *value *= scale;
        }
    return TESS_OK;
}

static tess_status read_shifts(particles *p, double pixel_size)
{
    for (int k = 0; k < 2; k++) {
        if (tess_star_column(p->rows, origin_labels[k][0]) < 0) continue;
        TESS_CHECK(k == 1 || pixel_size > 0, TESS_EARG,
                   "%s: origins are in A, and the pixel size is not known; give it with --apix", p->name);
        return read_columns(&p->shifts, p, origin_labels[k], 2, k ? 1 : 1 / pixel_size);
    }
    return tess_zeros(&p->shifts, TESS_SHAPE(p->n, 1, 1, 2), TESS_F64, tess_cpu());
}

tess_status particles_orientations(particles *p, double pixel_size)
{
    tess_array  angles = { 0 };
    tess_status status;
    TESS_GOTO(done, status, check_pixel_sizes(p));
    TESS_GOTO(done, status, read_columns(&angles, p, angle_labels, 3, 1));
    TESS_GOTO(done, status, tess_euler_to_quat(&p->rotations, &angles, &(tess_euler_opts){ .convention = "relion" }));
    TESS_GOTO(done, status, read_shifts(p, pixel_size));
done:
    tess_release(&angles);
    return status;
}

tess_status particles_start(particles *p)
{
    tess_array w;
    TESS_TRY(tess_zeros(&p->rotations, TESS_SHAPE(p->n, 1, 1, 4), TESS_F64, tess_cpu()));
    TESS_TRY(tess_index(&w, &p->rotations, 3, 3));
    TESS_TRY(tess_fill(&w, 1));
    return tess_zeros(&p->shifts, TESS_SHAPE(p->n, 1, 1, 2), TESS_F64, tess_cpu());
}

static tess_status set_angles(particles *p)
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

tess_status particles_set_orientations(particles *p, double pixel_size)
{
    const bool   angstrom = pixel_size > 0 && tess_star_column(p->rows, origin_labels[1][0]) < 0;
    const double scale = angstrom ? pixel_size : 1;
    TESS_TRY(set_angles(p));
    for (int64_t i = 0; i < p->n; i++)
        for (int k = 1; k >= 0; k--)
            TESS_TRY(tess_star_set_f64(p->rows, i, origin_labels[!angstrom][k],
                                       scale * ((double *)p->shifts.data)[i * 2 + k]));
    return TESS_OK;
}

/* ---- CTFs ---- */

bool particles_have_ctfs(const particles *p) { return tess_star_column(p->rows, "_rlnDefocusU") >= 0; }

static tess_status read_ctf(tess_ctf *ctf, const particles *p, int64_t i, double pixel_size)
{
    double u, v, angle, degrees;
    *ctf = (tess_ctf){ .pixel_size = { pixel_size, pixel_size } };
    TESS_TRY(number_of(&u, p, i, "_rlnDefocusU", NAN));
    TESS_TRY(number_of(&v, p, i, "_rlnDefocusV", u));
    TESS_TRY(number_of(&angle, p, i, "_rlnDefocusAngle", 0));
    TESS_TRY(number_of(&ctf->voltage, p, i, "_rlnVoltage", NAN));
    TESS_TRY(number_of(&ctf->cs, p, i, "_rlnSphericalAberration", NAN));
    TESS_TRY(number_of(&ctf->amplitude, p, i, "_rlnAmplitudeContrast", NAN));
    TESS_TRY(number_of(&degrees, p, i, "_rlnPhaseShift", 0));
    TESS_TRY(number_of(&ctf->bfactor, p, i, "_rlnCtfBfactor", 0));
    TESS_TRY(number_of(&ctf->scale, p, i, "_rlnCtfScalefactor", 1));
    tess_ctf_set_defoci(ctf, u * 1e-4, v * 1e-4, angle * RADIANS);
    TESS_TRY_NOTE(star_beam_tilt(ctf->tilt, p->star, p->rows, i), "of %s", p->name);
    ctf->phase_shift = degrees * RADIANS;
    return TESS_OK;
}

enum { EVEN_COLUMNS = offsetof(tess_ctf, tetrafoil) / sizeof(double) };

/* The phase of beam tilt is that of the product of Cs and tilt: of a small Cs and a large tilt nothing else is left, if
 * the CTF is 1 without it. */
static tess_ctf only_tilt(const tess_ctf *ctf)
{
    const double small = 1e-6, ratio = ctf->cs / small, quarter_turn = 3.14159265358979323846 / 2;
    return (tess_ctf){ .pixel_size = { ctf->pixel_size[0], ctf->pixel_size[1] },
                       .voltage = ctf->voltage,
                       .cs = small,
                       .phase_shift = quarter_turn,
                       .tilt = { ctf->tilt[0] * ratio, ctf->tilt[1] * ratio } };
}

/* Without tilts, rows are as short as they can be. */
static tess_status keep_ctfs(particles *p, const tess_ctf *ctfs, bool tilted)
{
    const int64_t columns = tilted ? TESS_CTF_COLUMNS : EVEN_COLUMNS;
    TESS_TRY(tess_empty(&p->ctfs, TESS_SHAPE(p->n, 1, 1, columns), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < p->n; i++)
        memcpy((double *)p->ctfs.data + i * columns, &ctfs[i], (size_t)columns * sizeof(double));
    if (!tilted) return TESS_OK;
    TESS_TRY(tess_empty(&p->tilts, TESS_SHAPE(p->n, 1, 1, TESS_CTF_COLUMNS), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < p->n; i++) ((tess_ctf *)p->tilts.data)[i] = only_tilt(&ctfs[i]);
    return TESS_OK;
}

tess_status particles_ctfs(particles *p, job *j, double pixel_size)
{
    TESS_CHECK(pixel_size > 0, TESS_EARG, "%s: the pixel size is not known, which a CTF needs; give it with --apix",
               p->name);
    warn_of_aberrations(j, p->star, p->rows, p->name);
    tess_ctf *ctfs = calloc((size_t)p->n, sizeof *ctfs);
    TESS_CHECK(ctfs, TESS_ENOMEM, "%s: no memory for CTFs of %lld rows", p->name, (long long)p->n);
    tess_status status = TESS_OK;
    bool        tilted = false;
    for (int64_t i = 0; i < p->n && status == TESS_OK; i++) {
        status = read_ctf(&ctfs[i], p, i, pixel_size);
        tilted = tilted || ctfs[i].tilt[0] != 0 || ctfs[i].tilt[1] != 0;
    }
    if (status == TESS_OK) status = keep_ctfs(p, ctfs, tilted);
    free(ctfs);
    return status;
}

const tess_array *particles_even_ctfs(tess_array *part, const particles *p, int64_t first, int64_t n)
{
    if (!particles_part(part, &p->ctfs, first, n)) return NULL;
    if (part->shape.w > EVEN_COLUMNS) part->shape.w = EVEN_COLUMNS;
    return part;
}

tess_status particles_without_tilt(const tess_array **right, tess_array *made, const particles *p,
                                   const tess_array *images, int64_t first)
{
    tess_array rows;
    *right = images;
    if (!p->tilts.data) return TESS_OK;
    *right = made;
    const tess_ctf_opts opts = { .parameters = particles_part(&rows, &p->tilts, first, images->shape.b) };
    return tess_ctf_flip_image(made, images, NULL, &opts);
}

/* ---- Half sets ---- */

tess_status particles_halves(particles *p, job *j)
{
    const char *label = "_rlnRandomSubset";
    const bool  known = tess_star_column(p->rows, label) >= 0;
    p->half = calloc((size_t)p->n, sizeof *p->half);
    TESS_CHECK(p->half, TESS_ENOMEM, "%s: no memory for its %lld rows", p->name, (long long)p->n);
    if (!known) job_note(j, "%s: there is no column %s; rows are in the halves 1 and 2 by turns", p->name, label);
    for (int64_t i = 0; i < p->n; i++) {
        int64_t half = i % 2 + 1;
        if (known) TESS_TRY_NOTE(tess_star_get_i64(&half, p->rows, i, label), "of %s", p->name);
        TESS_CHECK(half == 1 || half == 2, TESS_EFORMAT, "%s: line %lld has %s %lld; 1 or 2 is needed", p->name,
                   (long long)tess_star_line(p->rows, i), label, (long long)half);
        p->half[i] = (int32_t)half;
    }
    return TESS_OK;
}

tess_status particles_of_half(tess_array *numbers, const particles *p, int half, int64_t first, int64_t n)
{
    TESS_TRY(tess_empty(numbers, TESS_SHAPE(1, 1, 1, n), TESS_I64, tess_cpu()));
    int64_t *to = numbers->data, count = 0;
    for (int64_t i = 0; i < n; i++)
        if (p->half[first + i] == half) to[count++] = i;
    numbers->shape.w = count;
    return TESS_OK;
}

tess_status check_particles_finite(const particles *p, const tess_array *images, int64_t first)
{
    tess_array  sums = { 0 }, host = { 0 };
    tess_status status;
    int64_t     bad = -1;
    TESS_GOTO(done, status, tess_sum(&sums, images, TESS_H | TESS_W, NULL));
    TESS_GOTO(done, status, tess_to_device(&host, &sums, tess_cpu()));
    for (int64_t i = 0; i < images->shape.b && bad < 0; i++)
        if (!isfinite(((const float *)host.data)[i])) bad = i;
done:
    tess_release(&sums);
    tess_release(&host);
    TESS_TRY(status);
    TESS_CHECK(bad < 0, TESS_ERANGE, "%s: line %lld (row %lld) is an image with NaNs or infinities", p->name,
               (long long)tess_star_line(p->rows, first + bad), (long long)(first + bad));
    return TESS_OK;
}

/* ---- New tables ---- */

static tess_status add_optics(tess_star *star, double pixel_size, int64_t side)
{
    tess_star_table *optics = NULL;
    TESS_TRY(tess_star_add(&optics, star, "optics", false));
    TESS_TRY(tess_star_add_rows(optics, 1));
    TESS_TRY(tess_star_set_i64(optics, 0, "_rlnOpticsGroup", 1));
    TESS_TRY(tess_star_set(optics, 0, "_rlnOpticsGroupName", "opticsGroup1"));
    if (pixel_size > 0) TESS_TRY(tess_star_set_f64(optics, 0, "_rlnImagePixelSize", pixel_size));
    TESS_TRY(tess_star_set_i64(optics, 0, "_rlnImageSize", side));
    TESS_TRY(tess_star_set_i64(optics, 0, "_rlnImageDimensionality", 2));
    return TESS_OK;
}

tess_status particles_new(particles *p, const tess_array *rotations, double pixel_size, int64_t side)
{
    memset(p, 0, sizeof *p);
    p->n = rotations->shape.b;
    TESS_TRY(tess_retain(rotations));
    p->rotations = *rotations;
    TESS_TRY(tess_zeros(&p->shifts, TESS_SHAPE(p->n, 1, 1, 2), TESS_F64, tess_cpu()));
    TESS_TRY(tess_star_new(&p->star));
    TESS_TRY(add_optics(p->star, pixel_size, side));
    TESS_TRY(tess_star_add(&p->rows, p->star, "particles", false));
    TESS_TRY(tess_star_add_rows(p->rows, p->n));
    TESS_TRY(tess_star_add_column(p->rows, "_rlnImageName", "0"));
    TESS_TRY(tess_star_add_column(p->rows, "_rlnOpticsGroup", "1"));
    TESS_TRY(set_angles(p));
    return TESS_OK;
}

tess_status particles_name_stack(particles *p, job *j, const char *stack)
{
    target     *t = NULL;
    tess_status status = TESS_OK;
    TESS_TRY(target_parse(&t, j, stack)); /* its name without brackets */
    for (int64_t i = 0; i < p->n && status == TESS_OK; i++)
        status = tess_star_set_image(p->rows, i, "_rlnImageName", i + 1, t->path);
    target_free(t);
    return status;
}

tess_status particles_write(const particles *p, job *j, const char *path) { return star_file_write(path, p->star, j); }

const tess_array *particles_part(tess_array *part, const tess_array *all, int64_t first, int64_t n)
{
    if (!all->data) return NULL;
    *part = *all;
    part->data = (char *)all->data + first * all->strides.b * (int64_t)tess_dtype_size(all->dtype);
    part->shape.b = n;
    return part;
}
