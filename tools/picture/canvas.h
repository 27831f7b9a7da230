/* A picture of 8-bit red, green and blue, with lines, areas and texts whose edges are smooth. */
#ifndef TESSERA_PICTURE_CANVAS_H
#define TESSERA_PICTURE_CANVAS_H

#include "picture/surface.h"
#include "tessera.h"

typedef struct canvas {
    surface  surface; /* first, so that a canvas is one; its units are `scale` pixels */
    int64_t  width, height;
    double   scale;
    uint8_t *rgb; /* rows from the top, three bytes a pixel, without gaps */

    int64_t         clip[4]; /* left, top, right, bottom in pixels; the last two are outside */
    float          *row;     /* coverage of one row while something is drawn */
    struct segment *segments;
    int64_t         n_segments, capacity;
    bool            failed; /* memory ran out: the picture is not complete */
} canvas;

/* A canvas of width x height units with `scale` pixels each, all of one colour. To be freed by canvas_free. */
tess_status canvas_new(canvas **c, double width, double height, double scale, colour background);
void        canvas_free(canvas *c);

/* Put a picture of rows from the top, three bytes a pixel, with its left upper corner at pixel (x, y); what is outside
 * is left out. Each pixel becomes zoom x zoom. */
void canvas_blit(canvas *c, int64_t x, int64_t y, const uint8_t *rgb, int64_t width, int64_t height, int64_t zoom);

/* The picture as an array {1,3,height,width} of u8 with row 0 at the top: a view. Fails if memory ran out. */
tess_status canvas_array(tess_array *view, const canvas *c);

/* Write it as PNG; "-" is standard output. */
tess_status canvas_write(const canvas *c, const char *path, bool overwrite);

#endif
