/* Internal additions to the error record; see tessera/error.h. */
#ifndef TESS_CORE_ERROR_H
#define TESS_CORE_ERROR_H

#include "tessera/error.h"

/* Where in a text the failure lies that was just recorded: `excerpt` is the line, or what of it can be shown, and
 * `marks` a caret line for it. */
void tess__error_excerpt(int line, int column, int length, const char *excerpt, const char *marks);

/* The failure that was just recorded, under the name of the function that was called: those that it calls
 * internally have names of their own, which say nothing to the caller. TESS_OK stays what it is. */
tess_status tess__error_under(tess_status status, const char *fn);

#endif
