/* From a checked operation to the backend of its arrays. */
#ifndef TESS_CORE_ENGINE_H
#define TESS_CORE_ENGINE_H

#include "backend.h"

/* Lay the loop of element-wise work out, over the shape of `out` (operand 0). */
void tess__ewise_plan(tess__ewise *work, const tess_array *out, const tess_array *const *inputs, int n_inputs);

/* Give n pieces of planned work to the current stream of a device. */
tess_status tess__ewise_submit(const tess__ewise *work, int n, tess_device device);

/* Both, for one piece of work. */
tess_status tess__ewise_run(tess__ewise *work, const tess_array *out, const tess_array *const *inputs, int n_inputs);

/* Index-wise work on work->out. */
tess_status tess__iwise_run(const tess__iwise *work);

/* Reductions of work->in[0]'s device. */
tess_status tess__reduce_run(const tess__reduce *work);

/* A running operation on the current stream of a device. */
tess_status tess__scan_run(const tess__scan *work, tess_device device);

/* Sorting and quantiles, on the current stream of the input's device. */
tess_status tess__sort_run(const tess__sort *work);
tess_status tess__quantile_run(const tess__quantile *work);

/* One element on the host converted now, whatever the current stream: clamping, no complex to real. */
tess_status tess__convert(void *out, tess_dtype to, const void *in, tess_dtype from);

/* Wait for the work queued on the current stream of a device. */
tess_status tess__sync(const char *fn, tess_device device);

/* A number of the caller's (tessera/scalar.h) is there only during the call. Work that would take it by its address
 * takes a copy instead: if `*in` is one, `held` becomes that copy, to be released when the work has been handed on, and
 * `*in` points to it. `held` is zeroed. */
tess_status tess__hold(tess_array *held, const char *fn, const tess_array **in);

/* The end of an operation: if it failed, an output that it had made is released, so that `out` is as it was. */
tess_status tess__finish(tess_status status, tess_array *out, bool made);

/* The shape that all inputs broadcast to. */
tess_status tess__common_shape(tess_shape *shape, const char *fn, const char *const *names,
                               const tess_array *const *inputs, int n);

/* `in` can be broadcast to `shape`. */
tess_status tess__check_unequal(const char *fn, const char *arg, const tess_array *in, const tess_shape *shape);

static inline tess_status tess__check_broadcast(const char *fn, const char *arg, const tess_array *in,
                                                const tess_shape *shape)
{
    const bool same =
        in->shape.b == shape->b && in->shape.d == shape->d && in->shape.h == shape->h && in->shape.w == shape->w;
    return same ? TESS_OK : tess__check_unequal(fn, arg, in, shape);
}

#endif
