/* Operations meet backends here: the current stream, the plan, and what a backend does not support. */
#include "core/engine.h"

#include <string.h>

#include "core/check.h"

static tess_status find(const tess__backend **backend, tess_stream **stream, const char *name, tess_device device)
{
    TESS_TRY(tess__backend_need(backend, name, device));
    *stream = tess_stream_current(device);
    return TESS_OK;
}

static tess_status refuse(const char *name, tess_device device)
{
    char text[24];
    TESS_FAIL(TESS_EDEVICE, "%s: device %s does not support it", name, tess_device_name(device, text, sizeof text));
}

void tess__ewise_plan(tess__ewise *work, const tess_array *out, const tess_array *const *inputs, int n_inputs)
{
    const tess_array *operands[TESS__MAX_OPERANDS] = { out };
    for (int k = 0; k < n_inputs; k++) operands[1 + k] = inputs[k];
    tess__plan(&work->loop, out->shape, operands, 1 + n_inputs);
}

tess_status tess__ewise_submit(const tess__ewise *work, int n, tess_device device)
{
    const tess__backend *backend = NULL;
    tess_stream         *stream = NULL;
    TESS_TRY(find(&backend, &stream, work->name, device));
    if (!backend->ewise) return refuse(work->name, device);
    TESS_TRY(backend->ewise(stream, work, n));
    return TESS_OK;
}

/* A copy or cast of a number of the caller's (tessera/scalar.h), which is there only during the call: it is converted
 * now, and the work becomes a fill. */
static tess_status take_number(tess__ewise *work, const tess_array *out, const tess_array *number)
{
    const tess__backend *backend = tess__backend_of(TESS_CPU);
    tess__element        element = { .size = tess__dtype_size(out->dtype) };
    const tess_array     target = { .shape = { { 1, 1, 1, 1 } }, .data = element.bytes, .dtype = out->dtype };
    const tess_array    *operands[2] = { &target, number };
    tess__plan(&work->loop, target.shape, operands, 2);
    TESS_TRY(backend->ewise(backend->stream_default(tess_cpu()), work, 1));
    work->kind = TESS__FILL;
    work->param.element = element;
    return TESS_OK;
}

tess_status tess__ewise_run(tess__ewise *work, const tess_array *out, const tess_array *const *inputs, int n_inputs)
{
    if (!tess__has_elements(out)) return TESS_OK;
    if (work->kind != TESS__OPERATE && n_inputs == 1 && inputs[0]->flags & TESS_SCALAR) {
        TESS_TRY(take_number(work, out, inputs[0]));
        n_inputs = 0;
    }
    tess__ewise_plan(work, out, inputs, n_inputs);
    TESS_TRY(tess__ewise_submit(work, 1, out->device));
    return TESS_OK;
}

tess_status tess__iwise_run(const tess__iwise *work)
{
    if (tess_is_empty(&work->out)) return TESS_OK;
    const tess__backend *backend = NULL;
    tess_stream         *stream = NULL;
    TESS_TRY(find(&backend, &stream, work->name, work->out.device));
    if (!backend->iwise) return refuse(work->name, work->out.device);
    TESS_TRY(backend->iwise(stream, work));
    return TESS_OK;
}

tess_status tess__reduce_run(const tess__reduce *work)
{
    const tess__backend *backend = NULL;
    tess_stream         *stream = NULL;
    TESS_TRY(find(&backend, &stream, work->name, work->in[0].device));
    if (!backend->reduce) return refuse(work->name, work->in[0].device);
    TESS_TRY(backend->reduce(stream, work));
    for (int k = 0; k < work->n_inputs; k++) TESS_TRY(tess__settle(work->name, &work->in[k], stream->device));
    return TESS_OK;
}

tess_status tess__scan_run(const tess__scan *work, tess_device device)
{
    const tess__backend *backend = NULL;
    tess_stream         *stream = NULL;
    TESS_TRY(find(&backend, &stream, work->name, device));
    if (!backend->scan) return refuse(work->name, device);
    TESS_TRY(backend->scan(stream, work));
    return TESS_OK;
}

tess_status tess__convert(void *out, tess_dtype to, const void *in, tess_dtype from)
{
    if (from == to) {
        memcpy(out, in, (size_t)tess__dtype_size(to));
        return TESS_OK;
    }
    if (from == TESS_F64 && to == TESS_F32) { /* most numbers in calls: no need to go through the backend */
        double wide;
        memcpy(&wide, in, sizeof wide);
        const float narrow = (float)wide;
        memcpy(out, &narrow, sizeof narrow);
        return TESS_OK;
    }
    const tess__backend *backend = tess__backend_of(TESS_CPU);
    const tess_array     source = { .shape = { { 1, 1, 1, 1 } }, .data = (void *)(uintptr_t)in, .dtype = from };
    const tess_array     target = { .shape = { { 1, 1, 1, 1 } }, .data = out, .dtype = to };
    const tess_array    *operands[2] = { &target, &source };
    tess__ewise          work;
    work.name = "convert";
    work.kind = TESS__CAST;
    work.from = from;
    work.to = to;
    work.mode = TESS_CAST_CLAMP;
    work.part = TESS_PART_DEFAULT;
    tess__plan(&work.loop, target.shape, operands, 2);
    TESS_TRY(backend->ewise(backend->stream_default(tess_cpu()), &work, 1));
    return TESS_OK;
}

tess_status tess__sync(const char *fn, tess_device device)
{
    const tess__backend *backend = NULL;
    tess_stream         *stream = NULL;
    TESS_TRY(find(&backend, &stream, fn, device));
    TESS_TRY(backend->stream_sync(stream));
    return TESS_OK;
}

tess_status tess__settle(const char *fn, const tess_array *in, tess_device device)
{
    if (in->flags & TESS_SCALAR) TESS_TRY(tess__sync(fn, device));
    return TESS_OK;
}

tess_status tess__finish(tess_status status, tess_array *out, bool made)
{
    if (status != TESS_OK && made) tess_release(out);
    return status;
}

/* A stack of images where a volume is meant, or the other way round, is the mistake that is made most. */
static const char *swapped_hint(tess_shape in, tess_shape shape)
{
    const bool swapped = in.b == shape.d && in.d == shape.b && in.h == shape.h && in.w == shape.w;
    return swapped ? " (batch and depth are swapped: images or a volume? tess_permute or tess_reshape one)" : "";
}

tess_status tess__check_unequal(const char *fn, const char *arg, const tess_array *in, const tess_shape *shape)
{
    char text[2][TESS__SHAPE_TEXT];
    for (int k = 0; k < 4; k++)
        TESS_CHECK(in->shape.dim[k] == shape->dim[k] || in->shape.dim[k] == 1, TESS_ESHAPE,
                   "%s: %s has shape %s, which cannot be broadcast to %s: axis %d must be 1 or equal%s", fn, arg,
                   tess__shape_text(text[0], in->shape.dim), tess__shape_text(text[1], shape->dim), k,
                   swapped_hint(in->shape, *shape));
    return TESS_OK;
}
