/* A picture of an image with circles around points of it. */
#ifndef TESSERA_PICTURE_CIRCLES_H
#define TESSERA_PICTURE_CIRCLES_H

#include "tessera.h"

/* Writes a PNG file of an image {1,1,h,w}, f32 and on the host, not larger than 1024 pixels, with circles of this
 * radius around the n points (x, y); lengths are pixels of the image. */
tess_status circles_write(const char *path, const tess_array *image, const double *xy, int64_t n, double radius,
                          bool overwrite);

#endif
