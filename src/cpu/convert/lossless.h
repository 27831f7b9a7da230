/* The check before an exact cast. */
#ifndef TESS_CPU_CONVERT_LOSSLESS_H
#define TESS_CPU_CONVERT_LOSSLESS_H

#include "backend.h"

/* TESS_ERANGE, with the place and value of the first element that would change. */
tess_status tess__check_exact(const tess__ewise *work);

#endif
