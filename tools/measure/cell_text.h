/* Angles of unit cells as texts. */
#ifndef TESSERA_MEASURE_CELL_TEXT_H
#define TESSERA_MEASURE_CELL_TEXT_H

#include "tessera.h"

/* "90, 94.33, 90" */
const char *cell_angles_text(char text[64], const tess_meta *meta);

#endif
