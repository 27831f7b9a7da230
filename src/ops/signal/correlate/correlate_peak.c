/* Peaks of correlation maps: the largest sample, then a parabola, a quadratic function or a centre of mass around it.
 *
 * Least squares on the symmetric window of samples s = -r .. r need no matrix: 1, s and s^2 - mean of s^2 are
 * orthogonal there, and so are their products along several axes. */
#include <inttypes.h>

#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/array/rank.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/op/library.h"
#include "ops/signal/correlate/correlate.h"
#include "ops/signal/shells/shells.h"
#include "tessera/op.h"
#include "tessera/reduce.h"

static const tess_choice fits[] = {
    { "parabola", TESS_CORRELATE_FIT_PARABOLA, "least-squares parabola along each axis" },
    { "quadratic", TESS_CORRELATE_FIT_QUADRATIC, "least-squares quadratic function of all axes" },
    { "mass", TESS_CORRELATE_FIT_MASS, "centre of mass of the window" },
    { NULL, 0, NULL },
};
static const tess_arg_info args[] = {
    TESS__OUT("shifts",
              "lags of the peaks, which move the second array onto the first, {b,1,1,rank}; f64 if newly allocated",
              .axes = "B,1,1,rank"),
    TESS__OUT_OPTIONAL("values", "heights of the peaks, {b,1,1,1}; f64 if newly allocated; may be NULL",
                       .axes = "B,1,1,1"),
    TESS__IN("map", "a correlation map, f16, f32 or f64"),
    TESS__OPT_FLAGGED_ARRAY(tess_correlate_peak_opts, max_lag, TESS_ARG_HOST,
                            "radii of the ellipse of lags to search, {1,1,1,rank}; 0: lag 0 only, negative: any",
                            .axes = "1,1,1,rank"),
    TESS__OPT_FLAGGED_ARRAY(tess_correlate_peak_opts, radius, TESS_ARG_HOST,
                            "radius of the window along each axis, 0 to 4, {1,1,1,rank}", .axes = "1,1,1,rank"),
    TESS__OPT_CHOICE(tess_correlate_peak_opts, fit, TESS_CORRELATE_FIT_PARABOLA, fits,
                     "method of locating the peak between samples"),
    TESS__FLAG(tess_correlate_peak_opts, centred, "lag 0 of the map is at n/2 along each axis"),
};
TESS__CALL(correlate_peak, v[0].out, v[1].out, v[2].in, opts)
const tess_function_info tess__info_correlate_peak =
    TESS__OP_OPTS(TESS_CUT_BATCHES, correlate_peak, "correlate", "Find the peak of each correlation map.", args,
                  tess_correlate_peak_opts, .work_bytes = 48);

/* ---- Operators ---- */

#include "ops/signal/correlate/correlate_peak.def"

/* Fits are of one element a batch: for these the baseline is enough. */
/* clang-format off */
/* The samples around the largest one, those of an image in one row. */
#define WINDOW(T)                                                                                                      \
    TESS_IWISE(peak_window_##T, (view(T,map,periodic), in(i64,at), val(i64,n_h), val(i64,n_w), val(i64,r_d),           \
                                 val(i64,r_h), val(i64,r_w), out(f64,y)),                                              \
        i64 m_h = 2*r_h + 1;                                                                                           \
        i64 m_w = 2*r_w + 1;                                                                                           \
        i64 i_d = w / (m_h*m_w) - r_d;                                                                                 \
        i64 i_h = w / m_w % m_h - r_h;                                                                                 \
        i64 i_w = w % m_w - r_w;                                                                                       \
        y = (f64)tess_at(map, b, at / (n_w*n_h) + i_d, at / n_w % n_h + i_h, at % n_w + i_w); )
WINDOW(f32)
WINDOW(f64)
#undef WINDOW

/* What comes of the sums of an axis: y, s y and (s^2 - mean) y over 2r + 1 samples, and |y|. */
TESS_DEVICE_FN(f64, peak_curvature, (f64 s_2, f64 r, f64 others),
    f64 n = 2.0*r + 1.0;
    f64 mean = r*(r + 1.0) / 3.0;
    f64 fourth = mean*(3.0*r*r + 3.0*r - 1.0) / 5.0;
    f64 norm = n*(fourth - mean*mean)*others;
    return norm > 0.0 ? s_2 / norm : 0.0; )
TESS_DEVICE_FN(f64, peak_slope, (f64 s_1, f64 r, f64 others),
    f64 norm = (2.0*r + 1.0)*(r*(r + 1.0) / 3.0)*others;
    return norm > 0.0 ? s_1 / norm : 0.0; )

TESS_DEVICE_FN(f64, peak_within, (f64 x, f64 limit), return x < -limit ? -limit : x > limit ? limit : x; )

/* The offset of the vertex of c + b x + a x^2; 0 where it does not open downward by more than roundings. */
TESS_DEVICE_FN(f64, peak_vertex, (f64 a, f64 b, f64 r, f64 scale),
    f64 x = a < -1e-12*scale ? 0.0 - b / (2.0*a) : 0.0;
    return peak_within(x, r > 0.0 ? r - 0.5 : 0.0); )

/* The parabola through the 2r + 1 samples of one axis; `value` rises from the sample to the vertex. */
TESS_IWISE(peak_parabola, (view(f64,line), val(i32,r), out(f64,offset), inout(f64,value), use(peak_curvature),
                           use(peak_slope), use(peak_within), use(peak_vertex)),
    f64 sample = tess_at(line, b, 0, 0, r);
    f64 n = 2.0*(f64)r + 1.0;
    f64 mean = (f64)r*((f64)r + 1.0) / 3.0;
    f64 sum = 0.0;
    f64 sum_1 = 0.0;
    f64 sum_2 = 0.0;
    f64 size = 0.0;
    for (i32 i = -r; i <= r; ++i) {
        f64 y = tess_at(line, b, 0, 0, r + i);
        f64 s = (f64)i;
        sum += y;
        sum_1 += s*y;
        sum_2 += (s*s - mean)*y;
        size += tessm_abs(y);
    }
    f64 curve = peak_curvature(sum_2, (f64)r, 1.0);
    f64 slope = peak_slope(sum_1, (f64)r, 1.0);
    f64 x = peak_vertex(curve, slope, (f64)r, size / n);
    f64 vertex = sum / n - curve*mean + (slope + curve*x)*x;
    value += curve < -1e-12*(size / n) ? vertex - sample : 0.0;
    offset = x; )

/* The centre of mass above the least sample, or above 0 if none is negative. */
TESS_IWISE(peak_mass, (view(f64,window), val(i32,r_d), val(i32,r_h), val(i32,r_w), out(f64,x_d), out(f64,x_h),
                       out(f64,x_w)),
    f64 least = 0.0;
    for (i32 i = -r_d; i <= r_d; ++i) {
        for (i32 j = -r_h; j <= r_h; ++j) {
            for (i32 k = -r_w; k <= r_w; ++k) {
                f64 y = tess_at(window, b, r_d + i, r_h + j, r_w + k);
                least = y < least ? y : least;
            }
        }
    }
    f64 sum = 0.0;
    f64 sum_d = 0.0;
    f64 sum_h = 0.0;
    f64 sum_w = 0.0;
    for (i32 i = -r_d; i <= r_d; ++i) {
        for (i32 j = -r_h; j <= r_h; ++j) {
            for (i32 k = -r_w; k <= r_w; ++k) {
                f64 mass = tess_at(window, b, r_d + i, r_h + j, r_w + k) - least;
                sum += mass;
                sum_d += mass*(f64)i;
                sum_h += mass*(f64)j;
                sum_w += mass*(f64)k;
            }
        }
    }
    x_d = sum > 0.0 ? sum_d / sum : 0.0;
    x_h = sum > 0.0 ? sum_h / sum : 0.0;
    x_w = sum > 0.0 ? sum_w / sum : 0.0; )

/* The maximum of c + g x + x A x, where A has the curvatures on its diagonal: -2 A x = g by Cramer's rule, if -2 A is
 * positive definite. Axes of radius 0 have an offset of 0. */
TESS_IWISE(peak_quadratic, (view(f64,window), val(i32,r_d), val(i32,r_h), val(i32,r_w), out(f64,x_d), out(f64,x_h),
                            out(f64,x_w), inout(f64,value), use(peak_within), use(peak_curvature), use(peak_slope)),
    f64 mean_d = (f64)r_d*((f64)r_d + 1.0) / 3.0;
    f64 mean_h = (f64)r_h*((f64)r_h + 1.0) / 3.0;
    f64 mean_w = (f64)r_w*((f64)r_w + 1.0) / 3.0;
    f64 sum = 0.0;
    f64 size = 0.0;
    f64 sum_d = 0.0;
    f64 sum_h = 0.0;
    f64 sum_w = 0.0;
    f64 sum_dd = 0.0;
    f64 sum_hh = 0.0;
    f64 sum_ww = 0.0;
    f64 sum_dh = 0.0;
    f64 sum_dw = 0.0;
    f64 sum_hw = 0.0;
    for (i32 i = -r_d; i <= r_d; ++i) {
        for (i32 j = -r_h; j <= r_h; ++j) {
            for (i32 k = -r_w; k <= r_w; ++k) {
                f64 y = tess_at(window, b, r_d + i, r_h + j, r_w + k);
                f64 p = (f64)i;
                f64 q = (f64)j;
                f64 s = (f64)k;
                sum += y;
                size += tessm_abs(y);
                sum_d += p*y;
                sum_h += q*y;
                sum_w += s*y;
                sum_dd += (p*p - mean_d)*y;
                sum_hh += (q*q - mean_h)*y;
                sum_ww += (s*s - mean_w)*y;
                sum_dh += p*q*y;
                sum_dw += p*s*y;
                sum_hw += q*s*y;
            }
        }
    }
    f64 n_d = 2.0*(f64)r_d + 1.0;
    f64 n_h = 2.0*(f64)r_h + 1.0;
    f64 n_w = 2.0*(f64)r_w + 1.0;
    f64 n = n_d*n_h*n_w;
    f64 g_d = peak_slope(sum_d, (f64)r_d, n_h*n_w);
    f64 g_h = peak_slope(sum_h, (f64)r_h, n_d*n_w);
    f64 g_w = peak_slope(sum_w, (f64)r_w, n_d*n_h);
    f64 a_d = peak_curvature(sum_dd, (f64)r_d, n_h*n_w);
    f64 a_h = peak_curvature(sum_hh, (f64)r_h, n_d*n_w);
    f64 a_w = peak_curvature(sum_ww, (f64)r_w, n_d*n_h);
    f64 a_dh = r_d > 0 && r_h > 0 ? sum_dh / (n*mean_d*mean_h) : 0.0;
    f64 a_dw = r_d > 0 && r_w > 0 ? sum_dw / (n*mean_d*mean_w) : 0.0;
    f64 a_hw = r_h > 0 && r_w > 0 ? sum_hw / (n*mean_h*mean_w) : 0.0;
    f64 tiny = 1e-12*(size / n);
    f64 p_d = r_d > 0 ? 0.0 - 2.0*a_d : 1.0;
    f64 p_h = r_h > 0 ? 0.0 - 2.0*a_h : 1.0;
    f64 p_w = r_w > 0 ? 0.0 - 2.0*a_w : 1.0;
    f64 minor_w = p_d*p_h - a_dh*a_dh;
    f64 determinant = p_d*(p_h*p_w - a_hw*a_hw) - a_dh*(a_dh*p_w + a_hw*a_dw) - a_dw*(a_dh*a_hw + p_h*a_dw);
    bool opens = (p_d > tiny || r_d == 0) && (p_h > tiny || r_h == 0) && (p_w > tiny || r_w == 0) && minor_w > 0.0
              && determinant > 0.0;
    f64 over = opens ? 1.0 / determinant : 0.0;
    f64 o_d = g_d*(p_h*p_w - a_hw*a_hw) + g_h*(a_dh*p_w + a_hw*a_dw) + g_w*(a_dh*a_hw + p_h*a_dw);
    f64 o_h = g_d*(a_dh*p_w + a_hw*a_dw) + g_h*(p_d*p_w - a_dw*a_dw) + g_w*(p_d*a_hw + a_dh*a_dw);
    f64 o_w = g_d*(a_dh*a_hw + p_h*a_dw) + g_h*(p_d*a_hw + a_dh*a_dw) + g_w*minor_w;
    o_d = opens ? peak_within(over*o_d, (f64)r_d) : 0.0;
    o_h = opens ? peak_within(over*o_h, (f64)r_h) : 0.0;
    o_w = opens ? peak_within(over*o_w, (f64)r_w) : 0.0;
    f64 level = sum / n - (a_d*mean_d + a_h*mean_h + a_w*mean_w);
    f64 fitted = level + (g_d + a_d*o_d + a_dh*o_h + a_dw*o_w)*o_d + (g_h + a_h*o_h + a_hw*o_w)*o_h
               + (g_w + a_w*o_w)*o_w;
    value = opens ? fitted : value;
    x_d = o_d;
    x_h = o_h;
    x_w = o_w; )

/* Offsets become lags. Maps without a largest sample, where `at` is negative, have none. */
TESS_EWISE(peak_place, (in(i64,at), val(i64,n_d), val(i64,n_h), val(i64,n_w), val(i32,centred), val(f64,none),
                        inout(f64,x_d), inout(f64,x_h), inout(f64,x_w), inout(f64,value), use(peak_lag)),
    x_d = at < 0 ? none : peak_lag(at / (n_w*n_h), n_d, centred) + x_d;
    x_h = at < 0 ? none : peak_lag(at / n_w % n_h, n_h, centred) + x_h;
    x_w = at < 0 ? none : peak_lag(at % n_w, n_w, centred) + x_w;
    value = at < 0 ? none : value; )
/* clang-format on */

/* ---- Checks ---- */

/* Numbers for the axes D, H and W, of which those that the rank leaves out are `other`. */
static tess_status read_axes(double values[3], const char *arg, const tess_array *a, int rank, double other)
{
    char text[TESS__SHAPE_TEXT];
    for (int k = 0; k < 3; k++) values[k] = other;
    if (!a) return TESS_OK;
    TESS_TRY(tess__check_numbers("correlate_peak", arg, a));
    TESS_TRY(tess__check_real("correlate_peak", arg, a));
    TESS_TRY(tess__check_on_host("correlate_peak", arg, a));
    TESS_CHECK(a->shape.b == 1 && a->shape.d == 1 && a->shape.h == 1 && a->shape.w == rank, TESS_ESHAPE,
               "correlate_peak: `%s` has shape %s; the map has rank %d, so {1,1,1,%d} is needed", arg,
               tess__shape_text(text, a->shape.dim), rank, rank);
    for (int k = 0; k < rank; k++) TESS_TRY(tess_get_f64(&values[3 - rank + k], a, 0, 0, 0, k));
    return TESS_OK;
}

static tess_status read_radius(int32_t radius[3], const tess_array *given, int rank)
{
    char   text[32];
    double values[3];
    TESS_TRY(read_axes(values, "opts->radius", given, rank, given ? 0 : 1));
    for (int k = 0; k < 3; k++) {
        TESS_CHECK(values[k] >= 0 && values[k] <= 4 && values[k] == (double)(int)values[k], TESS_ERANGE,
                   "correlate_peak: `opts->radius` has %s; the integers 0 to 4 are allowed",
                   tess__number_text(text, values[k]));
        radius[k] = k < 3 - rank ? 0 : (int32_t)values[k];
    }
    return TESS_OK;
}

/* ---- The work ---- */

typedef struct search {
    double     lag[3];
    int32_t    radius[3];
    int        rank;
    tess_array map;    /* f32 or f64 */
    tess_array masked; /* the same, NaN outside the ellipse */
    tess_array at;     /* index of the largest sample */
    tess_array window; /* f64, the samples around it */
    tess_array found;  /* f64 {b,1,1,4}: lags and heights */
} search;

static tess_status find_largest(search *s, const tess_correlate_peak_opts *o)
{
    const tess_shape   n = s->map.shape;
    tess_op_def *const op = s->map.dtype == TESS_F32 ? &peak_mask_f32 : &peak_mask_f64;
    const tess_array  *candidates = &s->map;
    if (o->max_lag) {
        const double outside = (double)NAN; /* no candidate */
        if (s->map.dtype == TESS_F32)
            TESS_TRY(tess_call(op, &s->map, n.d, n.h, n.w, s->lag[0], s->lag[1], s->lag[2], o->centred, (float)outside,
                               &s->masked));
        else
            TESS_TRY(tess_call(op, &s->map, n.d, n.h, n.w, s->lag[0], s->lag[1], s->lag[2], o->centred, outside,
                               &s->masked));
        candidates = &s->masked;
    }
    TESS_TRY(tess_argmax(&s->at, candidates, TESS_D | TESS_H | TESS_W, &(tess_argmin_opts){ .skip_nan = 1 }));
    return TESS_OK;
}

/* The samples around the peaks, f64 {b,2r+1,2r+1,2r+1}. */
static tess_status read_window(search *s)
{
    const tess_shape n = s->map.shape;
    const int64_t    r[3] = { s->radius[0], s->radius[1], s->radius[2] };
    const tess_shape size = TESS_SHAPE(n.b, 2 * r[0] + 1, 2 * r[1] + 1, 2 * r[2] + 1);
    tess_array       rows;
    TESS_TRY(tess__make("correlate_peak", &s->window, size, TESS_F64, s->map.device, false));
    TESS_TRY(tess_reshape(&rows, &s->window, TESS_SHAPE(n.b, 1, 1, size.d * size.h * size.w)));
    TESS_TRY(tess_call(s->map.dtype == TESS_F64 ? &peak_window_f64 : &peak_window_f32, &s->map, &s->at, n.h, n.w, r[0],
                       r[1], r[2], &rows));
    return TESS_OK;
}

/* The line of the window along an axis that runs through the peak, or, for axis 0, the peak itself; along W. */
static tess_status line_of(tess_array *line, const search *s, int axis)
{
    *line = s->window;
    for (int k = 1; k < 4; k++)
        if (k != axis) TESS_TRY(tess_slice(line, line, k, s->radius[k - 1], s->radius[k - 1] + 1, 1));
    if (axis == 1) TESS_TRY(tess_permute(line, line, 0, 3, 2, 1));
    if (axis == 2) TESS_TRY(tess_permute(line, line, 0, 1, 3, 2));
    return TESS_OK;
}

static tess_status refine(search *s, const tess_correlate_peak_opts *o)
{
    const tess_shape n = s->map.shape;
    const int32_t   *r = s->radius;
    tess_array       out[4], line;
    TESS_TRY(tess__make("correlate_peak", &s->found, TESS_SHAPE(n.b, 1, 1, 4), TESS_F64, s->map.device, true));
    for (int k = 0; k < 4; k++) TESS_TRY(tess_index(&out[k], &s->found, 3, k));
    TESS_TRY(read_window(s));
    TESS_TRY(line_of(&line, s, 0));
    TESS_TRY(tess_copy(&out[3], &line));
    if (o->fit == TESS_CORRELATE_FIT_QUADRATIC) {
        TESS_TRY(tess_call(&peak_quadratic, &s->window, r[0], r[1], r[2], &out[0], &out[1], &out[2], &out[3]));
    } else if (o->fit == TESS_CORRELATE_FIT_MASS) {
        TESS_TRY(tess_call(&peak_mass, &s->window, r[0], r[1], r[2], &out[0], &out[1], &out[2]));
    } else {
        for (int k = 0; k < 3; k++) {
            TESS_TRY(line_of(&line, s, k + 1));
            TESS_TRY(tess_call(&peak_parabola, &line, r[k], &out[k], &out[3]));
        }
    }
    TESS_TRY(
        tess_call(&peak_place, &s->at, n.d, n.h, n.w, o->centred, (double)NAN, &out[0], &out[1], &out[2], &out[3]));
    return TESS_OK;
}

static tess_status run(tess_array *shifts, tess_array *values, const tess_array *map, search *s,
                       const tess_correlate_peak_opts *o)
{
    tess_array  part;
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&s->map, map, map->dtype == TESS_F64 ? TESS_F64 : TESS_F32, NULL));
    TESS_GOTO(done, status, find_largest(s, o));
    TESS_GOTO(done, status, refine(s, o));
    TESS_GOTO(done, status, tess_slice(&part, &s->found, 3, 3 - s->rank, 3, 1));
    TESS_GOTO(done, status, tess_cast(shifts, &part, shifts->dtype, NULL));
    if (values) {
        TESS_GOTO(done, status, tess_index(&part, &s->found, 3, 3));
        TESS_GOTO(done, status, tess_cast(values, &part, values->dtype, NULL));
    }
done:
    tess_release(&s->map);
    tess_release(&s->masked);
    tess_release(&s->at);
    tess_release(&s->window);
    tess_release(&s->found);
    return status;
}

/* An output, which may be NULL if it is of `values`. */
static tess_status prepare(const char *arg, tess_array *out, tess_shape shape, const tess_array *map)
{
    const char *fn = "correlate_peak";
    const bool  made = tess__is_empty_out(out);
    if (!made) TESS_TRY(tess__check_curve_dtype(fn, arg, out->dtype));
    TESS_TRY(tess__output_named(fn, arg, out, shape, made ? TESS_F64 : out->dtype, map->device));
    if (!made) TESS_TRY(tess__check_disjoint(fn, arg, out, "map", map));
    return TESS_OK;
}

static tess_status check_map(const tess_array *map)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers("correlate_peak", "map", map));
    TESS_TRY(tess__check_curve_dtype("correlate_peak", "map", map->dtype));
    TESS_CHECK(map->shape.d && map->shape.h && map->shape.w, TESS_ESHAPE,
               "correlate_peak: `map` has shape %s; it must not be empty", tess__shape_text(text, map->shape.dim));
    return TESS_OK;
}

tess_status tess_correlate_peak(tess_array *shifts, tess_array *values, const tess_array *map,
                                const tess_correlate_peak_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_correlate_peak_opts o;
    search                   s = { .rank = 0 };
    TESS_TRY(tess__resolve(&tess__info_correlate_peak, opts, &o));
    TESS_TRY(tess__check_pointer("correlate_peak", "shifts", shifts));
    TESS_TRY(check_map(map));
    s.rank = tess__rank(map->shape);
    TESS_TRY(read_axes(s.lag, "opts->max_lag", o.max_lag, s.rank, -1));
    TESS_TRY(read_radius(s.radius, o.radius, s.rank));
    const bool  made = tess__is_empty_out(shifts), made_values = values && tess__is_empty_out(values);
    tess_status status = TESS_OK;
    TESS_TRY(prepare("shifts", shifts, TESS_SHAPE(map->shape.b, 1, 1, s.rank), map));
    if (values) {
        TESS_GOTO(done, status, prepare("values", values, TESS_SHAPE(map->shape.b, 1, 1, 1), map));
        TESS_GOTO(done, status, tess__check_disjoint("correlate_peak", "values", values, "shifts", shifts));
    }
    if (map->shape.b) TESS_GOTO(done, status, run(shifts, values, map, &s, &o));
done:
    if (values) (void)tess__finish(status, values, made_values);
    return tess__finish(tess__error_under(status, "correlate_peak"), shifts, made);
}
