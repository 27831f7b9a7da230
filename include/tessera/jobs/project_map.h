/* Projections of a map at given orientations, by central slices of its spectrum or along rays. */
#ifndef TESSERA_JOBS_PROJECT_MAP_H
#define TESSERA_JOBS_PROJECT_MAP_H

#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Method of computing projections. */
typedef enum tess_projection_method {
    TESS_PROJECT_FOURIER = 1, /* central slices of the spectrum */
    TESS_PROJECT_REAL         /* sums along rays */
} tess_projection_method;

/** Tables have a row for each projection, as in tess_reconstruct: {n,1,1,k} or {1,1,n,k} of real numbers. */
typedef struct tess_project_map_opts {
    const tess_array *shifts;      /* k = 2: pixels (y, x) that move a particle to the centre; projections are moved by
                                      their negative [0] */
    const tess_array *ctfs;        /* k = 8 to TESS_CTF_COLUMNS: fields of a tess_ctf by which projections are
                                      multiplied [none] */
    int64_t           pad;         /* padding factor of the box, only with FOURIER [2] */
    double            pixel_size;  /* Å [that of the map] */
    const tess_sink  *sink;        /* destination of the projections [the array of the result] */
    int32_t           method;      /* a tess_projection_method [FOURIER] */
    uint32_t          reserved[7]; /* must be 0 */
} tess_project_map_opts;

typedef struct tess_project_map_result {
    tess_array images;     /* f32 {n,1,s,s} on the CPU; zeroed with opts->sink */
    double     pixel_size; /* Å; 0: not known */
} tess_project_map_result;

/**
 * Projects a map, a cube {1,s,s,s} of finite real numbers, at given orientations. `rotations` is a table of quaternions
 * (z, y, x, w), k = 4, from the image to the map, such as those of tess_quat_grid, tess_quat_random and
 * tess_euler_to_quat.
 *
 * With FOURIER, the map is padded, divided by the transform of linear interpolation and transformed; each projection is
 * a central slice of the spectrum, multiplied by its CTF, shifted, and transformed back. With REAL, voxels are added
 * along rays, then the CTF and the shift are applied to the image. Projections are sums of voxels.
 */
TESS_API TESS_MUST_CHECK tess_status tess_project_map(tess_project_map_result *result, const tess_source *map,
                                                      const tess_array *rotations, const tess_project_map_opts *opts,
                                                      const tess_context *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_project_map_result_release(tess_project_map_result *result);

TESS_END_C

#endif
