/* An mdoc file as tables. */
#ifndef TESSERA_TABLES_MDOC_TABLE_H
#define TESSERA_TABLES_MDOC_TABLE_H

#include "tessera.h"

/* By the end of its name. */
bool is_mdoc(const char *path);

/* A document of two tables: `global`, the keys for all, and `sections`, a row for each [ZValue = n]; "?" is what a
 * section does not have. */
tess_status mdoc_table_read(tess_star **star, const char *path);

#endif
