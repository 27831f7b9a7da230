/* Tables of shapes by options. */
#include "maps/shapes.h"

#include <string.h>

#include "command/units.h"
#include "files/box.h"

static const struct kind {
    const char *name;
    int         n_images, n_volumes; /* how many sizes they have */
    bool        one_for_all;         /* one size is for all axes */
    bool        by_axis;             /* sizes are along x, y, z */
    const char *sizes;
} kinds[SHAPE_KINDS] = {
    { "sphere", 1, 1, false, false, "a radius" },
    { "box", 2, 3, true, true, "edges x,y,z (images: x,y), or one for all" },
    { "cylinder", 1, 2, false, false, "a radius and a length (images: a radius)" },
    { "shell", 2, 2, false, false, "two radii, the smaller one first" },
    { "ellipsoid", 2, 3, false, true, "semiaxes x,y,z (images: x,y)" },
};

static int count(const job *j, const char *wanted)
{
    const char *name, *value;
    int         n = 0;
    for (int i = 0; job_option(j, i, &name, &value); ++i)
        if (strcmp(name, wanted) == 0) n++;
    return n;
}

/* In pixels; along axes in the order z, y, x. */
static tess_status read_row(double *row, const struct kind *k, const job *j, const input *in, const char *text)
{
    const double *pixel_size = in->info.meta.pixel_size;
    const int     needed = in->info.shape.d > 1 ? k->n_volumes : k->n_images;
    char          what[16];
    quantity      q[3];
    int           n;
    (void)snprintf(what, sizeof what, "--%s", k->name);
    TESS_TRY(parse_lengths(what, text, q, &n));
    const bool repeats = n == 1 && k->one_for_all;
    TESS_CHECK(n == needed || repeats, TESS_EARG, "%s: %s is \"%s\"; expected %s", j->verb->name, what, text, k->sizes);
    for (int i = 0; i < needed; ++i) {
        double *at = k->by_axis ? &row[needed - 1 - i] : &row[i];
        TESS_TRY(to_pixels(what, q[repeats ? 0 : i], pixel_size[k->by_axis ? 2 - i : 2], at));
    }
    return TESS_OK;
}

static tess_status read_kind(tess_array *rows, const struct kind *k, const job *j, const input *in)
{
    const char   *name, *value;
    const int64_t columns = in->info.shape.d > 1 ? k->n_volumes : k->n_images;
    TESS_TRY(tess_empty(rows, TESS_SHAPE(count(j, k->name), 1, 1, columns), TESS_F64, tess_cpu()));
    double *row = rows->data;
    for (int i = 0; job_option(j, i, &name, &value); ++i) {
        if (strcmp(name, k->name) != 0) continue;
        TESS_TRY(read_row(row, k, j, in, value));
        row += columns;
    }
    return TESS_OK;
}

/* In the order z, y, x. */
static tess_status read_centre(tess_array *centre, const job *j, const input *in)
{
    const int axes = in->info.shape.d > 1 ? 3 : 2;
    double    zyx[3] = { 0 };
    TESS_TRY(option_point_xyz(j, "center", in, zyx));
    TESS_TRY(tess_empty(centre, TESS_SHAPE(1, 1, 1, axes), TESS_F64, tess_cpu()));
    memcpy(centre->data, zyx + 3 - axes, (size_t)axes * sizeof *zyx);
    return TESS_OK;
}

tess_status shapes_of_options(shape_tables *t, tess_make_mask_opts *o, const job *j, const input *in)
{
    const tess_array **const fields[SHAPE_KINDS] = { &o->sphere, &o->box, &o->cylinder, &o->shell, &o->ellipsoid };
    for (int i = 0; i < SHAPE_KINDS; ++i) {
        if (!job_has(j, kinds[i].name)) continue;
        TESS_TRY(read_kind(&t->of[i], &kinds[i], j, in));
        *fields[i] = &t->of[i];
    }
    if (!job_has(j, "center")) return TESS_OK;
    o->centre = &t->centre;
    return read_centre(&t->centre, j, in);
}

void shape_tables_free(shape_tables *t)
{
    for (int i = 0; i < SHAPE_KINDS; ++i) tess_release(&t->of[i]);
    tess_release(&t->centre);
}

bool has_shapes(const job *j)
{
    for (int i = 0; i < SHAPE_KINDS; ++i)
        if (job_has(j, kinds[i].name)) return true;
    return false;
}
