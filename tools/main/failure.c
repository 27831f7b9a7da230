/* Failures of the library in the words of the command: "symmetry_order: name is \"X9\"" is "reconstruct: --sym is
 * \"X9\"". */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "main/globals.h"
#include "main/options.h"
#include "main/retell.h"
#include "main/text.h"

static size_t word_length(const char *text)
{
    size_t n = 0;
    while (islower((unsigned char)text[n]) || isdigit((unsigned char)text[n]) || text[n] == '_') n++;
    return n;
}

/* Did the user write this word? */
static bool is_typed(const job *j, const char *word)
{
    for (int i = 0; i < j->n_arguments; i++)
        if (strcmp(j->arguments[i], word) == 0) return true;
    for (int i = 0; i < j->n_given; i++)
        if (strcmp(j->given[i].value, word) == 0) return true;
    return false;
}

/* Is it the verb's name, or the last word of it: "fit" of "ctf fit"? */
static bool is_verb(const job *j, const char *word)
{
    const char *blank = j->verb ? strrchr(j->verb->name, ' ') : NULL;
    if (!j->verb || (j->op && strcmp(j->op->name, word) == 0)) return true;
    return strcmp(j->verb->name, word) == 0 || (blank && strcmp(blank + 1, word) == 0);
}

/* Behind "function: ", with which messages of the library begin; the message itself if it begins with something else:
 * the verb, a file. */
static const char *behind_function(const job *j, const char *message)
{
    char         word[64];
    const size_t n = word_length(message);
    if (n == 0 || n >= sizeof word || strncmp(message + n, ": ", 2) != 0) return message;
    (void)snprintf(word, sizeof word, "%.*s", (int)n, message);
    return is_verb(j, word) || is_typed(j, word) || access(word, F_OK) == 0 ? message : message + n + 2;
}

/* ---- Memory ---- */

static char *bytes_text(char text[32], int64_t bytes)
{
    const double mib = (double)bytes / (1 << 20);
    if (bytes < 1 << 20) (void)snprintf(text, 32, "%.1f KiB", (double)bytes / 1024);
    else if (mib < 10240) (void)snprintf(text, 32, "%.1f MiB", mib);
    else (void)snprintf(text, 32, "%.1f GiB", mib / 1024);
    return text;
}

/* Was it the limit of memory, behind the function's name? */
static bool print_memory(FILE *out, const job *j, const char *message)
{
    static const char on[] = " bytes are needed on gpu:", host[] = " bytes are needed and ",
                      used_text[] = " are in use; the memory limit is ";
    const size_t n = word_length(message);
    if (strncmp(message + n, ": ", 2) != 0) return false;
    const char *text = message + n + 2;
    char        a[32], b[32], c[32], place[32] = "", *end;
    int64_t     size = strtoll(text, &end, 10), used, limit;
    if (end == text) return false;
    const bool gpu = strncmp(end, on, strlen(on)) == 0;
    if (gpu) {
        (void)snprintf(place, sizeof place, " on gpu:%ld", strtol(end + strlen(on), &end, 10));
        end += strlen(" and ");
    } else if (strncmp(end, host, strlen(host)) == 0) end += strlen(host);
    else return false;
    used = strtoll(end, &end, 10);
    if (strncmp(end, used_text, strlen(used_text)) != 0) return false;
    limit = strtoll(end + strlen(used_text), NULL, 10);
    (void)fprintf(
        out,
        "%s: %s of memory are needed%s beside %s in use, and the limit is %s; raise it with --mem, or work on "
        "fewer or smaller images",
        j->verb->name, bytes_text(a, size), place, bytes_text(b, used), bytes_text(c, limit));
    return true;
}

/* ---- The value at fault ---- */

/* Is what stands here, behind "is ", this text, or the same number? */
static bool is_value(const char *at, const char *value)
{
    char        *end, *end_of_value;
    const size_t n = strlen(value);
    if (n == 0) return false;
    if (*at == '"' || *at == '\'') return strncmp(at + 1, value, n) == 0 && at[1 + n] == *at;
    if (strncmp(at, value, n) == 0 && (at[n] == ';' || at[n] == ' ' || at[n] == ',')) return true;
    const double said = strtod(at, &end), given = strtod(value, &end_of_value);
    return end != at && (*end == ';' || *end == ' ' || *end == ',') && !*end_of_value && said == given;
}

static bool is_global(const option *o)
{
    for (const global *g = globals; g->option.name; g++)
        if (o == &g->option) return true;
    return false;
}

/* The one option of the verb's own that was given with the value of "name is VALUE"; NULL if there is none, or more
 * than one. */
static const option *option_at_fault(const job *j, const char *value)
{
    const option *found = NULL;
    for (int i = 0; i < j->n_given; i++) {
        const option *o = j->given[i].option;
        if (o->type == OPTION_FLAG || is_global(o) || !is_value(value, j->given[i].value)) continue;
        if (found && found != o) return NULL;
        found = o;
    }
    return found;
}

/* "name is VALUE" with the option of the name or of the value; how many letters of the text that was, or 0. */
static size_t print_option_of(FILE *out, const job *j, const char *text)
{
    char         name[64], called[48];
    const size_t field = strncmp(text, "opts->", 6) == 0 ? 6 : 0, n = field + word_length(text + field);
    if (n == field || n >= sizeof name || strncmp(text + n, " is ", 4) != 0) return 0;
    (void)snprintf(name, sizeof name, "%.*s", (int)(n - field), text + field);
    const option *o = option_at_fault(j, text + n + 4);
    if (has_option(j, name)) (void)snprintf(called, sizeof called, "--%.40s", name);
    else if (o) (void)option_called(o, called);
    else return 0;
    for (char *c = called; *c; c++) *c = *c == '_' ? '-' : *c;
    (void)fputs(called, out);
    return n;
}

void print_failure(FILE *out, const job *j, const char *message)
{
    if (print_memory(out, j, message)) return;
    const char *text = behind_function(j, message);
    if (text == message) {
        print_retold(out, j, message);
        return;
    }
    const size_t first = strcspn(text, " "); /* a file, or another part with a name of its own, begins the text? */
    if (first == 0 || text[first - 1] != ':') (void)fprintf(out, "%s: ", j->verb->name);
    print_retold_rest(out, j, message, text + print_option_of(out, j, text));
}
