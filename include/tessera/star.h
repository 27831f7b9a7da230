/* Reading, editing and writing of STAR files, as used by RELION.
 *
 * A document is a list of tables. A table belongs to a block ("data_optics") and is either a loop of rows, or a list of
 * pairs of a label and a value, which forms a table of one row. The text of each value is kept as in the file, so that
 * unchanged values are written as they were read. Labels may be given with or without the leading underscore.
 *
 * Each line of a file is one row. Comments stay with the block, row or pair that they precede or follow; only those
 * after labels are dropped, since columns are renumbered. While one thread modifies a document, no other thread may use
 * it.
 */
#ifndef TESSERA_STAR_H
#define TESSERA_STAR_H

#include "tessera/array.h"

TESS_BEGIN_C

/** A document; it owns its tables and all texts obtained from it. */
typedef struct tess_star tess_star;

/** A table of a document; valid until it is removed or the document is freed. */
typedef struct tess_star_table tess_star_table;

/* ---- Documents ---- */

/** Creates an empty document. */
TESS_API TESS_MUST_CHECK tess_status tess_star_new(tess_star **star);

/** Reads a file. Errors name the line and the column. */
TESS_API TESS_MUST_CHECK tess_status tess_star_read(tess_star **star, const char *path);

/** Parses a document from n bytes of text; `name` is used as the file name in messages. */
TESS_API TESS_MUST_CHECK tess_status tess_star_parse(tess_star **star, const char *text, int64_t n, const char *name);

typedef struct tess_star_opts {
    int32_t  overwrite;   /* 1: overwrite an existing file [0: an existing file is an error] */
    uint32_t reserved[7]; /* must be 0 */
} tess_star_opts;

/** Writes a document; as with tess_write, the file appears under its name only when it is complete. */
TESS_API TESS_MUST_CHECK tess_status tess_star_write(const char *path, const tess_star *star,
                                                     const tess_star_opts *opts);

/** Reads a plain table with fields separated by tabs, commas or blanks, as a document with one table named `name`. The
 *  separator is determined from the first line, which contains the labels unless all of its fields are numbers; then
 *  labels are column1, column2 and so on. Blanks in labels become underscores. Fields may be in double quotes, inside
 *  which "" represents a quote. Lines that begin with # are skipped. */
TESS_API TESS_MUST_CHECK tess_status tess_star_read_table(tess_star **star, const char *path, const char *name);

/** Parses such a table from n bytes of text; `path` is used as the file name in messages. */
TESS_API TESS_MUST_CHECK tess_status tess_star_parse_table(tess_star **star, const char *text, int64_t n,
                                                           const char *path, const char *name);

/** Frees a document with its tables. NULL is allowed. */
TESS_API void tess_star_free(tess_star *star);

/* ---- Tables ---- */

/** Returns the number of tables. */
TESS_API int64_t tess_star_count(const tess_star *star);

/** Returns table `i`; NULL if there is none. */
TESS_API tess_star_table *tess_star_at(const tess_star *star, int64_t i);

/** Returns the first table of a block, such as "particles"; NULL if there is none. */
TESS_API tess_star_table *tess_star_find(const tess_star *star, const char *name);

/** Adds an empty table at the end: a loop without rows, or, with `pairs`, a list of pairs. */
TESS_API TESS_MUST_CHECK tess_status tess_star_add(tess_star_table **table, tess_star *star, const char *name,
                                                   bool pairs);

/** Removes table `i`. */
TESS_API TESS_MUST_CHECK tess_status tess_star_remove(tess_star *star, int64_t i);

/** Returns the name of the table's block, without "data_". */
TESS_API const char *tess_star_name(const tess_star_table *table);

/** Returns true if the table is a list of pairs. */
TESS_API bool tess_star_is_pairs(const tess_star_table *table);

TESS_API int64_t tess_star_rows(const tess_star_table *table);
TESS_API int64_t tess_star_columns(const tess_star_table *table);

/** Returns the label of a column, with its underscore; NULL if there is none. */
TESS_API const char *tess_star_label(const tess_star_table *table, int64_t column);

/** Returns the index of the column with a label; -1 if there is none. */
TESS_API int64_t tess_star_column(const tess_star_table *table, const char *label);

/** Returns the line of the file that contained a row, from 1; 0 for rows added later. */
TESS_API int64_t tess_star_line(const tess_star_table *table, int64_t row);

/** Adds a copy of a table of this or another document at the end: with all rows if `rows` is NULL, or with n of them,
 *  in this order. Pairs are copied completely. */
TESS_API TESS_MUST_CHECK tess_status tess_star_copy(tess_star_table **copy, tess_star *star,
                                                    const tess_star_table *table, const int64_t *rows, int64_t n);

/** Output format of tess_star_write_table. */
typedef enum tess_star_form {
    TESS_STAR_TSV = 1, /* tabs between fields */
    TESS_STAR_CSV,     /* commas */
    TESS_STAR_JSON,    /* a list of objects: numbers, texts, and null for values that are not finite */
    TESS_STAR_ALIGNED  /* aligned columns for display, as wide as their longest text */
} tess_star_form;

typedef struct tess_star_table_opts {
    int32_t  overwrite;   /* 1: overwrite an existing file [0: an existing file is an error] */
    int32_t  form;        /* a tess_star_form [TESS_STAR_TSV] */
    uint32_t reserved[6]; /* must be 0 */
} tess_star_table_opts;

/** Writes one table as TSV, CSV, JSON or aligned columns, with the labels, without underscores, in the first line. "-"
 *  is standard output. */
TESS_API TESS_MUST_CHECK tess_status tess_star_write_table(const char *path, const tess_star_table *table,
                                                           const tess_star_table_opts *opts);

/* ---- Values ---- */

/** Returns the text of a value, without quotes; NULL outside the table. Valid until the document is freed. */
TESS_API const char *tess_star_value(const tess_star_table *table, int64_t row, int64_t column);

/* Access by label. A missing column is TESS_EFORMAT, a missing row TESS_ERANGE, and a value that is not a number (or
 * not an integer) TESS_EFORMAT; messages name the line and the column. */
TESS_API TESS_MUST_CHECK tess_status tess_star_get(const char **value, const tess_star_table *table, int64_t row,
                                                   const char *label);
TESS_API TESS_MUST_CHECK tess_status tess_star_get_f64(double *value, const tess_star_table *table, int64_t row,
                                                       const char *label);
TESS_API TESS_MUST_CHECK tess_status tess_star_get_i64(int64_t *value, const tess_star_table *table, int64_t row,
                                                       const char *label);

/** Returns a column of numbers as an array {rows,1,1,1}, f64 if newly allocated. */
TESS_API TESS_MUST_CHECK tess_status tess_star_numbers(tess_array *out, const tess_star_table *table,
                                                       const char *label);

/* Set a value. A missing column is added, with "0" in other rows. Numbers are written with the fewest digits that read
 * back equal. A text may contain anything except line breaks, and not both kinds of quotes before a space. */
TESS_API TESS_MUST_CHECK tess_status tess_star_set(tess_star_table *table, int64_t row, const char *label,
                                                   const char *value);
TESS_API TESS_MUST_CHECK tess_status tess_star_set_f64(tess_star_table *table, int64_t row, const char *label,
                                                       double value);
TESS_API TESS_MUST_CHECK tess_status tess_star_set_i64(tess_star_table *table, int64_t row, const char *label,
                                                       int64_t value);

/** Sets a column to the numbers of an array, one for each row in the order b, d, h, w. A missing column is added. Real
 *  dtypes, on the CPU. */
TESS_API TESS_MUST_CHECK tess_status tess_star_set_numbers(tess_star_table *table, const char *label,
                                                           const tess_array *numbers);

/** Adds a column at the end, with this text in every row. An existing label is TESS_EARG. */
TESS_API TESS_MUST_CHECK tess_status tess_star_add_column(tess_star_table *table, const char *label, const char *value);

TESS_API TESS_MUST_CHECK tess_status tess_star_remove_column(tess_star_table *table, const char *label);

/** Renames a column. An existing label is TESS_EARG. */
TESS_API TESS_MUST_CHECK tess_status tess_star_rename_column(tess_star_table *table, const char *label, const char *to);

/** Keeps n columns, in this order. A label that is missing or given twice is an error. */
TESS_API TESS_MUST_CHECK tess_status tess_star_select_columns(tess_star_table *table, const char *const *labels,
                                                              int64_t n);

/** Adds n rows of "0" at the end. Pairs have exactly one row. */
TESS_API TESS_MUST_CHECK tess_status tess_star_add_rows(tess_star_table *table, int64_t n);

/** Keeps n rows, in this order; a row may be repeated. */
TESS_API TESS_MUST_CHECK tess_status tess_star_select(tess_star_table *table, const int64_t *rows, int64_t n);

/** Sorts the rows by a column: by value if it contains only numbers, with NaN last, otherwise by the bytes of the
 *  texts. The sort is stable: to sort by several columns, sort by each of them, the least important first. */
TESS_API TESS_MUST_CHECK tess_status tess_star_sort(tess_star_table *table, const char *label, bool descending);

/* ---- Several tables ---- */

/** Joins two tables by a common column: each row gets the other columns of the row of `with` that has the same text
 *  there. Existing columns are not changed. Rows without a match are dropped, and counted in `n_dropped` unless that is
 *  NULL. A text that occurs twice in `with` is TESS_EFORMAT. */
TESS_API TESS_MUST_CHECK tess_status tess_star_join(int64_t *n_dropped, tess_star_table *table,
                                                    const tess_star_table *with, const char *label);

/** Appends the rows of another table, matching columns by label; both must have the same columns. */
TESS_API TESS_MUST_CHECK tess_status tess_star_append(tess_star_table *table, const tess_star_table *from);

/** Merges another document: rows are appended to tables of the same name; new tables, and pairs that do not exist yet,
 *  are added. Optics groups that are equal in both are shared; others are renumbered, also in the rows that refer to
 *  them by rlnOpticsGroup. On failure, some tables may already be changed. */
TESS_API TESS_MUST_CHECK tess_status tess_star_merge(tess_star *star, const tess_star *from);

/* ---- Images ---- */

/** Parses "000012@stack.mrcs": returns the index, from 1, and a pointer to the file name in `text`. Without "@" the
 *  index is 1. An index of 0 is TESS_EARG. */
TESS_API TESS_MUST_CHECK tess_status tess_star_image(int64_t *index, const char **name, const char *text);

/** Parses the image name of a row of a table. An index of 0 or, if `n_images` is not 0, above `n_images`, is TESS_EARG
 *  and the message names the row. */
TESS_API TESS_MUST_CHECK tess_status tess_star_get_image(int64_t *index, const char **name,
                                                         const tess_star_table *table, int64_t row, const char *label,
                                                         int64_t n_images);

/** Sets a value to an image name such as "000012@stack.mrcs". */
TESS_API TESS_MUST_CHECK tess_status tess_star_set_image(tess_star_table *table, int64_t row, const char *label,
                                                         int64_t index, const char *name);

TESS_END_C

#endif
