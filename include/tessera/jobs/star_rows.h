/* Rows of STAR files of particles and micrographs: the images that they name, and numbers of their optics groups.
 *
 * Since version 3.1 RELION keeps what images have in common, as the voltage, in a table of optics groups; older files
 * have a column for it. These functions look in both places.
 */
#ifndef TESSERA_JOBS_STAR_ROWS_H
#define TESSERA_JOBS_STAR_ROWS_H

#include "tessera/jobs/context.h"
#include "tessera/star.h"

TESS_BEGIN_C

/* ---- Images ---- */

/** Finds the table of a document whose rows name images, and the column of their names: rlnImageName, or otherwise
 *  rlnMicrographName. `path` is the file, for messages. */
TESS_API TESS_MUST_CHECK tess_status tess_star_find_images(tess_star_table **rows, const char **label,
                                                           const tess_star *star, const char *path);

/**
 * Finds the file that a list names: "stack.mrcs", or "000012@stack.mrcs", whose number is kept.
 *
 * A relative name begins in the folder `root`. Where that is NULL it begins in the current folder, as RELION has it, or
 * otherwise in the folder of the file `list`, which may be NULL. The path is written to `found`, a buffer of `size`
 * bytes. A file that is not there is TESS_EIO.
 */
TESS_API TESS_MUST_CHECK tess_status tess_star_find_file(char *found, size_t size, const char *name, const char *list,
                                                         const char *root);

/* ---- Numbers of a row, or of the row of its optics group ---- */

/** Gets a number of a row, or otherwise of the row of its optics group. `found` is false where neither has it, and then
 *  the value is left as it is. A group that the optics table lacks is TESS_EFORMAT. */
TESS_API TESS_MUST_CHECK tess_status tess_star_row_number(double *value, bool *found, const tess_star *star,
                                                          const tess_star_table *rows, int64_t row, const char *label);

/** Gets the pixel size of the image, or of the micrograph, of a row in Å; 0 where the file does not say. */
TESS_API TESS_MUST_CHECK tess_status tess_star_row_pixel_size(double *size, const tess_star *star,
                                                              const tess_star_table *rows, int64_t row);

/** Gets the beam tilt of a row as a tess_ctf has it: (h, w), milliradians; 0 where the file has none. */
TESS_API TESS_MUST_CHECK tess_status tess_star_row_beam_tilt(double tilt[2], const tess_star *star,
                                                             const tess_star_table *rows, int64_t row);

/** Warns of columns of rows or optics groups with aberrations or magnifications that are not used. `path` is the file;
 *  `context` may be NULL. */
TESS_API void tess_star_warn_of_aberrations(const tess_star *star, const tess_star_table *rows, const char *path,
                                            const tess_context *context);

TESS_END_C

#endif
