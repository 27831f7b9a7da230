/* Parts of the names of files. */
#ifndef TESSERA_FILES_FILE_NAME_H
#define TESSERA_FILES_FILE_NAME_H

#include <stddef.h>

/* Where the ending begins, ".mrc", ".mrc.gz" …; brackets and ":fmt" are behind it. Where those begin if there is no
 * ending. */
size_t name_end(const char *name);

#endif
