/* Raw files: elements without a header; dtype, shape and offset come from the caller. */
#include <inttypes.h>
#include <stdio.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/check/text.h"
#include "io/file/byteswap.h"
#include "io/file/file.h"

/* Bytes from an offset to the end of the file; a compressed one is decompressed to find it. */
static tess_status count_bytes(int64_t *bytes, tess_file *file, int64_t offset)
{
    enum { CHUNK = 1 << 16 };
    int64_t size = tess__source_size(file->source), got = CHUNK;
    if (size < 0) {
        char *chunk = tess__alloc(CHUNK);
        TESS_CHECK(chunk, TESS_ENOMEM, "open: %s: no memory to decompress it", file->path);
        tess_status status = TESS_OK;
        for (size = 0; got == CHUNK && status == TESS_OK; size += got)
            status = tess__source_read(file->source, size, chunk, CHUNK, &got);
        tess__free(chunk);
        TESS_TRY(status);
    }
    *bytes = size > offset ? size - offset : 0;
    return TESS_OK;
}

/* The shape with as many columns as the file has, where opts->shape has -1 of them. */
static tess_status find_shape(tess_shape *shape, tess_file *file, int64_t element)
{
    int64_t rows_bytes, bytes = 0;
    *shape = file->opts.shape;
    if (shape->w != -1) return TESS_OK;
    shape->w = 1;
    if (!tess__bytes_of(&rows_bytes, shape->dim, 4, element) || rows_bytes == 0) return TESS_OK;
    TESS_TRY(count_bytes(&bytes, file, file->opts.offset));
    shape->w = bytes / rows_bytes;
    return TESS_OK;
}

static tess_status open_raw(tess_file *file)
{
    const tess_read_opts *o = &file->opts;
    char                  text[TESS__SHAPE_TEXT], what[160];
    int64_t               bytes;
    const bool            given = o->shape.b || o->shape.d || o->shape.h || o->shape.w;
    TESS_CHECK(o->raw_dtype, TESS_EARG, "open: %s: `opts->raw_dtype` is missing; raw files require it",
               file->path);
    TESS_CHECK(given, TESS_EARG, "open: %s: `opts->shape` is {0,0,0,0}; the shape is required for raw files",
               file->path);
    const tess_dtype dtype = (tess_dtype)o->raw_dtype;
    const int64_t    element = tess__dtype_size(dtype);
    tess_shape       shape;
    TESS_TRY(find_shape(&shape, file, element));
    TESS_CHECK(tess__bytes_of(&bytes, shape.dim, 4, element), TESS_EARG,
               "open: %s: `opts->shape` is %s; expected sizes of 0 or more, with less than 2^62 bytes in all",
               file->path, tess__shape_text(text, shape.dim));
    (void)snprintf(what, sizeof what, "%s of %s at byte %" PRId64, tess__shape_text(text, shape.dim),
                   tess_dtype_name(dtype), o->offset);
    TESS_TRY(tess__file_check_size(file, o->offset, bytes, what));
    file->info.shape = shape;
    file->info.dtype = dtype;
    file->info.big_endian = o->big_endian;
    file->info.data_offset = o->offset;
    file->info.stored[0] = shape.w;
    file->info.stored[1] = shape.h;
    file->info.stored[2] = bytes ? shape.b * shape.d : 0;
    file->info.sections = shape.d > 1 ? (shape.b > 1 ? TESS_AS_VOLUMES : TESS_AS_VOLUME) : TESS_AS_STACK;
    file->flat = (tess__flat){ .offset = o->offset,
                               .axis = { 0, 1, 2, 3 },
                               .row_bytes = bytes ? shape.w * element : 0,
                               .dtype = dtype,
                               .swapped = (bool)o->big_endian == tess__is_little_endian() };
    return TESS_OK;
}

static tess_status start_raw(tess_writer *writer)
{
    (void)writer; /* any dtype, any shape, and no header */
    return TESS_OK;
}

const tess__format tess__format_raw = {
    .name = "raw",
    .extensions = "raw bin dat",
    .id = TESS_FORMAT_RAW,
    .whole_compression = true,
    .open = open_raw,
    .start = start_raw,
};
