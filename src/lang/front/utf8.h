/* UTF-8 decoding, and the number of terminal columns that a character takes. */
#ifndef TESS_LANG_FRONT_UTF8_H
#define TESS_LANG_FRONT_UTF8_H

#include <stdint.h>

/* The length of the first character of n > 0 bytes, and its code point; 1 and -1 for a byte that begins none. */
int32_t tess__utf8(const char *text, int32_t n, int32_t *code);

/* Columns of a code point: 0, 1 or 2. */
int tess__utf8_width(int32_t code);

#endif
