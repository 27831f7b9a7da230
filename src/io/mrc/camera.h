/* Frame sizes of cameras whose pixels are packed, two 4-bit ones in each byte. */
#ifndef TESS_IO_MRC_CAMERA_H
#define TESS_IO_MRC_CAMERA_H

#include <stdbool.h>
#include <stdint.h>

/* Columns and rows of bytes, in either order, of cameras whose super-resolution frames SerialEM and IMOD pack, two
 * pixels in each byte. */
bool tess__is_packed_camera(int64_t w, int64_t h);

#endif
