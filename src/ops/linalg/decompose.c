/* Requests of operations that factor matrices: on the host, to which arrays of a GPU are brought. */
#include "ops/linalg/decompose.h"

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/check/text.h"
#include "core/device/cancel.h"
#include "core/device/engine.h"
#include "core/device/stream.h"
#include "ops/arrays/deliver.h"
#include "tessera/device.h"

tess_dtype tess__decompose_dtype(const tess_array *a, const tess_array *b)
{
    const tess_array *inputs[2] = { a, b };
    return tess__sum_of(tess__float_of(tess__promote_all(inputs, b ? 2 : 1)));
}

tess_status tess__decompose_begin(tess__decompose *work, const char *arg, const tess_array *in)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(work->name, arg, in));
    TESS_CHECK(in->shape.h == in->shape.w || work->kind == TESS__QR || work->kind == TESS__SVD, TESS_ESHAPE,
               "%s: `%s` has shape %s; square matrices are needed: axes 2 and 3 must be equal", work->name, arg,
               tess__shape_text(text, in->shape.dim));
    work->arg = arg;
    work->m = in->shape.h;
    work->n = in->shape.w;
    work->k = work->kind == TESS__INVERSE ? work->n : 0;
    work->batches = TESS_SHAPE(in->shape.b, in->shape.d, 1, 1);
    return TESS_OK;
}

/* On the host, and back. */
static tess_status run_there(tess__decompose *work, const tess__outputs *out, tess_array *const results[3])
{
    const tess_array *made[TESS__MAX_OUTPUTS] = { NULL };
    const tess_array  a = work->a, b = work->b;
    const tess_device there = a.device;
    int               n = 0;
    tess_status       status = TESS_OK;
    tess_array *const all[5] = { &work->a, &work->b, &work->out[0], &work->out[1], &work->out[2] };
    for (int i = 0; i < 5; i++) *all[i] = (tess_array){ .data = NULL };
    TESS_TRY(tess__check_waits(work->name, there));
    TESS_GOTO(done, status, tess_to_device(&work->a, &a, tess_cpu()));
    if (work->kind == TESS__SOLVE) TESS_GOTO(done, status, tess_to_device(&work->b, &b, tess_cpu()));
    TESS_GOTO(done, status, tess__sync(work->name, there));
    for (int i = 0; i < 3; i++) {
        if (!results[i]) continue;
        made[n++] = &work->out[i];
        TESS_GOTO(done, status,
                  tess__make(work->name, &work->out[i], results[i]->shape, results[i]->dtype, tess_cpu(), false));
    }
    TESS_GOTO(done, status, tess__decompose_run(work));
    TESS_GOTO(done, status, tess__deliver(out, made));
done:
    for (int i = 0; i < 5; i++) tess_release(all[i]);
    return status;
}

static tess_status run(tess__decompose *work, const tess__outputs *out, tess_array *const results[3],
                       const tess_array *a, const tess_array *b)
{
    work->kernel = tess_dtype_kind(tess__decompose_dtype(a, b)) == TESS_KIND_COMPLEX ? TESS_C64 : TESS_F64;
    work->a = *a;
    if (b) work->b = *b;
    if (a->device.kind != TESS_CPU) return run_there(work, out, results);
    for (int i = 0; i < 3; i++)
        if (results[i]) work->out[i] = *results[i];
    TESS_TRY(tess__decompose_run(work));
    return TESS_OK;
}

tess_status tess__decompose_end(tess__decompose *work, tess__outputs *out, tess_array *const results[3],
                                const tess_array *a, const tess_array *b)
{
    tess_array  held[2] = { { .data = NULL } };
    tess_status status = TESS_OK;
    TESS_TRY(tess__outputs_take(out));
    if (work->batches.b && work->batches.d) {
        TESS_GOTO(done, status, tess__hold(&held[0], work->name, &a));
        if (b) TESS_GOTO(done, status, tess__hold(&held[1], work->name, &b));
        TESS_GOTO(done, status, run(work, out, results, a, b));
    }
done:
    tess_release(&held[0]);
    tess_release(&held[1]);
    return tess__outputs_end(out, tess__error_under(status, work->name));
}
