/* The STAR file of a stack of particles. */
#include "particles/particle_star.h"

#include "files/star_file.h"

/* ---- Optics groups ---- */

/* The row of a group in a table of optics groups; -1 if there is none. */
static int64_t row_of_group(const tess_star_table *optics, int64_t group)
{
    for (int64_t i = 0; optics && i < tess_star_rows(optics); i++) {
        int64_t number = 0;
        if (tess_star_get_i64(&number, optics, i, "rlnOpticsGroup") == TESS_OK && number == group) return i;
    }
    return -1;
}

static tess_status copy_row(tess_star_table *to, int64_t row, const tess_star_table *from, int64_t from_row)
{
    for (int64_t k = 0; k < tess_star_columns(from); k++)
        TESS_TRY(tess_star_set(to, row, tess_star_label(from, k), tess_star_value(from, from_row, k)));
    return TESS_OK;
}

/* Adds the group, with the columns of its list, unless the table has it. */
static tess_status add_group(tess_star_table *optics, int64_t group, const tess_star *list, const particle_star *s)
{
    if (row_of_group(optics, group) >= 0) return TESS_OK;
    const tess_star_table *from = list ? tess_star_find(list, "optics") : NULL;
    const int64_t          there = row_of_group(from, group), row = tess_star_rows(optics);
    char                   name[48];
    (void)snprintf(name, sizeof name, "opticsGroup%lld", (long long)group);
    TESS_TRY(tess_star_add_rows(optics, 1));
    TESS_TRY(tess_star_set_i64(optics, row, "rlnOpticsGroup", group));
    TESS_TRY(tess_star_set(optics, row, "rlnOpticsGroupName", name));
    if (there >= 0) TESS_TRY(copy_row(optics, row, from, there));
    TESS_TRY(tess_star_set_f64(optics, row, "rlnImagePixelSize", s->pixel_size));
    TESS_TRY(tess_star_set_i64(optics, row, "rlnImageSize", s->box));
    return tess_star_set_i64(optics, row, "rlnImageDimensionality", 2);
}

/* ---- Particles ---- */

static tess_status add_particle(tess_star_table *rows, int64_t i, const coordinates *c, const particle_star *s,
                                int64_t *group)
{
    const particle  *p = &c->particles[i];
    const tess_star *list = c->lists[p->list];
    tess_star_table *from = NULL;
    *group = 1;
    TESS_TRY(tess_star_set_image(rows, i, "rlnImageName", i + 1, s->stack));
    TESS_TRY(tess_star_set(rows, i, "rlnMicrographName", c->named[p->micrograph]));
    TESS_TRY(tess_star_set_f64(rows, i, "rlnCoordinateX", p->x));
    TESS_TRY(tess_star_set_f64(rows, i, "rlnCoordinateY", p->y));
    if (list) {
        TESS_TRY(coordinates_table(list, s->stack, &from));
        TESS_TRY(copy_row(rows, i, from, p->row));
        if (tess_star_column(from, "rlnOpticsGroup") >= 0)
            TESS_TRY(tess_star_get_i64(group, from, p->row, "rlnOpticsGroup"));
    }
    TESS_TRY(tess_star_set_image(rows, i, "rlnImageName", i + 1, s->stack));
    return tess_star_set_i64(rows, i, "rlnOpticsGroup", *group);
}

static tess_status fill(tess_star *star, const coordinates *c, const particle_star *s)
{
    tess_star_table *optics = NULL, *rows = NULL;
    TESS_TRY(tess_star_add(&optics, star, "optics", false));
    TESS_TRY(tess_star_add(&rows, star, "particles", false));
    TESS_TRY(tess_star_add_column(rows, "rlnImageName", ""));
    TESS_TRY(tess_star_add_rows(rows, c->n));
    for (int64_t i = 0; i < c->n; i++) {
        int64_t group;
        TESS_TRY(add_particle(rows, i, c, s, &group));
        TESS_TRY(add_group(optics, group, c->lists[c->particles[i].list], s));
    }
    return TESS_OK;
}

tess_status particle_star_write(const char *path, const coordinates *c, const particle_star *s, const job *j)
{
    tess_star  *star = NULL;
    tess_status status;
    TESS_GOTO(done, status, tess_star_new(&star));
    TESS_GOTO(done, status, fill(star, c, s));
    TESS_GOTO(done, status, star_file_write(path, star, j));
done:
    tess_star_free(star);
    return status;
}
