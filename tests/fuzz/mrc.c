/* MRC files that went wrong in every way, made from good ones by changing them: opened, read in parts, checked, mended
 * and checked again. See tests/fuzz/cases.h. */
#include <fcntl.h>

#include "core/minmax.h"
#include "fuzz/cases.h"
#include "fuzz/packed.h"
#include "io/file/system.h"
#include "support/mrc_bytes.h"

enum { MOST = 1 << 20 /* elements that are read of a file */ };

static char folder[64], names[3][100];

static int no_sync(int fd)
{
    (void)fd;
    return 0;
}

/* Files live in memory where there is such a folder. */
static void make_names(void)
{
    static const char *const ends[] = { "x.mrc", "x.mrcs", "x.map" };
    if (folder[0]) return;
    tess__sys.sync = no_sync;
    const bool memory = access("/dev/shm", W_OK) == 0;
    (void)snprintf(folder, sizeof folder, "%s/tessera-fuzz-XXXXXX", memory ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder)) abort();
    for (int k = 0; k < 3; k++) (void)snprintf(names[k], sizeof names[k], "%s/%s", folder, ends[k]);
}

static void remove_names(void)
{
    for (int k = 0; k < 3; k++) (void)unlink(names[k]);
    (void)rmdir(folder);
}

static void save(const char *path, const uint8_t *data, size_t n)
{
    const int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (fd < 0 || (n && write(fd, data, n) != (ssize_t)n) || close(fd) != 0) abort();
}

/* What is said of a file must hold together, and be text. */
static void check_info(const tess_info_file *info)
{
    for (int k = 0; k < 4; k++)
        if (info->shape.dim[k] < 1) fuzz_fail("a size below 1");
    if (info->n_warnings < 0 || info->n_warnings > TESS_MAX_FILE_WARNINGS) fuzz_fail("number of warnings");
    for (int k = 0; k < info->n_warnings; k++)
        if (!info->warnings[k].text[0]) fuzz_fail("a warning without words");
    if (info->meta.n_labels < 0 || info->meta.n_labels > 10) fuzz_fail("number of labels");
    for (int k = 0; k < 3; k++)
        if (!(info->meta.pixel_size[k] >= 0)) fuzz_fail("a pixel size below 0");
}

static void read_parts(tess_file *file)
{
    const tess_shape s = tess_file_info(file)->shape;
    tess_array       a = { .data = NULL }, b = { .data = NULL };
    if (s.w > MOST || s.h > MOST || s.b * s.d > MOST) return;
    const tess_region part = { .b = tess_from_to(0, tess__min(s.b, 3)),
                               .d = tess_from_to_step(-1, TESS_NONE, -2),
                               .h = tess_from_to(s.h / 2, tess__min(s.h / 2 + 5, s.h)),
                               .w = tess_from_to_step(TESS_NONE, TESS_NONE, s.w > 9 ? -3 : 1) };
    if ((double)s.d * (double)s.w * 15 < MOST && tess_file_read(&a, file, part) != TESS_OK && !tess_error_message()[0])
        fuzz_fail("no message of a part");
    if ((double)s.b * (double)s.d * (double)s.h * (double)s.w < MOST &&
        tess_file_read(&b, file, (tess_region){ .b = { .from = 0 } }) != TESS_OK && !tess_error_message()[0])
        fuzz_fail("no message of all");
    tess_release(&a);
    tess_release(&b);
}

static void read_records(tess_file *file)
{
    const tess_shape      s = tess_file_info(file)->shape;
    const int64_t         n = s.b * s.d, chosen[3] = { n - 1, 0, n / 2 };
    tess_info_mrc_section info;
    tess_array            records = { .data = NULL };
    for (int k = 0; k < 3; k++)
        if (tess_mrc_section_info(&info, file, chosen[k]) != TESS_OK) fuzz_fail("info of a section");
    if (tess_mrc_select_extended(&records, file, chosen, 3) != TESS_OK) fuzz_fail("records of sections");
    tess_release(&records);
}

static void try_open(const char *path, int variant)
{
    const tess_read_opts opts = {
        .format = TESS_FORMAT_MRC, .as = variant % 3, .bytes = variant / 3 % 4, .salvage = variant / 12 % 2, .grey = 1
    };
    tess_file *file;
    if (tess_open(&file, path, &opts) != TESS_OK) {
        if (!tess_error_message()[0]) fuzz_fail("no message");
        return;
    }
    check_info(tess_file_info(file));
    read_parts(file);
    read_records(file);
    tess_file_close(file);
}

/* What can be mended is mended: a second repair changes nothing. */
static void try_repair(const char *path)
{
    tess_mrc_report report;
    if (tess_mrc_check(&report, path, NULL) != TESS_OK) fuzz_fail("no check");
    if (tess_mrc_edit(path, &(tess_mrc_edit_opts){ .repair = 1 }) != TESS_OK) {
        if (!tess_error_message()[0]) fuzz_fail("no message of the repair");
        return;
    }
    if (tess_mrc_check(&report, path, NULL) != TESS_OK) fuzz_fail("no check after the repair");
    for (int k = 0; k < report.n_findings; k++)
        if (report.findings[k].fixable) fuzz_fail(report.findings[k].text);
}

/* The same within a compressed file, which cannot be mended. */
static void try_packed(const char *path, const uint8_t *data, size_t n, uint32_t pick)
{
    const fuzz_packed packed = fuzz_pack(data, n, pick);
    tess_mrc_report   report;
    save(path, packed.bytes, packed.n);
    try_open(path, (int)(pick % 24));
    if (tess_mrc_check(&report, path, NULL) != TESS_OK && !tess_error_message()[0])
        fuzz_fail("no message of the check");
    free(packed.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    uint32_t hash = 0;
    for (size_t k = 0; k < n && k < 2048; k++) hash = hash * 31 + data[k];
    make_names();
    const char *path = names[hash % 3];
    save(path, data, n);
    try_open(path, (int)(hash / 3 % 24));
    try_repair(path);
    if (hash / 72 % 8 == 0) try_packed(path, data, n, hash / 576);
    return 0;
}

#ifndef TESS_LIBFUZZER

/* A good file: any mode, byte order and extended header. */
static void make_good(mrc_bytes *m)
{
    static const int         modes[] = { 0, 1, 2, 3, 4, 6, 12, 16, 101 }, bits[] = { 8, 16, 32, 32, 64, 16, 16, 24, 4 };
    static const char *const types[] = { "SERI", "AGAR", "FEI1", "FEI2", "CCP4", "MRCO", "    " };
    const size_t             k = fuzz_below(9), type = fuzz_below(12);
    const int                nx = 1 + (int)fuzz_below(12), ny = 1 + (int)fuzz_below(6), nz = 1 + (int)fuzz_below(6);
    const int                record = type == 2 ? 768 : type == 3 ? 888 : type == 1 ? 128 : 20;
    const int                extended = type < 7 ? record * nz : 0;
    mrc_make(m, nx, ny, nz, modes[k], extended + (nx * bits[k] + 7) / 8 * (int64_t)ny * nz, (int)fuzz_below(2));
    for (int64_t i = 1024; i < m->size; i++) m->bytes[i] = (unsigned char)fuzz_random();
    if (!extended) return;
    mrc_i32(m, 92, extended);
    mrc_text(m, 104, types[type]);
    mrc_i16(m, 128, type == 0 ? 20 : 0);
    mrc_i16(m, 130, type == 0 ? 63 : type == 1 ? 32 : 0);
    for (int s = 0; s < nz && record > 700; s++) {
        m->bytes[1024 + s * record] = (unsigned char)(record & 255);
        m->bytes[1025 + s * record] = (unsigned char)(record >> 8);
        m->bytes[1026 + s * record] = m->bytes[1027 + s * record] = 0;
    }
}

/* Numbers that lie at the edges of what is allowed. */
static void change_number(mrc_bytes *m)
{
    static const int     fields[] = { 0,  4,  8,  12, 28, 32,  36,  40,  44,  48,  64,  68,  72,  76,
                                      80, 84, 88, 92, 96, 128, 152, 156, 196, 208, 212, 216, 220, 1024 };
    static const int64_t values[] = { 0,         1,         2,          3,          4,     6,      7,
                                      12,        16,        17,         100,        101,   128,    -1,
                                      -2,        401,       630,        300,        1000,  2001,   1146047817,
                                      INT32_MAX, INT32_MIN, 0x7fc00000, 0x7f800000, 65536, 0x4444, 0x1111 };
    const int            at = fields[fuzz_below(sizeof fields / sizeof *fields)];
    mrc_i32(m, at, values[fuzz_below(sizeof values / sizeof *values)]);
}

static void change(mrc_bytes *m)
{
    switch (fuzz_below(6)) {
    case 0: m->bytes[fuzz_below((size_t)m->size)] = (unsigned char)fuzz_random(); return;
    case 1: m->bytes[fuzz_below(256)] = (unsigned char)fuzz_random(); return;
    case 2: m->size = (int64_t)fuzz_below((size_t)m->size + 1); return;
    case 3: m->size += (int64_t)fuzz_below(40); return;
    default: change_number(m); return;
    }
}

void fuzz_begin(void) { make_names(); }

void fuzz_end(void) { remove_names(); }

size_t fuzz_make(uint8_t bytes[FUZZ_LONGEST], uint64_t number)
{
    static mrc_bytes m;
    (void)number;
    make_good(&m);
    for (size_t k = fuzz_below(4); k > 0 && m.size > 0; k--) change(&m);
    if (m.size > MRC_ROOM) m.size = MRC_ROOM;
    memcpy(bytes, m.bytes, (size_t)m.size);
    return (size_t)m.size;
}

#endif
