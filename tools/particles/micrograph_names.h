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

/* Those arguments that are no coordinate files. To be freed, also after a failure. */
tess_status given_micrographs_of(given_micrographs *given, const job *job);
void        given_micrographs_free(given_micrographs *given);

/* Warns of micrographs that no coordinate file belongs to. */
void warn_of_unused(job *job, const given_micrographs *given);

/* The micrograph of the coordinate file `path`, which names none: `pattern`, if it is not NULL, with {name} for the
 * name of the file; else, of the given ones, that whose name the file has, or begins with before a "_", as
 * x_autopick.star of x.mrc does, the longest one; without any, the .mrc file beside it of such a name. To be freed. */
tess_status micrograph_by_name(char **name, const char *path, const char *pattern, const given_micrographs *given);

/* That of the given ones which has the file name that the list `path` has for it. Not to be freed. */
tess_status micrograph_by_row(const char **name, const char *named, const char *path, const given_micrographs *given);

#endif
