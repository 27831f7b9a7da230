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

/* How a value must be written: as it is, or in quotes of a kind; 0 if it cannot be. `first`: it begins a line. */
char tess__star_quote(const char *value, bool first);

#endif
