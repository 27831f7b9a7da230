/* Unfinished files: what the library writes before a file has its final name. */
#ifndef TESSERA_FILES_UNFINISHED_H
#define TESSERA_FILES_UNFINISHED_H

#include <stdbool.h>

/* Call `tell` for each unfinished file that lies beside a file; `alive`: a process is writing it. */
void unfinished_find(const char *path, void (*tell)(void *context, const char *name, bool alive), void *context);

#endif
