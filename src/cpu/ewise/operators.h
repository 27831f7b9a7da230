/* Definitions that the files of element-wise kernels share. */
#ifndef TESS_CPU_EWISE_OPERATORS_H
#define TESS_CPU_EWISE_OPERATORS_H

#include <stdint.h>
#include <string.h>

#include "cpu/ewise/kernels.h"
#include "cpu/ewise/lanes.h"
#include "cpu/template.h"

/* Left to itself, a compiler does not inline the larger functions, and then does not vectorise. */
#define TESS_FN static inline TESS_ALWAYS_INLINE
#include "tessera/math/fn.h"

/* Operators of this cost, in nanoseconds, and above work on contiguous elements only. */
#define HEAVY 1.0

/* Elements that are packed at a time. */
enum { BLOCK = 256 };

#endif
