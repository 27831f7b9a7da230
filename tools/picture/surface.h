/* Something to draw on: pixels (canvas.h), SVG text (svg.h) or the characters of a terminal (characters.h). What is
 * drawn once can go to each of them.
 *
 * Lengths are in units of the surface; x goes right, y goes down, (0, 0) is the upper left corner. Texts are UTF-8.
 * Nothing here fails: what ran out of memory says so when the surface is written.
 */
#ifndef TESSERA_PICTURE_SURFACE_H
#define TESSERA_PICTURE_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct colour {
    uint8_t r, g, b, a; /* a: 255 covers what is below */
} colour;

typedef struct point {
    double x, y;
} point;

typedef struct stroke {
    double width;
    colour colour;
    double dash, gap; /* lengths of the parts of a broken line; 0, 0: unbroken */
} stroke;

typedef enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END } anchor;

typedef struct text_style {
    double size; /* of the font: capitals are 0.72 of it high */
    colour colour;
    anchor anchor;
    bool   bold;
    bool   upwards; /* turned to read from bottom to top, where the surface can */
} text_style;

/* 8 bits a pixel, rows from the top, without gaps. */
typedef struct grey_image {
    const uint8_t *pixels;
    int64_t        width, height;
} grey_image;

typedef struct surface surface;
struct surface {
    double width, height;
    double cell_width, cell_height; /* of one character, where texts are characters; 0 elsewhere */

    /* A line through n points, not closed. */
    void (*line)(surface *s, const point *points, int64_t n, stroke style);

    /* The inside of n points. */
    void (*fill)(surface *s, const point *points, int64_t n, colour inside);

    /* A line of text whose base line begins, is centred or ends at a point. */
    void (*text)(surface *s, point at, const char *text, text_style style);

    /* The width of a text as it will be drawn. */
    double (*text_width)(const surface *s, const char *text, double size, bool bold);

    /* Draw only inside this rectangle from now on; with a negative width, everywhere again. */
    void (*clip)(surface *s, double x, double y, double width, double height);

    /* A grey image over this rectangle, inside the surface; NULL where the surface has no pixels. */
    void (*image)(surface *s, double x, double y, double width, double height, const grey_image *image);
};

/* A line from one point to another; a rectangle; a disc. */
void surface_segment(surface *s, double x0, double y0, double x1, double y1, stroke style);
void surface_rectangle(surface *s, double x, double y, double width, double height, colour inside);
void surface_disc(surface *s, double x, double y, double radius, colour inside);

#endif
