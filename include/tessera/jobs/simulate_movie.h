/* Simulation of movies: frames of a micrograph with particles, ice, drift, local motion, radiation damage and a CTF. */
#ifndef TESSERA_JOBS_SIMULATE_MOVIE_H
#define TESSERA_JOBS_SIMULATE_MOVIE_H

#include "tessera/ctf.h"
#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Noise model of the electron counts. */
typedef enum tess_counting {
    TESS_COUNTING_POISSON = 1, /* integers */
    TESS_COUNTING_GAUSSIAN,    /* normally distributed counts with the mean as their variance */
    TESS_COUNTING_NONE         /* expected counts, without noise */
} tess_counting;

typedef struct tess_simulate_movie_opts {
    tess_shape size;     /* {1,1,h,w}: size of a frame, pixels [1024 x 1024] */
    double     distance; /* minimum distance between particles, pixels [0.7 of the side of the map] */
    double     contrast; /* standard deviation of a particle's box, before the CTF, relative to the mean intensity
                            [0.1]; TESS_ZERO */
    double     ice;      /* standard deviation of amorphous ice, white before the CTF, relative to that of a particle's
                            box [1]; TESS_ZERO */
    double     dose;     /* dose per frame, electrons/Å^2 [1] */
    double     drift;    /* drift from the first frame to the second, pixels; it decays, and a random walk is added [1];
                            TESS_ZERO */
    double     local;    /* maximum local motion on top of the drift, pixels [0] */
    double     astigmatism;     /* half the difference of both directions, µm [0] */
    double     angle;           /* direction of the larger defocus, radians from x to y [0] */
    double     voltage;         /* acceleration voltage, kV [300] */
    double     cs;              /* spherical aberration, mm [2.7]; TESS_ZERO */
    double     amplitude;       /* amplitude contrast, a fraction below 1 [0.1]; TESS_ZERO */
    double     phase_shift;     /* phase shift of a phase plate, radians [0] */
    double     bfactor;         /* B-factor of the envelope exp(-B/4 s^2), Å^2; positive: decay [0] */
    double     pixel_size;      /* Å [that of the map] */
    int64_t    frames;          /* number of frames [16] */
    int64_t    count;           /* number of particles [enough to cover 15 % of the area, as discs with the distance as
                                   their diameter] */
    const tess_sink *sink;      /* destination of the frames [the array of the result] */
    int32_t          noise;     /* a tess_counting [TESS_COUNTING_POISSON] */
    int32_t          no_damage; /* 1: no radiation damage at high frequencies [0] */
    int32_t          gain;      /* 1: pixels have different sensitivities [0: frames need no gain reference] */
    uint32_t         reserved[9]; /* must be 0 */
} tess_simulate_movie_opts;

/** Columns of tables of a simulated movie. */
enum {
    TESS_MOVIE_PARTICLE_X, /* position in the first frame, pixels from 0 */
    TESS_MOVIE_PARTICLE_Y,
    TESS_MOVIE_PARTICLE_ROT, /* Euler angles of RELION, degrees */
    TESS_MOVIE_PARTICLE_TILT,
    TESS_MOVIE_PARTICLE_PSI,
    TESS_MOVIE_PARTICLE_COLUMNS
};
enum {
    TESS_FRAME_SHIFT_FRAME, /* index of the frame, from 0 */
    TESS_FRAME_SHIFT_X,     /* shift that moves it onto the first frame, pixels */
    TESS_FRAME_SHIFT_Y,
    TESS_FRAME_SHIFT_EXPOSURE, /* exposure in the middle of the frame, electrons/Å^2 */
    TESS_FRAME_SHIFT_COLUMNS
};
enum {
    TESS_LOCAL_SHIFT_FRAME, /* index of the frame, from 0 */
    TESS_LOCAL_SHIFT_AT_X,  /* centre of the patch, pixels from 0 */
    TESS_LOCAL_SHIFT_AT_Y,
    TESS_LOCAL_SHIFT_X, /* shift that moves it back, relative to that of the frame, pixels */
    TESS_LOCAL_SHIFT_Y,
    TESS_LOCAL_SHIFT_COLUMNS
};

typedef struct tess_simulate_movie_result {
    tess_array movie;        /* f32 {frames,1,h,w} on the CPU, as all arrays here; zeroed with opts->sink */
    tess_array particles;    /* f64 {1,1,n,TESS_MOVIE_PARTICLE_COLUMNS} */
    tess_array rotations;    /* f64 {1,1,n,4}: quaternions (z, y, x, w), from the image to the map */
    tess_array shifts;       /* f64 {1,1,frames,TESS_FRAME_SHIFT_COLUMNS} */
    tess_array local_shifts; /* f64 {1,1,25 frames,TESS_LOCAL_SHIFT_COLUMNS}: for 5 x 5 patches, with all frames of a
                                patch together; zeroed without opts->local */
    tess_array ctf;          /* f64 {1,1,1,17}: a tess_ctf */
    tess_array gain;         /* f32 {1,1,h,w}: gain reference, to multiply frames by; zeroed without opts->gain */
    double     pixel_size;   /* Å */
    double     dose;         /* dose per frame, electrons/Å^2 */
} tess_simulate_movie_result;

/**
 * Simulates the frames of a micrograph whose particles are projections of a map {1,n,n,n} of real numbers.
 *
 * Projections at random orientations are placed at random positions in amorphous ice, and the CTF with this mean
 * defocus, in µm, is applied. For each frame, the image is moved by the drift and the local motion and filtered by the
 * radiation damage (tess_dose_weight, which also applies to the ice); then electrons are counted. Protein is dark.
 * Drift within a frame is not simulated. With opts->gain, expected counts are divided by a gain reference with mean 1
 * that varies by 5 % between pixels. Radiation damage is defined at 300 and 200 kV. Everything depends only on
 * context->seed.
 */
TESS_API TESS_MUST_CHECK tess_status tess_simulate_movie(tess_simulate_movie_result *result, const tess_source *map,
                                                         double defocus, const tess_simulate_movie_opts *opts,
                                                         const tess_context *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_simulate_movie_result_release(tess_simulate_movie_result *result);

TESS_END_C

#endif
