/* A row of named values, printed as a table (--json, --tsv, columns) or as the bare values that --field asks for. */
#ifndef TESSERA_COMMAND_ROW_H
#define TESSERA_COMMAND_ROW_H

#include "command/job.h"

typedef enum cell_kind {
    CELL_NUMBER,
    CELL_INTEGER,
    CELL_TEXT,
    CELL_LIST,
    CELL_SPLIT_LIST,
    CELL_TEXTS,
    CELL_NULL
} cell_kind;

typedef struct cell {
    const char *name;
    cell_kind   kind;
    double      number; /* NaN: not known */
    tess_dtype  dtype;  /* that the number has digits of */
    int64_t     integer;
    char        text[256];
    const char *texts[16]; /* as many as `integer` says */
    int         more;
} cell;

enum { MAX_CELLS = 64 };

typedef struct row {
    cell cells[MAX_CELLS];
    int  n;
} row;

void row_start(row *r);
void row_number(row *r, const char *name, double value, tess_dtype dtype); /* with the digits of this dtype */
void row_integer(row *r, const char *name, int64_t value);
void row_text(row *r, const char *name, const char *value);

/* Not there: null in JSON, and `text` elsewhere. */
void row_null(row *r, const char *name, const char *text);

/* Several numbers under one name, with blanks or commas between them: an array in JSON. `split`: a table has columns
 * for each beside it, and does without. */
void row_list(row *r, const char *name, const char *value, bool split);

/* Up to 16 texts, which are not copied, and `more` that are not at hand: an array in JSON, elsewhere how many there
 * are. */
void row_texts(row *r, const char *name, const char *const *texts, int n, int more);

/* Are all of these names, separated by commas, in the row? The error lists those that are. */
tess_status row_check_fields(const row *r, const char *fields);

/* Their values, separated by blanks, and the end of the line. */
void row_print_fields(const row *r, const char *fields, FILE *out);

void row_to_table(const row *r, table *t);

#endif
