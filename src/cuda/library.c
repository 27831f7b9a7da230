/* Opening a library by one of its names, with a message that tells what was tried. */
#include "cuda/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Folders of an installation that the loader does not know of. */
static const char *const folders[] = { "",
                                       "/usr/local/cuda/lib64/",
                                       "/usr/local/cuda/lib/",
                                       "/usr/local/cuda/targets/x86_64-linux/lib/",
                                       "/opt/cuda/lib64/",
                                       "/usr/local/nvidia/lib64/" };

enum { N_FOLDERS = sizeof folders / sizeof folders[0], TRIED_SIZE = 200, WHY_SIZE = 500, PATH_SIZE = 4096 };

static void *open_in(const char *folder, const char *slash, const char *const *names)
{
    char path[PATH_SIZE];
    for (int i = 0; names[i]; i++) {
        const int n = snprintf(path, sizeof path, "%s%s%s", folder, slash, names[i]);
        if (n < 0 || n >= PATH_SIZE) continue;
        void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (handle) return handle;
    }
    return NULL;
}

static void *open_any(const char *const *names)
{
    const char *own = getenv("TESS_CUDA_PATH");
    void       *handle = own && *own ? open_in(own, "/", names) : NULL;
    for (int i = 0; !handle && i < N_FOLDERS; i++) handle = open_in(folders[i], "", names);
    return handle;
}

static void list_names(char *text, size_t size, const char *const *names)
{
    size_t used = 0;
    for (int i = 0; names[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", names[i]);
}

bool tess__library_find(const tess__library *library, void *table, char *why, size_t size)
{
    char  tried[TRIED_SIZE];
    void *handle = open_any(library->names);
    list_names(tried, sizeof tried, library->names);
    if (!handle) {
        (void)snprintf(why, size,
                       "%s was not found; tried %s in TESS_CUDA_PATH, where the system's loader looks and in "
                       "/usr/local/cuda; %s",
                       library->what, tried, library->without);
        return false;
    }
    for (int i = 0; i < library->n_symbols; i++) {
        void *address = dlsym(handle, library->symbols[i].name);
        if (!address) {
            (void)snprintf(why, size, "%s has no function %s: it is too old; %s", library->what,
                           library->symbols[i].name, library->without);
            return false;
        }
        memcpy((char *)table + library->symbols[i].offset, &address, sizeof address);
    }
    return true;
}

tess_status tess__library_open(const tess__library *library, const char *fn, void *table)
{
    char why[WHY_SIZE];
    TESS_CHECK(tess__library_find(library, table, why, sizeof why), TESS_EDEVICE, "%s: %s", fn, why);
    return TESS_OK;
}
