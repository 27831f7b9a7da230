/* Messages of the library in the words of Python. */
#ifndef TESS_PYTHON_SPELLING_H
#define TESS_PYTHON_SPELLING_H

#include "tessera/error.h"

/* Write the message of the last failure with the names that Python has. */
void spell_message(char *to, size_t n);

#endif
