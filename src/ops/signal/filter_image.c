/* Filters of real arrays: transform, filter in place, transform back, for a group of batches at a time. */
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "ops/fft/fft.h"
#include "ops/signal/filter.h"

/* Of the spectra of a group: what stays in a cache of a CPU until it is filtered, and what keeps a GPU busy. */
enum { CPU_GROUP_BYTES = 4 << 20, GPU_GROUP_BYTES = 256 << 20 };

/* Batches first to first + n - 1 of an array. */
static tess_array batches_of(const tess_array *a, int64_t first, int64_t n)
{
    tess_array part = *a;
    part.data = (char *)a->data + first * a->strides.b * tess__dtype_size(a->dtype);
    part.shape.b = n;
    return part;
}

const tess_array *tess__image_rows(tess_array *view, const tess_array *rows, int64_t first, int64_t n)
{
    if (!rows || rows->shape.b <= 1) return rows;
    *view = batches_of(rows, first, n);
    return view;
}

/* A call, the spectra of a group, and multipliers that all batches share; data NULL: they are filtered. */
typedef struct workspace {
    const tess__image_call *call;
    tess_array              spectra, multipliers;
} workspace;

/* Filter, and inverse transform. */
static tess_status invert(const workspace *w, tess_array *out, tess_array *spectra, tess_shape shape, int64_t first)
{
    const tess_fft_opts overwrite = { .overwrite = 1 };
    if (w->multipliers.data) {
        TESS_TRY(tess__fft_c2r_times(w->call->fn, out, spectra, &w->multipliers, shape));
        return TESS_OK;
    }
    TESS_TRY(w->call->filter(w->call->context, spectra, shape, first));
    TESS_TRY(tess_fft_c2r(out, spectra, shape, &overwrite));
    return TESS_OK;
}

/* Batches `first` and following of the call, which are `in` and `out`. f16 is computed in f32. */
static tess_status filter_group(workspace *w, tess_array *out, const tess_array *in, int64_t first)
{
    tess_array       wide = { .data = NULL }, result = { .data = NULL };
    const tess_shape shape = in->shape;
    tess_array       spectra = batches_of(&w->spectra, 0, shape.b);
    tess_status      status = TESS_OK;
    if (in->dtype == TESS_F16) {
        TESS_GOTO(done, status, tess_cast(&wide, in, TESS_F32, NULL));
        in = &wide;
    }
    TESS_GOTO(done, status, tess_fft_r2c(&spectra, in, NULL));
    TESS_GOTO(done, status, invert(w, out->dtype == TESS_F16 ? &result : out, &spectra, shape, first));
    if (result.data) TESS_GOTO(done, status, tess_cast(out, &result, TESS_F16, NULL));
done:
    tess_release(&wide);
    tess_release(&result);
    return status;
}

static tess_status make_workspace(workspace *w, tess_shape half, tess_dtype dtype, tess_device device)
{
    const tess__image_call *c = w->call;
    TESS_TRY(tess__make(c->fn, &w->spectra, half, dtype, device, false));
    if (!c->multipliers || device.kind == TESS_CPU) return TESS_OK;
    half.b = 1;
    TESS_TRY(tess__make(c->fn, &w->multipliers, half, tess_dtype_real(dtype), device, false));
    TESS_TRY(c->multipliers(c->context, &w->multipliers, TESS_SHAPE(1, half.d, half.h, c->in->shape.w)));
    return TESS_OK;
}

static tess_status filter_groups(const tess__image_call *c)
{
    const tess_array *in = c->in;
    const tess_dtype  dtype = in->dtype == TESS_F64 ? TESS_C64 : TESS_C32;
    tess_shape        half = tess_rfft_shape(in->shape);
    const int64_t     bytes = half.d * half.h * half.w * tess__dtype_size(dtype), all = in->shape.b;
    const int64_t     most = in->device.kind == TESS_CPU ? CPU_GROUP_BYTES : GPU_GROUP_BYTES;
    workspace         w = { .call = c };
    tess_array        held = { .data = NULL };
    tess_status       status = TESS_OK;
    half.b = tess__clamp(most / bytes, 1, all);
    TESS_GOTO(done, status, tess__hold(&held, c->fn, &in));
    TESS_GOTO(done, status, make_workspace(&w, half, dtype, in->device));
    for (int64_t first = 0; first < all; first += half.b) {
        const int64_t    n = tess__min(half.b, all - first);
        const tess_array source = batches_of(in, first, n);
        tess_array       out = batches_of(c->out, first, n);
        TESS_GOTO(done, status, filter_group(&w, &out, &source, first));
    }
done:
    tess_release(&held);
    tess_release(&w.spectra);
    tess_release(&w.multipliers);
    return status;
}

tess_status tess__image_check(const char *fn, const tess_array *out, const tess_array *in)
{
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_CHECK(tess_dtype_kind(in->dtype) == TESS_KIND_FLOAT, TESS_EDTYPE, "%s: `in` is %s; f16, f32 or f64 is needed",
               fn, tess_dtype_name(in->dtype));
    return TESS_OK;
}

tess_status tess__image_run(const tess__image_call *c)
{
    TESS_TRY(tess__image_check(c->fn, c->out, c->in));
    const bool  made = tess__is_empty_out(c->out);
    tess_status status = TESS_OK;
    TESS_TRY(tess__output(c->fn, c->out, c->in->shape, c->in->dtype, c->in->device));
    if (!made) TESS_TRY(tess__check_overlap(c->fn, c->out, "in", c->in, true));
    if (tess__has_elements(c->out)) status = filter_groups(c);
    return tess__finish(tess__error_under(status, c->fn), c->out, made);
}

/* ---- Filters that are a request ---- */

typedef struct request {
    const tess__spectrum_filter *work;
    const tess__filter_call     *call;
} request;

static tess_status filter_spectra(const void *context, tess_array *spectra, tess_shape shape, int64_t first)
{
    const request        *r = context;
    tess__spectrum_filter work = *r->work;
    tess__filter_call     c = *r->call;
    tess_array            parameters, curve, image;
    c.out = spectra;
    c.in = spectra;
    c.shape = shape;
    c.parameters = tess__image_rows(&parameters, c.parameters, first, shape.b);
    c.curve = tess__image_rows(&curve, c.curve, first, shape.b);
    c.image = tess__image_rows(&image, c.image, first, shape.b);
    TESS_TRY(tess__filter_run(&work, &c));
    return TESS_OK;
}

static tess_status write_multipliers(const void *context, tess_array *out, tess_shape shape)
{
    const request        *r = context;
    tess__spectrum_filter work = *r->work;
    tess__filter_call     c = *r->call;
    c.out = out;
    c.in = NULL;
    c.shape = shape;
    TESS_TRY(tess__filter_run(&work, &c));
    return TESS_OK;
}

/* Are multipliers real, and those of all batches? */
static bool are_shared(const request *r)
{
    const tess_array *const rows[] = { r->call->parameters, r->call->curve, r->call->image };
    for (int k = 0; k < 3; k++)
        if (rows[k] && (rows[k]->shape.b > 1 || tess_dtype_kind(rows[k]->dtype) == TESS_KIND_COMPLEX)) return false;
    return !r->work->spec.is_odd && r->work->spec.normalize != TESS__DOSE_NORMALIZE;
}

tess_status tess__filter_image(const tess__spectrum_filter *work, const tess__filter_call *call)
{
    tess__filter_call c = *call;
    const request     r = { work, &c };
    tess__image_call  run = { .fn = c.fn, .out = c.out, .in = c.in, .filter = filter_spectra, .context = &r };
    TESS_TRY(tess__image_check(c.fn, c.out, c.in));
    c.shape = c.in->shape;
    c.range.from = c.range.to = TESS_FFT_H;
    TESS_TRY(tess__filter_check_range(&c));
    TESS_TRY(tess__filter_check_parameters(&c));
    TESS_TRY(tess__filter_check_rows(&c));
    c.checks = NULL;
    if (are_shared(&r)) run.multipliers = write_multipliers;
    TESS_TRY(tess__image_run(&run));
    return TESS_OK;
}
