/* Shapes as masks. */
#include "maps/shapes.h"

#include <string.h>

#include "measure/units.h"

/* ---- Sizes ---- */

static const struct {
    const char *name;
    int         n_images, n_volumes; /* how many sizes they have */
    bool        one_for_all;         /* one size stands for all */
    const char *sizes;
} kinds[] = {
    [SHAPE_SPHERE] = { "sphere", 1, 1, false, "a radius" },
    [SHAPE_BOX] = { "box", 2, 3, true, "edges x,y,z (images: x,y), or one for all," },
    [SHAPE_CYLINDER] = { "cylinder", 1, 2, false, "a radius and a length (images: a radius)" },
    [SHAPE_SHELL] = { "shell", 2, 2, false, "two radii, the smaller one first," },
    [SHAPE_ELLIPSOID] = { "ellipsoid", 2, 3, false, "semiaxes x,y,z (images: x,y)" },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Radii of a shell come in order, and its edge within has a place. */
static tess_status check_shell(const solid *s, const job *j, const char *text, double soft)
{
    TESS_CHECK(s->sizes[0] < s->sizes[1], TESS_ERANGE, "%s: --shell is \"%s\"; the smaller radius comes first",
               j->verb->name, text);
    TESS_CHECK(s->sizes[0] == 0 || soft < s->sizes[0], TESS_ERANGE,
               "%s: --shell is \"%s\", and its edge, %g pixels, is not less than the inner radius", j->verb->name, text,
               soft);
    return TESS_OK;
}

static tess_status read_sizes(solid *s, const job *j, const input *in, const char *text)
{
    const double *pixel_size = in->info.meta.pixel_size;
    const int     needed = in->info.shape.d > 1 ? kinds[s->kind].n_volumes : kinds[s->kind].n_images;
    const bool    by_axis = s->kind == SHAPE_BOX || s->kind == SHAPE_ELLIPSOID;
    char          what[16];
    quantity      q[3];
    int           n;
    (void)snprintf(what, sizeof what, "--%s", kinds[s->kind].name);
    TESS_TRY(parse_lengths(what, text, q, &n));
    const bool repeats = n == 1 && kinds[s->kind].one_for_all;
    TESS_CHECK(n == needed || repeats, TESS_EARG, "%s: %s is \"%s\"; %s is needed", j->verb->name, what, text,
               kinds[s->kind].sizes);
    for (int i = 0; i < needed; ++i) {
        TESS_TRY(to_pixels(what, q[repeats ? 0 : i], pixel_size[by_axis ? 2 - i : 2], &s->sizes[i]));
        TESS_CHECK(s->sizes[i] > 0 || (s->kind == SHAPE_SHELL && i == 0 && s->sizes[i] == 0), TESS_ERANGE,
                   "%s: %s is \"%s\"; lengths above 0 are needed", j->verb->name, what, text);
    }
    return TESS_OK;
}

tess_status shapes_of_options(shape_list *list, const job *j, const input *in)
{
    const char *name, *value;
    list->n = 0;
    for (int i = 0; job_option(j, i, &name, &value); ++i) {
        int kind = 0;
        while (kind < KINDS && strcmp(kinds[kind].name, name) != 0) ++kind;
        if (kind == KINDS) continue;
        TESS_CHECK(list->n < MAX_SHAPES, TESS_EARG, "%s: more than %d shapes", j->verb->name, MAX_SHAPES);
        solid *s = &list->at[list->n++];
        s->kind = (shape_kind)kind;
        TESS_TRY(read_sizes(s, j, in, value));
        if (s->kind == SHAPE_SHELL) TESS_TRY(check_shell(s, j, value, list->soft));
    }
    return TESS_OK;
}

/* ---- Drawing ---- */

/* n numbers as the row of parameters that the library takes. */
static tess_status row_of(tess_array *row, const double *numbers, int n)
{
    TESS_TRY(tess_empty(row, TESS_SHAPE(1, 1, 1, n), TESS_F64, tess_cpu()));
    memcpy(row->data, numbers, (size_t)n * sizeof *numbers);
    return TESS_OK;
}

typedef tess_status (*drawing)(tess_array *out, const tess_array *in, const tess_array *sizes,
                               const tess_draw_opts *opts);

static tess_status draw_with(tess_array *mask, const tess_array *in, drawing draw, const double *numbers, int n,
                             const tess_draw_opts *opts)
{
    tess_array sizes = { 0 };
    TESS_TRY(row_of(&sizes, numbers, n));
    const tess_status status = draw(mask, in, &sizes, opts);
    tess_release(&sizes);
    return status;
}

/* The outer sphere, but for what lies inside; the edge within falls over the same width. */
static tess_status draw_shell(tess_array *mask, const solid *s, const tess_draw_opts *opts)
{
    TESS_TRY(draw_with(mask, NULL, tess_draw_sphere, &s->sizes[1], 1, opts));
    if (s->sizes[0] == 0) return TESS_OK;
    tess_draw_opts inside = *opts;
    const double   hollow = s->sizes[0] - opts->width;
    inside.inverted = 1;
    return draw_with(mask, mask, tess_draw_sphere, &hollow, 1, &inside);
}

/* One shape alone. */
static tess_status draw_one(tess_array *mask, const solid *s, const tess_draw_opts *opts)
{
    const int    axes = mask->shape.d > 1 ? 3 : 2;
    const double halves[3] = { s->sizes[axes - 1] / 2, s->sizes[axes - 2] / 2, s->sizes[0] / 2 };
    const double semiaxes[3] = { s->sizes[axes - 1], s->sizes[axes - 2], s->sizes[0] };
    const double cylinder[2] = { s->sizes[0], s->sizes[1] / 2 };
    switch (s->kind) {
    case SHAPE_SPHERE: return draw_with(mask, NULL, tess_draw_sphere, s->sizes, 1, opts);
    case SHAPE_BOX: return draw_with(mask, NULL, tess_draw_cuboid, halves, axes, opts);
    case SHAPE_CYLINDER: return draw_with(mask, NULL, tess_draw_cylinder, cylinder, 2, opts);
    case SHAPE_ELLIPSOID: return draw_with(mask, NULL, tess_draw_ellipsoid, semiaxes, axes, opts);
    default: return draw_shell(mask, s, opts);
    }
}

tess_status shapes_draw(tess_array *mask, const shape_list *list)
{
    const int      axes = mask->shape.d > 1 ? 3 : 2;
    tess_array     centre = { 0 }, one = { 0 };
    tess_draw_opts opts = { .centres = &centre, .width = list->soft };
    tess_status    status;
    TESS_TRY(row_of(&centre, list->centre + 3 - axes, axes));
    TESS_GOTO(done, status, draw_one(mask, &list->at[0], &opts));
    if (list->n > 1) TESS_GOTO(done, status, tess_empty(&one, mask->shape, mask->dtype, mask->device));
    for (int i = 1; i < list->n; ++i) {
        TESS_GOTO(done, status, draw_one(&one, &list->at[i], &opts));
        TESS_GOTO(done, status, tess_maximum(mask, mask, &one));
    }
done:
    tess_release(&centre);
    tess_release(&one);
    return status;
}
