/* Stencils: borders, windows and outputs of convolutions and rank filters. */
#include "ops/signal/stencil.h"

#include <inttypes.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/check/text.h"

enum { MAX_SIZE = 1 << 20, MAX_ELEMENTS = 1 << 28 };

tess_status tess__check_window(const char *fn, const char *arg, tess_shape window)
{
    char    text[TESS__SHAPE_TEXT];
    int64_t n = 1;
    TESS_CHECK(window.b == 1, TESS_ESHAPE, "%s: `%s` has shape %s; its b must be 1", fn, arg,
               tess__shape_text(text, window.dim));
    for (int k = 1; k < 4; k++) {
        TESS_CHECK(window.dim[k] >= 1 && window.dim[k] % 2 == 1 && window.dim[k] < MAX_SIZE, TESS_ESHAPE,
                   "%s: `%s` has shape %s; odd sizes from 1 to %d are allowed", fn, arg,
                   tess__shape_text(text, window.dim), MAX_SIZE - 1);
        n *= window.dim[k];
        TESS_CHECK(n <= MAX_ELEMENTS, TESS_ESHAPE, "%s: `%s` has shape %s; up to %d elements are allowed", fn, arg,
                   tess__shape_text(text, window.dim), MAX_ELEMENTS);
    }
    return TESS_OK;
}

tess_status tess__stencil_border(tess__stencil *work, const tess_array *out, const tess__outside *outside)
{
    const char      *fn = work->name;
    const tess_dtype real = tess_dtype_real(work->computed);
    const bool       is_complex = tess_dtype_kind(work->computed) == TESS_KIND_COMPLEX;
    const double     value = outside->value, imag = outside->value_imag;
    char             text[32];
    work->border = outside->border;
    TESS_TRY(tess__check_border(fn, out, work->border, value, imag));
    TESS_CHECK(imag == 0 || is_complex, TESS_EDTYPE,
               "%s: `opts->value_imag` is %s, but sums are %s; complex sums are needed", fn,
               tess__number_text(text, imag), tess_dtype_name(work->computed));
    work->outside.size = tess__dtype_size(work->computed);
    memset(work->outside.bytes, 0, sizeof work->outside.bytes);
    TESS_TRY(tess__convert(work->outside.bytes, real, &value, TESS_F64));
    if (is_complex) TESS_TRY(tess__convert(work->outside.bytes + tess__dtype_size(real), real, &imag, TESS_F64));
    return TESS_OK;
}

tess_status tess__stencil_finish(tess__stencil *work, tess_array *out, const tess_array *in, tess_dtype result)
{
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output(work->name, out, in->shape, made ? result : out->dtype, in->device));
    if (!made) {
        TESS_TRY(tess__check_converts(work->name, "out", out, result));
        TESS_TRY(tess__check_overlap(work->name, out, "in", in, false));
    }
    if (!tess__has_elements(out)) return TESS_OK;
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, work->name, &in));
    work->in = *in;
    work->out = *out;
    TESS_GOTO(done, status, tess__stencil_run(work));
done:
    tess_release(&held);
    TESS_TRY(tess__finish(status, out, made));
    return TESS_OK;
}
