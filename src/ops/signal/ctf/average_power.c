/* Welch's method: the power spectra of overlapping patches, averaged. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/fft/fft.h"
#include "ops/fft/layout.h"
#include "ops/fft/rows.h"
#include "tessera/ewise.h"
#include "tessera/reduce.h"
#include "tessera/resize.h"
#include "tessera/scalar.h"
#include "tessera/statistics.h"
#include "tessera/window.h"

enum { CHUNK_BYTES = 4 << 20 /* of patches that are transformed by one call: they stay in a cache */ };

static const tess_choice windows[] = {
    { "none", TESS_POWER_WINDOW_NONE, "no window" },
    { "hann", TESS_POWER_WINDOW_HANN, "Hann window along each axis" },
    { "hamming", TESS_POWER_WINDOW_HAMMING, "Hamming window along each axis" },
    { "blackman", TESS_POWER_WINDOW_BLACKMAN, "Blackman window along each axis" },
    { NULL, 0, NULL },
};
static const tess_arg_info args[] = {
    TESS__OUT("out", "the averaged power spectra, f32 or f64"),
    TESS__IN("in", "signals, images or volumes of real numbers"),
    TESS__NEED(TESS_ARG_SHAPE, "patch", "shape of a patch, with b = 1", .sample = "1,1,2,2"),
    TESS__AUTO_I64(tess_average_power_opts, step_d, "pixels", "half a patch", 1, (double)INT64_MAX,
                   "distance between patches along d"),
    TESS__AUTO_I64(tess_average_power_opts, step_h, "pixels", "half a patch", 1, (double)INT64_MAX,
                   "distance between patches along h"),
    TESS__AUTO_I64(tess_average_power_opts, step_w, "pixels", "half a patch", 1, (double)INT64_MAX,
                   "distance between patches along w"),
    TESS__OPT_CHOICE(tess_average_power_opts, window, TESS_POWER_WINDOW_NONE, windows, "window applied to each patch"),
    TESS__FLAG(tess_average_power_opts, keep_mean, "do not subtract the mean of each patch"),
    TESS__JOINING_FLAG(tess_average_power_opts, together, "average all batches into one spectrum"),
    TESS__OPT_CHOICE(tess_average_power_opts, norm, TESS_FFT_NORM_BACKWARD, tess__fft_norms,
                     "normalisation of the transform"),
    TESS__OPT_CHOICE(tess_average_power_opts, layout, TESS_FFT_H, tess__fft_layouts, "layout of the result"),
};
TESS__CALL(average_power, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_average_power =
    TESS__OP_OPTS(TESS_CUT_BATCHES, average_power, "statistics", "Average the power spectra of patches.", args,
                  tess_average_power_opts);

/* ---- Patches ---- */

/* Where patches begin: `count` along each axis of D, H and W, `step` apart. */
typedef struct grid {
    tess_shape patch;
    int64_t    step[3], count[3], n;
} grid;

static tess_status plan_grid(grid *g, const char *fn, const tess_array *in, tess_shape patch,
                             const tess_average_power_opts *o)
{
    const int64_t step[3] = { o->step_d, o->step_h, o->step_w };
    char          text[2][TESS__SHAPE_TEXT];
    bool          fits = patch.b == 1;
    for (int k = 1; k < 4; k++) fits &= patch.dim[k] >= 1 && patch.dim[k] <= in->shape.dim[k];
    TESS_CHECK(fits, TESS_ESHAPE,
               "%s: `patch` is %s and `in` has shape %s; {1,d,h,w} is needed, from 1 to the size of in along each axis",
               fn, tess__shape_text(text[0], patch.dim), tess__shape_text(text[1], in->shape.dim));
    g->patch = patch;
    g->n = 1;
    for (int k = 0; k < 3; k++) {
        const int64_t size = patch.dim[1 + k], half = size / 2;
        g->step[k] = step[k] ? step[k] : half > 0 ? half : 1;
        g->count[k] = (in->shape.dim[1 + k] - size) / g->step[k] + 1;
        g->n *= g->count[k];
    }
    return TESS_OK;
}

/* The origins (d, h, w) of `n` patches from number `first` on. */
static tess_status make_origins(tess_array *origins, const grid *g, int64_t first, int64_t n, tess_device device)
{
    tess_array here = { .data = NULL };
    TESS_TRY(tess__make("average_power", &here, TESS_SHAPE(n, 1, 1, 3), TESS_I64, tess_cpu(), false));
    int64_t *to = here.data;
    for (int64_t i = 0; i < n; i++) {
        int64_t number = first + i;
        for (int k = 2; k >= 0; k--) {
            to[3 * i + k] = number % g->count[k] * g->step[k];
            number /= g->count[k];
        }
    }
    const tess_status status = tess_to_device(origins, &here, device);
    tess_release(&here);
    return status;
}

/* ---- Windows ---- */

typedef struct tables {
    tess_array row[3]; /* of the window along D, H and W, or nothing */
    tess_array sum;    /* of powers, {1,d,h,w/2+1} in f64 */
    tess_array chunk[7];
    int64_t    size; /* patches that the arrays of a chunk are for */
} tables;

static void release_chunk(tables *t)
{
    for (int k = 0; k < 7; k++) tess_release(&t->chunk[k]);
}

static void release(tables *t)
{
    release_chunk(t);
    for (int k = 0; k < 3; k++) tess_release(&t->row[k]);
    tess_release(&t->sum);
}

/* A row whose mean square is 1. */
static tess_status make_row(tess_array *row, int window, int64_t n, tess_dtype dtype, tess_device device)
{
    const tess_window_opts opts = { .periodic = 1 };
    tess_array             values = { .data = NULL }, here = { .data = NULL };
    double                 norm = 0;
    tess_status            status = TESS_OK;
    if (window == TESS_POWER_WINDOW_HANN) TESS_GOTO(done, status, tess_window_hann(&values, n, &opts));
    else if (window == TESS_POWER_WINDOW_HAMMING) TESS_GOTO(done, status, tess_window_hamming(&values, n, &opts));
    else TESS_GOTO(done, status, tess_window_blackman(&values, n, &opts));
    TESS_GOTO(done, status, tess_host_norm(&norm, &values, NULL));
    TESS_GOTO(done, status, tess_mul(&values, &values, &tess_f64(sqrt((double)n) / norm)));
    TESS_GOTO(done, status, tess_cast(&here, &values, dtype, NULL));
    TESS_GOTO(done, status, tess_to_device(row, &here, device));
done:
    tess_release(&values);
    tess_release(&here);
    return status;
}

static tess_status make_rows(tables *t, const grid *g, int window, tess_dtype dtype, tess_device device)
{
    if (window == TESS_POWER_WINDOW_NONE) return TESS_OK;
    for (int k = 0; k < 3; k++) {
        if (g->patch.dim[1 + k] == 1) continue;
        TESS_TRY(make_row(&t->row[k], window, g->patch.dim[1 + k], dtype, device));
        tess__fft_to_axis(&t->row[k], 1 + k);
    }
    return TESS_OK;
}

/* ---- Sums ---- */

/* The powers of some patches of one batch are added to the sum. The arrays of the last chunk serve again if they are of
 * this size: memory that is new each time takes longer than the work. */
static tess_status add_chunk(tables *t, const tess_array *image, const grid *g, int64_t first, int64_t n,
                             const tess_average_power_opts *o)
{
    enum { ORIGINS, CUT, PATCHES, MEAN, SPECTRA, POWER, SUM };
    const tess_dtype    dtype = tess__half_to_single(tess__float_of(image->dtype));
    const tess_fft_opts fft = { .norm = o->norm };
    const bool          as_is = image->dtype == dtype;
    tess_array *const   c = t->chunk;
    if (n != t->size) release_chunk(t);
    t->size = n;
    TESS_TRY(make_origins(&c[ORIGINS], g, first, n, image->device));
    TESS_TRY(tess_extract(&c[as_is ? PATCHES : CUT], image, &c[ORIGINS], g->patch, NULL));
    if (!as_is) TESS_TRY(tess_cast(&c[PATCHES], &c[CUT], dtype, NULL));
    if (!o->keep_mean) {
        TESS_TRY(tess_mean(&c[MEAN], &c[PATCHES], TESS_D | TESS_H | TESS_W, NULL));
        TESS_TRY(tess_sub(&c[PATCHES], &c[PATCHES], &c[MEAN]));
    }
    for (int k = 0; k < 3; k++)
        if (t->row[k].data) TESS_TRY(tess_mul(&c[PATCHES], &c[PATCHES], &t->row[k]));
    TESS_TRY(tess_fft_r2c(&c[SPECTRA], &c[PATCHES], &fft));
    TESS_TRY(tess_abs2(&c[POWER], &c[SPECTRA]));
    if (!c[SUM].data) TESS_TRY(tess__make("average_power", &c[SUM], t->sum.shape, TESS_F64, image->device, false));
    TESS_TRY(tess_sum(&c[SUM], &c[POWER], TESS_B, NULL));
    TESS_TRY(tess_add(&t->sum, &t->sum, &c[SUM]));
    return TESS_OK;
}

static tess_status add_batch(tables *t, const tess_array *in, int64_t b, const grid *g,
                             const tess_average_power_opts *o)
{
    const int64_t elements = g->patch.d * g->patch.h * g->patch.w, most = CHUNK_BYTES / 4 / elements;
    const int64_t chunk = most < 1 ? 1 : most;
    tess_array    image;
    TESS_TRY(tess_slice(&image, in, 0, b, b + 1, 1));
    for (int64_t first = 0; first < g->n; first += chunk) {
        const int64_t n = g->n - first < chunk ? g->n - first : chunk;
        TESS_TRY(add_chunk(t, &image, g, first, n, o));
    }
    return TESS_OK;
}

/* The mean, in the layout asked for; then the sum begins anew. */
static tess_status write_mean(const tess_array *out, int64_t b, tables *t, const grid *g, int64_t n, int layout)
{
    tess_array  one = { .data = NULL }, real = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess_slice(&one, out, 0, b, b + 1, 1));
    TESS_GOTO(done, status, tess_div(&t->sum, &t->sum, &tess_f64((double)n)));
    TESS_GOTO(done, status, tess_cast(&real, &t->sum, out->dtype, NULL));
    TESS_GOTO(done, status, tess_fft_remap(&one, &real, g->patch, TESS_FFT_H, (tess_fft_layout)layout));
    TESS_GOTO(done, status, tess_fill(&t->sum, 0));
done:
    tess_release(&real);
    return status;
}

static tess_status run(const tess_array *out, const tess_array *in, const grid *g, const tess_average_power_opts *o)
{
    const tess_dtype dtype = tess__half_to_single(tess__float_of(in->dtype));
    tables           t = { .sum = { .data = NULL } };
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, tess__make("average_power", &t.sum, tess_rfft_shape(g->patch), TESS_F64, in->device, true));
    TESS_GOTO(done, status, make_rows(&t, g, o->window, dtype, in->device));
    for (int64_t b = 0; b < in->shape.b; b++) {
        TESS_GOTO(done, status, add_batch(&t, in, b, g, o));
        if (!o->together) TESS_GOTO(done, status, write_mean(out, b, &t, g, g->n, o->layout));
    }
    if (o->together) TESS_GOTO(done, status, write_mean(out, 0, &t, g, g->n * in->shape.b, o->layout));
done:
    release(&t);
    return status;
}

/* ---- The call ---- */

static tess_status make_output(const char *fn, tess_array *out, const tess_array *in, tess_shape patch,
                               const tess_average_power_opts *o)
{
    const tess_dtype result = tess__half_to_single(tess__float_of(in->dtype));
    const bool       made = tess__is_empty_out(out);
    tess_shape       shape = tess__fft_is_half(o->layout) ? tess_rfft_shape(patch) : patch;
    shape.b = o->together ? 1 : in->shape.b;
    if (!made) {
        TESS_TRY(tess__check_array(fn, "out", out));
        TESS_CHECK(out->dtype == TESS_F32 || out->dtype == TESS_F64, TESS_EDTYPE,
                   "%s: `out` is %s; f32 or f64 is needed", fn, tess_dtype_name(out->dtype));
    }
    TESS_TRY(tess__output(fn, out, shape, made ? result : out->dtype, in->device));
    if (!made) TESS_TRY(tess__check_overlap(fn, out, "in", in, false));
    return TESS_OK;
}

tess_status tess_average_power(tess_array *out, const tess_array *in, tess_shape patch,
                               const tess_average_power_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_average_power_opts o;
    grid                    g;
    const char             *fn = "average_power";
    TESS_TRY(tess__resolve(&tess__info_average_power, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_ordered(fn, "in", in->dtype));
    TESS_TRY(plan_grid(&g, fn, in, patch, &o));
    TESS_CHECK(!o.together || in->shape.b > 0, TESS_ESHAPE,
               "%s: `in` has no batches; `opts->together` needs at least one", fn);
    const bool  made = tess__is_empty_out(out);
    tess_array  held = { .data = NULL }, all = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(make_output(fn, out, in, patch, &o));
    TESS_GOTO(done, status, tess__hold(&held, fn, &in));
    if (!tess__has_elements(out)) goto done;
    /* Batch after batch: all spectra are there before the first is written to an array of the caller's. */
    if (!made) TESS_GOTO(done, status, tess__make(fn, &all, out->shape, out->dtype, out->device, false));
    TESS_GOTO(done, status, run(made ? out : &all, in, &g, &o));
    if (!made) TESS_GOTO(done, status, tess_copy(out, &all));
done:
    tess_release(&held);
    tess_release(&all);
    return tess__finish(tess__error_under(status, fn), out, made);
}
