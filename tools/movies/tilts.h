/* Numbers of files beside a stack: tilts and others, for the images of it that were chosen. */
#ifndef TESSERA_MOVIES_TILTS_H
#define TESSERA_MOVIES_TILTS_H

#include "files/input.h"

/* Reads the tilts {n,1,1,1} in degrees of the images of an input, by tess_tilt_series_read. Where images were chosen,
 * the file may list the tilts of those, or of all images. */
tess_status tilts_of_images(tess_array *tilts, const char *path, const input *in);

/* The same of other numbers that were read from a file, whose name and kind ("tilts") are for messages. */
tess_status keep_those_of_images(tess_array *numbers, const char *path, const char *kind, const input *in);

#endif
