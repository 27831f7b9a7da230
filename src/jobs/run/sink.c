/* Sinks of images: arrays and files that are being written. */
#include "tessera/jobs/sink.h"

#include "core/check/text.h"
#include "tessera/ewise.h"

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

/* Does a part, whole volumes or sections of one, fit behind those that came before? */
static tess_status check_part(const tess_sink *sink, const tess_array *part)
{
    const tess_shape s = sink->array->shape, p = part->shape;
    const int64_t    z = s.d > 0 ? sink->place % s.d : 0;
    char             found[TESS__SHAPE_TEXT], whole[TESS__SHAPE_TEXT];
    TESS_CHECK(sink->array->data, TESS_EARG, "sink_array: images were appended before the result was begun");
    TESS_CHECK(p.h == s.h && p.w == s.w && (p.b == 1 ? p.d <= s.d - z : p.d == s.d && z == 0) &&
                   sink->place + p.b * p.d <= s.b * s.d,
               TESS_ESHAPE, "sink_array: %s of images after the first %lld do not fit into %s",
               tess__shape_text(found, p.dim), (long long)sink->place, tess__shape_text(whole, s.dim));
    return TESS_OK;
}

static tess_status append_to_array(void *user, const tess_array *part)
{
    tess_sink *sink = user;
    tess_array to;
    TESS_TRY(check_part(sink, part));
    if (part->shape.b * part->shape.d == 0) return TESS_OK;
    const int64_t     depth = sink->array->shape.d, z = sink->place % depth, b = sink->place / depth;
    const tess_region region = { .b = tess_from_to(b, b + part->shape.b), .d = tess_from_to(z, z + part->shape.d) };
    TESS_TRY(tess_subregion(&to, sink->array, region));
    sink->place += part->shape.b * part->shape.d;
    if (to.device.kind == TESS_CPU) return tess_cast(&to, part, to.dtype, NULL);
    tess_array there = { 0 };
    TESS_TRY(tess_to_device(&there, part, to.device));
    const tess_status status = tess_cast(&to, &there, to.dtype, NULL);
    tess_release(&there);
    return status;
}

tess_status tess_sink_array(tess_sink *sink, tess_array *array)
{
    TESS_CHECK(sink, TESS_EARG, "sink_array: `sink` is `NULL`");
    TESS_CHECK(array, TESS_EARG, "sink_array: `array` is `NULL`");
    *sink = (tess_sink){ .begin = begin_array, .append = append_to_array, .user = sink, .array = array };
    return TESS_OK;
}

/* ---- Files ---- */

static tess_status append_to_file(void *user, const tess_array *part) { return tess_writer_append(user, part); }

tess_status tess_sink_writer(tess_sink *sink, tess_writer *writer)
{
    TESS_CHECK(sink, TESS_EARG, "sink_writer: `sink` is `NULL`");
    TESS_CHECK(writer, TESS_EARG, "sink_writer: `writer` is `NULL`");
    *sink = (tess_sink){ .append = append_to_file, .user = writer };
    return TESS_OK;
}
