/* Inside the plotting module: where the frame of a plot lies, and what its axes are. */
#ifndef TESSERA_PICTURE_FRAME_H
#define TESSERA_PICTURE_FRAME_H

#include "picture/plot.h"
#include "picture/ticks.h"

/* Sizes of things, in units of the surface. */
typedef struct plot_sizes {
    double label, title, heading; /* fonts: numbers, titles of axes, title of the plot */
    double gap;                   /* between things */
    double tick;                  /* length of the marks at an axis */
    double line, curve, disc;     /* widths of lines, radius of discs */
} plot_sizes;

typedef struct frame_axis {
    double low, high;
    bool   log;
    double from, to; /* where low and high lie on the surface */
    ticks  ticks;
} frame_axis;

typedef struct frame {
    surface    *surface;
    const plot *plot;
    plot_sizes  sizes;
    double      left, top, right, bottom;
    double      outside; /* width kept free for a legend to the right */
    frame_axis  x, y;
    ticks       lengths; /* Å along the top */
} frame;

/* Find the ranges, the ticks and the margins; `outside` is kept free to the right of the frame. Fails if no point can
 * be drawn. */
tess_status frame_make(frame *f, surface *s, const plot *p, double outside, plot_facts *info);

/* Is a number one that this axis can show? Where is it? */
bool   frame_shows(const frame_axis *axis, double value);
double frame_position(const frame_axis *axis, double value);

/* Does a curve or a bar pass through this rectangle? */
bool frame_covered(const frame *f, double x0, double y0, double x1, double y1);

/* Frame, grid, numbers and titles. */
void frame_draw(const frame *f);

enum { FRAME_TEXT = 200 /* bytes of a text that was fitted */ };

/* A text of this size, cut to a width with an ellipsis. */
const char *frame_fit(const frame *f, char text[FRAME_TEXT], const char *given, double size, bool bold, double width);

/* The width of a text, in the size of the numbers. */
double frame_text_width(const frame *f, const char *text);

#endif
