/* tessera star: tables of STAR, TSV and CSV files, filtered, joined, sorted, computed, drawn and converted. */
#include <string.h>

#include "base/text.h"
#include "draw/table_plots.h"
#include "files/star_file.h"
#include "tables/table_split.h"
#include "tables/table_steps.h"

static const option options[] = {
    VALUE("table", "NAME", OPTION_TEXT, "table to work on [the first loop except optics]"),
    FLAG("list", "list tables and columns, with their first values"),
    VALUE("where", "EXPR", OPTION_TEXT, "keep only rows for which this is true", .many = true),
    VALUE("set", "NAME=EXPR", OPTION_TEXT, "compute a column", .many = true),
    VALUE("join", "FILE", OPTION_FILE, "add the columns of another file", .many = true),
    VALUE("by", "COL", OPTION_TEXT, "column by which rows are matched"),
    VALUE("sort", "COLS", OPTION_TEXT, "sort by these columns; COL:down is descending", .many = true),
    VALUE("rows", "LIST", OPTION_SLICES, "keep only these rows, from 0: 0-9,12,20-"),
    VALUE("columns", "COLS", OPTION_TEXT, "keep only these columns, in this order", .many = true),
    VALUE("drop", "COLS", OPTION_TEXT, "remove these columns", .many = true),
    VALUE("rename", "OLD=NEW", OPTION_TEXT, "rename a column", .many = true),
    VALUE("split", "COL", OPTION_TEXT, "write a file per value of a column"),
    VALUE("histogram", "COL", OPTION_TEXT, "plot the histogram of a column"),
    VALUE("bins", "N", OPTION_INTEGER, "number of bars of the histogram [50]"),
    VALUE("x", "COL", OPTION_TEXT, "column for the x axis of --y [row number]"),
    VALUE("y", "COLS", OPTION_TEXT, "plot these columns"),
    TERMINAL_OPTION,
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera star particles.star --where 'rlnDefocusU > 15002 && rlnDefocusU < 15007' -o chosen.star",
    "tessera star particles.star --join micrographs.star --by rlnMicrographName -o joined.star",
    "tessera star particles.star --set 'rlnDefocusU=rlnDefocusU + 100' --sort rlnDefocusU:down -o shifted.star",
    "tessera star particles.star --split rlnMicrographName -o 'of_{value}.star'",
    "tessera star particles.star -o particles.cs",
    "tessera star particles.star --histogram rlnDefocusU --bins 4 -o defocus.svg",
    NULL,
};

/* ---- What there is ---- */

static void list_table(table *t, const tess_star_table *rows)
{
    for (int64_t k = 0; k < tess_star_columns(rows); k++) {
        const char *first = tess_star_value(rows, 0, k);
        table_text(t, "table", tess_star_name(rows));
        table_integer(t, "rows", tess_star_rows(rows));
        table_text(t, "column", tess_star_label(rows, k) + 1);
        table_text(t, "first", first ? first : "");
        table_row(t);
    }
}

static tess_status list_all(job *j, const tess_star *star)
{
    table *t = table_new(j, stdout);
    TESS_CHECK(t, TESS_ENOMEM, "star: no memory for a table");
    for (int64_t i = 0; i < tess_star_count(star); i++) list_table(t, tess_star_at(star, i));
    table_end(t);
    return TESS_OK;
}

/* ---- Files ---- */

static tess_status print_rows(const job *j, const tess_star_table *rows)
{
    const int form = job_has(j, "json") ? TESS_STAR_JSON : job_has(j, "tsv") ? TESS_STAR_TSV : TESS_STAR_ALIGNED;
    return tess_star_write_table("-", rows, &(tess_star_table_opts){ .form = form });
}

/* ---- The whole ---- */

static bool is_drawn(const job *j) { return job_has(j, "histogram") || job_has(j, "y"); }

static tess_status check_options(job *j)
{
    const char *out = job_text(j, "output", "");
    TESS_CHECK(job_has(j, "join") || !job_has(j, "by"), TESS_EARG, "star: --by requires --join");
    TESS_CHECK(job_has(j, "y") || !job_has(j, "x"), TESS_EARG, "star: --x requires --y");
    TESS_CHECK(job_has(j, "histogram") || !job_has(j, "bins"), TESS_EARG, "star: --bins requires --histogram");
    TESS_CHECK(job_has(j, "histogram") + job_has(j, "y") + job_has(j, "split") + job_has(j, "list") <= 1, TESS_EARG,
               "star: only one of --list, --split, --histogram and --y is allowed");
    TESS_CHECK(!job_has(j, "output") || !(job_has(j, "json") || job_has(j, "tsv") || job_has(j, "list")), TESS_EARG,
               "star: --json, --tsv and --list apply only to printed results, without -o; the extension of -o sets the "
               "format: .star, .tsv, .csv, .json");
    TESS_CHECK(is_drawn(j) || !out[0] || table_form(out) || ends_with_any_case(out, ".star") || is_cs_name(out) ||
                   strcmp(out, "-") == 0,
               TESS_EARG,
               "star: -o is \"%s\"; expected the extension .star, .cs, .tsv, .csv or .json, or with --histogram or --y "
               ".png or .svg",
               out);
    return TESS_OK;
}

static tess_status finish(job *j, const tess_star *star, const tess_star_table *t, const picture_out *out)
{
    if (job_has(j, "list")) return list_all(j, star);
    if (job_has(j, "split")) return table_split(j, star, t);
    if (out->skip) return TESS_OK;
    if (job_has(j, "histogram")) return table_histogram(j, out, t);
    if (job_has(j, "y")) return table_scatter(j, out, t);
    if (!job_has(j, "output")) return print_rows(j, t);
    return table_document_write(j, job_text(j, "output", ""), star, t);
}

/* All inputs as one document. */
static tess_status read_inputs(const job *j, tess_star **star)
{
    TESS_TRY(table_read(star, j, j->arguments[0]));
    for (int i = 1; i < j->n_arguments; i++) {
        tess_star *more = NULL;
        TESS_TRY(table_read(&more, j, j->arguments[i]));
        const tess_status status = tess_star_merge(*star, more);
        tess_star_free(more);
        if (status != TESS_OK) return status;
    }
    return TESS_OK;
}

static tess_status run(job *j)
{
    tess_star  *star = NULL;
    picture_out out = { .skip = false };
    table_steps s = { .job = j };
    tess_status status;
    TESS_TRY(check_options(j));
    if (is_drawn(j)) TESS_TRY(picture_out_find(&out, j));
    else if (job_has(j, "output") && !job_has(j, "split")) TESS_TRY(output_check(j, &out.skip));
    TESS_GOTO(done, status, read_inputs(j, &star));
    s.is_cryosparc = tess_star_is_cryosparc(star);
    TESS_GOTO(done, status, table_find(&s.table, j, star, j->arguments[0]));
    TESS_GOTO(done, status, table_steps_run(&s));
    TESS_GOTO(done, status, finish(j, star, s.table, &out));
done:
    tess_star_free(star);
    if (status == TESS_EPARSE) {
        job_failed(j, status, NULL);
        fault_show(s.expression, &s.wrong);
        status = TESS_OK;
    }
    return status;
}

const verb verb_star = {
    .name = "star",
    .subject = "tables",
    .summary = "filter, join, sort, plot or convert STAR, cryoSPARC and CSV tables",
    .arguments = "INPUT... [-o OUT]",
    .text =
        "Steps are done in the order of the command line: --where, --set, --join, --sort, --rows, --columns, --drop "
        "and --rename. The result is printed, or written to -o in the format of its extension: .star with all other "
        "tables of the input, including optics, and its comments; .tsv, .csv or .json with the one table. Values that "
        "are not changed keep their text.\n\nA .cs file of cryoSPARC is a table with the names of its fields; a field "
        "of several values, such as a pose, becomes the columns NAME_0, NAME_1 and so on. Written as .star it gets "
        "RELION's labels, an optics table, Euler angles and origins in A; a STAR file written as .cs gets cryoSPARC's "
        "fields. Columns without a counterpart are kept. In expressions, names of fields keep their slash: 'ctf/df1_A "
        "> 15000'. Every verb that takes particles of a STAR file takes a .cs file too.\n\nExpressions use the "
        "operator language, as in calc, with the names of columns: + - * / %, comparisons, && || !, ?: and functions "
        "such as sqrt, abs and clamp. Numbers are f64; row is the number of a row from 0. mean, sum, min, max, std, "
        "var, norm and median of one argument are taken over all rows. A column is compared with a text by == and !=, "
        "where * matches any characters and ? one: 'rlnMicrographName == \"a*.mrc\"'. --set 'NAME=\"TEXT\"' sets a "
        "text.\n\nRows of several inputs become one table; optics groups that differ get new numbers. --join adds the "
        "columns that are missing; rows without a match are dropped, with a note. --split names files by {value} in "
        "-o, or puts the value before the extension. One --by serves all --join.\n\nTables are held in memory whole, "
        "whatever --mem says: their text, and 8 bytes per value, twice while rows are selected, sorted or joined.",
    .mark = "{value}",
    .globals = GLOBAL_OUT | GLOBAL_TABLE | GLOBAL_DEVICE,
    VERB_OF_FILE(1, -1),
};
