/* Plots: curves, points and bars over linear or logarithmic axes, with reference lines, marked points and a legend that
 * stands where no curve is.
 *
 *     const plot_curve fsc = { .name = "masked", .x = s, .y = f, .n = n };
 *     const plot_line  half = { .value = 0.143, .label = "0.143" };
 *     const plot p = { .x.title = "Spatial frequency (1/Å)", .y.title = "FSC", .angstrom = true,
 *                      .curves = &fsc, .n_curves = 1, .lines = &half, .n_lines = 1 };
 *     TESS_TRY(plot_write(&p, "fsc.svg", 2, false, NULL));
 *
 * A plot is a plain struct that points to the caller's numbers and texts (UTF-8); fields left at 0 take the default in
 * brackets. Numbers that are NaN or infinite, and those of 0 or less on a logarithmic axis, are left out: a line has a
 * gap there.
 */
#ifndef TESSERA_PICTURE_PLOT_H
#define TESSERA_PICTURE_PLOT_H

#include "picture/surface.h"
#include "tessera.h"

typedef enum plot_kind {
    PLOT_LINE,
    PLOT_POINTS,
    PLOT_LINE_POINTS, /* a line, and a disc at each point */
    PLOT_BARS         /* histogram: bar i goes from x[i] to x[i + 1], so that x has n + 1 numbers */
} plot_kind;

typedef struct plot_curve {
    const char   *name; /* in the legend, which is there for two or more curves [none] */
    const double *x, *y;
    int64_t       n;
    plot_kind     kind;   /* [a line] */
    colour        colour; /* [the next of a palette that colour-blind people can tell apart] */
    double        dash;   /* length of the parts of a broken line [0: unbroken, or as the palette begins again] */
} plot_curve;

typedef struct plot_line {
    double      value;
    bool        upright; /* at an x; else at a y */
    const char *label;   /* [none] */
} plot_line;

typedef struct plot_mark {
    double      x, y;
    const char *label; /* [none] */
} plot_mark;

typedef struct plot_axis {
    const char *title;     /* with its unit: "Resolution (Å)" [none] */
    double      low, high; /* [0, 0: what is in the data, to round numbers for y] */
    bool        log;
} plot_axis;

typedef struct plot {
    const char       *title; /* [none] */
    plot_axis         x, y;
    bool              angstrom; /* x is in 1/Å: also show lengths in Å along the top */
    const plot_curve *curves;
    int               n_curves;
    const plot_line  *lines;
    int               n_lines;
    const plot_mark  *marks;
    int               n_marks;
    const grey_image *backdrop; /* behind the curves in place of the grid, over the whole frame, whose units are then as
                                   long along x and y [none] */
    double            width, height; /* units: 1/96 inch in SVG [800, 500] */
} plot;

typedef struct plot_facts {
    int64_t left_out;   /* points that could not be drawn: NaN, infinite, or 0 and less on a log axis */
    double  x[2], y[2]; /* ranges of the axes */
} plot_facts;

/* Draw it over the whole of a surface. `info` may be NULL. Fails when there is nothing to draw. */
tess_status plot_draw(surface *s, const plot *p, plot_facts *info);

/* Write it to a file, as SVG if its name ends so, else as PNG with `scale` pixels a unit. */
tess_status plot_write(const plot *p, const char *path, double scale, bool overwrite, plot_facts *info);

/* The i-th colour of the palette. */
colour plot_colour(int i);

#endif
