/* Sums over shells of a spectrum: how it is divided, and the request. */
#include "ops/signal/shells/shells.h"

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "ops/fft/layout.h"

static int64_t smallest(tess_shape shape)
{
    int64_t m = 0;
    for (int k = 1; k < 4; k++)
        if (shape.dim[k] > 1 && (m == 0 || shape.dim[k] < m)) m = shape.dim[k];
    return m ? m : 1;
}

int64_t tess_fsc_shells(tess_shape shape)
{
    for (int k = 1; k < 4; k++)
        if (shape.dim[k] < 1) return 0;
    return smallest(shape) / 2 + 1;
}

static tess__shell_axis shell_axis_of(int layout, int axis, int64_t n)
{
    const int order = tess__fft_axis_of(layout, axis, n).order;
    return (tess__shell_axis){ .n = n,
                               .zero = order == TESS__FFT_CENTRED ? n / 2 : 0,
                               .below = order == TESS__FFT_HALF      ? -1
                                        : order == TESS__FFT_CENTRED ? n / 2
                                                                     : n,
                               .size = (double)n };
}

/* As few chunks of at most `most` frequencies as there can be, of one size. */
static int64_t divide(int64_t n, int64_t most)
{
    const int64_t chunks = (n - 1) / most + 1;
    return (n - 1) / chunks + 1;
}

tess__shell_grid tess__shell_grid_of(tess_shape shape, int layout)
{
    const int64_t    rows = shape.h / 2 + 1, columns = shape.w / 2 + 1;
    tess__shell_grid g = { .m = smallest(shape) };
    for (int k = 0; k < 3; k++) g.axis[k] = shell_axis_of(layout, k + 1, shape.dim[k + 1]);
    g.size = (double)g.m;
    g.shells = g.m / 2 + 1;
    g.limit = (double)g.m * (double)g.m / 4;
    g.last = g.shells - 1;
    g.rows = divide(rows, TESS__SHELL_ROWS);
    g.columns = divide(columns, TESS__SHELL_COLUMNS);
    g.down = (rows - 1) / g.rows + 1;
    g.across = (columns - 1) / g.columns + 1;
    g.chunks = (shape.d / 2 + 1) * g.down * g.across;
    g.window = tess__min(g.shells, g.rows + g.columns + 1); /* a step along an axis is at most a shell */
    return g;
}

/* A step along an axis stays a shell at most. */
void tess__shell_grid_set_sizes(tess__shell_grid *grid, const double size[4])
{
    bool first = true;
    for (int k = 0; k < 3; k++) {
        tess__shell_axis *a = &grid->axis[k];
        if (a->n <= 1) continue;
        a->size = size[k + 1];
        if (first || a->size < grid->size) grid->size = a->size;
        first = false;
    }
}

/* The last shell is as wide as the others. Its end is outside, by more than roots are rounded. */
static void widen(tess__shell_grid *grid, bool nearest)
{
    const double end = (double)grid->shells - (nearest ? 0.5 : 0);
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
    tess__shells      work = { .name = fn,
                               .lhs = *lhs,
                               .cosine = terms->cosine,
                               .grid = tess__shell_grid_of(terms->shape, terms->layout),
                               .nearest = terms->nearest };
    const int64_t     cones = terms->axes ? terms->axes->shape.h : 1;
    const tess_shape  shape =
        TESS_SHAPE(b, cones, tess_fsc_shells(terms->shape), rhs ? TESS__SHELL_PAIR : TESS__SHELL_POWER);
    TESS_TRY(tess__make(fn, sums, shape, TESS_F64, lhs->device, false));
    if (!tess__has_elements(sums)) return TESS_OK;
    broadcast(&work.lhs, b);
    if (rhs) {
        work.rhs = *rhs;
        broadcast(&work.rhs, b);
    }
    if (terms->axes) work.axes = *terms->axes;
    if (terms->sizes) tess__shell_grid_set_sizes(&work.grid, terms->sizes);
    if (terms->whole_last) widen(&work.grid, terms->nearest);
    work.out = *sums;
    TESS_TRY(tess__shells_run(&work));
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
