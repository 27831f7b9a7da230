/* Numbers of the rows of STAR files: in a column of the rows, or in the optics table as RELION has it since 3.1. */
#ifndef TESSERA_PARTICLES_OPTICS_H
#define TESSERA_PARTICLES_OPTICS_H

#include "tessera.h"
#include "tessera/star.h"

/* A number of a row, or else of the row of its optics group; *found is false if neither has it. */
tess_status star_number(double *value, bool *found, const tess_star *star, const tess_star_table *rows, int64_t row,
                        const char *label);

/* The pixel size of the image or micrograph of a row, in A; 0 if the file does not say. */
tess_status star_pixel_size(double *angstrom, const tess_star *star, const tess_star_table *rows, int64_t row);

#endif
