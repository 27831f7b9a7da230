/* List of unfinished temporary files of this process, safe to read in a signal handler. */
#include "io/file/write/unfinished_list.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "tessera/io.h"

enum { SLOTS = 16, LONGEST = 4096 };
enum { FREE, TAKEN, NAMED };

static struct {
    atomic_int state;
    pid_t      owner; /* a child that was forked has a copy of the list, but the files are not its own */
    char       path[LONGEST];
} slots[SLOTS];

int tess__unfinished_add(const char *path)
{
    const size_t n = strlen(path) + 1;
    if (n > LONGEST) return -1;
    for (int i = 0; i < SLOTS; i++) {
        int expected = FREE;
        if (!atomic_compare_exchange_strong(&slots[i].state, &expected, TAKEN)) continue;
        memcpy(slots[i].path, path, n);
        slots[i].owner = getpid();
        atomic_store(&slots[i].state, NAMED);
        return i;
    }
    return -1;
}

void tess__unfinished_forget(int slot)
{
    if (slot >= 0) atomic_store(&slots[slot].state, FREE);
}

/* Nothing here but what is safe in a signal handler. */
void tess_discard_unfinished(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (atomic_load(&slots[i].state) == NAMED && slots[i].owner == getpid()) (void)unlink(slots[i].path);
}
