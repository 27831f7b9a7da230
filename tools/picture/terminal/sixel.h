/* Pictures by the sixel protocol of terminals. */
#ifndef TESSERA_PICTURE_TERMINAL_SIXEL_H
#define TESSERA_PICTURE_TERMINAL_SIXEL_H

#include <stdint.h>

#include "picture/longtext.h"

/* `rgb` has rows from the top, three bytes a pixel. */
void sixel_add(longtext *t, const uint8_t *rgb, int64_t width, int64_t height);

#endif
