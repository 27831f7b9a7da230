/* JSON texts: single values by the names that lead to them. */
#ifndef TESS_IO_HDF5_JSON_H
#define TESS_IO_HDF5_JSON_H

#include <stdbool.h>
#include <stdint.h>

/* The string, number or word at "BinaryResult.PixelSize.width", as a text without quotes in `value` of `size` bytes.
 * The first of several members of one name counts. False: there is none, it is longer, or the objects on the way to it
 * are not JSON. Values beside the way are skipped by their brackets and not checked. */
bool tess__json_find(char *value, int64_t size, const char *text, int64_t n, const char *path);

#endif
