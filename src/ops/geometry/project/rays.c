/* Maps of projections: where the samples of rays lie in a volume, and voxels on images. */
#include "ops/geometry/project/rays.h"

#include <inttypes.h>
#include <math.h>

#include "core/check/check.h"
#include "core/check/text.h"
#include "formulas/geometry/footprint.op.h"

enum { START, K, D, H, W, COLUMNS }; /* columns of maps */

static const int64_t max_samples = (int64_t)1 << 24;

/* The centre along an axis of a shape, 1 to 3 being z, y, x. */
static double centre(tess_shape shape, int axis) { return (double)(shape.dim[axis] / 2); }

/* ---- Rays ---- */

/* The axis on which a ray of this direction through the centre leaves first the volume and what the interpolation
 * reaches beyond it: the one along which the fewest samples are needed. -1: there is no direction. */
static int axis_of(const double a[3], tess_shape volume, double reach)
{
    int    axis = -1;
    double least = 0, longest = 0;
    for (int k = 0; k < 3; k++) longest = fmax(longest, fabs(a[k]));
    for (int k = 0; k < 3; k++) {
        const double distance = (centre(volume, k + 1) + reach) / fabs(a[k]);
        if (!(fabs(a[k]) > 1e-9 * longest)) continue; /* as good as along the faces */
        if (axis < 0 || distance < least) axis = k, least = distance;
    }
    return axis;
}

/* The map of one matrix. Sample 0 is moved along the ray to the plane through the centre: coordinate `axis` depends on
 * k alone. */
static int put_ray(double *map, const double *m, int columns, const tess__ray_shapes *s, double reach)
{
    double a[3];
    for (int i = 0; i < 3; i++) {
        const double *row = m + i * columns;
        const double  t = columns == 4 ? row[3] : 0;
        double       *to = map + i * COLUMNS;
        a[i] = to[K] = row[0];
        to[H] = row[1];
        to[W] = row[2];
        to[START] = t;
        if (s->centred)
            to[START] = t + centre(s->volume, i + 1) - (row[1] * centre(s->image, 2) + row[2] * centre(s->image, 3));
    }
    const int axis = axis_of(a, s->volume, reach);
    if (axis < 0) return axis;
    const double *along = map + axis * COLUMNS;
    const double  kept[] = { along[START], along[H], along[W] };
    for (int i = 0; i < 3; i++) {
        const double slope = a[i] / a[axis];
        double      *to = map + i * COLUMNS;
        to[START] += slope * (centre(s->volume, axis + 1) - kept[0]);
        to[H] -= slope * kept[1];
        to[W] -= slope * kept[2];
    }
    map[axis * COLUMNS + START] = centre(s->volume, axis + 1);
    map[axis * COLUMNS + H] = map[axis * COLUMNS + W] = 0;
    return axis;
}

tess_status tess__ray_maps(tess_array *maps, int64_t *samples, const tess__matrices *m, const char *arg,
                           const tess__ray_shapes *s)
{
    const int    taps = tess__interp_taps(s->interp);
    const double reach = taps > 2 ? taps / 2 : 1;
    int64_t      most = 1;
    TESS_TRY(tess__maps_new(maps, s->fn, m->n, 1));
    for (int64_t i = 0; i < m->n; i++) {
        double   *map = (double *)maps->data + i * TESS__SUM_MAP;
        const int axis = put_ray(map, tess__matrix_at(m, i), m->columns, s, reach);
        char      text[32];
        TESS_CHECK(axis >= 0, TESS_ERANGE,
                   "%s: the first column of matrix %" PRId64 " of `%s` is 0; it must give the direction of the rays",
                   s->fn, i, arg);
        const double half = ceil((centre(s->volume, axis + 1) + reach) / fabs(map[axis * COLUMNS + K]));
        TESS_CHECK(2 * half + 1 <= (double)max_samples, TESS_ERANGE,
                   "%s: matrix %" PRId64 " of `%s` needs %s samples per ray; at most %" PRId64 " are allowed", s->fn, i,
                   arg, tess__number_text(text, 2 * half + 1), max_samples);
        if (2 * (int64_t)half + 1 > most) most = 2 * (int64_t)half + 1;
    }
    *samples = most;
    return TESS_OK;
}

/* ---- Voxels ---- */

static void put_voxels(double *map, const double *m, const tess__matrices *sizes, const tess__ray_shapes *s)
{
    for (int i = 0; i < 2; i++) {
        const double *row = m + (sizes->rows == 2 ? i : i + 1) * sizes->columns;
        double       *to = map + (i + 1) * COLUMNS;
        double        moved = 0;
        for (int k = 0; k < 3; k++) {
            to[D + k] = row[k];
            moved += row[k] * centre(s->volume, k + 1);
        }
        to[START] = sizes->columns == 4 ? row[3] : 0;
        if (s->centred) to[START] += centre(s->image, i + 2) - moved;
    }
}

tess_status tess__voxel_maps(tess_array *maps, const tess__matrices *m, const tess__ray_shapes *s, bool of_batches)
{
    TESS_TRY(tess__maps_new(maps, s->fn, of_batches ? m->n : 1, of_batches ? 1 : m->n));
    for (int64_t i = 0; i < m->n; i++)
        put_voxels((double *)maps->data + i * TESS__SUM_MAP, tess__matrix_at(m, i), m, s);
    return TESS_OK;
}

tess_status tess__check_views(const tess_array *maps, const char *fn, const char *arg)
{
    for (int64_t i = 0; i < maps->shape.b; i++) {
        tess__footprint_view view;
        const double        *map = (const double *)maps->data + i * TESS__SUM_MAP;
        TESS_CHECK(tess__footprint_view_of(&view, map, TESS_INTERP_LINEAR), TESS_ERANGE,
                   "%s: the rows of y and x of matrix %" PRId64
                   " of `%s` are parallel or 0; `opts->adjoint` needs rank 2",
                   fn, i, arg);
    }
    return TESS_OK;
}
