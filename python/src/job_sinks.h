/* Python objects as sinks of a job: a path, whose file is written, or an array. */
#ifndef TESS_PYTHON_JOB_SINKS_H
#define TESS_PYTHON_JOB_SINKS_H

#include "values.h"

/* The sinks of one call. */
typedef struct sink_list sink_list;

/* Writes a const tess_sink *, which is good until sinks_close. */
converter sink_from_object;

/* After a job that succeeded: completes files and puts them in their places. 0, or -1 with an exception. */
int sinks_finish(sink_list *sinks);

/* Drops files that are not complete, and frees the list. */
void sinks_close(sink_list *sinks);

/* The caller's array that images of the result went to, borrowed; NULL if they went to none. */
PyObject *sink_array(const call *c);

#endif
