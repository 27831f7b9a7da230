/* STAR files and .cs files of cryoSPARC as one kind of document, with the labels of RELION. */
#ifndef TESSERA_FILES_STAR_FILE_H
#define TESSERA_FILES_STAR_FILE_H

#include "command/job.h"
#include "tessera/cryosparc.h"

/* Does a name end with .cs? */
bool is_cs_name(const char *path);

/* Write a document as its name says: one of cryoSPARC's becomes RELION's in a STAR file, and the other way. --force
 * overwrites. */
tess_status star_file_write(const char *path, const tess_star *star, const job *j);

#endif
