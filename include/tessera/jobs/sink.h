/* Sinks of images: destinations of results that may not fit into memory, written slab by slab.
 *
 * A sink is a plain struct: fill it with one of the functions here, or by hand for other destinations.
 */
#ifndef TESSERA_JOBS_SINK_H
#define TESSERA_JOBS_SINK_H

#include "tessera/io.h"

TESS_BEGIN_C

/** Begins a result of this shape, written from arrays of `dtype`; called once, before the first images. */
typedef tess_status (*tess_sink_begin_fn)(void *user, tess_shape shape, tess_dtype dtype, const tess_meta *meta);

/** Receives the next images: {n,d,h,w} on the CPU in the order of the result; either n whole volumes, or some sections
 *  of one (n = 1). May be called on a thread other than that of the job, but never concurrently. */
typedef tess_status (*tess_sink_append_fn)(void *user, const tess_array *part);

typedef struct tess_sink {
    tess_sink_begin_fn  begin; /* may be NULL */
    tess_sink_append_fn append;
    void               *user;        /* passed to both */
    tess_array         *array;       /* used by tess_sink_array */
    int64_t             place;       /* used by tess_sink_array: images so far */
    uint32_t            reserved[8]; /* must be 0 */
} tess_sink;

/** Initialises a sink that writes to an array. A zeroed array is allocated on the CPU; an allocated one must have the
 *  shape of the result. The array and the sink must not be moved until the job has ended. */
TESS_API TESS_MUST_CHECK tess_status tess_sink_array(tess_sink *sink, tess_array *array);

/** Initialises a sink that writes to a file. */
TESS_API TESS_MUST_CHECK tess_status tess_sink_writer(tess_sink *sink, tess_writer *writer);

TESS_END_C

#endif
