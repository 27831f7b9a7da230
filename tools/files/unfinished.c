/* Unfinished files beside a file, by their names: ".x.mrc.9e3779b9-0.part" of "x.mrc". Their writers lock them. */
#include "files/unfinished.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { LONGEST = 4096, NAMED = 100 /* characters of a file's name that are in that of an unfinished one */ };

static bool is_of(const char *entry, const char *name)
{
    static const char end[] = ".part";
    const size_t      n = strlen(entry), k = strlen(name) < NAMED ? strlen(name) : NAMED;
    return n > k + strlen(end) + 2 && entry[0] == '.' && strncmp(entry + 1, name, k) == 0 && entry[k + 1] == '.' &&
           strcmp(entry + n - strlen(end), end) == 0;
}

/* Where there are no locks, it may be. */
static bool is_alive(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno != ENOENT;
    const bool free = flock(fd, LOCK_SH | LOCK_NB) == 0;
    (void)close(fd);
    return !free;
}

void unfinished_find(const char *path, void (*tell)(void *context, const char *name, bool alive), void *context)
{
    const char *slash = strrchr(path, '/');
    char        folder[LONGEST], found[2 * LONGEST];
    (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 2, slash ? path : "./");
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!is_of(e->d_name, slash ? slash + 1 : path)) continue;
        (void)snprintf(found, sizeof found, "%s%s", slash ? folder : "", e->d_name);
        tell(context, found, is_alive(found));
    }
    if (dir) (void)closedir(dir);
}
