/* Curves for a plot, from tables and from files of images: what `tessera plot` draws. */
#ifndef TESSERA_DRAW_PLOTTER_H
#define TESSERA_DRAW_PLOTTER_H

#include "draw/plot_out.h"
#include "measure/columns.h"

enum { MAX_CURVES = 200, MAX_LINES = 50 };

typedef enum source { FROM_TABLE, FROM_HISTOGRAM, FROM_RADIAL, FROM_SPECTRUM } source;

/* A plot, and what it points to. */
typedef struct plotter {
    job        *job;
    picture_out out;
    source      from;
    plot        plot;
    plot_curve  curves[MAX_CURVES];
    plot_line   lines[MAX_LINES];
    char        names[MAX_CURVES][100];
    char        x_title[100];
    double     *owned[MAX_CURVES * 2]; /* numbers to free */
    int         n_owned;
    columns    *tables; /* of each argument */
} plotter;

/* Axes, lines and size, and what is drawn. */
tess_status plotter_read_options(plotter *p);

/* Adds a curve of n numbers, which stay the caller's. */
tess_status plotter_add_curve(plotter *p, const char *name, const double *x, const double *y, int64_t n,
                              plot_kind kind);

/* Adds the columns of the table that an argument names. */
tess_status plotter_add_table(plotter *p, int argument);

/* Adds the histogram, the radial mean or the power spectrum of each argument. */
tess_status plotter_add_files(plotter *p);

/* "x.mrc" of "folder/x.mrc". */
const char *name_without_folder(const char *path);

#endif
