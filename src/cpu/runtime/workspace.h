/* Workspaces: memory for the threads of one call, allocated before any of them begins, so that none can fail. */
#ifndef TESS_CPU_RUNTIME_WORKSPACE_H
#define TESS_CPU_RUNTIME_WORKSPACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tess__workspaces {
    char        *memory;
    size_t       size; /* of each */
    int          n;
    atomic_bool *taken;
} tess__workspaces;

/* As many workspaces of `size` bytes, aligned to 64, as threads can run this many tasks. False if there is no
 * memory. */
bool tess__workspaces_make(tess__workspaces *workspaces, size_t size, int64_t tasks);
void tess__workspaces_free(tess__workspaces *workspaces);

/* A workspace for one task, which must give it back. */
char *tess__workspace_acquire(tess__workspaces *workspaces);
void  tess__workspace_release(tess__workspaces *workspaces, char *workspace);

/* A size that no memory has. Sums of a few sizes do not wrap, and no workspace of such a size is allocated. */
#define TESS__TOO_LARGE ((size_t)1 << 56)

/* Bytes of n elements, rounded up, so that what follows them is aligned; at most TESS__TOO_LARGE. */
static inline size_t tess__aligned_size(int64_t n, int64_t size)
{
    if (n > (int64_t)TESS__TOO_LARGE / size - 64) return TESS__TOO_LARGE;
    return ((size_t)(n * size) + 63) / 64 * 64;
}

#endif
