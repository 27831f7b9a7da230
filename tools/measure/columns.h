/* Numbers in columns of a text: tabs, commas or spaces between them, with or without a line of names. */
#ifndef TESSERA_MEASURE_COLUMNS_H
#define TESSERA_MEASURE_COLUMNS_H

#include "command/job.h"

typedef struct columns {
    char    *text;   /* the file, cut into names */
    int      n;      /* columns */
    char   **names;  /* "" where there are none */
    double **values; /* of each column; NaN where there is no number */
    int64_t  n_rows;
    int64_t  n_words;  /* fields that are no numbers */
    int64_t  n_uneven; /* rows that have more or fewer fields than the first line */
} columns;

/* Read a file; "-" is standard input. Empty lines and those that begin with # are left out. */
tess_status columns_read(columns *c, const char *path);
void        columns_free(columns *c);

/* The column of a name, or of a number from 1; -1 if there is none. */
int columns_find(const columns *c, const char *name);

#endif
