/* Formats that are known but not read. */
#include <string.h>

#include "io/file.h"

const char *tess__known_elsewhere(const unsigned char *bytes, int64_t n)
{
    if (n >= 8 && memcmp(bytes, "\x89HDF\r\n\x1a\n", 8) == 0) return "an HDF5 file";
    return NULL;
}
