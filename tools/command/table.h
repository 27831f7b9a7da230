/* Tables: one row per file or image; --json, --tsv, or columns for people, whose numbers have --digits [6]. */
#ifndef TESSERA_COMMAND_TABLE_H
#define TESSERA_COMMAND_TABLE_H

#include <stdio.h>

#include "command/verb.h"

typedef struct table table;

table *table_new(job *job, FILE *out);
void   table_number(table *t, const char *column, double value); /* shortest text that reads back equal */
void   table_number_as(table *t, const char *column, double value, tess_dtype dtype);
void   table_integer(table *t, const char *column, int64_t value);
void   table_text(table *t, const char *column, const char *value);
void   table_null(table *t, const char *column); /* null in JSON, else nothing */

/* Numbers with blanks or commas between them: an array in JSON, where a word such as "unknown", and what is not finite,
 * is null. */
void table_list(table *t, const char *column, const char *numbers);

/* Texts, without blanks at their ends, and `more` that are not at hand: an array in JSON, elsewhere how many there
 * are. */
void table_texts(table *t, const char *column, const char *const *texts, int n, int more);
/* With tabs, unless it is JSON. */
void table_tabs(table *t);

bool table_is_json(const table *t);
/* One table for all inputs of a verb that is run for each: table_new gives it every time, its first column is "file",
 * table_end keeps the rows of an input and table_free drops them. table_print_shared prints it, if it was used. */
void table_share(job *j);
void table_print_shared(job *j);

void table_row(table *t);  /* end of a row */
void table_end(table *t);  /* print what is left, and free it */
void table_free(table *t); /* without printing */

#endif
