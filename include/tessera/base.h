/* Linkage, visibility and attributes, for all public headers. */
#ifndef TESSERA_BASE_H
#define TESSERA_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tessera/language.h"

#ifdef __cplusplus
#define TESS_BEGIN_C extern "C" {
#define TESS_END_C }
#else
#define TESS_BEGIN_C
#define TESS_END_C
#endif

#if defined(__GNUC__)
#define TESS_API __attribute__((visibility("default")))
#define TESS_MUST_CHECK __attribute__((warn_unused_result))
#define TESS_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define TESS_EXTENSION __extension__
#define TESS_COLD __attribute__((cold))
#else
#define TESS_API
#define TESS_MUST_CHECK
#define TESS_PRINTF(text, first)
#define TESS_EXTENSION
#define TESS_COLD
#endif

/* Explicit zeros for options. An option field that is 0 counts as not given and takes its default. To pass the value 0
 * where the default differs, write TESS_ZERO (a negative zero) into a field of type double, or TESS_ZERO_INT into an
 * integer field. Both are also accepted where the default is 0. tess_given and tess_given_int convert a value that
 * comes from your own caller: `.alpha = tess_given(alpha)`. */
#define TESS_ZERO (-0.0)
#define TESS_ZERO_INT INT32_MIN

static inline double tess_given(double value) { return value == 0 ? TESS_ZERO : value; }

static inline int32_t tess_given_int(int32_t value) { return value == 0 ? TESS_ZERO_INT : value; }

#endif
