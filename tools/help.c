/* What the command says of itself, from the table of verbs. */
#include "help.h"

#include <string.h>

#include "globals.h"
#include "messages.h"
#include "options.h"
#include "text.h"

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

static void print_usage(FILE *out, const verb *v)
{
    (void)fprintf(out, "tessera %s: %s\n\nUsage: tessera %s [options] %s\n", v->name, v->summary, v->name,
                  v->arguments ? v->arguments : "");
}

static void print_examples(FILE *out, const verb *v)
{
    if (!v->examples || !v->examples[0]) return;
    (void)fputs("\nExamples:\n", out);
    for (const char *const *e = v->examples; *e; e++) (void)fprintf(out, "  %s\n", *e);
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

void help_verb(FILE *out, const verb *v)
{
    const int columns = help_columns(out);
    print_usage(out, v);
    if (v->options && v->options->name) (void)fputs("\nOptions:\n", out);
    for (const option *o = v->options; o && o->name; o++) print_option(out, o, columns);
    print_examples(out, v);
    print_global_names(out, v, columns);
    (void)fprintf(out, "More: tessera help %s\n", v->name);
}

void help_manual(FILE *out, const verb *v)
{
    const int columns = help_columns(out);
    print_usage(out, v);
    if (v->text) {
        (void)fputc('\n', out);
        print_wrapped(out, v->text, 0, 0, columns);
    }
    if (v->options && v->options->name) (void)fputs("\nOptions:\n", out);
    for (const option *o = v->options; o && o->name; o++) print_option(out, o, columns);
    (void)fputs("\nOptions that many verbs have:\n", out);
    for (const global *g = globals; g->option.name; g++)
        if (verb_takes(v, g)) print_option(out, &g->option, columns);
    print_examples(out, v);
}

/* The first verb of each subject stands for it, so that subjects come in the order of their first verbs. */
static bool is_first_of_subject(int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(verbs[k]->subject, verbs[i]->subject) == 0) return false;
    return true;
}

void help_overview(FILE *out)
{
    (void)fputs("Usage: tessera VERB [options] INPUT... [-o OUT]\n", out);
    for (int i = 0; verbs[i]; i++) {
        if (!is_first_of_subject(i)) continue;
        (void)fprintf(out, "\n%s\n", verbs[i]->subject);
        for (int k = i; verbs[k]; k++)
            if (strcmp(verbs[k]->subject, verbs[i]->subject) == 0)
                (void)fprintf(out, "  %-11s %s\n", verbs[k]->name, verbs[k]->summary);
    }
    (void)fputs("\nEvery operation of the library is a verb too: tessera help ops.\n"
                "tessera VERB --help is short, tessera help VERB says all.\n",
                out);
}
