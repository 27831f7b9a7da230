/* Images on their way into a file: converted, counted, written. */
#include <inttypes.h>

#include "core/check.h"
#include "core/engine.h"
#include "core/error.h"
#include "io/swap.h"
#include "io/tally.h"
#include "io/writer.h"

/* ---- One image, or the planes of one ---- */

/* Elements one after the other, of the file's dtype, that may be changed if `*staged`. */
static tess_status stage(tess_writer *w, const tess_array *planes, tess_array *ready, bool *staged)
{
    *staged = planes->dtype != w->dtype || !tess_is_contiguous(planes, 'C') || (w->swapped && !w->format->append);
    *ready = *planes;
    if (!*staged) return TESS_OK;
    if (!w->staged.data) TESS_TRY(tess_empty(&w->staged, planes->shape, w->dtype, tess_cpu()));
    if (planes->dtype == w->dtype) {
        TESS_TRY(tess_copy(&w->staged, planes));
    } else {
        TESS_TRY(tess_cast(&w->staged, planes, TESS_DTYPE_NONE, NULL));
    }
    TESS_TRY(tess__sync("write", tess_cpu()));
    *ready = w->staged;
    return TESS_OK;
}

static tess_status put(tess_writer *w, const tess_array *ready)
{
    const int64_t n = tess_n_elements(ready);
    if (w->format->append) {
        TESS_TRY(w->format->append(w, ready));
        return TESS_OK;
    }
    if (w->swapped) tess__swap(ready->data, n, w->dtype);
    TESS_TRY(tess__sink_write(w->sink, ready->data, n * tess__dtype_size(w->dtype)));
    return TESS_OK;
}

/* NaNs of what is not converted are seen in the statistics, and counted only then. */
static tess_status write_planes(tess_writer *w, const tess_array *planes)
{
    tess_array ready;
    bool       staged, nan = w->tally->has_nan;
    TESS_TRY(stage(w, planes, &ready, &staged));
    if (!w->tallied) TESS_TRY(tess__tally_add(w->tally, &ready, &nan));
    if (nan || planes->dtype != w->dtype) TESS_TRY(tess__tally_losses(w->tally, planes, w->dtype));
    TESS_TRY(put(w, &ready));
    return TESS_OK;
}

static tess_status tally_planes(tess_writer *w, const tess_array *planes)
{
    tess_array ready;
    bool       staged, nan;
    TESS_TRY(stage(w, planes, &ready, &staged));
    TESS_TRY(tess__tally_add(w->tally, &ready, &nan));
    return TESS_OK;
}

/* All images of an array in the order of the file; the planes of a coloured one together. */
static tess_status each_image(tess_writer *w, const tess_array *part,
                              tess_status (*work)(tess_writer *, const tess_array *))
{
    const int64_t planes = w->opts.rgb ? part->shape.d : 1, size = tess__dtype_size(part->dtype);
    for (int64_t b = 0; b < part->shape.b; b++)
        for (int64_t d = 0; d < part->shape.d; d += planes) {
            tess_array image = *part;
            image.data = (char *)part->data + (b * part->strides.b + d * part->strides.d) * size;
            image.shape = TESS_SHAPE(planes, 1, part->shape.h, part->shape.w);
            image.strides = (tess_strides){ { part->strides.d, 1, part->strides.h, part->strides.w } };
            TESS_TRY(work(w, &image));
        }
    return TESS_OK;
}

/* ---- Parts ---- */

static tess_status check_part(const tess_writer *w, const tess_array *part)
{
    char          have[TESS__SHAPE_TEXT], all[TESS__SHAPE_TEXT];
    const int64_t inside = w->shape.d ? w->done % w->shape.d : 0, n = part->shape.b * part->shape.d;
    const bool    whole = part->shape.d == w->shape.d && inside == 0;
    const bool    slab = part->shape.b == 1 && inside + part->shape.d <= w->shape.d && !w->opts.rgb;
    TESS_CHECK(part->shape.h == w->shape.h && part->shape.w == w->shape.w && (whole || slab), TESS_ESHAPE,
               "writer_append: %s: part has shape %s after %" PRId64
               " images; whole volumes, or sections of one, of %s are needed",
               w->path, tess__shape_text(have, part->shape.dim), w->done, tess__shape_text(all, w->shape.dim));
    TESS_CHECK(w->done + n <= w->n_images, TESS_ESHAPE,
               "writer_append: %s: part has %" PRId64 " images, but only %" PRId64 " of %" PRId64 " are left", w->path,
               n, w->n_images - w->done, w->n_images);
    TESS_CHECK(part->device.kind == TESS_CPU, TESS_EDEVICE, "writer_append: %s: part is not on the CPU; copy it first",
               w->path);
    return TESS_OK;
}

tess_status tess_writer_append(tess_writer *writer, const tess_array *part)
{
    TESS_CHECK(writer, TESS_EARG, "writer_append: writer is NULL; a writer is needed");
    TESS_CHECK(!writer->failed, TESS_EARG, "writer_append: %s: writing failed before; the writer can only be discarded",
               writer->path);
    TESS_TRY(tess__check_array("writer_append", "part", part));
    TESS_TRY(check_part(writer, part));
    if (part->dtype != writer->dtype) {
        const tess_array file = { .dtype = writer->dtype };
        TESS_TRY(tess__check_converts("writer_append", "the file", &file, part->dtype));
    }
    TESS_TRY(tess__sync("writer_append", tess_cpu())); /* of what may still be computed */
    const tess_status status = each_image(writer, part, write_planes);
    writer->failed = status != TESS_OK;
    TESS_TRY_NOTE(status, "writing %s", writer->path);
    writer->done += part->shape.b * part->shape.d;
    return TESS_OK;
}

tess_status tess__writer_tally_ahead(tess_writer *writer, const tess_array *in)
{
    TESS_TRY(each_image(writer, in, tally_planes));
    tess__tally_take(writer->tally, &writer->meta);
    writer->tallied = true;
    return TESS_OK;
}

/* ---- All at once ---- */

tess_status tess_write(const char *path, const tess_array *in, const tess_write_opts *opts)
{
    tess_writer *writer;
    TESS_TRY(tess__check_array("write", "in", in));
    TESS_CHECK(in->device.kind == TESS_CPU, TESS_EDEVICE, "write: in is not on the CPU; copy it first");
    TESS_TRY(tess__error_under(tess__writer_new(&writer, path, in->shape, in->dtype, opts, in), "write"));
    tess_status status = TESS_OK;
    TESS_GOTO(failed, status, tess__error_under(tess_writer_append(writer, in), "write"));
    TESS_TRY(tess__error_under(tess_writer_finish(writer), "write"));
    return TESS_OK;
failed:
    tess_writer_discard(writer);
    return status;
}
