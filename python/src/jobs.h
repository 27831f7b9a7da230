/* Jobs as Python functions: one callable for each description in the library. */
#ifndef TESS_PYTHON_JOBS_H
#define TESS_PYTHON_JOBS_H

#include "limited.h"

/* Make a dict `_jobs` of callables in the module, by name, of which tessera/jobs.py is made. 0, or -1 with an
 * exception. */
int jobs_make(PyObject *module);

#endif
