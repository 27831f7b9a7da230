/* Conversion of colours to grey: luma by ITU-R BT.601. */
#ifndef TESS_IO_FILE_COLOUR_H
#define TESS_IO_FILE_COLOUR_H

#include "tessera/dtype.h"

/* The grey of n colours of u8, u16, u32 or f32, as it is seen: 0.299 red, 0.587 green, 0.114 blue (ITU-R BT.601),
 * integers rounded to the nearest. Samples are `step` elements apart; `grey` is contiguous and may be where the red is.
 */
void tess__grey(void *grey, const void *red, const void *green, const void *blue, int64_t step, int64_t n,
                tess_dtype dtype);

#endif
