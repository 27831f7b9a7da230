/* Contiguous copies of arrays in the workspace of a call. */
#include "cuda/memory/contiguous.h"

#include "core/array/layout.h"
#include "cuda/memory/move.h"

tess_status tess__cuda_workspaces_acquire(tess__cu_address *workspace, tess__cuda_workspaces *workspaces,
                                          tess__cuda_call *call, int64_t n, int64_t size)
{
    TESS_TRY(tess__cuda_workspace_acquire(workspace, call, (size_t)(n * size)));
    workspaces->at[workspaces->n++] = *workspace;
    return TESS_OK;
}

void tess__cuda_workspaces_release(tess__cuda_workspaces *workspaces, tess__cuda_call *call)
{
    while (workspaces->n > 0) tess__cuda_workspace_release(call, workspaces->at[--workspaces->n]);
}

static tess_strides row_strides(const tess_shape *shape, int axes)
{
    tess_strides strides;
    int64_t      inner = 1;
    for (int within = 1; within >= 0; within--)
        for (int d = 3; d >= 0; d--) {
            if ((axes >> d & 1) != within) continue;
            strides.dim[d] = inner;
            inner *= shape->dim[d];
        }
    return strides;
}

/* The elements of an array with those along `axes`, a set of bits 0 to 3, as contiguous vectors one after the
 * other, in `memory`. Vectors, and elements within them, are in b, d, h, w order. */
static tess_array rows_of(const tess_array *like, int axes, tess__cu_address memory, tess_dtype dtype)
{
    return (tess_array){ .shape = like->shape,
                         .strides = row_strides(&like->shape, axes),
                         .data = (void *)(uintptr_t)memory,
                         .dtype = dtype,
                         .device = like->device };
}

/* Does it have that layout already? */
static bool is_rows(const tess_array *a, int axes)
{
    const tess_strides strides = row_strides(&a->shape, axes);
    for (int d = 0; d < 4; d++)
        if (a->shape.dim[d] != 1 && a->strides.dim[d] != strides.dim[d]) return false;
    return true;
}

static tess_status move(tess__cuda_call *call, const tess_array *out, const tess_array *in)
{
    return out->dtype == in->dtype ? tess__cuda_copy(call, out, in) : tess__cuda_convert(call, out, in);
}

tess_status tess__cuda_rows_in(tess__cu_address *vectors, tess__cuda_workspaces *workspaces, tess__cuda_call *call,
                               const tess_array *in, int axes)
{
    tess__cuda_use(call, in->buffer);
    *vectors = (uintptr_t)in->data;
    if (is_rows(in, axes)) return TESS_OK;
    TESS_TRY(tess__cuda_workspaces_acquire(vectors, workspaces, call, tess__elements(in), tess__dtype_size(in->dtype)));
    const tess_array rows = rows_of(in, axes, *vectors, in->dtype);
    TESS_TRY(move(call, &rows, in));
    return TESS_OK;
}

static bool is_direct(const tess_array *out, int axes, tess_dtype dtype)
{
    return out->dtype == dtype && is_rows(out, axes);
}

tess_status tess__cuda_rows_for(tess__cu_address *vectors, tess__cuda_workspaces *workspaces, tess__cuda_call *call,
                                const tess_array *out, int axes, tess_dtype dtype)
{
    *vectors = (uintptr_t)out->data;
    if (!out->data) return TESS_OK;
    tess__cuda_use(call, out->buffer);
    if (is_direct(out, axes, dtype)) return TESS_OK;
    TESS_TRY(tess__cuda_workspaces_acquire(vectors, workspaces, call, tess__elements(out), tess__dtype_size(dtype)));
    return TESS_OK;
}

tess_status tess__cuda_rows_out(tess__cu_address vectors, tess__cuda_call *call, const tess_array *out, int axes,
                                tess_dtype dtype)
{
    if (!out->data || is_direct(out, axes, dtype)) return TESS_OK;
    const tess_array rows = rows_of(out, axes, vectors, dtype);
    TESS_TRY(move(call, out, &rows));
    return TESS_OK;
}
