/* Files from Python: what tessera/files.py, star.py and sidecar.py are made of. */
#ifndef TESS_PYTHON_FILES_H
#define TESS_PYTHON_FILES_H

#include "limited.h"
#include "tessera/io.h"
#include "tessera/star.h"

/* Make the functions and the type of open files in the module. 0, or -1 with an exception. */
int files_make(PyObject *module);

/* The parts of it, in files of their own. */
int                file_type_make(PyObject *module);
extern PyMethodDef file_methods[], file_write_methods[], star_methods[], sidecar_methods[], described_methods[],
    alias_methods[];

/* What a file says of itself, as a dict of Python's objects. */
PyObject *dict_of_info(const tess_info_file *info);

/* A value into a dict under a name; its reference is taken over. 0, or -1 with an exception. */
int dict_put(PyObject *dict, const char *name, PyObject *value);

/* Text of a file, whose bytes may be of any encoding. */
PyObject *text_from_file(const char *text);

/* A document of someone else's, who outlives it, as the functions of STAR files take it. */
PyObject *star_borrow(tess_star *star);

/* The name of a file as bytes, a new reference; NULL with an exception. */
PyObject *path_from_object(PyObject *object, const char *function);

#endif
