/* Reading arrays from files: whole, or a region of an open one. */
#include <inttypes.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/array/region.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "io/file/file.h"
#include "io/file/names.h"

static const tess_choice formats[] = {
#define READ(ID, name, reading) { #name, TESS_FORMAT_##ID, reading },
#define READ_WRITE(ID, name, reading, writing) { #name, TESS_FORMAT_##ID, reading },
#include "io/file/formats.def"
    { NULL, 0, NULL },
};
static const tess_choice sections[] = {
    { "stack", TESS_AS_STACK, "images" },
    { "volume", TESS_AS_VOLUME, "one volume" },
    { "volumes", TESS_AS_VOLUMES, "volumes of depth sections" },
    { NULL, 0, NULL },
};
static const tess_choice bytes[] = {
    { "signed", TESS_BYTES_SIGNED, "-128 to 127" },
    { "unsigned", TESS_BYTES_UNSIGNED, "0 to 255" },
    { "imod", TESS_BYTES_IMOD, "signed, plus 128" },
    { NULL, 0, NULL },
};

#define OPTIONS                                                                                                        \
    TESS__OPT_CHOICE(tess_read_opts, format, 0, formats, "file format [detected from the contents]"),                  \
        TESS__OPT_CHOICE(tess_read_opts, as, 0, sections, "interpretation of the sections [automatic]"),               \
        TESS__AUTO_I64(tess_read_opts, depth, "sections", "as the file says", 1, 0x1p31, "sections of each volume"),   \
        TESS__OPT_CHOICE(tess_read_opts, bytes, 0, bytes, "interpretation of bytes in MRC mode 0 [automatic]"),        \
        TESS__OPT_DTYPE(tess_read_opts, dtype, "dtype of a newly allocated output [that of the file]"),                \
        TESS__FLAG(tess_read_opts, salvage, "read truncated files; missing values are 0"),                             \
        TESS__FLAG(tess_read_opts, keep_rows, "TIFF, PNG, DM, EMD: keep the row order of the file, top first"),        \
        TESS__FLAG(tess_read_opts, grey, "convert colours to grey"),                                                   \
        TESS__FLAG(tess_read_opts, big_endian, "raw: big-endian byte order"),                                          \
        TESS__OPT_TEXT(tess_read_opts, member, "NPZ: name of the array [the only one]"),                               \
        TESS__OPT_SHAPE(tess_read_opts, shape, "raw: shape of the array; w = -1: up to the end of the file"),          \
        TESS__OPT_I64(tess_read_opts, offset, "bytes", 0, 0, 0x1p62, "raw: bytes before the first element"),           \
        TESS__OPT_DTYPE(tess_read_opts, raw_dtype, "raw: dtype of the elements"),                                      \
        TESS__AUTO_I32(tess_read_opts, n_pages, "pages", "all", 1, 0x1p31 - 1, "number of pages, starting at `page`"), \
        TESS__AUTO_I64(tess_read_opts, page, "", "0; DM and EMD: automatic", 0, 0x1p62,                                \
                       "first page of a TIFF or SER file, or image of a DM or EMD file; counted from 0"),              \
        TESS__OPT_I32(tess_read_opts, eer_upsampling, "", 1, 1, 4, "EER: upsampling factor: 1, 2 or 4"),               \
        TESS__OPT_I32(tess_read_opts, eer_group, "frames", 1, 1, 65535, "EER: camera frames summed into one image")

static const tess_arg_info args[] = {
    TESS__OUT("out", "receives the contents of the file; any strides"),
    TESS__NEED(TESS_ARG_PATH, "path", "name of the file"),
    OPTIONS,
};
TESS__CALL(read, v[0].out, v[1].text, opts)
const tess_function_info tess__info_read =
    TESS__OP_OPTS(TESS_CUT_NONE, read, "io", "Read an array from a file.", args, tess_read_opts);

tess_status tess__read_opts_take(tess_read_opts *resolved, const tess_read_opts *opts)
{
    TESS_TRY(tess__resolve(&tess__info_read, opts, resolved));
    if (resolved->dtype) TESS_TRY(tess__check_dtype("read", "opts->dtype", (tess_dtype)resolved->dtype));
    if (resolved->raw_dtype) TESS_TRY(tess__check_dtype("read", "opts->raw_dtype", (tess_dtype)resolved->raw_dtype));
    TESS_CHECK(resolved->as != TESS_AS_VOLUMES || resolved->depth, TESS_EARG,
               "read: `volumes|opts->as is volumes but opts->depth is 0`; give the number of sections per volume");
    TESS_CHECK(resolved->as == TESS_AS_VOLUMES || !resolved->depth, TESS_EARG,
               "read: `opts->depth` is %" PRId64 " but `opts->as` is not volumes", resolved->depth);
    return TESS_OK;
}

/* ---- Regions ---- */

static tess_status resolve_region(tess__file_region *wanted, const tess_file *file, const tess_region *region)
{
    const tess_range *ranges[4] = { &region->b, &region->d, &region->h, &region->w };
    for (int k = 0; k < 4; k++)
        TESS_TRY(tess__find_range("file_read", k, file->info.shape.dim[k], *ranges[k], &wanted->from[k], &wanted->n[k],
                                  &wanted->step[k]));
    return TESS_OK;
}

static bool is_all(const tess__file_region *wanted, const tess_shape *shape, int axis)
{
    return wanted->from[axis] == 0 && wanted->step[axis] == 1 && wanted->n[axis] == shape->dim[axis];
}

static bool is_whole(const tess__file_region *wanted, const tess_shape *shape)
{
    for (int k = 0; k < 4; k++)
        if (!is_all(wanted, shape, k)) return false;
    return true;
}

/* A region of an image that can only be decoded whole: it is decoded, and the region copied out. */
static tess_status read_cut_image(tess_file *file, const tess__file_region *wanted, int64_t image,
                                  const tess_array *out)
{
    const tess_shape shape = TESS_SHAPE(1, 1, file->info.shape.h, file->info.shape.w);
    tess_array       whole = { .data = NULL }, view;
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, tess_empty(&whole, shape, file->info.dtype, tess_cpu()));
    TESS_GOTO(done, status, file->format->read(file, image, &whole));
    view = whole;
    for (int k = 2; k < 4; k++) {
        view.data = (char *)view.data + wanted->from[k] * whole.strides.dim[k] * tess__dtype_size(whole.dtype);
        view.shape.dim[k] = wanted->n[k];
        view.strides.dim[k] = whole.strides.dim[k] * wanted->step[k];
    }
    tess_array target = *out;
    TESS_GOTO(done, status, tess_cast(&target, &view, TESS_DTYPE_NONE, NULL));
    TESS_GOTO(done, status, tess__sync("read", tess_cpu()));
done:
    tess_release(&whole);
    return status;
}

/* n images of `out` from index (b, d) on along an axis, as {n,1,h,w}. */
static tess_array images_of(const tess_array *out, int64_t b, int64_t d, int64_t n, int axis)
{
    tess_array images = *out;
    images.data = (char *)out->data + (b * out->strides.b + d * out->strides.d) * tess__dtype_size(out->dtype);
    images.shape = TESS_SHAPE(n, 1, out->shape.h, out->shape.w);
    images.strides = (tess_strides){ { out->strides.dim[axis], 0, out->strides.h, out->strides.w } };
    return images;
}

/* Runs of images that follow each other in the file: formats decode them in parallel. */
static tess_status read_images(tess_file *file, const tess__file_region *wanted, const tess_array *out)
{
    const bool    whole = is_all(wanted, &file->info.shape, 2) && is_all(wanted, &file->info.shape, 3);
    const int64_t depth = file->info.shape.d;
    const int     axis = depth == 1 ? 0 : 1;
    const int64_t run = whole && wanted->step[axis] == 1 ? wanted->n[axis] : 1;
    for (int64_t b = 0; b < wanted->n[0]; b += axis == 0 ? run : 1)
        for (int64_t d = 0; d < wanted->n[1]; d += axis == 1 ? run : 1) {
            const int64_t image =
                (wanted->from[0] + b * wanted->step[0]) * depth + wanted->from[1] + d * wanted->step[1];
            const tess_array images = images_of(out, b, d, run, axis);
            if (whole) TESS_TRY(file->format->read(file, image, &images));
            else TESS_TRY(read_cut_image(file, wanted, image, &images));
        }
    return TESS_OK;
}

/* The same region with positive steps, and the array reversed instead: files are read from front to back. */
static void walk_forward(tess__file_region *wanted, tess_array *out)
{
    for (int k = 0; k < 4; k++) {
        if (wanted->step[k] > 0) continue;
        const int64_t last = wanted->n[k] - 1;
        wanted->from[k] += last * wanted->step[k];
        wanted->step[k] = -wanted->step[k];
        out->data = (char *)out->data + last * out->strides.dim[k] * tess__dtype_size(out->dtype);
        out->strides.dim[k] = -out->strides.dim[k];
    }
}

static tess_status read_region(tess_file *file, tess__file_region wanted, tess_array out)
{
    walk_forward(&wanted, &out);
    if (file->format->read_region) TESS_TRY(file->format->read_region(file, &wanted, &out));
    else if (file->format->read) TESS_TRY(read_images(file, &wanted, &out));
    else TESS_TRY(tess__flat_read(file, &wanted, &out));
    if (file->format->verify && is_whole(&wanted, &file->info.shape)) TESS_TRY(file->format->verify(file));
    return TESS_OK;
}

tess_status tess_file_read(tess_array *out, tess_file *file, tess_region region)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess__file_region wanted;
    TESS_CHECK(file, TESS_EARG, "file_read: `file` is `NULL`; an open file is required");
    TESS_TRY(tess__check_pointer("file_read", "out", out));
    TESS_TRY(resolve_region(&wanted, file, &region));
    const tess_shape shape = TESS_SHAPE(wanted.n[0], wanted.n[1], wanted.n[2], wanted.n[3]);
    const bool       allocates = tess__is_empty_out(out);
    const tess_dtype dtype = !allocates         ? out->dtype
                             : file->opts.dtype ? (tess_dtype)file->opts.dtype
                                                : file->info.dtype;
    TESS_TRY_NOTE(tess__output("file_read", out, shape, dtype, tess_cpu()), "reading %s", file->path);
    tess_status status = TESS_OK;
    if (!tess__has_elements(out)) return TESS_OK;
    if (dtype != file->info.dtype)
        TESS_GOTO(done, status, tess__check_converts("file_read", "out", out, file->info.dtype));
    TESS_GOTO(done, status, tess__sync("file_read", tess_cpu())); /* of what may still be written to it */
    TESS_GOTO(done, status, read_region(file, wanted, *out));
done:
    TESS_TRY(tess__finish(status, out, allocates));
    return TESS_OK;
}

tess_status tess_read(tess_array *out, const char *path, const tess_read_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_file *file;
    TESS_TRY(tess__check_pointer("read", "out", out));
    TESS_TRY(tess__error_under(tess_open(&file, path, opts), "read"));
    const tess_status status = tess_file_read(out, file, (tess_region){ .b = { .from = 0 } });
    tess_file_close(file);
    TESS_TRY(tess__error_under(status, "read"));
    return TESS_OK;
}
