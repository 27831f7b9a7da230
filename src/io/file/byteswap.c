/* Byte order: elements byte-swapped in place. */
#include "io/file/byteswap.h"

#include "core/dtype.h"
#include "core/device/engine.h"
#include "core/device/stream.h"

tess_status tess__byteswap_rows(void *elements, int64_t rows, int64_t n, int64_t pitch, tess_dtype dtype)
{
    const int64_t    real = tess__dtype_alignment(dtype), reals = tess__dtypes[dtype].reals;
    const tess_array as_reals = { .shape = TESS_SHAPE(1, 1, rows, n * reals),
                                  .strides = TESS_STRIDES(0, 0, pitch * reals, 1),
                                  .data = elements,
                                  .dtype = real == 2   ? TESS_U16
                                           : real == 4 ? TESS_U32
                                                       : TESS_U64,
                                  .device = tess_cpu() };
    if (real == 1 || rows * n == 0) return TESS_OK;
    tess__ewise work = { .name = "swap", .kind = TESS__SWAP };
    TESS_TRY(tess__ewise_run(&work, &as_reals, NULL, 0));
    TESS_TRY(tess__sync("swap", tess_cpu()));
    return TESS_OK;
}

tess_status tess__byteswap(void *elements, int64_t n, tess_dtype dtype)
{
    TESS_TRY(tess__byteswap_rows(elements, 1, n, n, dtype));
    return TESS_OK;
}
