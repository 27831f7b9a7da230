/* Parameters of CTFs: by options, and by the columns and optics tables of STAR files as RELION writes them. */
#ifndef TESSERA_CTF_CTF_PARAMETERS_H
#define TESSERA_CTF_CTF_PARAMETERS_H

#include "files/input.h"
#include "tessera/star.h"

/* Options for the parameters of the microscope. */
#define CTF_MICROSCOPE_OPTIONS                                                                                         \
    { .name = "voltage", .value = "KV", .type = OPTION_NUMBER, .help = "accelerating voltage in kV [300]" },           \
        { .name = "cs", .value = "MM", .type = OPTION_NUMBER, .help = "spherical aberration in mm [2.7]" },            \
    {                                                                                                                  \
        .name = "amplitude", .value = "A", .type = OPTION_NUMBER,                                                      \
        .help = "amplitude contrast, a fraction from 0 to below 1 [0.1]"                                               \
    }

/* Options for all parameters of a CTF. */
#define CTF_OPTIONS                                                                                                    \
    { .name = "defocus",                                                                                               \
      .value = "U[,V]",                                                                                                \
      .type = OPTION_TEXT,                                                                                             \
      .help = "defocus, as 1.5um or 15000A, or two as 1.6um,1.5um; underfocus is positive" },                          \
        { .name = "astigmatism",                                                                                       \
          .value = "D",                                                                                                \
          .type = OPTION_DEFOCUS,                                                                                      \
          .help = "half the difference of both defoci, with unit; --defocus is then their mean [0]" },                 \
        { .name = "angle",                                                                                             \
          .value = "A",                                                                                                \
          .type = OPTION_ANGLE,                                                                                        \
          .help = "direction of U, or the larger defocus, from x to y [0]" },                                          \
        CTF_MICROSCOPE_OPTIONS,                                                                                        \
        { .name = "phase-shift", .value = "A", .type = OPTION_ANGLE, .help = "phase shift of a phase plate [0]" },     \
    {                                                                                                                  \
        .name = "bfactor", .value = "B", .type = OPTION_NUMBER,                                                        \
        .help = "B-factor of an envelope exp(-B/4 s^2), in A^2 [0]"                                                    \
    }

/* Reads the options of microscope and envelope. */
tess_status ctf_of_microscope(const job *job, tess_ctf *ctf);

/* The same, and defocus, astigmatism and phase shift; the pixel size is left unchanged. */
tess_status ctf_of_options(const job *job, tess_ctf *ctf);

/* A STAR file, and its table that has defoci or else lists images. */
typedef struct ctf_star {
    tess_star       *star;
    tess_star_table *rows;
    const char      *path;
} ctf_star;

tess_status ctf_star_open(ctf_star *s, const char *path);
void        ctf_star_close(ctf_star *s);

/* Voltage, Cs and amplitude contrast of a row into a CTF of ctf_of_options. Options take precedence over the
 * file; without either it is an error that names the column and the option. */
tess_status ctf_star_microscope(tess_ctf *ctf, const job *job, const ctf_star *s, int64_t row);

/* All of a row, and of options, in the same way; pixel sizes of `ctf` that are above 0 stay. */
tess_status ctf_star_row(tess_ctf *ctf, const job *job, const ctf_star *s, int64_t row);

/* A CTF for each image of an input, {n,1,1,17} of f64, or one for all: by the STAR file that the input is, by the
 * one of the option --ctf, or by options. To be released. */
tess_status ctf_of_images(tess_array *rows, job *job, const input *in);

#endif
