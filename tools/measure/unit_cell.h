/* Unit cells: edges and angles of crystals, whose axes need not be at right angles. */
#ifndef TESSERA_MEASURE_UNIT_CELL_H
#define TESSERA_MEASURE_UNIT_CELL_H

#include "tessera.h"

/* An angle of the cell in degrees, 0 alpha (y to z), 1 beta (z to x), 2 gamma (x to y); 90 where the file says
 * nothing. */
double unit_cell_angle(const tess_meta *meta, int i);

/* "90, 94.33, 90" */
const char *unit_cell_angles_text(char text[64], const tess_meta *meta);

/* Are pixels as large along all axes, and these at right angles? */
bool unit_cell_is_cubic(const tess_meta *meta, bool volume);

/* Is the extended header the symmetry of the cell, and not records of single sections? It holds for parts of it too. */
bool unit_cell_has_operators(const tess_meta *meta);

/* Operators of a space group are of the axes as they were: of others the group is 1. */
void unit_cell_drop_symmetry(tess_meta *meta);

/* The samples of a cell that the array was a part of are no longer those of the file: a part of a crystal that is not
 * known has no symmetry. */
void unit_cell_forget(tess_meta *meta);

#endif
