/* Dynamic loading: opens a library by one of its names, with a message that tells what was tried. */
#include "cuda/runtime/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cuda/runtime/driver.h"

/* Folders of an installation that the loader does not know of. */
static const char *const folders[] = { "",
                                       "/usr/local/cuda/lib64/",
                                       "/usr/local/cuda/lib/",
                                       "/usr/local/cuda/targets/x86_64-linux/lib/",
                                       "/opt/cuda/lib64/",
                                       "/usr/local/nvidia/lib64/" };

enum {
    N_FOLDERS = sizeof folders / sizeof folders[0],
    TRIED_SIZE = 200,
    OWN_SIZE = 120,
    REASON_SIZE = 200,
    WHY_SIZE = 500,
    PATH_SIZE = 4096
};

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

/* What is tried, and what the loader said of the first file that is there and cannot be used. */
typedef struct search {
    const char *const *names;
    const char        *own; /* folders of TESS_CUDA_PATH, or NULL */
    char               reason[REASON_SIZE];
} search;

/* A name without a folder is looked for by the loader, which says that name first if it finds none. */
static bool is_there(const char *path, const char *said)
{
    const size_t n = strlen(path);
    return strchr(path, '/') ? access(path, F_OK) == 0 : strncmp(said, path, n) != 0 || said[n] != ':';
}

static void *open_file(search *s, const char *folder, int length, const char *slash, const char *name)
{
    char      path[PATH_SIZE];
    const int n = snprintf(path, sizeof path, "%.*s%s%s", length, folder, slash, name);
    if (n <= 0 || n >= PATH_SIZE) return NULL;
    void       *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *said = handle ? NULL : dlerror();
    if (said && !s->reason[0] && is_there(path, said)) (void)snprintf(s->reason, sizeof s->reason, "%s", said);
    return handle;
}

static void *open_own(search *s, const char *name)
{
    void *handle = NULL;
    for (const char *at = s->own; at && *at && !handle;) {
        const int n = (int)strcspn(at, ":");
        if (n > 0) handle = open_file(s, at, n, "/", name);
        at += n + (at[n] == ':');
    }
    return handle;
}

static void *open_any(search *s)
{
    void *handle = NULL;
    for (int i = 0; !handle && s->names[i]; i++) handle = open_own(s, s->names[i]);
    for (int i = 0; !handle && s->names[i]; i++)
        for (int k = 0; !handle && k < N_FOLDERS; k++)
            handle = open_file(s, folders[k], (int)strlen(folders[k]), "", s->names[i]);
    return handle;
}

static void list_names(char *text, size_t size, const char *const *names)
{
    size_t used = 0;
    for (int i = 0; names[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", names[i]);
}

/* Messages have a capacity of 512 letters: a long path is truncated, so that what to do is still there. */
static void tell(char *why, size_t size, const tess__library *library, const search *s)
{
    char tried[TRIED_SIZE], own[OWN_SIZE] = "";
    if (s->reason[0]) {
        (void)snprintf(why, size, "%s was found, but cannot be opened: %s; %s", library->what, s->reason,
                       library->without);
        return;
    }
    list_names(tried, sizeof tried, s->names);
    if (s->own) (void)snprintf(own, sizeof own, " in TESS_CUDA_PATH (%.80s),", s->own);
    (void)snprintf(why, size, "%s was not found; tried %s%s where the system loader looks and in /usr/local/cuda; %s",
                   library->what, tried, own, library->without);
}

bool tess__library_find(const tess__library *library, void *table, char *why, size_t size)
{
    const char *names[TESS__LIBRARY_FILES + 1];
    const char *own = getauxval(AT_SECURE) ? NULL : getenv("TESS_CUDA_PATH");
    search      s = { .names = names, .own = own && *own ? own : NULL };
    tess__library_order(names, library, generation_for(library));
    void *handle = open_any(&s);
    if (!handle) {
        tell(why, size, library, &s);
        return false;
    }
    for (int i = 0; i < library->n_symbols; i++) {
        void *address = dlsym(handle, library->symbols[i].name);
        if (!address) {
            (void)snprintf(why, size, "%s has no function %s and is too old; %s", library->what,
                           library->symbols[i].name, library->without);
            return false;
        }
        memcpy((char *)table + library->symbols[i].offset, &address, sizeof address);
    }
    return true;
}

static bool open_once(tess__library *library, void *table, char *why, size_t size)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)pthread_mutex_lock(&lock);
    library->is_open = library->is_open || tess__library_find(library, table, why, size);
    const bool is_open = library->is_open;
    (void)pthread_mutex_unlock(&lock);
    return is_open;
}

tess_status tess__library_open(tess__library *library, const char *fn, void *table)
{
    char why[WHY_SIZE];
    TESS_CHECK(open_once(library, table, why, sizeof why), TESS_EDEVICE, "%s: %s", fn, why);
    return TESS_OK;
}

int tess__library_version(tess__library *library, void *table, int (*const *property)(int which, int *value))
{
    char why[WHY_SIZE];
    int  major = 0, minor = 0;
    if (!open_once(library, table, why, sizeof why)) return 0;
    return (*property)(0, &major) == 0 && (*property)(1, &minor) == 0 ? 1000 * major + 10 * minor : 0;
}
