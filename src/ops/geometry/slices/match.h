/* Projection matching: what its steps share. Images and slices are compared in match_scores.c; match_search.c decides
 * which candidates are tried. */
#ifndef TESS_OPS_GEOMETRY_SLICES_MATCH_H
#define TESS_OPS_GEOMETRY_SLICES_MATCH_H

#include "tessera/match_projections.h"
#include "tessera/rotation.h"

#define TESS__MATCH "match_projections"

/* What is best for an image so far. */
typedef struct tess__match_pose {
    tess_vec4_f64 rotation;
    double        shift[2], score;
} tess__match_pose;

typedef struct tess__matching {
    tess_match_projections_opts o;
    const tess_array           *spectrum;
    int64_t                     n, side, small; /* images; their side, and that of the spectra that are compared */
    tess_array                  images;         /* their spectra times CTF and weights, c32 {n,1,small,small/2+1} */
    tess_array                  squares;        /* CTF^2 times weights, f32 {n,1,small,small/2+1} */
    tess_array                  norms;          /* f64 {n,1,1,1} in the host's memory */
    tess__match_pose           *poses;
} tess__matching;

/* Candidates: `count` for all images, or for each from `first` on; and shifts. */
typedef struct tess__match_trial {
    const tess_vec4_f64 *rotations;
    int64_t              count;
    bool                 each;
    const double (*moves)[2];
    int64_t n_moves;
} tess__match_trial;

/* Set m->images, squares and norms of images {n,1,s,s}. */
tess_status tess__match_images(tess__matching *m, const tess_array *images);

/* Compare all images with the candidates of a trial: m->poses become those that score higher. */
tess_status tess__match_try(tess__matching *m, const tess__match_trial *t);

/* All candidates, and shifts within the radius of the call; then, about the best, steps that are halved. */
tess_status tess__match_search(tess__matching *m, const tess_vec4_f64 *candidates, int64_t count);
tess_status tess__match_refine(tess__matching *m);

#endif
