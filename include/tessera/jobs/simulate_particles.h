/* Simulation of particles: noisy projections of a map, with CTFs and shifts. */
#ifndef TESSERA_JOBS_SIMULATE_PARTICLES_H
#define TESSERA_JOBS_SIMULATE_PARTICLES_H

#include "tessera/ctf.h"
#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Tables have a row for each image: {n,1,1,k} or {1,1,n,k} of real numbers. */
typedef struct tess_simulate_particles_opts {
    const tess_array *rotations;   /* k = 4: quaternions (z, y, x, w), from the image to the map [random] */
    const tess_array *shifts;      /* k = 2: pixels (y, x) that move a particle to the centre [random] */
    const tess_array *ctfs;        /* k = 8 to TESS_CTF_COLUMNS: fields of a tess_ctf [by the options below] */
    double            snr;         /* signal-to-noise ratio: variance of the images divided by that of the noise, over
                                      the whole box [0.1] */
    double            shift;       /* standard deviation of random shifts, along x and y, pixels [1]; TESS_ZERO */
    double            min_defocus; /* minimum mean defocus of a micrograph, µm [1]; TESS_ZERO */
    double            max_defocus; /* maximum mean defocus, µm [2]; TESS_ZERO */
    double            astigmatism; /* maximum of half the difference of both directions, µm [0.02]; TESS_ZERO */
    double            voltage;     /* acceleration voltage, kV [300] */
    double            cs;          /* spherical aberration, mm [2.7]; TESS_ZERO */
    double            amplitude;   /* amplitude contrast, a fraction below 1 [0.1]; TESS_ZERO */
    double            bfactor;     /* B-factor of the envelope exp(-B/4 s^2), Å^2; positive: decay [0] */
    double            pixel_size;  /* Å [that of the map] */
    int64_t           count;       /* number of particles [the number of rows of a given table, or 500] */
    int64_t           micrographs; /* number of micrographs to which particles are assigned, each with its own defocus
                                      [10] */
    const tess_sink  *sink;        /* destination of the images [the array of the result] */
    int32_t           no_noise;    /* 1: images without noise [0] */
    int32_t           no_ctf;      /* 1: images without CTF [0] */
    uint32_t          reserved[8]; /* must be 0 */
} tess_simulate_particles_opts;

/** Columns of a table of simulated particles. */
enum {
    TESS_SIMULATED_MICROGRAPH, /* index of the micrograph, from 0 */
    TESS_SIMULATED_ROT,        /* Euler angles of RELION, degrees */
    TESS_SIMULATED_TILT,
    TESS_SIMULATED_PSI,
    TESS_SIMULATED_ORIGIN_X, /* shift that moves the particle to the centre, Å */
    TESS_SIMULATED_ORIGIN_Y,
    TESS_SIMULATED_HALF, /* half set: 1, 2, 1, 2 … */
    TESS_SIMULATED_COLUMNS
};

typedef struct tess_simulate_particles_result {
    tess_array images;     /* f32 {n,1,side,side} on the CPU, as all arrays here; zeroed with opts->sink */
    tess_array particles;  /* f64 {1,1,n,TESS_SIMULATED_COLUMNS} */
    tess_array rotations;  /* f64 {1,1,n,4}: quaternions (z, y, x, w), from the image to the map */
    tess_array shifts;     /* f64 {1,1,n,2}: pixels (y, x) that move a particle to the centre */
    tess_array ctfs;       /* f64 {1,1,n,17}: a tess_ctf for each image; zeroed with opts->no_ctf */
    double     pixel_size; /* Å */
    double     noise;      /* standard deviation of the noise */
} tess_simulate_particles_result;

/**
 * Simulates images of particles: noisy projections of a map {1,n,n,n} of real numbers.
 *
 * Projections are central slices of the map's spectrum, padded to twice its size, at given or uniformly distributed
 * random orientations. Each is shifted by a normally distributed random shift and multiplied by the CTF of its
 * micrograph. White noise is added, with the mean variance of the first 64 images divided by opts->snr. Protein is
 * white. Everything depends only on context->seed. tess_reconstruct takes rotations, shifts and ctfs unchanged.
 */
TESS_API TESS_MUST_CHECK tess_status tess_simulate_particles(tess_simulate_particles_result     *result,
                                                             const tess_source                  *map,
                                                             const tess_simulate_particles_opts *opts,
                                                             const tess_context                 *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_simulate_particles_result_release(tess_simulate_particles_result *result);

TESS_END_C

#endif
