/* Parts of the names of files. */
#include "files/file_name.h"

#include <stdbool.h>
#include <string.h>

/* The last dot before `end`, behind the first letter; NULL if there is none. */
static const char *last_dot(const char *base, const char *end)
{
    for (const char *at = end; at > base + 1;)
        if (*--at == '.') return at;
    return NULL;
}

static bool is_compression(const char *ending, const char *end)
{
    const size_t n = (size_t)(end - ending);
    return (n == 3 && memcmp(ending, ".gz", n) == 0) || (n == 4 && memcmp(ending, ".bz2", n) == 0);
}

size_t name_end(const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    const char *end = base + strcspn(base, "[:");
    const char *dot = last_dot(base, end);
    const char *before = dot && is_compression(dot, end) ? last_dot(base, dot) : NULL;
    return (size_t)((before ? before : dot ? dot : end) - name);
}
