/* Background normalisation: mean and standard deviation of the pixels outside, or inside, a circle or a sphere, in two
 * passes, then one element-wise pass. Before it, by option, a ramp is subtracted, and dust replaced. */
#include <inttypes.h>
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/op/library.h"
#include "ops/arrays/centre.h"
#include "tessera/ewise.h"
#include "tessera/linalg.h"
#include "tessera/op.h"
#include "tessera/scalar.h"
#include "tessera/statistics.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the normalised batches; may be the input itself"),
    TESS__IN("in", "signals, images or volumes of real numbers"),
    TESS__NEED(TESS_ARG_F64, "radius", "radius beyond which pixels are background, in pixels"),
    TESS__OPT_F64(tess_normalize_background_opts, shift_d, "pixels", 0, -DBL_MAX, DBL_MAX,
                  "shift of the centre from n / 2, along d"),
    TESS__OPT_F64(tess_normalize_background_opts, shift_h, "pixels", 0, -DBL_MAX, DBL_MAX,
                  "shift of the centre from n / 2, along h"),
    TESS__OPT_F64(tess_normalize_background_opts, shift_w, "pixels", 0, -DBL_MAX, DBL_MAX,
                  "shift of the centre from n / 2, along w"),
    TESS__FLAG(tess_normalize_background_opts, inside, "use the pixels inside the radius instead"),
    TESS__OPT_I32(tess_normalize_background_opts, ddof, "", 0, -(double)INT32_MAX, INT32_MAX,
                  "delta degrees of freedom of the variance: divisor is pixels - ddof"),
    TESS__AUTO_F64(tess_normalize_background_opts, white_dust, "deviations", "none", TESS__POSITIVE, DBL_MAX,
                   "replace pixels this far above the mean by the mean"),
    TESS__AUTO_F64(tess_normalize_background_opts, black_dust, "deviations", "none", TESS__POSITIVE, DBL_MAX,
                   "replace pixels this far below the mean by the mean"),
    TESS__FLAG(tess_normalize_background_opts, ramp, "subtract the best-fit plane of the background first"),
};
TESS__CALL(normalize_background, v[0].out, v[1].in, v[2].f64, opts)
const tess_function_info tess__info_normalize_background =
    TESS__OP_OPTS(TESS_CUT_BATCHES, normalize_background, "statistics",
                  "Normalise the background to mean 0 and deviation 1.", args, tess_normalize_background_opts);

#include "ops/signal/background.def"

/* The squares of the smallest and the largest distance of a pixel from the centre. */
static void find_limits(double *nearest, double *farthest, tess_shape shape, const double shift[3])
{
    *nearest = *farthest = 0;
    for (int k = 0; k < 3; k++) {
        const int64_t n = shape.dim[1 + k];
        const double  centre = (double)(n / 2) + shift[k], last = (double)(n - 1), rounded = rint(centre);
        const double  near = centre - (rounded < 0 ? 0 : rounded > last ? last : rounded);
        const double  far = centre > last - centre ? centre : last - centre;
        if (n <= 1) continue;
        *nearest += near * near;
        *farthest += far * far;
    }
}

static tess_status check_radius(const char *fn, double radius, tess_shape shape,
                                const tess_normalize_background_opts *o)
{
    const double shift[3] = { o->shift_d, o->shift_h, o->shift_w };
    char         text[TESS__SHAPE_TEXT], number[2][32];
    double       nearest, farthest;
    TESS_CHECK(radius >= 0 && radius < (double)INFINITY, TESS_ERANGE,
               "%s: `radius` is %s; it must be finite and not negative", fn, tess__number_text(number[0], radius));
    find_limits(&nearest, &farthest, shape, shift);
    TESS_CHECK(
        o->inside || farthest > radius * radius, TESS_ERANGE,
        "%s: `radius` is %s and the farthest pixel of %s is %s pixels from the centre; a smaller radius is needed, "
        "or `opts->inside`",
        fn, tess__number_text(number[0], radius), tess__shape_text(text, shape.dim),
        tess__number_text(number[1], sqrt(farthest)));
    TESS_CHECK(!o->inside || nearest <= radius * radius, TESS_ERANGE,
               "%s: `radius` is %s and the nearest pixel of %s is %s pixels from the centre; a larger radius is needed",
               fn, tess__number_text(number[0], radius), tess__shape_text(text, shape.dim),
               tess__number_text(number[1], sqrt(nearest)));
    return TESS_OK;
}

/* How many pixels count, as background_sum sees them; no more than one above `most` are looked for. */
static int64_t count_pixels(tess_shape shape, const double centre[3], double limit, bool inside, int64_t most)
{
    int64_t count = 0;
    for (int64_t d = 0; d < shape.d; d++)
        for (int64_t h = 0; h < shape.h; h++) {
            const double z = (double)d - centre[0], y = (double)h - centre[1], left = limit - (z * z + y * y);
            for (int64_t w = 0; w < shape.w && count <= most; w++) {
                const double x = (double)w - centre[2];
                count += (x * x <= left) == inside;
            }
        }
    return count;
}

static tess_status check_ddof(const char *fn, double radius, tess_shape shape, const tess_normalize_background_opts *o)
{
    const double  centre[3] = { tess__centre(shape.d, o->shift_d), tess__centre(shape.h, o->shift_h),
                                tess__centre(shape.w, o->shift_w) };
    char          text[32];
    const int64_t count = o->ddof > 0 ? count_pixels(shape, centre, radius * radius, o->inside, o->ddof) : 1;
    TESS_CHECK(count > o->ddof, TESS_ERANGE,
               "%s: `opts->ddof` is %d, and %" PRId64 " pixels are %s the radius of %s; ddof must be smaller", fn,
               (int)o->ddof, count, o->inside ? "inside" : "outside", tess__number_text(text, radius));
    return TESS_OK;
}

/* Temporary arrays, all to be released. */
typedef struct tables {
    tess_array wide, row, mean, std, count;
    tess_array column, moments, plane, inverse; /* of ramps */
} tables;

static void release(tables *t)
{
    tess_release(&t->wide);
    tess_release(&t->row);
    tess_release(&t->mean);
    tess_release(&t->std);
    tess_release(&t->count);
    tess_release(&t->column);
    tess_release(&t->moments);
    tess_release(&t->plane);
    tess_release(&t->inverse);
}

static tess_status make_tables(tables *t, const tess_array *in, double cw)
{
    const char      *fn = "normalize_background";
    const tess_shape each = TESS_SHAPE(in->shape.b, 1, 1, 1);
    TESS_TRY(tess__make(fn, &t->row, TESS_SHAPE(1, 1, 1, in->shape.w), TESS_F64, in->device, false));
    TESS_TRY(tess_call(&background_row, cw, &t->row));
    TESS_TRY(tess__make(fn, &t->mean, each, TESS_F64, in->device, false));
    TESS_TRY(tess__make(fn, &t->std, each, TESS_F64, in->device, false));
    TESS_TRY(tess__make(fn, &t->count, each, TESS_F64, in->device, false));
    return TESS_OK;
}

static tess_status find_statistics(tables *t, const tess_array *in, double radius,
                                   const tess_normalize_background_opts *o)
{
    static tess_op_def *const sums[3] = { &background_sum_f16, &background_sum_f32, &background_sum_f64 };
    static tess_op_def *const squares[3] = { &background_squares_f16, &background_squares_f32,
                                             &background_squares_f64 };
    const double              cd = tess__centre(in->shape.d, o->shift_d), ch = tess__centre(in->shape.h, o->shift_h);
    const double              limit = radius * radius;
    const int                 at = in->dtype - TESS_F16;
    const double              inside = o->inside ? 1 : 0;
    TESS_TRY(tess_call(sums[at], in, &t->row, cd, ch, limit, inside, &t->mean, &t->count));
    TESS_TRY(tess_div(&t->mean, &t->mean, &t->count));
    TESS_TRY(tess_call(squares[at], in, &t->row, &t->mean, cd, ch, limit, inside, &t->std));
    TESS_TRY(tess_sub(&t->count, &t->count, &tess_num((double)o->ddof)));
    TESS_TRY(tess_div(&t->std, &t->std, &t->count));
    TESS_TRY(tess_sqrt(&t->std, &t->std));
    return TESS_OK;
}

/* ---- Ramps and dust ---- */

/* What is changed before it is normalised, or is no float, is a copy. */
static tess_status widen(tables *t, const tess_array **in, const tess_normalize_background_opts *o)
{
    const bool is_changed = o->ramp || o->white_dust > 0 || o->black_dust > 0;
    if ((*in)->dtype >= TESS_F16 && !is_changed) return TESS_OK;
    const tess_dtype dtype = tess__float_of((*in)->dtype);
    TESS_TRY(tess_cast(&t->wide, *in, is_changed && dtype == TESS_F16 ? TESS_F32 : dtype, NULL));
    *in = &t->wide;
    return TESS_OK;
}

enum { TERMS = 4 /* of a plane: 1, z, y, x */ };

/* Sums of the products of the terms over the pixels that count; 0 of axes of one pixel. */
static void sum_products(double sums[TERMS][TERMS], tess_shape shape, const double centre[3], double limit, bool inside)
{
    for (int64_t d = 0; d < shape.d; d++)
        for (int64_t h = 0; h < shape.h; h++)
            for (int64_t w = 0; w < shape.w; w++) {
                const double z = (double)d - centre[0], y = (double)h - centre[1], x = (double)w - centre[2];
                const double term[TERMS] = { 1, shape.d > 1 ? z : 0, shape.h > 1 ? y : 0, shape.w > 1 ? x : 0 };
                if ((x * x <= limit - (z * z + y * y)) != inside) continue;
                for (int i = 0; i < TERMS; i++)
                    for (int k = 0; k < TERMS; k++) sums[i][k] += term[i] * term[k];
            }
}

/* The inverse of a symmetric matrix, by Gauss and Jordan's elimination; terms that the others leave nothing of are left
 * out. */
static void invert(double inverse[TERMS][TERMS], double m[TERMS][TERMS])
{
    double scale[TERMS];
    bool   is_used[TERMS];
    for (int i = 0; i < TERMS; i++) {
        scale[i] = m[i][i];
        for (int k = 0; k < TERMS; k++) inverse[i][k] = i == k;
    }
    for (int p = 0; p < TERMS; p++) {
        const double pivot = m[p][p];
        is_used[p] = pivot > 1e-10 * scale[p];
        for (int k = 0; k < TERMS && is_used[p]; k++) inverse[p][k] /= pivot, m[p][k] /= pivot;
        for (int i = 0; i < TERMS && is_used[p]; i++) {
            const double factor = i == p ? 0 : m[i][p];
            for (int k = 0; k < TERMS; k++) inverse[i][k] -= factor * inverse[p][k], m[i][k] -= factor * m[p][k];
        }
    }
    for (int i = 0; i < TERMS; i++)
        for (int k = 0; k < TERMS; k++)
            if (!is_used[i] || !is_used[k]) inverse[i][k] = 0;
}

static tess_status make_inverse(tables *t, const double centre[3], double limit, bool inside)
{
    double      sums[TERMS][TERMS] = { { 0 } };
    tess_array  host = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status,
              tess__make("normalize_background", &host, TESS_SHAPE(1, 1, TERMS, TERMS), TESS_F64, tess_cpu(), false));
    sum_products(sums, t->wide.shape, centre, limit, inside);
    invert((double(*)[TERMS])host.data, sums);
    TESS_GOTO(done, status, tess_to_device(&t->inverse, &host, t->wide.device));
done:
    tess_release(&host);
    return status;
}

/* The plane of least squares, from the sums of the terms times the pixels. */
static tess_status subtract_ramp(tables *t, double radius, const tess_normalize_background_opts *o)
{
    const char        *fn = "normalize_background";
    const tess_shape   s = t->wide.shape;
    const bool         is_f64 = t->wide.dtype == TESS_F64;
    const double       centre[3] = { tess__centre(s.d, o->shift_d), tess__centre(s.h, o->shift_h),
                                     tess__centre(s.w, o->shift_w) };
    const double       limit = radius * radius, inside = o->inside ? 1 : 0;
    tess_op_def *const moments = is_f64 ? &background_moments_f64 : &background_moments_f32;
    tess_op_def *const level = is_f64 ? &background_level_f64 : &background_level_f32;
    tess_array         m[TERMS], rows;
    TESS_TRY(make_inverse(t, centre, limit, o->inside));
    TESS_TRY(tess__make(fn, &t->column, TESS_SHAPE(1, 1, 1, s.w), TESS_F64, t->wide.device, false));
    TESS_TRY(tess_call(&background_column, centre[2], &t->column));
    TESS_TRY(tess__make(fn, &t->moments, TESS_SHAPE(s.b, 1, 1, TERMS), TESS_F64, t->wide.device, false));
    for (int k = 0; k < TERMS; k++) TESS_TRY(tess_index(&m[k], &t->moments, 3, k));
    TESS_TRY(tess_call(moments, &t->wide, &t->row, &t->column, centre[0], centre[1], limit, inside, &m[0], &m[1], &m[2],
                       &m[3]));
    TESS_TRY(tess_reshape(&rows, &t->moments, TESS_SHAPE(1, 1, s.b, TERMS)));
    TESS_TRY(tess_matmul(&t->plane, &rows, &t->inverse, NULL));
    TESS_TRY(tess_reshape(&rows, &t->plane, TESS_SHAPE(s.b, 1, 1, TERMS)));
    for (int k = 0; k < TERMS; k++) TESS_TRY(tess_index(&m[k], &rows, 3, k));
    TESS_TRY(tess_call(level, &t->wide, &t->column, &m[0], &m[1], &m[2], &m[3], centre[0], centre[1]));
    return TESS_OK;
}

static tess_status replace_dust(tables *t, const tess_normalize_background_opts *o)
{
    tess_op_def *const op = t->wide.dtype == TESS_F64 ? &background_dust_f64 : &background_dust_f32;
    TESS_TRY(tess_call(op, &t->wide, &t->mean, &t->std, o->white_dust, o->black_dust));
    return TESS_OK;
}

tess_status tess_normalize_background(tess_array *out, const tess_array *in, double radius,
                                      const tess_normalize_background_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_normalize_background_opts o;
    const char                    *fn = "normalize_background";
    TESS_TRY(tess__resolve(&tess__info_normalize_background, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_ordered(fn, "in", in->dtype));
    if (tess__has_elements(in)) {
        TESS_TRY(check_radius(fn, radius, in->shape, &o));
        TESS_TRY(check_ddof(fn, radius, in->shape, &o));
    }
    const bool  made = tess__is_empty_out(out);
    tables      t = { .wide = { .data = NULL } };
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__output_like(fn, out, in, tess__float_of(in->dtype)));
    TESS_GOTO(done, status, tess__hold(&held, fn, &in));
    if (!tess__has_elements(out)) goto done;
    TESS_GOTO(done, status, widen(&t, &in, &o));
    TESS_GOTO(done, status, make_tables(&t, in, tess__centre(in->shape.w, o.shift_w)));
    if (o.ramp) TESS_GOTO(done, status, subtract_ramp(&t, radius, &o));
    TESS_GOTO(done, status, find_statistics(&t, in, radius, &o));
    if (o.white_dust > 0 || o.black_dust > 0) {
        TESS_GOTO(done, status, replace_dust(&t, &o));
        TESS_GOTO(done, status, find_statistics(&t, in, radius, &o));
    }
    TESS_GOTO(done, status, tess_shift_scale(out, in, &t.mean, &t.std));
done:
    release(&t);
    tess_release(&held);
    return tess__finish(tess__error_under(status, fn), out, made);
}
