/* IMAGIC files: a pair of a file of headers (.hed) and one of images or volumes (.img). Either name opens both. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "io/file/byteswap.h"
#include "io/file/file.h"
#include "io/file/labels.h"
#include "io/file/numbers.h"

/* Bytes of the header of an image, and where its words begin. */
enum {
    HEADER = 1024,
    FOLLOWING = 4, /* images that follow, in the first header */
    ROWS = 48,
    COLUMNS = 52,
    TYPE = 56,
    MEAN = 68,
    STD = 72,
    MAX = 84,
    MIN = 88,
    NAME = 116,
    PLANES = 240, /* of a volume */
    STAMP = 272   /* of the machine */
};

enum { MAX_SIZE = 1 << 24 };

/* ---- Headers ---- */

/* The dtype of the four letters of a type; NONE: it is not read. */
static tess_dtype dtype_of(const unsigned char *type)
{
    static const struct {
        const char *name;
        tess_dtype  dtype;
    } known[] = { { "PACK", TESS_U8 },  { "INTG", TESS_I16 }, { "LONG", TESS_I32 },
                  { "REAL", TESS_F32 }, { "COMP", TESS_C32 }, { "RECO", TESS_DTYPE_NONE } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (memcmp(type, known[i].name, 4) == 0) return known[i].dtype;
    return TESS_DTYPE_NONE;
}

static bool is_type(const unsigned char *type) { return dtype_of(type) || memcmp(type, "RECO", 4) == 0; }

static bool is_size(int32_t size) { return size >= 1 && size <= MAX_SIZE; }

static bool has_sizes(const unsigned char *header, bool big_endian)
{
    return is_size(tess__load_i32(header + ROWS, big_endian)) &&
           is_size(tess__load_i32(header + COLUMNS, big_endian)) && tess__load_i32(header + FOLLOWING, big_endian) >= 0;
}

static bool is_header(const unsigned char *bytes, int64_t n)
{
    return n >= HEADER && is_type(bytes + TYPE) && (has_sizes(bytes, false) || has_sizes(bytes, true));
}

/* The machine stamp is 02 02 02 02 or 04 04 04 04; older files have none, and sizes say it. */
static bool find_order(const unsigned char *header)
{
    const uint64_t stamp = tess__load(header + STAMP, 4, false);
    if (stamp == 0x04040404 && has_sizes(header, true)) return true;
    if (stamp == 0x02020202 && has_sizes(header, false)) return false;
    if (has_sizes(header, false) != has_sizes(header, true)) return has_sizes(header, true);
    return tess__load_i32(header + ROWS, true) < tess__load_i32(header + ROWS, false);
}

/* ---- The pair ---- */

/* The name of the other file of a pair, to be freed: .hed for .img and the other way, in the same case. NULL with no
 * message: the name ends with neither; `is_data` says which it ends with. */
static tess_status partner(char **other, bool *is_data, const char *path)
{
    static const char *const ends[][2] = {
        { ".hed", ".img" }, { ".img", ".hed" }, { ".HED", ".IMG" }, { ".IMG", ".HED" }
    };
    const size_t n = strlen(path);
    *other = NULL;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (n < 5 || strcmp(path + n - 4, ends[i][0]) != 0) continue;
        *is_data = i % 2 == 1;
        *other = tess__alloc(n + 1);
        TESS_CHECK(*other, TESS_ENOMEM, "open: %s: no memory for a name", path);
        memcpy(*other, path, n - 4);
        memcpy(*other + n - 4, ends[i][1], 5);
        break;
    }
    return TESS_OK;
}

static bool recognises(const unsigned char *bytes, int64_t n)
{
    (void)bytes;
    return n > 0; /* images have no signature; recognises_source looks for their headers */
}

/* Is this a file of headers, or one of images beside a file of headers? */
static tess_status recognises_source(bool *is_one, tess__source *source)
{
    unsigned char start[HEADER];
    tess__source *headers = NULL;
    char         *other = NULL;
    bool          is_data = false;
    int64_t       n = 0;
    tess_status   status = TESS_OK;
    *is_one = false;
    TESS_TRY(partner(&other, &is_data, tess__source_name(source)));
    if (other && is_data && tess__source_open(&headers, other) != TESS_OK) tess_error_clear();
    if (headers || !is_data)
        TESS_GOTO(done, status, tess__source_read(headers ? headers : source, 0, start, HEADER, &n));
    *is_one = is_header(start, n);
done:
    tess__source_close(headers);
    tess__free(other);
    return status;
}

/* The first header, and how many there are; file->source becomes that of the images. */
static tess_status open_pair(unsigned char *header, int64_t *n_headers, tess_file *file)
{
    char         *other = NULL;
    bool          is_data = false;
    tess__source *headers = NULL;
    tess_status   status = TESS_OK;
    TESS_TRY(partner(&other, &is_data, file->path));
    TESS_CHECK(other, TESS_EARG, "open: %s: expected an extension of .hed or .img for an IMAGIC stack", file->path);
    TESS_GOTO(done, status, tess__source_open(&headers, other));
    if (!is_data) { /* this was opened first */
        tess__source *images = headers;
        headers = file->source;
        file->source = images;
    }
    TESS_GOTO(done, status, tess__source_read_all(headers, 0, header, HEADER, "the first header"));
    *n_headers = tess__source_size(headers) / HEADER;
    if (file->opts.salvage) tess__source_forgive(file->source);
done:
    tess__source_close(headers);
    tess__free(other);
    return status;
}

/* ---- Opening ---- */

/* How many images there are: as the first header says, or as there are headers if the images fit that alone. */
static tess_status count_images(int64_t *images, tess_file *file, int64_t said, int64_t n_headers, int64_t there)
{
    char found[24], used[24];
    *images = said;
    if (said == n_headers) return TESS_OK;
    TESS_CHECK(there >= n_headers && there % n_headers == 0 && there % said != 0, TESS_EFORMAT,
               "open: %s: found headers of %" PRId64 " images, but the first header says %" PRId64
               ", and there are %" PRId64 " sections",
               file->path, n_headers, said, there);
    *images = n_headers;
    (void)snprintf(found, sizeof found, "%" PRId64, said);
    (void)snprintf(used, sizeof used, "%" PRId64, n_headers);
    tess__file_warn(file, TESS_ODD_LENGTH, "IFOL", found, used, "the first header says %s images; the file has %s",
                    found, used);
    return TESS_OK;
}

/* Sections of the file, and of a volume: volumes have a header each, or one for each of their sections. */
static tess_status count_sections(int64_t *n, int64_t *depth, tess_file *file, const unsigned char *header,
                                  int64_t n_headers)
{
    const bool    big_endian = file->info.big_endian != 0;
    const int64_t section = file->info.stored[0] * file->info.stored[1] * tess__dtype_size(file->info.dtype);
    const int64_t said = (int64_t)tess__load_i32(header + FOLLOWING, big_endian) + 1;
    const int64_t planes = tess__load_i32(header + PLANES, big_endian);
    const int64_t there = tess__source_size(file->source) / section;
    int64_t       images = 0;
    TESS_TRY(count_images(&images, file, said, n_headers, there));
    *n = images;
    *depth = 1;
    if (planes <= 1 || planes > MAX_SIZE) return TESS_OK;
    const bool each = images * planes == there || images % planes != 0;
    *n = each ? images * planes : images;
    *depth = planes;
    return TESS_OK;
}

static void fill_meta(tess_meta *meta, const unsigned char *header, int64_t n, bool big_endian)
{
    tess__add_label(meta, (const char *)header + NAME, 80);
    const double min = (double)tess__load_f32(header + MIN, big_endian);
    const double max = (double)tess__load_f32(header + MAX, big_endian);
    const double std = (double)tess__load_f32(header + STD, big_endian);
    if (n != 1 || !(min < max) || !(std > 0)) return; /* of one image, and determined */
    meta->min = min;
    meta->max = max;
    meta->std = std;
    meta->mean = (double)tess__load_f32(header + MEAN, big_endian);
    meta->stats = TESS_STATS_MINMAX | TESS_STATS_MEAN | TESS_STATS_STD;
}

static tess_status take_header(tess_file *file, const unsigned char *header)
{
    char letters[5] = "????";
    for (int i = 0; i < 4; i++)
        if (header[TYPE + i] >= ' ' && header[TYPE + i] <= '~') letters[i] = (char)header[TYPE + i];
    TESS_CHECK(is_header(header, HEADER), TESS_EFORMAT,
               "open: %s: not an IMAGIC header: type '%s', and no valid sizes in either byte order", file->path,
               letters);
    file->info.dtype = dtype_of(header + TYPE);
    TESS_CHECK(file->info.dtype != TESS_DTYPE_NONE, TESS_EUNSUPPORTED,
               "open: %s: IMAGIC type %s is not supported; expected PACK, INTG, LONG, REAL or COMP", file->path,
               letters);
    file->info.big_endian = find_order(header);
    file->info.stored[0] = tess__load_i32(header + COLUMNS, file->info.big_endian);
    file->info.stored[1] = tess__load_i32(header + ROWS, file->info.big_endian);
    return TESS_OK;
}

static tess_status settle_data(tess_file *file, const unsigned char *header, int64_t n_headers)
{
    tess_info_file *info = &file->info;
    const int64_t   element = tess__dtype_size(info->dtype);
    int64_t         depth = 1, bytes;
    char            what[120];
    TESS_TRY(count_sections(&info->stored[2], &depth, file, header, n_headers));
    (void)snprintf(what, sizeof what, "%" PRId64 " x %" PRId64 " x %" PRId64 " of %s", info->stored[0], info->stored[1],
                   info->stored[2], tess_dtype_name(info->dtype));
    TESS_CHECK(tess__bytes_of(&bytes, info->stored, 3, element), TESS_EFORMAT, "open: %s: %s are too many", file->path,
               what);
    TESS_TRY(tess__file_check_size(file, 0, bytes, what));
    info->shape = TESS_SHAPE(1, 1, info->stored[1], info->stored[0]);
    TESS_TRY(tess__file_take_sections(file, info->stored[2], depth));
    info->data_offset = 0;
    info->file_size = tess__source_file_size(file->source);
    fill_meta(&info->meta, header, info->stored[2], info->big_endian);
    file->flat = (tess__flat){ .axis = { 0, 1, 2, 3 },
                               .row_bytes = info->stored[0] * element,
                               .dtype = info->dtype,
                               .swapped = (info->big_endian != 0) == tess__is_little_endian() };
    return TESS_OK;
}

static tess_status open_file(tess_file *file)
{
    unsigned char header[HEADER];
    int64_t       n_headers = 0;
    TESS_TRY(open_pair(header, &n_headers, file));
    TESS_CHECK(tess__source_size(file->source) >= 0 && n_headers > 0, TESS_EUNSUPPORTED,
               "open: %s: the file is compressed, which is not supported for IMAGIC files; decompress it first",
               file->path);
    TESS_TRY(take_header(file, header));
    TESS_TRY(settle_data(file, header, n_headers));
    return TESS_OK;
}

const tess__format tess__format_imagic = {
    .name = "imagic",
    .extensions = "hed img",
    .id = TESS_FORMAT_IMAGIC,
    .evidence = TESS__BY_AGREEMENT,
    .recognises = recognises,
    .recognises_source = recognises_source,
    .open = open_file,
};
