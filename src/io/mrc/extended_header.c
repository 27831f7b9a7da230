/* Extended headers of MRC files: records of each section, in the layouts of SerialEM, Agard's group and FEI. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/device/memory.h"
#include "io/mrc/mrc.h"
#include "tessera/mrc.h"

/* The records of the older FEI programs, which have the layout of Agard's and a capacity of this many. */
enum { AGAR_RECORD = 128, AGAR_SECTIONS = 1024 };
/* The minimum size of a record of FEI1 for what is read of it. */
enum { MIN_FEI_RECORD = 297 };

typedef enum kind { NO_RECORDS, SERIAL_EM, AGARD, FEI } kind;

/* ---- Numbers: little-endian, whatever the file; see tess__mrc_byteswap_extended ---- */

static uint64_t read_bits(const unsigned char *bytes, int n)
{
    uint64_t bits = 0;
    for (int i = n; i-- > 0;) bits = bits << 8 | bytes[i];
    return bits;
}

static int read_i16(const unsigned char *bytes)
{
    const int value = (int)read_bits(bytes, 2);
    return value >= 0x8000 ? value - 0x10000 : value;
}

static int64_t read_i32(const unsigned char *bytes)
{
    const int64_t value = (int64_t)read_bits(bytes, 4);
    return value >= INT64_C(0x80000000) ? value - INT64_C(0x100000000) : value;
}

static double read_f32(const unsigned char *bytes)
{
    const uint32_t bits = (uint32_t)read_bits(bytes, 4);
    float          value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double read_f64(const unsigned char *bytes)
{
    const uint64_t bits = read_bits(bytes, 8);
    double         value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- Which kind ---- */

/* Bytes of a value of SerialEM's, by its bit. */
static const int serial_sizes[11] = { 2, 6, 4, 2, 2, 4, 2, 4, 2, 4, 2 };

/* Bytes of a record with the values of these flags; -1 if there are flags that are not known. */
static int serial_record(int flags)
{
    int size = 0;
    if (flags <= 0 || flags >= 1 << 11) return -1;
    for (int bit = 0; bit < 11; bit++)
        if (flags & 1 << bit) size += serial_sizes[bit];
    return size;
}

static kind kind_of(const tess_meta *meta)
{
    const int first = meta->extended_layout[0], second = meta->extended_layout[1];
    if (strcmp(meta->extended_type, "FEI1") == 0 || strcmp(meta->extended_type, "FEI2") == 0) return FEI;
    if (strcmp(meta->extended_type, "AGAR") == 0) return AGARD;
    if (strcmp(meta->extended_type, "SERI") != 0) return NO_RECORDS;
    if (first == serial_record(second)) return SERIAL_EM;
    return first >= 0 && second >= 0 && first + second > 0 ? AGARD : NO_RECORDS; /* then they are counts of numbers */
}

bool tess__mrc_knows_extended(const char type[4])
{
    static const char *const types[] = { "CCP4", "MRCO", "SERI", "AGAR", "FEI1", "FEI2", "HDF5" };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (memcmp(type, types[i], 4) == 0) return true;
    return false;
}

/* Lines of 80 letters: operators of symmetry. */
static bool is_text(const unsigned char *bytes, int64_t size)
{
    if (size % 80 != 0) return false;
    for (int64_t i = 0; i < size; i++)
        if (bytes[i] < 32 || bytes[i] >= 127) return false;
    return true;
}

const char *tess__mrc_guess_extended(const int16_t layout[2], const unsigned char *bytes, int64_t size)
{
    if (layout[0] > 0 && layout[0] == serial_record(layout[1])) return "SERI";
    if (layout[0] >= 0 && layout[1] > 0) return "AGAR";
    if (size > 0 && is_text(bytes, size)) return "CCP4";
    return size == AGAR_RECORD * AGAR_SECTIONS ? "AGAR" : "";
}

void tess__mrc_byteswap_extended(const char *type, unsigned char *bytes, int64_t size)
{
    const int64_t n = memcmp(type, "SERI", 4) == 0 ? 2 : memcmp(type, "AGAR", 4) == 0 ? 4 : 1;
    for (int64_t at = 0; at + n <= size; at += n)
        for (int64_t k = 0; k < n / 2; k++) {
            const unsigned char byte = bytes[at + k];
            bytes[at + k] = bytes[at + n - 1 - k];
            bytes[at + n - 1 - k] = byte;
        }
}

/* ---- Records ---- */

/* Where the record of a section is; false if there is none. */
typedef struct record {
    const unsigned char *bytes;
    int64_t              size;
} record;

static int64_t fei_size(const tess_meta *meta, int64_t at)
{
    const int64_t left = meta->extended_size - at;
    const int64_t size = left < MIN_FEI_RECORD ? 0 : read_i32((const unsigned char *)meta->extended + at);
    return size < MIN_FEI_RECORD || size > left ? -1 : size;
}

/* Where the records of FEI are, which each say their size: tess_file.state. */
typedef struct fei_records {
    int64_t n;
    int64_t at[];
} fei_records;

static tess_status index_fei(tess_file *file)
{
    const tess_meta *meta = &file->info.meta;
    int64_t          n = 0, at = 0;
    for (int64_t size; (size = fei_size(meta, at)) > 0; at += size) n++;
    fei_records *records = tess__alloc(sizeof *records + (size_t)n * sizeof *records->at);
    TESS_CHECK(records, TESS_ENOMEM, "open: %s: no memory for the places of %" PRId64 " records", file->path, n);
    records->n = n;
    at = 0;
    for (int64_t i = 0; i < n; i++) {
        records->at[i] = at;
        at += fei_size(meta, at);
    }
    file->state = records;
    return TESS_OK;
}

static bool find_fei(record *r, const tess_file *file, int64_t i)
{
    const tess_meta   *meta = &file->info.meta;
    const fei_records *records = file->state;
    if (!records || i >= records->n) return false;
    *r = (record){ (const unsigned char *)meta->extended + records->at[i], fei_size(meta, records->at[i]) };
    return true;
}

static int64_t even_record(const tess_meta *meta, kind which)
{
    const int64_t ints = meta->extended_layout[0], reals = meta->extended_layout[1];
    if (which == SERIAL_EM) return ints;
    return ints >= 0 && reals >= 0 && ints + reals > 0 ? 4 * (ints + reals) : AGAR_RECORD;
}

static bool find_record(record *r, const tess_file *file, kind which, int64_t i)
{
    const tess_meta *meta = &file->info.meta;
    if (!meta->extended || which == NO_RECORDS) return false;
    if (which == FEI) return find_fei(r, file, i);
    const int64_t size = even_record(meta, which);
    if (i >= meta->extended_size / size) return false;
    *r = (record){ (const unsigned char *)meta->extended + i * size, size };
    return true;
}

/* ---- Reading ---- */

/* Of a compressed file, whose size is not known: no more than this and the decompression bomb limit of gzip. */
enum { MAX_COMPRESSED = 1 << 26, MAX_RATIO = 1032 };

static tess_status check_packed(const tess_file *file, int64_t size)
{
    const int64_t packed = tess__source_file_size(file->source);
    TESS_CHECK(tess__source_size(file->source) >= 0 || (size - MAX_COMPRESSED) / MAX_RATIO <= packed, TESS_EFORMAT,
               "open: %s: NSYMBT is %" PRId64 " bytes of extended header; the compressed file has %" PRId64
               ", for which at most %" PRId64 " are accepted",
               file->path, size, packed, MAX_COMPRESSED + MAX_RATIO * packed);
    return TESS_OK;
}

/* `size` bytes that may not be there: the size of a compressed file is not known. */
static tess_status read_growing(tess_file *file, int64_t size)
{
    int64_t capacity = tess__source_size(file->source) >= 0 ? size : size < 1 << 20 ? size : 1 << 20, done = 0;
    while (done < size) {
        unsigned char *bytes = tess__alloc((size_t)capacity);
        TESS_CHECK(bytes, TESS_ENOMEM, "open: %s: no memory for %" PRId64 " bytes of extended header", file->path,
                   capacity);
        if (done) memcpy(bytes, file->extended, (size_t)done);
        tess__free(file->extended);
        file->extended = bytes;
        TESS_TRY(tess__source_read_all(file->source, TESS__MRC_HEADER + done, bytes + done, capacity - done,
                                       "the extended header"));
        done = capacity;
        capacity = capacity > size / 2 ? size : 2 * capacity;
    }
    return TESS_OK;
}

/* One that should have a record of each section. */
static bool is_of_sections(const tess_meta *meta)
{
    return kind_of(meta) != NO_RECORDS || strcmp(meta->extended_type, "SERI") == 0;
}

static void warn_extended(tess_file *file, const char *type, const char *why)
{
    char found[5];
    tess__file_warn(file, TESS_ODD_EXTENDED, "EXTTYP", tess__mrc_letters(found, type), "kept as bytes",
                    "extended header of type '%s' %s; it is kept as bytes", found, why);
}

tess_status tess__mrc_read_extended(tess_file *file, const tess__mrc_header *header)
{
    tess_meta    *meta = &file->info.meta;
    const int64_t size = header->extended_size, have = tess__source_size(file->source);
    record        first;
    TESS_CHECK(size >= 0 && (have < 0 || TESS__MRC_HEADER + size <= have), TESS_EFORMAT,
               "open: %s: NSYMBT is %" PRId64 " bytes of extended header after 1024; the file has %" PRId64, file->path,
               size, have);
    if (size == 0) return TESS_OK;
    TESS_TRY(check_packed(file, size));
    TESS_TRY(read_growing(file, size));
    meta->extended_size = size;
    memcpy(meta->extended_layout, header->extended_layout, sizeof meta->extended_layout);
    if (tess__mrc_knows_extended(header->extended_type)) memcpy(meta->extended_type, header->extended_type, 4);
    else (void)strcpy(meta->extended_type, tess__mrc_guess_extended(header->extended_layout, file->extended, size));
    if (header->big_endian) tess__mrc_byteswap_extended(meta->extended_type, file->extended, size);
    meta->extended = file->extended;
    if (kind_of(meta) == FEI) TESS_TRY(index_fei(file));
    if (meta->extended_type[0] == '\0') warn_extended(file, header->extended_type, "is not known");
    else if (is_of_sections(meta) && !find_record(&first, file, kind_of(meta), 0))
        warn_extended(file, header->extended_type, "has no records that can be read");
    return TESS_OK;
}

/* ---- What they say ---- */

/* Two short numbers: a mantissa of 24 bits with its sign, and a power of 2 with its. */
static double serial_real(const unsigned char *bytes)
{
    const int    first = read_i16(bytes), second = read_i16(bytes + 2);
    const int    low = second < 0 ? -second : second;
    const double mantissa = (first < 0 ? -1.0 : 1.0) * ((first < 0 ? -first : first) * 256.0 + low % 256);
    return ldexp(mantissa, (second < 0 ? -1 : 1) * (low / 256));
}

static void take_serial(tess_info_mrc_section *f, const record *r, int flags)
{
    const unsigned char *at = r->bytes;
    for (int bit = 0; bit < 11; bit++) {
        if (!(flags & 1 << bit)) continue;
        switch (bit) {
        case 0: f->tilt = read_i16(at) / 100.0, f->known |= TESS_MRC_TILT; break;
        case 1:
            for (int k = 0; k < 3; k++) f->piece[k] = read_i16(at + 2 * k);
            f->known |= TESS_MRC_PIECE;
            break;
        case 2:
            for (int k = 0; k < 2; k++) f->stage[k] = read_i16(at + 2 * k) / 25.0;
            f->known |= TESS_MRC_STAGE_XY;
            break;
        case 3: f->magnification = read_i16(at) * 100.0, f->known |= TESS_MRC_MAGNIFICATION; break;
        case 4: f->intensity = read_i16(at) / 25000.0, f->known |= TESS_MRC_INTENSITY; break;
        case 5: f->dose = serial_real(at), f->known |= TESS_MRC_DOSE; break;
        default: break;
        }
        at += serial_sizes[bit];
    }
}

/* A value of the extended header, where it is a number. */
static void take(tess_info_mrc_section *f, double *fact, double value, double unit, int flag)
{
    if (!isfinite(value)) return;
    *fact = value * unit;
    f->known |= flag;
}

/* Metres or, from 1 on, micrometres: both are found. */
static double micrometres(double value) { return fabs(value) < 1 ? value * 1e6 : value; }

static void take_agard(tess_info_mrc_section *f, const record *r, int64_t ints)
{
    double    reals[13] = { 0 };
    const int n = (int)(r->size / 4 - ints < 13 ? r->size / 4 - ints : 13);
    for (int k = 0; k < n; k++) reals[k] = read_f32(r->bytes + 4 * (ints + k));
    if (n >= 1) take(f, &f->tilt, reals[0], 1, TESS_MRC_TILT);
    if (n >= 2) take(f, &f->tilt_beta, reals[1], 1, TESS_MRC_TILT_BETA);
    if (n >= 4) {
        take(f, &f->stage[0], micrometres(reals[2]), 1, TESS_MRC_STAGE_XY);
        take(f, &f->stage[1], micrometres(reals[3]), 1, TESS_MRC_STAGE_XY);
    }
    if (n >= 5) take(f, &f->stage[2], micrometres(reals[4]), 1, TESS_MRC_STAGE_Z);
    if (n >= 7) {
        take(f, &f->shift[0], micrometres(reals[5]), 1, TESS_MRC_SHIFT);
        take(f, &f->shift[1], micrometres(reals[6]), 1, TESS_MRC_SHIFT);
    }
    if (n >= 8) take(f, &f->defocus, micrometres(reals[7]), 1, TESS_MRC_DEFOCUS);
    if (n >= 9) take(f, &f->exposure, reals[8], 1, TESS_MRC_EXPOSURE);
    if (n >= 10) take(f, &f->mean, reals[9], 1, TESS_MRC_MEAN);
    if (n >= 11) take(f, &f->tilt_axis, reals[10], 1, TESS_MRC_TILT_AXIS);
    if (n >= 12 && reals[11] > 0) {
        take(f, &f->pixel_size[0], reals[11], 1e10, TESS_MRC_PIXEL_SIZE);
        take(f, &f->pixel_size[1], reals[11], 1e10, TESS_MRC_PIXEL_SIZE);
    }
    if (n >= 13) take(f, &f->magnification, reals[12], 1, TESS_MRC_MAGNIFICATION);
}

/* The bits of the mask tell which fields are valid; a mask of 0 tells nothing. */
static void take_fei(tess_info_mrc_section *f, const record *r)
{
    const struct {
        int     at, bit;
        double *fact, unit;
        int     flag;
    } values[] = {
        { 84, 5, &f->voltage, 1, TESS_MRC_VOLTAGE },
        { 92, 6, &f->dose, 1e-20, TESS_MRC_DOSE },
        { 100, 7, &f->tilt, 1, TESS_MRC_TILT },
        { 108, 8, &f->tilt_beta, 1, TESS_MRC_TILT_BETA },
        { 116, 9, &f->stage[0], 1e6, TESS_MRC_STAGE_XY },
        { 124, 10, &f->stage[1], 1e6, TESS_MRC_STAGE_XY },
        { 132, 11, &f->stage[2], 1e6, TESS_MRC_STAGE_Z },
        { 140, 12, &f->tilt_axis, 1, TESS_MRC_TILT_AXIS },
        { 156, 14, &f->pixel_size[0], 1e10, TESS_MRC_PIXEL_SIZE },
        { 164, 15, &f->pixel_size[1], 1e10, TESS_MRC_PIXEL_SIZE },
        { 220, 22, &f->defocus, 1e6, TESS_MRC_DEFOCUS },
        { 289, 31, &f->magnification, 1, TESS_MRC_MAGNIFICATION },
    };
    const uint64_t mask = read_bits(r->bytes + 8, 4);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (mask == 0 || mask >> values[i].bit & 1)
            take(f, values[i].fact, read_f64(r->bytes + values[i].at), values[i].unit, values[i].flag);
}

/* ---- The public functions ---- */

static tess_status check_section(const char *fn, const tess_file *file, int64_t i)
{
    const int64_t n = file->info.shape.b * file->info.shape.d;
    TESS_CHECK(i >= 0 && i < n, TESS_ERANGE,
               "%s: section %" PRId64 " of %s; it has %" PRId64 " sections, counted from 0", fn, i, file->path, n);
    return TESS_OK;
}

static tess_status check_file(const char *fn, const tess_file *file)
{
    TESS_CHECK(file, TESS_EARG, "%s: `file` is `NULL`; an open file is needed", fn);
    TESS_CHECK(file->info.format == TESS_FORMAT_MRC, TESS_EUNSUPPORTED, "%s: %s is not an MRC file", fn, file->path);
    return TESS_OK;
}

tess_status tess_mrc_section_info(tess_info_mrc_section *info, const tess_file *file, int64_t i)
{
    TESS__FLOAT_SCOPE();
    record r;
    TESS_TRY(tess__check_pointer("mrc_section_info", "info", info));
    TESS_TRY(check_file("mrc_section_info", file));
    TESS_TRY(check_section("mrc_section_info", file, i));
    memset(info, 0, sizeof *info);
    const tess_meta *meta = &file->info.meta;
    const kind       which = kind_of(meta);
    if (!find_record(&r, file, which, i)) return TESS_OK;
    if (which == SERIAL_EM) take_serial(info, &r, meta->extended_layout[1]);
    else if (which == FEI) take_fei(info, &r);
    else take_agard(info, &r, meta->extended_layout[0] > 0 ? meta->extended_layout[0] : 0);
    return TESS_OK;
}

/* Bytes of the records of these sections; -1 if one has none. */
static int64_t measure(const tess_file *file, kind which, const int64_t *sections, int64_t n)
{
    int64_t size = 0;
    record  r;
    for (int64_t k = 0; k < n; k++) {
        if (!find_record(&r, file, which, sections[k])) return -1;
        size += r.size;
    }
    return size;
}

tess_status tess_mrc_select_extended(tess_array *out, const tess_file *file, const int64_t *sections, int64_t n)
{
    TESS_TRY(tess__check_pointer("mrc_select_extended", "out", out));
    TESS_TRY(check_file("mrc_select_extended", file));
    TESS_CHECK(n >= 0 && (n == 0 || sections), TESS_EARG, "mrc_select_extended: `sections` is `NULL` or n is %" PRId64,
               n);
    for (int64_t k = 0; k < n; k++) TESS_TRY(check_section("mrc_select_extended", file, sections[k]));
    const tess_meta *meta = &file->info.meta;
    const kind       which = kind_of(meta);
    const bool       whole = which == NO_RECORDS && strcmp(meta->extended_type, "CCP4") == 0; /* not of sections */
    int64_t          used = whole ? meta->extended_size : measure(file, which, sections, n), size = used;
    if (used < 0 || which == NO_RECORDS) size = used = whole ? used : 0;
    /* The older FEI programs expect space for the maximum number of sections. */
    const bool padded = which == AGARD && used > 0 && meta->extended_size == AGAR_RECORD * AGAR_SECTIONS;
    if (padded && size < meta->extended_size) size = meta->extended_size;
    *out = (tess_array){ .data = NULL };
    TESS_TRY(tess_empty(out, TESS_SHAPE(1, 1, 1, size), TESS_U8, tess_cpu()));
    if (size) memset(out->data, 0, (size_t)size);
    if (whole && used) memcpy(out->data, meta->extended, (size_t)used);
    unsigned char *at = out->data;
    record         r;
    for (int64_t k = 0; !whole && used && k < n && find_record(&r, file, which, sections[k]); k++, at += r.size)
        memcpy(at, r.bytes, (size_t)r.size);
    return TESS_OK;
}
