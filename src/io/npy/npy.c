/* NPY files: one array of NumPy's. */
#include "io/npy/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "io/file/bomb_limit.h"
#include "io/file/byteswap.h"

/* ---- The array behind a header ---- */

/* Four axes of b, d, h, w: those of the file, right-aligned, or its sections as the caller wants them. */
static tess_status choose_shape(tess_file *file, const tess__npy *npy, const int64_t sizes[4], const char *name)
{
    const tess_read_opts *o = &file->opts;
    tess_shape           *shape = &file->info.shape;
    const int64_t         n = sizes[0] * sizes[1];
    *shape = TESS_SHAPE(sizes[0], sizes[1], sizes[2], sizes[3]);
    file->info.sections_rule = npy->rank == 3 ? 7 : 0;
    if (o->as) {
        const int64_t depth = o->as == TESS_AS_STACK ? 1 : o->as == TESS_AS_VOLUME ? n : o->depth;
        TESS_CHECK(o->as != TESS_AS_VOLUMES || n % depth == 0, TESS_EARG,
                   "open: %s: `opts->depth` is %" PRId64 "; it must divide the %" PRId64 " sections", name, depth, n);
        shape->b = o->as == TESS_AS_VOLUME ? 1 : n / depth;
        shape->d = depth;
        file->info.sections_rule = 1;
    }
    file->info.sections = shape->d == 1 ? TESS_AS_STACK : shape->b == 1 ? TESS_AS_VOLUME : TESS_AS_VOLUMES;
    return TESS_OK;
}

/* The order of the axes in the file, slowest first. Those of size 1 come first, so that rows are long. */
static void order_axes(tess__flat *flat, const tess_shape *shape, const int order[4])
{
    int n = 0;
    for (int one = 1; one >= 0; one--)
        for (int k = 0; k < 4; k++)
            if ((shape->dim[order[k]] == 1) == one) flat->axis[n++] = order[k];
}

tess_status tess__npy_describe(tess_file *file, const tess__npy *npy, int64_t offset, const char *name)
{
    static const int c[4] = { 0, 1, 2, 3 }, fortran[4] = { 3, 2, 1, 0 }, sections[4] = { 3, 2, 0, 1 };
    tess_info_file  *info = &file->info;
    int64_t          sizes[4] = { 1, 1, 1, 1 };
    memcpy(sizes + 4 - npy->rank, npy->sizes, (size_t)npy->rank * sizeof *sizes);
    TESS_TRY(choose_shape(file, npy, sizes, name));
    const bool two = sizes[0] != 1 && sizes[1] != 1, cut = info->shape.b != sizes[0];
    TESS_CHECK(!npy->fortran || !two || !cut, TESS_EUNSUPPORTED,
               "open: %s: the sections of a four-axis array in Fortran order cannot be reinterpreted (`opts->as`)",
               name);
    /* One axis of sections may become two, of which d runs faster, as in C. */
    order_axes(&file->flat, &info->shape, !npy->fortran ? c : two ? fortran : sections);
    info->dtype = npy->dtype;
    info->big_endian = npy->big_endian;
    info->mode = -1;
    info->rank = npy->rank;
    info->data_offset = offset + npy->data_offset;
    info->stored[0] = sizes[3], info->stored[1] = sizes[2], info->stored[2] = sizes[0] * sizes[1];
    file->flat.offset = info->data_offset;
    file->flat.dtype = npy->dtype;
    file->flat.row_bytes = info->shape.dim[file->flat.axis[3]] * tess__dtype_size(npy->dtype);
    file->flat.swapped = npy->big_endian == tess__is_little_endian();
    return TESS_OK;
}

/* ---- Reading ---- */

static bool recognises(const unsigned char *bytes, int64_t n) { return tess__npy_is(bytes, n); }

/* A longer header is read only if the size of the file is known, and holds it. */
enum { MAX_HEADER = 1 << 20 };

static tess_status read_header(tess_file *file, tess__npy *npy)
{
    unsigned char start[TESS__NPY_START];
    const char   *name = tess__source_name(file->source);
    const int64_t size = tess__source_size(file->source);
    int64_t       got, length;
    TESS_TRY(tess__source_read(file->source, 0, start, sizeof start, &got));
    TESS_TRY(tess__npy_length(&length, name, start, got));
    TESS_CHECK(size < 0 ? length <= MAX_HEADER : length <= size, TESS_EFORMAT,
               "open: %s: the NPY header claims %" PRId64 " bytes; %s %" PRId64, name, length,
               size < 0 ? "the limit for compressed files is" : "the file has", size < 0 ? MAX_HEADER : size);
    unsigned char *bytes = tess__alloc((size_t)length);
    TESS_CHECK(bytes, TESS_ENOMEM, "open: %s: no memory for a header of %" PRId64 " bytes", name, length);
    tess_status status = tess__source_read_all(file->source, 0, bytes, length, "the NPY header");
    if (status == TESS_OK) status = tess__npy_parse(npy, name, bytes, length);
    tess__free(bytes);
    TESS_TRY(status);
    return TESS_OK;
}

static tess_status open_npy(tess_file *file)
{
    const char *name = tess__source_name(file->source);
    tess__npy   npy;
    char        what[160];
    TESS_TRY(read_header(file, &npy));
    TESS_TRY(tess__npy_describe(file, &npy, 0, name));
    const tess_shape *s = &file->info.shape;
    (void)snprintf(what, sizeof what, "a header and %" PRId64 " x %" PRId64 " x %" PRId64 " x %" PRId64 " of %s", s->b,
                   s->d, s->h, s->w, tess_dtype_name(npy.dtype));
    TESS_TRY(tess__file_check_size(file, npy.data_offset, npy.data_size, what));
    TESS_TRY(tess__check_bomb_limit(file, npy.data_offset, npy.data_size, what));
    return TESS_OK;
}

/* ---- Writing ---- */

static tess_status start(tess_writer *writer)
{
    unsigned char bytes[TESS__NPY_MAX_HEADER];
    int64_t       n;
    TESS_TRY(tess__npy_make(bytes, &n, tess__sink_name(writer->sink), writer->shape, writer->opts.rank, writer->dtype,
                            writer->opts.big_endian != 0));
    TESS_TRY(tess__sink_write(writer->sink, bytes, n));
    return TESS_OK;
}

const tess__format tess__format_npy = {
    .name = "npy",
    .extensions = "npy",
    .id = TESS_FORMAT_NPY,
    .whole_compression = true,
    .recognises = recognises,
    .open = open_npy,
    .start = start,
};
