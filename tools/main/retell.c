/* What the library says, in the words of the command: "opts->keep_rows" is --no-flip, and tess_cast tessera cast. */
#include "main/retell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "main/nearest.h"
#include "main/options.h"
#include "main/text.h"
#include "operation/operation.h"

/* What the fields of options for files are here. Longer texts first. */
static const char *const of_files[][2] = {
    { "opts->overwrite is 0", "-f replaces it" },
    { "opts->as is volumes but opts->depth is 0", "--as is volumes without a depth, as in volumes=60" },
    { "opts->raw_dtype", "dtype= of --raw" },
    { "opts->shape", "shape= of --raw" },
    { "opts->offset", "offset= of --raw" },
    { "opts->big_endian", "--endian" },
    { "opts->compression", "--compress" },
    { "opts->depth", "D of --as volumes=D" },
    { "opts->keep_rows", "--no-flip" },
    { "opts->pixel_size", "--apix" },
    { "opts->rgb", "colours" },
    { "opts->format", "the format" },
};

static const char memory_limit[] = "tess_memory_limit_set or, of the CPU, tess_device_memory_limit_set";

/* Of an argument that is needed. */
static const char is_missing[] = " is NULL, which is not allowed";

/* Messages begin with the function that fails. */
static bool is_of_files(const char *message)
{
    static const char *const functions[] = { "open:",     "read:",      "writer_open:", "write:",
                                             "mrc_edit:", "npz_write:", "file_read:" };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const char *found = strstr(message, functions[i]);
        if (found && (found == message || found[-1] == ' ')) return true;
    }
    return false;
}

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static int name_length(const char *text)
{
    int n = 0;
    while (islower((unsigned char)text[n]) || isdigit((unsigned char)text[n]) || text[n] == '_') n++;
    return n;
}

bool has_option(const job *j, const char *name)
{
    const option *o;
    for (int i = 0; j->verb && (o = verb_option(j->verb, i)); i++)
        if (names_equal(o->name, name) || (o->alias && names_equal(o->alias, name))) return true;
    return false;
}

static void print_option(FILE *out, const char *name, int n)
{
    (void)fputs("--", out);
    for (int i = 0; i < n; i++) (void)fputc(name[i] == '_' ? '-' : name[i], out);
}

/* A field: an option of the verb, or just its name where the verb has none. How many letters of `at` that was. */
static int print_field(FILE *out, const job *j, const char *at, bool of_file)
{
    for (size_t i = 0; of_file && i < sizeof of_files / sizeof *of_files; i++) {
        if (!begins(at, of_files[i][0])) continue;
        (void)fputs(of_files[i][1], out);
        return (int)strlen(of_files[i][0]);
    }
    char      name[64];
    const int n = name_length(at + 6);
    (void)snprintf(name, sizeof name, "%.*s", n, at + 6);
    if (begins(at, "opts->member or ") && !has_option(j, name)) return 16; /* FILE:NAME does without */
    if (has_option(j, name)) print_option(out, name, (int)strlen(name));
    else (void)fputs(name, out);
    return 6 + n;
}

/* Does a word end here, and not go on as the name of a file does? */
static bool ends_word(const char *at)
{
    const char c = at[0] == '.' || at[0] == ':' ? at[1] : at[0]; /* of a sentence, or of a file */
    return !isalnum((unsigned char)c) && !strchr("_-/@[", c ? c : ' ');
}

/* A function that is a verb, or 0. */
static int print_function(FILE *out, const char *at)
{
    char      call[OPERATION_CALL];
    const int n = name_length(at + 5);
    if (!ends_word(at + 5 + n)) return 0;
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        if (strlen(op->name) != (size_t)n || strncmp(op->name, at + 5, (size_t)n) != 0) continue;
        if (begins(operation_call(call, op), "in C")) return 0;
        (void)fputs(call, out);
        return 5 + n;
    }
    return 0;
}

/* "ctf->defocus" is a field of --ctf. */
static bool names_struct(const job *j, const char *at)
{
    char      name[64];
    const int n = name_length(at);
    (void)snprintf(name, sizeof name, "%.*s", n, at);
    return n > 0 && begins(at + n, "->") && has_option(j, name);
}

/* "filter_h" is --filter-h; a name of one word may be any word, unless it is missing. */
static bool names_option(const job *j, const char *at)
{
    char      name[64];
    const int n = name_length(at);
    (void)snprintf(name, sizeof name, "%.*s", n, at);
    if (begins(at + n, is_missing)) return has_option(j, name);
    return strchr(name, '_') && (at[n] == ',' || at[n] == ' ' || !at[n]) && has_option(j, name);
}

/* The words here that are not the library's; 0 if it has none. */
static int print_word(FILE *out, const job *j, const char *at, bool of_file)
{
    if (begins(at, memory_limit)) {
        (void)fputs("--mem", out);
        return (int)sizeof memory_limit - 1;
    }
    if (begins(at, "context->memory")) return (void)fputs("--mem", out), (int)sizeof "context->memory" - 1;
    if (begins(at, "opts->pixel_size")) return (void)fputs("--apix", out), (int)sizeof "opts->pixel_size" - 1;
    if (begins(at, "opts->")) return print_field(out, j, at, of_file);
    if (names_struct(j, at)) {
        print_option(out, at, name_length(at));
        (void)fputc(' ', out);
        return name_length(at) + 2;
    }
    if (begins(at, "tess_")) return print_function(out, at);
    if (begins(at, is_missing + 4)) return (void)fputs("not given; it is required", out), (int)sizeof is_missing - 5;
    if (begins(at, "NULL") && ends_word(at + 4)) return (void)fputs("not given", out), 4;
    if (names_option(j, at)) return print_option(out, at, name_length(at)), name_length(at);
    if (begins(at, "--") && islower((unsigned char)at[2])) { /* --in_shape is --in-shape in help */
        print_option(out, at + 2, name_length(at + 2));
        return 2 + name_length(at + 2);
    }
    return 0;
}

/* What the user wrote is told as it was written: how long the argument or value is that stands here, or 0. */
static int typed_length(const job *j, const char *at)
{
    size_t most = 0;
    for (int i = 0; i < j->n_arguments + j->n_given; i++) {
        const char *text = i < j->n_arguments ? j->arguments[i] : j->given[i - j->n_arguments].value;
        const bool  like_words = strstr(text, "tess_") || strstr(text, "opts->") || strstr(text, "--");
        if (like_words && strlen(text) > most && begins(at, text)) most = strlen(text);
    }
    return (int)most;
}

void print_retold(FILE *out, const job *j, const char *message) { print_retold_rest(out, j, message, message); }

void print_retold_rest(FILE *out, const job *j, const char *message, const char *from)
{
    const bool of_file = is_of_files(message);
    for (const char *at = from; *at;) {
        const bool starts = at == message || strchr(" (\"'", at[-1]);
        const int  typed = starts ? typed_length(j, at) : 0;
        const int  used = starts && !typed ? print_word(out, j, at, of_file) : 0;
        const int  n = typed ? typed : used ? used : (unsigned char)*at == 0xc2 && at[1] ? 2 : 1;
        if (!used) print_clean(out, at, n);
        at += n;
    }
}

void retell(char *message, size_t size, const job *j)
{
    char  *text = NULL;
    size_t n = 0;
    FILE  *to = open_memstream(&text, &n);
    if (!to) return;
    print_retold(to, j, message);
    if (fclose(to) == 0) (void)snprintf(message, size, "%s", text);
    free(text);
}
