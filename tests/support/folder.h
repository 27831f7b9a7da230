/* A folder of its own for tests of files, removed at the end of the program. */
#ifndef TESS_TEST_FOLDER_H
#define TESS_TEST_FOLDER_H

/* The folder's path, made at the first call. */
const char *folder(void);

/* "folder/name"; good until the eighth call after it. */
const char *in_folder(const char *name);

/* Write a file of n bytes; read one, up to `size` bytes: the number of bytes it has, or -1. */
void put_file(const char *name, const void *bytes, long n);
long get_file(const char *name, void *bytes, long size);

/* How many files lie in the folder. */
int count_files(void);

#endif
