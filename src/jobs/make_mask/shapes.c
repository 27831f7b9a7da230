/* Geometric shapes as masks: spheres, boxes, cylinders along z, shells and ellipsoids with soft edges. */
#include "jobs/make_mask/shapes.h"

#include <math.h>
#include <string.h>

#include "jobs/run/context.h"
#include "tessera/draw.h"
#include "tessera/ewise.h"

static const struct kind {
    const char *name;
    int         n_images, n_volumes; /* numbers of a row */
    bool        one_for_all;         /* one number is for all axes */
    const char *sizes;
} kinds[] = {
    [TESS__SPHERE] = { "sphere", 1, 1, false, "a radius" },
    [TESS__BOX] = { "box", 2, 3, true, "edge lengths z, y, x (images: y, x), or one for all" },
    [TESS__CYLINDER] = { "cylinder", 1, 2, false, "a radius and a length (images: a radius)" },
    [TESS__SHELL] = { "shell", 2, 2, false, "two radii, the smaller one first" },
    [TESS__ELLIPSOID] = { "ellipsoid", 2, 3, false, "semiaxes z, y, x (images: y, x)" },
};

/* ---- Rows ---- */

/* A copy {n,1,1,k} of a table in f64. */
static tess_status copy_rows(tess_array *out, const char *fn, const char *name, const tess_array *table)
{
    const tess_shape s = table->shape;
    tess_array       rows;
    TESS_CHECK(table->data || table->buffer, TESS_EARG, "%s: `opts->%s` is zeroed; an allocated array is expected", fn,
               name);
    TESS_CHECK(tess_dtype_kind(table->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `opts->%s` has complex numbers; real numbers are needed", fn, name);
    TESS_CHECK(s.d == 1 && (s.b == 1 || s.h == 1) && s.b * s.h > 0, TESS_ESHAPE,
               "%s: `opts->%s` has the shape {%lld,%lld,%lld,%lld}; {n,1,1,k} or {1,1,n,k} is expected", fn, name,
               (long long)s.b, (long long)s.d, (long long)s.h, (long long)s.w);
    TESS_TRY(tess_cast(out, table, TESS_F64, NULL));
    TESS_TRY(tess__move(out, tess_cpu()));
    TESS_TRY(tess_reshape(&rows, out, TESS_SHAPE(s.b * s.h, 1, 1, s.w)));
    out->shape = rows.shape;
    out->strides = rows.strides;
    return TESS_OK;
}

/* Radii of a shell come in order, and its edge within has a place. */
static tess_status check_shell(const char *fn, int64_t row, const double sizes[2], double soft)
{
    TESS_CHECK(sizes[0] < sizes[1], TESS_ERANGE,
               "%s: `opts->shell` has the radii %g, %g pixels in row %lld; the smaller one must come first", fn,
               sizes[0], sizes[1], (long long)row);
    TESS_CHECK(sizes[0] == 0 || soft < sizes[0], TESS_ERANGE,
               "%s: `opts->shell` has the radii %g, %g pixels in row %lld; its edge, %g pixels, must be less than the "
               "inner radius",
               fn, sizes[0], sizes[1], (long long)row, soft);
    return TESS_OK;
}

static tess_status check_row(const char *fn, int kind, int64_t row, const double *sizes, int64_t n, double soft)
{
    for (int64_t i = 0; i < n; i++) {
        const bool is_hollow = kind == TESS__SHELL && i == 0 && sizes[i] == 0;
        TESS_CHECK((sizes[i] > 0 && isfinite(sizes[i])) || is_hollow, TESS_ERANGE,
                   "%s: `opts->%s` has a length of %g pixels in row %lld; it must be above 0", fn, kinds[kind].name,
                   sizes[i], (long long)row);
    }
    return kind == TESS__SHELL ? check_shell(fn, row, sizes, soft) : TESS_OK;
}

static tess_status read_kind(tess__shapes *s, const char *fn, int kind, const tess_array *table)
{
    const struct kind *k = &kinds[kind];
    const int64_t      needed = s->axes == 3 ? k->n_volumes : k->n_images;
    if (!table) return TESS_OK;
    TESS_TRY(copy_rows(&s->rows[kind], fn, k->name, table));
    const tess_array *rows = &s->rows[kind];
    TESS_CHECK(rows->shape.w == needed || (rows->shape.w == 1 && k->one_for_all), TESS_ESHAPE,
               "%s: `opts->%s` has rows of %lld numbers; %s, %lld in all, are needed", fn, k->name,
               (long long)rows->shape.w, k->sizes, (long long)needed);
    for (int64_t i = 0; i < rows->shape.b; i++)
        TESS_TRY(check_row(fn, kind, i, (const double *)rows->data + i * rows->shape.w, rows->shape.w, s->soft));
    s->any = true;
    return TESS_OK;
}

/* Pixel n / 2 of each axis where none was given. */
static tess_status read_centre(tess__shapes *s, const char *fn, const tess_array *centre, tess_shape grid)
{
    if (!centre) {
        TESS_TRY(tess_empty(&s->centre, TESS_SHAPE(1, 1, 1, s->axes), TESS_F64, tess_cpu()));
        for (int i = 0; i < s->axes; i++) ((double *)s->centre.data)[i] = (double)(grid.dim[4 - s->axes + i] / 2);
        return TESS_OK;
    }
    TESS_TRY(copy_rows(&s->centre, fn, "centre", centre));
    TESS_CHECK(tess_n_elements(&s->centre) == s->axes, TESS_ESHAPE, "%s: `opts->centre` has %lld numbers; %s needed",
               fn, (long long)tess_n_elements(&s->centre), s->axes == 3 ? "z, y, x are" : "y, x of images are");
    s->centre.shape = TESS_SHAPE(1, 1, 1, s->axes);
    s->centre.strides = tess_strides_contiguous(s->centre.shape, 'C');
    for (int i = 0; i < s->axes; i++)
        TESS_CHECK(isfinite(((const double *)s->centre.data)[i]), TESS_ERANGE,
                   "%s: `opts->centre` has %g; it must be finite", fn, ((const double *)s->centre.data)[i]);
    return TESS_OK;
}

tess_status tess__shapes_open(tess__shapes *s, const char *fn, const tess_make_mask_opts *o, tess_shape grid)
{
    const tess_array *const tables[] = { o->sphere, o->box, o->cylinder, o->shell, o->ellipsoid };
    *s = (tess__shapes){ .soft = o->soft, .axes = grid.d > 1 ? 3 : 2 };
    for (int kind = 0; kind < TESS__SHAPE_KINDS; kind++) TESS_TRY(read_kind(s, fn, kind, tables[kind]));
    TESS_CHECK(s->any || !o->centre, TESS_EARG, "%s: `opts->centre` requires a shape, but none is given", fn);
    return s->any ? read_centre(s, fn, o->centre, grid) : TESS_OK;
}

void tess__shapes_close(tess__shapes *s)
{
    for (int kind = 0; kind < TESS__SHAPE_KINDS; kind++) tess_release(&s->rows[kind]);
    tess_release(&s->centre);
}

/* ---- Drawing ---- */

typedef tess_status (*drawing)(tess_array *out, const tess_array *in, const tess_array *sizes,
                               const tess_draw_opts *opts);

static tess_status draw_with(tess_array *mask, const tess_array *in, drawing draw, const double *numbers, int n,
                             const tess_draw_opts *opts)
{
    tess_array sizes = { 0 };
    TESS_TRY(tess_empty(&sizes, TESS_SHAPE(1, 1, 1, n), TESS_F64, tess_cpu()));
    memcpy(sizes.data, numbers, (size_t)n * sizeof *numbers);
    const tess_status status = draw(mask, in, &sizes, opts);
    tess_release(&sizes);
    return status;
}

/* The outer sphere, but for what lies inside; the edge within falls over the same width. */
static tess_status draw_shell(tess_array *mask, const double radii[2], const tess_draw_opts *opts)
{
    TESS_TRY(draw_with(mask, NULL, tess_draw_sphere, &radii[1], 1, opts));
    if (radii[0] == 0) return TESS_OK;
    tess_draw_opts inside = *opts;
    const double   hollow = radii[0] - opts->width;
    inside.inverted = 1;
    return draw_with(mask, mask, tess_draw_sphere, &hollow, 1, &inside);
}

/* One shape alone. */
static tess_status draw_one(tess_array *mask, int kind, const double *row, int64_t columns, const tess_draw_opts *opts)
{
    const int    axes = mask->shape.d > 1 ? 3 : 2;
    const double cylinder[2] = { row[0], columns > 1 ? row[1] / 2 : 0 };
    double       sizes[3];
    for (int i = 0; i < axes; i++) sizes[i] = (kind == TESS__BOX ? 0.5 : 1) * row[columns == 1 ? 0 : i % columns];
    switch (kind) {
    case TESS__SPHERE: return draw_with(mask, NULL, tess_draw_sphere, row, 1, opts);
    case TESS__BOX: return draw_with(mask, NULL, tess_draw_cuboid, sizes, axes, opts);
    case TESS__CYLINDER: return draw_with(mask, NULL, tess_draw_cylinder, cylinder, 2, opts);
    case TESS__ELLIPSOID: return draw_with(mask, NULL, tess_draw_ellipsoid, sizes, axes, opts);
    default: return draw_shell(mask, row, opts);
    }
}

tess_status tess__shapes_draw(tess_array *mask, const tess__shapes *s)
{
    const tess_draw_opts opts = { .centres = &s->centre, .width = s->soft };
    tess_array           one = { 0 };
    tess_status          status = TESS_OK;
    bool                 is_first = true;
    for (int kind = 0; kind < TESS__SHAPE_KINDS; kind++) {
        const tess_array *rows = &s->rows[kind];
        for (int64_t i = 0; rows->data && i < rows->shape.b; i++) {
            const double *row = (const double *)rows->data + i * rows->shape.w;
            if (!is_first && !one.data)
                TESS_GOTO(done, status, tess_empty(&one, mask->shape, mask->dtype, mask->device));
            TESS_GOTO(done, status, draw_one(is_first ? mask : &one, kind, row, rows->shape.w, &opts));
            if (!is_first) TESS_GOTO(done, status, tess_maximum(mask, mask, &one));
            is_first = false;
        }
    }
done:
    tess_release(&one);
    return status;
}
