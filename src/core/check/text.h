/* Formatting of shapes and numbers for messages. */
#ifndef TESS_CORE_CHECK_TEXT_H
#define TESS_CORE_CHECK_TEXT_H

#include <stdint.h>

/* Bytes that the text of a shape or of strides may take, with its zero byte. */
enum { TESS__SHAPE_TEXT = 96 };

/* "{1,30,64,128}" in `text`; returns text. */
char *tess__shape_text(char *text, const int64_t dim[4]);

/* A double as text, "0.175", whatever the locale; `text` has 32 bytes. Returns text. */
char *tess__number_text(char *text, double value);

#endif
