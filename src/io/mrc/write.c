/* MRC2014 writer: the header comes first, with statistics that are not determined; when all is written, it is
 * written again with those of the data. */
#include "io/mrc/write.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/device/memory.h"
#include "core/check/text.h"
#include "io/mrc/mrc.h"

int64_t tess__mrc_head(const tess_writer *writer)
{
    (void)writer;
    return TESS__MRC_HEADER;
}

/* ---- Which mode ---- */

/* Bytes without a sign have a mode of their own only with IMOD's stamp: others take them for signed. */
tess_dtype tess__mrc_nearest(const tess_writer *writer, tess_dtype dtype)
{
    const bool unsigned_bytes = writer->opts.bytes == TESS_BYTES_UNSIGNED;
    switch (dtype) {
    case TESS_BOOL: return unsigned_bytes ? TESS_U8 : TESS_I8;
    case TESS_I8:
    case TESS_I16:
    case TESS_U16:
    case TESS_F16: return dtype;
    case TESS_U8: return unsigned_bytes ? TESS_U8 : TESS_U16;
    case TESS_C16:
    case TESS_C32:
    case TESS_C64: return TESS_C32;
    case TESS_F32:
    case TESS_F64:
    case TESS_I32:
    case TESS_I64:
    case TESS_U32:
    case TESS_U64: return TESS_F32;
    default: return TESS_DTYPE_NONE;
    }
}

static int32_t mode_of(tess_dtype dtype)
{
    switch (dtype) {
    case TESS_I8:
    case TESS_U8: return 0;
    case TESS_I16: return 1;
    case TESS_C32: return 4;
    case TESS_U16: return 6;
    case TESS_F16: return 12;
    default: return 2;
    }
}

/* opts.dtype u8 of other elements: clamped to 0..255, but stored as u16, like u8 of the caller. */
static bool is_widened(const tess_writer *writer)
{
    return writer->dtype == TESS_U8 && writer->opts.bytes != TESS_BYTES_UNSIGNED;
}

/* opts.dtype must be a type that an MRC file can have. */
static tess_status check_dtype(const tess_writer *writer)
{
    const tess_dtype dtype = writer->dtype;
    TESS_CHECK(dtype != TESS_DTYPE_NONE, TESS_EDTYPE, "writer_open: %s: MRC files hold numbers, not %s", writer->path,
               tess_dtype_name(writer->given));
    TESS_CHECK(tess__mrc_nearest(writer, dtype) == dtype || is_widened(writer), TESS_EDTYPE,
               "writer_open: %s: `opts->dtype` is %s; MRC files hold i8, u8, i16, u16, f16, f32 or c32", writer->path,
               tess_dtype_name(dtype));
    TESS_CHECK(writer->opts.bytes != TESS_BYTES_UNSIGNED || dtype == TESS_U8, TESS_EARG,
               "writer_open: %s: `opts->bytes` is unsigned, but elements are %s; expected u8", writer->path,
               tess_dtype_name(dtype));
    return TESS_OK;
}

/* ---- The header ---- */

static void set_sizes(tess__mrc_header *h, const tess_writer *writer)
{
    const tess_shape *s = &writer->shape;
    const int32_t     given = writer->meta.space_group, group = given > 400 ? given - 400 : given;
    const bool        known = group >= 1 && group <= 230;
    const int32_t    *grid = writer->meta.grid;
    h->n[0] = (int32_t)s->w;
    h->n[1] = (int32_t)s->h;
    h->n[2] = (int32_t)(s->b * s->d);
    h->grid[0] = grid[2] > 0 ? grid[2] : h->n[0];
    h->grid[1] = grid[1] > 0 ? grid[1] : h->n[1];
    h->grid[2] = grid[0] > 0 && s->b == 1 && s->d > 1 ? grid[0] : (int32_t)s->d; /* elsewhere MZ tells stacks */
    if (s->d == 1 && writer->opts.compat_imod) h->grid[2] = h->n[2];
    if (s->d > 1) h->space_group = (known ? group : 1) + (s->b > 1 ? 400 : 0);
}

static bool fits_i32(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

static void set_geometry(tess__mrc_header *h, const tess_meta *meta)
{
    for (int axis = 0; axis < 3; axis++) {
        const double size = meta->pixel_size[2 - axis], origin = meta->origin[2 - axis];
        if (isfinite(size) && size > 0) h->cell[axis] = (float)(h->grid[axis] * size);
        if (!isfinite(h->cell[axis])) h->cell[axis] = 0;
        if (isfinite((float)origin)) h->origin[axis] = (float)origin;
        if (fits_i32(meta->start[2 - axis])) h->start[axis] = (int32_t)meta->start[2 - axis];
        if (meta->angles[axis] != 0) h->angles[axis] = meta->angles[axis];
    }
}

static void set_labels(tess__mrc_header *h, const tess_writer *writer)
{
    for (int k = 0; k < writer->meta.n_labels && k < TESS__MRC_LABELS; k++)
        if (writer->meta.labels[k][0]) tess__mrc_add_label(h, writer->meta.labels[k]);
    if (writer->opts.label && writer->opts.label[0]) tess__mrc_add_label(h, writer->opts.label);
}

static void set_extended(tess__mrc_header *h, const tess_meta *meta)
{
    if (!meta->extended || meta->extended_size == 0) return;
    const bool known = tess__mrc_knows_extended(meta->extended_type);
    h->extended_size = (int32_t)meta->extended_size;
    memcpy(h->extended_type, known ? meta->extended_type : "MRCO", sizeof h->extended_type);
    memcpy(h->extended_layout, meta->extended_layout, sizeof h->extended_layout);
}

/* Complex numbers have no order, and so no statistics here; NaN and what f32 does not hold are not determined. */
static void set_stats(tess__mrc_header *h, const tess_writer *writer)
{
    const tess_meta *m = &writer->meta;
    if (writer->dtype == TESS_C32) return;
    if ((m->stats & TESS_STATS_MINMAX) && isfinite((float)m->min) && isfinite((float)m->max)) {
        h->min = (float)m->min;
        h->max = (float)m->max;
        if ((m->stats & TESS_STATS_MEAN) && isfinite((float)m->mean)) h->mean = (float)m->mean;
        else h->mean = h->min - 1 < h->min ? h->min - 1 : nextafterf(h->min, -INFINITY);
    }
    if ((m->stats & TESS_STATS_STD) && isfinite((float)m->std) && m->std >= 0) h->rms = (float)m->std;
}

static void make_header(unsigned char bytes[TESS__MRC_HEADER], const tess_writer *writer, bool complete)
{
    tess__mrc_header h;
    tess__mrc_blank(&h, writer->opts.big_endian != 0);
    h.mode = mode_of(is_widened(writer) ? TESS_U16 : writer->dtype);
    set_sizes(&h, writer);
    set_geometry(&h, &writer->meta);
    set_labels(&h, writer);
    set_extended(&h, &writer->meta);
    if (writer->dtype == TESS_U8 && !is_widened(writer)) {
        h.imod_stamp = TESS__IMOD_STAMP;
        h.imod_flags = TESS__IMOD_ORIGIN | TESS__IMOD_RMS;
    }
    if (complete) set_stats(&h, writer);
    memset(bytes, 0, TESS__MRC_HEADER);
    tess__mrc_pack(&h, bytes);
}

/* ---- Steps of a writer ---- */

static tess_status check_shape(const tess_writer *writer)
{
    const tess_shape *s = &writer->shape;
    char              text[TESS__SHAPE_TEXT];
    for (int k = 0; k < 4; k++)
        TESS_CHECK(s->dim[k] >= 1 && s->dim[k] <= INT32_MAX, TESS_ESHAPE,
                   "writer_open: %s: the shape is %s; MRC files have sizes of 1 to 2147483647", writer->path,
                   tess__shape_text(text, s->dim));
    TESS_CHECK(s->b * s->d <= INT32_MAX, TESS_ESHAPE,
               "writer_open: %s: the shape is %s; MRC files have at most 2147483647 sections", writer->path,
               tess__shape_text(text, s->dim));
    TESS_CHECK(writer->meta.extended_size >= 0 && writer->meta.extended_size <= INT32_MAX, TESS_EARG,
               "writer_open: %s: the extended header has %" PRId64 " bytes; at most 2147483647 are allowed",
               writer->path, writer->meta.extended_size);
    return TESS_OK;
}

static tess_status check_cell(const tess_writer *writer)
{
    const int32_t *grid = writer->meta.grid;
    float          angles[3];
    for (int k = 0; k < 3; k++) angles[k] = writer->meta.angles[k] != 0 ? writer->meta.angles[k] : 90;
    TESS_CHECK(tess__mrc_angles_make_cell(angles), TESS_ERANGE,
               "writer_open: %s: `opts->meta->angles` are %g, %g, %g; cell angles must be above 0 and below 180, each "
               "less than the sum of the others, and less than 360 together; 0 means 90",
               writer->path, (double)angles[0], (double)angles[1], (double)angles[2]);
    TESS_CHECK(grid[0] >= 0 && grid[1] >= 0 && grid[2] >= 0, TESS_ERANGE,
               "writer_open: %s: `opts->meta->grid` is %" PRId32 ", %" PRId32 ", %" PRId32
               "; expected 1 or more samples per cell, or 0 for those of the array",
               writer->path, grid[0], grid[1], grid[2]);
    return TESS_OK;
}

/* In memory its numbers are little-endian. */
static tess_status write_extended(tess_writer *writer)
{
    const tess_meta *meta = &writer->meta;
    const int64_t    size = meta->extended ? meta->extended_size : 0;
    if (size == 0) return TESS_OK;
    unsigned char *bytes = tess__alloc((size_t)size);
    TESS_CHECK(bytes, TESS_ENOMEM, "writer_open: %s: no memory for %" PRId64 " bytes of extended header", writer->path,
               size);
    memcpy(bytes, meta->extended, (size_t)size);
    if (writer->opts.big_endian) tess__mrc_byteswap_extended(meta->extended_type, bytes, size);
    const tess_status status = tess__sink_write(writer->sink, bytes, size);
    tess__free(bytes);
    TESS_TRY(status);
    return TESS_OK;
}

static tess_status append_widened(tess_writer *writer, const tess_array *images)
{
    enum { BUFFERED = 4096 };
    const unsigned char *from = images->data;
    const int64_t        n = tess_n_elements(images);
    unsigned char        wide[2 * BUFFERED] = { 0 };
    for (int64_t done = 0; done < n; done += BUFFERED) {
        const int64_t some = n - done < BUFFERED ? n - done : BUFFERED;
        for (int64_t i = 0; i < some; i++) wide[2 * i + (writer->opts.big_endian ? 1 : 0)] = from[done + i];
        TESS_TRY(tess__sink_write(writer->sink, wide, 2 * some));
    }
    return TESS_OK;
}

static const tess__format widened_format = {
    .name = "mrc", .id = TESS_FORMAT_MRC, .append = append_widened, .end = tess__mrc_end, .head = tess__mrc_head
};

tess_status tess__mrc_start(tess_writer *writer)
{
    unsigned char bytes[TESS__MRC_HEADER];
    TESS_TRY(check_shape(writer));
    TESS_TRY(check_cell(writer));
    if (writer->dtype == writer->given) { /* the caller's own type, with or without opts.dtype */
        writer->dtype = tess__mrc_nearest(writer, writer->given);
        tess_release(&writer->packed);
    }
    TESS_TRY(check_dtype(writer));
    if (is_widened(writer)) writer->format = &widened_format;
    make_header(bytes, writer, writer->stats_known);
    TESS_TRY(tess__sink_write(writer->sink, bytes, sizeof bytes));
    TESS_TRY(write_extended(writer));
    return TESS_OK;
}

tess_status tess__mrc_end(tess_writer *writer)
{
    unsigned char bytes[TESS__MRC_HEADER];
    if (!tess__sink_can_patch(writer->sink)) return TESS_OK; /* what was known at the start stays */
    make_header(bytes, writer, true);
    TESS_TRY(tess__sink_patch(writer->sink, bytes, sizeof bytes));
    return TESS_OK;
}
