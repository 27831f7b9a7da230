/* EM files (TOM toolbox, PyTom, Dynamo): a volume or an image behind a header of 512 bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "io/file/byteswap.h"
#include "io/file/file.h"
#include "io/file/labels.h"
#include "io/file/numbers.h"

/* Bytes of the header. */
enum {
    MACHINE = 0,
    VERSION = 1,
    TYPE = 3,
    SIZES = 4,
    COMMENT = 16,
    PIXEL_SIZE = 120, /* the seventh of 40 parameters: 1/1000 Å */
    HEADER = 512
};

enum { MAX_SIZE = 1 << 20 };

/* The dtype of a type's number; NONE: there is no such type. */
static tess_dtype dtype_of(int type)
{
    static const tess_dtype dtypes[] = {
        [1] = TESS_I8, [2] = TESS_I16, [4] = TESS_I32, [5] = TESS_F32, [8] = TESS_C32, [9] = TESS_F64, [10] = TESS_C64
    };
    return type >= 0 && type < (int)(sizeof dtypes / sizeof *dtypes) ? dtypes[type] : TESS_DTYPE_NONE;
}

/* The order by the machine: OS-9 (0), SGI (3) and Mac (5) have the highest byte first; VAX, Convex, Sun and PC not. */
static bool machine_is_big_endian(int machine) { return machine == 0 || machine == 3 || machine == 5; }

/* Bytes of the data in a byte order; -1: sizes that no file has. */
static int64_t data_bytes(const unsigned char *header, bool big_endian)
{
    const int64_t element = tess__dtype_size(dtype_of(header[TYPE]));
    int64_t       sizes[3], bytes;
    for (int k = 0; k < 3; k++) {
        sizes[k] = tess__load_i32(header + SIZES + 4 * k, big_endian);
        if (sizes[k] < 1 || sizes[k] > MAX_SIZE) return -1;
    }
    return tess__bytes_of(&bytes, sizes, 3, element) ? bytes : -1;
}

/* ---- Recognition ---- */

static bool recognises(const unsigned char *bytes, int64_t n)
{
    if (n < HEADER || bytes[MACHINE] > 6 || bytes[VERSION] > 1 || bytes[2] > 1) return false;
    return dtype_of(bytes[TYPE]) != TESS_DTYPE_NONE && (data_bytes(bytes, false) > 0 || data_bytes(bytes, true) > 0);
}

/* With machine 0, those bytes could be the width of another format: the size of the file must agree. */
static tess_status recognises_source(bool *is_one, tess__source *source)
{
    unsigned char header[HEADER];
    const int64_t size = tess__source_size(source);
    TESS_TRY(tess__source_read_all(source, 0, header, sizeof header, "the header"));
    *is_one = header[MACHINE] != 0 || (size > 0 && size == HEADER + data_bytes(header, true));
    return TESS_OK;
}

/* ---- Opening ---- */

/* The byte order of the machine, unless sizes make sense, or fit the file, in the other one alone. */
static tess_status find_order(bool *big_endian, tess_file *file, const unsigned char *header)
{
    char          found[24];
    const int64_t size = tess__source_size(file->source);
    const bool    named = machine_is_big_endian(header[MACHINE]);
    const int64_t bytes = data_bytes(header, named), other = data_bytes(header, !named);
    TESS_CHECK(bytes > 0 || other > 0, TESS_EFORMAT,
               "open: %s: not an EM file: its sizes are %" PRId32 ", %" PRId32 ", %" PRId32
               "; neither byte order gives sizes from 1 to %d",
               file->path, tess__load_i32(header + SIZES, named), tess__load_i32(header + SIZES + 4, named),
               tess__load_i32(header + SIZES + 8, named), (int)MAX_SIZE);
    *big_endian = named;
    if (bytes > 0 && !(size >= 0 && size < HEADER + bytes && other > 0 && size == HEADER + other)) return TESS_OK;
    *big_endian = !named;
    (void)snprintf(found, sizeof found, "%d", header[MACHINE]);
    tess__file_warn(
        file, TESS_ODD_BYTE_ORDER, "machine", found, named ? "little-endian" : "big-endian",
        "machine code %s means %s-endian numbers, but the sizes are valid, or match the file, only as %s-endian", found,
        named ? "big" : "little", named ? "little" : "big");
    return TESS_OK;
}

static tess_status take_dtype(tess_file *file, int type)
{
    const int32_t bytes = file->opts.bytes;
    file->info.dtype = dtype_of(type);
    TESS_CHECK(file->info.dtype != TESS_DTYPE_NONE, TESS_EUNSUPPORTED,
               "open: %s: element type %d is not supported; expected 1, 2, 4, 5, 8, 9 or 10", file->path, type);
    if (file->info.dtype != TESS_I8 || !bytes || bytes == TESS_BYTES_SIGNED) return TESS_OK;
    TESS_CHECK(bytes == TESS_BYTES_UNSIGNED, TESS_EARG,
               "open: %s: `opts->bytes` is imod, which does not apply to EM files; expected signed or unsigned",
               file->path);
    file->info.dtype = TESS_U8;
    return TESS_OK;
}

static tess_status settle_data(tess_file *file, const unsigned char *header, bool big_endian)
{
    tess_info_file *info = &file->info;
    char            what[100];
    for (int k = 0; k < 3; k++) info->stored[k] = tess__load_i32(header + SIZES + 4 * k, big_endian);
    info->shape = TESS_SHAPE(1, 1, info->stored[1], info->stored[0]);
    TESS_TRY(tess__file_take_sections(file, info->stored[2], info->stored[2]));
    (void)snprintf(what, sizeof what, "%" PRId64 " x %" PRId64 " x %" PRId64 " of %s", info->stored[0], info->stored[1],
                   info->stored[2], tess_dtype_name(info->dtype));
    TESS_TRY(tess__file_check_size(file, HEADER, data_bytes(header, big_endian), what));
    info->big_endian = big_endian;
    info->data_offset = HEADER;
    file->flat = (tess__flat){ .offset = HEADER,
                               .axis = { 0, 1, 2, 3 },
                               .row_bytes = info->stored[0] * tess__dtype_size(info->dtype),
                               .dtype = info->dtype,
                               .swapped = big_endian == tess__is_little_endian() };
    return TESS_OK;
}

static tess_status open_file(tess_file *file)
{
    unsigned char header[HEADER];
    bool          big_endian = false;
    TESS_TRY(tess__source_read_all(file->source, 0, header, sizeof header, "the header"));
    TESS_TRY(take_dtype(file, header[TYPE]));
    TESS_TRY(find_order(&big_endian, file, header));
    TESS_TRY(settle_data(file, header, big_endian));
    const int32_t size = tess__load_i32(header + PIXEL_SIZE, big_endian);
    for (int k = 0; k < 3; k++) file->info.meta.pixel_size[k] = size > 0 ? size / 1000. : 0;
    tess__add_label(&file->info.meta, (const char *)header + COMMENT, 80);
    return TESS_OK;
}

const tess__format tess__format_em = {
    .name = "em",
    .extensions = "em",
    .id = TESS_FORMAT_EM,
    .evidence = TESS__BY_AGREEMENT,
    .whole_compression = true,
    .recognises = recognises,
    .recognises_source = recognises_source,
    .open = open_file,
};
