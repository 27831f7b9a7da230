/* Plots of the columns of a table: how often values are, and points over another column. */
#ifndef TESSERA_DRAW_TABLE_PLOTS_H
#define TESSERA_DRAW_TABLE_PLOTS_H

#include "draw/picture_out.h"
#include "tessera/star.h"

/* The histogram of the column of --histogram, in --bins bars. */
tess_status table_histogram(job *j, const picture_out *out, const tess_star_table *t);

/* The columns of --y over that of --x, or over the rows. */
tess_status table_scatter(job *j, const picture_out *out, const tess_star_table *t);

#endif
