/* Tables written to files by the names of these, and a file for each value of a column. */
#ifndef TESSERA_TABLES_TABLE_SPLIT_H
#define TESSERA_TABLES_TABLE_SPLIT_H

#include "command/job.h"
#include "tessera/star.h"

/* The form of a file by its name, as TESS_STAR_CSV; 0: STAR. */
int table_form(const char *path);

/* Writes the document, or of it these rows where the form is that of one table. --force overwrites. */
tess_status table_document_write(const job *j, const char *path, const tess_star *star, const tess_star_table *rows);

/* Writes a document for each value of the column of --split, by the name of -o. */
tess_status table_split(job *j, const tess_star *star, const tess_star_table *rows);

#endif
