/* A box of an image or a volume: --box, --center, --at. */
#ifndef TESSERA_MEASURE_BOX_H
#define TESSERA_MEASURE_BOX_H

#include "measure/geometry.h"

#define BOX_OPTIONS                                                                                                    \
    { .name = "box",                                                                                                   \
      .value = "X,Y,Z",                                                                                                \
      .type = OPTION_LENGTHS,                                                                                          \
      .help = "size of the result in pixels, or as 120A, 12nm [that of the input]" },                                  \
        { .name = "center",                                                                                            \
          .alias = "centre",                                                                                           \
          .value = "X,Y,Z",                                                                                            \
          .type = OPTION_LENGTHS,                                                                                      \
          .help = "the pixel of the input that becomes the middle one, n/2 [n/2]" },                                   \
    {                                                                                                                  \
        .name = "at", .value = "X,Y,Z", .type = OPTION_LENGTHS,                                                        \
        .help = "the pixel of the input that becomes the first one"                                                    \
    }

/* The shape of the box (b is that of the input) and the position of its first pixel in the input, which may be
 * outside. */
tess_status box_of_options(const job *j, const input *in, tess_shape *box, tess_shape *at);

#endif
