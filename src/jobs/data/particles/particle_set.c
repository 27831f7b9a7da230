/* Particles of a stack: tables checked and copied, beam tilt put right, half sets taken apart. */
#include "jobs/data/particles/particle_set.h"

#include <math.h>
#include <string.h>

#include "jobs/data/particles/particle_rows.h"
#include "jobs/run/context.h"
#include "tessera/ctf.h"
#include "tessera/order.h"
#include "tessera/reduce.h"

/* ---- Tables ---- */

static tess_status check_halves(const tess__particle_set *set)
{
    for (int64_t i = 0; set->halves.data && i < set->n; i++) {
        const double half = ((const double *)set->halves.data)[i];
        TESS_CHECK(half == 1 || half == 2, TESS_ERANGE, "%s: row %lld of `opts->halves` is %g; 1 or 2 is expected",
                   set->fn, (long long)i, half);
    }
    return TESS_OK;
}

tess_status tess__particle_set_open(tess__particle_set *set, const char *fn, const tess_source *images,
                                    const tess__particle_tables *t)
{
    const int64_t n = images->shape.b * images->shape.d;
    *set = (tess__particle_set){ .fn = fn, .images = images, .n = n };
    TESS_CHECK(n > 0, TESS_ESHAPE, "%s: %s has no images; one or more are needed", fn, images->name);
    TESS_TRY(
        tess__particle_rows(&set->rotations, t->rotations, &(tess__rows_wanted){ fn, t->rotations_name, n, 4, 4 }));
    TESS_TRY(tess__check_quaternions(fn, t->rotations_name, &set->rotations));
    TESS_TRY(tess__particle_rows(&set->shifts, t->shifts, &(tess__rows_wanted){ fn, "opts->shifts", n, 2, 2 }));
    TESS_TRY(
        tess__particle_rows(&set->ctfs, t->ctfs, &(tess__rows_wanted){ fn, "opts->ctfs", n, 8, TESS_CTF_COLUMNS }));
    TESS_TRY(tess__particle_rows(&set->halves, t->halves, &(tess__rows_wanted){ fn, "opts->halves", n, 1, 1 }));
    TESS_TRY(check_halves(set));
    return tess__tilts_of_ctfs(&set->tilts, &set->ctfs);
}

void tess__particle_set_release(tess__particle_set *set)
{
    tess_array *const arrays[] = { &set->rotations, &set->shifts, &set->ctfs, &set->halves, &set->tilts };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tess_release(arrays[i]);
}

tess_status tess__particle_set_need_halves(const tess__particle_set *set)
{
    for (int half = 1; half <= 2 && set->halves.data; half++) {
        int64_t i = 0;
        while (i < set->n && ((const double *)set->halves.data)[i] != half) i++;
        TESS_CHECK(i < set->n, TESS_EARG, "%s: %s: no row belongs to half set %d; images of both half sets are needed",
                   set->fn, set->images->name, half);
    }
    return TESS_OK;
}

/* ---- Images ---- */

static tess_status check_finite(const tess__particle_set *set, const tess_array *images, int64_t first)
{
    tess_array  sum = { 0 };
    int64_t     bad = -1;
    tess_status status = tess_sum(&sum, images, TESS_H | TESS_W, NULL);
    if (status == TESS_OK) status = tess__move(&sum, tess_cpu());
    for (int64_t i = 0; status == TESS_OK && i < images->shape.b && bad < 0; i++)
        if (!isfinite(((const float *)sum.data)[i])) bad = i;
    tess_release(&sum);
    TESS_TRY(status);
    TESS_CHECK(bad < 0, TESS_ERANGE, "%s: the image in row %lld of %s has NaNs or infinities", set->fn,
               (long long)(first + bad), set->images->name);
    return TESS_OK;
}

tess_status tess__particle_images(const tess_array **right, tess_array *made, const tess__particle_set *set,
                                  const tess_array *images, int64_t first)
{
    tess_array rows;
    *right = images;
    TESS_TRY(check_finite(set, images, first));
    if (!set->tilts.data) return TESS_OK;
    const tess_ctf_opts opts = { .parameters = tess__rows_part(&rows, &set->tilts, first, images->shape.b) };
    *right = made;
    return tess_ctf_flip_image(made, images, NULL, &opts);
}

/* ---- Half sets ---- */

static tess_status take(tess_array *out, const tess_array *rows, const tess_array *numbers)
{
    return rows ? tess_take(out, rows, numbers, 0) : TESS_OK;
}

tess_status tess__particles_of_half(tess__particle_part *part, const tess__particle_set *set, int half,
                                    const tess_array *images, int64_t first)
{
    const int64_t n = images->shape.b;
    tess_array    rows, there = { 0 };
    *part = (tess__particle_part){ .n = 0 };
    TESS_TRY(tess__rows_of_half(&part->numbers, &set->halves, half, first, n));
    part->n = part->numbers.shape.w;
    if (part->n == 0) return TESS_OK;
    TESS_TRY(take(&part->rotations, tess__rows_part(&rows, &set->rotations, first, n), &part->numbers));
    TESS_TRY(take(&part->shifts, tess__rows_part(&rows, &set->shifts, first, n), &part->numbers));
    TESS_TRY(take(&part->ctfs, tess__even_ctfs(&rows, &set->ctfs, first, n), &part->numbers));
    TESS_TRY(tess_to_device(&there, &part->numbers, images->device));
    const tess_status status = tess_take(&part->images, images, &there, 0);
    tess_release(&there);
    return status;
}

void tess__particle_part_release(tess__particle_part *part)
{
    tess_array *const arrays[] = { &part->numbers, &part->images, &part->rotations, &part->shifts, &part->ctfs };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tess_release(arrays[i]);
}
