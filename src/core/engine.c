/* Operations meet backends here: the current stream, the plan, and what a backend does not support. */
#include "core/engine.h"

#include <string.h>

#include "core/check.h"

static tess_status refuse(const char *name, tess_device device)
{
    char text[24];
    TESS_FAIL(TESS_EDEVICE, "%s: device %s does not support it", name, tess_device_name(device, text, sizeof text));
}

static void plan(tess__loop *loop, int64_t row, const tess_array *out, const tess_array *const *inputs, int n_inputs)
{
    if (row) {
        tess__plan_row(loop, row, out, inputs, n_inputs);
        return;
    }
    const tess_array *operands[TESS__MAX_OPERANDS] = { out };
    for (int k = 0; k < n_inputs; k++) operands[1 + k] = inputs[k];
    tess__plan(loop, out->shape, operands, 1 + n_inputs);
}

void tess__ewise_plan(tess__ewise *work, const tess_array *out, const tess_array *const *inputs, int n_inputs)
{
    plan(&work->loop, tess__row_of(out, inputs, n_inputs), out, inputs, n_inputs);
}

tess_status tess__ewise_submit(const tess__ewise *work, int n, tess_device device)
{
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, work->name, device));
    if (!stream->backend->ewise) return refuse(work->name, device);
    TESS_TRY(stream->backend->ewise(stream, work, n));
    return TESS_OK;
}

tess_status tess__ewise_run_row(tess__ewise *work, int64_t row, const tess_array *out, const tess_array *const *inputs,
                                int n_inputs)
{
    if (!row && !tess__has_elements(out)) return TESS_OK;
    plan(&work->loop, row, out, inputs, n_inputs);
    TESS_TRY(tess__ewise_submit(work, 1, out->device));
    return TESS_OK;
}

tess_status tess__iwise_run(const tess__iwise *work)
{
    if (tess_is_empty(&work->out)) return TESS_OK;
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, work->name, work->out.device));
    if (!stream->backend->iwise) return refuse(work->name, work->out.device);
    TESS_TRY(stream->backend->iwise(stream, work));
    return TESS_OK;
}

tess_status tess__reduce_run(const tess__reduce *work)
{
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, work->name, work->in[0].device));
    if (!stream->backend->reduce) return refuse(work->name, work->in[0].device);
    TESS_TRY(stream->backend->reduce(stream, work));
    return TESS_OK;
}

tess_status tess__scan_run(const tess__scan *work, tess_device device)
{
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, work->name, device));
    if (!stream->backend->scan) return refuse(work->name, device);
    TESS_TRY(stream->backend->scan(stream, work));
    return TESS_OK;
}

tess_status tess__random_run(const tess__random *work)
{
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, work->name, work->out.device));
    if (!stream->backend->random) return refuse(work->name, work->out.device);
    TESS_TRY(stream->backend->random(stream, work));
    return TESS_OK;
}

tess_status tess__matmul_run(const tess__matmul *work)
{
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, work->name, work->out.device));
    if (!stream->backend->matmul) return refuse(work->name, work->out.device);
    TESS_TRY(stream->backend->matmul(stream, work));
    return TESS_OK;
}

tess_status tess__lstsq_run(const tess__lstsq *work)
{
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, work->name, work->x.device));
    if (!stream->backend->lstsq) return refuse(work->name, work->x.device);
    TESS_TRY(stream->backend->lstsq(stream, work));
    return TESS_OK;
}

tess_status tess__polyfit_run(const tess__polyfit *work)
{
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, work->name, work->in.device));
    if (!stream->backend->polyfit) return refuse(work->name, work->in.device);
    TESS_TRY(stream->backend->polyfit(stream, work));
    return TESS_OK;
}

tess_status tess__window_run(const tess__window *work)
{
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, work->name, work->out.device));
    if (!stream->backend->window) return refuse(work->name, work->out.device);
    TESS_TRY(stream->backend->window(stream, work));
    return TESS_OK;
}

tess_status tess__insert_run(const tess__insert *work)
{
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, work->name, work->out.device));
    if (!stream->backend->insert) return refuse(work->name, work->out.device);
    TESS_TRY(stream->backend->insert(stream, work));
    return TESS_OK;
}

tess_status tess__bin_run(const tess__bin *work)
{
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, work->name, work->out.device));
    if (!stream->backend->bin) return refuse(work->name, work->out.device);
    TESS_TRY(stream->backend->bin(stream, work));
    return TESS_OK;
}

tess_status tess__places_run(const tess__places *work)
{
    const tess__backend *backend = NULL;
    tess_stream         *stream = NULL;
    TESS_TRY(find(&backend, &stream, work->name, work->out.device));
    if (!backend->places) return refuse(work->name, work->out.device);
    TESS_TRY(backend->places(stream, work));
    return TESS_OK;
}

tess_status tess__mask_run(const tess__mask *work)
{
    const tess__backend *backend = NULL;
    tess_stream         *stream = NULL;
    TESS_TRY(find(&backend, &stream, work->name, work->array.device));
    if (!backend->mask) return refuse(work->name, work->array.device);
    TESS_TRY(backend->mask(stream, work));
    return TESS_OK;
}

tess_status tess__search_run(const tess__search *work)
{
    const tess__backend *backend = NULL;
    tess_stream         *stream = NULL;
    TESS_TRY(find(&backend, &stream, work->name, work->out.device));
    if (!backend->search) return refuse(work->name, work->out.device);
    TESS_TRY(backend->search(stream, work));
    return TESS_OK;
}

tess_status tess__unique_run(const tess__unique *work)
{
    const tess__backend *backend = NULL;
    tess_stream         *stream = NULL;
    TESS_TRY(find(&backend, &stream, work->name, work->in.device));
    if (!backend->unique) return refuse(work->name, work->in.device);
    TESS_TRY(backend->unique(stream, work));
    return TESS_OK;
}

tess_status tess__histogram_run(const tess__histogram *work)
{
    const tess__backend *backend = NULL;
    tess_stream         *stream = NULL;
    TESS_TRY(find(&backend, &stream, work->name, work->out.device));
    if (!backend->histogram) return refuse(work->name, work->out.device);
    TESS_TRY(backend->histogram(stream, work));
    return TESS_OK;
}

tess_status tess__sort_run(const tess__sort *work)
{
    const tess__backend *backend = NULL;
    tess_stream         *stream = NULL;
    TESS_TRY(find(&backend, &stream, work->name, work->in.device));
    if (!backend->sort) return refuse(work->name, work->in.device);
    TESS_TRY(backend->sort(stream, work));
    return TESS_OK;
}

tess_status tess__quantile_run(const tess__quantile *work)
{
    const tess__backend *backend = NULL;
    tess_stream         *stream = NULL;
    TESS_TRY(find(&backend, &stream, work->name, work->in.device));
    if (!backend->quantile) return refuse(work->name, work->in.device);
    TESS_TRY(backend->quantile(stream, work));
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
    tess_stream *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, fn, device));
    TESS_TRY(stream->backend->stream_sync(stream));
    return TESS_OK;
}

tess_status tess__hold(tess_array *held, const char *fn, const tess_array **in)
{
    const tess_array *number = *in;
    if (!number || !(number->flags & TESS_SCALAR)) return TESS_OK;
    TESS_TRY(tess__check_array(fn, "a number", number));
    TESS_TRY(tess__make(fn, held, TESS_SHAPE(1, 1, 1, 1), number->dtype, tess_cpu(), false));
    memcpy(held->data, number->data, (size_t)tess__dtype_size(number->dtype));
    held->shape = number->shape;
    held->strides = number->strides; /* of one element, or 0 where it was broadcast */
    held->flags = number->flags & ~(uint32_t)TESS_SCALAR;
    *in = held;
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

tess_status tess__common_shape(tess_shape *shape, const char *fn, const char *const *names,
                               const tess_array *const *inputs, int n)
{
    *shape = inputs[0]->shape;
    for (int k = 1; k < n; k++)
        for (int d = 0; d < 4; d++) {
            const int64_t size = inputs[k]->shape.dim[d];
            if (size == shape->dim[d] || size == 1) continue;
            char text[2][TESS__SHAPE_TEXT];
            TESS_CHECK(shape->dim[d] == 1, TESS_ESHAPE,
                       "%s: %s has shape %s, which does not go with %s of the others: axis %d must be equal or 1", fn,
                       names[k], tess__shape_text(text[0], inputs[k]->shape.dim), tess__shape_text(text[1], shape->dim),
                       d);
            shape->dim[d] = size;
        }
    return TESS_OK;
}
