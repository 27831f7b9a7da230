/* Pixel sizes of files that are used together: whether they agree, and a warning where they do not. */
#ifndef TESSERA_FILES_HEADERS_PIXEL_SIZES_H
#define TESSERA_FILES_HEADERS_PIXEL_SIZES_H

#include "files/input.h"

/* Warns where a file that is used pixel by pixel beside another has pixels of another size. */
void warn_of_pixel_sizes(job *job, const input *one, const input *other);

#endif
