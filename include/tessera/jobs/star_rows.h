/* Rows of STAR files of particles and micrographs: the images that they name, and values of their optics groups.
 *
 * Since version 3.1 RELION keeps properties shared by images, such as the voltage, in a table of optics groups; older
 * files have a column for them. These functions look in both places.
 */
#ifndef TESSERA_JOBS_STAR_ROWS_H
#define TESSERA_JOBS_STAR_ROWS_H

#include "tessera/jobs/context.h"
#include "tessera/star.h"

TESS_BEGIN_C

/* ---- Images ---- */

/** Finds the table of a document whose rows name images, and the column of the names: rlnImageName, otherwise
 *  rlnMicrographName. `path` is the file, for messages. */
TESS_API TESS_MUST_CHECK tess_status tess_star_find_images(tess_star_table **rows, const char **label,
                                                           const tess_star *star, const char *path);

/**
 * Finds a file named in a list: "stack.mrcs", or "000012@stack.mrcs", whose number is kept.
 *
 * A relative name refers to the folder `root`. If that is NULL, it refers to the current folder, as in RELION, or
 * otherwise to the folder of the file `list`, which may be NULL. The path is written to `found`, a buffer of `size`
 * bytes. A missing file is TESS_EIO.
 */
TESS_API TESS_MUST_CHECK tess_status tess_star_find_file(char *found, size_t size, const char *name, const char *list,
                                                         const char *root);

/* ---- Numbers of a row, or of the row of its optics group ---- */

/** Gets a number of a row, or otherwise of the row of its optics group. If neither has it, `found` is false and the
 *  value is not changed. A group that is missing in the optics table is TESS_EFORMAT. */
TESS_API TESS_MUST_CHECK tess_status tess_star_row_number(double *value, bool *found, const tess_star *star,
                                                          const tess_star_table *rows, int64_t row, const char *label);

/** Gets the pixel size, in Å, of the image, or of the micrograph, of a row; 0 if it is not in the file. */
TESS_API TESS_MUST_CHECK tess_status tess_star_row_pixel_size(double *size, const tess_star *star,
                                                              const tess_star_table *rows, int64_t row);

/** Gets the beam tilt of a row as in a tess_ctf: (h, w), milliradians; 0 if it is not in the file. */
TESS_API TESS_MUST_CHECK tess_status tess_star_row_beam_tilt(double tilt[2], const tess_star *star,
                                                             const tess_star_table *rows, int64_t row);

/** Warns about columns of rows or optics groups with aberrations or magnifications that are not used. `path` is the
 *  file; `context` may be NULL. */
TESS_API void tess_star_warn_of_aberrations(const tess_star *star, const tess_star_table *rows, const char *path,
                                            const tess_context *context);

TESS_END_C

#endif
