/* Dispatch of requests to backends: the current stream, the loop plan, and errors for what a backend lacks. */
#include "core/device/engine.h"

#include <string.h>

#include "core/device/device.h"
#include "core/device/float_env.h"
#include "core/array/request_rows.h"
#include "core/device/stream.h"

static tess_status unsupported(const char *name, tess_device device)
{
    char text[24];
    TESS_FAIL(TESS_EDEVICE, "%s: device %s does not support it", name, tess_device_name(text, sizeof text, device));
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
    if (!stream->backend->ewise) return unsupported(work->name, device);
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

tess_status tess__ewise_now(const tess__ewise *work)
{
    const tess__backend *backend = tess__backend_of(TESS_CPU);
    TESS_TRY(backend->ewise(backend->stream_default(tess_cpu()), work, 1));
    return TESS_OK;
}

tess_status tess__fill_run(const char *fn, const tess_array *out, const void *element)
{
    tess__ewise work;
    work.name = fn;
    work.kind = TESS__FILL;
    work.param.element.size = tess__dtype_size(out->dtype);
    memcpy(work.param.element.bytes, element, (size_t)work.param.element.size);
    TESS_TRY(tess__ewise_run(&work, out, NULL, 0));
    return TESS_OK;
}

/* Streams of the host and of a GPU are not ordered with each other: the host waits for its own. */
tess_status tess__transfer_run(const tess__transfer *work)
{
    const bool           from_host = work->in.device.kind == TESS_CPU, to_host = work->out.device.kind == TESS_CPU;
    const tess_device    other = from_host ? work->out.device : work->in.device;
    const tess__backend *backend = NULL;
    TESS_TRY(tess__backend_need(&backend, work->name, other));
    if (!backend->transfer) return unsupported(work->name, other);
    if (from_host || to_host) {
        TESS_TRY(tess__check_waits(work->name, tess_cpu()));
        TESS_TRY(tess__sync(work->name, tess_cpu()));
    }
    TESS_TRY(backend->transfer(work));
    return TESS_OK;
}

/* What puts the arrays of a request in rows; NULL of kinds that core/array/request_rows.h does not name: these
 * definitions are tentative. */
#define REQUEST_OWN(kind, device) static tess_status (*rows_of_##kind)(tess__rows *, tess__##kind *);
#define REQUEST(kind, device, arrays) REQUEST_OWN(kind, device)
#define REQUEST_HOST(kind, arrays) REQUEST_OWN(kind, )
#define REQUEST_ON(kind)
#define REQUEST_MANY(kind)
#include "requests/requests.def"
#define ROWS(kind) static tess_status (*rows_of_##kind)(tess__rows *, tess__##kind *) = tess__rows_of_##kind;
TESS__KINDS_IN_ROWS(ROWS)

static bool is_host(const tess_stream *stream) { return stream->device.kind == TESS_CPU; }

/* A request that one entry of the backend runs, on the current stream of a device; in rows, if it is the host's. */
#define RUN(kind, where)                                                                                               \
    static tess_status kind##_in_rows(tess_stream *stream, const tess__##kind *work)                                   \
    {                                                                                                                  \
        tess__##kind in_rows = *work;                                                                                  \
        tess__rows   rows = { .name = work->name };                                                                    \
        tess_status  status = TESS_OK;                                                                                 \
        TESS_GOTO(done, status, rows_of_##kind(&rows, &in_rows));                                                      \
        TESS_GOTO(done, status, stream->backend->kind(stream, &in_rows));                                              \
    done:                                                                                                              \
        TESS_TRY(tess__rows_end(&rows, status));                                                                       \
        return TESS_OK;                                                                                                \
    }                                                                                                                  \
    tess_status tess__##kind##_run(const tess__##kind *work)                                                           \
    {                                                                                                                  \
        tess_stream *stream = NULL;                                                                                    \
        TESS_TRY(tess__stream_need(&stream, work->name, where));                                                       \
        if (!stream->backend->kind) return unsupported(work->name, where);                                             \
        const bool is_in_rows = rows_of_##kind && is_host(stream);                                                     \
        TESS_TRY(is_in_rows ? kind##_in_rows(stream, work) : stream->backend->kind(stream, work));                     \
        return TESS_OK;                                                                                                \
    }
#define REQUEST(kind, device, arrays) RUN(kind, work->device)
#define REQUEST_HOST(kind, arrays) RUN(kind, tess_cpu())
#define REQUEST_OWN(kind, device) RUN(kind, work->device)
#define REQUEST_ON(kind)
#define REQUEST_MANY(kind)
#include "requests/requests.def"

tess_status tess__fft_plan_prepare(void **held, const tess__backend **backend, const tess__fft *work,
                                   tess_info_fft_plan *info)
{
    TESS_TRY(tess__backend_need(backend, work->name, work->out.device));
    if (!(*backend)->fft_prepare) return unsupported(work->name, work->out.device);
    TESS_TRY((*backend)->fft_prepare(held, work, info));
    return TESS_OK;
}

tess_status tess__op_call_run(const tess__op_call *work, tess_stream *stream)
{
    if (!stream->backend->op_call) return unsupported(work->name, stream->device);
    TESS_TRY(stream->backend->op_call(stream, work));
    return TESS_OK;
}

tess_status tess__convert(void *out, tess_dtype to, const void *in, tess_dtype from)
{
    TESS__FLOAT_SCOPE();
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
    const tess_array  source = { .shape = { { 1, 1, 1, 1 } }, .data = (void *)(uintptr_t)in, .dtype = from };
    const tess_array  target = { .shape = { { 1, 1, 1, 1 } }, .data = out, .dtype = to };
    const tess_array *operands[2] = { &target, &source };
    tess__ewise       work;
    work.name = "convert";
    work.kind = TESS__CAST;
    work.from = from;
    work.to = to;
    work.mode = TESS_CAST_CLAMP;
    work.part = TESS_PART_DEFAULT;
    tess__plan(&work.loop, target.shape, operands, 2);
    TESS_TRY(tess__ewise_now(&work));
    return TESS_OK;
}
