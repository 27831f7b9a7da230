/* Numbers as texts: the fewest digits that read back equal, or at most a given number of them. */
#ifndef TESSERA_BASE_NUMBER_H
#define TESSERA_BASE_NUMBER_H

#include "tessera.h"

/* The shortest text that reads back equal, with a point whatever the locale. */
char *number_text(char text[32], double value);

/* The same, equal when read as a number of this dtype: 0.1 for the f32 nearest to it. */
char *number_text_as(char text[32], double value, tess_dtype dtype);

/* The same, rounded to at most `digits` significant digits; whole numbers below 1e15 keep all. */
char *number_text_digits(char text[32], double value, tess_dtype dtype, int digits);

#endif
