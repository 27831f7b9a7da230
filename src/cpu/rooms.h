/* Memory that the threads of one call work in, taken before any of them begins: then nothing can fail halfway. */
#ifndef TESS_CPU_ROOMS_H
#define TESS_CPU_ROOMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tess__rooms {
    char        *memory;
    size_t       size; /* of each */
    int          n;
    atomic_bool *taken;
} tess__rooms;

/* As many rooms of `size` bytes, aligned to 64, as threads can be at work on this many pieces. False if there is no
 * memory. */
bool tess__rooms_make(tess__rooms *rooms, size_t size, int64_t pieces);
void tess__rooms_free(tess__rooms *rooms);

/* A room for one piece of work, and back again. */
char *tess__rooms_enter(tess__rooms *rooms);
void  tess__rooms_leave(tess__rooms *rooms, char *room);

/* Bytes rounded up, so that what comes behind them is aligned. */
static inline size_t tess__room_for(int64_t bytes) { return ((size_t)bytes + 63) / 64 * 64; }

#endif
