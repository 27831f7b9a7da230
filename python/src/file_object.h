/* An open file as a Python object, behind tessera.File. */
#ifndef TESS_PYTHON_FILE_OBJECT_H
#define TESS_PYTHON_FILE_OBJECT_H

#include "limited.h"
#include "tessera/io.h"

typedef struct file_object {
    PyObject_HEAD tess_file *file; /* NULL when it is closed */
    tess_dtype               dtype;
    PyThread_type_lock       lock;   /* held by whoever reads */
    int                      n_jobs; /* jobs that read from it now: it stays open */
} file_object;

extern PyTypeObject *file_type;

#endif
