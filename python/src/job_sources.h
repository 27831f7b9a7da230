/* Python objects as sources of a job: paths, open files and arrays. */
#ifndef TESS_PYTHON_JOB_SOURCES_H
#define TESS_PYTHON_JOB_SOURCES_H

#include "values.h"

/* The sources of one call. */
typedef struct source_list source_list;

/* Writes a const tess_source *, which is good until sources_close. */
converter source_from_object;

/* The same of a list of such objects: a const tess_source *const *, ended by NULL. */
converter sources_from_object;

/* A str, bytes, or something with __fspath__. */
bool is_path(PyObject *object);

/* Fills in tables that the first source has, where it is particles, and that the job was not given. May be called
 * without the GIL. */
tess_status sources_fill(call *c, const tess_context *context);

/* Closes what was opened, and frees the list. */
void sources_close(source_list *sources);

#endif
