/* Columns of RELION and fields of cryoSPARC that say the same. */
#ifndef TESS_IO_TEXT_CRYOSPARC_COLUMNS_H
#define TESS_IO_TEXT_CRYOSPARC_COLUMNS_H

#include "io/text/star.h"

/* One number: RELION's is cryoSPARC's times `scale`, plus `offset`. */
typedef struct tess__cs_link {
    const char *cs, *relion;
    double      scale, offset;
    bool        is_optics; /* in the optics table */
} tess__cs_link;

extern const tess__cs_link tess__cs_links[];
extern const int           tess__cs_n_links;

/* Where RELION's columns without a partner are kept: "relion/rlnNormCorrection". */
#define TESS__CS_KEPT "relion/"

/* A cell as a number; -1 for a column: `value` stays as it is. Messages name `fn`, the row and the column. */
tess_status tess__cs_number(double *value, const char *fn, const tess_star_table *t, int64_t row, int64_t column);

/* Set a cell: a copy of a text, or a number with 10 digits. */
tess_status tess__cs_set(tess_star_table *t, int64_t row, int64_t column, const char *text);
tess_status tess__cs_set_number(tess_star_table *t, int64_t row, int64_t column, double value);

/* Add a column if it is not there; its number. */
tess_status tess__cs_column(int64_t *column, tess_star_table *t, const char *label);

/* value * scale + offset of a cell; without either the text as it is. */
tess_status tess__cs_transfer(tess_star_table *to, int64_t to_column, const tess_star_table *from, int64_t from_row,
                              int64_t row, const tess__cs_link *scaled, int64_t from_column);

#endif
