/* The images that a STAR file lists, opened for a verb: their files are looked at once, and none is an output. */
#ifndef TESSERA_FILES_LISTING_H
#define TESSERA_FILES_LISTING_H

#include "command/job.h"

typedef struct listed {
    tess_source    source;
    tess_info_file info; /* of the first file; shape, dtype and meta are those of all: {n,1,h,w} */
} listed;

/* As tess_source_star. To be closed by listing_close, also after a failure. */
tess_status listing_open(listed **list, job *job, const char *path, const tess_read_opts *opts);
void        listing_close(listed *list);

#endif
