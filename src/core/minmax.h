/* Minimum, maximum and clamp of integers. */
#ifndef TESS_CORE_MINMAX_H
#define TESS_CORE_MINMAX_H

#include <stdint.h>

static inline int64_t tess__min(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t tess__max(int64_t a, int64_t b) { return a > b ? a : b; }

/* x, or what is nearest to it from `min` to `max`. */
static inline int64_t tess__clamp(int64_t x, int64_t min, int64_t max) { return x < min ? min : x > max ? max : x; }

#endif
