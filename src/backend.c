/* The backends of this build. */
#include "backend.h"

#include "cpu/cpu.h"
#include "cuda/cuda.h"

const tess__backend *tess__backend_of(int32_t kind)
{
    return kind == TESS_CPU ? &tess__cpu_backend : kind == TESS_GPU ? &tess__cuda_backend : NULL;
}
