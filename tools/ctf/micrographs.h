/* Micrographs whose CTF is fitted: those of files, stacks and STAR files, with their known parameters. */
#ifndef TESSERA_CTF_MICROGRAPHS_H
#define TESSERA_CTF_MICROGRAPHS_H

#include "ctf/ctf_parameters.h"
#include "tessera/constants.h"

typedef struct micrograph {
    char    *name;   /* to open: "mics/a.mrc", "000003@stack.mrcs", or a movie */
    char    *called; /* as the user or the STAR file calls it */
    char    *plot;   /* where its picture goes, or NULL */
    int64_t  row;    /* of the STAR file; -1: there is none */
    tess_ctf known;  /* pixel size, voltage, Cs, amplitude contrast */
    bool     fitted;
    tess_ctf fit;
    double   score, resolution; /* as tess_ctf_fit gives them */
    double   errors[4];
} micrograph;

typedef struct micrographs {
    micrograph *all;
    int64_t     n;
    ctf_star    star; /* of the only argument, where it is a STAR file; else its star is NULL */
    bool        movies;
} micrographs;

/* Looks into the headers of all inputs. Each is one image, or with `movies` all frames of a file. Sizes are at least
 * `tile` along both axes. To be freed, also after a failure. */
tess_status micrographs_find(micrographs *m, job *job, int64_t tile, bool movies);
void        micrographs_free(micrographs *m);

/* Degrees of a radian; the mean pixel size of a CTF in A. */
#define CTF_DEGREES (180 / TESS_PI)
double micrograph_pixel(const tess_ctf *ctf);

/* Stores the results of a fit; numbers that are not finite were not fitted. */
void micrograph_take_fit(micrograph *one, const tess_fit_ctf_result *r);

/* "a.mrc: defocus 15994 and 15001 A, 29.8 degrees; …", with the name of the file alone. */
void micrograph_title(char title[400], const micrograph *one, bool has_phase);

/* Names of pictures, by the pattern of --plot. They may be written, and differ. */
tess_status micrographs_name_plots(micrographs *m, job *job, const char *pattern);

/* Writes all fitted micrographs as a STAR file with RELION's labels: the input STAR file with added columns, or a new
 * one. */
tess_status micrographs_write_star(const micrographs *m, job *job, const char *path, bool has_phase);

#endif
