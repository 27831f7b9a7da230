/* Tilt angles of a series: of text files with a line for each image, of mdoc files, and of STAR files. */
#ifndef TESSERA_MOVIES_TILTS_H
#define TESSERA_MOVIES_TILTS_H

#include "files/input.h"

/* All that a file has, {n,1,1,1} of f64, degrees. x.mdoc: TiltAngle of its sections; x.star:
 * rlnTomoNominalStageTiltAngle, or minus rlnAngleTilt where rlnAngleRot and rlnAnglePsi are 0; else a text with one
 * in each line. */
tess_status tilts_of_file(tess_array *tilts, const char *path);

/* Those of the images of an input: as many, or as many as its file has where some were chosen. */
tess_status tilts_of_images(tess_array *tilts, const char *path, const input *in);

/* The same of other numbers that were read from a file, whose name and kind ("tilts") are for messages. */
tess_status keep_those_of_images(tess_array *numbers, const char *path, const char *kind, const input *in);

#endif
