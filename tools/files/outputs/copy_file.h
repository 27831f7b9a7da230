/* A copy of a file that appears only when it is complete and changed as it should be. */
#ifndef TESSERA_FILES_OUTPUTS_COPY_FILE_H
#define TESSERA_FILES_OUTPUTS_COPY_FILE_H

#include "command/job.h"

/* Is the file compressed as a whole, by gzip or bzip2? */
tess_status is_compressed(bool *compressed, const char *path);

/* Copy `from` beside `to`, decompressed if it is compressed, let `change` work on the copy, and give it its name.
 * Whatever fails, what was there under that name is untouched. Signals that end the process wait until nothing is left
 * behind. */
tess_status copy_changed(const char *from, const char *to, bool overwrite,
                         tess_status (*change)(void *context, const char *path), void *context);

#endif
