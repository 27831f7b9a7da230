/* Sinks of images: arrays and files that are being written. */
#include "tessera/jobs/sink.h"

#include "core/text.h"

/* ---- Arrays ---- */

static tess_status begin_array(void *user, tess_shape shape, tess_dtype dtype, const tess_meta *meta)
{
    tess_sink *sink = user;
    char       found[TESS__SHAPE_TEXT], wanted[TESS__SHAPE_TEXT];
    (void)meta;
    sink->place = 0;
    if (!sink->array->data) return tess_empty(sink->array, shape, dtype, tess_cpu());
    for (int k = 0; k < 4; k++)
        TESS_CHECK(sink->array->shape.dim[k] == shape.dim[k], TESS_ESHAPE,
                   "sink_array: the array has the shape %s; %s is expected",
                   tess__shape_text(found, sink->array->shape.dim), tess__shape_text(wanted, shape.dim));
    return TESS_OK;
}

/* Whole volumes, or sections of one. */
static tess_status append_to_array(void *user, const tess_array *part)
{
    tess_sink    *sink = user;
    const int64_t depth = sink->array->shape.d, z = depth > 0 ? sink->place % depth : 0, nz = part->shape.d;
    const int64_t b = depth > 0 ? sink->place / depth : 0;
    tess_region   region = { .b = tess_from_to(b, b + part->shape.b), .d = tess_from_to(z, z + nz) };
    tess_array    to;
    TESS_TRY(tess_subregion(&to, sink->array, region));
    sink->place += part->shape.b * nz;
    return tess_copy(&to, part);
}

tess_status tess_sink_array(tess_sink *sink, tess_array *array)
{
    TESS_CHECK(sink, TESS_EARG, "sink_array: sink is NULL");
    TESS_CHECK(array, TESS_EARG, "sink_array: array is NULL");
    *sink = (tess_sink){ .begin = begin_array, .append = append_to_array, .user = sink, .array = array };
    return TESS_OK;
}

/* ---- Files ---- */

static tess_status append_to_file(void *user, const tess_array *part) { return tess_writer_append(user, part); }

tess_status tess_sink_writer(tess_sink *sink, tess_writer *writer)
{
    TESS_CHECK(sink, TESS_EARG, "sink_writer: sink is NULL");
    TESS_CHECK(writer, TESS_EARG, "sink_writer: writer is NULL");
    *sink = (tess_sink){ .append = append_to_file, .user = writer };
    return TESS_OK;
}
