/* tessera check: is a file as its format says? And a repaired copy of it. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "files/outputs/copy_file.h"
#include "files/file_name.h"
#include "files/open_file.h"
#include "files/outputs/output.h"
#include "files/outputs/target.h"
#include "measure/statistics.h"
#include "tessera/mrc.h"

/* What was found in one file. */
typedef struct verdict {
    const char *name;
    table      *table;
    int         faults, fixable;
    bool        mrc;
} verdict;

static void add_fault(verdict *v, const char *field, const char *found, const char *wanted, const char *text,
                      bool fixable)
{
    v->faults++;
    v->fixable += fixable;
    if (v->table) {
        table_text(v->table, "file", v->name);
        table_text(v->table, "field", field);
        table_text(v->table, "found", found);
        table_text(v->table, "wanted", wanted);
        table_text(v->table, "fixable", fixable ? "yes" : "no");
        table_text(v->table, "text", text);
        table_row(v->table);
    } else {
        print_clean(stdout, v->name, -1);
        (void)printf(": %s: ", field);
        print_clean(stdout, text, -1);
        (void)printf("%s\n", fixable ? " (--fix repairs it)" : "");
    }
}

/* A file that was not completed beside this one is no fault of it. */
static void tell_unfinished(void *context, const char *path, bool alive)
{
    const verdict *v = context;
    const char    *text =
        alive ? "is being written" : "was left by a process that has ended; writing the file again removes it";
    if (v->table) {
        table_text(v->table, "file", v->name);
        table_text(v->table, "field", "unfinished");
        table_text(v->table, "found", path);
        table_text(v->table, "wanted", "");
        table_text(v->table, "fixable", "no");
        table_text(v->table, "text", text);
        table_row(v->table);
    } else {
        print_clean(stdout, v->name, -1);
        (void)printf(": unfinished: ");
        print_clean(stdout, path, -1);
        (void)printf(" %s\n", text);
    }
}

static tess_status check_mrc(job *j, verdict *v, int32_t bytes)
{
    tess_mrc_report report;
    TESS_TRY(tess_mrc_check(&report, v->name,
                            &(tess_mrc_check_opts){ .bytes = bytes, .header_only = job_has(j, "header-only") }));
    for (int i = 0; i < report.n_findings; i++) {
        const tess_mrc_finding *f = &report.findings[i];
        add_fault(v, f->field, f->found, f->wanted, f->text, f->fixable);
    }
    return TESS_OK;
}

/* Of other formats: what the reader found odd, whether all data can be read, and values that are not finite. */
static tess_status check_other(job *j, verdict *v, input *in)
{
    double all[TESS_STATISTICS_COLUMNS];
    char   text[160], found[40];
    for (int i = 0; i < in->info.n_warnings; i++) {
        const tess_file_warning *w = &in->info.warnings[i];
        add_fault(v, w->field, w->found, w->used, w->text, false);
    }
    if (job_has(j, "header-only") || tess_dtype_kind(in->info.dtype) == TESS_KIND_COMPLEX) return TESS_OK;
    TESS_TRY(statistics_of(all, j, input_source(in)));
    const double n_nan = all[TESS_STATISTICS_N_NAN], n_inf = all[TESS_STATISTICS_N_INF];
    if (n_nan + n_inf == 0) return TESS_OK;
    (void)snprintf(found, sizeof found, "%.0f", n_nan + n_inf);
    (void)snprintf(text, sizeof text, "%.0f values are NaN and %.0f infinite", n_nan, n_inf);
    add_fault(v, "data", found, "0", text, false);
    return TESS_OK;
}

/* A file of MRC that cannot even be opened is still one for tess_mrc_check to look at. */
static bool is_mrc(const char *name, const input *in, tess_status opened)
{
    if (opened == TESS_OK) return in->file && in->info.format == TESS_FORMAT_MRC;
    return opened == TESS_EFORMAT && tess_file_format_of(name) == TESS_FORMAT_MRC;
}

static tess_status check_file(job *j, verdict *v)
{
    input       in;
    tess_status opened = input_open(&in, j, v->name, NEED_ANY), status;
    v->mrc = is_mrc(v->name, &in, opened);
    if (v->mrc) {
        int32_t     bytes = 0;
        const char *text = job_text(j, "bytes", "");
        if (text[0] == 's') bytes = TESS_BYTES_SIGNED;
        else if (text[0]) bytes = text[0] == 'u' ? TESS_BYTES_UNSIGNED : TESS_BYTES_IMOD;
        if (opened == TESS_OK) input_close(&in);
        tess_error_clear();
        status = check_mrc(j, v, bytes);
    } else if (opened == TESS_OK) {
        status = check_other(j, v, &in);
        input_close(&in);
    } else {
        status = opened;
    }
    TESS_TRY(status);
    if (v->faults > 0 && j->exit_code < EXIT_DIFFERS) j->exit_code = EXIT_DIFFERS;
    if (v->faults == 0 && !v->table) {
        print_clean(stdout, v->name, -1);
        (void)printf(": good\n");
    }
    return TESS_OK;
}

/* ---- Repair ---- */

static tess_status repair(void *context, const char *path)
{
    return tess_mrc_edit(path, &(tess_mrc_edit_opts){ .repair = 1, .label = context });
}

static tess_status leave(void *context, const char *path)
{
    (void)context, (void)path;
    return TESS_OK;
}

/* The copy has what was mended; of a good file it is just that. */
static tess_status repair_copy(job *j, const verdict *v, const char *to, char *label)
{
    char from[4096];
    TESS_CHECK(plain_path(from, sizeof from, v->name), TESS_EARG, "check: the name %s is too long", v->name);
    return copy_changed(from, to, job_has(j, "force"), v->fixable ? repair : leave, label);
}

static tess_status repair_in_place(const verdict *v, char *label)
{
    bool compressed;
    TESS_TRY(is_compressed(&compressed, v->name));
    TESS_CHECK(!compressed, TESS_EUNSUPPORTED,
               "check: %s is compressed and cannot be repaired in place; name a copy with -o", v->name);
    return repair(label, v->name);
}

static tess_status repair_file(job *j, const verdict *v, const char *to)
{
    char label[81];
    if (v->fixable == 0) job_note(j, "%s: --fix has nothing to repair%s", v->name, to ? "; it is copied" : "");
    if (v->fixable == 0 && !to) return TESS_OK;
    make_label(label, j);
    if (to) TESS_TRY(repair_copy(j, v, to, label));
    else TESS_TRY(repair_in_place(v, label));
    if (v->fixable > 0)
        job_note(j, "%s: %d of %d faults repaired in %s", v->name, v->fixable, v->faults, to ? to : "place");
    return TESS_OK;
}

/* The copy is never compressed, and its name must not say that it is. */
static tess_status check_copy_name(const char *to)
{
    const size_t n = strlen(to);
    TESS_CHECK(!(n > 3 && strcmp(to + n - 3, ".gz") == 0) && !(n > 4 && strcmp(to + n - 4, ".bz2") == 0), TESS_EARG,
               "check: -o is %s, but the copy is not compressed; name it without .gz or .bz2", to);
    return TESS_OK;
}

static tess_status check_options(job *j)
{
    const char *to = job_text(j, "output", NULL);
    bool        fix = job_has(j, "fix"), in_place = job_has(j, "in-place");
    TESS_CHECK(fix || (!to && !in_place), TESS_EARG, "check: -o and --in-place require --fix");
    TESS_CHECK(!fix || (to != NULL) != in_place, TESS_EARG,
               "check: --fix needs -o for the repaired copy, or --in-place");
    TESS_CHECK(!to || j->n_arguments == 1, TESS_EARG, "check: -o takes one input file; --in-place repairs several");
    if (to) TESS_TRY(check_copy_name(to));
    return to ? output_check(j, NULL) : TESS_OK;
}

static tess_status run(job *j)
{
    TESS_TRY(check_options(j));
    table *t = job_has(j, "json") || job_has(j, "tsv") ? table_new(j, stdout) : NULL;
    silence_warnings(true); /* they are findings here */
    for (int i = 0; i < j->n_arguments; i++) {
        verdict     v = { .name = j->arguments[i], .table = t };
        tess_status status = check_file(j, &v);
        tess_find_unfinished(v.name, tell_unfinished, &v);
        if (status == TESS_OK && job_has(j, "fix")) status = repair_file(j, &v, job_text(j, "output", NULL));
        if (status != TESS_OK) job_failed(j, status, j->arguments[i]);
    }
    table_end(t);
    return TESS_OK;
}

static const option options[] = {
    FLAG("fix", "write a repaired copy to -o, or repair --in-place"),
    FLAG("in-place", "with --fix: change the header of the file itself"),
    FLAG("header-only", "check only the header: no statistics, NaN or infinity"),
    VALUE("output", "OUT", OPTION_FILE, "the repaired copy", .letter = 'o', .writes = true),
    FLAG("force", "overwrite existing files", .letter = 'f'),
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera check stack.mrcs volume.mrc",
    "tessera check x.mrc --fix -o good.mrc -f || true",
    NULL,
};

const verb verb_check = {
    .name = "check",
    .subject = "files",
    .summary = "check files for faults; exit 1 if there are any",
    .arguments = "INPUT...",
    .text =
        "MRC files are checked against MRC2014 and their size, and the statistics in their header against the data; "
        "files of other formats are read to the end. NaN and infinity are faults.\n\n--fix repairs fields of the "
        "header: stamps, axes, labels, statistics, a wrong size of the extended header. Data are never changed. The "
        "copy that -o names is not compressed, even if the input is; the copy of a good file is identical.",
    .globals = GLOBAL_READ | GLOBAL_TABLE | GLOBAL_PROGRESS,
    VERB_OF_FILE(1, -1),
};
