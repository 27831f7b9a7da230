/* Pictures by the protocols of terminals: kitty's, iTerm2's and sixel. `rgb` has rows from the top, three bytes a
 * pixel. */
#ifndef TESSERA_PICTURE_PROTOCOLS_H
#define TESSERA_PICTURE_PROTOCOLS_H

#include <stdint.h>

#include "picture/longtext.h"

void protocol_kitty(longtext *t, const uint8_t *rgb, int64_t width, int64_t height);
void protocol_iterm(longtext *t, const uint8_t *rgb, int64_t width, int64_t height);
void protocol_sixel(longtext *t, const uint8_t *rgb, int64_t width, int64_t height);

#endif
