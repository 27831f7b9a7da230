/* Lists of peaks: local maxima of maps above a threshold, thinned out by greedy non-maximum suppression. */
#include <inttypes.h>
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "ops/index/indices.h"
#include "ops/op/library.h"
#include "ops/signal/shells/shells.h"
#include "tessera/correlate.h"
#include "tessera/op.h"
#include "tessera/order.h"

static const tess_arg_info args[] = {
    TESS__OUT("positions",
              "positions (b, d, h, w) of the peaks, {n,1,1,4}, f64, highest first in each batch; must be zeroed",
              .axes = "n,1,1,4"),
    TESS__OUT_OPTIONAL("values", "heights of the peaks, {n,1,1,1}, f64; must be zeroed, or NULL", .axes = "n,1,1,1"),
    TESS__IN("map", "signals, images or volumes; f16, f32 or f64"),
    TESS__NEED(TESS_ARG_F64, "threshold", "minimum height of a peak"),
    TESS__OPT_F64(tess_peaks_opts, distance, "pixels", 0, 0, 1e9,
                  "minimum distance between peaks; the lower of two nearer ones is dropped"),
    TESS__OPT_I64(tess_peaks_opts, edge, "pixels", 0, 0, 1LL << 40,
                  "width of the margin at the ends of axes that is not searched"),
    TESS__AUTO_I64(tess_peaks_opts, max, "", "all", 1, 1LL << 40,
                   "maximum number of peaks per batch; the highest are kept"),
    TESS__FLAG(tess_peaks_opts, at_samples, "give positions and heights of samples, without parabolic interpolation"),
};
TESS__CALL(peaks, v[0].out, v[1].out, v[2].in, v[3].f64, opts)
const tess_function_info tess__info_peaks =
    TESS__OP_OPTS(TESS_CUT_NONE, peaks, "correlate", "List the local maxima of maps.", args, tess_peaks_opts);

/* ---- Operators ---- */

#include "ops/signal/correlate/peaks.def"

/* Fits are of few elements: for these the baseline is enough. */
/* clang-format off */
/* How far the vertex of the parabola through (-1, y), (0, x), (1, z) is from 0; 0 where a neighbour is not finite. */
TESS_DEVICE_FN(f64, vertex_offset, (f64 y, f64 x, f64 z),
    f64 a = 0.5*(y + z) - x;
    f64 s = 0.5*(z - y);
    f64 o = y - y == 0.0 && z - z == 0.0 && a < 0.0 ? 0.0 - s / (2.0*a) : 0.0;
    return o < 0.0 - 0.5 ? 0.0 - 0.5 : o > 0.5 ? 0.5 : o; )
TESS_DEVICE_FN(f64, vertex_rise, (f64 y, f64 x, f64 z, f64 o),
    return o == 0.0 ? 0.0 : (0.5*(z - y) + (0.5*(y + z) - x)*o)*o; )

#define FIT(T)                                                                                                         \
    TESS_IWISE(peaks_fit_##T, (view(T,map,value,outside), in(i64,at), val(T,outside), val(i64,n_d), val(i64,n_h),      \
                               val(i64,n_w), val(i32,is_fitted), out(f64,z_b), out(f64,z_d), out(f64,z_h),             \
                               out(f64,z_w), out(f64,value), use(vertex_offset), use(vertex_rise)),                    \
        i64 i_w = at % n_w; i64 i_h = at / n_w % n_h; i64 i_d = at / (n_w*n_h) % n_d; i64 i_b = at / (n_w*n_h*n_d);    \
        f64 x = (f64)tess_at(map, i_b, i_d, i_h, i_w);                                                                 \
        f64 d_0 = (f64)tess_at(map, i_b, i_d - 1, i_h, i_w); f64 d_1 = (f64)tess_at(map, i_b, i_d + 1, i_h, i_w);      \
        f64 h_0 = (f64)tess_at(map, i_b, i_d, i_h - 1, i_w); f64 h_1 = (f64)tess_at(map, i_b, i_d, i_h + 1, i_w);      \
        f64 w_0 = (f64)tess_at(map, i_b, i_d, i_h, i_w - 1); f64 w_1 = (f64)tess_at(map, i_b, i_d, i_h, i_w + 1);      \
        f64 o_d = is_fitted != 0 ? vertex_offset(d_0, x, d_1) : 0.0;                                                   \
        f64 o_h = is_fitted != 0 ? vertex_offset(h_0, x, h_1) : 0.0;                                                   \
        f64 o_w = is_fitted != 0 ? vertex_offset(w_0, x, w_1) : 0.0;                                                   \
        z_b = (f64)i_b; z_d = (f64)i_d + o_d; z_h = (f64)i_h + o_h; z_w = (f64)i_w + o_w;                              \
        value = x + vertex_rise(d_0, x, d_1, o_d) + vertex_rise(h_0, x, h_1, o_h) + vertex_rise(w_0, x, w_1, o_w); )
FIT(f32)
FIT(f64)
#undef FIT
/* clang-format on */

/* ---- The call ---- */

/* Temporary arrays, all to be released. */
typedef struct search {
    tess_array map;                          /* f32 or f64 */
    tess_array mask, heights, indices, wide; /* of local maxima; `wide`: heights in f64 */
    tess_array here_heights, here_indices;   /* on the host */
    tess_array kept, count, at, rows;        /* of peaks that are kept */
} search;

static void release(search *s)
{
    tess_array *all[] = { &s->map,          &s->mask, &s->heights, &s->indices, &s->wide, &s->here_heights,
                          &s->here_indices, &s->kept, &s->count,   &s->at,      &s->rows };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tess_release(all[k]);
}

static tess_status find_maxima(search *s, double threshold, int64_t edge)
{
    const tess_shape n = s->map.shape;
    int64_t          e[3];
    for (int k = 0; k < 3; k++) e[k] = n.dim[k + 1] > 1 ? edge : 0;
    const int32_t r_d = n.d > 1, r_h = n.h > 1;
    TESS_TRY(tess__make("peaks", &s->mask, n, TESS_U8, s->map.device, false));
    if (s->map.dtype == TESS_F32)
        TESS_TRY(tess_call(&local_maxima_f32, &s->map, -INFINITY, threshold, n.d, n.h, n.w, e[0], e[1], e[2], r_d, r_h,
                           &s->mask));
    else
        TESS_TRY(tess_call(&local_maxima_f64, &s->map, -(double)INFINITY, threshold, n.d, n.h, n.w, e[0], e[1], e[2],
                           r_d, r_h, &s->mask));
    TESS_TRY(tess_compress(&s->heights, &s->indices, &s->map, &s->mask));
    TESS_TRY(tess_cast(&s->wide, &s->heights, TESS_F64, NULL));
    return TESS_OK;
}

/* Which of them are kept, on the host. */
static tess_status thin_out(search *s, const tess_peaks_opts *o, int64_t *count)
{
    const tess_shape n = s->indices.shape, one = TESS_SHAPE(1, 1, 1, 1);
    *count = 0;
    if (n.w == 0) return TESS_OK;
    TESS_TRY(tess_to_device(&s->here_heights, &s->wide, tess_cpu()));
    TESS_TRY(tess_to_device(&s->here_indices, &s->indices, tess_cpu()));
    TESS_TRY(tess__sync("peaks", s->map.device));
    TESS_TRY(tess__make("peaks", &s->kept, n, TESS_I64, tess_cpu(), false));
    TESS_TRY(tess__make("peaks", &s->count, one, TESS_I64, tess_cpu(), true));
    const tess__peaks work = { "peaks",  s->here_heights, s->here_indices, s->kept,
                               s->count, s->map.shape,    o->distance,     o->max };
    TESS_TRY(tess__peaks_run(&work));
    TESS_TRY(tess__sync("peaks", tess_cpu()));
    *count = *(const int64_t *)s->count.data;
    return TESS_OK;
}

static tess_status fit(search *s, bool at_samples, int64_t count)
{
    const tess_shape n = s->map.shape;
    tess_array       out[5], chosen;
    TESS_TRY(tess__make("peaks", &s->rows, TESS_SHAPE(count, 1, 1, 5), TESS_F64, s->map.device, false));
    if (count == 0) return TESS_OK;
    TESS_TRY(tess_slice(&chosen, &s->kept, 3, 0, count, 1));
    TESS_TRY(tess_reshape(&chosen, &chosen, TESS_SHAPE(count, 1, 1, 1)));
    TESS_TRY(tess_to_device(&s->at, &chosen, s->map.device));
    for (int k = 0; k < 5; k++) TESS_TRY(tess_index(&out[k], &s->rows, 3, k));
    const int32_t is_fitted = !at_samples;
    if (s->map.dtype == TESS_F32)
        TESS_TRY(tess_call(&peaks_fit_f32, &s->map, &s->at, -INFINITY, n.d, n.h, n.w, is_fitted, &out[0], &out[1],
                           &out[2], &out[3], &out[4]));
    else
        TESS_TRY(tess_call(&peaks_fit_f64, &s->map, &s->at, -(double)INFINITY, n.d, n.h, n.w, is_fitted, &out[0],
                           &out[1], &out[2], &out[3], &out[4]));
    return TESS_OK;
}

static tess_status run(tess_array *positions, tess_array *values, const tess_array *map, double threshold,
                       const tess_peaks_opts *o)
{
    search      s = { .map = { .data = NULL } };
    tess_array  part;
    int64_t     count = 0;
    tess_status status = TESS_OK;
    if (tess__has_elements(map)) {
        TESS_GOTO(done, status, tess__check_waits("peaks", map->device));
        TESS_GOTO(done, status, tess_cast(&s.map, map, map->dtype == TESS_F64 ? TESS_F64 : TESS_F32, NULL));
        TESS_GOTO(done, status, find_maxima(&s, threshold, o->edge));
        TESS_GOTO(done, status, thin_out(&s, o, &count));
        TESS_GOTO(done, status, fit(&s, o->at_samples, count));
    }
    TESS_GOTO(done, status, tess__make("peaks", positions, TESS_SHAPE(count, 1, 1, 4), TESS_F64, map->device, false));
    if (values)
        TESS_GOTO(done, status, tess__make("peaks", values, TESS_SHAPE(count, 1, 1, 1), TESS_F64, map->device, false));
    if (count) {
        TESS_GOTO(done, status, tess_slice(&part, &s.rows, 3, 0, 4, 1));
        TESS_GOTO(done, status, tess_copy(positions, &part));
    }
    if (count && values) {
        TESS_GOTO(done, status, tess_index(&part, &s.rows, 3, 4));
        TESS_GOTO(done, status, tess_copy(values, &part));
    }
done:
    release(&s);
    return status;
}

tess_status tess_peaks(tess_array *positions, tess_array *values, const tess_array *map, double threshold,
                       const tess_peaks_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char     *fn = "peaks";
    tess_peaks_opts o;
    TESS_TRY(tess__resolve(&tess__info_peaks, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "positions", positions));
    TESS_CHECK(positions != values, TESS_EARG, "peaks: `positions` and `values` are the same array; two are needed");
    TESS_TRY(tess__check_zeroed(fn, "positions", positions));
    TESS_TRY(tess__check_zeroed(fn, "values", values));
    TESS_TRY(tess__check_numbers(fn, "map", map));
    TESS_TRY(tess__check_curve_dtype(fn, "map", map->dtype));
    TESS_CHECK(!isnan(threshold), TESS_EARG, "peaks: `threshold` is NaN; it must be a number or an infinity");
    const tess_status status = run(positions, values, map, threshold, &o);
    if (values) (void)tess__finish(status, values, true);
    return tess__finish(tess__error_under(status, fn), positions, true);
}
