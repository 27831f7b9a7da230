/* File names: format by extension or ":format" suffix, compression by ".gz" or ".bz2", member of an archive. */
#include "io/file/names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "core/check/marks.h"
#include "core/device/memory.h"
#include "io/codec/compression.h"
#include "io/file/file.h"

static bool is_word(const char *words, const char *word, size_t n)
{
    for (const char *at = words; *at;) {
        const size_t length = strcspn(at, " ");
        if (length == n && strncasecmp(at, word, n) == 0) return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

/* The format of an extension or of a word after a colon; NULL if it is none. */
static const tess__format *format_of_word(const char *word, size_t n)
{
    for (const tess__format *const *f = tess__formats; *f; f++)
        if (is_word((*f)->extensions, word, n) || is_word((*f)->name, word, n)) return *f;
    return NULL;
}

const tess__format *tess__format_of_id(tess_file_format id)
{
    for (const tess__format *const *f = tess__formats; *f; f++)
        if ((*f)->id == id) return *f;
    return NULL;
}

static bool ends_with(const char *path, size_t n, const char *end)
{
    const size_t m = strlen(end);
    return n > m && strncasecmp(path + n - m, end, m) == 0;
}

static tess_compression compression_of_end(const char *path, size_t *n)
{
    static const struct {
        const char      *end;
        tess_compression compression;
    } known[] = { { ".gz", TESS_COMPRESSION_GZIP }, { ".bz2", TESS_COMPRESSION_BZIP2 } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ends_with(path, *n, known[i].end)) {
            *n -= strlen(known[i].end);
            return known[i].compression;
        }
    return TESS_COMPRESSION_NONE;
}

/* The extension of the first n bytes of a path: where it begins and how long it is; 0 if there is none. */
static size_t extension_of(const char *path, size_t n, const char **extension)
{
    for (size_t i = n; i > 0 && path[i - 1] != '/'; i--)
        if (path[i - 1] == '.') {
            *extension = path + i;
            return n - i;
        }
    return 0;
}

static void look_at_end(tess__name *name, const char *path, size_t n)
{
    const char *extension;
    name->compression = compression_of_end(path, &n);
    const size_t length = extension_of(path, n, &extension);
    if (length == 0 || length >= sizeof name->extension) return;
    for (size_t i = 0; i < length; i++)
        name->extension[i] = (char)(extension[i] >= 'A' && extension[i] <= 'Z' ? extension[i] + 32 : extension[i]);
    if (!name->format) name->format = format_of_word(extension, length);
}

/* Is the whole text, colon and all, the name of a file? */
static bool is_there(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

/* Is what comes before the byte `end` of a path there, and a folder or not? */
static bool is_before(char *path, char *end, bool folder)
{
    struct stat info;
    const char  kept = *end;
    *end = '\0';
    const bool there = stat(path, &info) == 0 && (S_ISDIR(info.st_mode) != 0) == folder;
    *end = kept;
    return there;
}

/* The colon before the member of an archive, whose name may have colons and slashes: behind the first "….npz" that is a
 * file, or behind the first if there is none yet. NULL: this is no member, or the text is a path through a folder with
 * such a name. The path is the same again afterwards. */
static char *member_colon(char *path)
{
    char *first = NULL;
    for (char *colon = strchr(path, ':'); colon; colon = strchr(colon + 1, ':')) {
        const char *extension;
        if (extension_of(path, (size_t)(colon - path), &extension) != 3 || strncasecmp(extension, "npz", 3) != 0)
            continue;
        if (is_before(path, colon, false)) return colon;
        if (!first) first = colon;
    }
    char *slash = first ? strrchr(first, '/') : NULL;
    return slash && is_before(path, slash, true) ? NULL : first;
}

tess_status tess__name_take(tess__name *name, const char *fn, const char *text)
{
    *name = (tess__name){ .word = "" };
    TESS_CHECK(text && text[0], TESS_EARG, "%s: `path` is %s; expected a file name", fn,
               text ? "empty" : TESS__MARK("NULL"));
    const size_t n = strlen(text);
    size_t       length = n;
    name->path = tess__alloc(n + 1);
    TESS_CHECK(name->path, TESS_ENOMEM, "%s: no memory for a name", fn);
    memcpy(name->path, text, n + 1);
    const char *member = is_there(text) ? NULL : member_colon(name->path), *colon = strrchr(name->path, ':');
    if (member) {
        length = (size_t)(member - name->path);
        name->member = true;
    } else if (colon && colon > name->path && !strchr(colon, '/') && !is_there(text)) {
        name->format = format_of_word(colon + 1, strlen(colon + 1));
        if (name->format) length = (size_t)(colon - name->path);
    }
    name->path[length] = '\0';
    name->word = name->path + length + (length < n);
    look_at_end(name, name->path, length);
    return TESS_OK;
}

/* Does the path name a member of an archive? */
static bool has_member(const char *path)
{
    const size_t n = strlen(path);
    char        *copy = strchr(path, ':') ? tess__alloc(n + 1) : NULL;
    if (!copy) return false;
    memcpy(copy, path, n + 1);
    const bool found = member_colon(copy) != NULL;
    tess__free(copy);
    return found;
}

tess_file_format tess_file_format_of(const char *path)
{
    tess__name name = { .word = "" };
    if (!path) return TESS_FORMAT_DEFAULT;
    const char  *colon = strrchr(path, ':');
    const size_t n = strlen(path);
    if (has_member(path)) return TESS_FORMAT_NPZ;
    if (colon && !strchr(colon, '/')) {
        name.format = format_of_word(colon + 1, strlen(colon + 1));
        look_at_end(&name, path, (size_t)(colon - path));
    }
    if (!name.format) look_at_end(&name, path, n);
    return name.format ? name.format->id : TESS_FORMAT_DEFAULT;
}

const char *tess_file_format_name(tess_file_format format)
{
    const tess__format *f = tess__format_of_id(format);
    return f ? f->name : "";
}

const char *tess_file_format_extensions(tess_file_format format)
{
    const tess__format *f = tess__format_of_id(format);
    return f ? f->extensions : "";
}

bool tess_file_format_writes(tess_file_format format)
{
    const tess__format *f = tess__format_of_id(format);
    return f && f->start;
}

const char *tess__format_names(char text[TESS__FORMAT_NAMES], bool written)
{
    size_t used = 0;
    text[0] = '\0';
    for (const tess__format *const *f = tess__formats; *f && used < TESS__FORMAT_NAMES; f++) {
        if (written && !(*f)->start) continue;
        const int n = snprintf(text + used, TESS__FORMAT_NAMES - used, "%s%s", used ? ", " : "", (*f)->name);
        if (n > 0) used += (size_t)n;
    }
    return text;
}

bool tess_file_format_supported(tess_file_format format, tess_compression compression)
{
    const tess__format *f = tess__format_of_id(format);
    const bool          none = compression <= TESS_COMPRESSION_NONE;
    if (!f) return false;
    if (compression == TESS_COMPRESSION_GZIP || compression == TESS_COMPRESSION_BZIP2)
        return f->whole_compression && tess__has_codec(compression);
    return f->supports ? f->supports(compression) : none;
}
