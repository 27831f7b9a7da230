/* Memory for threads at work. */
#include "cpu/runtime/workspace.h"

#include "core/memory.h"
#include "tessera/device.h"

bool tess__rooms_make(tess__rooms *rooms, size_t size, int64_t pieces)
{
    const int threads = tess_threads_get();
    rooms->n = pieces < threads ? (int)pieces : threads;
    if (size >= TESS__NO_ROOM / (size_t)rooms->n) return false;
    rooms->size = tess__room_for((int64_t)size, 1);
    const size_t flags = tess__room_for(rooms->n, sizeof(atomic_bool));
    char        *memory = tess__alloc(flags + (size_t)rooms->n * rooms->size);
    if (!memory) return false;
    rooms->taken = (atomic_bool *)(void *)memory;
    rooms->memory = memory + flags;
    for (int i = 0; i < rooms->n; i++) atomic_init(&rooms->taken[i], false);
    return true;
}

void tess__rooms_free(tess__rooms *rooms) { tess__free(rooms->taken); }

/* There are as many rooms as threads: one is free, or about to be. */
char *tess__rooms_enter(tess__rooms *rooms)
{
    for (int i = 0;; i = (i + 1) % rooms->n)
        if (!atomic_exchange(&rooms->taken[i], true)) return rooms->memory + (size_t)i * rooms->size;
}

void tess__rooms_leave(tess__rooms *rooms, char *room)
{
    atomic_store(&rooms->taken[(size_t)(room - rooms->memory) / rooms->size], false);
}
