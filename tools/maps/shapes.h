/* Tables of shapes by options, as tess_make_mask takes them: --sphere, --box, --cylinder, --shell, --ellipsoid,
 * --center. */
#ifndef TESSERA_MAPS_SHAPES_H
#define TESSERA_MAPS_SHAPES_H

#include "files/input.h"

enum { SHAPE_KINDS = 5 };

typedef struct shape_tables {
    tess_array of[SHAPE_KINDS]; /* f64 {n,1,1,k}, or no data */
    tess_array centre;
} shape_tables;

#define SHAPE_OPTIONS                                                                                                  \
    { .name = "sphere", .value = "R", .type = OPTION_LENGTHS, .many = true, .help = "radius of a sphere, or circle" }, \
        { .name = "box",                                                                                               \
          .value = "X,Y,Z",                                                                                            \
          .type = OPTION_LENGTHS,                                                                                      \
          .many = true,                                                                                                \
          .help = "edges of a box, or rectangle; one number for a cube" },                                             \
        { .name = "cylinder",                                                                                          \
          .value = "R,L",                                                                                              \
          .type = OPTION_LENGTHS,                                                                                      \
          .many = true,                                                                                                \
          .help = "radius and length of a cylinder along z" },                                                         \
        { .name = "shell",                                                                                             \
          .value = "R1,R2",                                                                                            \
          .type = OPTION_LENGTHS,                                                                                      \
          .many = true,                                                                                                \
          .help = "inner and outer radius of a shell" },                                                               \
        { .name = "ellipsoid",                                                                                         \
          .value = "X,Y,Z",                                                                                            \
          .type = OPTION_LENGTHS,                                                                                      \
          .many = true,                                                                                                \
          .help = "semiaxes of an ellipsoid, or ellipse" },                                                            \
    {                                                                                                                  \
        .name = "center", .value = "X,Y,Z", .type = OPTION_TEXT,                                                       \
        .help = "centre of the shapes, in pixels or as 120A [n/2 of each side]"                                        \
    }

/* Those that were given, into the options of the job. To be freed, also after a failure. */
tess_status shapes_of_options(shape_tables *tables, tess_make_mask_opts *opts, const job *job, const input *in);
void        shape_tables_free(shape_tables *tables);

/* Is any of them given? */
bool has_shapes(const job *job);

#endif
