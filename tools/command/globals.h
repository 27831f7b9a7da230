/* The options that verbs share. */
#ifndef TESSERA_COMMAND_GLOBALS_H
#define TESSERA_COMMAND_GLOBALS_H

#include "command/job.h"

/* One of them, and the verbs that take it. */
typedef struct global {
    option   option;
    unsigned groups; /* GLOBAL_ or-ed together; 0: all verbs */
} global;

/* Ended by a NULL name. */
extern const global globals[];

bool verb_takes(const verb *v, const global *g);

/* Do what --device, -j, --mem, -q and -v say. */
tess_status globals_apply(job *j);

/* How files are read, by --as, --bytes, --raw, --salvage, --grey, --page, --member, --eer-…, --no-flip. */
tess_status globals_read_opts(const job *j, tess_read_opts *opts);

/* "32,32", "1x1x32x32": one to four lengths, the last is w. */
tess_status parse_shape(tess_shape *shape, const char *what, const char *text);

/* The same of any sign; those that are not given are INT64_MIN. */
tess_status parse_sizes(tess_shape *shape, const char *what, const char *text);

/* "f32", "u8", … */
tess_status parse_dtype(tess_dtype *dtype, const char *what, const char *text);

#endif
