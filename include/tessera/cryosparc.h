/* Files of cryoSPARC (.cs: rows with named fields, a structured NPY array) and their conversion to RELION's and back.
 *
 * tess_star_read knows a .cs file by its first bytes. It becomes a document with the one table "cryosparc": a column
 * for each field, or name_0, name_1 and so on for one of several values. tess_star_write to a name that ends with .cs
 * writes such a file, of a document with one table: types of fields are those that cryoSPARC has by their names; other
 * numbers are f4, or f8 where their digits need it, and other values texts. Include it beside tessera.h.
 */
#ifndef TESSERA_CRYOSPARC_H
#define TESSERA_CRYOSPARC_H

#include "tessera/star.h"

TESS_BEGIN_C

/** Is it a document as tess_star_read makes it of a .cs file? */
TESS_API bool tess_star_is_cryosparc(const tess_star *star);

/** Make a document of RELION 3.1, with optics and particles, of one of cryoSPARC. Poses (rotation vectors) become Euler
 *  angles, shifts in pixels origins in Å, radians degrees; numbers of images, classes and half sets count from 1. Other
 *  fields are kept under their names. docs/files.md has the list. */
TESS_API TESS_MUST_CHECK tess_status tess_star_to_relion(tess_star **relion, const tess_star *cryosparc);

/** The other way. Columns without a field in cryoSPARC are kept as relion/rlnName. A uid is made if there is none. */
TESS_API TESS_MUST_CHECK tess_status tess_star_to_cryosparc(tess_star **cryosparc, const tess_star *relion);

/* ---- Both kinds of file, as RELION has them ---- */

/** Does the name of a file end with .star or .cs? */
TESS_API bool tess_star_is_named(const char *path);

/** Read a STAR file, or a .cs file as a document of RELION. */
TESS_API TESS_MUST_CHECK tess_status tess_star_read_relion(tess_star **star, const char *path);

/** Write a document as the name of the file says: one of cryoSPARC becomes RELION's in a STAR file, and one of RELION
 *  becomes cryoSPARC's in a .cs file. */
TESS_API TESS_MUST_CHECK tess_status tess_star_write_named(const char *path, const tess_star *star,
                                                           const tess_star_opts *opts);

TESS_END_C

#endif
