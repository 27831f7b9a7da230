/* Unfinished files beside a file: those that writers of it write, or left when their processes died. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "io/file/write/temporary_file.h"
#include "tessera/io.h"

enum { LONGEST = 4096 /* bytes of a path that a system opens, with its end */ };

void tess_find_unfinished(const char *path, tess_unfinished_fn found, void *context)
{
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
    char        at[LONGEST];
    if (!path || !found || strlen(path) >= sizeof at) return;
    const int folder = (int)(name - path);
    (void)snprintf(at, sizeof at, "%.*s", folder ? folder : 1, folder ? path : ".");
    DIR *dir = opendir(at);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!tess__temporary_is_of(e->d_name, name)) continue;
        if (snprintf(at, sizeof at, "%.*s%s", folder, path, e->d_name) < (int)sizeof at)
            found(context, at, tess__temporary_is_alive(at));
    }
    if (dir) (void)closedir(dir);
}
