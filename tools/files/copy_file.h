/* A copy of a file that appears only when it is complete and changed as it should be. */
#ifndef TESSERA_FILES_COPY_FILE_H
#define TESSERA_FILES_COPY_FILE_H

#include "main/job.h"

/* Bytes of an MRC file that is compressed as a whole, decompressed, as its header counts them; 0 of one that is not. */
int64_t unpacked_size(const char *path);

/* Copy `from` beside `to`, decompressed if `unpacked` has its size, let `change` work on the copy, and give it its name. Whatever fails, what was there under
 * that name is untouched. Signals that end the process wait until nothing is left behind. */
tess_status copy_changed(const char *from, const char *to, bool overwrite, int64_t unpacked,
                         tess_status (*change)(void *context, const char *path), void *context);

#endif
