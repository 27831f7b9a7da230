/* Memory of the simulated devices: a reserved range of addresses each, out of the host's reach except while work runs.
 * Around each allocation lie guard bytes; new memory follows what was given out last, so that old pointers stay bad. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/driver.h"

enum { GUARD = 256, GUARD_BYTE = 0xC3 };
enum { POOL_MAGIC = 0x706f6f, ATTRIBUTES = 8, RELEASE_THRESHOLD = 4, RESERVED_NOW, RESERVED_HIGH, USED_NOW, USED_HIGH };

/* Destroyed pools stay, as marked: what was allocated from them may live on. */
typedef struct sim_pool {
    uint32_t         magic; /* 0: destroyed */
    int              device;
    uint64_t         attribute[ATTRIBUTES + 1]; /* by the numbers of CUmemPool_attribute */
    struct sim_pool *next;
} sim_pool;

static struct {
    uintptr_t   base, cursor;
    size_t      range, memory, plain; /* plain: bytes that are of no pool */
    sim_block **blocks;               /* by address */
    size_t      count, capacity;
    sim_pool    pool;
    uint64_t    reserved; /* of all pools */
} devices[SIM_MOST_DEVICES];

static int64_t   made, pools;
static sim_pool *all_pools; /* that were created */

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

int sim_memory_init(int count)
{
    const char  *text = getenv("TESS_SIM_MEMORY");
    const size_t memory = text != NULL ? (size_t)strtoull(text, NULL, 10) : (size_t)1 << 30;
    const size_t range = round_up(memory * 2 + ((size_t)256 << 20), page_size());
    for (int d = 0; d < count; d++) {
        void *base = mmap(NULL, range, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        SIM_REQUIRE(base != MAP_FAILED, SIM_OUT_OF_MEMORY);
        devices[d].base = devices[d].cursor = (uintptr_t)base;
        devices[d].range = range;
        devices[d].memory = memory;
        devices[d].pool = (sim_pool){ .magic = POOL_MAGIC, .device = d };
    }
    return SIM_OK;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

static uintptr_t first_page(const sim_block *block) { return block->data - GUARD; }

/* The number of blocks that begin at or before the address. */
static size_t blocks_up_to(int device, uintptr_t address)
{
    size_t low = 0, high = devices[device].count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (first_page(devices[device].blocks[middle]) <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The device whose range holds the address; -1: none. */
static int device_of(uintptr_t address)
{
    for (int d = 0; d < SIM_MOST_DEVICES; d++)
        if (address - devices[d].base < devices[d].range) return d;
    return -1;
}

bool sim_is_device_address(uintptr_t address) { return device_of(address) >= 0; }

sim_block *sim_block_of(uintptr_t address)
{
    const int d = device_of(address);
    if (d < 0) return NULL;
    const size_t before = blocks_up_to(d, address);
    sim_block   *block = before > 0 ? devices[d].blocks[before - 1] : NULL;
    return block != NULL && address >= block->data && address - block->data < block->size ? block : NULL;
}

static void protect(uintptr_t from, size_t size, bool open)
{
    if (size > 0 && mprotect((void *)from, size, open ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
        sim_die("mprotect of %zu bytes was refused", size);
}

void sim_block_open(const sim_block *block, bool open) { protect(first_page(block), block->pages, open); }

/* Neighbours are opened together. */
void sim_memory_open(int device, bool open)
{
    uintptr_t from = 0, to = 0;
    for (size_t k = 0; k < devices[device].count; k++) {
        const sim_block *block = devices[device].blocks[k];
        if (!block->live) continue;
        if (first_page(block) != to) {
            protect(from, to - from, open);
            from = first_page(block);
        }
        to = first_page(block) + block->pages;
    }
    protect(from, to - from, open);
}

static void check_guard(const sim_block *block, uintptr_t from, size_t size, const char *after)
{
    const unsigned char *bytes = (const unsigned char *)from;
    if (bytes[0] == GUARD_BYTE && (size == 1 || memcmp(bytes, bytes + 1, size - 1) == 0)) return;
    size_t k = 0;
    while (bytes[k] == GUARD_BYTE) k++;
    sim_die("allocation %lld of %zu bytes on device %d: byte %lld was overwritten, seen after %s",
            (long long)block->number, block->size, block->device, (long long)(from + k) - (long long)block->data,
            after);
}

static void check_guards(const sim_block *block, const char *after)
{
    const uintptr_t end = block->data + block->size;
    check_guard(block, first_page(block), GUARD, after);
    check_guard(block, end, first_page(block) + block->pages - end, after);
}

void sim_memory_check(int device, const char *after)
{
    for (size_t k = 0; k < devices[device].count; k++)
        if (devices[device].blocks[k]->live) check_guards(devices[device].blocks[k], after);
}

/* The first gap of this size from the cursor on; 0: none. */
static uintptr_t find_gap(int device, uintptr_t from, size_t pages)
{
    const size_t before = blocks_up_to(device, from);
    if (before > 0) {
        const sim_block *last = devices[device].blocks[before - 1];
        if (first_page(last) + last->pages > from) from = first_page(last) + last->pages;
    }
    for (size_t k = before; k < devices[device].count; k++) {
        const sim_block *next = devices[device].blocks[k];
        if (first_page(next) - from >= pages) return from;
        from = first_page(next) + next->pages;
    }
    return devices[device].base + devices[device].range - from >= pages ? from : 0;
}

static bool take_budget(int device, sim_pool *pool, size_t size)
{
    const uint64_t used = pool != NULL ? pool->attribute[USED_NOW] + size : 0;
    const uint64_t held = pool != NULL ? pool->attribute[RESERVED_NOW] : 0;
    const uint64_t more = pool == NULL ? size : used > held ? used - held : 0;
    if (devices[device].plain + devices[device].reserved + more > devices[device].memory) return false;
    if (pool == NULL) {
        devices[device].plain += size;
        return true;
    }
    devices[device].reserved += more;
    pool->attribute[RESERVED_NOW] += more;
    pool->attribute[USED_NOW] = used;
    for (int now = RESERVED_NOW; now <= USED_NOW; now += USED_NOW - RESERVED_NOW)
        if (pool->attribute[now + 1] < pool->attribute[now]) pool->attribute[now + 1] = pool->attribute[now];
    return true;
}

/* Give what is beyond the use and `least` back to the device. */
static void shrink(sim_pool *pool, uint64_t least)
{
    const uint64_t used = pool->attribute[USED_NOW], keep = used > least ? used : least;
    if (pool->attribute[RESERVED_NOW] <= keep) return;
    devices[pool->device].reserved -= pool->attribute[RESERVED_NOW] - keep;
    pool->attribute[RESERVED_NOW] = keep;
}

static void give_budget(sim_block *block)
{
    const size_t size = round_up(block->size, 512);
    if (block->pool == NULL) {
        devices[block->device].plain -= size;
        return;
    }
    block->pool->attribute[USED_NOW] -= size;
    if (block->pool->magic == 0) shrink(block->pool, 0);
}

static bool remember(sim_block *block)
{
    const int d = block->device;
    if (devices[d].count == devices[d].capacity) {
        const size_t capacity = devices[d].capacity == 0 ? 64 : devices[d].capacity * 2;
        sim_block  **more = realloc(devices[d].blocks, capacity * sizeof *more);
        if (more == NULL) return false;
        devices[d].blocks = more;
        devices[d].capacity = capacity;
    }
    const size_t at = blocks_up_to(d, first_page(block));
    memmove(devices[d].blocks + at + 1, devices[d].blocks + at, (devices[d].count - at) * sizeof *devices[d].blocks);
    devices[d].blocks[at] = block;
    devices[d].count++;
    return true;
}

static sim_block *reserve(int device, sim_pool *pool, size_t size)
{
    if (size > devices[device].memory) return NULL;
    const size_t pages = round_up(GUARD + size + GUARD, page_size());
    uintptr_t    at = find_gap(device, devices[device].cursor, pages);
    if (at == 0) at = find_gap(device, devices[device].base, pages);
    sim_block *block = at != 0 ? calloc(1, sizeof *block) : NULL;
    if (block == NULL) return NULL;
    *block = (sim_block){
        .data = at + GUARD, .size = size, .pages = pages, .device = device, .number = ++made, .pool = pool
    };
    if (!take_budget(device, pool, round_up(size, 512)) || !remember(block)) {
        free(block);
        return NULL;
    }
    devices[device].cursor = at + pages;
    return block;
}

static void begin_life(void *argument)
{
    sim_block *block = *(sim_block **)argument;
    sim_block_open(block, true);
    memset((void *)first_page(block), GUARD_BYTE, GUARD);
    memset((void *)block->data, SIM_FILL, block->size);
    const uintptr_t end = block->data + block->size;
    memset((void *)end, GUARD_BYTE, first_page(block) + block->pages - end);
    sim_block_open(block, false);
    block->live = true;
}

static void end_life(void *argument)
{
    sim_block *block = *(sim_block **)argument;
    if (!block->live) sim_die("allocation %lld is freed before it was made", (long long)block->number);
    sim_block_open(block, true);
    check_guards(block, "its release");
    sim_block_open(block, false);
    (void)madvise((void *)first_page(block), block->pages, MADV_DONTNEED);
    give_budget(block);
    const int    d = block->device;
    const size_t at = blocks_up_to(d, first_page(block)) - 1;
    memmove(devices[d].blocks + at, devices[d].blocks + at + 1,
            (devices[d].count - at - 1) * sizeof *devices[d].blocks);
    devices[d].count--;
    free(block);
}

/* A pool's memory that waits to be freed can be had by waiting, as the real driver does. */
static sim_block *reserve_or_wait(int device, sim_pool *pool, size_t size)
{
    sim_block *block = reserve(device, pool, size);
    if (block != NULL || !sim_is_lazy()) return block;
    sim_drain_device(device);
    return reserve(device, pool, size);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

SIM_API int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(bytes != NULL, SIM_INVALID_VALUE);
    SIM_REQUIRE(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    *bytes = devices[device].memory;
    return SIM_OK;
}

SIM_API int cuMemGetInfo_v2(size_t *unused, size_t *total)
{
    SIM_CALL(SIM_IN_CONTEXT);
    SIM_REQUIRE(unused != NULL && total != NULL, SIM_INVALID_VALUE);
    const int d = sim_current()->device;
    *total = devices[d].memory;
    *unused = devices[d].memory - devices[d].plain - (size_t)devices[d].reserved;
    return SIM_OK;
}

SIM_API int cuMemAlloc_v2(uint64_t *address, size_t size)
{
    SIM_CALL(SIM_IN_CONTEXT);
    SIM_REQUIRE(address != NULL && size > 0, SIM_INVALID_VALUE);
    sim_block *block = reserve(sim_current()->device, NULL, size);
    SIM_REQUIRE(block != NULL, SIM_OUT_OF_MEMORY);
    begin_life(&block);
    *address = block->data;
    return SIM_OK;
}

static int allocate_later(uint64_t *address, size_t size, sim_pool *pool, void *stream)
{
    sim_stream *queue = sim_stream_of(stream);
    SIM_REQUIRE(queue != NULL, SIM_INVALID_HANDLE);
    SIM_REQUIRE(address != NULL && size > 0, SIM_INVALID_VALUE);
    if (pool == NULL) pool = &devices[sim_stream_device(queue)].pool;
    SIM_REQUIRE(pool->magic == POOL_MAGIC, SIM_INVALID_VALUE);
    sim_block *block = reserve_or_wait(pool->device, pool, size);
    SIM_REQUIRE(block != NULL, SIM_OUT_OF_MEMORY);
    *address = block->data;
    return sim_enqueue(queue, "allocation", SIM_ON_HOST, begin_life, &block, sizeof block);
}

SIM_API int cuMemAllocAsync(uint64_t *address, size_t size, void *stream)
{
    SIM_CALL(SIM_IN_CONTEXT);
    return allocate_later(address, size, NULL, stream);
}

SIM_API int cuMemAllocFromPoolAsync(uint64_t *address, size_t size, sim_pool *pool, void *stream)
{
    SIM_CALL(SIM_IN_CONTEXT);
    SIM_REQUIRE(pool != NULL, SIM_INVALID_VALUE);
    return allocate_later(address, size, pool, stream);
}

static sim_block *to_free(uint64_t address)
{
    sim_block *block = sim_block_of((uintptr_t)address);
    return block != NULL && block->data == address && !block->leaving ? block : NULL;
}

SIM_API int cuMemFree_v2(uint64_t address)
{
    SIM_RELEASE();
    if (address == 0) return sim_sticky();
    sim_block *block = to_free(address);
    SIM_REQUIRE(block != NULL, SIM_INVALID_VALUE);
    end_life(&block);
    return sim_sticky();
}

SIM_API int cuMemFreeAsync(uint64_t address, void *stream)
{
    SIM_RELEASE();
    if (address == 0) return sim_sticky();
    sim_stream *queue = sim_stream_of(stream);
    SIM_REQUIRE(queue != NULL, SIM_INVALID_HANDLE);
    sim_block *block = to_free(address);
    SIM_REQUIRE(block != NULL, SIM_INVALID_VALUE);
    block->leaving = true;
    SIM_RETURN_IF(sim_enqueue(queue, "release", SIM_ON_HOST, end_life, &block, sizeof block));
    return sim_sticky();
}

/* ---- Pools ------------------------------------------------------------------------------------------------------- */

SIM_API int cuDeviceGetDefaultMemPool(sim_pool **pool, int device)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(pool != NULL, SIM_INVALID_VALUE);
    SIM_REQUIRE(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    *pool = &devices[device].pool;
    return SIM_OK;
}

/* The first fields of CUmemPoolProps. */
typedef struct pool_properties {
    int    allocation, handles, location, device;
    void  *security;
    size_t most;
} pool_properties;

SIM_API int cuMemPoolCreate(sim_pool **pool, const pool_properties *properties)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(pool != NULL && properties != NULL, SIM_INVALID_VALUE);
    SIM_REQUIRE(properties->allocation == 1 && properties->location == 1, SIM_INVALID_VALUE);
    SIM_REQUIRE(properties->device >= 0 && properties->device < sim_device_count(), SIM_INVALID_DEVICE);
    sim_pool *made_pool = calloc(1, sizeof *made_pool);
    SIM_REQUIRE(made_pool != NULL, SIM_OUT_OF_MEMORY);
    made_pool->magic = POOL_MAGIC;
    made_pool->device = properties->device;
    made_pool->next = all_pools;
    all_pools = made_pool;
    *pool = made_pool;
    pools++;
    return SIM_OK;
}

static bool is_pool(const sim_pool *pool) { return pool != NULL && pool->magic == POOL_MAGIC; }

SIM_API int cuMemPoolDestroy(sim_pool *pool)
{
    SIM_RELEASE();
    SIM_REQUIRE(is_pool(pool) && pool != &devices[pool->device].pool, SIM_INVALID_VALUE);
    pool->magic = 0;
    shrink(pool, 0);
    pools--;
    return sim_sticky();
}

SIM_API int cuMemPoolTrimTo(sim_pool *pool, size_t least)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(is_pool(pool), SIM_INVALID_VALUE);
    shrink(pool, least);
    return SIM_OK;
}

/* The three about reuse are ints, the others 64 bits wide. */
SIM_API int cuMemPoolSetAttribute(sim_pool *pool, int attribute, const void *value)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(is_pool(pool) && value != NULL && attribute >= 1 && attribute <= ATTRIBUTES, SIM_INVALID_VALUE);
    uint64_t wide = 0;
    memcpy(&wide, value, attribute < RELEASE_THRESHOLD ? sizeof(int) : sizeof wide);
    SIM_REQUIRE(attribute <= RELEASE_THRESHOLD || wide == 0, SIM_INVALID_VALUE);
    SIM_REQUIRE(attribute != RESERVED_NOW && attribute != USED_NOW, SIM_INVALID_VALUE);
    pool->attribute[attribute] = wide;
    return SIM_OK;
}

SIM_API int cuMemPoolGetAttribute(sim_pool *pool, int attribute, void *value)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(is_pool(pool) && value != NULL && attribute >= 1 && attribute <= ATTRIBUTES, SIM_INVALID_VALUE);
    memcpy(value, &pool->attribute[attribute], attribute < RELEASE_THRESHOLD ? sizeof(int) : sizeof(uint64_t));
    return SIM_OK;
}

void sim_pools_synchronized(int device)
{
    shrink(&devices[device].pool, devices[device].pool.attribute[RELEASE_THRESHOLD]);
    for (sim_pool *pool = all_pools; pool != NULL; pool = pool->next)
        if (pool->device == device) shrink(pool, pool->attribute[RELEASE_THRESHOLD]);
}

int64_t sim_live_memory(const char *what)
{
    int64_t allocations = 0, bytes = 0;
    for (int d = 0; d < SIM_MOST_DEVICES; d++) {
        allocations += (int64_t)devices[d].count;
        for (size_t k = 0; k < devices[d].count; k++) bytes += (int64_t)devices[d].blocks[k]->size;
    }
    if (strcmp(what, "allocations") == 0) return allocations;
    if (strcmp(what, "bytes") == 0) return bytes;
    return strcmp(what, "pools") == 0 ? pools : -1;
}
