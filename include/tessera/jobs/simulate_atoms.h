/* Simulation of a structure: pseudo-atoms in a compact body without symmetry, and the map of them. */
#ifndef TESSERA_JOBS_SIMULATE_ATOMS_H
#define TESSERA_JOBS_SIMULATE_ATOMS_H

#include "tessera/jobs/context.h"
#include "tessera/jobs/sink.h"

TESS_BEGIN_C

typedef struct tess_simulate_atoms_opts {
    double           radius;      /* from the mean of the atoms to the farthest one, pixels [0.3 of the box] */
    double           sigma;       /* standard deviation of the Gaussian that an atom is, pixels [0.8] */
    double           pixel_size;  /* Å, which the sink is told [not known] */
    int64_t          box;         /* pixels along the sides of the map [64] */
    int64_t          atoms;       /* number of atoms [300] */
    const tess_sink *sink;        /* where the map goes, some sections at a time [the array of the result] */
    uint32_t         reserved[8]; /* must be 0 */
} tess_simulate_atoms_opts;

typedef struct tess_simulate_atoms_result {
    tess_array map;       /* f32 {1,box,box,box} on the CPU; zeroed with opts->sink */
    tess_array positions; /* f64 {1,1,atoms,3}: x, y, z of each atom, pixels from 0 */
} tess_simulate_atoms_result;

/**
 * Makes the map of a synthetic structure.
 *
 * Atoms are Gaussians of height 1 at random positions in a body of four balls of different sizes, without symmetry;
 * none is very near another, and their mean lies on pixel box / 2. They depend on context->seed alone.
 */
TESS_API TESS_MUST_CHECK tess_status tess_simulate_atoms(tess_simulate_atoms_result     *result,
                                                         const tess_simulate_atoms_opts *opts,
                                                         const tess_context             *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_simulate_atoms_result_release(tess_simulate_atoms_result *result);

TESS_END_C

#endif
