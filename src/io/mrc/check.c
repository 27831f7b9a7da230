/* Validation of an MRC file: header, size and statistics against the MRC2014 standard. */
#include "io/mrc/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/device/memory.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "io/file/names.h"
#include "io/mrc/mrc.h"

static const tess_choice   bytes_choices[] = { { "signed", TESS_BYTES_SIGNED, "-128 to 127" },
                                               { "unsigned", TESS_BYTES_UNSIGNED, "0 to 255" },
                                               { "imod", TESS_BYTES_IMOD, "signed, plus 128" },
                                               { NULL, 0, NULL } };
static const tess_arg_info args[] = {
    TESS__NEED(TESS_ARG_RESULT, "report", "the findings"),
    TESS__NEED(TESS_ARG_PATH, "path", "the file"),
    TESS__OPT_CHOICE(tess_mrc_check_opts, bytes, 0, bytes_choices, "interpretation of bytes in mode 0 [automatic]"),
    TESS__FLAG(tess_mrc_check_opts, header_only, "do not read the data"),
};
const tess_function_info tess__info_mrc_check =
    TESS__INFO_OPTS("mrc_check", "mrc", "Check an MRC file against the MRC2014 standard.", args, tess_mrc_check_opts);

/* ---- Findings ---- */

/* What a finding is about: what is in a field, and what should be. */
typedef struct subject {
    tess_mrc_fault code;
    bool           fixable;
    const char    *field, *found, *wanted;
} subject;

static void find(tess_mrc_report *report, subject s, const char *format, ...) TESS_PRINTF(3, 4);

static void find(tess_mrc_report *report, subject s, const char *format, ...)
{
    if (report->n_findings == TESS_MRC_MAX_FINDINGS) return;
    tess_mrc_finding *f = &report->findings[report->n_findings++];
    va_list           arguments;
    f->code = (int32_t)s.code;
    f->fixable = s.fixable;
    (void)snprintf(f->field, sizeof f->field, "%s", s.field);
    (void)snprintf(f->found, sizeof f->found, "%s", s.found);
    (void)snprintf(f->wanted, sizeof f->wanted, "%s", s.wanted);
    va_start(arguments, format);
    (void)vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
}

static const char *integer(char text[40], int64_t value)
{
    (void)snprintf(text, 40, "%" PRId64, value);
    return text;
}

static const char *real(char text[40], double value)
{
    (void)snprintf(text, 40, "%.9g", value);
    return text;
}

/* ---- Rules of the header ---- */

tess__mrc_label_use tess__mrc_labels_in_use(const tess__mrc_header *header)
{
    tess__mrc_label_use use = { 0, false };
    for (int k = 0; k < TESS__MRC_LABELS; k++) {
        char text[TESS__MRC_LABEL + 1];
        if (tess__mrc_label_text(text, header->labels[k]) == 0) continue;
        if (use.n < k) use.gaps = true;
        use.n++;
    }
    return use;
}

int32_t tess__mrc_sections_of(const tess__mrc_header *header)
{
    for (int k = 0; k < 3; k++)
        if (header->axis[k] == 3) return header->n[k];
    return header->n[2];
}

bool tess__mrc_space_group_is_right(const tess__mrc_header *header)
{
    const int32_t group = header->space_group, depth = header->grid[2];
    if (group >= 401 && group <= 630) return depth >= 1 && tess__mrc_sections_of(header) % depth == 0;
    return group >= 0 && group <= 230;
}

bool tess__mrc_data_fills(const tess__mrc_header *header, int64_t file_size)
{
    const tess__mrc_mode *mode = tess__mrc_mode_of(header->mode);
    const int64_t         lines[] = { header->n[1], header->n[2] };
    int64_t               data;
    return mode && header->n[0] >= 1 && tess__bytes_of(&data, lines, 2, ((int64_t)header->n[0] * mode->bits + 7) / 8) &&
           file_size == TESS__MRC_HEADER + data;
}

static void check_identity(tess_mrc_report *report, const tess__mrc_header *h)
{
    char found[40], letters[5];
    if (memcmp(h->map, "MAP ", 4) != 0)
        find(report, (subject){ TESS_MRC_BAD_MAP, true, "MAP", tess__mrc_letters(letters, h->map), "MAP " },
             "found '%s' instead of 'MAP '", tess__mrc_letters(letters, h->map));
    const int   order = tess__mrc_stamped_order(h->machine);
    const char *wanted = h->big_endian ? "11 11 00 00" : "44 44 00 00";
    (void)snprintf(found, sizeof found, "%02x %02x %02x %02x", (unsigned)h->machine[0], (unsigned)h->machine[1],
                   (unsigned)h->machine[2], (unsigned)h->machine[3]);
    if (order != h->big_endian)
        find(report, (subject){ TESS_MRC_BAD_STAMP, true, "MACHST", found, wanted },
             "machine stamp is %s in a %s-endian file; expected %s", found, h->big_endian ? "big" : "little", wanted);
    if (h->version != 20140 && h->version != 20141)
        find(report, (subject){ TESS_MRC_BAD_VERSION, true, "NVERSION", integer(found, h->version), "20141" },
             "format version is %s; MRC2014 has 20140 or 20141", found);
}

static void check_sizes(tess_mrc_report *report, const tess__mrc_header *h)
{
    static const char *const sizes[] = { "NX", "NY", "NZ" }, *const grids[] = { "MX", "MY", "MZ" };
    static const char *const cells[] = { "CELLA.x", "CELLA.y", "CELLA.z" };
    char                     found[40];
    for (int k = 0; k < 3; k++) {
        if (h->n[k] < 1)
            find(report, (subject){ TESS_MRC_BAD_SIZE, false, sizes[k], integer(found, h->n[k]), "1 or more" },
                 "%s is %s", sizes[k], found);
        if (h->grid[k] < 0)
            find(report, (subject){ TESS_MRC_BAD_GRID, true, grids[k], integer(found, h->grid[k]), "0 or more" },
                 "%s is %s", grids[k], found);
        if (!isfinite(h->cell[k]) || h->cell[k] < 0)
            find(report, (subject){ TESS_MRC_BAD_CELL, true, cells[k], real(found, (double)h->cell[k]), "0 or more" },
                 "%s is %s; expected a length, or 0 for unknown", cells[k], found);
        if (!isfinite(h->origin[k]))
            find(report,
                 (subject){ TESS_MRC_BAD_ORIGIN, true, "ORIGIN", real(found, (double)h->origin[k]), "a number" },
                 "ORIGIN of %c is %s", "xyz"[k], found);
    }
    const tess__mrc_mode *mode = tess__mrc_mode_of(h->mode);
    if (!mode || h->mode == 16)
        find(report, (subject){ TESS_MRC_BAD_MODE, false, "MODE", integer(found, h->mode), "0 1 2 3 4 6 12 101" },
             "mode %s is not a mode of MRC2014%s", found, mode ? ": IMOD uses it for colours" : "");
}

static void check_meaning(tess_mrc_report *report, const tess__mrc_header *h)
{
    char found[40];
    (void)snprintf(found, sizeof found, "%.5g, %.5g, %.5g", (double)h->angles[0], (double)h->angles[1],
                   (double)h->angles[2]);
    if (!tess__mrc_angles_are_unset(h->angles) && !tess__mrc_angles_make_cell(h->angles))
        find(report, (subject){ TESS_MRC_BAD_CELL, true, "CELLB", found, "90, 90, 90" },
             "no unit cell has the angles %s; each must be above 0, below 180 and less than the sum of the others",
             found);
    (void)snprintf(found, sizeof found, "%" PRId32 ", %" PRId32 ", %" PRId32, h->axis[0], h->axis[1], h->axis[2]);
    if (!tess__mrc_axes_are_permutation(h))
        find(report, (subject){ TESS_MRC_BAD_AXES, true, "MAPC MAPR MAPS", found, "1, 2, 3" },
             "axes are %s; expected 1, 2, 3 in some order", found);
    (void)integer(found, h->space_group);
    if (tess__mrc_space_group_is_right(h)) return;
    if (h->space_group >= 401 && h->space_group <= 630)
        find(report, (subject){ TESS_MRC_BAD_SPACE_GROUP, true, "MZ", integer(found, h->grid[2]), "a divisor of NZ" },
             "volumes of %s sections do not divide %" PRId32 " sections", found, tess__mrc_sections_of(h));
    else
        find(report, (subject){ TESS_MRC_BAD_SPACE_GROUP, true, "ISPG", found, "0..230, 401..630" },
             "space group is %s", found);
}

static void check_labels(tess_mrc_report *report, const tess__mrc_header *h)
{
    const tess__mrc_label_use use = tess__mrc_labels_in_use(h);
    char                      found[40], wanted[40];
    if (use.gaps)
        find(report, (subject){ TESS_MRC_BAD_LABELS, true, "LABEL", "a gap", "none" },
             "empty labels come before a label with text");
    if (use.n != h->n_labels)
        find(report,
             (subject){ TESS_MRC_BAD_LABELS, true, "NLABL", integer(found, h->n_labels), integer(wanted, use.n) },
             "number of labels is %s; %s have text", found, wanted);
}

static void check_extended(tess_mrc_report *report, const tess__mrc_header *h, int64_t file_size)
{
    char found[40], wanted[40], letters[5];
    if (h->extended_size < 0 || (file_size >= 0 && TESS__MRC_HEADER + (int64_t)h->extended_size > file_size))
        find(report,
             (subject){ TESS_MRC_BAD_EXTENDED, tess__mrc_data_fills(h, file_size), "NSYMBT",
                        integer(found, h->extended_size), integer(wanted, file_size - TESS__MRC_HEADER) },
             "extended header of %s bytes; the file has room for at most %s", found, wanted);
    else if (h->extended_size > 0 && !tess__mrc_knows_extended(h->extended_type))
        find(report,
             (subject){ TESS_MRC_BAD_EXTENDED, true, "EXTTYP", tess__mrc_letters(letters, h->extended_type),
                        "a known type" },
             "unknown type of extended header, '%s'; known are CCP4, MRCO, SERI, AGAR, FEI1, FEI2, HDF5",
             tess__mrc_letters(letters, h->extended_type));
}

/* ---- Data ---- */

/* Equal within 1 %, or 1e-8. */
static bool is_close(double found, double header) { return fabs(found - header) <= 1e-8 + 0.01 * fabs(header); }

int tess__mrc_wrong_stats(const tess__mrc_header *h, const tess__measured *m)
{
    const int known = tess__mrc_known_stats(h);
    int       wrong = 0;
    if (m->n_finite == 0) return known;
    if ((known & TESS_STATS_MINMAX) && ((double)h->min != m->min || (double)h->max != m->max))
        wrong |= TESS_STATS_MINMAX;
    if ((known & TESS_STATS_MEAN) && !is_close(m->mean, (double)h->mean)) wrong |= TESS_STATS_MEAN;
    if ((known & TESS_STATS_STD) && !is_close(m->std, (double)h->rms)) wrong |= TESS_STATS_STD;
    return wrong;
}

static void compare(tess_mrc_report *report, const char *field, double header, double data, const char *name)
{
    char found[40], wanted[40];
    find(report, (subject){ TESS_MRC_BAD_STATISTICS, true, field, real(found, header), real(wanted, data) },
         "%s in the header is %s; in the data it is %s", name, found, wanted);
}

static void report_stats(tess_mrc_report *report, const tess__mrc_header *h, const tess__measured *m, bool complex_)
{
    char found[40];
    report->n_nan = m->n_nan;
    report->n_inf = m->n_inf;
    if (m->n_nan || m->n_inf)
        find(report, (subject){ TESS_MRC_NOT_FINITE, false, "data", integer(found, m->n_nan + m->n_inf), "0" },
             "%" PRId64 " values are NaN, %" PRId64 " are infinite", m->n_nan, m->n_inf);
    if (complex_) return;
    tess_meta *stats = &report->stats;
    if (m->n_finite) stats->stats = TESS_STATS_MINMAX | TESS_STATS_MEAN | TESS_STATS_STD;
    if (m->n_finite) stats->min = m->min, stats->max = m->max, stats->mean = m->mean, stats->std = m->std;
    const int wrong = tess__mrc_wrong_stats(h, m);
    if ((wrong & TESS_STATS_MINMAX) && (double)h->min != stats->min)
        compare(report, "DMIN", (double)h->min, stats->min, "minimum");
    if ((wrong & TESS_STATS_MINMAX) && (double)h->max != stats->max)
        compare(report, "DMAX", (double)h->max, stats->max, "maximum");
    if (wrong & TESS_STATS_MEAN) compare(report, "DMEAN", (double)h->mean, stats->mean, "mean");
    if (wrong & TESS_STATS_STD) compare(report, "RMS", (double)h->rms, stats->std, "standard deviation");
}

/* Statuses that are about the file, and not about the machine. */
static bool is_about_the_file(tess_status status)
{
    return status == TESS_EFORMAT || status == TESS_EUNSUPPORTED || status == TESS_EARG;
}

static void find_unread(tess_mrc_report *report)
{
    const char *message = tess_error_message(), *after = strchr(message, ' ');
    find(report, (subject){ TESS_MRC_NOT_READ, false, "data", "", "" }, "%s", after ? after + 1 : message);
}

static void find_length(tess_mrc_report *report, const tess_info_file *info)
{
    for (int k = 0; k < info->n_warnings; k++) {
        const tess_file_warning *w = &info->warnings[k];
        if (w->code == TESS_ODD_LENGTH)
            find(report, (subject){ TESS_MRC_BAD_LENGTH, false, "size", w->found, w->used }, "%s", w->text);
    }
}

/* A truncated file, which is not read, is reported with its sizes. */
static void find_short(tess_mrc_report *report, const char *path, const tess_read_opts *how)
{
    tess_read_opts salvage = *how;
    tess_info_file info;
    salvage.salvage = 1;
    const int before = report->n_findings;
    if (tess_info(&info, path, &salvage) == TESS_OK) find_length(report, &info);
    if (report->n_findings == before) find_unread(report);
}

static tess_status check_data(tess_mrc_report *report, const char *path, const tess__mrc_header *h,
                              const tess_mrc_check_opts *o)
{
    const tess_read_opts how = { .format = TESS_FORMAT_MRC, .bytes = o->bytes, .grey = 1 };
    tess_file           *file = NULL;
    tess__measured       measured;
    const tess_status    opened = tess_open(&file, path, &how);
    if (opened != TESS_OK) {
        if (!is_about_the_file(opened)) TESS_TRY(opened);
        find_short(report, path, &how);
        return TESS_OK;
    }
    find_length(report, &file->info);
    const bool        complex_ = tess_dtype_kind(file->info.dtype) == TESS_KIND_COMPLEX;
    const tess_status read = o->header_only ? TESS_OK : tess__measure(&measured, file);
    tess_file_close(file);
    if (read != TESS_OK) {
        if (!is_about_the_file(read)) TESS_TRY(read);
        find_unread(report);
        return TESS_OK;
    }
    report->data_read = !o->header_only;
    if (report->data_read) report_stats(report, h, &measured, complex_);
    return TESS_OK;
}

/* ---- All of it ---- */

static tess_status read_start(unsigned char bytes[TESS__MRC_HEADER], int64_t *got, int64_t *size, const char *path)
{
    tess__source *source;
    TESS_TRY(tess__source_open(&source, path));
    *size = tess__source_size(source);
    const tess_status status = tess__source_read(source, 0, bytes, TESS__MRC_HEADER, got);
    tess__source_close(source);
    TESS_TRY(status);
    return TESS_OK;
}

static tess_status check_path(tess_mrc_report *report, const char *path, const tess_mrc_check_opts *o)
{
    unsigned char    bytes[TESS__MRC_HEADER];
    int64_t          got = 0, size = -1;
    char             found[40];
    tess__mrc_header h;
    TESS_TRY(read_start(bytes, &got, &size, path));
    if (got < TESS__MRC_HEADER) {
        find(report, (subject){ TESS_MRC_BAD_LENGTH, false, "size", integer(found, got), "1024 or more" },
             "the file has %s bytes; a header has 1024", found);
        return TESS_OK;
    }
    (void)tess__mrc_parse(&h, bytes);
    check_identity(report, &h);
    check_sizes(report, &h);
    check_meaning(report, &h);
    check_labels(report, &h);
    check_extended(report, &h, size);
    TESS_TRY(check_data(report, path, &h, o));
    return TESS_OK;
}

tess_status tess_mrc_check(tess_mrc_report *report, const char *path, const tess_mrc_check_opts *opts)
{
    TESS__TEXT_SCOPE();
    tess_mrc_check_opts o;
    tess__name          name;
    TESS_TRY(tess__resolve(&tess__info_mrc_check, opts, &o));
    TESS_TRY(tess__check_pointer("mrc_check", "report", report));
    TESS_TRY(tess__name_take(&name, "mrc_check", path));
    memset(report, 0, sizeof *report);
    const tess_status status = check_path(report, name.path, &o);
    tess__free(name.path);
    TESS_TRY(tess__error_under(status, "mrc_check"));
    return TESS_OK;
}
