/* MRC files that break rules: found, mended, changed where they stand. */
#include <errno.h>
#include <math.h>

#include "io/file/system.h"
#include "support/hooks.h"
#include "support/mrc_file.h"

static bool finds(const tess_mrc_report *report, tess_mrc_fault code, const char *part)
{
    for (int i = 0; i < report->n_findings; i++)
        if (report->findings[i].code == (int32_t)code && strstr(report->findings[i].text, part)) return true;
    return false;
}

static void check_saved(tess_mrc_report *report) { CHECK_OK(tess_mrc_check(report, save("checked.mrc"), NULL)); }

TEST(a_good_file_has_no_findings)
{
    tess_mrc_report report;
    for (int big = 0; big < 2; big++) {
        mrc_make(&m, 3, 2, 1, 1, 12, big);
        for (int i = 0; i < 6; i++) mrc_i16(&m, 1024 + 2 * i, i);
        check_saved(&report);
        CHECK(report.n_findings == 0 && report.data_read == 1);
        CHECK(report.stats.min == 0 && report.stats.max == 5 && report.stats.mean == 2.5);
        CHECK(fabs(report.stats.std - sqrt(35.0 / 12)) < 1e-12);
    }
    CHECK_OK(tess_mrc_check(&report, path, &(tess_mrc_check_opts){ .header_only = 1 }));
    CHECK(report.data_read == 0 && report.stats.stats == 0);
}

TEST(each_rule_is_checked)
{
    static const struct {
        int            at;
        int64_t        value;
        tess_mrc_fault code;
        const char    *text;
        int            fixable;
    } rows[] = {
        { 208, 0, TESS_MRC_BAD_MAP, "instead of 'MAP '", 1 },
        { 212, 0, TESS_MRC_BAD_STAMP, "machine stamp is 00 00 00 00 in a little-endian file", 1 },
        { 12, 7, TESS_MRC_BAD_MODE, "mode 7 is not a mode", 0 },
        { 0, -3, TESS_MRC_BAD_SIZE, "NX is -3", 0 },
        { 32, -3, TESS_MRC_BAD_GRID, "MY is -3", 1 },
        { 48, 0x7fc00000, TESS_MRC_BAD_CELL, "CELLA.z is nan", 1 },
        { 44, 0xbf800000, TESS_MRC_BAD_CELL, "CELLA.y is -1", 1 },
        { 200, 0x7f800000, TESS_MRC_BAD_ORIGIN, "ORIGIN of y is inf", 1 },
        { 56, 0x43480000, TESS_MRC_BAD_CELL, "no unit cell has the angles 90, 200, 90", 1 },
        { 60, 0x7fc00000, TESS_MRC_BAD_CELL, "no unit cell has the angles 90, 90, nan", 1 },
        { 64, 3, TESS_MRC_BAD_AXES, "axes are 3, 2, 3", 1 },
        { 88, 300, TESS_MRC_BAD_SPACE_GROUP, "space group is 300", 1 },
        { 108, 0, TESS_MRC_BAD_VERSION, "format version is 0", 1 },
        { 220, 1, TESS_MRC_BAD_LABELS, "number of labels is 1; 0", 1 },
        { 92, -1, TESS_MRC_BAD_EXTENDED, "extended header of -1 bytes", 1 },
        { 92, 100, TESS_MRC_BAD_EXTENDED, "extended header of 100 bytes", 1 },
        { 92, 4, TESS_MRC_BAD_EXTENDED, "unknown type of extended header", 1 },
        { 92, 4, TESS_MRC_BAD_LENGTH, "need", 0 },
        { 216, 0x40000000, TESS_MRC_BAD_STATISTICS, "standard deviation in the header is 2; in the data it is 0", 1 },
        { 84, 0x40000000, TESS_MRC_BAD_STATISTICS, "mean in the header is 2", 1 },
        { 80, 0x40000000, TESS_MRC_BAD_STATISTICS, "maximum in the header is 2", 1 },
        { 1024, 0x7fc00000, TESS_MRC_NOT_FINITE, "1 values are NaN, 0 are infinite", 0 },
        { 1028, 0xff800000, TESS_MRC_NOT_FINITE, "0 values are NaN, 1 are infinite", 0 },
        { 12, 2001, TESS_MRC_NOT_READ, "MRCZ", 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tess_mrc_report report;
        mrc_make(&m, 3, 2, 1, 2, 24, 0);
        mrc_i32(&m, rows[i].at, rows[i].value);
        check_saved(&report);
        if (!finds(&report, rows[i].code, rows[i].text))
            (void)test_failed(__FILE__, __LINE__, "no \"%s\", but \"%s\"", rows[i].text, report.findings[0].text);
        for (int k = 0; k < report.n_findings; k++)
            if (report.findings[k].code == (int32_t)rows[i].code)
                CHECK_I64(report.findings[k].fixable, rows[i].fixable);
    }
    tess_mrc_report report;
    mrc_make(&m, 3, 2, 6, 0, 36, 0);
    mrc_i32(&m, 88, 401);
    mrc_i32(&m, 36, 4);
    check_saved(&report);
    CHECK(finds(&report, TESS_MRC_BAD_SPACE_GROUP, "volumes of 4 sections do not divide 6"));
    mrc_make(&m, 3, 2, 6, 0, 36, 0);
    mrc_text(&m, 304, "second");
    mrc_i32(&m, 220, 1);
    m.size += 3;
    check_saved(&report);
    CHECK(finds(&report, TESS_MRC_BAD_LABELS, "empty labels come before") &&
          finds(&report, TESS_MRC_BAD_LENGTH, "3 more"));
    m.size = 500;
    check_saved(&report);
    CHECK(finds(&report, TESS_MRC_BAD_LENGTH, "500 bytes"));
    mrc_make(&m, 3, 2, 1, 16, 18, 0);
    check_saved(&report);
    CHECK(finds(&report, TESS_MRC_BAD_MODE, "IMOD uses it for colours") && report.data_read == 1);
    CHECK_FAILS(tess_mrc_check(&report, name_file("none.mrc"), NULL), TESS_EIO, "mrc_check: ", "none.mrc");
    CHECK_FAILS(tess_mrc_check(NULL, path, NULL), TESS_EARG, "report is NULL");
}

TEST(what_is_fixable_is_mended)
{
    static const struct {
        int     at;
        int64_t value;
    } rows[] = { { 208, 0 },  { 212, 0 },  { 32, -3 },          { 48, 0x7fc00000 }, { 200, 0x7f800000 }, { 52, 0 },
                 { 64, 3 },   { 88, 300 }, { 88, 401 },         { 108, 0 },         { 220, 1 },          { 92, -1 },
                 { 92, 100 }, { 92, 4 },   { 216, 0x40000000 }, { 84, 0x40000000 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tess_mrc_report report;
        mrc_make(&m, 3, 2, 6, 2, 144, 0);
        mrc_i32(&m, 36, 4);
        mrc_i32(&m, rows[i].at, rows[i].value);
        check_saved(&report);
        CHECK(report.n_findings > 0);
        CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .repair = 1 }));
        CHECK_OK(tess_mrc_check(&report, path, NULL));
        if (report.n_findings)
            (void)test_failed(__FILE__, __LINE__, "row %zu: \"%s\" is left", i, report.findings[0].text);
    }
    mrc_make(&m, 3, 2, 1, 2, 24 + 80, 0); /* an extended header without a type */
    mrc_i32(&m, 92, 80);
    memset(m.bytes + 1024, ' ', 80);
    save("checked.mrc");
    CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .repair = 1 }));
    load();
    CHECK(memcmp(m.bytes + 104, "CCP4", 4) == 0);
    mrc_i32(&m, 92, 1000);
    tess_mrc_report report;
    check_saved(&report);
    CHECK(finds(&report, TESS_MRC_BAD_EXTENDED, "extended header of 1000 bytes") && !report.findings[0].fixable);
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .repair = 1 }), TESS_EFORMAT, "NSYMBT is 1000", "1128");
}

TEST(headers_are_edited_where_they_stand)
{
    const double    size[3] = { 4, 3, 2 }, origin[3] = { 7, 8, 9 };
    tess_info_file  info;
    tess_mrc_report report;
    for (int big = 0; big < 2; big++) {
        mrc_make(&m, 3, 2, 6, 1, 72, big);
        for (int i = 0; i < 36; i++) mrc_i16(&m, 1024 + 2 * i, i);
        m.bytes[140] = 'x'; /* belongs to nobody, and stays */
        save("edited.mrc");
        CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .pixel_size = size,
                                                            .origin = origin,
                                                            .as = TESS_AS_VOLUMES,
                                                            .depth = 2,
                                                            .stats = 1,
                                                            .label = "edited" }));
        CHECK_OK(tess_info(&info, path, NULL));
        CHECK_DIMS(info.shape, 3, 2, 2, 3);
        CHECK(memcmp(info.meta.pixel_size, size, sizeof size) == 0 && info.meta.origin[0] == 7 && info.n_warnings == 0);
        CHECK(info.meta.stats == 7 && info.meta.max == 35 && info.meta.mean == 17.5 && info.big_endian == big);
        CHECK_TEXT(info.meta.labels[0], "edited");
        load();
        CHECK(m.bytes[140] == 'x' && m.size == 1024 + 72 && m.bytes[1024 + (big ? 3 : 2)] == 1);
        CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .as = TESS_AS_STACK }));
        CHECK_OK(tess_info(&info, path, NULL));
        CHECK(info.shape.b == 6 && info.grid[2] == 1 && info.meta.pixel_size[0] == 4);
        CHECK_OK(tess_mrc_check(&report, path, NULL));
        CHECK_I64(report.n_findings, 0);
    }
    mrc_make(&m, 2, 1, 1, 0, 2, 0);
    m.bytes[1024] = 200;
    save("edited.mrc");
    CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .bytes = TESS_BYTES_UNSIGNED, .stats = 1 }));
    CHECK_OK(tess_info(&info, path, NULL));
    CHECK(info.dtype == TESS_U8 && info.bytes_rule == 2 && info.meta.max == 200);
    CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .bytes = TESS_BYTES_SIGNED, .stats = 1 }));
    CHECK_OK(tess_info(&info, path, NULL));
    CHECK(info.dtype == TESS_I8 && info.meta.min == -56);
    /* Statistics of bytes that are read otherwise now are not kept; those that are the same are. */
    CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .bytes = TESS_BYTES_SIGNED }));
    CHECK_OK(tess_info(&info, path, NULL));
    CHECK(info.meta.stats == 7 && info.meta.min == -56);
    CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .bytes = TESS_BYTES_UNSIGNED }));
    CHECK_OK(tess_info(&info, path, NULL));
    CHECK(info.dtype == TESS_U8 && info.meta.stats == 0);
    CHECK_OK(tess_mrc_check(&report, path, NULL));
    CHECK_I64(report.n_findings, 0);
    CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .stats = 1 }));
    CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .bytes = TESS_BYTES_SIGNED }));
    CHECK_OK(tess_mrc_check(&report, path, NULL));
    CHECK_I64(report.n_findings, 0);
}

TEST(edits_that_are_refused)
{
    const double   bad[3] = { 1, -2, 1 }, far[3] = { 1, 1, 1e300 };
    tess_info_file info;
    mrc_make(&m, 3, 2, 6, 1, 72, 0);
    save("edited.mrc");
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .pixel_size = bad }), TESS_ERANGE,
                "pixel_size is -2 along y");
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .origin = far }), TESS_ERANGE, "origin is 1e+300 along x");
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .as = TESS_AS_VOLUMES, .depth = 4 }), TESS_EARG,
                "opts->depth is 4", "6 sections");
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .depth = 4 }), TESS_EARG, "applies only to volumes");
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .bytes = TESS_BYTES_IMOD }), TESS_EARG, "opts->bytes is 3");
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .bytes = TESS_BYTES_SIGNED }), TESS_EARG, "the mode is 1");
    CHECK_OK(tess_info(&info, path, NULL));
    CHECK(info.n_warnings == 0 && info.shape.b == 6);
    mrc_make(&m, 3, 2, 1, 0, 6, 0);
    mrc_imod(&m, 16);
    CHECK_FAILS(tess_mrc_edit(save("edited.mrc"), &(tess_mrc_edit_opts){ .bytes = TESS_BYTES_SIGNED }), TESS_EARG,
                "opts->bytes is signed", "imodFlags is 16", "two pixels");
    CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .bytes = TESS_BYTES_UNSIGNED }));
    CHECK_OK(tess_info(&info, path, NULL));
    CHECK(info.shape.w == 6);
    m.size = 100;
    CHECK_FAILS(tess_mrc_edit(save("edited.mrc"), NULL), TESS_EFORMAT, "has 100 bytes");
    mrc_make(&m, 3, 0, 6, 1, 72, 0);
    CHECK_FAILS(tess_mrc_edit(save("edited.mrc"), NULL), TESS_EFORMAT, "are 3, 0, 6, 1");
    mrc_make(&m, 3, 2, 6, 1001, 72, 0);
    CHECK_FAILS(tess_mrc_edit(save("edited.mrc"), &(tess_mrc_edit_opts){ .repair = 1 }), TESS_EUNSUPPORTED, "MRCZ");
    CHECK_FAILS(tess_mrc_edit(name_file("none.mrc"), NULL), TESS_EIO, "mrc_edit: ", "none.mrc");
    tess_array a = { .data = NULL };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 2), TESS_F32, tess_cpu()));
    CHECK_OK(tess_write(name_file("x.mrc.gz"), &a, &(tess_write_opts){ .overwrite = 1 }));
    CHECK_FAILS(tess_mrc_edit(path, NULL), TESS_EUNSUPPORTED, "compressed");
    tess_release(&a);
}

/* ---- What fails on the way ---- */

static tess__system real;
static long         calls, fail_at;

static bool fails(void)
{
    if (++calls != fail_at) return false;
    errno = EIO;
    return true;
}

static int f_open(const char *name, int flags, unsigned mode) { return fails() ? -1 : real.open(name, flags, mode); }
static int64_t f_size(int fd) { return fails() ? -2 : real.size(fd); }
static ssize_t f_read_at(int fd, void *b, size_t n, int64_t at) { return fails() ? -1 : real.read_at(fd, b, n, at); }
static int     f_sync(int fd) { return fails() ? -1 : real.sync(fd); }

static ssize_t f_write_at(int fd, const void *b, size_t n, int64_t at)
{
    return fails() ? -1 : real.write_at(fd, b, n, at);
}

static int f_close(int fd)
{
    const bool bad = fails();
    const int  code = real.close(fd);
    if (bad) errno = EIO;
    return bad ? -1 : code;
}

static tess_status edit_all(void)
{
    const double size[3] = { 1, 2, 3 };
    return tess_mrc_edit(path, &(tess_mrc_edit_opts){ .pixel_size = size, .stats = 1, .repair = 1, .label = "edited" });
}

TEST(each_system_call_of_an_edit_may_fail)
{
    int failures = 0;
    for (fail_at = 1; fail_at < 200; fail_at++) {
        mrc_make(&m, 3, 2, 6, 1, 72, 0);
        save("edited.mrc");
        real = tess__sys;
        calls = 0;
        tess__sys.open = f_open;
        tess__sys.size = f_size;
        tess__sys.read_at = f_read_at;
        tess__sys.write_at = f_write_at;
        tess__sys.sync = f_sync;
        tess__sys.close = f_close;
        const tess_status status = edit_all();
        tess__sys = real;
        if (calls < fail_at) break;
        failures += status != TESS_OK;
        if (status != TESS_OK) CHECK(status == TESS_EIO && strstr(tess_error_message(), "edited.mrc"));
        load();
        CHECK(m.size == 1024 + 72 && memcmp(m.bytes + 208, "MAP ", 4) == 0);
    }
    CHECK(fail_at > 10 && fail_at < 200 && failures > 5);
}

static hooks h;

static tess_status work(void)
{
    tess_mrc_report report;
    tess_file      *file = NULL;
    tess_array      records = { .data = NULL }, all = { .data = NULL };
    const int64_t   sections[] = { 4, 2 };
    tess_status     status = TESS_OK;
    TESS_GOTO(done, status, tess_mrc_check(&report, path, NULL));
    TESS_GOTO(done, status, edit_all());
    TESS_GOTO(done, status, tess_open(&file, path, NULL));
    TESS_GOTO(done, status, tess_mrc_select_extended(&records, file, sections, 2));
    TESS_GOTO(done, status, tess_file_read(&all, file, (tess_region){ .b = { .from = 0 } }));
    TESS_GOTO(done, status,
              tess_write(in_folder("again.mrc"), &all,
                         &(tess_write_opts){ .overwrite = 1, .meta = &tess_file_info(file)->meta, .big_endian = 1 }));
done:
    tess_release(&all);
    tess_release(&records);
    tess_file_close(file);
    return status;
}

TEST(each_allocation_may_fail)
{
    mrc_make(&m, 3, 3, 6, 101, 60 + 30, 0); /* packed sections behind an extended header without a type */
    mrc_i32(&m, 92, 60);
    mrc_i16(&m, 128, 10);
    mrc_i16(&m, 130, 1 + 2 + 8);
    save("edited.mrc");
    hooks_on(&h);
    for (long at = 0; at < 1000; at++) {
        put_file("edited.mrc", m.bytes, (long)m.size);
        atomic_store(&h.calls, 0);
        atomic_store(&h.fired, 0);
        atomic_store(&h.fail_at, at);
        const tess_status status = work();
        atomic_store(&h.fail_at, 0);
        if (at == 0) CHECK_OK(status);
        if (at > 0 && atomic_load(&h.fired) == 0) {
            CHECK(at > 5);
            break;
        }
        CHECK(at == 0 || status == TESS_OK || status == TESS_ENOMEM);
        CHECK(atomic_load(&h.live) == 0 && atomic_load(&h.wrong) == 0);
    }
    hooks_off();
}
