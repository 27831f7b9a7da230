/* Manual pages in troff, from the table of verbs. */
#include "main/man.h"

#include <string.h>

#include "command/globals.h"
#include "command/options.h"
#include "main/help.h"

/* A letter beyond ASCII, by its number: troff may not read UTF-8. *text is left at its last byte. */
static void put_letter(FILE *out, const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    const int            n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    unsigned             code = s[0] & (0xffu >> (n + 1));
    for (int i = 1; i < n && (s[i] & 0xc0) == 0x80; i++) code = code << 6 | (s[i] & 0x3fu);
    (void)fprintf(out, "\\[u%04X]", code);
    while (((unsigned char)(*text)[1] & 0xc0) == 0x80) ++*text;
}

/* A text of paragraphs. Dots and quotes that begin a line, backslashes and hyphens mean something to troff. */
static void put(FILE *out, const char *text)
{
    bool begins = true;
    for (; *text; text++) {
        if (begins && (*text == '.' || *text == '\'')) (void)fputs("\\&", out);
        if (((unsigned char)*text & 0xc0) == 0xc0) put_letter(out, &text);
        else if (*text == '\\') (void)fputs("\\e", out);
        else if (*text == '-') (void)fputs("\\-", out);
        else (void)fputc(*text, out);
        begins = *text == '\n';
    }
}

/* Blank lines become paragraphs, lines that begin with spaces stay as they are. */
static void put_paragraphs(FILE *out, const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");
        char         line[1024];
        (void)snprintf(line, sizeof line, "%.*s", (int)n, text);
        if (n == 0) {
            (void)fputs(".PP\n", out);
        } else if (line[0] == ' ') {
            (void)fputs(".nf\n", out);
            put(out, line);
            (void)fputs("\n.fi\n", out);
        } else {
            put(out, line);
            (void)fputc('\n', out);
        }
        text += n + (text[n] == '\n');
    }
}

static void put_option(FILE *out, const option *o)
{
    char usage[80];
    (void)fputs(".TP\n.B ", out);
    put(out, option_usage(o, usage));
    if (o->alias) {
        (void)fputs(", \\-\\-", out);
        put(out, o->alias);
    }
    (void)fputc('\n', out);
    put(out, o->help);
    if (o->choices) {
        (void)fputs(": ", out);
        put(out, o->choices);
    }
    (void)fputc('\n', out);
}

/* The name of a verb as that of its page is made of it: with hyphens. */
static void put_page_name(FILE *out, const char *name)
{
    for (; *name; name++)
        if (*name == ' ' || *name == '-') (void)fputs("\\-", out);
        else (void)fputc(*name, out);
}

static void put_title(FILE *out, const char *name)
{
    (void)fprintf(out, ".TH TESSERA%s", name[0] ? "\\-" : "");
    put_page_name(out, name);
    (void)fprintf(out, " 1 \"\" \"tessera %s\" \"Tessera\"\n", tess_version());
}

/* A line about the page of another verb. */
static void put_reference(FILE *out, const verb *v)
{
    (void)fputs(".TP\n.BR tessera\\-", out);
    put_page_name(out, v->name);
    (void)fputs(" (1)\n", out);
    put(out, v->summary);
    (void)fputc('\n', out);
}

static const struct {
    int         code;
    const char *meaning;
} codes[] = {
    { EXIT_DONE, "Done." },
    { EXIT_DIFFERS, "A check found faults, or a comparison found differences." },
    { EXIT_USAGE, "Usage: an invalid option or value, shapes that do not match, or an unknown pixel size." },
    { EXIT_IO, "Files: a file is missing, cannot be read or written, is malformed or is not supported." },
    { EXIT_DEVICE, "Device or memory." },
};

static void put_exit_codes(FILE *out)
{
    (void)fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        (void)fprintf(out, ".TP\n.B %d\n%s\n", codes[i].code, codes[i].meaning);
}

static const struct {
    const char *name;
    const char *meaning;
} variables[] = {
    { "TESS_THREADS", "Number of threads, unless -j is given." },
    { "TESS_CPU", "Highest instruction set to use." },
    { "TESS_CUDA_PATH", "Folders, separated by ':', to search for CUDA's libraries first." },
    { "CUDA_VISIBLE_DEVICES", "NVIDIA's variable: the GPUs to use, as 0,2; empty for none." },
    { "XDG_CACHE_HOME", "Compiled GPU kernels are kept in its folder tessera [~/.cache]." },
    { "TESS_DEBUG",
      "1: keep a kernel that does not compile there, as failed.cu, and the compiler's log, as failed.log." },
    { "SOURCE_DATE_EPOCH", "Time written into files, in seconds since 1970 [now]." },
    { "NO_COLOR", "Turns off colours." },
};

static void put_environment(FILE *out)
{
    (void)fputs(".SH ENVIRONMENT\n", out);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        (void)fprintf(out, ".TP\n.B %s\n", variables[i].name);
        put(out, variables[i].meaning);
        (void)fputc('\n', out);
    }
}

void man_verb(FILE *out, const verb *v)
{
    put_title(out, v->name);
    (void)fputs(".SH NAME\ntessera\\-", out);
    put_page_name(out, v->name);
    (void)fputs(" \\- ", out);
    put(out, v->summary);
    (void)fprintf(out, "\n.SH SYNOPSIS\n.B tessera %s\n%s", v->name, v->commands ? "" : "[options] ");
    put(out, v->arguments);
    (void)fputc('\n', out);
    if (v->commands) (void)fputs(".SH SUB\\-COMMANDS\n", out);
    for (int i = 0; v->commands && v->commands[i]; i++) put_reference(out, v->commands[i]);
    if (v->text) {
        (void)fputs(".SH DESCRIPTION\n", out);
        put_paragraphs(out, v->text);
    }
    const option *o = verb_own_option(v, 0);
    if (o) (void)fputs(".SH OPTIONS\n", out);
    for (int i = 0; (o = verb_own_option(v, i)); i++) put_option(out, o);
    (void)fputs(".SH COMMON OPTIONS\n", out);
    for (const global *g = globals; g->option.name; g++)
        if (verb_takes(v, g)) put_option(out, &g->option);
    if (v->examples && v->examples[0]) (void)fputs(".SH EXAMPLES\n.nf\n", out);
    for (const char *const *e = v->examples; e && *e; e++) {
        put(out, *e);
        (void)fputc('\n', out);
    }
    if (v->examples && v->examples[0]) (void)fputs(".fi\n", out);
    (void)fputs(".SH SEE ALSO\n.BR tessera (1)\n", out);
}

void man_command(FILE *out)
{
    put_title(out, "");
    (void)fputs(".SH NAME\ntessera \\- process stacks of images and volumes in files\n.SH SYNOPSIS\n.B tessera\nVERB "
                "[options] INPUT... [\\-o OUT]\n.SH VERBS\n",
                out);
    for (int i = 0; verbs[i]; i++) put_reference(out, verbs[i]);
    (void)fputs(".PP\nEvery operation of the library is a verb too:\n.B tessera ops\nlists them,\n.B tessera NAME "
                "\\-\\-help\nexplains one. A verb may be abbreviated as long as it is unambiguous.\n",
                out);
    (void)fputs(".SH FILES AS ARGUMENTS\nfile; file:mrcs or file:mrc to say what it is; file.npz:member; N@stack.mrcs, "
                "one image, counted from 1; particles.star, the images it lists; @list.txt, the files it names, one "
                "per line, @\\- for those of standard input; \\- for standard input. Outputs are named by \\-o "
                "alone.\n.SH OPTIONS\n.TP\n\\-V, \\-\\-version\nprint the version; given instead of a verb\n",
                out);
    for (const global *g = globals; g->option.name; g++) put_option(out, &g->option);
    put_exit_codes(out);
    put_environment(out);
}
