/* Sources of images: arrays, open files, lists of images in several files, or a callback, read image by image.
 *
 * Jobs read their inputs through a source, so that a movie or a stack need not fit into memory. A source is a plain
 * struct: zero it, then fill it with one of the functions here, or by hand if images come from elsewhere:
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
 * Reads these rows and columns of the images `first`, first + 1, … of b * d into `out`, which is allocated: {n,1,h,w}
 * on the CPU, with any strides and any dtype to which the source converts. May be called on a thread other than that of
 * the job, but never concurrently.
 */
typedef tess_status (*tess_source_fn)(void *user, const tess_array *out, int64_t first, tess_range rows,
                                      tess_range columns);

typedef struct tess_source {
    const char       *name;  /* name for messages: "movie.tif" */
    tess_shape        shape; /* images are volumes of one section: {n,1,h,w} */
    tess_dtype        dtype;
    int32_t           format;  /* for files: a tess_file_format [TESS_FORMAT_DEFAULT: not known] */
    const tess_meta  *meta;    /* pixel size and so on; NULL: none */
    const tess_array *array;   /* the array of the images; NULL: not in memory */
    tess_source_fn    read;    /* NULL if `array` is set */
    void (*close)(void *user); /* called by tess_source_close; may be NULL */
    void    *user;             /* passed to both */
    int32_t  keep_rows;        /* for files: as in the tess_read_opts with which it was opened [0] */
    uint32_t reserved[7];      /* must be 0 */
} tess_source;

/** Initialises a source of the images of an array on any device, which must outlive the source. `name` is the name of
 *  the argument, for messages; `meta` may be NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_source_array(tess_source *source, const tess_array *array, const char *name,
                                                       const tess_meta *meta);

/** Initialises a source of the images of an open file, which must outlive the source. */
TESS_API TESS_MUST_CHECK tess_status tess_source_file(tess_source *source, tess_file *file, const char *name);

/** Opens a file as a source; its name is copied. A STAR or .cs file represents the stack of the images that it lists,
 *  as in tess_source_star. */
TESS_API TESS_MUST_CHECK tess_status tess_source_open(tess_source *source, const char *path,
                                                      const tess_read_opts *opts);

/** Closes a source opened by tess_source_open, tess_source_star or tess_source_names, and zeroes it. A zeroed source is
 *  allowed. */
TESS_API void tess_source_close(tess_source *source);

/** Reads n images of b * d, from `first` on, into `out`: {n,1,h,w}. A zeroed `out` is allocated on the CPU with
 *  `dtype`, or with the source's dtype if that is TESS_DTYPE_NONE. */
TESS_API TESS_MUST_CHECK tess_status tess_source_read(const tess_source *source, tess_array *out, int64_t first,
                                                      int64_t n, tess_dtype dtype);

/** Reads these rows and columns of images from `first` on into `out`, which must be allocated on the CPU; its b is the
 *  number of images. */
TESS_API TESS_MUST_CHECK tess_status tess_source_read_part(const tess_source *source, const tess_array *out,
                                                           int64_t first, tess_range rows, tess_range columns);

/** Reads a whole source, in its shape, to the device of the context; `out` must be zeroed. Fails if it exceeds the
 *  memory that the context allows. */
TESS_API TESS_MUST_CHECK tess_status tess_source_read_all(const tess_source *source, tess_array *out, tess_dtype dtype,
                                                          const tess_context *context);

/* ---- Lists of images in several files ---- */

/** Called once for each file of a list after its header was read, to pass on its warnings, or to reject it by
 *  failing. */
typedef tess_status (*tess_source_opened_fn)(void *user, const char *path, const tess_file *file);

typedef struct tess_source_list_opts {
    const char           *root;        /* base folder of relative names [the current folder, otherwise that of the
                                          list] */
    const char           *list;        /* file with the names, for messages [none] */
    const tess_read_opts *read;        /* options for each file, whose sections are images unless `as` is set; its texts
                                          must outlive the source [those of tess_open] */
    tess_source_opened_fn opened;      /* [NULL: none] */
    void                 *user;        /* passed to `opened` */
    uint32_t              reserved[8]; /* must be 0 */
} tess_source_list_opts;

/**
 * Opens the images that a STAR or .cs file lists, in rlnImageName or otherwise rlnMicrographName, as one stack
 * {n,1,h,w}: "000012@stack.mrcs" is the 12th image of a file.
 *
 * Every file must exist and contain the listed images, all of the same size. Files are opened one at a time while
 * images are read. The metadata are those of the first file, with the pixel size of the first row if it has one.
 * `opts->list` must be NULL.
 */
TESS_API TESS_MUST_CHECK tess_status tess_source_star(tess_source *source, const char *path,
                                                      const tess_source_list_opts *opts);

/** Opens images by n names, "000012@stack.mrcs" or "image.mrc", as one stack, like tess_source_star. The names are
 *  copied. */
TESS_API TESS_MUST_CHECK tess_status tess_source_names(tess_source *source, const char *const *names, int64_t n,
                                                       const tess_source_list_opts *opts);

/** Returns the location of image i of a source opened by tess_source_star or tess_source_names: the path of its file,
 *  valid until the source is closed, and its number in the file, from 1; 0 for a file named without a number. */
TESS_API TESS_MUST_CHECK tess_status tess_source_place(const tess_source *source, int64_t i, const char **path,
                                                       int64_t *number);

/** Keeps n of the images of such a source, in this order, by indices from 0. An image may be repeated. */
TESS_API TESS_MUST_CHECK tess_status tess_source_choose(tess_source *source, const int64_t *images, int64_t n);

/* ---- Pixel sizes ---- */

/** Returns true if pixel sizes are equal along h and w, and with `volume` along d, as far as they are known, and axes
 *  are at right angles. */
TESS_API bool tess_meta_is_cubic(const tess_meta *meta, bool volume);

/** Returns true if both sizes, in Å, are known (above 0) and differ by more than 1e-4 of the first. */
TESS_API bool tess_pixel_sizes_differ(double one, double other);

TESS_END_C

#endif
