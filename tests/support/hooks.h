/* An allocator for tests: it counts, checks what comes back, and fails on request. */
#ifndef TESS_TEST_HOOKS_H
#define TESS_TEST_HOOKS_H

#include <stdatomic.h>
#include <stdlib.h>

#include "support/test.h"

typedef struct hooks {
    atomic_long calls;    /* allocations asked for */
    atomic_long live;     /* blocks that were not given back */
    atomic_long bytes;    /* bytes of those */
    atomic_long fail_at;  /* this allocation fails, counted from 1; 0: none does */
    atomic_bool for_good; /* and all after it */
    atomic_long fired;    /* allocations that failed */
    atomic_long wrong;    /* blocks given back with another size, or asked for with a strange alignment */
} hooks;

/* The size of a block stands in front of it. */
enum { FILLED = 1 << 20 }; /* bytes at the beginning of an allocation */

static inline void *hooks_alloc(void *context, size_t size, size_t alignment)
{
    hooks     *h = context;
    const long call = atomic_fetch_add(&h->calls, 1) + 1, at = atomic_load(&h->fail_at);
    if (alignment < 16 || (alignment & (alignment - 1)) != 0) atomic_fetch_add(&h->wrong, 1);
    if (at && (call == at || (call > at && atomic_load(&h->for_good)))) {
        atomic_fetch_add(&h->fired, 1);
        return NULL;
    }
    const size_t front = alignment < 64 ? 64 : alignment;
    char        *block = aligned_alloc(front, (size + 2 * front - 1) / front * front);
    if (!block) return NULL;
    memcpy(block + front - sizeof size, &size, sizeof size);
    memcpy(block + front - 2 * sizeof size, &front, sizeof front);
    /* After a failure, queued work may go on with memory that nobody has written: anything, but not uninitialised. */
    memset(block + front, 0x5a, size < FILLED ? size : FILLED);
    atomic_fetch_add(&h->live, 1);
    atomic_fetch_add(&h->bytes, (long)size);
    return block + front;
}

static inline void hooks_free(void *context, void *memory, size_t size)
{
    hooks *h = context;
    size_t was, front;
    memcpy(&was, (char *)memory - sizeof was, sizeof was);
    memcpy(&front, (char *)memory - 2 * sizeof was, sizeof front);
    if (was != size) atomic_fetch_add(&h->wrong, 1);
    atomic_fetch_sub(&h->live, 1);
    atomic_fetch_sub(&h->bytes, (long)was);
    free((char *)memory - front);
}

/* Use the hooks from now on: `h` must outlive the library's use of it, so make it static. */
static inline bool hooks_on(hooks *h)
{
    const tess_allocator allocator = { hooks_alloc, hooks_free, h };
    return CHECK_OK(tess_allocator_set(&allocator));
}

static inline bool hooks_off(void) { return CHECK_OK(tess_allocator_set(NULL)); }

/* Let every allocation of a scenario fail in turn, once and for good: it must succeed without, or say that there is no
 * memory, and give back all it took. At least `least` of them are tried. */
static inline void hooks_each_fails(hooks *h, tess_status (*scenario)(void), long least)
{
    CHECK_OK(scenario());
    if (!hooks_on(h)) return;
    for (int good = 0; good < 2; good++)
        for (long at = 1; at < 500; at++) {
            atomic_store(&h->calls, 0), atomic_store(&h->fired, 0);
            atomic_store(&h->fail_at, at), atomic_store(&h->for_good, good);
            const tess_status status = scenario();
            atomic_store(&h->fail_at, 0);
            if (atomic_load(&h->fired) == 0) {
                CHECK_OK(status);
                CHECK(at > least);
                break;
            }
            CHECK(status == TESS_ENOMEM || status == TESS_OK);
            CHECK(atomic_load(&h->live) == 0);
        }
    CHECK(atomic_load(&h->wrong) == 0);
    hooks_off();
}

#endif
