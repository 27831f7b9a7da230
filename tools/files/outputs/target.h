/* The name of an output with its options in brackets, out.tif[compress=zstd,level=9], and what -f, --dtype, --mode,
 * --compress … add to it. */
#ifndef TESSERA_FILES_OUTPUTS_TARGET_H
#define TESSERA_FILES_OUTPUTS_TARGET_H

#include "command/job.h"

typedef struct target {
    char           *path;   /* without brackets */
    char           *member; /* or NULL */
    char            label[81];
    tess_write_opts opts;
} target;

/* To be freed with target_free. */
tess_status target_parse(target **t, const job *job, const char *name);
void        target_free(target *t);

/* May it be written, as `what` asks, "-o": is there no such file or is there -f, and can its folder be written? */
tess_status target_check(const target *t, const char *what);

/* "tessera bin --factor 2 x.mrc 2026-01-31 12:00:00": at most 80 letters. */
void make_label(char label[81], const job *job);

#endif
