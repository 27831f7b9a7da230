/* Particles of STAR files as verbs take them. */
#include "particles/particles.h"

#include <math.h>
#include <string.h>

#include "files/star_file.h"
#include "files/target.h"

/* ---- Documents ---- */

tess_status particles_need_halves(tess_particles *p, job *j)
{
    if (p->halves.data) return TESS_OK;
    job_note(j, "%s: there is no column _rlnRandomSubset; rows are in the halves 1 and 2 by turns", p->name);
    return tess_particles_split(p);
}

tess_status particles_name_stack(tess_particles *p, job *j, const char *stack)
{
    target *t = NULL;
    TESS_TRY(target_parse(&t, j, stack)); /* its name without brackets */
    const tess_status status = tess_particles_put_images(p, t->path);
    target_free(t);
    return status;
}

tess_status particles_write(const tess_particles *p, job *j, const char *path)
{
    return tess_particles_write(path, p, &(tess_star_opts){ .overwrite = job_has(j, "force") });
}

/* ---- Parts of tables ---- */

const tess_array *particles_part(tess_array *part, const tess_array *all, int64_t first, int64_t n)
{
    if (!all->data) return NULL;
    *part = *all;
    part->data = (char *)all->data + first * all->strides.b * (int64_t)tess_dtype_size(all->dtype);
    part->shape.b = n;
    return part;
}

tess_status particles_of_half(tess_array *numbers, const tess_particles *p, int half, int64_t first, int64_t n)
{
    TESS_TRY(tess_empty(numbers, TESS_SHAPE(1, 1, 1, n), TESS_I64, tess_cpu()));
    int64_t *to = numbers->data, count = 0;
    for (int64_t i = 0; i < n; i++)
        if (((const double *)p->halves.data)[first + i] == half) to[count++] = i;
    numbers->shape.w = count;
    return TESS_OK;
}

/* ---- CTFs ---- */

enum { EVEN_COLUMNS = offsetof(tess_ctf, tetrafoil) / sizeof(double) };

const tess_array *particles_even_ctfs(tess_array *part, const tess_particles *p, int64_t first, int64_t n)
{
    if (!particles_part(part, &p->ctfs, first, n)) return NULL;
    if (part->shape.w > EVEN_COLUMNS) part->shape.w = EVEN_COLUMNS;
    return part;
}

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

tess_status particles_tilts(tess_array *tilts, const tess_particles *p)
{
    if (p->ctfs.shape.w < TESS_CTF_COLUMNS) return TESS_OK; /* without tilts, rows are shorter */
    TESS_TRY(tess_empty(tilts, TESS_SHAPE(p->n, 1, 1, TESS_CTF_COLUMNS), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < p->n; i++) ((tess_ctf *)tilts->data)[i] = only_tilt((const tess_ctf *)p->ctfs.data + i);
    return TESS_OK;
}

tess_status particles_without_tilt(const tess_array **right, tess_array *made, const tess_array *tilts,
                                   const tess_array *images, int64_t first)
{
    tess_array rows;
    *right = images;
    if (!tilts->data) return TESS_OK;
    *right = made;
    const tess_ctf_opts opts = { .parameters = particles_part(&rows, tilts, first, images->shape.b) };
    return tess_ctf_flip_image(made, images, NULL, &opts);
}

/* ---- Images ---- */

tess_status check_particles_finite(const tess_particles *p, const tess_array *images, int64_t first)
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
