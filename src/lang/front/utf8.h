/* UTF-8 decoding, and the number of terminal columns that a character takes. */
#ifndef TESS_LANG_FRONT_UTF8_H
#define TESS_LANG_FRONT_UTF8_H

#include <stdint.h>

/* The bytes of the first of n > 0 bytes' characters, and its code; a byte that begins none is 1, with the code -1. */
int32_t tess__utf8(const char *text, int32_t n, int32_t *code);

/* 0, 1 or 2. */
int tess__utf8_width(int32_t code);

#endif
