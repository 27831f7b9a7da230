/* What `tessera star` does to a table, step by step in the order of the options: rows chosen, columns computed, others
 * joined, sorted, renamed. */
#ifndef TESSERA_TABLES_TABLE_STEPS_H
#define TESSERA_TABLES_TABLE_STEPS_H

#include "calc/tokens.h"
#include "command/job.h"
#include "tessera/star.h"

typedef struct table_steps {
    job             *job;
    tess_star_table *table;
    bool             is_cryosparc; /* columns are those of cryoSPARC */
    const char      *expression; /* the one that is being computed, for the caret under what is wrong */
    fault            wrong;
} table_steps;

/* Read a STAR file, or a table whose name ends with .tsv, .csv or .txt, which gets the name of --table. */
tess_status table_read(tess_star **star, const job *job, const char *path);

/* The table that is worked on: that of --table, else the first loop that is not optics, else the first of all. */
tess_status table_find(tess_star_table **found, const job *job, const tess_star *star, const char *path);

tess_status table_steps_run(table_steps *s);

/* The next name of a list with commas between them, in `name` of 100 letters; false after the last. */
bool next_name(const char **list, char name[100]);

#endif
