/* Expressions over the columns of a table, in the operator language: '(rlnDefocusU + rlnDefocusV)/2'. */
#ifndef TESSERA_TABLES_COLUMN_FORMULA_H
#define TESSERA_TABLES_COLUMN_FORMULA_H

#include "calc/tokens.h"
#include "tessera/star.h"

/* The value for each row, {rows,1,1,1} of f64 on the CPU; comparisons are 0 or 1. Names are those of columns, or
 * `row`, the number of the row from 0. A column may be compared with a text, COLUMN == "mic*.mrc" or !=, where *
 * stands for any letters and ? for one. mean, sum, min, max, std, var, norm and median of one argument are taken
 * over all rows. Where the text is wrong the status is TESS_EPARSE, and `wrong` says where. */
tess_status column_formula(tess_array *out, const tess_star_table *rows, const char *text, tess_device device,
                           fault *wrong);

#endif
