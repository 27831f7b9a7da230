/* A transform of images or volumes by options: moves, one after the other, and the grid of the result. */
#ifndef TESSERA_MAPS_TRANSFORM_H
#define TESSERA_MAPS_TRANSFORM_H

#include "maps/matrices.h"
#include "maps/resampling.h"

/* The picture is moved about a centre and sampled on a grid; lengths are in pixels of the input, in z, y, x. */
typedef struct transform {
    matrix_list   moves; /* from the centre; in the end inverse, from pixels of the output to those of the input */
    tess_vec3_f64 centre;
    double        pixel_size[3]; /* Å, as it is after the steps so far */
    double        scale;         /* of all steps */
    tess_shape    out;
    double        grid[3], first[3]; /* distance of the pixels of the output, and where its first one is */
    resampling    how;
    bool          volume;
} transform;

/* The moves, in the order of the command line. */
tess_status transform_add_steps(const job *j, transform *t, const input *in);

/* The grid of the map of --like, whose pixel size and place `meta` gets. */
tess_status transform_grid_of_map(const job *j, transform *t, const input *in, tess_meta *meta);

/* The box about the middle pixel, n/2; pixels are smaller by the scale of the picture. */
tess_status transform_grid_of_box(const job *j, transform *t, const input *in, tess_meta *meta);

/* Converts moves to matrices from pixels of the output to those of the input. */
tess_status transform_invert(const job *j, transform *t);

#endif
