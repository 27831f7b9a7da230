/* STAR documents: the structs behind the public handles. */
#ifndef TESS_IO_TEXT_STAR_H
#define TESS_IO_TEXT_STAR_H

#include "tessera/star.h"

/* Memory for texts that live as long as the document. */
typedef struct tess__star_block {
    struct tess__star_block *next;
    int64_t                  used, size;
    char                     bytes[];
} tess__star_block;

/* A comment inside a table. */
typedef struct tess__star_comment {
    int64_t     row;    /* -1: before the labels; the number of rows: after the last; of pairs, the column */
    bool        behind; /* on the line of that row; else on lines before it */
    const char *text;   /* from its # on */
} tess__star_comment;

struct tess_star_table {
    tess_star   *star;
    char        *name;
    char        *comment; /* lines before "data_", or NULL */
    bool         pairs;
    bool         continues; /* in the block of the table before it: without a "data_" of its own */
    const char **labels;    /* with the underscore */
    int64_t      n_columns, column_capacity;
    const char **cells; /* row after row */
    int64_t     *lines; /* of the file, of each row */
    int64_t      n_rows, row_capacity, cell_capacity;

    tess__star_comment *comments; /* in the order of the file */
    int64_t             n_comments, comment_capacity;
};

struct tess_star {
    tess_star_table **tables;
    int64_t           n_tables, table_capacity;
    tess__star_block *blocks;
    char             *text; /* of a file: most values point into it */
    char             *path; /* for messages */
};

/* Grow the capacity for columns (existing rows are laid out anew) or rows; nothing is set. */
tess_status tess__star_grow_columns(tess_star_table *table);
tess_status tess__star_grow_rows(tess_star_table *table, int64_t n);

/* A new table at the end. `name` is kept as it is. */
tess_status tess__star_append(tess_star_table **table, tess_star *star, char *name, bool pairs);

/* Take it away again. */
void tess__star_drop_last(tess_star *star);

/* A copy of n bytes and a zero byte that lives as long as the document. */
tess_status tess__star_keep_text(char **copy, tess_star *star, const char *text, int64_t n);

/* A name or a label, without blanks and control characters; a row that is there. */
tess_status tess__star_check_word(const char *fn, const char *arg, const char *word);
tess_status tess__star_check_row(const char *fn, const tess_star_table *t, int64_t row);

/* What new values are. */
extern const char tess__star_zero[];

/* The failure of a column that is not there; "x.star: line 12" for messages, in `text` of 160 bytes. */
tess_status tess__star_missing(const char *fn, const tess_star_table *t, const char *label);
const char *tess__star_location(char *text, const tess_star_table *t, int64_t row);

/* No label twice in a table. */
tess_status tess__star_check_labels(const char *fn, const tess_star_table *t);

/* ---- Comments inside tables (star_comments.c) ---- */

tess_status tess__star_add_comment(tess_star_table *t, int64_t row, bool behind, const char *text);

/* Add those of rows of another table, or of this one before its rows were chosen, as its rows from `first` on. A NULL
 * `rows` takes all. Texts are not copied. */
typedef struct tess__star_comments {
    const tess__star_comment *comments;
    int64_t                   n, n_rows;
} tess__star_comments;
tess_status tess__star_add_comments(tess_star_table *t, int64_t first, const tess__star_comments *from,
                                    const int64_t *rows, int64_t n);

/* Pair `column` goes: so do its comments. */
void tess__star_drop_comments(tess_star_table *t, int64_t column);

/* ---- Words ---- */

/* Does a word begin with this keyword, "data_" or "loop_", in small or capital letters? */
bool tess__star_begins(const char *word, const char *keyword);

/* ---- Writing ---- */

/* How a value must be written: as it is, or in quotes of a kind; 0 if it cannot be. `first`: it begins a line. */
char tess__star_quote(const char *value, bool first);

#endif
