/* The picture of a fit of a CTF: the power spectrum beside CTF^2 of the fit, and their curves. */
#ifndef TESSERA_CTF_CTF_PICTURE_H
#define TESSERA_CTF_CTF_PICTURE_H

#include "tessera.h"

typedef struct ctf_picture {
    const char       *title;
    const tess_ctf   *ctf;        /* the fit; its pixel sizes are set */
    double            low, high;  /* range of the fit, cycles per pixel */
    double            resolution; /* to which rings follow the fit, cycles per pixel */
    const tess_array *power;      /* {1,1,n,n/2+1} in layout H, on the CPU */
    const tess_array *curves;     /* {1,1,3,n/2+1} of f64, as tess_ctf_fit makes them */
} ctf_picture;

/* Writes the picture as PNG, or if the name ends with .svg, the curves alone as SVG. */
tess_status ctf_picture_write(const ctf_picture *p, const char *path, bool overwrite);

#endif
