/* Work on files slab by slab, within the memory allowed: while a slab is worked on, the next one is read and the one
 * before it is written. */
#ifndef TESSERA_FILES_SLAB_PIPELINE_H
#define TESSERA_FILES_SLAB_PIPELINE_H

#include "files/outputs/output.h"

enum { STREAM_INPUTS = TESS_SLAB_SOURCES };

typedef tess_slab      slab;
typedef tess_slab_need slab_need;
typedef tess_slab_step slab_step;

typedef struct slab_plan {
    tess_shape        domain; /* whose b and d are cut into slabs: those of the output */
    input *const     *inputs;
    int               n_inputs;
    const tess_dtype *in_dtypes; /* that each is read as; NULL, or NONE: as it is */
    slab_need         need;      /* NULL: the same sections */
    const void       *context;   /* for `need` */
    bool              whole;     /* volumes are not cut */
    bool              images;    /* arrays are {nb*nz,1,h,w}, and `slab` counts so too; one input */
    tess_shape        out_shape; /* of the whole output, with the b and d of the domain */
    tess_dtype        out_dtype;
    tess_dtype        file_dtype; /* of stream_slabs_to_file [out_dtype] */
    bool              in_place;   /* no `out` is made: the step makes it of its input, or an array of its own; CPU */
    int64_t           row;        /* in_place: elements from one row of an input to the next [its width] */
    bool              packs;      /* in_place: the rows of what is made do not lie side by side */
    int64_t           extra;      /* bytes of workspace that the step needs for each section of the domain */
    int64_t           taken;      /* bytes that are in use already */
    const char       *unit;       /* "images"; NULL: no progress line */
    tess_device       device; /* that steps work on: where `in` and `out` are; `out` may be replaced there too [cpu] */
} slab_plan;

/* Goes through all slabs. `out` was started with the shape and dtype of the plan; NULL: nothing is written. */
tess_status stream_slabs(job *job, const slab_plan *plan, output *out, slab_step step, void *context);

/* The same into -o, from output_start to output_finish. With --dry-run, it is only said what would be written. */
tess_status stream_slabs_to_file(job *job, const slab_plan *plan, const tess_meta *meta, slab_step step, void *context);

/* Bytes of the images that a writer converts, or packs whose rows do not lie side by side, before they go to the file
 * together; it keeps them for the next ones. */
int64_t bytes_to_pack(tess_shape shape, tess_dtype dtype);

/* Fails, naming --mem, if `bytes` for an image of this shape, and what is made of it, are more than is allowed. */
tess_status image_fits(const job *job, tess_shape shape, int64_t bytes);

/* Fails, naming --mem, if `bytes` for a volume of this shape are more than is allowed. */
tess_status volume_fits(const job *job, tess_shape shape, int64_t bytes);

#endif
