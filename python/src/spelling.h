/* Messages of the library in the words of Python. */
#ifndef TESS_PYTHON_SPELLING_H
#define TESS_PYTHON_SPELLING_H

#include "tessera/error.h"

/* Writes a message or a warning, given with marks (tess_error_marked, tess_warning_marked), with the names that Python
 * has. */
void spell_message(char *to, size_t n, const char *marked);

#endif
