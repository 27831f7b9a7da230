/* Simulation of a structure: pseudo-atoms in a compact body without symmetry, and their map. */
#ifndef TESSERA_JOBS_SIMULATE_ATOMS_H
#define TESSERA_JOBS_SIMULATE_ATOMS_H

#include "tessera/jobs/context.h"
#include "tessera/jobs/sink.h"

TESS_BEGIN_C

typedef struct tess_simulate_atoms_opts {
    double           radius;      /* distance from the mean of the atoms to the farthest one, pixels [0.3 of the box] */
    double           sigma;       /* standard deviation of the Gaussian of each atom, pixels [0.8] */
    double           pixel_size;  /* Å, passed to the sink [not known] */
    int64_t          box;         /* box size of the map, pixels [64] */
    int64_t          atoms;       /* number of atoms [300] */
    const tess_sink *sink;        /* destination of the map, in groups of sections [the array of the result] */
    uint32_t         reserved[8]; /* must be 0 */
} tess_simulate_atoms_opts;

typedef struct tess_simulate_atoms_result {
    tess_array map;       /* f32 {1,box,box,box} on the CPU; zeroed with opts->sink */
    tess_array positions; /* f64 {1,1,atoms,3}: x, y, z of each atom, pixels from 0 */
} tess_simulate_atoms_result;

/**
 * Simulates the map of a synthetic structure.
 *
 * Atoms are Gaussians of height 1 at random positions in a body of four balls of different sizes, without symmetry.
 * They keep a minimum distance from each other, and their mean is at pixel box / 2. They depend only on context->seed.
 */
TESS_API TESS_MUST_CHECK tess_status tess_simulate_atoms(tess_simulate_atoms_result     *result,
                                                         const tess_simulate_atoms_opts *opts,
                                                         const tess_context             *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_simulate_atoms_result_release(tess_simulate_atoms_result *result);

TESS_END_C

#endif
