/* A picture made of images in rows and columns: one, a montage, or three views of a volume. */
#ifndef TESSERA_PICTURE_SHEET_H
#define TESSERA_PICTURE_SHEET_H

#include "picture/image.h"

typedef struct sheet_opts {
    int64_t  max_width, max_height; /* pixels: larger pictures are made smaller by the mean of areas [0: any] */
    int64_t  min;                   /* pixels: smaller pictures are enlarged by an integer, to about this [0: any] */
    int64_t  zoom;                  /* enlarge by just this, whatever the limits [0: by the limits] */
    int64_t  gap;                   /* pixels between images */
    contrast contrast;
    bool     together;   /* one contrast for all images; else each has its own */
    double   pixel_size; /* Å: draw a scale bar [0: none] */
} sheet_opts;

typedef struct panel {
    tess_array image; /* owned; at the size it is drawn, before the zoom */
    char       label[40];
} panel;

typedef struct sheet {
    sheet_opts opts;
    int64_t    n_columns, n_rows;
    int64_t   *widths, *heights; /* of columns and rows as they are given, then as they are drawn before the zoom */
    panel     *panels;           /* row by row from the top; images that are not there are zeroed */
    double     factor;           /* pixels drawn, before the zoom, for one of an image */
    int64_t    zoom;
} sheet;

/* Plan a sheet: `widths` and `heights` are those of the images in each column and row, or of all if there is one. */
tess_status sheet_start(sheet *s, int64_t n_columns, const int64_t *widths, int64_t n_rows, const int64_t *heights,
                        bool all_equal, const sheet_opts *opts);

/* Put an image {1,1,h,w}, f32, in its place; a copy is made. `label` may be "". */
tess_status sheet_add(sheet *s, int64_t column, int64_t row, const tess_array *image, const char *label);

/* Draw it. The canvas is to be freed. Marks that say where a volume is cut are drawn at `cut`, if not NULL: the place
 * in pixels of the images along x, y and z of the three views, (0,1) xy, (0,0) xz, (1,1) zy. */
tess_status sheet_draw(const sheet *s, canvas **c, const double cut[3]);

/* The values that are black and white in an image of the sheet, for telling the user. */
tess_status sheet_shown(const sheet *s, int64_t column, int64_t row, double shown[2]);

void sheet_free(sheet *s);

#endif
