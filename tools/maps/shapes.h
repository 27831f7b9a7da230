/* Shapes as masks: --sphere, --box, --cylinder, --shell, --ellipsoid. */
#ifndef TESSERA_MAPS_SHAPES_H
#define TESSERA_MAPS_SHAPES_H

#include "files/input.h"

enum { MAX_SHAPES = 32 };

typedef enum shape_kind { SHAPE_SPHERE, SHAPE_BOX, SHAPE_CYLINDER, SHAPE_SHELL, SHAPE_ELLIPSOID } shape_kind;

typedef struct solid {
    shape_kind kind;
    double     sizes[3]; /* pixels: as the option has them, x before y before z */
} solid;

/* Shapes about one centre, of which a mask is all that one of them covers. */
typedef struct shape_list {
    solid  at[MAX_SHAPES];
    int    n;
    double centre[3]; /* z, y, x, pixels */
    double soft;      /* width of the edge outside, pixels */
} shape_list;

#define SHAPE_OPTIONS                                                                                                  \
    { .name = "sphere",                                                                                                \
      .value = "R",                                                                                                    \
      .type = OPTION_LENGTHS,                                                                                          \
      .many = true,                                                                                                    \
      .help = "a sphere, or circle, of this radius" },                                                                 \
        { .name = "box",                                                                                               \
          .value = "X,Y,Z",                                                                                            \
          .type = OPTION_LENGTHS,                                                                                      \
          .many = true,                                                                                                \
          .help = "a box, or rectangle, with edges of these lengths; one: a cube" },                                   \
        { .name = "cylinder",                                                                                          \
          .value = "R,L",                                                                                              \
          .type = OPTION_LENGTHS,                                                                                      \
          .many = true,                                                                                                \
          .help = "a cylinder along z: its radius and its length" },                                                   \
        { .name = "shell",                                                                                             \
          .value = "R1,R2",                                                                                            \
          .type = OPTION_LENGTHS,                                                                                      \
          .many = true,                                                                                                \
          .help = "what lies between two radii" },                                                                     \
    {                                                                                                                  \
        .name = "ellipsoid", .value = "X,Y,Z", .type = OPTION_LENGTHS, .many = true,                                   \
        .help = "an ellipsoid, or ellipse, with these semiaxes"                                                        \
    }

/* Those that were given, in their order; `centre` and `soft` were set. */
tess_status shapes_of_options(shape_list *list, const job *job, const input *in);

/* Draws them into `mask`, f32 {n,d,h,w}. A volume of one section is an image. */
tess_status shapes_draw(tess_array *mask, const shape_list *list);

#endif
