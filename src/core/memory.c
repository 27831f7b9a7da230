/* Host allocator: the user's functions or our own, huge pages, the memory limit, reference-counted buffers. */
#define _GNU_SOURCE
#include "core/memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/check.h"

enum { ALIGNMENT = 64 };
#define HUGE_PAGE ((size_t)2 << 20)
#define LARGE (2 * HUGE_PAGE) /* from here on storage is mapped on its own, */
/* and so is other memory, which the C library would map in small pages; but what is mapped, sanitizers do not watch */
#if defined(__SANITIZE_ADDRESS__)
#define LARGER SIZE_MAX
#else
#define LARGER (16 * HUGE_PAGE)
#endif

/* Where a block came from, kept in front of it; 64 bytes, so that what follows stays aligned. */
typedef union origin {
    struct {
        const tess_allocator *allocator; /* NULL: ours */
        size_t                size;      /* of the whole block */
    } from;
    char padding[ALIGNMENT];
} origin;

/* ---- The allocator in use ---- */

/* Allocators that were ever set. They are kept: memory of an earlier one still goes back to it. */
typedef struct allocator_node {
    tess_allocator         allocator;
    struct allocator_node *next;
} allocator_node;

static _Atomic(const tess_allocator *) current_allocator;
static _Atomic(allocator_node *)       allocators;

tess_status tess_allocator_set(const tess_allocator *allocator)
{
    if (!allocator) {
        atomic_store(&current_allocator, NULL);
        return TESS_OK;
    }
    TESS_CHECK(allocator->alloc, TESS_EARG, "allocator_set: allocator->alloc is NULL; a function is needed");
    TESS_CHECK(allocator->free, TESS_EARG, "allocator_set: allocator->free is NULL; a function is needed");
    for (allocator_node *node = atomic_load(&allocators); node; node = node->next) {
        if (node->allocator.alloc == allocator->alloc && node->allocator.free == allocator->free &&
            node->allocator.context == allocator->context) {
            atomic_store(&current_allocator, &node->allocator);
            return TESS_OK;
        }
    }
    allocator_node *node = malloc(sizeof *node);
    TESS_CHECK(node, TESS_ENOMEM, "allocator_set: no memory for %zu bytes", sizeof *node);
    node->allocator = *allocator;
    node->next = atomic_load(&allocators);
    while (!atomic_compare_exchange_weak(&allocators, &node->next, node)) {}
    atomic_store(&current_allocator, &node->allocator);
    return TESS_OK;
}

static size_t mapped_size(size_t size) { return (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE; }

/* Whole huge pages, aligned to them: one entry of the TLB then covers 2 MiB instead of 4 KiB. */
static void *map_huge(size_t size)
{
    const size_t wanted = mapped_size(size);
    char        *memory = mmap(NULL, wanted + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    const size_t before = (HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE) % HUGE_PAGE;
    if (before) (void)munmap(memory, before);
    (void)munmap(memory + before + wanted, HUGE_PAGE - before);
    (void)madvise(memory + before, wanted, MADV_HUGEPAGE);
    return memory + before;
}

static void *take(size_t size)
{
    if (size > SIZE_MAX - 2 * HUGE_PAGE - 2 * ALIGNMENT) return NULL;
    const tess_allocator *allocator = atomic_load(&current_allocator);
    const size_t          whole = (size + sizeof(origin) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    origin               *block = allocator         ? allocator->alloc(allocator->context, whole, ALIGNMENT)
                                  : whole >= LARGER ? map_huge(whole)
                                                    : aligned_alloc(ALIGNMENT, whole);
    if (!block) return NULL;
    block->from.allocator = allocator;
    block->from.size = whole;
    return block + 1;
}

void *tess__alloc(size_t size) { return take(size); }

void tess__free(void *memory)
{
    if (!memory) return;
    origin               *block = (origin *)memory - 1;
    const tess_allocator *allocator = block->from.allocator;
    if (allocator) allocator->free(allocator->context, block, block->from.size);
    else if (block->from.size >= LARGER) (void)munmap(block, mapped_size(block->from.size));
    else free(block);
}

/* ---- The limit ---- */

static atomic_int_fast64_t limit_in_use; /* 0: the default */
static atomic_int_fast64_t bytes_in_use;

static int64_t        physical; /* bytes of the machine */
static pthread_once_t physical_once = PTHREAD_ONCE_INIT;

static void ask_physical(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    physical = pages > 0 && page > 0 ? (int64_t)pages * page : INT64_MAX;
}

static int64_t memory_limit(void)
{
    const int64_t limit = atomic_load(&limit_in_use);
    (void)pthread_once(&physical_once, ask_physical);
    return limit ? limit : physical;
}

tess_status tess_memory_limit_set(int64_t bytes)
{
    TESS_CHECK(bytes >= 0, TESS_EARG, "memory_limit_set: bytes is %" PRId64 "; 0 (the default) or more is needed",
               bytes);
    atomic_store(&limit_in_use, bytes);
    return TESS_OK;
}

int64_t tess__host_memory_used(void) { return atomic_load(&bytes_in_use); }

static tess_status reserve(const char *fn, int64_t size)
{
    const int64_t limit = memory_limit();
    int64_t       used = atomic_load(&bytes_in_use);
    do {
        TESS_CHECK(size == 0 || size <= limit - used, TESS_ENOMEM,
                   "%s: %" PRId64 " bytes are needed and %" PRId64 " are in use; the memory limit is %" PRId64
                   " (tess_memory_limit_set or, of the CPU, tess_device_memory_limit_set)",
                   fn, size, used, limit);
    } while (!atomic_compare_exchange_weak(&bytes_in_use, &used, used + size));
    return TESS_OK;
}

/* ---- Storage ---- */

static tess_buffer *buffer_init(tess_buffer *buffer, void *data, int64_t size)
{
    atomic_init(&buffer->references, 1);
    buffer->data = data;
    buffer->size = size;
    buffer->device = tess_cpu();
    buffer->drop = NULL;
    buffer->context = NULL;
    return buffer;
}

static void unmap(void *context)
{
    tess_buffer *buffer = context;
    (void)munmap(buffer->data, mapped_size((size_t)buffer->size));
}

static tess_buffer *buffer_mapped(int64_t size)
{
    tess_buffer *buffer = tess__alloc(sizeof *buffer);
    void        *data = buffer ? map_huge((size_t)size) : NULL;
    if (!data) {
        tess__free(buffer);
        return NULL;
    }
    buffer_init(buffer, data, size);
    buffer->drop = unmap;
    buffer->context = buffer;
    return buffer;
}

/* Header and elements in one block. */
static tess_buffer *buffer_small(int64_t size, bool zeroed)
{
    enum { HEADER = (sizeof(tess_buffer) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };
    tess_buffer *buffer = tess__alloc((size_t)size + HEADER);
    if (!buffer) return NULL;
    char *data = (char *)buffer + HEADER;
    if (zeroed) memset(data, 0, (size_t)size);
    return buffer_init(buffer, data, size);
}

tess_status tess__buffer_host(tess_buffer **out, const char *fn, int64_t size, bool zeroed)
{
    TESS_TRY(reserve(fn, size));
    const bool mapped = (size_t)size >= LARGE && !atomic_load(&current_allocator);
    *out = mapped ? buffer_mapped(size) : buffer_small(size, zeroed); /* fresh pages are zero */
    if (!*out) {
        atomic_fetch_sub(&bytes_in_use, size);
        TESS_FAIL(TESS_ENOMEM, "%s: no memory for %" PRId64 " bytes", fn, size);
    }
    return TESS_OK;
}

tess_status tess__buffer_wrap(tess_buffer **out, const char *fn, void *data, tess_device device, void (*drop)(void *),
                              void *context)
{
    tess_buffer *buffer = tess__alloc(sizeof *buffer);
    TESS_CHECK(buffer, TESS_ENOMEM, "%s: no memory for %zu bytes", fn, sizeof *buffer);
    *out = buffer_init(buffer, data, 0);
    buffer->device = device;
    buffer->drop = drop;
    buffer->context = context;
    return TESS_OK;
}

tess_status tess__buffer_counted(tess_buffer **out, const char *fn, void *data, int64_t size, void (*drop)(void *),
                                 void *context)
{
    TESS_TRY(reserve(fn, size));
    const tess_status status = tess__buffer_wrap(out, fn, data, tess_cpu(), drop, context);
    if (status == TESS_OK) (*out)->size = size;
    else atomic_fetch_sub(&bytes_in_use, size);
    TESS_TRY(status);
    return TESS_OK;
}

void tess__buffer_retain(tess_buffer *buffer)
{
    if (buffer) atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
}

void tess__buffer_release(tess_buffer *buffer)
{
    if (!buffer || atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) != 1) return;
    if (buffer->drop) buffer->drop(buffer->context);
    atomic_fetch_sub(&bytes_in_use, buffer->size);
    tess__free(buffer);
}

tess_status tess_retain(const tess_array *a)
{
    TESS_TRY(tess__check_array("retain", "a", a));
    tess__buffer_retain(a->buffer);
    return TESS_OK;
}

void tess_release(tess_array *a)
{
    if (!a) return;
    tess__buffer_release(a->buffer);
    memset(a, 0, sizeof *a);
}
