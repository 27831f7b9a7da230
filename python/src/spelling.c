/* The speller of Python: in messages of the library a function has its name in Python, options are keywords, and what
 * is left out is None. */
#include "spelling.h"

#include <stdio.h>
#include <string.h>

#include "tessera/table.h"

/* Functions of the library behind those of Python's, by how their names begin; the first that fits. All others have
 * the same name in both. */
static const char *const functions[][2] = {
    { "star_read", "read_star" },
    { "star_", "write_star" },
    { "tilts_read", "read_tilts" },
    { "tilt_series_read", "read_tilts" },
    { "tilts_", "write_tilts" },
    { "xf_read", "read_xf" },
    { "xf_", "write_xf" },
    { "mdoc_read", "read_mdoc" },
    { "mdoc_", "write_mdoc" },
    { "mrc_check", "check" },
    { "file_map", "map" },
    { "file_read", "read" },
    { "writer_", "write" },
    { "dtype_parse", "dtype" },
    { "device_parse", "device" },
    { "imag_view", "imag" },
    { "threads_set", "set_threads" },
    { "memory_limit_set", "set_memory_limit" },
    { "stream_", "stream" },
    { "dlpack_import", "from_dlpack" },
    { "dlpack_export", "__dlpack__" },
};

static const char *const phrases[][2] = {
    { "required", "None, which is not allowed" },  { "overwrite", "overwrite=True replaces it" },
    { "volumes", "as is volumes but depth is 0" }, { "member", "member or " },
    { "memory_limit", " (set_memory_limit)" },     { "versioned_dlpack", "ask for max_version=(1, 0)" },
};

static const char *spell_call(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strncmp(name, functions[i][0], strlen(functions[i][0])) == 0) return functions[i][1];
    return NULL;
}

/* The operations are functions of the module; others are named as in C. */
static const char *spell_function(const char *name)
{
    for (size_t i = 0; i < tess_function_count(); i++)
        if (strcmp(tess_function_at(i)->name, name) == 0) return tess_function_at(i)->name;
    return NULL;
}

/* An option is a keyword, a field of a struct an attribute: "width", "ctf.defocus". Those of a context are keywords. */
static const char *spell_name(char *to, size_t n, const tess_mark *mark)
{
    if (strcmp(mark->name, "context") == 0 && mark->field[0]) (void)snprintf(to, n, "%s", mark->field);
    else (void)snprintf(to, n, "%s%s%s", mark->name, mark->field[0] ? "." : "", mark->field);
    return to;
}

static const char *spell_phrase(const char *name)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strcmp(phrases[i][0], name) == 0) return phrases[i][1];
    return NULL;
}

enum { NAME_SIZE = 160 };

/* `user` is a text of NAME_SIZE. */
static const char *spell(const tess_mark *mark, void *user)
{
    switch (mark->kind) {
    case TESS_MARK_CALL: return spell_call(mark->name);
    case TESS_MARK_FUNCTION: return spell_function(mark->name);
    case TESS_MARK_ARGUMENT:
    case TESS_MARK_OPTION: return spell_name(user, NAME_SIZE, mark);
    case TESS_MARK_NULL: return "None";
    case TESS_MARK_PHRASE: return spell_phrase(mark->name);
    default: return NULL;
    }
}

void spell_message(char *to, size_t n, const char *marked)
{
    char name[NAME_SIZE];
    (void)tess_spell(to, n, marked, spell, name);
}
