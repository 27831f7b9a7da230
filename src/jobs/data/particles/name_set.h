/* A set of texts with numbers, each text once: a hash table with open addressing. */
#ifndef TESS_JOBS_DATA_PARTICLES_NAME_SET_H
#define TESS_JOBS_DATA_PARTICLES_NAME_SET_H

#include <stddef.h>

#include "tessera/error.h"

/* Zeroed but for what tess__name_set_make sets. */
typedef struct tess__name_set {
    char   **names; /* in the order in which they came */
    int64_t  n;
    int64_t *slots; /* number of a name, + 1; 0: free */
    size_t   mask;
} tess__name_set;

/* An empty set with room for `most` texts. To be freed, also after a failure. */
tess_status tess__name_set_make(tess__name_set *set, const char *fn, int64_t most);
void        tess__name_set_free(tess__name_set *set);

/* The number of a text, which is copied where it is new. */
tess_status tess__name_set_add(tess__name_set *set, const char *fn, const char *name, int64_t *number);

#endif
