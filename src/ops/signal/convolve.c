/* Convolution, direct, separable or by Fourier transforms: checks, packed filters and request. */
#include "tessera/convolve.h"

#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/check/promote.h"
#include "core/array/rank.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/signal/convolve.h"
#include "tessera/device.h"

/* ---- Descriptions ---- */

static const tess_choice methods[] = {
    { "auto", TESS_CONVOLVE_AUTO, "Fourier transforms where they are faster" },
    { "direct", TESS_CONVOLVE_DIRECT, "direct summation" },
    { "fft", TESS_CONVOLVE_FFT, "Fourier transforms" },
    { NULL, 0, NULL },
};

static const tess_arg_info convolve_args[] = {
    TESS__OUT("out", "the convolution; any strides"),
    TESS__IN("in", "array to convolve"),
    TESS__IN("filter", "weights {1,d,h,w} of odd sizes", .sample = "1,1,3,3"),
    TESS__BORDER_ROW(tess_convolve_opts),
    TESS__FLAG(tess_convolve_opts, correlate, "correlate: do not reverse the filter"),
    TESS__OPT_CHOICE(tess_convolve_opts, method, TESS_CONVOLVE_AUTO, methods, "method of computation"),
    TESS__UNUSED_ROW(tess_convolve_opts),
    TESS__VALUE_ROW(tess_convolve_opts),
    TESS__VALUE_IMAG_ROW(tess_convolve_opts),
};
TESS__CALL(convolve, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_convolve = TESS__OP_OPTS(
    TESS_CUT_BATCHES, convolve, "convolve", "Convolve arrays with a filter.", convolve_args, tess_convolve_opts);

static const tess_arg_info separable_args[] = {
    TESS__OUT("out", "the convolution; any strides"),
    TESS__IN("in", "array to convolve"),
    TESS__IN_OPTIONAL("filter_d", "weights along d: a vector of odd length", .sample = "1,1,1,3"),
    TESS__IN_OPTIONAL("filter_h", "weights along h: a vector of odd length", .sample = "1,1,1,3"),
    TESS__IN_OPTIONAL("filter_w", "weights along w: a vector of odd length", .sample = "1,1,1,3"),
    TESS__BORDER_ROW(tess_separable_opts),
    TESS__FLAG(tess_separable_opts, correlate, "correlate: do not reverse the filters"),
    TESS__VALUE_ROW(tess_separable_opts),
    TESS__VALUE_IMAG_ROW(tess_separable_opts),
};
TESS__CALL(convolve_separable, v[0].out, v[1].in, v[2].in, v[3].in, v[4].in, opts)
const tess_function_info tess__info_convolve_separable =
    TESS__OP_OPTS(TESS_CUT_BATCHES, convolve_separable, "convolve",
                  "Convolve arrays with a separable filter, axis by axis.", separable_args, tess_separable_opts);

/* ---- Filters ---- */

/* 3, 2 or 1: a volume, an image, a row. */
static tess_status check_filter(const char *fn, const char *arg, const tess_array *filter, const tess_array *in)
{
    TESS_TRY(tess__check_numbers(fn, arg, filter));
    TESS_TRY(tess__check_window(fn, arg, filter->shape));
    if (filter->device.kind != TESS_CPU) TESS_TRY(tess__check_device_of(fn, "in", in, arg, filter));
    return TESS_OK;
}

/* The dtype in which the input and n filters meet. */
static tess_dtype meet(const tess_array *in, const tess_array *const *filters, int n)
{
    const tess_array *all[4] = { in };
    for (int i = 0; i < n; i++) all[i + 1] = filters[i];
    return tess__float_of(tess__promote(all, n + 1));
}

/* Weights in the order of the elements that they meet, contiguous, in the dtype of sums or its real one, where the work
 * is done. */
static tess_status pack_filter(tess_array *packed, const tess_array *filter, const tess__stencil *work, bool real,
                               bool correlate, tess_device device)
{
    const tess_dtype dtype = real ? tess_dtype_real(work->computed) : work->computed;
    tess_array       view = { .data = NULL }, there = { .data = NULL };
    tess_status      status = TESS_OK;
    if (correlate) view = *filter;
    else TESS_TRY(tess_reverse(&view, filter, TESS_D | TESS_H | TESS_W));
    TESS_GOTO(done, status, tess__make(work->name, packed, filter->shape, dtype, filter->device, false));
    TESS_GOTO(done, status, tess_cast(packed, &view, dtype, NULL));
    if (!tess__same_device(packed->device, device)) {
        TESS_GOTO(done, status, tess_to_device(&there, packed, device));
        tess_release(packed);
        *packed = there;
    }
done:
    if (status) tess_release(packed);
    return status;
}

static bool is_real(const tess_array *a) { return tess_dtype_kind(a->dtype) != TESS_KIND_COMPLEX; }

/* ---- With one filter ---- */

static tess_status direct(tess_array *out, const tess_array *in, const tess_array *filter, tess__stencil *work,
                          tess_dtype result, bool correlate)
{
    tess_status status = TESS_OK;
    for (int k = 0; k < 3; k++) work->size[k] = filter->shape.dim[k + 1];
    TESS_GOTO(done, status, pack_filter(&work->filter[0], filter, work, is_real(filter), correlate, in->device));
    TESS_GOTO(done, status, tess__stencil_finish(work, out, in, result));
done:
    tess_release(&work->filter[0]);
    return status;
}

tess_status tess__convolve_window(const char *fn, tess_array *out, const tess_array *in, const tess_array *filter,
                                  const tess_convolve_opts *o, tess_dtype result)
{
    tess__stencil work = { .name = fn, .kind = TESS__STENCIL_CONVOLVE, .computed = tess__half_to_single(result) };
    TESS_TRY(tess__stencil_border(&work, out, &(tess__outside){ o->border, o->value, o->value_imag }));
    const bool by_fft =
        o->method == TESS_CONVOLVE_FFT || (o->method == TESS_CONVOLVE_AUTO && tess__fft_convolve_pays(in, filter));
    if (by_fft && !tess_is_empty(in)) TESS_TRY(tess__fft_convolve(&work, out, in, filter, o->correlate, result));
    else TESS_TRY(direct(out, in, filter, &work, result, o->correlate));
    return TESS_OK;
}

tess_status tess_convolve(tess_array *out, const tess_array *in, const tess_array *filter,
                          const tess_convolve_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_convolve_opts o;
    char               text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__resolve(&tess__info_convolve, opts, &o));
    TESS_TRY(tess__check_pointer("convolve", "out", out));
    TESS_TRY(tess__check_numbers("convolve", "in", in));
    TESS_TRY(check_filter("convolve", "filter", filter, in));
    TESS_TRY(tess__check_apart("convolve", "out", out, "filter", filter));
    TESS_CHECK(tess__rank(filter->shape) <= tess__rank(in->shape) || tess_is_empty(in), TESS_ESHAPE,
               "convolve: `filter` has shape %s and in %s; the filter must have at most %d axes",
               tess__shape_text(text[0], filter->shape.dim), tess__shape_text(text[1], in->shape.dim),
               tess__rank(in->shape));
    TESS_TRY(tess__convolve_window("convolve", out, in, filter, &o, meet(in, &filter, 1)));
    return TESS_OK;
}

/* ---- Along one axis after the other ---- */

/* The vectors that are there, each {1,1,1,n}: how many. */
static tess_status check_vectors(const char *fn, int *n, const tess_array *const filters[3], const tess_array *in,
                                 const tess_array *out)
{
    static const char *const names[3] = { "filter_d", "filter_h", "filter_w" };
    char                     text[TESS__SHAPE_TEXT];
    for (int k = 0; k < 3; k++) {
        if (!filters[k]) continue;
        TESS_TRY(check_filter(fn, names[k], filters[k], in));
        TESS_TRY(tess__check_apart(fn, "out", out, names[k], filters[k]));
        TESS_CHECK(filters[k]->shape.d == 1 && filters[k]->shape.h == 1, TESS_ESHAPE,
                   "%s: `%s` has shape %s; a vector {1,1,1,n} is needed", fn, names[k],
                   tess__shape_text(text, filters[k]->shape.dim));
        ++*n;
    }
    TESS_CHECK(*n > 0, TESS_EARG, "%s: `filter_d`, `filter_h` and `filter_w` are `NULL`; at least one filter is needed",
               fn);
    return TESS_OK;
}

/* All weights are packed as complex numbers if those of one axis are complex. */
tess_status tess__convolve_axes(const char *fn, tess_array *out, const tess_array *in,
                                const tess_array *const filters[3], const tess_separable_opts *o, tess_dtype result)
{
    tess__stencil work = { .name = fn, .kind = TESS__STENCIL_SEPARABLE, .computed = tess__half_to_single(result) };
    tess_status   status = TESS_OK;
    bool          real = true;
    for (int k = 0; k < 3; k++) {
        work.size[k] = filters[k] ? filters[k]->shape.w : 1;
        real = real && (!filters[k] || is_real(filters[k]));
    }
    TESS_TRY(tess__stencil_border(&work, out, &(tess__outside){ o->border, o->value, o->value_imag }));
    for (int k = 0; k < 3; k++) {
        if (!filters[k]) continue;
        TESS_GOTO(done, status, pack_filter(&work.filter[k], filters[k], &work, real, o->correlate, in->device));
    }
    TESS_GOTO(done, status, tess__stencil_finish(&work, out, in, result));
done:
    for (int k = 0; k < 3; k++) tess_release(&work.filter[k]);
    return status;
}

tess_status tess_convolve_separable(tess_array *out, const tess_array *in, const tess_array *filter_d,
                                    const tess_array *filter_h, const tess_array *filter_w,
                                    const tess_separable_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_separable_opts     o;
    const tess_array *const filters[3] = { filter_d, filter_h, filter_w };
    const tess_array       *there[3] = { NULL };
    int                     n = 0, i = 0;
    TESS_TRY(tess__resolve(&tess__info_convolve_separable, opts, &o));
    TESS_TRY(tess__check_pointer("convolve_separable", "out", out));
    TESS_TRY(tess__check_numbers("convolve_separable", "in", in));
    TESS_TRY(check_vectors("convolve_separable", &n, filters, in, out));
    for (int k = 0; k < 3; k++)
        if (filters[k]) there[i++] = filters[k];
    TESS_TRY(tess__convolve_axes("convolve_separable", out, in, filters, &o, meet(in, there, n)));
    return TESS_OK;
}
