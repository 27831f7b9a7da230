/* Help texts of the command, from the table of verbs. */
#include "main/help.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "command/globals.h"
#include "command/messages.h"
#include "command/options.h"
#include "main/find.h"
#include "operation/operation.h"

const char *option_usage(const option *o, char text[80])
{
    char letter[8] = "";
    if (o->letter) (void)snprintf(letter, sizeof letter, "-%c, ", o->letter);
    (void)snprintf(text, 80, "%s--%s%s%s", letter, o->name, o->type == OPTION_FLAG ? "" : " ",
                   o->type == OPTION_FLAG ? ""
                   : o->value             ? o->value
                                          : "VALUE");
    return text;
}

enum { HELP_AT = 26 }; /* the column where explanations begin */

/* In one line: as much of the explanation as fits. */
static void print_option_short(FILE *out, const option *o, int columns)
{
    char usage[80], line[256];
    int  n = snprintf(line, sizeof line, "  %s%s", o->letter ? "" : "    ", option_usage(o, usage));
    n += snprintf(line + n, sizeof line - (size_t)n, "%*s%s", n < HELP_AT ? HELP_AT - n : 1, "", o->help);
    (void)n;
    if (text_columns(line) > columns) {
        size_t end = 0;
        for (int used = 0; line[end] && used < columns - 4; end++)
            used += ((unsigned char)line[end + 1] & 0xc0) != 0x80;
        while (end > 0 && line[end] != ' ') end--;
        while (end > 0 && strchr(" ,;:", line[end - 1])) end--;
        (void)snprintf(line + end, sizeof line - end, " ...");
    }
    (void)fprintf(out, "%s\n", line);
}

static void print_option(FILE *out, const option *o, int columns)
{
    char      text[80];
    const int n = fprintf(out, "  %s%s", o->letter ? "" : "    ", option_usage(o, text));
    if (n < HELP_AT) (void)fprintf(out, "%*s", HELP_AT - n, "");
    else (void)fprintf(out, "\n%*s", HELP_AT, "");
    char help[512];
    if (o->choices) (void)snprintf(help, sizeof help, "%s: %s", o->help, o->choices);
    print_wrapped(out, o->choices ? help : o->help, HELP_AT, HELP_AT, columns);
}

static int help_columns(FILE *out)
{
    const int columns = terminal_columns(out);
    return columns < 60 ? 60 : columns > 100 ? 100 : columns;
}

const char *verb_called(const verb *v, char text[64])
{
    bool is_hidden = false;
    for (int i = 0; verbs[i]; i++) is_hidden |= verbs[i] != v && strcmp(verbs[i]->name, v->name) == 0;
    (void)snprintf(text, 64, "%s%s", is_hidden ? "op " : "", v->name);
    return text;
}

/* The sub-commands of a verb, with what each does. */
static void print_commands(FILE *out, const verb *v, int columns)
{
    if (v->commands) (void)fputs("\nSub-commands:\n", out);
    for (int i = 0; v->commands && v->commands[i]; i++) {
        (void)fprintf(out, "  %-10s ", command_word(v->commands[i]));
        print_wrapped(out, v->commands[i]->summary, 13, 13, columns);
    }
    if (v->commands) (void)fprintf(out, "\ntessera %s NAME --help shows the options of each.\n", v->name);
}

static void print_usage(FILE *out, const verb *v, int columns)
{
    char      called[64], line[600];
    const int n = fprintf(out, "tessera %s: ", verb_called(v, called));
    print_wrapped(out, v->summary, 4, n, columns);
    (void)fputs("\nUsage: ", out);
    (void)snprintf(line, sizeof line, "tessera %s%s%s%s", called, v->commands ? "" : " [options]",
                   v->arguments[0] ? " " : "", v->arguments);
    print_wrapped(out, line, 11, 7, columns);
    print_commands(out, v, columns);
}

/* The last blank before `width` letters that is not inside quotes; NULL if there is none. */
static const char *find_break(const char *text, int width)
{
    const char *end = NULL;
    bool        quoted = false;
    for (int i = 0; text[i] && i < width; i++) {
        if (text[i] == '\'') quoted = !quoted;
        if (text[i] == ' ' && !quoted && i > 0) end = text + i;
    }
    return end;
}

/* A command line; a long one goes on in the next line, as a shell reads it. */
static void print_example(FILE *out, const char *text, int columns)
{
    int indent = 2;
    while (text_columns(text) > columns - indent) {
        const char *end = find_break(text, columns - indent - 2);
        if (!end) break;
        (void)fprintf(out, "%*s%.*s \\\n", indent, "", (int)(end - text), text);
        text = end + 1;
        indent = 6;
    }
    (void)fprintf(out, "%*s%s\n", indent, "", text);
}

static void print_examples(FILE *out, const verb *v, int max, int columns)
{
    if (!v->examples || !v->examples[0]) return;
    (void)fputs("\nExamples:\n", out);
    for (int i = 0; v->examples[i] && i < max; i++) print_example(out, v->examples[i], columns);
}

/* Global options of a verb, in one line: their names are enough for who knows the command. */
static void print_global_names(FILE *out, const verb *v, int columns)
{
    char   line[512] = "";
    size_t used = 0;
    for (const global *g = globals; g->option.name && used < sizeof line; g++) {
        char called[48];
        if (!verb_takes(v, g)) continue;
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", used ? " " : "",
                                 option_called(&g->option, called));
    }
    (void)fputs("\nAlso: ", out);
    print_wrapped(out, line, 6, 6, columns);
}

static void print_help(FILE *out, const verb *v, bool is_short, int columns)
{
    char called[64];
    print_usage(out, v, columns);
    const option *o = verb_own_option(v, 0);
    if (o) (void)fputs("\nOptions:\n", out);
    for (int i = 0; (o = verb_own_option(v, i)); i++)
        if (is_short) print_option_short(out, o, columns);
        else print_option(out, o, columns);
    print_examples(out, v, is_short ? 2 : 3, columns);
    print_global_names(out, v, columns);
    (void)fprintf(out, "More: tessera help %s\n", verb_called(v, called));
}

/* Lines that the whole would take; 0 if that cannot be found out. */
static int count_lines(const verb *v, int columns)
{
    char  *text = NULL;
    size_t size;
    int    n = 0;
    FILE  *out = open_memstream(&text, &size);
    if (!out) return 0;
    print_help(out, v, false, columns);
    if (fclose(out) == 0)
        for (const char *c = text; *c; c++) n += *c == '\n';
    free(text);
    return n;
}

void help_verb(FILE *out, const verb *v)
{
    const int columns = help_columns(out);
    print_help(out, v, count_lines(v, columns) > 24, columns);
}

void help_manual(FILE *out, const verb *v)
{
    const int columns = help_columns(out);
    print_usage(out, v, columns);
    if (v->text) {
        (void)fputc('\n', out);
        print_wrapped(out, v->text, 0, 0, columns);
    }
    const option *o = verb_own_option(v, 0);
    if (o) (void)fputs("\nOptions:\n", out);
    for (int i = 0; (o = verb_own_option(v, i)); i++) print_option(out, o, columns);
    (void)fputs("\nCommon options:\n", out);
    for (const global *g = globals; g->option.name; g++)
        if (verb_takes(v, g)) print_option(out, &g->option, columns);
    print_examples(out, v, 100, columns);
}

/* The first verb of each subject stands for it, so that subjects come in the order of their first verbs. */
static bool is_first_of_subject(int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(verbs[k]->subject, verbs[i]->subject) == 0) return false;
    return true;
}

static void print_subject(FILE *out, const char *subject)
{
    const int columns = help_columns(out);
    bool      any = false;
    for (int k = 0; verbs[k]; k++) {
        if (strcmp(verbs[k]->subject, subject) != 0) continue;
        if (!any) (void)fprintf(out, "\n%s\n", subject);
        any = true;
        (void)fprintf(out, "  %-10s ", verbs[k]->name);
        print_wrapped(out, verbs[k]->summary, 13, 13, columns);
    }
}

/* In this order; subjects that are not here come before the last. */
static const char *const subjects[] = { "files",     "arithmetic", "size and place", "Fourier",  "movies and tilts",
                                        "particles", "maps",       "tables",         "pictures", NULL };
static const char        last_subject[] = "about the command";

static bool is_in_order(const char *subject)
{
    for (int i = 0; subjects[i]; i++)
        if (strcmp(subjects[i], subject) == 0) return true;
    return strcmp(subject, last_subject) == 0;
}

void help_overview(FILE *out)
{
    (void)fputs("Usage: tessera VERB [options] INPUT... [-o OUT]\n", out);
    for (int i = 0; subjects[i]; i++) print_subject(out, subjects[i]);
    for (int i = 0; verbs[i]; i++)
        if (is_first_of_subject(i) && !is_in_order(verbs[i]->subject)) print_subject(out, verbs[i]->subject);
    print_subject(out, last_subject);
    (void)fprintf(out,
                  "\nThe operations of the library are verbs too, %d more: tessera ops lists them.\n"
                  "tessera VERB --help is short, tessera help VERB is complete; tessera -V or\n"
                  "--version prints the version. As an input, @list.txt stands for the files\n"
                  "named in list.txt, one per line.\n",
                  (int)tess_function_count());
}

/* Is the module that of an operation before this one? */
static bool is_first_of_module(size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(tess_function_at(k)->module, tess_function_at(i)->module) == 0) return false;
    return true;
}

void help_operations(FILE *out)
{
    char names[4096];
    (void)fputs("\nOperations by header:\n", out);
    for (size_t i = 0; i < tess_function_count(); i++) {
        const char *module = tess_function_at(i)->module;
        size_t      used = 0;
        if (!is_first_of_module(i)) continue;
        names[0] = '\0';
        for (size_t k = i; k < tess_function_count() && used < sizeof names - 40; k++)
            if (strcmp(tess_function_at(k)->module, module) == 0 && is_operation_verb(tess_function_at(k)))
                used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? " " : "",
                                         tess_function_at(k)->name);
        if (used == 0) continue;
        (void)fprintf(out, "\n  %-10s ", module);
        print_wrapped(out, names, 13, 13, help_columns(out));
    }
}
