/* Opening a library by one of its names, with a message that tells what was tried. */
#include "cuda/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "cuda/driver.h"

/* Folders of an installation that the loader does not know of. */
static const char *const folders[] = { "",
                                       "/usr/local/cuda/lib64/",
                                       "/usr/local/cuda/lib/",
                                       "/usr/local/cuda/targets/x86_64-linux/lib/",
                                       "/opt/cuda/lib64/",
                                       "/usr/local/nvidia/lib64/" };

enum { N_FOLDERS = sizeof folders / sizeof folders[0], TRIED_SIZE = 200, WHY_SIZE = 500, PATH_SIZE = 4096 };

/* ---- Names ---- */

/* Those of some generations, from the first listed to the last, or from the last to the first. */
static int add(const char **names, int n, const tess__library *library, int lowest, int highest, bool from_last)
{
    for (int k = 0; k < TESS__LIBRARY_FILES; k++) {
        const tess__library_file *file = &library->files[from_last ? TESS__LIBRARY_FILES - 1 - k : k];
        if (file->name && file->generation >= lowest && file->generation <= highest) names[n++] = file->name;
    }
    return n;
}

void tess__library_order(const char *names[TESS__LIBRARY_FILES + 1], const tess__library *library, int generation)
{
    int n = add(names, 0, library, 1, generation ? generation : INT_MAX, false);
    if (generation) n = add(names, n, library, generation + 1, INT_MAX, true);
    names[add(names, n, library, 0, 0, false)] = NULL;
}

/* The driver's own files have no generation: it is not asked while it is opened. */
static int generation_for(const tess__library *library)
{
    for (int i = 0; i < TESS__LIBRARY_FILES; i++)
        if (library->files[i].generation) return tess__driver_version() / 1000;
    return 0;
}

/* ---- Files ---- */

static void *open_file(const char *folder, const char *slash, const char *name)
{
    char      path[PATH_SIZE];
    const int n = snprintf(path, sizeof path, "%s%s%s", folder, slash, name);
    return n > 0 && n < PATH_SIZE ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void *open_any(const char *const *names)
{
    const char *own = getauxval(AT_SECURE) ? NULL : getenv("TESS_CUDA_PATH");
    void       *handle = NULL;
    for (int i = 0; own && *own && !handle && names[i]; i++) handle = open_file(own, "/", names[i]);
    for (int i = 0; !handle && names[i]; i++)
        for (int k = 0; !handle && k < N_FOLDERS; k++) handle = open_file(folders[k], "", names[i]);
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
    char        tried[TRIED_SIZE];
    const char *names[TESS__LIBRARY_FILES + 1];
    tess__library_order(names, library, generation_for(library));
    void *handle = open_any(names);
    list_names(tried, sizeof tried, names);
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

int tess__library_version(int (*property)(int which, int *value))
{
    int major = 0, minor = 0;
    return property(0, &major) == 0 && property(1, &minor) == 0 ? 1000 * major + 10 * minor : 0;
}

tess_status tess__library_open(const tess__library *library, const char *fn, void *table)
{
    char why[WHY_SIZE];
    TESS_CHECK(tess__library_find(library, table, why, sizeof why), TESS_EDEVICE, "%s: %s", fn, why);
    return TESS_OK;
}
