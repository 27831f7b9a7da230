/* Losses in writing: values that the dtype of a file does not hold, counted and in words. */
#include <stdio.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "io/file/file.h"
#include "io/file/write/stats.h"

void tess_writer_losses(tess_losses *losses, const tess_writer *writer)
{
    if (!losses) return;
    memset(losses, 0, sizeof *losses);
    if (!writer) return;
    const tess__stats *s = writer->stats;
    losses->n_values = writer->done * writer->shape.h * writer->shape.w;
    losses->n_nan = s->n_nan;
    losses->n_clamped = s->n_clamped;
    losses->n_infinite = s->n_infinite;
    losses->n_rounded = s->n_rounded;
    losses->dtype = (int32_t)writer->dtype;
    (void)snprintf(losses->note, sizeof losses->note, "%s", tess_writer_note(writer));
}

static bool is_integer(int32_t dtype)
{
    const tess_kind kind = tess_dtype_kind((tess_dtype)dtype);
    return kind == TESS_KIND_INT || kind == TESS_KIND_UINT;
}

const char *tess_losses_text(char *text, size_t n, const tess_losses *losses, int i)
{
    const char     *dtype = tess_dtype_name((tess_dtype)losses->dtype);
    const long long values = (long long)losses->n_values;
    const int64_t   nan = is_integer(losses->dtype) ? losses->n_nan : 0;
    if (losses->n_clamped > 0 && i-- == 0)
        (void)snprintf(text, n, "%lld of %lld values are outside the range of %s and were clamped to its limits",
                       (long long)losses->n_clamped, values, dtype);
    else if (losses->n_infinite > 0 && i-- == 0)
        (void)snprintf(text, n, "%lld of %lld values are outside the range of %s and became infinite",
                       (long long)losses->n_infinite, values, dtype);
    else if (losses->n_rounded > 0 && i-- == 0)
        (void)snprintf(text, n, "%lld integer%s more digits than %s can hold and %s rounded",
                       (long long)losses->n_rounded, losses->n_rounded == 1 ? " has" : "s have", dtype,
                       losses->n_rounded == 1 ? "was" : "were");
    else if (nan > 0 && i-- == 0)
        (void)snprintf(text, n, "%lld value%s NaN and became 0", (long long)nan, nan == 1 ? " was" : "s were");
    else return NULL;
    return text;
}

tess_status tess_write_losses(tess_losses *losses, const char *path, const tess_array *in, const tess_write_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE_OF("write");
    tess_writer *writer;
    tess_losses  found;
    TESS_TRY(tess__check_array("write", "in", in));
    TESS_TRY(tess__check_on_host("write", "in", in));
    TESS_TRY(tess__error_under(tess__writer_new(&writer, path, in->shape, in->dtype, opts, in), "write"));
    tess_status status = TESS_OK;
    TESS_GOTO(failed, status, tess__error_under(tess_writer_append(writer, in), "write"));
    tess_writer_losses(&found, writer);
    TESS_TRY(tess__error_under(tess_writer_finish(writer), "write"));
    if (losses) *losses = found;
    return TESS_OK;
failed:
    tess_writer_discard(writer);
    return status;
}

tess_status tess_write(const char *path, const tess_array *in, const tess_write_opts *opts)
{
    TESS_TRY(tess_write_losses(NULL, path, in, opts));
    return TESS_OK;
}
