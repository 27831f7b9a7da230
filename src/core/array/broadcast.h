/* Broadcasting: an axis of size 1 is repeated along that of the others. */
#ifndef TESS_CORE_ARRAY_BROADCAST_H
#define TESS_CORE_ARRAY_BROADCAST_H

#include "core/array/layout.h"
#include "tessera/array.h"

/* The shape that all inputs broadcast to. */
tess_status tess__common_shape(tess_shape *shape, const char *fn, const char *const *names,
                               const tess_array *const *inputs, int n);

/* `in` can be broadcast to `shape`, that of `other`. */
tess_status tess__check_unequal(const char *fn, const char *arg, const tess_array *in, const char *other,
                                const tess_shape *shape);

static inline tess_status tess__check_broadcast(const char *fn, const char *arg, const tess_array *in,
                                                const char *other, const tess_shape *shape)
{
    return tess__same_sizes(&in->shape, shape) ? TESS_OK : tess__check_unequal(fn, arg, in, other, shape);
}

#endif
