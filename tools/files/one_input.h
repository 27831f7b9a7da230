/* What verbs share that make one file of another. */
#ifndef TESSERA_FILES_ONE_INPUT_H
#define TESSERA_FILES_ONE_INPUT_H

#include "files/slab_pipeline.h"

/* ---- The input ---- */

/* Opens the only input of a verb, does the work, and closes it. */
tess_status on_input(job *job, tess_status (*work)(struct job *job, input *in));

/* The same of a verb that writes: looks at -o first. */
tess_status on_input_to_output(job *job, tess_status (*work)(struct job *job, input *in));

/* Only looks at -o and opens the input: for a verb that has more to give back than that. */
tess_status open_input(job *job, input *in);

/* Fails, naming verb and input, if its numbers are complex. */
tess_status need_real(const job *job, const input *in);

/* Fails, naming verb, input and angles, where `what` is for axes at right angles alone: x and y, of a volume also z. */
tess_status need_right_angles(const job *job, const input *in, bool volume, const char *what);

/* The dtype that numbers of this one are computed in, f32, f64, c32 or c64, and the one they are kept in after that,
 * which is f16 for f16. */
tess_dtype dtype_to_compute(tess_dtype dtype);
tess_dtype dtype_to_keep(tess_dtype dtype);

/* ---- The output ---- */

/* Meta data of an array whose values change: statistics are no longer known. */
tess_meta meta_of(const input *in);

/* Tells if symmetry or edges of a crystal did not go into the result. */
void tell_lost_cell(job *job, const input *in, const tess_meta *result);

/* Sections of the input, read as they are, become those of an output of this shape and the same dtype; or go through
 * the shape where there is no output. The plan points to *in. */
slab_plan plan_of_sections(input *const *in, tess_shape shape);

/* Images become images of the same shape and dtype, with the same meta data. */
stream_plan plan_of_images(const input *in);

/* Each image, or each volume, is computed with by itself: in f32 or more, as the input is kept. */
stream_plan plan_to_compute(const input *in);

#endif
