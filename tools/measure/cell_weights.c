/* Filters by the metric of a unit cell: the length of a frequency is that of its vector in reciprocal space.
 *
 * The filters of the library are for pixels that are alike along all axes, which nearly all files have. */
#include "measure/cell_weights.h"

#include <math.h>
#include <string.h>

#include "measure/unit_cell.h"

/* How much finer pixels along w are than those along another axis; sizes of headers are exact to seven digits. */
static double finer(const tess_meta *meta, int axis)
{
    const double scale = meta->pixel_size[2] / meta->pixel_size[axis];
    const bool   is_known = meta->pixel_size[2] > 0 && meta->pixel_size[axis] > 0;
    return is_known && fabs(scale - 1) > 1e-6 ? scale : 1;
}

bool cell_is_cubic(const tess_meta *meta, bool volume)
{
    return finer(meta, 1) == 1 && (!volume || finer(meta, 0) == 1) && !unit_cell_is_skew(meta, volume);
}

/* With frequencies d, h, w: z = dd d + dh h + dw w and y = hh h + hw w; x is w. */
static void find_scales(double scale[5], const tess_meta *meta, bool volume)
{
    double r[3][3];
    unit_cell_reciprocals(r, meta, volume);
    const double d = finer(meta, 0), h = finer(meta, 1);
    const double all[5] = { d * r[0][0], h * r[1][0], r[2][0], h * r[1][1], r[2][1] };
    memcpy(scale, all, sizeof all);
}

double cell_highest_frequency(const tess_meta *meta, bool volume)
{
    double scale[5];
    find_scales(scale, meta, volume);
    return 0.5 * fmax(1, fmax(volume ? scale[0] : 1, scale[3]));
}

/* The frequency of a coefficient of half a spectrum, from its indices. */
#define FREQUENCY                                                                                                      \
    "fn f64 axis(i64 i, i64 n) { return (f64)(2*i > n ? i - n : i)/(f64)n; }\n"                                        \
    "fn f64 length(f64 z, f64 y, f64 x) { return sqrt(z*z + y*y + x*x); }\n"
#define F                                                                                                              \
    "    f64 x = (f64)w/(f64)width;\n"                                                                                 \
    "    f64 y = axis(h, size(2));\n"                                                                                  \
    "    f64 f = length(dd*axis(d, size(1)) + dh*y + dw*x, hh*y + hw*x, x);\n"
#define GRID "val i64 width, val f64 dd, val f64 dh, val f64 dw, val f64 hh, val f64 hw"
#define GRID_OF(c) (c)->shape.w, (c)->scale[0], (c)->scale[1], (c)->scale[2], (c)->scale[3], (c)->scale[4]

/* The edges of tess_filter_edge; `kind` 0 is hard, and then its number. */
static const char pass_text[] = FREQUENCY
    "fn f64 cosine(f64 t) { return t >= 1 ? (f64)0 : (1 + cos(pi*t))/2; }\n"
    "op pass(" GRID ", val f64 cutoff, val f64 edge, val f64 order, val i32 kind, val bool high, inout T g) {\n" F
    "    f64 beyond = high ? cutoff - f : f - cutoff;\n"
    "    f64 t = beyond/edge;\n"
    "    f64 m = kind == 0 ? (f64)0 : kind == 2 ? exp(-t*t/2) : cosine(t);\n"
    "    f64 b = 1/sqrt(1 + pow(high ? cutoff/f : f/cutoff, 2*order));\n"
    "    g = (T)((f64)g*(kind == 3 ? b : beyond <= 0 ? (f64)1 : m));\n"
    "}\n";
static const char bell_text[] =
    FREQUENCY "op bell(" GRID ", val f64 a, inout T g) {\n" F "    g = (T)((f64)g*exp(-a*f*f));\n"
              "}\n";
_Static_assert(TESS_FILTER_COSINE == 1 && TESS_FILTER_GAUSSIAN == 2 && TESS_FILTER_BUTTERWORTH == 3,
               "kinds of the text");

tess_status cell_weights_open(cell_weights *c, tess_shape shape, const tess_meta *meta)
{
    c->shape = shape;
    find_scales(c->scale, meta, shape.d > 1);
    TESS_TRY(tess_op_text(&c->pass, pass_text));
    return tess_op_text(&c->bell, bell_text);
}

void cell_weights_close(cell_weights *c)
{
    tess_op_release(c->pass);
    tess_op_release(c->bell);
}

tess_status cell_weights_pass(const cell_weights *c, tess_array *weights, const pass_side *side)
{
    const bool    hard = side->edge != TESS_FILTER_BUTTERWORTH && side->width <= 1e-6; /* as in the library */
    const int32_t kind = hard ? 0 : (int32_t)side->edge;
    return tess_call(c->pass, GRID_OF(c), side->cutoff, side->width, (double)side->order, kind, side->high, weights);
}

tess_status cell_weights_bell(const cell_weights *c, tess_array *weights, double rate)
{
    return tess_call(c->bell, GRID_OF(c), rate, weights);
}
