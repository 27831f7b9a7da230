/* STAR files, as RELION writes them: tables with named columns, read, changed and written.
 *
 * A document is a list of tables. A table stands in a block ("data_optics") and is either a loop of rows or single
 * pairs of a label and a value, which is a table of one row. The text of each value is kept as it was in the file, so
 * that what is not touched is written as it was read. Labels may be given with or without their underscore.
 *
 * One line of a file is one row. Comments stay with the block, row or pair that they stand before or behind; only those
 * behind labels are dropped, since columns are numbered again. Documents are not to be used from two threads at once
 * while one of them changes them.
 */
#ifndef TESSERA_STAR_H
#define TESSERA_STAR_H

#include "tessera/array.h"

TESS_BEGIN_C

/** A document; it owns its tables and all texts that are got from it. */
typedef struct tess_star tess_star;

/** A table of a document; good until it is removed or the document is freed. */
typedef struct tess_star_table tess_star_table;

/* ---- Documents ---- */

/** Make an empty document. */
TESS_API TESS_MUST_CHECK tess_status tess_star_new(tess_star **star);

/** Read a file. Errors name the line and the column. */
TESS_API TESS_MUST_CHECK tess_status tess_star_read(tess_star **star, const char *path);

/** The same from text of n bytes; `name` stands for the file in messages. */
TESS_API TESS_MUST_CHECK tess_status tess_star_parse(tess_star **star, const char *text, int64_t n, const char *name);

typedef struct tess_star_opts {
    int32_t  overwrite;   /* 1: replace a file that is there [0: an error] */
    uint32_t reserved[7]; /* must be 0 */
} tess_star_opts;

/** Write a document; as with tess_write, it appears under its name only when it is complete. */
TESS_API TESS_MUST_CHECK tess_status tess_star_write(const char *path, const tess_star *star,
                                                     const tess_star_opts *opts);

/** Read a table of another kind, with tabs, commas or blanks between its fields: a document of one table, named `name`.
 *  The first line says what separates them, and holds the labels unless all of its fields are numbers (then they are
 *  column1, column2 and so on); blanks in labels become underscores. Fields may be in double quotes, where "" is one of
 *  them. Lines that begin with # are dropped. */
TESS_API TESS_MUST_CHECK tess_status tess_star_read_table(tess_star **star, const char *path, const char *name);

/** The same from text of n bytes; `path` stands for the file in messages. */
TESS_API TESS_MUST_CHECK tess_status tess_star_parse_table(tess_star **star, const char *text, int64_t n,
                                                           const char *path, const char *name);

/** Free a document with its tables. NULL is allowed. */
TESS_API void tess_star_free(tess_star *star);

/* ---- Tables ---- */

/** How many tables there are. */
TESS_API int64_t tess_star_count(const tess_star *star);

/** Table `i`; NULL if there is none. */
TESS_API tess_star_table *tess_star_at(const tess_star *star, int64_t i);

/** The first table of a block, as "particles"; NULL if there is none. */
TESS_API tess_star_table *tess_star_find(const tess_star *star, const char *name);

/** Add an empty table at the end: a loop without rows, or, with `pairs`, single pairs. */
TESS_API TESS_MUST_CHECK tess_status tess_star_add(tess_star_table **table, tess_star *star, const char *name,
                                                   bool pairs);

/** Remove table `i`. */
TESS_API TESS_MUST_CHECK tess_status tess_star_remove(tess_star *star, int64_t i);

/** The name of its block, without "data_". */
TESS_API const char *tess_star_name(const tess_star_table *table);

/** True for single pairs. */
TESS_API bool tess_star_is_pairs(const tess_star_table *table);

TESS_API int64_t tess_star_rows(const tess_star_table *table);
TESS_API int64_t tess_star_columns(const tess_star_table *table);

/** The label of a column, with its underscore; NULL if there is none. */
TESS_API const char *tess_star_label(const tess_star_table *table, int64_t column);

/** The number of the column of a label; -1 if there is none. */
TESS_API int64_t tess_star_column(const tess_star_table *table, const char *label);

/** The line of the file where a row stood, from 1; 0 for rows that came later. */
TESS_API int64_t tess_star_line(const tess_star_table *table, int64_t row);

/** Add a copy of a table of this or another document at the end: all of its rows if `rows` is NULL, or n of them, in
 *  this order. Pairs are copied whole. */
TESS_API TESS_MUST_CHECK tess_status tess_star_copy(tess_star_table **copy, tess_star *star,
                                                    const tess_star_table *table, const int64_t *rows, int64_t n);

/** How tess_star_write_table writes. */
typedef enum tess_star_form {
    TESS_STAR_TSV = 1, /* tabs between fields */
    TESS_STAR_CSV,     /* commas */
    TESS_STAR_JSON,    /* a list of objects: numbers, texts, and null for what is not finite */
    TESS_STAR_ALIGNED  /* columns for people to read, as wide as their longest text */
} tess_star_form;

typedef struct tess_star_table_opts {
    int32_t  overwrite;   /* 1: replace a file that is there [0: an error] */
    int32_t  form;        /* a tess_star_form [TESS_STAR_TSV] */
    uint32_t reserved[6]; /* must be 0 */
} tess_star_table_opts;

/** Write one table, with its labels without their underscores in the first line: as TSV, CSV, JSON or aligned columns.
 *  "-" is standard output. */
TESS_API TESS_MUST_CHECK tess_status tess_star_write_table(const char *path, const tess_star_table *table,
                                                           const tess_star_table_opts *opts);

/* ---- Values ---- */

/** The text of a value, without quotes; NULL outside the table. Good until the document is freed. */
TESS_API const char *tess_star_value(const tess_star_table *table, int64_t row, int64_t column);

/* By label. A missing column is TESS_EFORMAT, a row that is not there TESS_ERANGE, a value that is no number (no whole
 * number) TESS_EFORMAT: messages name the line and the column. */
TESS_API TESS_MUST_CHECK tess_status tess_star_get(const char **value, const tess_star_table *table, int64_t row,
                                                   const char *label);
TESS_API TESS_MUST_CHECK tess_status tess_star_get_f64(double *value, const tess_star_table *table, int64_t row,
                                                       const char *label);
TESS_API TESS_MUST_CHECK tess_status tess_star_get_i64(int64_t *value, const tess_star_table *table, int64_t row,
                                                       const char *label);

/** A column of numbers as an array {rows,1,1,1}: f64 if `out` is made here. */
TESS_API TESS_MUST_CHECK tess_status tess_star_numbers(tess_array *out, const tess_star_table *table,
                                                       const char *label);

/* Set a value; the column is added, with "0" elsewhere, if it is missing. Numbers get the fewest digits that read back
 * equal. A text may hold anything but line breaks, and not both kinds of quotes before a space. */
TESS_API TESS_MUST_CHECK tess_status tess_star_set(tess_star_table *table, int64_t row, const char *label,
                                                   const char *value);
TESS_API TESS_MUST_CHECK tess_status tess_star_set_f64(tess_star_table *table, int64_t row, const char *label,
                                                       double value);
TESS_API TESS_MUST_CHECK tess_status tess_star_set_i64(tess_star_table *table, int64_t row, const char *label,
                                                       int64_t value);

/** Set a column to the numbers of an array, one for each row in the order b, d, h, w; it is added if it is missing.
 *  Real dtypes, on the CPU. */
TESS_API TESS_MUST_CHECK tess_status tess_star_set_numbers(tess_star_table *table, const char *label,
                                                           const tess_array *numbers);

/** Add a column at the end, with this text in every row. A label that is there is TESS_EARG. */
TESS_API TESS_MUST_CHECK tess_status tess_star_add_column(tess_star_table *table, const char *label, const char *value);

TESS_API TESS_MUST_CHECK tess_status tess_star_remove_column(tess_star_table *table, const char *label);

/** Give a column another label. One that is there already is TESS_EARG. */
TESS_API TESS_MUST_CHECK tess_status tess_star_rename_column(tess_star_table *table, const char *label, const char *to);

/** Keep n columns, in this order. A label that is missing, or given twice, is an error. */
TESS_API TESS_MUST_CHECK tess_status tess_star_select_columns(tess_star_table *table, const char *const *labels,
                                                              int64_t n);

/** Add n rows of "0" at the end. Pairs have exactly one row. */
TESS_API TESS_MUST_CHECK tess_status tess_star_add_rows(tess_star_table *table, int64_t n);

/** Keep n rows, in this order; a row may be taken several times. */
TESS_API TESS_MUST_CHECK tess_status tess_star_select(tess_star_table *table, const int64_t *rows, int64_t n);

/** Sort the rows by a column: by value if all of it are numbers, NaN last, else by the bytes of the texts. Rows that
 *  are equal stay in their order, so that a sort by several columns is one after the other, the last column first. */
TESS_API TESS_MUST_CHECK tess_status tess_star_sort(tess_star_table *table, const char *label, bool descending);

/* ---- Several tables ---- */

/** Join by a column that both tables have: each row gets the other columns of the row of `with` that has the same text
 *  there. Columns that the table has already are left as they are. Rows without a partner are dropped, and counted in
 *  `n_dropped` unless that is NULL. A text that is twice in `with` is TESS_EFORMAT. */
TESS_API TESS_MUST_CHECK tess_status tess_star_join(int64_t *n_dropped, tess_star_table *table,
                                                    const tess_star_table *with, const char *label);

/** Add the rows of another table at the end, column by column of the same label; both must have the same columns. */
TESS_API TESS_MUST_CHECK tess_status tess_star_append(tess_star_table *table, const tess_star_table *from);

/** Add all tables of another document: rows to the tables of the same name, pairs and new tables where there are none.
 *  Optics groups that are in both are one; others get new numbers, and so do the rows that refer to them by
 *  rlnOpticsGroup. If this fails some tables may have been added to. */
TESS_API TESS_MUST_CHECK tess_status tess_star_merge(tess_star *star, const tess_star *from);

/* ---- Images ---- */

/** Take "000012@stack.mrcs" apart: the index, from 1, and where in `text` the file's name begins. Without "@" the index
 *  is 1. An index of 0 is TESS_EARG. */
TESS_API TESS_MUST_CHECK tess_status tess_star_image(int64_t *index, const char **name, const char *text);

/** The same for a row of a table; an index of 0 or, if `n_images` is not 0, beyond it is TESS_EARG naming the row. */
TESS_API TESS_MUST_CHECK tess_status tess_star_get_image(int64_t *index, const char **name,
                                                         const tess_star_table *table, int64_t row, const char *label,
                                                         int64_t n_images);

/** Set a value to "000012@stack.mrcs". */
TESS_API TESS_MUST_CHECK tess_status tess_star_set_image(tess_star_table *table, int64_t row, const char *label,
                                                         int64_t index, const char *name);

TESS_END_C

#endif
