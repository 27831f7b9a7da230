/* tessera ops: the operations of the library, as their descriptors say. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "command/arg_names.h"
#include "command/job.h"
#include "command/spelling.h"
#include "main/markdown.h"
#include "operation/operation.h"

static void print_member(const char *before, const char *name, const char *text)
{
    (void)printf("%s\"%s\": ", before, name);
    print_json_text(stdout, text);
}

static void print_limit(const char *name, double value)
{
    char text[32];
    if (isfinite(value) && fabs(value) < 1.7e308) (void)printf(", \"%s\": %s", name, number_text(text, value));
}

static void print_choices(const tess_arg_info *row)
{
    (void)printf(", \"choices\": [");
    for (const tess_choice *c = row->choices; c->name && c->help; c++) {
        print_member(c == row->choices ? "{" : ", {", "name", c->name);
        (void)printf(", \"value\": %d", (int)c->value);
        print_member(", ", "help", c->help);
        (void)printf("}");
    }
    (void)printf("]");
}

static void print_argument(const tess_arg_info *row, bool first)
{
    print_member(first ? "\n   {" : ",\n   {", "name", row->name);
    print_member(", ", "role", arg_role_name(row->role));
    print_member(", ", "type", arg_type_name(row->type));
    print_member(", ", "help", row->help);
    if (row->unit[0]) print_member(", ", "unit", row->unit);
    const bool is_number = row->type == TESS_ARG_F64 || row->type == TESS_ARG_I64 || row->type == TESS_ARG_I32 ||
                           row->type == TESS_ARG_U64 || row->type == TESS_ARG_U32;
    if (is_number) print_limit("min", row->min);
    if (is_number) print_limit("max", row->max);
    if (row->role == TESS_ROLE_OPTION && (is_number || row->choices)) print_limit("default", row->fallback);
    if (row->computed) print_member(", ", "computed_default", row->computed);
    if (row->choices) print_choices(row);
    if (row->flags & TESS_ARG_OPTIONAL) (void)printf(", \"optional\": true");
    (void)printf("}");
}

static void print_json(void)
{
    (void)printf("[");
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        char                      call[OPERATION_CALL];
        print_member(i ? ",\n {" : "\n {", "name", op->name);
        print_member(", ", "module", op->module);
        print_member(", ", "help", op->help);
        print_member(", ", "cut", cut_name(op->cut));
        print_member(", ", "call", operation_call(call, op));
        (void)printf(", \"verb\": %s, \"args\": [", is_operation_verb(op) ? "true" : "false");
        for (size_t k = 0; k < op->n_args; k++) print_argument(&op->args[k], k == 0);
        (void)printf("]}");
    }
    (void)printf("\n]\n");
}

static bool is_wanted(const tess_function_info *op, const job *j)
{
    const char *text = j->n_arguments ? j->arguments[0] : NULL;
    return !text || strstr(op->name, text) || strstr(op->help, text) || strcmp(op->module, text) == 0;
}

static tess_status run(job *j)
{
    if (job_has(j, "markdown")) return ops_markdown(stdout);
    if (job_has(j, "json")) {
        print_json();
        return TESS_OK;
    }
    table *t = table_new(j, stdout);
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        char                      call[OPERATION_CALL];
        if (!is_wanted(op, j)) continue;
        table_text(t, "operation", op->name);
        table_text(t, "module", op->module);
        table_text(t, "call", operation_call(call, op));
        table_text(t, "does", op->help);
        table_row(t);
    }
    table_end(t);
    return TESS_OK;
}

static const option options[] = {
    FLAG("markdown", "print the reference of all operations, as in docs/reference.md"),
    { .name = NULL },
};
static const char *const examples[] = { "tessera ops", "tessera ops fft", "tessera ops --json", NULL };

const verb verb_ops = {
    .name = "ops",
    .subject = "about the command",
    .summary = "list the operations of the library, or those matching a word",
    .arguments = "[WORD]",
    .text = "The column call shows how to run each operation: most are verbs, tessera NAME --help; if another verb has "
            "the name, tessera op NAME is the operation; a few write other kinds of files and can only be used from "
            "C.\n\nWith --json, prints everything in the descriptors: arguments, types, units, ranges, defaults and "
            "choices, and whether the work can be split into parts.",
    .globals = GLOBAL_TABLE,
    VERB_OF_FILE(0, 1),
};
