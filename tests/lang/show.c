/* What the library makes of the text of an operator in a file: lang_show check|text|c FILE
 *
 * check  "ok", or the message with its excerpt; text: the canonical text; c: printed C
 *
 * A file that begins with "macro NAME" holds the pieces of a macro on the lines after it: functions that it uses, one a
 * line, if they begin with "fn"; parameters; body.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "lang/parse.h"

static char text[1 << 20];

static size_t read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    const size_t n = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[n] = '\0';
    return n;
}

/* The next line, ended by 0; the last one goes on to the end. */
static char *next_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    *at = end ? end + 1 : line + strlen(line);
    if (end) *end = '\0';
    return line;
}

static tess_status parse_macro(tess__tree **out)
{
    const char *uses[16] = { NULL };
    int         n = 0;
    char       *at = text, *name = next_line(&at) + 6;
    while (strncmp(at, "fn ", 3) == 0 && n < 15) uses[n++] = next_line(&at);
    const char       *params = next_line(&at), *body = next_line(&at);
    const tess_op_def def = {
        .name = name, .params = params, .body = body, .file = "demo.c", .uses = uses, .line = 12
    };
    return tess__parse_def(out, &def);
}

static tess_status make(tess__tree **plain, tess__tree **typed, size_t n)
{
    TESS_TRY(strncmp(text, "macro ", 6) == 0 ? parse_macro(plain) : tess__parse(plain, text, n, &tess__parse_defaults));
    if ((*plain)->letters) TESS_TRY(tess__tree_try(*plain, &tess__parse_defaults));
    const tess_dtype letters[TESS__LETTERS] = { TESS_F32, TESS_F32, TESS_F32 };
    if (!(*plain)->letters) TESS_TRY(tess__tree_check(typed, *plain, letters, &tess__parse_defaults));
    return TESS_OK;
}

/* Message and excerpt, without the places of the library. */
static void show_error(void)
{
    const char *trace = tess_error_trace();
    int         line, column, length;
    for (int lines = tess_error_place(&line, &column, &length) ? 3 : 1; lines > 0 && *trace; trace++) {
        (void)putchar(*trace);
        lines -= *trace == '\n';
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    tess__tree *plain = NULL, *typed = NULL;
    char       *made = NULL;
    tess_status status = make(&plain, &typed, read_file(argv[2]));
    if (status == TESS_OK && strcmp(argv[1], "text") == 0) status = tess__tree_text(&made, plain);
    if (status == TESS_OK && strcmp(argv[1], "c") == 0 && typed) status = tess__print_c(&made, typed, "printed");
    if (status != TESS_OK) show_error();
    else (void)fputs(made ? made : "ok\n", stdout);
    tess__free(made);
    tess__tree_free(plain);
    tess__tree_free(typed);
    return 0;
}
