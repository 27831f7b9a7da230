/* Parts of the names of files. */
#include "files/file_name.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tessera/io.h"

enum { MAX_PATH = 4096 };

/* ---- What is behind a path ---- */

/* Are the first n letters the name of a folder, or of something else that is there? */
static bool is_there(const char *name, size_t n, bool folder)
{
    char        path[MAX_PATH];
    struct stat info;
    if (n >= sizeof path) return false;
    memcpy(path, name, n);
    path[n] = 0;
    return stat(path, &info) == 0 && (S_ISDIR(info.st_mode) != 0) == folder;
}

/* The colon before a member: behind the first "….npz" that is a file, or the first of all. NULL: there is none, or
 * the path leads through a folder with such a name. */
static const char *member_colon(const char *name)
{
    const char *first = NULL;
    for (const char *colon = strchr(name, ':'); colon; colon = strchr(colon + 1, ':')) {
        if (colon - name < 5 || strncasecmp(colon - 4, ".npz", 4) != 0) continue;
        if (is_there(name, (size_t)(colon - name), false)) return colon;
        if (!first) first = colon;
    }
    const char *slash = first ? strrchr(first, '/') : NULL;
    return slash && is_there(name, (size_t)(slash - name), true) ? NULL : first;
}

/* Is this, behind a colon, a format? */
static bool is_format(const char *word)
{
    char text[32];
    if (strpbrk(word, "./:") || strlen(word) + 3 > sizeof text) return false;
    (void)snprintf(text, sizeof text, "x:%s", word);
    return tess_file_format_of(text) != TESS_FORMAT_DEFAULT;
}

size_t path_length(const char *name)
{
    const size_t n = strlen(name);
    if (access(name, F_OK) == 0) return n;
    const char *member = member_colon(name), *colon = strrchr(name, ':');
    if (member) return (size_t)(member - name);
    return colon && colon > name && is_format(colon + 1) ? (size_t)(colon - name) : n;
}

bool plain_path(char *text, size_t size, const char *name)
{
    const size_t n = path_length(name);
    (void)snprintf(text, size, "%.*s", (int)n, name);
    return n < size;
}

const char *behind_number(const char *name)
{
    const size_t digits = strspn(name, "0123456789");
    return digits > 0 && name[digits] == '@' ? name + digits + 1 : name;
}

/* ---- Endings ---- */

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

/* Where the name without folder begins in the first n letters of a path. */
static const char *base_of(const char *path, size_t n)
{
    const char *base = path + n;
    while (base > path && base[-1] != '/') base--;
    return base;
}

/* Where the ending begins in the first n letters; n if there is none. */
static size_t ending_of(const char *name, size_t n)
{
    const char *base = base_of(name, n), *end = name + n;
    const char *dot = last_dot(base, end);
    const char *before = dot && is_compression(dot, end) ? last_dot(base, dot) : NULL;
    return (size_t)((before ? before : dot ? dot : end) - name);
}

size_t name_end(const char *name)
{
    char         path[MAX_PATH];
    const size_t n = strlen(name);
    const char  *open = n > 0 && name[n - 1] == ']' ? strrchr(name, '[') : NULL;
    (void)snprintf(path, sizeof path, "%.*s", (int)(open ? open - name : (long)n), name);
    return ending_of(path, path_length(path));
}

void name_of_input(char *text, size_t size, const char *argument)
{
    const char  *path = behind_number(argument);
    const int    digits = path > argument ? (int)(path - argument) - 1 : 0;
    const size_t n = path_length(path), end = ending_of(path, n);
    const char  *base = base_of(path, n), *behind = path + n;
    const bool   member = behind[0] == ':' && n > 4 && strncasecmp(behind - 4, ".npz", 4) == 0;
    if (strcmp(argument, "-") == 0) {
        (void)snprintf(text, size, "stdin");
        return;
    }
    (void)snprintf(text, size, "%.*s%s%s%s%.*s", (int)(path + end - base), base, member ? "_" : "",
                   member ? behind + 1 : "", digits ? "_" : "", digits, argument);
    for (char *slash = text; (slash = strchr(slash, '/'));) *slash = '_'; /* of a member */
}

/* ---- Patterns ---- */

const char name_mark[] = "{name}";

char *put_name(const char *pattern, const char *argument, bool counts)
{
    char   name[MAX_PATH];
    char  *made = NULL;
    size_t size;
    FILE  *out = open_memstream(&made, &size);
    if (!out) return NULL;
    name_of_input(name, sizeof name, argument);
    for (const char *at = pattern, *next; *at; at = next) {
        const char *found = strstr(at, name_mark);
        const int   n = found ? (int)(found - at) : (int)strlen(at);
        (void)fprintf(out, "%.*s", n, at);
        for (const char *c = name; found && *c; c++) (void)fprintf(out, counts && *c == '%' ? "%%%%" : "%c", *c);
        next = at + n + (found ? sizeof name_mark - 1 : 0);
    }
    return fclose(out) == 0 ? made : NULL;
}
