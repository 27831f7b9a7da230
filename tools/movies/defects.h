/* Defects of a camera, by --defects: an image that is not 0 at bad pixels, or a text of boxes. */
#ifndef TESSERA_MOVIES_DEFECTS_H
#define TESSERA_MOVIES_DEFECTS_H

#include "files/input.h"

#define DEFECTS_OPTION                                                                                                 \
    VALUE("defects", "FILE", OPTION_FILE,                                                                              \
          "bad pixels: an image that is not 0 there, or a text file with a box x y width height per line")

typedef struct defects {
    input       file;  /* of an image */
    tess_array  boxes; /* u8 {1,1,h,w}: 1 in the boxes of a text */
    tess_source made;  /* of that array */
} defects;

/* Opens the file that --defects names, for frames of this size: *source stays NULL without it. To be closed. */
tess_status defects_open(defects *d, job *job, tess_shape frame, const tess_source **source);
void        defects_close(defects *d);

#endif
