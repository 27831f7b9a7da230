/* A plot, written to the file of -o or drawn in the terminal. */
#ifndef TESSERA_DRAW_PLOT_OUT_H
#define TESSERA_DRAW_PLOT_OUT_H

#include "draw/picture_out.h"
#include "picture/plot.h"

/* `scale`: pixels of a PNG for each unit of its size. */
tess_status plot_out(const plot *p, const picture_out *out, double scale, plot_facts *info);

#endif
