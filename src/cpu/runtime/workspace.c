/* Workspaces of the threads of one call: equal blocks, each with a flag that a thread takes atomically. */
#include "cpu/runtime/workspace.h"

#include "core/device/memory.h"
#include "tessera/device.h"

bool tess__workspaces_make(tess__workspaces *workspaces, size_t size, int64_t tasks)
{
    const int threads = tess_threads_get();
    workspaces->n = tasks < threads ? (int)tasks : threads;
    if (size >= TESS__TOO_LARGE / (size_t)workspaces->n) return false;
    workspaces->size = tess__aligned_size((int64_t)size, 1);
    const size_t flags = tess__aligned_size(workspaces->n, sizeof(atomic_bool));
    char        *memory = tess__alloc(flags + (size_t)workspaces->n * workspaces->size);
    if (!memory) return false;
    workspaces->taken = (atomic_bool *)(void *)memory;
    workspaces->memory = memory + flags;
    for (int i = 0; i < workspaces->n; i++) atomic_init(&workspaces->taken[i], false);
    return true;
}

void tess__workspaces_free(tess__workspaces *workspaces) { tess__free(workspaces->taken); }

/* There are as many workspaces as threads: one is free, or about to be. */
char *tess__workspace_acquire(tess__workspaces *workspaces)
{
    for (int i = 0;; i = (i + 1) % workspaces->n)
        if (!atomic_exchange(&workspaces->taken[i], true)) return workspaces->memory + (size_t)i * workspaces->size;
}

void tess__workspace_release(tess__workspaces *workspaces, char *workspace)
{
    atomic_store(&workspaces->taken[(size_t)(workspace - workspaces->memory) / workspaces->size], false);
}
