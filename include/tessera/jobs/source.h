/* Sources of images: arrays, open files, lists of images in several files, or a callback, read image by image.
 *
 * Jobs read their inputs through a source, so that a movie or a stack need not fit into memory. A source is a plain
 * struct; zero it, then fill it by one of the functions here, or by hand where images come from elsewhere:
 *
 *     tess_source movie = { 0 };
 *     TESS_TRY(tess_source_open(&movie, "movie.mrcs", NULL));
 *     ...
 *     tess_source_close(&movie);
 */
#ifndef TESSERA_JOBS_SOURCE_H
#define TESSERA_JOBS_SOURCE_H

#include "tessera/io.h"
#include "tessera/jobs/context.h"

TESS_BEGIN_C

/**
 * Reads the images `first`, first + 1, … of b * d into `out`, which was made: {n,1,h,w} on the CPU, any strides, any
 * dtype that the source converts to. Of each image only these rows and columns are wanted. May be called on another
 * thread than the job, but never twice at the same time.
 */
typedef tess_status (*tess_source_fn)(void *user, const tess_array *out, int64_t first, tess_range rows,
                                      tess_range columns);

typedef struct tess_source {
    const char       *name;  /* for messages: "movie.tif" */
    tess_shape        shape; /* images are volumes of one section: {n,1,h,w} */
    tess_dtype        dtype;
    int32_t           format;  /* of files: a tess_file_format [TESS_FORMAT_DEFAULT: not known] */
    const tess_meta  *meta;    /* pixel size and so on; NULL: nothing is known */
    const tess_array *array;   /* the array that it reads from; NULL: there is none in memory */
    tess_source_fn    read;    /* NULL where `array` is set */
    void (*close)(void *user); /* for tess_source_close; may be NULL */
    void    *user;             /* passed to both */
    int32_t  keep_rows;        /* of files: as in the tess_read_opts that it was opened with [0] */
    uint32_t reserved[7];      /* must be 0 */
} tess_source;

/** A source of the images of an array on any device, which must outlive it. `name` is for messages, as is the name of
 *  the argument; `meta` may be NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_source_array(tess_source *source, const tess_array *array, const char *name,
                                                       const tess_meta *meta);

/** A source of the images of an open file, which must outlive it. */
TESS_API TESS_MUST_CHECK tess_status tess_source_file(tess_source *source, tess_file *file, const char *name);

/** Opens a file as a source; its name is copied. A STAR or .cs file is the stack of the images that it lists, as of
 *  tess_source_star. */
TESS_API TESS_MUST_CHECK tess_status tess_source_open(tess_source *source, const char *path,
                                                      const tess_read_opts *opts);

/** Closes what tess_source_open, tess_source_star or tess_source_names opened, and zeroes the source. A zeroed source
 *  is allowed. */
TESS_API void tess_source_close(tess_source *source);

/** Reads n images from `first` on of b * d into `out`: {n,1,h,w}. Where `out` is zeroed it is made on the CPU, as
 *  `dtype`, or as the source's dtype where that is TESS_DTYPE_NONE. */
TESS_API TESS_MUST_CHECK tess_status tess_source_read(const tess_source *source, tess_array *out, int64_t first,
                                                      int64_t n, tess_dtype dtype);

/** Reads these rows and columns of images from `first` on into `out`, which was made on the CPU; its b is their
 *  number. */
TESS_API TESS_MUST_CHECK tess_status tess_source_read_part(const tess_source *source, const tess_array *out,
                                                           int64_t first, tess_range rows, tess_range columns);

/** Reads all of it, in its shape, onto the device of the context; `out` must be zeroed. Fails where that is more than
 *  the memory that the context allows. */
TESS_API TESS_MUST_CHECK tess_status tess_source_read_all(const tess_source *source, tess_array *out, tess_dtype dtype,
                                                          const tess_context *context);

/* ---- Lists of images in several files ---- */

/** Called once for each file of a list, when its header was read: to pass on its warnings, or to reject it by
 *  failing. */
typedef tess_status (*tess_source_opened_fn)(void *user, const char *path, const tess_file *file);

typedef struct tess_source_list_opts {
    const char           *root;        /* folder that relative names begin in [the current folder, or otherwise that of
                                          the list] */
    const char           *list;        /* file that the names come from, for messages [none] */
    const tess_read_opts *read;        /* options for each file, whose sections are images unless `as` says otherwise;
                                          its texts must outlive the source [as of tess_open] */
    tess_source_opened_fn opened;      /* [NULL: none] */
    void                 *user;        /* passed to it */
    uint32_t              reserved[8]; /* must be 0 */
} tess_source_list_opts;

/**
 * Opens the images that a STAR or .cs file lists, in rlnImageName or otherwise rlnMicrographName, as one stack
 * {n,1,h,w}: "000012@stack.mrcs" is the 12th image of a file.
 *
 * Every file must be there, have images of the same size, and as many as are asked for. Files are opened one at a time
 * while images are read. The metadata are those of the first file, with the pixel size of the first row where it has
 * one. `opts->list` must be NULL.
 */
TESS_API TESS_MUST_CHECK tess_status tess_source_star(tess_source *source, const char *path,
                                                      const tess_source_list_opts *opts);

/** Opens images by n names of files, "000012@stack.mrcs" or "image.mrc", as one stack in the same way. The names are
 *  copied. */
TESS_API TESS_MUST_CHECK tess_status tess_source_names(tess_source *source, const char *const *names, int64_t n,
                                                       const tess_source_list_opts *opts);

/** Tells where image i of a source lies that tess_source_star or tess_source_names opened: the path of its file, good
 *  until the source is closed, and its number there, from 1; 0 for a file that was named without a number. */
TESS_API TESS_MUST_CHECK tess_status tess_source_place(const tess_source *source, int64_t i, const char **path,
                                                       int64_t *number);

/** Keeps n of the images of such a source, in this order: numbers from 0. An image may be taken several times. */
TESS_API TESS_MUST_CHECK tess_status tess_source_choose(tess_source *source, const int64_t *images, int64_t n);

/* ---- What is known of pixels ---- */

/** Are pixels alike along h and w, and with `volume` along d, with axes at right angles, as far as their sizes are
 *  known? */
TESS_API bool tess_meta_is_cubic(const tess_meta *meta, bool volume);

/** Are both sizes, in Å, known (above 0), and do they differ by more than 1e-4 of the first? */
TESS_API bool tess_pixel_sizes_differ(double one, double other);

TESS_END_C

#endif
