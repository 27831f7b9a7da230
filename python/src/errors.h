/* Statuses of the library as exceptions. */
#ifndef TESS_PYTHON_ERRORS_H
#define TESS_PYTHON_ERRORS_H

#include "limited.h"

/* Make tessera.Error and a class for each failing status in the module. 0, or -1 with an exception. */
int errors_make(PyObject *module);

/* Raise the exception of a failing status, with the message and the trace of this thread's last failure. Returns -1. */
int raise_status(tess_status status);

/* Raise the exception of a status with a message of this module's. Returns -1. */
int raise_text(tess_status status, const char *format, ...);

/* Put another text in place of the message of the current exception; NULL, with or without an exception, leaves it. */
typedef PyObject *reword_text(const char *text, const void *user);
void              errors_reword(reword_text *reword, const void *user);

/* Let the message of the current exception begin with the name that was called: "subtract: ..." for "sub: ...". */
void errors_rename(const char *from, const char *to);

/* The same whatever operation of the library it begins with. */
void errors_rename_any(const char *to);

/* The same where an object would be returned. */
static inline PyObject *raised(tess_status status)
{
    (void)raise_status(status);
    return NULL;
}

#endif
