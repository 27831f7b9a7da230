/* Erosion, dilation and what is composed of them: minima and maxima of boxes or footprints. */
#include "tessera/morphology.h"

#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/device/stream.h"
#include "core/table/registry.h"
#include "ops/signal/stencil.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/scalar.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the result, of the dtype of the input; any strides"),
    TESS__IN("in", "real numbers; any strides"),
    TESS__OPT_CHOICE(tess_grey_opts, border, TESS_BORDER_MIRROR, tess__borders,
                     "extension of the array beyond its edges"),
    TESS__UNUSED_ROW(tess_grey_opts),
    TESS__VALUE_ROW(tess_grey_opts),
    TESS__AUTO_SHAPE(tess_grey_opts, window, "3 where in is longer than 1", "odd sizes of the box along d, h and w"),
    TESS__OPT_ARRAY(tess_grey_opts, footprint, const tess_array *,
                    "neighbourhood instead of the box: nonzero elements of an array {1,d,h,w} of odd sizes",
                    .sample = "1,1,3,3"),
};
#define OPERATION(name, help)                                                                                          \
    TESS__CALL(name, v[0].out, v[1].in, opts)                                                                          \
    const tess_function_info tess__info_##name =                                                                       \
        TESS__OP_OPTS(TESS_CUT_BATCHES, name, "morphology", help, args, tess_grey_opts, .work_bytes = 32);
OPERATION(grey_erode, "Erosion: the minimum of a neighbourhood of each element.")
OPERATION(grey_dilate, "Dilation: the maximum of a neighbourhood of each element.")
OPERATION(grey_open, "Opening: erosion, then dilation; removes small bright details.")
OPERATION(grey_close, "Closing: dilation, then erosion; fills small dark details.")
OPERATION(white_tophat, "White top hat: the input minus its opening, the small bright details.")
OPERATION(black_tophat, "Black top hat: the closing minus the input, the small dark details.")
OPERATION(morphological_gradient, "Morphological gradient: the dilation minus the erosion.")
#undef OPERATION

/* ---- Neighbourhoods ---- */

/* A box, or a footprint of bools on the device of the input, and its reflection. */
typedef struct neighbourhood {
    const char           *fn;
    const tess_grey_opts *opts;
    tess_shape            size;
    tess_array            footprint, reflected; /* without storage for a box */
} neighbourhood;

static void release(neighbourhood *n)
{
    tess_release(&n->footprint);
    tess_release(&n->reflected);
}

/* The footprint's truth values on the host, contiguous. */
static tess_status read_footprint(tess_array *host, const char *fn, const tess_array *footprint)
{
    tess_array  truth = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__check_waits(fn, footprint->device));
    TESS_TRY(tess_not_equal(&truth, footprint, &tess_num(0)));
    TESS_GOTO(done, status, tess_to_device(host, &truth, tess_cpu()));
    TESS_GOTO(done, status, tess__sync(fn, footprint->device));
    TESS_GOTO(done, status, tess__sync(fn, tess_cpu()));
done:
    tess_release(&truth);
    return status;
}

static tess_status place_footprint(neighbourhood *n, const tess_array *host, tess_device device)
{
    tess_array  view = { .data = NULL }, turned = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess_reverse(&view, host, TESS_D | TESS_H | TESS_W));
    TESS_TRY(tess_copy(&turned, &view));
    TESS_GOTO(done, status, tess_to_device(&n->footprint, host, device));
    TESS_GOTO(done, status, tess_to_device(&n->reflected, &turned, device));
done:
    tess_release(&turned);
    return status;
}

/* A footprint of nonzero elements only is a box. */
static tess_status use_footprint(neighbourhood *n, const tess_array *host, tess_device device)
{
    const uint8_t *values = host->data;
    const int64_t  all = tess_n_elements(host);
    int64_t        count = 0;
    for (int64_t i = 0; i < all; i++) count += values[i];
    TESS_CHECK(count > 0, TESS_EARG, "%s: all elements of `opts->footprint` are 0; at least one must be nonzero",
               n->fn);
    return count < all ? place_footprint(n, host, device) : TESS_OK;
}

static tess_status take_footprint(neighbourhood *n, const tess_array *in)
{
    const tess_array *footprint = n->opts->footprint;
    tess_array        host = { .data = NULL };
    tess_status       status = TESS_OK;
    TESS_TRY(tess__check_numbers(n->fn, "opts->footprint", footprint));
    TESS_TRY(tess__check_window(n->fn, "opts->footprint", footprint->shape));
    if (footprint->device.kind != TESS_CPU)
        TESS_TRY(tess__check_device_of(n->fn, "in", in, "opts->footprint", footprint));
    n->size = footprint->shape;
    status = read_footprint(&host, n->fn, footprint);
    if (status == TESS_OK) status = use_footprint(n, &host, in->device);
    tess_release(&host);
    return status;
}

static tess_status take_neighbourhood(neighbourhood *n, const tess_array *in)
{
    bool is_given = false;
    for (int k = 0; k < 4; k++) {
        is_given = is_given || n->opts->window.dim[k] != 0;
        n->size.dim[k] = n->opts->window.dim[k];
        if (n->size.dim[k] == 0) n->size.dim[k] = k == 0 || (k < 3 && in->shape.dim[k] == 1) ? 1 : 3;
    }
    if (n->opts->footprint) {
        TESS_CHECK(!is_given, TESS_EARG, "%s: both `opts->window` and `opts->footprint` are given; one is allowed",
                   n->fn);
        TESS_TRY(take_footprint(n, in));
        return TESS_OK;
    }
    TESS_TRY(tess__check_window(n->fn, "opts->window", n->size));
    return TESS_OK;
}

/* ---- Erosion and dilation ---- */

/* The minimum of the neighbourhood, or the maximum of the reflected one. */
static tess_status extreme(const neighbourhood *n, tess_array *out, const tess_array *in, bool dilates)
{
    tess__stencil work = { .name = n->fn,
                           .kind = TESS__STENCIL_RANK,
                           .size = { n->size.d, n->size.h, n->size.w },
                           .rank = dilates ? n->size.d * n->size.h * n->size.w - 1 : 0,
                           .computed = in->dtype,
                           .filter = { dilates ? n->reflected : n->footprint } };
    TESS_TRY(tess__stencil_border(&work, out, &(tess__outside){ n->opts->border, n->opts->value, 0 }));
    TESS_TRY(tess__stencil_finish(&work, out, in, in->dtype));
    return TESS_OK;
}

/* ---- Compositions ---- */

/* Where bools differ, or the difference. */
static tess_status subtract(tess_array *out, const tess_array *a, const tess_array *b)
{
    TESS_TRY(out->dtype == TESS_BOOL ? tess_not_equal(out, a, b) : tess_sub(out, a, b));
    return TESS_OK;
}

/* Opening or closing. */
static tess_status twice(const neighbourhood *n, tess_array *out, const tess_array *in, bool closes)
{
    tess_array  between = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(extreme(n, &between, in, closes));
    TESS_GOTO(done, status, extreme(n, out, &between, !closes));
done:
    tess_release(&between);
    return status;
}

static tess_status erode(const neighbourhood *n, tess_array *out, const tess_array *in)
{
    return extreme(n, out, in, false);
}

static tess_status dilate(const neighbourhood *n, tess_array *out, const tess_array *in)
{
    return extreme(n, out, in, true);
}

static tess_status open(const neighbourhood *n, tess_array *out, const tess_array *in)
{
    return twice(n, out, in, false);
}

static tess_status close(const neighbourhood *n, tess_array *out, const tess_array *in)
{
    return twice(n, out, in, true);
}

static tess_status white_tophat(const neighbourhood *n, tess_array *out, const tess_array *in)
{
    TESS_TRY(open(n, out, in));
    TESS_TRY(subtract(out, in, out));
    return TESS_OK;
}

static tess_status black_tophat(const neighbourhood *n, tess_array *out, const tess_array *in)
{
    TESS_TRY(close(n, out, in));
    TESS_TRY(subtract(out, out, in));
    return TESS_OK;
}

static tess_status gradient(const neighbourhood *n, tess_array *out, const tess_array *in)
{
    tess_array  eroded = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(erode(n, &eroded, in));
    TESS_GOTO(done, status, dilate(n, out, in));
    TESS_GOTO(done, status, subtract(out, out, &eroded));
done:
    tess_release(&eroded);
    return status;
}

/* ---- The calls ---- */

static tess_status check(const char *fn, tess_array *out, const tess_array *in, const tess_grey_opts *o)
{
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_ordered(fn, "in", in->dtype));
    TESS_CHECK(o->border != TESS_BORDER_NOTHING, TESS_EARG,
               "%s: `opts->border` is \"nothing\"; any other border is allowed", fn);
    TESS_TRY(tess__check_apart(fn, "out", out, "in", in));
    if (o->footprint) TESS_TRY(tess__check_apart(fn, "out", out, "opts->footprint", o->footprint));
    return TESS_OK;
}

static tess_status run(const tess_function_info *info, tess_array *out, const tess_array *in,
                       const tess_grey_opts *opts,
                       tess_status (*operation)(const neighbourhood *, tess_array *, const tess_array *))
{
    tess_grey_opts o;
    neighbourhood  n = { .fn = info->name, .opts = &o };
    tess_status    status = TESS_OK;
    TESS_TRY(tess__resolve(info, opts, &o));
    TESS_TRY(check(info->name, out, in, &o));
    const bool made = tess__is_empty_out(out);
    TESS_GOTO(done, status, take_neighbourhood(&n, in));
    TESS_GOTO(done, status, tess__output(info->name, out, in->shape, in->dtype, in->device));
    if (tess__has_elements(in)) TESS_GOTO(done, status, operation(&n, out, in));
done:
    release(&n);
    return made ? tess__finish(tess__error_under(status, info->name), out, true)
                : tess__error_under(status, info->name);
}

#define OPERATION(name, of)                                                                                            \
    tess_status tess_##name(tess_array *out, const tess_array *in, const tess_grey_opts *opts)                         \
    {                                                                                                                  \
        TESS__FLOAT_SCOPE();                                                                                           \
        TESS__CALL_SCOPE();                                                                                            \
        return run(&tess__info_##name, out, in, opts, of);                                                             \
    }
OPERATION(grey_erode, erode)
OPERATION(grey_dilate, dilate)
OPERATION(grey_open, open)
OPERATION(grey_close, close)
OPERATION(white_tophat, white_tophat)
OPERATION(black_tophat, black_tophat)
OPERATION(morphological_gradient, gradient)
#undef OPERATION
