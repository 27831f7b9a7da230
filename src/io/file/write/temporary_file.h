/* Temporary files: what becomes a file lies beside its final name until it is complete. */
#ifndef TESS_IO_FILE_WRITE_TEMPORARY_FILE_H
#define TESS_IO_FILE_WRITE_TEMPORARY_FILE_H

#include <stdbool.h>

#include "tessera/error.h"

typedef struct tess__temporary {
    char *name; /* NULL: there is none */
    int   fd;   /* for its bytes: the caller closes it */
    int   lock; /* another descriptor, which keeps the lock until the file has its final name; -1: no lock */
    int   slot; /* among the unfinished files of this process */
} tess__temporary;

/* Create one beside `path`, an absolute path; `shown` is for messages. What a process that died left of the same path
 * on this machine is removed. */
tess_status tess__temporary_create(tess__temporary *t, const char *path, const char *shown);

/* Is `entry` of a folder a temporary file for `name` there? */
bool tess__temporary_is_of(const char *entry, const char *name);

/* Is a process writing the temporary file of this path? Where there are no locks, it may be. */
bool tess__temporary_is_alive(const char *path);

/* It was renamed or removed: forget it. Nothing is done to a zeroed one. */
void tess__temporary_forget(tess__temporary *t);

#endif
