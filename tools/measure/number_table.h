/* Tables of numbers in texts, where rows of numbers are wanted. */
#ifndef TESSERA_MEASURE_NUMBER_TABLE_H
#define TESSERA_MEASURE_NUMBER_TABLE_H

#include "command/job.h"

/* Does the name end as that of a text: .txt, .tsv, .csv, .dat or .tlt? */
bool is_number_table(const char *path);

/* Its rows, {1,1,n,m} of f64. A line of names before them is left out; words, or lines of several lengths, are errors.
 * `what` asks for it, in messages. */
tess_status number_table_read(tess_array *rows, const char *what, const char *path);

#endif
