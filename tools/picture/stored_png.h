/* PNG files in memory whose pixels are not compressed: for pictures inside SVG. */
#ifndef TESSERA_PICTURE_STORED_PNG_H
#define TESSERA_PICTURE_STORED_PNG_H

#include "picture/longtext.h"

/* Adds a grey one, whose rows come from the top. */
void stored_png(longtext *t, const uint8_t *pixels, int64_t width, int64_t height);

#endif
