/* Shapes at random. */
#include "support/draws.h"

static bool chance(int percent) { return test_random_in(0, 99) < percent; }

/* Numbers for each shape of each batch, or fewer that are for all. */
static void give(tess_array *a, double *numbers, tess_shape shape, double low, double high)
{
    if (chance(50)) shape.b = 1;
    if (chance(50)) shape.d = 1;
    for (int i = 0; i < DRAW_MOST; i++) numbers[i] = low + (high - low) * test_random_unit();
    CHECK_OK(tess_wrap(a, numbers, shape, TESS_F64, NULL));
}

/* Matrices near the identity. */
static void give_inverse(draw_case *c, int64_t n)
{
    const int64_t rank = c->shape.d > 1 ? 3 : 2, columns = rank + (chance(50) ? 1 : 0);
    give(&c->inverse, c->numbers[2], TESS_SHAPE(c->shape.b, n, rank, columns), -0.5, 0.5);
    for (int64_t i = 0; i < tess_n_elements(&c->inverse); i++)
        if (i / columns % rank == i % columns) c->numbers[2][i] += 1;
    if (rank == 3 && chance(30)) give(&c->inverse, c->numbers[2], TESS_SHAPE(c->shape.b, n, 1, 4), -1, 1);
}

static void give_shapes(draw_case *c, int64_t n)
{
    static const int fixed[DRAW_KINDS] = { 1, 0, 0, 2, 2, 1 }; /* columns of sizes; 0: as the array has axes */
    const int64_t    rank = c->shape.d > 1 ? 3 : 2, columns = fixed[c->kind] ? fixed[c->kind] : rank, b = c->shape.b;
    const bool       is_line = c->kind == DRAW_KINDS - 1;
    give(&c->sizes, c->numbers[0], TESS_SHAPE(b, n, 1, columns), 0.1, 9);
    if (chance(30) && is_line) c->sizes.data = NULL;
    if (chance(70) && !is_line) give(&c->centres, c->numbers[1], TESS_SHAPE(b, n, 1, rank), -4, 20);
    if (chance(60)) give_inverse(c, n);
    if (!is_line) return;
    give(&c->from, c->numbers[3], TESS_SHAPE(b, n, 1, rank), -4, 20);
    give(&c->to, c->numbers[4], TESS_SHAPE(b, n, 1, rank), -4, 20);
}

void draw_make(draw_case *c, int kind, tess_dtype dtype)
{
    const bool is_complex = tess_dtype_kind(dtype) == TESS_KIND_COMPLEX;
    memset(c, 0, sizeof *c);
    c->kind = kind;
    c->dtype = dtype;
    c->has_in = chance(60);
    c->shape = TESS_SHAPE(test_random_in(1, 2), chance(50) ? 1 : test_random_in(2, 5), test_random_in(1, 9),
                          test_random_in(1, 40));
    give_shapes(c, test_random_in(1, 2));
    c->opts.width = chance(50) ? 0 : 8 * test_random_unit();
    c->opts.value = chance(40) ? 0 : 20 * test_random_unit() - 5;
    c->opts.op = (int32_t)test_random_in(0, 5);
    if (is_complex && (c->opts.op == TESS_DRAW_MIN || c->opts.op == TESS_DRAW_MAX)) c->opts.op = TESS_DRAW_ADD;
    c->opts.inverted = chance(30);
    c->opts.layout = chance(50) ? 0 : (int32_t)test_random_in(TESS_FFT_H, TESS_FFT_FC);
    c->logical = c->shape;
    if (c->opts.layout) c->opts.shape = c->shape;
    if (c->opts.layout == TESS_FFT_H || c->opts.layout == TESS_FFT_HC) c->shape.w = c->shape.w / 2 + 1;
    (void)snprintf(c->text, sizeof c->text, "kind %d, %s, op %d, layout %d, width %g, value %g%s%s", kind,
                   tess_dtype_name(dtype), c->opts.op, c->opts.layout, c->opts.width, c->opts.value,
                   c->has_in ? ", in" : "", c->inverse.data ? ", inverse" : "");
}

/* Parameters on a device, or where they are. */
static const tess_array *placed(tess_array *copy, const tess_array *a, const tess_device *there)
{
    if (!a->data) return NULL;
    if (!there) return a;
    CHECK_OK(tess_to_device(copy, a, *there));
    return copy;
}

tess_status draw_call(tess_array *out, const tess_array *in, const draw_case *c, const tess_device *there)
{
    typedef tess_status (*sized)(tess_array *, const tess_array *, const tess_array *, const tess_draw_opts *);
    static const sized calls[] = { tess_draw_sphere, tess_draw_ellipsoid, tess_draw_cuboid, tess_draw_cylinder,
                                   tess_draw_torus };
    tess_array         copies[5] = { { .data = NULL } };
    tess_draw_opts     opts = c->opts;
    const tess_array  *sizes = placed(&copies[0], &c->sizes, there), *from = placed(&copies[3], &c->from, there);
    const tess_array  *to = placed(&copies[4], &c->to, there);
    opts.centres = placed(&copies[1], &c->centres, there);
    opts.inverse = placed(&copies[2], &c->inverse, there);
    const tess_status status = c->kind == DRAW_KINDS - 1 ? tess_draw_line(out, in, from, to, sizes, &opts)
                                                         : calls[c->kind](out, in, sizes, &opts);
    for (int k = 0; k < 5; k++) tess_release(&copies[k]);
    return status;
}
