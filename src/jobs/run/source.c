/* Sources of images: arrays and open files, read by the same call. */
#include "tessera/jobs/source.h"

#include <string.h>

#include "core/device/memory.h"
#include "core/check/text.h"
#include "jobs/run/source.h"
#include "jobs/run/context.h"
#include "tessera/cryosparc.h"
#include "tessera/ewise.h"

tess_status tess__check_source(const char *fn, const char *name, const tess_source *source)
{
    TESS_CHECK(source, TESS_EARG, "%s: `%s` is `NULL`", fn, name);
    TESS_CHECK(source->read || source->array, TESS_EARG,
               "%s: `%s` is a zeroed source; one initialised by `tess_source_array`, `tess_source_file` or "
               "`tess_source_open` is expected",
               fn, name);
    TESS_CHECK(source->name, TESS_EARG, "%s: `%s` has no name; a name is required for messages", fn, name);
    TESS_CHECK(source->dtype != TESS_DTYPE_NONE && tess_dtype_size(source->dtype) > 0, TESS_EDTYPE,
               "%s: `%s` (%s) has no dtype", fn, name, source->name);
    for (int k = 0; k < 4; k++)
        TESS_CHECK(source->shape.dim[k] >= 0, TESS_ESHAPE, "%s: `%s` (%s) has a size of %lld; it must not be negative",
                   fn, name, source->name, (long long)source->shape.dim[k]);
    bool is_zero = true;
    for (size_t i = 0; i < sizeof source->reserved / sizeof *source->reserved; i++)
        is_zero = is_zero && source->reserved[i] == 0;
    TESS_CHECK(is_zero, TESS_EARG,
               "%s: `%s` (%s) has a reserved field that is not 0; zero a source before setting fields", fn, name,
               source->name);
    return TESS_OK;
}

tess_status tess__callback_failed(const char *fn, const char *what, tess_status status)
{
    if (status == TESS_OK || tess_error_status() == status) return status;
    TESS_FAIL(status, "%s: %s failed: %s", fn, what, tess_status_text(status));
}

/* ---- Arrays ---- */

tess_status tess_source_array(tess_source *source, const tess_array *array, const char *name, const tess_meta *meta)
{
    TESS_CHECK(source, TESS_EARG, "source_array: `source` is `NULL`");
    TESS_CHECK(array && (array->data || array->buffer), TESS_EARG,
               "source_array: `array` is %s; an allocated array is expected", array ? "zeroed" : "NULL");
    *source = (tess_source){
        .name = name ? name : "the array", .shape = array->shape, .dtype = array->dtype, .meta = meta, .array = array
    };
    return TESS_OK;
}

/* Images first to first + n of {b,d,h,w} as {n,1,h,w} one volume at a time, since strides may be any. */
static tess_status read_array(const tess_source *source, const tess_array *out, int64_t first, tess_range rows,
                              tess_range columns)
{
    const int64_t depth = source->shape.d;
    for (int64_t done = 0, n = out->shape.b; done < n;) {
        const int64_t index = first + done, z = index % depth;
        const int64_t count = depth == 1 ? n : n - done < depth - z ? n - done : depth - z;
        tess_region   region = { .b = tess_from_to(index, index + count), .h = rows, .w = columns };
        tess_array    from, part;
        if (depth > 1) region.b = tess_only(index / depth), region.d = tess_from_to(z, z + count);
        TESS_TRY(tess_subregion(&from, source->array, region));
        TESS_CHECK(from.shape.h == out->shape.h && from.shape.w == out->shape.w, TESS_ESHAPE,
                   "source_read_part: %lld x %lld pixels of %s are requested; out has %lld x %lld",
                   (long long)from.shape.w, (long long)from.shape.h, source->name, (long long)out->shape.w,
                   (long long)out->shape.h);
        if (depth > 1) TESS_TRY(tess_permute(&from, &from, 1, 0, 2, 3));
        TESS_TRY(tess_slice(&part, out, 0, done, done + count, 1));
        if (from.device.kind == TESS_CPU) {
            TESS_TRY(tess_cast(&part, &from, part.dtype, NULL));
        } else {
            tess_array  here = { 0 };
            tess_status status = tess_to_device(&here, &from, tess_cpu());
            if (status == TESS_OK) status = tess_cast(&part, &here, part.dtype, NULL);
            tess_release(&here);
            TESS_TRY(status);
        }
        done += count;
    }
    return TESS_OK;
}

/* ---- Files ---- */

tess_status tess__read_images(void *file, const tess_array *out, int64_t image, tess_range rows, tess_range columns)
{
    const tess_shape whole = tess_file_info(file)->shape;
    for (int64_t done = 0, n = out->shape.b; done < n;) {
        const int64_t index = image + done, section = index % whole.d;
        int64_t       count = n - done;
        tess_region   region = { .b = tess_from_to(index, index + count), .h = rows, .w = columns };
        tess_array    part;
        if (whole.d > 1) {
            if (count > whole.d - section) count = whole.d - section;
            region.b = tess_only(index / whole.d);
            region.d = tess_from_to(section, section + count);
        }
        TESS_TRY(tess_slice(&part, out, 0, done, done + count, 1));
        if (whole.d > 1) TESS_TRY(tess_permute(&part, &part, 1, 0, 2, 3));
        TESS_TRY(tess_file_read(&part, file, region));
        done += count;
    }
    return TESS_OK;
}

tess_status tess_source_file(tess_source *source, tess_file *file, const char *name)
{
    TESS_CHECK(source, TESS_EARG, "source_file: `source` is `NULL`");
    TESS_CHECK(file, TESS_EARG, "source_file: `file` is `NULL`");
    const tess_info_file *info = tess_file_info(file);
    *source = (tess_source){ .name = name ? name : "the file",
                             .shape = info->shape,
                             .dtype = info->dtype,
                             .format = info->format,
                             .meta = &info->meta,
                             .read = tess__read_images,
                             .user = file };
    return TESS_OK;
}

/* A file that the source opened, and its name behind it. */
typedef struct opened {
    tess_file *file;
    char       name[];
} opened;

static tess_status read_opened(void *user, const tess_array *out, int64_t first, tess_range rows, tess_range columns)
{
    return tess__read_images(((const opened *)user)->file, out, first, rows, columns);
}

static void close_opened(void *user)
{
    tess_file_close(((opened *)user)->file);
    tess__free(user);
}

tess_status tess_source_open(tess_source *source, const char *path, const tess_read_opts *opts)
{
    TESS_CHECK(source, TESS_EARG, "source_open: `source` is `NULL`");
    TESS_CHECK(path, TESS_EARG, "source_open: `path` is `NULL`");
    if (tess_star_is_named(path)) return tess_source_star(source, path, &(tess_source_list_opts){ .read = opts });
    const size_t length = strlen(path) + 1;
    opened      *o = tess__alloc(sizeof *o + length);
    TESS_CHECK(o, TESS_ENOMEM, "source_open: out of memory");
    memcpy(o->name, path, length);
    const tess_status status = tess_open(&o->file, path, opts);
    if (status != TESS_OK) tess__free(o);
    TESS_TRY(status);
    TESS_TRY(tess_source_file(source, o->file, o->name));
    source->read = read_opened;
    source->close = close_opened;
    source->user = o;
    source->keep_rows = opts ? opts->keep_rows : 0;
    return TESS_OK;
}

void tess_source_close(tess_source *source)
{
    if (!source) return;
    if (source->close) source->close(source->user);
    memset(source, 0, sizeof *source);
}

/* ---- Reading ---- */

static tess_status check_images(const char *fn, const tess_source *source, int64_t first, int64_t wanted)
{
    const int64_t n = source->shape.b * source->shape.d;
    TESS_CHECK(wanted >= 0 && first >= 0 && first <= n && wanted <= n - first, TESS_ERANGE,
               "%s: %lld images from index %lld on are requested; %s has %lld", fn, (long long)wanted, (long long)first,
               source->name, (long long)n);
    return TESS_OK;
}

/* Images of one section on the CPU, and as large as those of the source where all rows and columns are wanted. */
static tess_status check_out(const tess_source *source, const tess_array *out, tess_range rows, tess_range columns)
{
    char             text[TESS__SHAPE_TEXT];
    const tess_shape s = out->shape;
    TESS_CHECK(out->device.kind == TESS_CPU, TESS_EDEVICE, "source_read_part: `out` is not on the CPU");
    TESS_CHECK(s.d == 1 && (rows.kind != TESS_RANGE_ALL || s.h == source->shape.h) &&
                   (columns.kind != TESS_RANGE_ALL || s.w == source->shape.w),
               TESS_ESHAPE, "source_read_part: `out` has the shape %s; images of %s have %lld x %lld pixels",
               tess__shape_text(text, s.dim), source->name, (long long)source->shape.w, (long long)source->shape.h);
    return TESS_OK;
}

tess_status tess_source_read_part(const tess_source *source, const tess_array *out, int64_t first, tess_range rows,
                                  tess_range columns)
{
    TESS_TRY(tess__check_source("source_read_part", "source", source));
    TESS_CHECK(out && out->data, TESS_EARG, "source_read_part: `out` is %s; an allocated array is expected",
               out ? "zeroed" : "NULL");
    TESS_TRY(check_images("source_read_part", source, first, out->shape.b));
    TESS_TRY(check_out(source, out, rows, columns));
    if (source->array) return read_array(source, out, first, rows, columns);
    return tess__callback_failed(source->name, "its reader", source->read(source->user, out, first, rows, columns));
}

tess_status tess_source_read(const tess_source *source, tess_array *out, int64_t first, int64_t n, tess_dtype dtype)
{
    const tess_range all = { .kind = TESS_RANGE_ALL };
    TESS_TRY(tess__check_source("source_read", "source", source));
    TESS_CHECK(out, TESS_EARG, "source_read: `out` is `NULL`");
    TESS_TRY(check_images("source_read", source, first, n));
    const bool is_made = !out->data;
    if (is_made)
        TESS_TRY(tess_empty(out, TESS_SHAPE(n, 1, source->shape.h, source->shape.w), dtype ? dtype : source->dtype,
                            tess_cpu()));
    TESS_CHECK(out->shape.b == n, TESS_ESHAPE, "source_read: `out` has %lld images; n is %lld", (long long)out->shape.b,
               (long long)n);
    const tess_status status = tess_source_read_part(source, out, first, all, all);
    if (status != TESS_OK && is_made) tess_release(out);
    return status;
}

static tess_status read_whole(const tess_source *source, tess_array *out, tess_dtype dtype)
{
    const tess_shape s = source->shape;
    tess_array       images;
    if (source->array) return tess_cast(out, source->array, dtype, NULL);
    TESS_TRY(tess_empty(out, s, dtype, tess_cpu()));
    if (tess_is_empty(out)) return TESS_OK;
    tess_status status = tess_reshape(&images, out, TESS_SHAPE(s.b * s.d, 1, s.h, s.w));
    if (status == TESS_OK) status = tess_source_read(source, &images, 0, s.b * s.d, dtype);
    if (status != TESS_OK) tess_release(out);
    return status;
}

tess_status tess_source_read_all(const tess_source *source, tess_array *out, tess_dtype dtype,
                                 const tess_context *context)
{
    tess_context c;
    TESS_TRY(tess__check_source("source_read_all", "source", source));
    TESS_CHECK(out && !out->data, TESS_EARG, "source_read_all: `out` is %s; a zeroed array is expected",
               out ? "allocated" : "NULL");
    TESS_TRY(tess__context(&c, "source_read_all", context));
    if (!dtype) dtype = source->dtype;
    const tess_shape s = source->shape;
    const double     bytes = (double)s.b * (double)s.d * (double)s.h * (double)s.w * (double)tess_dtype_size(dtype);
    TESS_CHECK(bytes <= (double)c.memory, TESS_ENOMEM,
               "%s: {%lld,%lld,%lld,%lld} of %s take %.0f MiB, more than the %.0f MiB of `context->memory`",
               source->name, (long long)s.b, (long long)s.d, (long long)s.h, (long long)s.w, tess_dtype_name(dtype),
               bytes / 1048576, (double)c.memory / 1048576);
    TESS_TRY(read_whole(source, out, dtype));
    const tess_status status = tess__move(out, c.device);
    if (status != TESS_OK) tess_release(out);
    return status;
}
