/* Sums over shells of spectra: how these are divided, and the request. */
#include "ops/signal/shells/shells.h"

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "ops/fft/layout.h"

enum { GROUP = 32 }; /* chunks that are added to each other first */

double tess__shell_size(tess_shape shape, const double *sizes)
{
    double least = 0;
    for (int k = 1; k < 4; k++) {
        const double size = sizes ? sizes[k] : (double)shape.dim[k];
        if (shape.dim[k] > 1 && (least == 0 || size < least)) least = size;
    }
    return least == 0 ? 1 : least;
}

int64_t tess_fsc_shells(tess_shape shape)
{
    for (int k = 1; k < 4; k++)
        if (shape.dim[k] < 1) return 0;
    return (int64_t)tess__shell_size(shape, NULL) / 2 + 1;
}

tess__radial_axis tess__radial_axis_of(int layout, int axis, int64_t n)
{
    const int order = tess__fft_axis_of(layout, axis, n).order;
    return (tess__radial_axis){ .n = n,
                                .zero = order == TESS__FFT_CENTRED ? n / 2 : 0,
                                .below = order == TESS__FFT_HALF      ? -1
                                         : order == TESS__FFT_CENTRED ? n / 2
                                                                      : n,
                                .span = 1,
                                .count = 1 };
}

/* ---- Mirrored rows ---- */

/* As few chunks of at most `most` frequencies as there can be, of one size. */
static int64_t divide(int64_t n, int64_t most)
{
    const int64_t chunks = (n - 1) / most + 1;
    return (n - 1) / chunks + 1;
}

/* How a spectrum is divided into shells and chunks. */
static tess__radial_grid grid_of(tess_shape shape, int layout, const double sizes[4])
{
    const double      m = tess__shell_size(shape, NULL), least = tess__shell_size(shape, sizes);
    tess__radial_grid g = { .kind = TESS__RADIAL_MIRRORED, .group = GROUP };
    for (int k = 0; k < 3; k++) {
        const int64_t n = shape.dim[k + 1];
        const double  size = sizes ? sizes[k + 1] : (double)n;
        g.axis[k] = tess__radial_axis_of(layout, k + 1, n);
        if (n > 1 && size != least) g.axis[k].span = least, g.axis[k].count = size;
    }
    g.shells = tess_fsc_shells(shape);
    g.limit = m * m / 4;
    g.last = g.shells - 1;
    g.all_rows = shape.h / 2 + 1;
    g.all_columns = shape.w / 2 + 1;
    g.rows = divide(g.all_rows, TESS__RADIAL_ROWS);
    g.columns = divide(g.all_columns, TESS__RADIAL_COLUMNS);
    g.down = (g.all_rows - 1) / g.rows + 1;
    g.across = (g.all_columns - 1) / g.columns + 1;
    g.chunks = (shape.d / 2 + 1) * g.down * g.across;
    g.window = tess__min(g.shells, g.rows + g.columns + 1); /* a step along an axis is at most a shell */
    return g;
}

/* The last shell is as wide as the others. Its end is outside, by more than roots are rounded. */
static void widen(tess__radial_grid *grid)
{
    const double end = (double)grid->shells - (grid->nearest ? 0.5 : 0);
    grid->limit = end * end * (1 - 1e-12);
    grid->last = grid->shells;
}

/* Broadcast along b to the larger of the two. */
static void broadcast(tess_array *a, int64_t b)
{
    if (a->shape.b == b) return;
    a->shape.b = b;
    a->strides.b = 0;
}

tess_status tess__shell_sums(const char *fn, tess_array *sums, const tess__shell_terms *terms)
{
    const tess_array *lhs = terms->lhs, *rhs = terms->rhs;
    const int64_t     b = rhs && lhs->shape.b == 1 ? rhs->shape.b : lhs->shape.b;
    tess__radial_bins work = { .name = fn,
                               .lhs = *lhs,
                               .cosine = terms->cosine,
                               .grid = grid_of(terms->shape, terms->layout, terms->sizes),
                               .terms = rhs ? TESS__RADIAL_PAIR : TESS__RADIAL_POWER };
    work.grid.nearest = terms->nearest;
    broadcast(&work.lhs, b);
    if (rhs) {
        work.rhs = *rhs;
        broadcast(&work.rhs, b);
    }
    if (terms->axes) work.axes = *terms->axes;
    if (terms->whole_last) widen(&work.grid);
    TESS_TRY(tess__radial_sums(sums, &work, b, terms->axes ? terms->axes->shape.h : 1));
    return TESS_OK;
}

/* ---- Sums ---- */

tess_status tess__radial_sums(tess_array *sums, tess__radial_bins *work, int64_t b, int64_t cones)
{
    const tess_shape shape = TESS_SHAPE(b, cones, work->grid.shells, TESS__RADIAL_SUMS(work->terms));
    const bool       any = tess__has_elements(&work->lhs);
    TESS_TRY(tess__make(work->name, sums, shape, TESS_F64, work->lhs.device, !any));
    work->out = *sums;
    if (any && tess__has_elements(sums)) TESS_TRY(tess__radial_bins_run(work));
    return TESS_OK;
}

tess_status tess__shell_sum(tess_array *view, const tess_array *sums, int k)
{
    tess_array one;
    TESS_TRY(tess_index(&one, sums, 3, k));
    TESS_TRY(tess_permute(view, &one, 0, 3, 1, 2));
    return TESS_OK;
}

tess_status tess__check_curve_dtype(const char *fn, const char *arg, tess_dtype dtype)
{
    TESS_CHECK(tess_dtype_kind(dtype) == TESS_KIND_FLOAT, TESS_EDTYPE, "%s: `%s` is %s; f16, f32 or f64 is needed", fn,
               arg, tess_dtype_name(dtype));
    return TESS_OK;
}

tess_status tess__check_coefficients(const char *fn, const char *arg, const tess_array *a)
{
    TESS_CHECK(tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE, "%s: `%s` is %s; a complex type is needed",
               fn, arg, tess_dtype_name(a->dtype));
    return TESS_OK;
}
