/* The file that a verb writes, by the global options -o, -f, --dtype, --mode, --compress and brackets in its name. */
#ifndef TESSERA_FILES_OUTPUTS_OUTPUT_H
#define TESSERA_FILES_OUTPUTS_OUTPUT_H

#include "files/input.h"
#include "measure/nonfinite.h"

typedef struct output {
    tess_writer   *writer;
    const char    *name; /* for messages, without brackets */
    struct target *target;
    tess_dtype     dtype;     /* of the numbers in the file; NONE: what the format makes of them */
    bool           cast;      /* the format has no such dtype: they get its range here, and are stored in a wider one */
    int64_t        n_clamped; /* by that */
    nonfinite      odd;       /* NaNs and infinities that came */
    int64_t        n_nonzero; /* fractions that were to be rounded, but for 0 */
    int64_t        n_zeroed;  /* that became 0 by that */
    int64_t        n_flat;    /* images that rounding made constant */
    int64_t        n_values;
} output;

/* Before any work: is there an -o, and may it be written? With --dry-run, says what would be written, and *skip is
 * set; a NULL `skip` leaves that to output_planned. */
tess_status output_check(job *job, bool *skip);

/* Before the verb runs: may all files be written that options name, and is each of them another? */
tess_status outputs_check(job *job);

/* The same of one file, without words. `what` names it: an option, "--star", or a generated name, "--half-maps". */
tess_status output_check_name(job *job, const char *what, const char *name);

/* The dtype that --dtype, --mode or brackets ask for in the file; NONE if they do not. */
tess_status output_dtype(const job *job, tess_dtype *dtype);

/* The format that its name says; DEFAULT if there is none. */
tess_file_format output_format(const job *job);

/* With --dry-run, say what would be written, as far as shape and dtype, and set *skip. `name` is NULL for -o. */
tess_status output_planned(job *job, const char *name, tess_shape shape, tess_dtype dtype, bool *skip);

/* Begin the output: `shape` and `dtype` of what will come, `meta` of it (pixel size, origin, … as they are after the
 * work). Adds the label of this command. `name` is NULL for -o. */
tess_status output_start(output *out, job *job, const char *name, tess_shape shape, tess_dtype dtype,
                         const tess_meta *meta);
tess_status output_append(output *out, const tess_array *images);

/* Complete it, and tell of values that were clamped or lost digits. */
tess_status output_finish(output *out, job *job);
void        output_discard(output *out);

/* One or the other, by what came of the work. */
tess_status output_end(output *out, job *job, tess_status status);

/* All at once. */
tess_status output_write(job *job, const char *name, const tess_array *in, const tess_meta *meta);

/* ---- Work on an input image by image, within the memory allowed ---- */

/* Images at a time so that `per_image` bytes each fit into the memory of the job: 1 or more. */
int64_t images_at_a_time(const job *job, int64_t n_images, int64_t per_image);

/* What a verb does with some images {n,1,h,w}, or with whole volumes {n,d,h,w} if it asked for that: make `out`, which
 * is there to be written into; an array of the step's own, or `in`, may take its place. `first` is the number of the
 * first. */
typedef tess_status (*step)(void *context, tess_array *out, const tess_array *in, int64_t first);

typedef struct stream_plan {
    tess_dtype in_dtype;   /* that inputs are read as; NONE: as they are */
    tess_dtype out_dtype;  /* of what `step` makes */
    tess_dtype file_dtype; /* of the file, where it is another [NONE: the same] */
    tess_shape out_shape;  /* of the whole output */
    tess_meta  meta;       /* of the output */
    bool       volumes;    /* one volume at a time, not images */
    bool       in_place;   /* no `out` is made: `step` makes it of `in`, whose storage it may change; CPU only */
    int64_t    row;        /* in_place: elements from one row of `in` to the next [its width] */
    bool       packs;      /* in_place: the rows of what `step` makes do not lie side by side */
    int64_t    extra;      /* bytes of workspace that `step` needs for an image or volume, beyond input and output */
    int64_t    taken;      /* bytes that are in use already */
} stream_plan;

/* Read, work, write, with a progress line; the next part is read and the last one written during the work. Without a
 * step, images are written as they are. slab_pipeline.h has this for slabs of volumes, and for several inputs. */
tess_status stream_run(job *job, input *in, const stream_plan *plan, step step, void *context);

#endif
