/* Work slab by slab within a memory budget: while a slab is worked on, the next one is read and the one before it is
 * written. */
#ifndef TESSERA_JOBS_SLABS_H
#define TESSERA_JOBS_SLABS_H

#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

enum { TESS_SLAB_SOURCES = 16 };

/** `nz` sections from `z` on of each of `nb` volumes from `b` on; images are volumes of one section. Where nb is more
 *  than 1, nz is all of them. */
typedef struct tess_slab {
    int64_t b, nb, z, nz;
} tess_slab;

/** The sections `from` to from + n of a source (n may be 0) that sections z to z + nz of the domain are made of. */
typedef void (*tess_slab_need)(const void *user, int64_t z, int64_t nz, int64_t *from, int64_t *n);

/**
 * What is done with a slab: always in their order, on the thread that called. `in` has an array {nb,nz,h,w} of each
 * source (nz by the plan's `need`; 1 for nb or nz where a source has only one). `out` was made, {nb,nz,h,w} of the
 * result, and may be replaced: by an array of the step's own, which is released when it was written, or by one of `in`.
 * It is NULL if nothing is written.
 */
typedef tess_status (*tess_slab_step)(void *user, tess_array *out, const tess_array *in, const tess_slab *slab);

/** Zeroed, then filled. */
typedef struct tess_slab_plan {
    const char               *name;      /* of the work, for messages */
    tess_shape                domain;    /* whose b and d are cut into slabs: those of the result */
    const tess_source *const *sources;   /* up to TESS_SLAB_SOURCES */
    const tess_dtype         *in_dtypes; /* that each is read as [NULL, or NONE: as it is] */
    int32_t                   n_sources;
    int32_t                   whole;  /* 1: volumes are not cut */
    int32_t                   images; /* 1: arrays are {nb*nz,1,h,w}, and slabs count so too; one source */
    int32_t        in_place;          /* 1: no `out` is made: the step makes it of its input, or one of its own; CPU */
    tess_slab_need need;              /* [NULL: the same sections] */
    const void    *need_user;         /* passed to `need` */
    tess_shape     out_shape;         /* of the whole result, with the b and d of the domain */
    tess_dtype     out_dtype;
    uint32_t       unused;      /* must be 0 */
    int64_t        row;         /* in_place: elements from one row of an input to the next [its width] */
    int64_t        extra;       /* bytes of workspace that the step needs for each section of the domain */
    int64_t        taken;       /* bytes that are in use already */
    const char    *stage;       /* of progress, "images" [NULL: none is reported] */
    uint32_t       reserved[8]; /* must be 0 */
} tess_slab_plan;

/** Goes through all slabs. `sink` was begun with the shape and dtype of the plan; NULL: nothing is written. Steps work
 *  on the context's device, where `in` and `out` are; `out` may be replaced there too. */
TESS_API TESS_MUST_CHECK tess_status tess_slabs_run(const tess_slab_plan *plan, const tess_sink *sink,
                                                    tess_slab_step step, void *user, const tess_context *context);

TESS_END_C

#endif
