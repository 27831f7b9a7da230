/* Parameters of CTFs: by options, and by the columns and optics tables of STAR files as RELION writes them. */
#ifndef TESSERA_CTF_CTF_PARAMETERS_H
#define TESSERA_CTF_CTF_PARAMETERS_H

#include "files/input.h"
#include "tessera/star.h"

/* Options that say what the microscope is like. */
#define CTF_MICROSCOPE_OPTIONS                                                                                         \
    { .name = "voltage", .value = "KV", .type = OPTION_NUMBER, .help = "of the microscope, in kV [300]" },             \
        { .name = "cs", .value = "MM", .type = OPTION_NUMBER, .help = "spherical aberration in mm [2.7]" },            \
    {                                                                                                                  \
        .name = "amplitude", .value = "A", .type = OPTION_NUMBER,                                                      \
        .help = "amplitude contrast, a fraction of 0 to below 1 [0.1]"                                                 \
    }

/* Options that say all of a CTF. */
#define CTF_OPTIONS                                                                                                    \
    { .name = "defocus",                                                                                               \
      .value = "U[,V]",                                                                                                \
      .type = OPTION_TEXT,                                                                                             \
      .help = "with its unit, 1.5um or 15000A; in two directions 1.6um,1.5um; under-focus is positive" },              \
        { .name = "astigmatism",                                                                                       \
          .value = "D",                                                                                                \
          .type = OPTION_DEFOCUS,                                                                                      \
          .help = "half the difference of both directions, with its unit; --defocus is then their mean [0]" },         \
        { .name = "angle",                                                                                             \
          .value = "A",                                                                                                \
          .type = OPTION_ANGLE,                                                                                        \
          .help = "of U, or of the larger defocus, from x towards y [0]" },                                            \
        CTF_MICROSCOPE_OPTIONS,                                                                                        \
        { .name = "phase-shift", .value = "A", .type = OPTION_ANGLE, .help = "of a phase plate [0]" },                 \
    {                                                                                                                  \
        .name = "bfactor", .value = "B", .type = OPTION_NUMBER,                                                        \
        .help = "an envelope exp(-B/4 s^2), B in A^2: positive damps [0]"                                              \
    }

/* What options say of microscope and envelope. */
tess_status ctf_of_microscope(const job *job, tess_ctf *ctf);

/* The same, and defocus, astigmatism and phase shift; its pixel size stays as it is. */
tess_status ctf_of_options(const job *job, tess_ctf *ctf);

/* A STAR file, and its table that has defoci or else lists images. */
typedef struct ctf_star {
    tess_star       *star;
    tess_star_table *rows;
    const char      *path;
} ctf_star;

tess_status ctf_star_open(ctf_star *s, const char *path);
void        ctf_star_close(ctf_star *s);

/* Voltage, Cs and amplitude contrast of a row into a CTF of ctf_of_options. What an option says goes before the file;
 * without either it is an error that names the column and the option. */
tess_status ctf_star_microscope(tess_ctf *ctf, const job *job, const ctf_star *s, int64_t row);

/* All of a row, and of options, in the same way; pixel sizes of `ctf` that are above 0 stay. */
tess_status ctf_star_row(tess_ctf *ctf, const job *job, const ctf_star *s, int64_t row);

/* A CTF for each image of an input, {n,1,1,17} of f64, or one for all: by the STAR file that the input is, by the
 * one of the option --ctf, or by options. To be released. */
tess_status ctf_of_images(tess_array *rows, job *job, const input *in);

#endif
