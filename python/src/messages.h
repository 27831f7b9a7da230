/* The library's messages in words of Python's. */
#ifndef TESS_PYTHON_MESSAGES_H
#define TESS_PYTHON_MESSAGES_H

#include "tessera/error.h"

/* The message of a failure with the names that Python has; malloc'ed, NULL without memory. */
char *retold_message(tess_status status, const char *message);

#endif
