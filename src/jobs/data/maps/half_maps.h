/* Half maps, and pairs of images: checked with their mask, and the shell correlation of each pair. */
#ifndef TESS_JOBS_DATA_MAPS_HALF_MAPS_H
#define TESS_JOBS_DATA_MAPS_HALF_MAPS_H

#include "jobs/run/context.h"
#include "tessera/jobs/source.h"

typedef enum tess__fsc_kind {
    TESS__FSC_UNMASKED,
    TESS__FSC_MASKED,
    TESS__FSC_RANDOMISED,
    TESS__FSC_CORRECTED,
    TESS__FSC_KINDS
} tess__fsc_kind;

/* What a caller may choose; 0 is the default of each. */
typedef struct tess__half_map_opts {
    const tess_source *mask;             /* values from 0 to 1, of the size of a map [none] */
    double             randomize_at_fsc; /* phases are random from where the unmasked curve is below this */
    double             randomize_at;     /* or from this resolution on, in Å [0: by the curve] */
    double             pixel_size;       /* Å [that of the first map] */
    int64_t            cones;            /* directions [0] */
    double             aperture;         /* of cones, radians */
    bool               streams;          /* maps are read for their curves alone, and may be replaced by spectra */
} tess__half_map_opts;

typedef struct tess__half_maps {
    const char         *fn;
    const tess_context *context;
    const tess_source  *in[2];
    int                 n;     /* 1 or 2 */
    tess_shape          shape; /* of both */
    tess_dtype          dtype; /* that they are computed in */
    double              pixel_size;
    int64_t             side, shells; /* the smallest size above 1; from frequency 0 to 0.5 */
    tess_array          mask;         /* on the device of the context; without data: none */
    tess_array          directions;   /* of cones, {1,1,cones,3}, there too */
    int64_t             cones;
    double              aperture;     /* radians */
    double              random_below; /* phases are random from the shell on where the unmasked curve is below this */
    double              random_at;    /* or from this frequency on, in cycles per pixel [0] */
    bool                streams;
} tess__half_maps;

/* Checks one map, or two of equal sizes with pixels of a known size that are alike along all axes, and reads the mask.
 * `fn` is the job, for messages. To be closed, also after a failure. */
tess_status tess__half_maps_open(tess__half_maps *h, const char *fn, const tess_source *const in[2],
                                 const tess__half_map_opts *opts, const tess_context *context);
void        tess__half_maps_close(tess__half_maps *h);

/* Fails where either option requests random phases without a mask whose effect they would measure. */
tess_status tess__half_maps_need_mask(const char *fn, const tess_source *mask, double randomize_at_fsc,
                                      double randomize_at);

/* Fails where there are not one or two volumes. */
tess_status tess__half_maps_need_volume(const tess__half_maps *h);

/* The axis of a cone. */
void tess__half_maps_direction(const tess__half_maps *h, int64_t cone, double zyx[3]);

/* Numbers of the curves of a pair: TESS__FSC_KINDS of them for all directions, and for each cone. Without a mask, only
 * those of the first kind are set. */
int64_t tess__half_maps_size(const tess__half_maps *h);

/* A curve among them; row 0 is that of all directions, row i + 1 that of cone i. */
double *tess__half_maps_curve(const tess__half_maps *h, double *curves, tess__fsc_kind kind, int64_t row);

/* The kind that says how well the maps agree: corrected where there is a mask, otherwise unmasked. */
tess__fsc_kind tess__half_maps_final(const tess__half_maps *h);

/* All curves of a pair of maps {1,d,h,w} on the device of the context; `pair` counts pairs of a stack, from 0. *from is
 * the first shell with random phases. */
tess_status tess__half_maps_correlate(const tess__half_maps *h, const tess_array maps[2], int64_t pair, double *curves,
                                      int64_t *from);

/* Are maps replaced by their spectra? Then their rows are 2 (w/2+1) elements apart. */
bool tess__half_maps_in_place(const tess__half_maps *h, tess_device device);

/* Bytes of workspace that this takes, for each section of a map. */
int64_t tess__half_maps_workspace(const tess__half_maps *h);

/* The frequency in 1/Å of a shell. */
double tess__half_maps_frequency(const tess__half_maps *h, int64_t shell);

/* Where a curve falls below a threshold, in Å; *crosses is false where it never does, and that is Nyquist. `whole`: the
 * last shell above it. */
tess_status tess__half_maps_resolution(const tess__half_maps *h, double *curve, double threshold, bool whole,
                                       double *angstrom, bool *crosses);

#endif
