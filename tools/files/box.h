/* Sizes and positions x,y,z that options give for an input, in pixels or with units; boxes: --box, --center, --at. */
#ifndef TESSERA_FILES_BOX_H
#define TESSERA_FILES_BOX_H

#include "files/input.h"

/* Integers of an option as x,y,z for the axes w, h and d of an input. One number is for all axes that the input
 * has more than one of (an image: x and y), two are for x and y. Those that were not given stay as they are. Each is
 * at least `min`. */
tess_status option_whole_xyz(const job *job, const char *name, tess_shape shape, int64_t min, tess_shape *values);

/* The same of lengths, which may have units: those in Å, nm or µm become whole pixels by the pixel size of the axis. */
tess_status option_pixels_xyz(const job *job, const char *name, const input *in, int64_t min, tess_shape *values);

/* A point or a shift x,y,z (images: x,y) in pixels, which need not be whole, or with units; nothing is set where the
 * option was not given. It becomes z, y, x. */
tess_status option_point_xyz(const job *job, const char *name, const input *in, double zyx[3]);

#define BOX_OPTIONS                                                                                                    \
    VALUE("box", "X,Y,Z", OPTION_LENGTHS, "box size of the result in pixels, or as 120A, 12nm [that of the input]"),   \
        VALUE("center", "X,Y,Z", OPTION_LENGTHS, "pixel of the input that becomes the middle pixel, n/2 [n/2]"),       \
        VALUE("at", "X,Y,Z", OPTION_LENGTHS, "pixel of the input that becomes the first pixel")

/* The shape of the box (b is that of the input) and the position of its first pixel in the input, which may be
 * outside. */
tess_status box_of_options(const job *j, const input *in, tess_shape *box, tess_shape *at);

#endif
