/* Files as arguments: "x.mrc", "x.mrc:mrcs", "x.npz:name", "12@stack.mrcs", "particles.star", "-"; read under the
 * global options --as, --bytes, --raw, --slices …; their warnings told once. */
#ifndef TESSERA_FILES_INPUT_H
#define TESSERA_FILES_INPUT_H

#include "command/job.h"

/* An input: the images that one argument stands for. */
typedef struct input {
    tess_source    source; /* what was chosen, for the library: of input_source */
    tess_file     *file;   /* NULL for a STAR file that lists several */
    tess_info_file info;   /* shape is that of what was chosen; meta.pixel_size has --apix in it */
    int64_t       *chosen; /* images or sections (along b if b > 1, else along d), or NULL: all of them */
    int64_t        n_chosen;
    struct listed *listed; /* STAR: the images of several files */
    const char    *name;
    job           *job;       /* that it was opened for */
    int32_t        keep_rows; /* as it was opened: rows are those of the file */
    void          *records; /* of the extended header: those of the chosen sections; info.meta.extended points to it */
} input;

/* What a verb needs of a file whose sections are ambiguous (rule 8 of docs/files.md). */
typedef enum input_need { NEED_ANY, NEED_IMAGES, NEED_VOLUME } input_need;

tess_status input_open(input *in, job *job, const char *argument, input_need need);
void        input_close(input *in);

/* A file beside the inputs, that an option names: --slices, --as, --raw, --page and --member are not for it. Rows of
 * TIFF, PNG and DM are those of the file with --no-flip, or if `keep_rows` is set. */
tess_status input_open_beside(input *in, job *job, const char *path, input_need need, bool keep_rows);

/* Choose among what was chosen so far: indices of b if b > 1, else of d, in this order; for --every and the like. Pixel
 * size, origin, extended header and statistics follow. The list is copied. */
tess_status input_choose(input *in, job *job, const int64_t *indices, int64_t n);

/* How many there are to choose from, and whether they are indices of b: images or volumes of a stack, also where one
 * alone is left; else sections of a volume. */
int64_t input_indices(const input *in);
bool    input_along_b(const input *in);

/* Read images `first` to first + n of b * d of what was chosen, {n,1,h,w} of volumes too, into `out`, as dtype (NONE:
 * that of the file) if it is not made. */
tess_status input_read(input *in, tess_array *out, int64_t first, int64_t n, tess_dtype dtype);

/* The same of these rows and columns of each, into `out`, which was made: its b says how many images. */
tess_status input_read_part(input *in, const tess_array *out, int64_t first, tess_range rows, tess_range columns);

/* All of it, in its shape. Fails, naming --mem, if that is more than the memory allowed. */
tess_status input_read_all(input *in, job *job, tess_array *out, tess_dtype dtype);

/* The same as a source for jobs of the library; good until it is closed or chosen among again. */
const tess_source *input_source(input *in);

/* The pixel size along w (x), in Å; fails with an error that names --apix if it is not known. info.meta has those of
 * all axes. */
tess_status input_pixel_size(const input *in, double *x);

#endif
