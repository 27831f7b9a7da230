/* List of unfinished temporary files of this process, for a signal handler to remove. */
#ifndef TESS_IO_FILE_WRITE_UNFINISHED_LIST_H
#define TESS_IO_FILE_WRITE_UNFINISHED_LIST_H

/* Add a path; the slot to remove it by, or -1 if the list is full: then only the writer itself removes the file. */
int  tess__unfinished_add(const char *path);
void tess__unfinished_forget(int slot);

#endif
