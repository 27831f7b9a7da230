/* Micrographs of coordinate files: by the name of the file, by a pattern, or among those that the caller gave. */
#ifndef TESSERA_PARTICLES_MICROGRAPH_NAMES_H
#define TESSERA_PARTICLES_MICROGRAPH_NAMES_H

#include "command/job.h"

/* Micrographs that are arguments of a job beside its coordinate files. */
typedef struct given_micrographs {
    const char **names; /* arguments of the job */
    bool        *used;  /* a coordinate file belongs to it */
    int          n;
} given_micrographs;

/* The arguments that are not coordinate files. To be freed, also after a failure. */
tess_status given_micrographs_of(given_micrographs *given, const job *job);
void        given_micrographs_free(given_micrographs *given);

/* Warns of micrographs without a coordinate file. */
void warn_of_unused(job *job, const given_micrographs *given);

/* The micrograph of the coordinate file `path`, which names none. With a `pattern`, it is that with {name} replaced by
 * the name of the file. Otherwise it is the given micrograph with the longest name that is the name of the file, or all
 * of it before a "_" (x_autopick.star belongs to x.mrc). Without given ones, it is the .mrc file of such a name beside
 * `path`. To be freed. */
tess_status micrograph_by_name(char **name, const char *path, const char *pattern, const given_micrographs *given);

/* The given micrograph with the file name in the row of the list `path`. Not to be freed. */
tess_status micrograph_by_row(const char **name, const char *named, const char *path, const given_micrographs *given);

#endif
