/* The same drawing as SVG: texts stay texts. */
#ifndef TESSERA_PICTURE_SVG_H
#define TESSERA_PICTURE_SVG_H

#include "picture/longtext.h"
#include "picture/surface.h"
#include "tessera.h"

typedef struct svg {
    surface  surface; /* first, so that it is one */
    longtext text;
    int      n_clips; /* rectangles so far */
    bool     clipped; /* is one in force? */
} svg;

void svg_start(svg *s, double width, double height, colour background);

/* Complete it and write it; "-" is standard output. To be freed after it in any case. */
tess_status svg_write(svg *s, const char *path, bool overwrite);
void        svg_free(svg *s);

#endif
