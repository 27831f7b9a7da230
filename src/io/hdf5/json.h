/* JSON texts: single values by the names that lead to them. */
#ifndef TESS_IO_HDF5_JSON_H
#define TESS_IO_HDF5_JSON_H

#include <stdbool.h>
#include <stdint.h>

/* The string or number at "BinaryResult.PixelSize.width", as a text without quotes in `value` of `size` bytes. False:
 * there is none, it is longer, or the text is no JSON up to there. */
bool tess__json_find(char *value, int64_t size, const char *text, int64_t n, const char *path);

#endif
