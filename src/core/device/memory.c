/* Host allocator: the user's functions or our own, the memory limit, reference-counted buffers. */
#include "core/device/memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/array/blocks.h"
#include "core/check/check.h"
#include "core/minmax.h"

enum { ALIGNMENT = 64 };
#define MIB ((size_t)1 << 20)
#define LARGE (4 * MIB) /* from here on storage is mapped on its own, */
/* and so is other memory, which the C library would map in small pages; but what is mapped, sanitizers do not watch */
#if defined(__SANITIZE_ADDRESS__)
enum { WATCHED = true };
#define LARGER SIZE_MAX
#else
enum { WATCHED = false };
#define LARGER (32 * MIB)
#endif
#define MAX_KEPT ((int64_t)512 << 20) /* bytes of freed blocks, or KEPT_SHARE of the machine's memory where less */
enum { KEPT_SHARE = 16 };

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
    TESS_CHECK(allocator->alloc, TESS_EARG, "allocator_set: `allocator->alloc` is `NULL`; a function is needed");
    TESS_CHECK(allocator->free, TESS_EARG, "allocator_set: `allocator->free` is `NULL`; a function is needed");
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

/* ---- The limit ---- */

static atomic_int_fast64_t limit_in_use; /* 0: the default */
static atomic_int_fast64_t bytes_in_use;

static int64_t        physical; /* bytes of the machine */
static int64_t        max_kept;
static pthread_once_t physical_once = PTHREAD_ONCE_INIT;

/* What watches memory finds a use of freed blocks if they are unmapped. */
static bool is_watched(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return WATCHED || (preloaded && strstr(preloaded, "vgpreload")); /* valgrind */
}

static void ask_physical(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    physical = pages > 0 && page > 0 ? (int64_t)pages * page : INT64_MAX;
    max_kept = is_watched() ? 0 : tess__min(physical / KEPT_SHARE, MAX_KEPT);
}

static int64_t memory_limit(void)
{
    const int64_t limit = atomic_load(&limit_in_use);
    (void)pthread_once(&physical_once, ask_physical);
    return limit ? limit : physical;
}

/* Bytes of freed blocks that may be kept: with what is in use they stay within the limit. */
static int64_t may_keep(void)
{
    const int64_t left = memory_limit() - atomic_load(&bytes_in_use);
    return left < 0 ? 0 : tess__min(left, max_kept);
}

tess_status tess_memory_limit_set(int64_t bytes)
{
    TESS_CHECK(bytes >= 0, TESS_EARG, "memory_limit_set: `bytes` is %" PRId64 "; 0 (the default) or more is needed",
               bytes);
    atomic_store(&limit_in_use, bytes);
    (void)tess__blocks_trim(may_keep());
    return TESS_OK;
}

void tess__host_memory_trim(void) { (void)tess__blocks_trim(0); }

int64_t tess__host_memory_used(void) { return atomic_load(&bytes_in_use); }

static tess_status reserve(const char *fn, int64_t size)
{
    const int64_t limit = memory_limit();
    int64_t       used = atomic_load(&bytes_in_use);
    do {
        TESS_CHECK(size == 0 || size <= limit - used, TESS_ENOMEM,
                   "%s: `%" PRId64 " bytes` of memory are needed in addition to `%" PRId64
                   " bytes` in use, and the limit is `%" PRId64
                   " bytes``memory_limit| (tess_memory_limit_set or, of the CPU, tess_device_memory_limit_set)`",
                   fn, size, used, limit);
    } while (!atomic_compare_exchange_weak(&bytes_in_use, &used, used + size));
    return TESS_OK;
}

/* ---- Memory ---- */

/* Memory of our own, for which kept blocks make way. */
static void *take_own(size_t whole)
{
    bool fresh;
    if (whole >= LARGER) return tess__block_take(whole, may_keep(), &fresh);
    void *block = aligned_alloc(ALIGNMENT, whole);
    return block || !tess__blocks_trim(0) ? block : aligned_alloc(ALIGNMENT, whole);
}

static void *take(size_t size)
{
    if (size > INT64_MAX / 2) return NULL;
    const tess_allocator *allocator = atomic_load(&current_allocator);
    const size_t          whole = (size + sizeof(origin) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    origin               *block = allocator ? allocator->alloc(allocator->context, whole, ALIGNMENT) : take_own(whole);
    if (!block) return NULL;
    block->from.allocator = allocator;
    block->from.size = whole;
    return block + 1;
}

void *tess__alloc(size_t size) { return take(size); }

static atomic_bool at_exit;

void tess__memory_at_exit(void) { atomic_store(&at_exit, true); }

void tess__free(void *memory)
{
    if (!memory) return;
    origin               *block = (origin *)memory - 1;
    const tess_allocator *allocator = block->from.allocator;
    if (allocator) {
        if (!atomic_load(&at_exit)) allocator->free(allocator->context, block, block->from.size);
    } else if (block->from.size >= LARGER) tess__block_give(block, block->from.size, may_keep());
    else free(block);
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

static void give_block(void *context)
{
    tess_buffer *buffer = context;
    tess__block_give(buffer->data, (size_t)buffer->size, may_keep());
}

static tess_buffer *buffer_mapped(int64_t size, bool zeroed)
{
    bool         fresh = false; /* such pages are zero */
    tess_buffer *buffer = tess__alloc(sizeof *buffer);
    void        *data = buffer ? tess__block_take((size_t)size, may_keep(), &fresh) : NULL;
    if (!data) {
        tess__free(buffer);
        return NULL;
    }
    if (zeroed && !fresh) memset(data, 0, (size_t)size);
    buffer_init(buffer, data, size);
    buffer->drop = give_block;
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
    if (!mapped) (void)tess__blocks_trim(may_keep());
    *out = mapped ? buffer_mapped(size, zeroed) : buffer_small(size, zeroed);
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
    atomic_fetch_sub(&bytes_in_use, buffer->size);
    if (buffer->drop) buffer->drop(buffer->context);
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
