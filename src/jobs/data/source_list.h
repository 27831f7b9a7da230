/* Images that a STAR document lists, as a source. */
#ifndef TESS_JOBS_DATA_SOURCE_LIST_H
#define TESS_JOBS_DATA_SOURCE_LIST_H

#include "tessera/jobs/source.h"
#include "tessera/star.h"

/* As tess_source_star, of rows of a document that was read from `path` already, and of this column. */
tess_status tess__source_of_rows(tess_source *source, const tess_star *star, const tess_star_table *rows,
                                 const char *label, const char *path, const tess_source_list_opts *opts);

#endif
