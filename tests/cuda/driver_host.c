/* Pinned memory of the host, and pointer attributes, for the simulated driver. */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

typedef struct pinned {
    uintptr_t      data;
    size_t         size;
    int            device;
    struct pinned *next;
} pinned;

static pinned *all_pinned;
SIM_API int    cuMemHostAlloc(void **data, size_t size, unsigned int flags)
{
    SIM_CALL(SIM_IN_CONTEXT);
    SIM_REQUIRE(data != NULL && size > 0 && flags < 8, SIM_INVALID_VALUE);
    void   *bytes = NULL;
    pinned *entry = malloc(sizeof *entry);
    if (entry == NULL || posix_memalign(&bytes, 4096, size) != 0) {
        free(entry);
        return SIM_OUT_OF_MEMORY;
    }
    memset(bytes, SIM_FILL, size);
    *entry = (pinned){ (uintptr_t)bytes, size, sim_current()->device, all_pinned };
    all_pinned = entry;
    *data = bytes;
    return SIM_OK;
}

SIM_API int cuMemFreeHost(void *data)
{
    SIM_RELEASE();
    for (pinned **link = &all_pinned; *link != NULL; link = &(*link)->next) {
        pinned *entry = *link;
        if (entry->data != (uintptr_t)data) continue;
        *link = entry->next;
        memset(data, SIM_FILL, entry->size);
        free(data);
        free(entry);
        return sim_sticky();
    }
    return SIM_INVALID_VALUE;
}

static const pinned *pinned_of(uintptr_t address)
{
    const pinned *entry = all_pinned;
    while (entry != NULL && (address < entry->data || address - entry->data >= entry->size)) entry = entry->next;
    return entry;
}

bool sim_is_pinned(uintptr_t address, size_t size)
{
    const pinned *entry = pinned_of(address);
    return entry != NULL && address - entry->data + size <= entry->size;
}

enum {
    ASK_CONTEXT = 1,
    ASK_TYPE = 2,
    ASK_DEVICE_POINTER = 3,
    ASK_HOST_POINTER = 4,
    ASK_MANAGED = 8,
    ASK_ORDINAL = 9,
    ASK_START = 11,
    ASK_SIZE = 12,
    ASK_MAPPED = 13,
    ASK_POOL = 17
};

static int tell(void *value, int attribute, uint64_t address, const sim_block *block, const pinned *host)
{
    const int           device = block != NULL ? block->device : host->device;
    const uint64_t      start = block != NULL ? block->data : host->data;
    const size_t        size = block != NULL ? block->size : host->size;
    sim_context        *context = sim_context_of(device);
    const int           type = block != NULL ? 2 : 1, yes = 1;
    const unsigned char no = 0;
    switch (attribute) {
    case ASK_CONTEXT: memcpy(value, &context, sizeof context); return SIM_OK;
    case ASK_TYPE: memcpy(value, &type, sizeof type); return SIM_OK;
    case ASK_DEVICE_POINTER: memcpy(value, &address, sizeof address); return SIM_OK;
    case ASK_HOST_POINTER: memcpy(value, &address, sizeof address); return block != NULL ? SIM_INVALID_VALUE : SIM_OK;
    case ASK_MANAGED: memcpy(value, &no, sizeof no); return SIM_OK;
    case ASK_ORDINAL: memcpy(value, &device, sizeof device); return SIM_OK;
    case ASK_START: memcpy(value, &start, sizeof start); return SIM_OK;
    case ASK_SIZE: memcpy(value, &size, sizeof size); return SIM_OK;
    case ASK_MAPPED: memcpy(value, &yes, 1); return SIM_OK;
    case ASK_POOL:
        memcpy(value, block != NULL ? (const void *)&block->pool : (const void *)&(void *){ NULL }, sizeof(void *));
        return SIM_OK;
    default: return SIM_INVALID_VALUE;
    }
}

/* What is not CUDA's is no mistake: it has attributes of nothing. */
SIM_API int cuPointerGetAttributes(unsigned n, const int *attributes, void **values, uint64_t address)
{
    SIM_CALL(SIM_AFTER_INIT);
    const sim_block *block = sim_block_of((uintptr_t)address);
    const pinned    *host = block == NULL ? pinned_of((uintptr_t)address) : NULL;
    SIM_REQUIRE(n > 0 && attributes != NULL && values != NULL, SIM_INVALID_VALUE);
    for (unsigned i = 0; i < n; i++) {
        const bool known = block != NULL || host != NULL;
        const int  none = attributes[i] == ASK_ORDINAL ? -2 : 0;
        if (!known) memcpy(values[i], &none, sizeof none);
        else SIM_REQUIRE(tell(values[i], attributes[i], address, block, host) == SIM_OK, SIM_INVALID_VALUE);
    }
    return SIM_OK;
}

int64_t sim_live_host(const char *what)
{
    int64_t count = 0;
    for (const pinned *entry = all_pinned; entry != NULL; entry = entry->next) count++;
    return strcmp(what, "host") == 0 ? count : -1;
}
