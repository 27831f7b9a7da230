/* Reading images of an open file, which sources of one file and of several have in common. */
#ifndef TESS_JOBS_RUN_SOURCE_H
#define TESS_JOBS_RUN_SOURCE_H

#include "tessera/jobs/source.h"

/* A tess_source_fn of a tess_file: rows and columns of images that follow each other, into {n,1,h,w}. */
tess_status tess__read_images(void *file, const tess_array *out, int64_t image, tess_range rows, tess_range columns);

#endif
