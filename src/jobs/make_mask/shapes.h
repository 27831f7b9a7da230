/* Geometric shapes about one centre, of which a mask is all that one of them covers. */
#ifndef TESS_JOBS_MAKE_MASK_SHAPES_H
#define TESS_JOBS_MAKE_MASK_SHAPES_H

#include "tessera/jobs/make_mask.h"

enum { TESS__SPHERE, TESS__BOX, TESS__CYLINDER, TESS__SHELL, TESS__ELLIPSOID, TESS__SHAPE_KINDS };

typedef struct tess__shapes {
    tess_array rows[TESS__SHAPE_KINDS]; /* f64 {n,1,1,k} on the CPU, or no data */
    tess_array centre;                  /* f64 {1,1,1,axes} on the CPU */
    double     soft;                    /* width of the edge outside, pixels */
    int        axes;                    /* 3 of volumes, 2 of images */
    bool       any;
} tess__shapes;

/* Checks the shapes of options and copies them. To be closed, also after a failure. */
tess_status tess__shapes_open(tess__shapes *shapes, const char *fn, const tess_make_mask_opts *opts, tess_shape grid);
void        tess__shapes_close(tess__shapes *shapes);

/* Draws them into `mask`, f32 {n,d,h,w}. */
tess_status tess__shapes_draw(tess_array *mask, const tess__shapes *shapes);

#endif
