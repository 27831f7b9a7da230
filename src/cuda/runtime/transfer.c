/* Copies of bytes between devices. */
#include "core/device/stream.h"
#include "cuda/cuda.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/pinned.h"
#include "cuda/runtime/stream.h"

static tess__cu_address address_of(const tess_array *a) { return (uintptr_t)a->data; }

/* ---- To a GPU ---- */

static tess_status copy_in(tess__cuda_call *call, const tess__transfer *work)
{
    const bool pinned = tess__cuda_is_pinned(work->in.buffer);
    const bool locked = pinned || tess__cuda_is_locked(work->in.data, work->size);
    tess__cuda_use(call, work->out.buffer);
    if (!locked) {
        TESS_TRY(tess__cuda_stage_in(call, address_of(&work->out), work->in.data, work->size));
        return TESS_OK;
    }
    if (pinned) tess__cuda_use(call, work->in.buffer);
    TESS_CUDA(call, copy_in, address_of(&work->out), work->in.data, (size_t)work->size, call->stream->handle);
    if (locked && !pinned) TESS_TRY(tess__cuda_wait(call)); /* the caller may change it next */
    return TESS_OK;
}

/* ---- To the host ---- */

/* The driver is done with the memory of the caller when this returns, even if the first wait fails. What is kept and
 * recorded on the stream stays there. */
static tess_status copy_small(tess__cuda_call *call, const tess__transfer *work)
{
    tess__cu_stream stream = call->stream->handle;
    TESS_CUDA(call, copy_out, work->out.data, address_of(&work->in), (size_t)work->size, stream);
    const tess__cu_result code = tess__driver.stream_sync(stream);
    if (code) (void)tess__driver.stream_sync(stream);
    TESS_TRY(tess__cuda_status(call, "stream_sync", code));
    return TESS_OK;
}

/* Small copies do not use the chunks, which are shared: they do not wait for large copies of others. */
static tess_status copy_out(tess__cuda_call *call, const tess__transfer *work)
{
    const bool pinned = tess__cuda_is_pinned(work->out.buffer);
    if (!pinned) TESS_TRY(tess__cuda_settle(call));
    tess__cuda_use(call, work->in.buffer);
    if (!pinned && !tess__cuda_is_locked(work->out.data, work->size)) {
        if (work->size <= TESS__CUDA_SMALL) TESS_TRY(copy_small(call, work));
        else TESS_TRY(tess__cuda_stage_out(call, work->out.data, address_of(&work->in), work->size));
        return TESS_OK;
    }
    if (pinned) tess__cuda_use(call, work->out.buffer);
    TESS_CUDA(call, copy_out, work->out.data, address_of(&work->in), (size_t)work->size, call->stream->handle);
    if (!pinned) TESS_TRY(tess__cuda_wait(call));
    return TESS_OK;
}

/* ---- Between GPUs ---- */

/* An event after the work that is on the stream of `call` now. */
static tess_status record(tess__cu_event *mark, const tess__cuda_call *call)
{
    TESS_CUDA(call, event_new, mark, TESS__CU_EVENT_NO_TIMING);
    TESS_CUDA(call, event_record, *mark, call->stream->handle);
    return TESS_OK;
}

/* Later work of the giver's stream waits for the copy: what it reads is neither freed nor written before. */
static tess_status hold_back(const tess__cuda_call *giver, tess__cu_event *done, const tess__cuda_call *call)
{
    TESS_TRY(record(done, call));
    TESS_CUDA(giver, stream_wait, giver->stream->handle, *done, 0);
    return TESS_OK;
}

/* The receiver's stream waits for the giver's and copies. The context is the receiver's. */
static tess_status receive(tess__cuda_call *call, const tess__transfer *work, const tess__cuda_call *giver,
                           tess__cu_event ready, tess__cu_event *done)
{
    tess__cuda_use(call, work->out.buffer);
    TESS_CUDA(call, stream_wait, call->stream->handle, ready, 0);
    TESS_CUDA(call, copy_across, address_of(&work->out), call->device->context, address_of(&work->in),
              giver->device->context, (size_t)work->size, call->stream->handle);
    const tess_status status = hold_back(giver, done, call);
    if (status != TESS_OK) (void)tess__driver.stream_sync(call->stream->handle);
    TESS_TRY(status);
    return TESS_OK;
}

static tess_status across(tess__cuda_call *giver, const tess__transfer *work)
{
    tess__cuda_call call;
    tess_status     status;
    tess_stream    *stream = NULL;
    tess__cu_event  ready = NULL, done = NULL;
    TESS_GOTO(end, status, record(&ready, giver));
    TESS_GOTO(end, status, tess__stream_need(&stream, work->name, work->out.device));
    TESS_GOTO(end, status, tess__cuda_begin(&call, work->name, stream));
    status = receive(&call, work, giver, ready, &done);
    tess__cuda_end(&call);
    tess__cuda_use(giver, work->in.buffer);
end:
    if (ready) (void)tess__driver.event_free(ready);
    if (done) (void)tess__driver.event_free(done);
    return status;
}

tess_status tess__cuda_transfer(const tess__transfer *work)
{
    const bool      in = work->in.device.kind == TESS_CPU, out = work->out.device.kind == TESS_CPU;
    tess__cuda_call call;
    tess_stream    *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, work->name, in ? work->out.device : work->in.device));
    TESS_TRY(tess__cuda_begin(&call, work->name, stream));
    const tess_status status = in ? copy_in(&call, work) : out ? copy_out(&call, work) : across(&call, work);
    tess__cuda_end(&call);
    TESS_TRY(status);
    return TESS_OK;
}
