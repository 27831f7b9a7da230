/* HDF5 files: images of EMAN2 and EMD, read by libhdf5 where it is installed. */
#include "io/hdf5/hdf5.h"

#include <inttypes.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/device/stream.h"
#include "io/hdf5/write.h"

enum { MAX_RATIO = 1040 /* decompression bomb limit: bytes that one byte of DEFLATE can expand to */ };

/* ---- Opening ---- */

static tess_status open_library(tess_file *file)
{
    const char    *why = "";
    tess__h5_file *s = tess__alloc(sizeof *s);
    TESS_CHECK(s, TESS_ENOMEM, "open: %s: no memory to read an HDF5 file", file->path);
    *s = (tess__h5_file){ .h5 = tess__h5_load(&why), .image = -1 };
    file->state = s;
    TESS_CHECK(s->h5, TESS_EUNSUPPORTED, "open: %s: an HDF5 file; %s", file->path, why);
    TESS_CHECK(tess__source_descriptor(file->source) >= 0, TESS_EUNSUPPORTED,
               "open: %s: libhdf5 reads only files on disk", file->path);
    return TESS_OK;
}

/* The size along an axis of the array. */
static int64_t size_along(const tess__h5_file *s, int k)
{
    const uint64_t size = s->axis[k] < 0 ? 1 : s->data.sizes[s->axis[k]];
    return size <= INT32_MAX ? (int64_t)size : -1;
}

tess_status tess__h5_describe(tess_file *file, int64_t n)
{
    tess__h5_file  *s = file->state;
    tess_info_file *info = &file->info;
    const int64_t   all[4] = { n, size_along(s, 1), size_along(s, 2), size_along(s, 3) };
    const int64_t   element = tess__dtype_size(s->data.dtype);
    int64_t         bytes = 0;
    for (int k = 0; k < 4; k++)
        TESS_CHECK(all[k] >= 1, TESS_EFORMAT,
                   "open: %s: an image has a side of 0 or beyond 2147483647 pixels: %" PRId64 " x %" PRId64
                   " x %" PRId64,
                   file->path, all[3], all[2], all[1]);
    s->depth = all[1];
    s->stored = s->data.dtype;
    info->shape = TESS_SHAPE(1, 1, all[2], all[3]);
    TESS_CHECK(tess__bytes_of(&bytes, all, 4, element) && bytes / MAX_RATIO <= info->file_size &&
                   (uint64_t)(bytes / n) / MAX_RATIO <= s->data.bytes,
               TESS_EFORMAT,
               "open: %s: %" PRId64 " images of %" PRId64 " x %" PRId64 " x %" PRId64 " cannot be in a file of %" PRId64
               " bytes",
               file->path, n, all[3], all[2], all[1], info->file_size);
    TESS_TRY(tess__file_take_sections(file, n * s->depth, s->depth));
    info->dtype = s->scaling.is_needed ? TESS_F32 : s->data.dtype;
    info->compression = TESS_COMPRESSION_OTHER;
    info->stored[0] = all[3];
    info->stored[1] = all[2];
    info->stored[2] = n * all[1];
    return TESS_OK;
}

tess_status tess__h5_check_chunks(tess_file *file, const char *name)
{
    const tess__h5_file *s = file->state;
    const int64_t        missing = tess__h5_missing_chunks(&s->data);
    const char          *chunks = missing == 1 ? "chunk was" : "chunks were";
    if (missing == 0) return TESS_OK;
    TESS_CHECK(file->opts.salvage, TESS_EFORMAT,
               "open: %s: %" PRId64 " %s never written in dataset %s (`opts->salvage` reads missing values as 0)",
               file->path, missing, chunks, name);
    tess__file_warn(file, TESS_ODD_LENGTH, "chunks", "", "0",
                    "%" PRId64 " %s never written in dataset %.80s; missing values are read as 0", missing, chunks,
                    name);
    return TESS_OK;
}

static tess_status open_any(tess_file *file)
{
    tess__h5_file *s = file->state;
    bool           found = false;
    s->file = s->h5->Fopen(file->path, 0, 0);
    TESS_CHECK(s->file > 0, TESS_EFORMAT,
               "open: %s: libhdf5 cannot open it; it may be damaged, truncated or still being written", file->path);
    if (s->h5->Lexists(s->file, "/MDF", 0) > 0 && s->h5->Lexists(s->file, "/MDF/images", 0) > 0)
        return tess__h5_open_eman2(file);
    TESS_TRY(tess__h5_open_emd(file, &found));
    TESS_CHECK(found, TESS_EUNSUPPORTED,
               "open: %s: it has no group /MDF/images (EMAN2), no images in /Data/Image (EMD of Velox) and no group "
               "with an emd_group_type and data (EMD of Berkeley); other HDF5 files are not supported",
               file->path);
    return TESS_OK;
}

static tess_status open_file(tess_file *file)
{
    TESS_TRY(open_library(file));
    tess__h5_enter();
    const tess_status status = open_any(file);
    tess__h5_leave();
    TESS_TRY(status);
    return TESS_OK;
}

static void close_file(tess_file *file)
{
    tess__h5_file *s = file->state;
    if (!s) return;
    if (s->h5) {
        tess__h5_enter();
        tess__h5_close(&s->data);
        if (s->file > 0) (void)s->h5->Fclose(s->file);
        tess__h5_leave();
    }
    tess__free(s);
    file->state = NULL;
}

/* ---- Reading ---- */

/* A section, as it is stored, into a buffer: in the order of the dataset's axes. */
static tess_status read_section(const tess_file *file, int64_t index, const tess_array *buffer)
{
    tess__h5_file *s = file->state;
    const int64_t  at[4] = { index / s->depth, index % s->depth, 0, 0 };
    uint64_t       from[TESS__H5_MAX_RANK] = { 0 }, n[TESS__H5_MAX_RANK];
    if (s->open_image && s->image != at[0]) TESS_TRY(s->open_image(file, at[0]));
    if (s->is_missing) {
        memset(buffer->data, 0, (size_t)tess_n_bytes(buffer));
        return TESS_OK;
    }
    for (int k = 0; k < s->data.rank; k++) n[k] = 1;
    for (int k = 0; k < 4; k++) {
        if (s->axis[k] < 0) continue;
        from[s->axis[k]] = (uint64_t)at[k];
        if (k >= 2) n[s->axis[k]] = (uint64_t)buffer->shape.dim[k];
    }
    TESS_CHECK(tess__h5_read(&s->data, from, n, buffer->data), TESS_EFORMAT,
               "file_read: %s: libhdf5 cannot read section %" PRId64 " of image %" PRId64
               "; it is damaged or uses a filter that this libhdf5 lacks",
               file->path, at[1], at[0]);
    return TESS_OK;
}

/* The same with rows and columns as the array has them: a view. */
static tess_array turned(const tess__h5_file *s, const tess_array *buffer)
{
    tess_array view = *buffer;
    if (s->axis[2] > s->axis[3]) {
        view.strides.h = 1;
        view.strides.w = buffer->shape.h;
    }
    if (s->reversed) {
        view.data = (char *)view.data + (view.shape.h - 1) * view.strides.h * tess__dtype_size(view.dtype);
        view.strides.h = -view.strides.h;
    }
    return view;
}

/* The values that stored integers stand for, as f32. */
static tess_status restore_range(tess_array *values, const tess_array *stored, const tess__h5_scaling *range)
{
    TESS_TRY(tess_cast(values, stored, TESS_F32, NULL));
    float *const v = values->data;
    TESS_TRY(tess__sync("file_read", tess_cpu()));
    for (int64_t i = 0; i < values->shape.h * values->shape.w; i++)
        v[i] = (float)(range->first + (double)v[i] * range->step);
    return TESS_OK;
}

static tess_status read_one(const tess_file *file, int64_t index, const tess_array *out, tess_array *buffer,
                            tess_array *values)
{
    tess__h5_file *s = file->state;
    tess_array     to = *out, from;
    tess__h5_enter();
    const tess_status status = read_section(file, index, buffer);
    tess__h5_leave();
    TESS_TRY(status);
    if (s->scaling.is_needed && !s->is_missing) {
        TESS_TRY(restore_range(values, buffer, &s->scaling));
        from = *values;
    } else {
        from = turned(s, buffer);
    }
    TESS_TRY(tess_cast(&to, &from, TESS_DTYPE_NONE, NULL));
    TESS_TRY(tess__sync("file_read", tess_cpu()));
    return TESS_OK;
}

static tess_status read_images(tess_file *file, int64_t first, const tess_array *out)
{
    const tess__h5_file *s = file->state;
    tess_array           buffer = { .data = NULL }, values = { .data = NULL };
    tess_status          status = TESS_OK;
    TESS_TRY(tess_empty(&buffer, TESS_SHAPE(1, 1, out->shape.h, out->shape.w), s->stored, tess_cpu()));
    for (int64_t i = 0; i < out->shape.b; i++) {
        tess_array one = *out;
        one.shape.b = 1;
        one.data = (char *)out->data + i * out->strides.b * tess__dtype_size(out->dtype);
        TESS_GOTO(done, status, read_one(file, first + i, &one, &buffer, &values));
    }
done:
    tess_release(&buffer);
    tess_release(&values);
    return status;
}

static bool recognises(const unsigned char *bytes, int64_t n)
{
    static const char magic[] = "\x89HDF\r\n\x1a\n";
    return (n >= 8 && memcmp(bytes, magic, 8) == 0) || (n >= 520 && memcmp(bytes + 512, magic, 8) == 0);
}

static bool supports(tess_compression compression)
{
    const char *why;
    return compression <= TESS_COMPRESSION_NONE && tess__h5_load(&why) != NULL;
}

const tess__format tess__format_hdf5 = {
    .name = "hdf5",
    .extensions = "hdf hdf5 h5 emd",
    .id = TESS_FORMAT_HDF5,
    .has_pages = true,
    .recognises = recognises,
    .open = open_file,
    .read = read_images,
    .close = close_file,
    .nearest = tess__h5_nearest,
    .start = tess__h5_start,
    .supports = supports,
};
