/* What the files of element-wise kernels have in common. */
#ifndef TESS_CPU_OPERATORS_H
#define TESS_CPU_OPERATORS_H

#include <string.h>

#include "cpu/kernels.h"
#include "cpu/template.h"
#include "tessera/math/fn.h"

/* Operators of this cost, in nanoseconds, and above work on contiguous elements only. */
#define HEAVY 1.0

/* Elements that are brought together at a time. */
enum { BLOCK = 256 };

#endif
