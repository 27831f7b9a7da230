/* The version of the headers, which also determines the library's soname. */
#ifndef TESSERA_VERSION_H
#define TESSERA_VERSION_H

#include "tessera/base.h"

#define TESS_VERSION_MAJOR 0
#define TESS_VERSION_MINOR 1
#define TESS_VERSION_PATCH 0

#define TESS_VERSION_NUMBER (TESS_VERSION_MAJOR * 10000 + TESS_VERSION_MINOR * 100 + TESS_VERSION_PATCH)
#define TESS_VERSION_TEXT_(a, b, c) #a "." #b "." #c
#define TESS_VERSION_TEXT__(a, b, c) TESS_VERSION_TEXT_(a, b, c)
#define TESS_VERSION TESS_VERSION_TEXT__(TESS_VERSION_MAJOR, TESS_VERSION_MINOR, TESS_VERSION_PATCH)

TESS_BEGIN_C

/** Returns the version of the loaded library, such as "0.1.0"; compare it with TESS_VERSION of the headers. */
TESS_API const char *tess_version(void);

/** Returns the version of the loaded library as one number: major * 10000 + minor * 100 + patch. */
TESS_API int tess_version_number(void);

TESS_END_C

#endif
