/* List of unfinished temporary files of this process, for a signal handler to remove. */
#ifndef TESS_IO_FILE_UNFINISHED_H
#define TESS_IO_FILE_UNFINISHED_H

/* Remember a path; the number to forget it by, or -1 if there is no room: then only the writer itself removes it. */
int  tess__unfinished_add(const char *path);
void tess__unfinished_forget(int slot);

#endif
