/* How the command speaks: notes, warnings and errors, a line each on stderr. */
#define _DEFAULT_SOURCE /* for the size of the terminal */
#include "command/messages.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "command/progress.h"
#include "command/spelling.h"

/* A warning that was given, and how often it came again. */
struct told {
    char *text; /* without the name of the file */
    int   more;
};

bool colours_on(FILE *stream)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && no[0]) && term && strcmp(term, "dumb") != 0 && isatty(fileno(stream));
}

int terminal_columns(FILE *stream)
{
    struct winsize size;
    if (isatty(fileno(stream)) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

int exit_code_of(tess_status status)
{
    switch (status) {
    case TESS_OK: return EXIT_DONE;
    case TESS_EIO:
    case TESS_EFORMAT:
    case TESS_EUNSUPPORTED: return EXIT_IO;
    case TESS_ENOMEM:
    case TESS_EDEVICE: return EXIT_DEVICE;
    default: return EXIT_USAGE;
    }
}

/* "tessera: WORD: " with the word in its colour; text follows. */
static void begin(const char *word, const char *colour)
{
    progress_hide();
    if (colours_on(stderr)) (void)fprintf(stderr, "tessera: \033[%sm%s:\033[0m ", colour, word);
    else (void)fprintf(stderr, "tessera: %s: ", word);
}

static void say(const char *word, const char *colour, const char *format, va_list values)
{
    char text[2048];
    (void)vsnprintf(text, sizeof text, format, values);
    begin(word, colour);
    print_clean(stderr, text, -1);
    (void)fputc('\n', stderr);
}

void job_note(job *j, const char *format, ...)
{
    if (j->verbose < 0) return;
    va_list values;
    va_start(values, format);
    say("note", "36", format, values);
    va_end(values);
}

void job_detail(job *j, const char *format, ...)
{
    if (j->verbose < 1) return;
    va_list values;
    va_start(values, format);
    say("detail", "2", format, values);
    va_end(values);
}

/* Was it told before, of this or another file? Then it is only counted. */
static bool is_repeated(job *j, const char *text)
{
    const char *name_end = strstr(text, ": ");
    const char *what = name_end ? name_end + 2 : text;
    for (int i = 0; i < j->n_told; i++)
        if (strcmp(j->told[i].text, what) == 0) {
            j->told[i].more++;
            return true;
        }
    struct told *more = realloc(j->told, ((size_t)j->n_told + 1) * sizeof *more);
    if (!more) return false;
    j->told = more;
    char *copy = malloc(strlen(what) + 1);
    if (copy) more[j->n_told++] = (struct told){ strcpy(copy, what), 0 };
    return false;
}

void job_warn(job *j, const char *format, ...)
{
    char    text[1024];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (is_repeated(j, text) && j->verbose < 1) return;
    begin("warning", "33");
    print_clean(stderr, text, -1);
    (void)fputc('\n', stderr);
}

void messages_end(job *j)
{
    for (int i = 0; i < j->n_told; i++) {
        if (j->told[i].more && j->verbose < 1) {
            begin("warning", "33");
            (void)fprintf(stderr, "%d more time%s: ", j->told[i].more, j->told[i].more == 1 ? "" : "s");
            print_clean(stderr, j->told[i].text, -1);
            (void)fputc('\n', stderr);
        }
        free(j->told[i].text);
    }
    free(j->told);
    j->told = NULL;
    j->n_told = 0;
}

/* Of the library's record, what comes after the message: the text at fault with its caret, and with -v the trace. */
static void print_record(const job *j)
{
    const char *line = strchr(tess_error_trace(), '\n');
    while (line && line[1]) {
        const char *next = strchr(++line, '\n');
        const int   n = (int)(next ? next - line : (long)strlen(line));
        if (j->verbose < 1 && (strncmp(line, "  at ", 5) == 0 || strncmp(line, "  in ", 5) == 0)) {
            line = next; /* of the trace */
            continue;
        }
        print_clean(stderr, line, n);
        (void)fputc('\n', stderr);
        line = next;
    }
}

const char *message_after(const char *start)
{
    const char *message = tess_error_message(), *found = strstr(message, start);
    return found ? found + strlen(start) : message;
}

void job_failed(job *j, tess_status status, const char *file)
{
    const int   code = exit_code_of(status);
    const char *message = tess_error_marked();
    char        text[2048];
    if (code > j->exit_code) j->exit_code = code;
    spell_message(text, sizeof text, j, message[0] ? message : tess_status_text(status));
    begin("error", "1;31");
    if (file && !strstr(text, file)) {
        print_clean(stderr, file, -1);
        (void)fputs(": ", stderr);
    }
    print_clean(stderr, text, -1);
    (void)fputc('\n', stderr);
    print_record(j);
    tess_error_clear();
}
