/* Maps of projections: matrices of the caller's as coordinates of rays through a volume, and of voxels on images. */
#ifndef TESS_OPS_GEOMETRY_PROJECT_RAYS_H
#define TESS_OPS_GEOMETRY_PROJECT_RAYS_H

#include "ops/geometry/project/affine_sum.h"

#define TESS__RAY_SIZES "3x3 3x4 4x4"
#define TESS__VOXEL_SIZES "2x3 2x4 3x3 3x4 4x4"

/* Images and a volume. */
typedef struct tess__ray_shapes {
    const char *fn;
    tess_shape  image, volume;
    bool        centred;
    int32_t     interp;
} tess__ray_shapes;

/* Maps {n,1,3,5} of matrices that take images to the volume: k is the sample of a ray, 0 in the middle. `samples`
 * receives how many there must be. */
tess_status tess__ray_maps(tess_array *maps, int64_t *samples, const tess__matrices *m, const char *arg,
                           const tess__ray_shapes *s);

/* Maps of matrices that take the volume to images: {1,n,3,5}, or {n,1,3,5}. */
tess_status tess__voxel_maps(tess_array *maps, const tess__matrices *m, const tess__ray_shapes *s, bool of_batches);

/* Maps of voxels that have a direction of view: rank 2. */
tess_status tess__check_views(const tess_array *maps, const char *fn, const char *arg);

#endif
