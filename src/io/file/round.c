/* Rounding on the way to a file of integers: to nearest, ties to even. */
#include "io/file/round.h"

#include "core/check/error.h"
#include "tessera/ewise.h"

bool tess__needs_rounding(tess_dtype from, tess_dtype to)
{
    const tess_kind kind = tess_dtype_kind(to);
    return tess_dtype_kind(from) == TESS_KIND_FLOAT && (kind == TESS_KIND_INT || kind == TESS_KIND_UINT);
}

tess_status tess__cast_rounded(tess_array *out, const tess_array *in)
{
    tess_array  rounded = { .data = NULL };
    tess_status status = TESS_OK;
    if (!tess__needs_rounding(in->dtype, out->dtype)) {
        TESS_TRY(tess_cast(out, in, TESS_DTYPE_NONE, NULL));
        return TESS_OK;
    }
    TESS_GOTO(done, status, tess_rint(&rounded, in));
    TESS_GOTO(done, status, tess_cast(out, &rounded, TESS_DTYPE_NONE, NULL));
done:
    tess_release(&rounded);
    return status;
}
