/* What the library makes of the text of an operator in a file: lang_show check|text|c FILE
 *
 * check  "ok", or the message with its excerpt; text: the canonical text; c: printed C
 *
 * A file that begins with "macro NAME" holds the pieces of a macro on the lines after it: structs and functions that it
 * uses, one a line, if they begin with "struct" or "fn"; parameters; body. One that begins with "limits NODES NESTING REGISTERS" is read with
 * these limits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/memory.h"
#include "lang/codegen/program.h"
#include "lang/front/parse.h"
#include "support/print_c.h"

static char text[1 << 20];

static void read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    const size_t n = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[n] = '\0';
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
    while ((strncmp(at, "fn ", 3) == 0 || strncmp(at, "struct ", 7) == 0) && n < 15) uses[n++] = next_line(&at);
    const char       *params = next_line(&at), *body = next_line(&at);
    const tess_op_def def = {
        .name = name, .params = params, .body = body, .file = "demo.c", .uses = uses, .line = 12
    };
    return tess__parse_def(out, &def);
}

static tess_status parse_text(tess__tree **out, tess_op_parse_opts *limits)
{
    char     *at = text;
    long long nodes, nesting, registers;
    if (sscanf(text, "limits %lld %lld %lld", &nodes, &nesting, &registers) == 3) {
        limits->max_nodes = nodes, limits->max_nesting = nesting, limits->max_registers = registers;
        (void)next_line(&at);
    }
    return tess__parse(out, at, strlen(at), limits);
}

static tess_status make_programs(const tess__tree *typed, const tess_op_parse_opts *limits)
{
    const int32_t blocks[] = { typed->body, typed->join, typed->post };
    for (int part = 0; part < 3; part++) {
        tess__program *program = NULL;
        if (blocks[part]) TESS_TRY(tess__program_make(&program, typed, part, limits));
        tess__program_free(program);
    }
    return TESS_OK;
}

static tess_status make(tess__tree **plain, tess__tree **typed)
{
    tess_op_parse_opts limits = tess__parse_defaults;
    TESS_TRY(strncmp(text, "macro ", 6) == 0 ? parse_macro(plain) : parse_text(plain, &limits));
    if ((*plain)->letters) return tess__tree_try(*plain, &limits);
    TESS_TRY(tess__tree_check(typed, *plain, NULL, &limits));
    return make_programs(*typed, &limits);
}

/* Message and excerpt, without the trace of the library. */
static void show_error(void)
{
    const char *trace = tess_error_trace();
    int         line, column, length;
    for (int lines = tess_error_position(&line, &column, &length) ? 3 : 1; lines > 0 && *trace; trace++) {
        (void)putchar(*trace);
        lines -= *trace == '\n';
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    tess__tree *plain = NULL, *typed = NULL;
    char       *made = NULL;
    read_file(argv[2]);
    tess_status status = make(&plain, &typed);
    if (status == TESS_OK && strcmp(argv[1], "text") == 0) status = tess__tree_text(&made, plain);
    if (status == TESS_OK && strcmp(argv[1], "c") == 0 && typed) status = print_c(&made, typed, "printed");
    if (status != TESS_OK) show_error();
    else (void)fputs(made ? made : "ok\n", stdout);
    tess__free(made);
    tess__tree_free(plain);
    tess__tree_free(typed);
    return 0;
}
