/* Half maps, and pairs of images: opened and checked with their mask, and the shell correlation of each pair. */
#ifndef TESSERA_MAPS_HALF_MAPS_H
#define TESSERA_MAPS_HALF_MAPS_H

#include "files/input.h"

typedef enum fsc_kind { FSC_UNMASKED, FSC_MASKED, FSC_RANDOMISED, FSC_CORRECTED, FSC_KINDS } fsc_kind;

typedef struct half_maps {
    input      in[2];
    int        n_open;
    tess_shape shape; /* of both */
    tess_dtype dtype; /* that they are computed in */
    double     pixel_size;
    int64_t    side, shells; /* the smallest size above 1; from frequency 0 to 0.5 */
    tess_array mask;         /* on the device of the job; without data: none */
    tess_array directions;   /* of cones, {1,1,cones,3}, there too */
    int64_t    cones;
    double     aperture;     /* radians */
    double     random_below; /* phases are random from the shell on where the unmasked curve is below this */
    double     random_at;    /* or from this frequency on, in cycles per pixel [0] */
    uint64_t   seed;
    bool       streams; /* maps are read for their curves alone */
} half_maps;

/* The options that half_maps_open looks at, but for --seed. */
#define HALF_MAP_OPTIONS                                                                                               \
    { .name = "mask", .value = "FILE", .type = OPTION_FILE, .help = "values from 0 to 1, of the size of a map" },      \
        { .name = "randomize-at-fsc",                                                                                  \
          .value = "F",                                                                                                \
          .type = OPTION_NUMBER,                                                                                       \
          .help = "phases are random from where the unmasked curve is below this [0.8]" },                             \
    {                                                                                                                  \
        .name = "randomize-at", .value = "RES", .type = OPTION_CUTOFF,                                                 \
        .help = "or from this resolution on: Å, or with /px, sh"                                                      \
    }

/* The first two arguments, or the only one, of equal sizes, with pixels of a known size that are alike along all
 * axes; --mask, --randomize-at-fsc, --randomize-at, --seed, and where the verb has them --cones and --cone-angle. */
tess_status half_maps_open(half_maps *h, job *job);
void        half_maps_close(half_maps *h);

/* Fails where phases are to be random and there is no mask: for verbs that measure what it brings. */
tess_status half_maps_need_mask(const job *job);

/* The axis of a cone. */
void half_maps_direction(const half_maps *h, int64_t cone, double zyx[3]);

/* Numbers of the curves of a pair: FSC_KINDS of them for all directions, and for each cone. Without a mask, only those
 * of the first kind are set. */
int64_t half_maps_size(const half_maps *h);

/* A curve among them; row 0 is that of all directions, row i + 1 that of cone i. */
double *half_maps_curve(const half_maps *h, double *curves, fsc_kind kind, int64_t row);

/* The kind that says how well the maps agree: corrected where there is a mask, else unmasked. */
fsc_kind half_maps_final(const half_maps *h);

/* All curves of a pair of maps {1,d,h,w} on the device of the job; `pair` counts pairs of a stack, from 0. *from is the
 * first shell with random phases. */
tess_status half_maps_correlate(const half_maps *h, const tess_array maps[2], int64_t pair, double *curves,
                                int64_t *from);

/* Are maps replaced by their spectra? Then their rows are 2 (w/2+1) elements apart. */
bool half_maps_in_place(const half_maps *h, tess_device device);

/* Bytes of workspace that this takes, for each section of a map. */
int64_t half_maps_workspace(const half_maps *h);

/* The frequency in 1/Å of a shell. */
double half_maps_frequency(const half_maps *h, int64_t shell);

/* Where a curve falls below a threshold, in Å; *crosses is false where it never does, and that is Nyquist. `whole`: the
 * last shell above it. */
tess_status half_maps_resolution(const half_maps *h, double *curve, double threshold, bool whole, double *angstrom,
                                 bool *crosses);

#endif
