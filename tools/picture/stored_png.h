/* PNG files in memory whose pixels are not compressed: for terminals, and for pictures inside SVG. */
#ifndef TESSERA_PICTURE_STORED_PNG_H
#define TESSERA_PICTURE_STORED_PNG_H

#include "picture/longtext.h"

/* Adds one of rows from the top; 3 channels are red, green and blue, 1 is grey. */
void stored_png(longtext *t, const uint8_t *pixels, int64_t width, int64_t height, int channels);

#endif
