/* A set of texts with numbers, each text once: a hash table with open addressing. */
#include "jobs/data/particles/name_set.h"

#include <string.h>

#include "core/device/memory.h"

tess_status tess__name_set_make(tess__name_set *set, const char *fn, int64_t most)
{
    *set = (tess__name_set){ .mask = 15 };
    while (set->mask < 2 * (size_t)most) set->mask = 2 * set->mask + 1;
    set->names = tess__alloc(sizeof *set->names * (size_t)(most + 1));
    set->slots = tess__alloc(sizeof *set->slots * (set->mask + 1));
    TESS_CHECK(set->names && set->slots, TESS_ENOMEM, "%s: out of memory for %lld names", fn, (long long)most);
    memset(set->slots, 0, sizeof *set->slots * (set->mask + 1));
    return TESS_OK;
}

void tess__name_set_free(tess__name_set *set)
{
    for (int64_t i = 0; i < set->n; i++) tess__free(set->names[i]);
    tess__free(set->names);
    tess__free(set->slots);
    *set = (tess__name_set){ .n = 0 };
}

/* FNV-1a, with both halves mixed. */
static size_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return (size_t)(hash ^ (hash >> 32));
}

tess_status tess__name_set_add(tess__name_set *set, const char *fn, const char *name, int64_t *number)
{
    const size_t size = strlen(name) + 1;
    size_t       at = hash_of(name) & set->mask;
    for (; set->slots[at]; at = (at + 1) & set->mask) {
        *number = set->slots[at] - 1;
        if (strcmp(set->names[*number], name) == 0) return TESS_OK;
    }
    char *copy = tess__alloc(size);
    TESS_CHECK(copy, TESS_ENOMEM, "%s: out of memory for the name %s", fn, name);
    memcpy(copy, name, size);
    *number = set->n;
    set->names[set->n++] = copy;
    set->slots[at] = set->n;
    return TESS_OK;
}
