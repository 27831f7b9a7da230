/* Shapes from arrays of centres, sizes and matrices: one affine map from pixel coordinates to the frame of each. */
#include "ops/geometry/draw/draw.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/array/broadcast.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/check/output.h"
#include "core/check/text.h"
#include "ops/geometry/items/items.h"
#include "tessera/math/affine.op.h"
#include "tessera/rotation.h"

typedef enum inverse_kind { NONE, LINEAR, AFFINE, QUATERNION } inverse_kind;

/* The parameters as lists of f64, in the order of the shapes of their own. */
typedef struct lists {
    const tess__draw_parameters *p;
    bool                         flat; /* images */
    inverse_kind                 inverse;
    tess__items                  items[TESS__DRAW_PARAMETERS];
    tess_array                   list[TESS__DRAW_PARAMETERS];
    tess_shape                   shape; /* {b,n,1,1} */
} lists;

/* ---- Reading ---- */

static bool holds_quats(const tess_array *a)
{
    return a->dtype == TESS_VEC4_F32 || a->dtype == TESS_VEC4_F64 ||
           (a->dtype < TESS_SCALAR_DTYPE_COUNT && a->shape.h == 1 && a->shape.w == 4);
}

static tess__item_form form_of(const lists *l, int which)
{
    const int             kind = l->p->kind, rank = l->flat ? 2 : 3;
    const tess__item_form number = { TESS__ITEM_SCALAR, 1, 1, false }, pair = { TESS__ITEM_VECTOR, 1, 2, false },
                          vector = { TESS__ITEM_VECTOR, 1, rank, false }, quat = { TESS__ITEM_VECTOR, 1, 4, false },
                          matrix = { TESS__ITEM_MATRIX, 0, 0, false };
    if (which == TESS__DRAW_INVERSE) return holds_quats(l->p->of[which].array) ? quat : matrix;
    if (which != TESS__DRAW_SIZES) return vector;
    if (kind == TESS__DRAW_SPHERE || kind == TESS__DRAW_CAPSULE) return number;
    return kind == TESS__DRAW_ELLIPSOID || kind == TESS__DRAW_CUBOID ? vector : pair;
}

/* What kind of map this is; matrices of another rank are an error. */
static tess_status check_inverse(lists *l)
{
    const tess__items *m = &l->items[TESS__DRAW_INVERSE];
    const int          rank = l->flat ? 2 : 3;
    if (m->rows == 1) l->inverse = QUATERNION;
    else if (m->rows == rank && m->columns == rank) l->inverse = LINEAR;
    else if (m->columns == rank + 1) l->inverse = AFFINE;
    TESS_CHECK(l->inverse != NONE && !(l->flat && l->inverse == QUATERNION), TESS_ESHAPE,
               "%s: `%s` has matrices of %d x %d; %s for %s", l->p->fn, m->arg, m->rows, m->columns,
               l->flat ? "2x2, 2x3 or 3x3 are needed" : "3x3, 3x4, 4x4 or quaternions are needed",
               l->flat ? "images" : "volumes");
    return TESS_OK;
}

static tess_status read_one(lists *l, int which)
{
    char               text[TESS__SHAPE_TEXT];
    const char        *fn = l->p->fn, *arg = l->p->of[which].arg;
    const tess_array  *array = l->p->of[which].array;
    tess__items *const items = &l->items[which];
    if (!array) return TESS_OK;
    TESS_TRY(tess__check_array(fn, arg, array));
    TESS_TRY(tess__items_of(items, fn, arg, array, form_of(l, which)));
    TESS_CHECK(items->first.shape.h == 1 && items->first.shape.w == 1, TESS_ESHAPE,
               "%s: `%s` is %s %s; shapes must lie along d and batches along b", fn, arg, tess_dtype_name(array->dtype),
               tess__shape_text(text, array->shape.dim));
    if (which == TESS__DRAW_INVERSE) TESS_TRY(check_inverse(l));
    TESS_TRY(tess__items_fetch(&l->list[which], fn, items));
    return TESS_OK;
}

static tess_status read_all(lists *l)
{
    const char       *names[TESS__DRAW_PARAMETERS];
    const tess_array *arrays[TESS__DRAW_PARAMETERS];
    int               n = 0;
    for (int k = 0; k < TESS__DRAW_PARAMETERS; k++) {
        TESS_TRY(read_one(l, k));
        if (!l->p->of[k].array) continue;
        names[n] = l->p->of[k].arg;
        arrays[n++] = &l->items[k].first;
    }
    TESS_TRY(tess__common_shape(&l->shape, l->p->fn, names, arrays, n));
    return TESS_OK;
}

/* The numbers of a parameter for one shape; NULL: there are none. */
static const double *numbers_of(const lists *l, int which, int64_t b, int64_t i)
{
    const tess__items *items = &l->items[which];
    if (!l->p->of[which].array) return NULL;
    const tess_shape *shape = &items->first.shape;
    const int64_t     item = (shape->b > 1 ? b : 0) * shape->d + (shape->d > 1 ? i : 0);
    return (const double *)l->list[which].data + item * items->rows * items->columns;
}

/* ---- One shape ---- */

static tess_status check_numbers(const lists *l, int which, const double *x, int n, double least)
{
    for (int k = 0; k < n; k++)
        TESS_CHECK(isfinite(x[k]) && x[k] >= least, TESS_ERANGE, "%s: `%s` has %g; %s", l->p->fn, l->p->of[which].arg,
                   x[k],
                   least > 0    ? "it must be at least 1e-6 pixels"
                   : least == 0 ? "it must be finite and not negative"
                                : "it must be finite");
    return TESS_OK;
}

/* z, y, x of a vector that may be of images. */
static tess_vec3_f64 point_of(const lists *l, const double *x)
{
    return l->flat ? tess_vec3_of_f64(0, x[0], x[1]) : tess_vec3_of_f64(x[0], x[1], x[2]);
}

static tess_status put_sizes(tess__draw_shape *s, const lists *l, int64_t b, int64_t i)
{
    const tess__items *items = &l->items[TESS__DRAW_SIZES];
    const double      *x = numbers_of(l, TESS__DRAW_SIZES, b, i), half = 0.5;
    const bool         is_ellipsoid = l->p->kind == TESS__DRAW_ELLIPSOID;
    const bool         is_vector = is_ellipsoid || l->p->kind == TESS__DRAW_CUBOID;
    TESS_TRY(check_numbers(l, TESS__DRAW_SIZES, x ? x : &half, x ? items->columns : 1, is_ellipsoid ? 1e-6 : 0));
    if (is_vector && l->flat) s->size[0] = x[0], s->size[1] = x[0], s->size[2] = x[1];
    else if (is_vector) memcpy(s->size, x, 3 * sizeof *x);
    else if (x) memcpy(s->size, x, (size_t)items->columns * sizeof *x);
    else s->size[0] = half;
    return TESS_OK;
}

static tess_status centre_of(tess_vec3_f64 *centre, const lists *l, int64_t b, int64_t i)
{
    const double     *x = numbers_of(l, TESS__DRAW_CENTRES, b, i), *from = numbers_of(l, TESS__DRAW_FROM, b, i);
    const double     *to = numbers_of(l, TESS__DRAW_TO, b, i);
    const tess_shape *n = &l->p->logical;
    const int         rank = l->flat ? 2 : 3;
    *centre = tess_vec3_of_f64((double)(n->d / 2), (double)(n->h / 2), (double)(n->w / 2));
    if (x) {
        TESS_TRY(check_numbers(l, TESS__DRAW_CENTRES, x, rank, -INFINITY));
        *centre = point_of(l, x);
    }
    if (from) {
        TESS_TRY(check_numbers(l, TESS__DRAW_FROM, from, rank, -INFINITY));
        TESS_TRY(check_numbers(l, TESS__DRAW_TO, to, rank, -INFINITY));
        *centre = tess_vec3_scale_f64(tess_vec3_add_f64(point_of(l, from), point_of(l, to)), 0.5);
    }
    return TESS_OK;
}

/* The linear part of a map, and what it adds. */
static tess_status map_of(tess_mat33_f64 *a, tess_vec3_f64 *t, const lists *l, tess_vec3_f64 centre, const double *x)
{
    const int rank = l->flat ? 2 : 3, first = 3 - rank, columns = l->items[TESS__DRAW_INVERSE].columns;
    *a = tess_mat33_identity_f64();
    *t = tess_vec3_of_f64(0, 0, 0);
    if (l->inverse == QUATERNION) {
        tess_vec4_f64 q = tess_vec4_of_f64(x[0], x[1], x[2], x[3]);
        TESS_TRY(check_numbers(l, TESS__DRAW_INVERSE, x, 4, -INFINITY));
        TESS_CHECK(tess_quat_normalize(&q, &q) == TESS_OK, TESS_ERANGE,
                   "%s: `%s` has a quaternion 0, 0, 0, 0; its length must be above 0", l->p->fn,
                   l->p->of[TESS__DRAW_INVERSE].arg);
        *a = tess_mat33_from_quat_f64(q);
    } else if (l->inverse != NONE) {
        TESS_TRY(check_numbers(l, TESS__DRAW_INVERSE, x, rank * columns, -INFINITY));
        for (int row = 0; row < rank; row++)
            for (int column = 0; column < columns; column++) {
                const double m = x[row * columns + column];
                if (column == rank) t->at[first + row] = m;
                else a->at[3 * (first + row) + first + column] = m;
            }
    }
    if (l->inverse != AFFINE) *t = tess_vec3_sub_f64(centre, tess_mat33_apply_f64(*a, centre));
    *t = tess_vec3_sub_f64(*t, centre);
    return TESS_OK;
}

/* Turns that make the line from one point to another the axis z; half its length. */
static tess_mat33_f64 along_z(double *half, tess_vec3_f64 line)
{
    const double length = tess_vec3_norm_f64(line);
    *half = 0.5 * length;
    if (length == 0) return tess_mat33_identity_f64();
    const tess_vec3_f64 z = tess_vec3_scale_f64(line, 1 / length);
    /* The axis that is farthest from the line. */
    const tess_vec3_f64 other = fabs(z.at[0]) < 0.7 ? tess_vec3_of_f64(1, 0, 0) : tess_vec3_of_f64(0, 1, 0);
    const tess_vec3_f64 y = tess_vec3_normalize_f64(tess_vec3_cross_f64(z, other)), x = tess_vec3_cross_f64(z, y);
    tess_mat33_f64      m;
    for (int k = 0; k < 3; k++) m.at[k] = z.at[k], m.at[3 + k] = y.at[k], m.at[6 + k] = x.at[k];
    return m;
}

static tess_status put_shape(tess__draw_shape *s, const lists *l, int64_t b, int64_t i)
{
    tess_vec3_f64  centre, t;
    tess_mat33_f64 a;
    memset(s, 0, sizeof *s);
    TESS_TRY(put_sizes(s, l, b, i));
    TESS_TRY(centre_of(&centre, l, b, i));
    TESS_TRY(map_of(&a, &t, l, centre, numbers_of(l, TESS__DRAW_INVERSE, b, i)));
    if (l->p->kind == TESS__DRAW_CAPSULE) {
        const double        *from = numbers_of(l, TESS__DRAW_FROM, b, i), *to = numbers_of(l, TESS__DRAW_TO, b, i);
        const tess_mat33_f64 frame = along_z(&s->size[1], tess_vec3_sub_f64(point_of(l, to), point_of(l, from)));
        a = tess_mat33_mul_f64(frame, a);
        t = tess_mat33_apply_f64(frame, t);
    }
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) s->at[row][column] = a.at[3 * row + column];
        s->at[row][3] = t.at[row];
    }
    return TESS_OK;
}

static tess_status put_all(tess_array *out, const lists *l)
{
    const int64_t batches = l->shape.b, n = l->shape.d;
    TESS_TRY(tess__make(l->p->fn, out, TESS_SHAPE(batches, n, 1, 16), TESS_F64, tess_cpu(), false));
    tess__draw_shape *shapes = out->data;
    for (int64_t b = 0; b < batches; b++)
        for (int64_t i = 0; i < n; i++) TESS_TRY(put_shape(&shapes[b * n + i], l, b, i));
    return TESS_OK;
}

tess_status tess__draw_shapes(tess_array *out, const tess__draw_parameters *p)
{
    lists       l = { .p = p, .flat = p->logical.d == 1 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, read_all(&l));
    TESS_GOTO(done, status, put_all(out, &l));
done:
    for (int k = 0; k < TESS__DRAW_PARAMETERS; k++) {
        tess_release(&l.list[k]);
        tess__items_end(&l.items[k]);
    }
    if (status != TESS_OK) tess_release(out);
    return status;
}
