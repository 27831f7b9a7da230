/* The message about a value that an exact cast would change. */
#ifndef TESS_CORE_INEXACT_CAST_H
#define TESS_CORE_INEXACT_CAST_H

#include "tessera/array.h"

/* TESS_ERANGE with the place, the value, which is at `element` in the host's memory, and the type that cannot hold it.
 */
tess_status tess__fail_inexact(const char *fn, const int64_t place[4], const void *element, tess_dtype from,
                               tess_dtype to);

#endif
