/* Images that STAR files name: the column of their names, and where on the disk the files lie. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/check/check.h"
#include "core/device/memory.h"
#include "io/file/names.h"
#include "tessera/jobs/star_rows.h"

enum { MAX_PATH = 4096 };

tess_status tess_star_find_images(tess_star_table **rows, const char **label, const tess_star *star, const char *path)
{
    static const char        fn[] = "star_find_images";
    static const char *const labels[] = { "_rlnImageName", "_rlnMicrographName" };
    TESS_TRY(tess__check_pointer(fn, "rows", rows));
    TESS_TRY(tess__check_pointer(fn, "label", label));
    TESS_TRY(tess__check_pointer(fn, "star", star));
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++)
        for (int64_t i = 0; i < tess_star_count(star); i++) {
            if (tess_star_column(tess_star_at(star, i), labels[k]) < 0) continue;
            *rows = tess_star_at(star, i);
            *label = labels[k];
            return TESS_OK;
        }
    TESS_FAIL(TESS_EFORMAT, "%s: no table has a column _rlnImageName or _rlnMicrographName", path ? path : fn);
}

/* Does the file exist? RELION's ":mrcs" after its name is not part of the path. */
static tess_status look_for(bool *is_there, const char *path)
{
    tess__name name;
    TESS_TRY(tess__name_take(&name, "star_find_file", path));
    *is_there = access(name.path, F_OK) == 0;
    tess__free(name.path);
    return TESS_OK;
}

/* The name in a folder, whose path has n bytes, if it is there. */
static tess_status look_in(char found[MAX_PATH], bool *is_there, const char *folder, size_t n, const char *name)
{
    const bool slash = n > 0 && folder[n - 1] != '/';
    const int  length = snprintf(found, MAX_PATH, "%.*s%s%s", (int)n, folder, slash ? "/" : "", name);
    TESS_CHECK(length >= 0 && length < MAX_PATH, TESS_EARG, "the name %s is too long in the folder %.*s", name, (int)n,
               folder);
    return look_for(is_there, found);
}

static tess_status find(char found[MAX_PATH], const char *name, const char *list, const char *root)
{
    const char *slash = list ? strrchr(list, '/') : NULL, *of = list ? list : "the list";
    bool        is_there = name[0] == '/';
    if (!is_there && !root) TESS_TRY(look_for(&is_there, name));
    if (is_there) return look_in(found, &is_there, "", 0, name);
    if (root) {
        TESS_TRY(look_in(found, &is_there, root, strlen(root), name));
        TESS_CHECK(is_there, TESS_EIO, "%s: `root` is %s; no such file in it: %s", of, root, name);
    }
    if (!is_there && slash) TESS_TRY(look_in(found, &is_there, list, (size_t)(slash - list) + 1, name));
    TESS_CHECK(is_there, TESS_EIO,
               "%s: %s is neither in the current folder nor in that of the list; name the folder it is relative to "
               "with `root`",
               of, name);
    return TESS_OK;
}

tess_status tess_star_find_file(char *found, size_t size, const char *name, const char *list, const char *root)
{
    static const char fn[] = "star_find_file";
    char              path[MAX_PATH];
    TESS_TRY(tess__check_pointer(fn, "found", found));
    TESS_TRY(tess__check_pointer(fn, "name", name));
    const size_t digits = strspn(name, "0123456789"), number = digits > 0 && name[digits] == '@' ? digits + 1 : 0;
    TESS_TRY(find(path, name + number, list, root));
    const int length = snprintf(found, size, "%.*s%s", (int)number, name, path);
    TESS_CHECK(length >= 0 && (size_t)length < size, TESS_ERANGE, "%s: `size` is %zu; the path has %d bytes", fn, size,
               length);
    return TESS_OK;
}
