/* cryoSPARC's .cs files as documents with one table. */
#ifndef TESS_IO_TEXT_CRYOSPARC_CS_H
#define TESS_IO_TEXT_CRYOSPARC_CS_H

#include "io/file/source.h"
#include "io/text/star.h"
#include "tessera/cryosparc.h"

/* The name of the table. */
#define TESS__CS_TABLE "cryosparc"

/* Limits, the same for reading and writing: letters of a field's name, values in a row, bytes of a value. */
enum { TESS__CS_MAX_NAME = 200, TESS__CS_MAX_COLUMNS = 4096, TESS__CS_MAX_BYTES = 1 << 20 };

/* Is this the beginning of one: an NPY file, or the kind with compressed columns? */
bool tess__cs_is(const unsigned char *bytes, int64_t n);

/* Does the name of a file end with .cs? */
bool tess__cs_is_named(const char *path);

/* The rows of an open file, added to an empty document. */
tess_status tess__cs_read(tess_star *star, tess__source *source);

/* Write the one table of a document. */
tess_status tess__cs_write(const char *path, const tess_star *star, bool overwrite);

/* "0.1" for a float: the fewest digits that read back equal. `text` has 32 bytes. */
char *tess__cs_float_text(char *text, float value);

#endif
