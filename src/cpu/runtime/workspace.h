/* Memory that the threads of one call work in, taken before any of them begins: then nothing can fail halfway. */
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

/* As many rooms of `size` bytes, aligned to 64, as threads can be at work on this many pieces. False if there is no
 * memory. */
bool tess__workspaces_make(tess__workspaces *workspaces, size_t size, int64_t pieces);
void tess__workspaces_free(tess__workspaces *workspaces);

/* A room for one piece of work, and back again. */
char *tess__workspace_acquire(tess__workspaces *workspaces);
void  tess__workspace_release(tess__workspaces *workspaces, char *workspace);

/* A size that no memory has. Sums of a few sizes do not wrap, and rooms of such a size are not made. */
#define TESS__TOO_LARGE ((size_t)1 << 56)

/* Bytes of n elements, rounded up, so that what comes behind them is aligned; at most TESS__TOO_LARGE. */
static inline size_t tess__aligned_size(int64_t n, int64_t size)
{
    if (n > (int64_t)TESS__TOO_LARGE / size - 64) return TESS__TOO_LARGE;
    return ((size_t)(n * size) + 63) / 64 * 64;
}

#endif
