/* Uniform filter: the mean of a box around each element. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/promote.h"
#include "core/device/float_env.h"
#include "core/table/registry.h"
#include "ops/signal/stencil.h"
#include "tessera/convolve.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the means; any strides"),
    TESS__IN("in", "array to blur"),
    TESS__NEED_SIZES(1, "window", "odd sizes of the box along d, h and w; 1 along b", .sample = "1,1,3,3"),
    TESS__BORDER_ROW(tess_uniform_opts),
    TESS__UNUSED_ROW(tess_uniform_opts),
    TESS__VALUE_ROW(tess_uniform_opts),
};
TESS__CALL(uniform_filter, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_uniform_filter =
    TESS__OP_OPTS(TESS_CUT_BATCHES, uniform_filter, "convolve", "Blur arrays by the mean of a box around each element.",
                  args, tess_uniform_opts);

tess_status tess_uniform_filter(tess_array *out, const tess_array *in, tess_shape window, const tess_uniform_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char       *fn = "uniform_filter";
    tess_uniform_opts o;
    TESS_TRY(tess__resolve(&tess__info_uniform_filter, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_window(fn, "window", window));
    const bool    is_complex = tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX;
    tess__stencil work = { .name = fn,
                           .kind = TESS__STENCIL_MEAN,
                           .size = { window.d, window.h, window.w },
                           .computed = is_complex ? TESS_C64 : TESS_F64 };
    TESS_TRY(tess__stencil_border(&work, out, &(tess__outside){ o.border, o.value, 0 }));
    TESS_TRY(tess__stencil_finish(&work, out, in, tess__float_of(in->dtype)));
    return TESS_OK;
}
