/* cryoSPARC files (.cs: rows with named fields, a structured NPY array) and their conversion to and from RELION's.
 *
 * tess_star_read recognises a .cs file by its first bytes. It becomes a document with a single table, "cryosparc": a
 * column for each field, or name_0, name_1 and so on for a field with several values. tess_star_write to a name that
 * ends with .cs writes such a file from a document with one table. Fields known to cryoSPARC get its types; other
 * numbers are f4, or f8 if their digits need it, and other values are texts. Include this header in addition to
 * tessera.h.
 */
#ifndef TESSERA_CRYOSPARC_H
#define TESSERA_CRYOSPARC_H

#include "tessera/star.h"

TESS_BEGIN_C

/** Returns true if the document was read from a .cs file, or has the same form. */
TESS_API bool tess_star_is_cryosparc(const tess_star *star);

/** Converts a cryoSPARC document to one of RELION 3.1, with optics and particles. Poses (rotation vectors) become Euler
 *  angles, shifts in pixels become origins in Å, radians become degrees; images, classes and half sets are numbered
 *  from 1. Other fields are kept under their names. docs/files.md has the list. */
TESS_API TESS_MUST_CHECK tess_status tess_star_to_relion(tess_star **relion, const tess_star *cryosparc);

/** Converts a RELION document to one of cryoSPARC. Columns without a corresponding field are kept as relion/rlnName. A
 *  uid is generated if there is none. */
TESS_API TESS_MUST_CHECK tess_status tess_star_to_cryosparc(tess_star **cryosparc, const tess_star *relion);

/* ---- Both kinds of file, as RELION has them ---- */

/** Returns true if the file name ends with .star or .cs. */
TESS_API bool tess_star_is_named(const char *path);

/** Reads a STAR file, or converts a .cs file to a RELION document. */
TESS_API TESS_MUST_CHECK tess_status tess_star_read_relion(tess_star **star, const char *path);

/** Writes a document in the format of the file's extension, converting it if necessary: a cryoSPARC document to
 *  RELION's form for .star, and a RELION document to cryoSPARC's form for .cs. */
TESS_API TESS_MUST_CHECK tess_status tess_star_write_named(const char *path, const tess_star *star,
                                                           const tess_star_opts *opts);

TESS_END_C

#endif
