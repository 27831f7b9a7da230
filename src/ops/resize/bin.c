/* Binning: sums and means of blocks. */
#include <inttypes.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "tessera/resize.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "mean or sum of each block; any strides"),
    TESS__IN("in", "array to bin"),
    TESS__NEED_SIZES(1, "factors", "block size along each axis, in elements", .sample = "1,1,2,2"),
    TESS__FLAG(tess_bin_opts, sum, "sum each block instead of averaging it"),
    TESS__FLAG(tess_bin_opts, partial, "keep incomplete blocks at the end, computed from the elements they have"),
};
TESS__CALL(bin, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_bin =
    TESS__OP_OPTS(TESS_CUT_BATCHES, bin, "resize", "Bin an array: mean or sum of each block of elements.", args,
                  tess_bin_opts, .metadata = TESS_METADATA_BINNED);

/* That of tess_sum or tess_mean. */
static tess_dtype result_dtype(tess_dtype in, bool sum)
{
    const tess_kind kind = tess_dtype_kind(in);
    return sum || kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX ? tess__sum_of(in) : TESS_F64;
}

static tess_status find_shape(tess_shape *shape, const tess_array *in, tess_shape factors, bool partial)
{
    char text[TESS__SHAPE_TEXT];
    for (int k = 0; k < 4; k++) {
        const int64_t n = in->shape.dim[k], factor = factors.dim[k];
        TESS_CHECK(factor >= 1, TESS_ERANGE, "bin: `factors` is %s; each axis needs a factor of 1 or more",
                   tess__shape_text(text, factors.dim));
        shape->dim[k] = n / factor + (partial && n % factor != 0);
    }
    return TESS_OK;
}

static tess_status run(const tess_array *out, const tess_array *in, tess_shape factors, bool mean)
{
    tess__bin work = { .name = "bin", .out = *out, .in = *in, .mean = mean };
    for (int k = 0; k < 4; k++) {
        const int64_t n = in->shape.dim[k];
        work.factor[k] = factors.dim[k] < n ? factors.dim[k] : n;
    }
    TESS_TRY(tess__bin_run(&work));
    return TESS_OK;
}

tess_status tess_bin(tess_array *out, const tess_array *in, tess_shape factors, const tess_bin_opts *opts)
{
    tess_bin_opts o;
    tess_shape    shape;
    TESS_TRY(tess__resolve(&tess__info_bin, opts, &o));
    TESS_TRY(tess__check_pointer("bin", "out", out));
    TESS_TRY(tess__check_numbers("bin", "in", in));
    TESS_TRY(find_shape(&shape, in, factors, o.partial));
    const tess_dtype result = result_dtype(in->dtype, o.sum);
    const bool       made = tess__is_empty_out(out);
    TESS_TRY(tess__output("bin", out, shape, made ? result : out->dtype, in->device));
    if (!made) {
        TESS_TRY(tess__check_converts("bin", "out", out, result));
        TESS_TRY(tess__check_overlap("bin", out, "in", in, false));
    }
    if (!tess__has_elements(out)) return TESS_OK;
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, "bin", &in));
    TESS_GOTO(done, status, run(out, in, factors, !o.sum));
done:
    tess_release(&held);
    TESS_TRY(tess__finish(status, out, made));
    return TESS_OK;
}
