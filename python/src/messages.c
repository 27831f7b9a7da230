/* Messages retold: a function has its name in Python, options are keywords, and what is left out is None.
 *
 * Only whole words are replaced, of structs that there are: paths and other values of the caller's stay as they are.
 */
#include "messages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char identifier[] = "abcdefghijklmnopqrstuvwxyz_0123456789";

/* Functions of the library behind those of Python's, by how their names begin; the first that fits. All others have
 * the same name in both. */
static const char *const functions[][2] = {
    { "star_read", "read_star" },
    { "star_", "write_star" },
    { "tilts_read", "read_tilts" },
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
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

/* Structs whose fields messages name. */
static const char *const structs[][2] = {
    { "opts->", "" },
    { "context->", "" },
    { "ctf->", "ctf." },
    { "tensor->", "tensor." },
    { "parts->", "parts." },
};
enum { N_STRUCTS = sizeof structs / sizeof *structs };

/* How the message of a file that is there ends. */
static const char kept_file[] = "opts->overwrite is 0", replaces_it[] = "overwrite=True replaces it";

/* What is written, and what of the message has been read. */
typedef struct telling {
    const char *at;
    char       *end;
} telling;

static void write_text(telling *t, const char *text, size_t n)
{
    memcpy(t->end, text, n);
    t->end += n;
}

static void replace(telling *t, size_t n, const char *by)
{
    write_text(t, by, strlen(by));
    t->at += n;
}

static void tell_function(telling *t)
{
    const size_t n = strspn(t->at, identifier);
    if (t->at[n] != ':') return;
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (strncmp(t->at, functions[i][0], strlen(functions[i][0])) == 0) {
            replace(t, n, functions[i][1]);
            return;
        }
}

static bool ends_word(char c) { return c == '\0' || strchr(" :;,)[", c) != NULL; }

/* True if words of C begin here, which are then retold. */
static bool tell_words(telling *t)
{
    static const char *const phrases[][2] = { { "is NULL", "is None" },
                                              { "use tess_dlpack_export", "ask for max_version=(1, 0)" } };
    for (int i = 0; i < 2; i++) {
        const size_t n = strlen(phrases[i][0]);
        if (strncmp(t->at, phrases[i][0], n) != 0 || !ends_word(t->at[n])) continue;
        replace(t, n, phrases[i][1]);
        return true;
    }
    for (int i = 0; i < N_STRUCTS; i++) {
        const size_t n = strlen(structs[i][0]);
        if (strncmp(t->at, structs[i][0], n) != 0) continue;
        const size_t field = strspn(t->at + n, identifier);
        const char   next = t->at[n + field];
        if (field == 0) continue;
        if (!ends_word(next) && !(next == '.' && structs[i][1][0])) continue; /* a struct may hold another */
        replace(t, n, structs[i][1]);
        return true;
    }
    return false;
}

/* In what is told of files there are paths, and no words of C. */
static bool is_of_files(tess_status status)
{
    return status == TESS_EIO || status == TESS_EFORMAT || status == TESS_EEXIST;
}

char *retold_message(tess_status status, const char *message)
{
    const size_t length = strlen(message), kept = strlen(kept_file);
    char        *text = malloc(2 * length + 32); /* no word is more than twice as long, and no name 32 longer */
    if (!text) return NULL;
    telling t = { .at = message, .end = text };
    tell_function(&t);
    for (char before = ' '; *t.at; before = t.at[-1]) {
        const bool begins = (before == ' ' || before == '(') && !is_of_files(status);
        if (!begins || !tell_words(&t)) write_text(&t, t.at++, 1);
    }
    if (status == TESS_EEXIST && length > kept && strcmp(message + length - kept, kept_file) == 0) {
        t.end -= kept;
        write_text(&t, replaces_it, strlen(replaces_it));
    }
    *t.end = '\0';
    return text;
}
