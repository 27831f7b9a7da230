/* What every public header needs: linkage, visibility, and attributes. */
#ifndef TESSERA_BASE_H
#define TESSERA_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
