/* Sinks of images: where a job puts a result that may not fit into memory, slab by slab.
 *
 * A sink is a plain struct: fill it by one of the functions here, or by hand where images go elsewhere.
 */
#ifndef TESSERA_JOBS_SINK_H
#define TESSERA_JOBS_SINK_H

#include "tessera/io.h"

TESS_BEGIN_C

/** Begins a result of this shape, of arrays of `dtype`; called once, before the first images. */
typedef tess_status (*tess_sink_begin_fn)(void *user, tess_shape shape, tess_dtype dtype, const tess_meta *meta);

/** Takes the next images: {n,d,h,w} on the CPU in the order of the result; n whole volumes, or some sections of one
 *  (n = 1). May be called on another thread than the job, but never twice at the same time. */
typedef tess_status (*tess_sink_append_fn)(void *user, const tess_array *part);

typedef struct tess_sink {
    tess_sink_begin_fn  begin; /* may be NULL */
    tess_sink_append_fn append;
    void               *user;        /* passed to both */
    tess_array         *array;       /* of tess_sink_array */
    int64_t             place;       /* of tess_sink_array: images so far */
    uint32_t            reserved[8]; /* must be 0 */
} tess_sink;

/** A sink into an array: made on the CPU where it is zeroed, otherwise one of the shape of the result. The array and
 *  the sink must stay where they are until the job has ended. */
TESS_API TESS_MUST_CHECK tess_status tess_sink_array(tess_sink *sink, tess_array *array);

/** A sink into a file that is being written. */
TESS_API TESS_MUST_CHECK tess_status tess_sink_writer(tess_sink *sink, tess_writer *writer);

TESS_END_C

#endif
