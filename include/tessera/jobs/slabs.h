/* Slab pipeline within a memory budget: while a slab is processed, the next one is read and the previous one is
 * written. */
#ifndef TESSERA_JOBS_SLABS_H
#define TESSERA_JOBS_SLABS_H

#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

enum { TESS_SLAB_SOURCES = 16 };

/** `nz` sections from `z` on of each of `nb` volumes from `b` on; images are volumes of one section. If nb exceeds 1,
 *  nz covers all sections. */
typedef struct tess_slab {
    int64_t b, nb, z, nz;
} tess_slab;

/** Returns the sections `from` to from + n of a source (n may be 0) that are needed for sections z to z + nz of the
 *  domain. */
typedef void (*tess_slab_need)(const void *user, int64_t z, int64_t nz, int64_t *from, int64_t *n);

/**
 * Processes a slab. Slabs are processed in order, on the calling thread. `in` has an array {nb,nz,h,w} for each source
 * (nz by the plan's `need`; nb or nz is 1 if a source has only one). `out` is allocated, {nb,nz,h,w} of the result, and
 * may be replaced by another array of the step, which is released after writing, or by one of `in`. It is NULL if
 * nothing is written.
 */
typedef tess_status (*tess_slab_step)(void *user, tess_array *out, const tess_array *in, const tess_slab *slab);

/** A plan for tess_slabs_run. Zero it before filling it in. */
typedef struct tess_slab_plan {
    const char               *name;      /* name of the work, for messages */
    tess_shape                domain;    /* shape whose b and d are split into slabs, those of the result */
    const tess_source *const *sources;   /* up to TESS_SLAB_SOURCES */
    const tess_dtype         *in_dtypes; /* dtypes in which sources are read [NULL, or NONE: unchanged] */
    int32_t                   n_sources;
    int32_t                   whole;  /* 1: volumes are not split */
    int32_t                   images; /* 1: arrays are {nb*nz,1,h,w}, and slabs are counted in images; one source */
    int32_t        in_place;          /* 1: no `out` is allocated: the step provides it from its input, or its own; CPU
                                         only */
    tess_slab_need need;              /* [NULL: the same sections] */
    const void    *need_user;         /* passed to `need` */
    tess_shape     out_shape;         /* shape of the whole result, with the b and d of the domain */
    tess_dtype     out_dtype;
    uint32_t       unused;      /* must be 0 */
    int64_t        row;         /* in_place: distance between rows of an input, in elements [its width] */
    int64_t        extra;       /* workspace of the step for each section of the domain, bytes */
    int64_t        taken;       /* memory already in use, bytes */
    const char    *stage;       /* name of the stage in progress reports, "images" [NULL: no reports] */
    uint32_t       reserved[8]; /* must be 0 */
} tess_slab_plan;

/** Processes all slabs. `sink` must have been begun with the shape and dtype of the plan; NULL: nothing is written.
 *  Steps run on the context's device, where `in` and `out` are; `out` may be replaced there too. */
TESS_API TESS_MUST_CHECK tess_status tess_slabs_run(const tess_slab_plan *plan, const tess_sink *sink,
                                                    tess_slab_step step, void *user, const tess_context *context);

TESS_END_C

#endif
