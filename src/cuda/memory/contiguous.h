/* Workspace of a call, and contiguous copies of arrays in it: one vector after the other. */
#ifndef TESS_CUDA_MEMORY_CONTIGUOUS_H
#define TESS_CUDA_MEMORY_CONTIGUOUS_H

#include "cuda/runtime/memory.h"

enum { TESS__CUDA_WORKSPACES = 8 };

/* Workspaces that a call has acquired. */
typedef struct tess__cuda_workspaces {
    int              n;
    tess__cu_address at[TESS__CUDA_WORKSPACES];
} tess__cuda_workspaces;

/* One more, for so many elements. */
tess_status tess__cuda_workspaces_acquire(tess__cu_address *workspace, tess__cuda_workspaces *workspaces,
                                          tess__cuda_call *call, int64_t n, int64_t size);
void        tess__cuda_workspaces_release(tess__cuda_workspaces *workspaces, tess__cuda_call *call);

/* The address of vectors with the array's elements: its own, or that of a workspace to which they are copied. */
tess_status tess__cuda_rows_in(tess__cu_address *vectors, tess__cuda_workspaces *workspaces, tess__cuda_call *call,
                               const tess_array *in, int axes);

/* The address of vectors for an output of `dtype`: its own, or that of a workspace, which tess__cuda_rows_out then
 * copies to the output. An array without data has none. */
tess_status tess__cuda_rows_for(tess__cu_address *vectors, tess__cuda_workspaces *workspaces, tess__cuda_call *call,
                                const tess_array *out, int axes, tess_dtype dtype);
tess_status tess__cuda_rows_out(tess__cu_address vectors, tess__cuda_call *call, const tess_array *out, int axes,
                                tess_dtype dtype);

#endif
