/* On-disk cache of compiled kernels (cubins), so that the next run of a program need not compile them again.
 *
 * Files lie in $XDG_CACHE_HOME/tessera (or ~/.cache/tessera), which is the user's alone. A cache that cannot be used
 * costs time, nothing else: functions that read and write do not fail. */
#ifndef TESS_CUDA_JIT_CUBINS_H
#define TESS_CUDA_JIT_CUBINS_H

#include "tessera/error.h"

/* The folder, created if it is not there, truncated if it does not fit; or why none is used: TESS_EIO, with the
 * folder as far as it is known. */
tess_status tess__cubin_folder(const char *fn, char *path, size_t size);

typedef struct tess__cubin_name {
    char text[80];
} tess__cubin_name;

/* The name of the code that a program gives: it changes with the program, the kernel sources, the compiler's options,
 * the GPU's kind and the version of the library. What is on disk is found, and used, without the compiler. */
tess__cubin_name tess__cubin_name_of(const char *program, int sm);

/* Code that was written before, whole and unchanged; to be freed with tess__free. */
bool tess__cubin_read(void **code, size_t *size, const tess__cubin_name *name);

/* Waits while another process, or another thread, compiles such a kernel: what it has written can be read then. -1,
 * after half a minute or where there is no folder: compile without. */
int  tess__cubin_lock(const tess__cubin_name *name);
void tess__cubin_unlock(int lock);

void tess__cubin_write(const void *code, size_t size, const tess__cubin_name *name);

/* Write a text file into the folder, for a person to read; false if that was not possible. */
bool tess__cubin_leave(const char *text, const char *name);

#endif
