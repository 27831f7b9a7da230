/* Operations of the library as verbs: their options, usage and help, by their descriptors. */
#include "operation/operation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Shape and type of an output that must be there before the call, unless they are arguments themselves. */
static const option made_options[] = {
    { .name = "shape", .value = "B,D,H,W", .help = "shape of the result", .type = OPTION_TEXT },
    { .name = "dtype", .value = "T", .help = "data type of the result: f32, i32, c32 ... [f32]", .type = OPTION_TEXT },
};

static bool needs_shape(const tess_function_info *op)
{
    const tess_arg_info *row = main_output(op);
    return row && (row->flags & TESS_ARG_MADE);
}

static option *options_of(const tess_function_info *op)
{
    option *options = calloc(op->n_args + 3, sizeof *options);
    int     n = 0;
    for (size_t i = 0; options && i < op->n_args; i++)
        if (is_verb_option(op, &op->args[i]) && !option_of_row(&options[n++], &op->args[i])) return NULL;
    if (options && needs_shape(op))
        for (int i = 0; i < 2; i++) options[n++] = made_options[i];
    return options;
}

/* Is the result of a few numbers, which are printed without -o? */
static bool is_small(const tess_function_info *op)
{
    for (size_t i = 0; i < op->n_args; i++)
        if (op->args[i].type == TESS_ARG_AXIS_SET && op->args[i].role == TESS_ROLE_REQUIRED) return true;
    return false;
}

/* "IN --factors B,D,H,W -o OUT", and how many arguments there are. */
static char *arguments_of(const tess_function_info *op, int *min, int *max)
{
    char   text[400] = "";
    size_t used = 0;
    *min = *max = 0;
    for (size_t i = 0; i < op->n_args && used < sizeof text - 60; i++) {
        const tess_arg_info *row = &op->args[i];
        if (!is_file_argument(row)) continue;
        const bool many = row->type == TESS_ARG_ARRAYS;
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s%s", used ? " " : "", row->name, many ? "..." : "");
        ++*min;
        *max = many ? -1 : *max + 1;
    }
    for (char *c = text; *c; c++) *c = (char)toupper((unsigned char)*c);
    if (needs_shape(op) && *min == 0) used += (size_t)snprintf(text, sizeof text, "--shape B,D,H,W");
    for (size_t i = 0; i < op->n_args && used < sizeof text - 60; i++) {
        const tess_arg_info *row = &op->args[i];
        const bool           asked = row->role == TESS_ROLE_REQUIRED || row->type == TESS_ARG_REDUCTIONS;
        if (!asked || row->type == TESS_ARG_DEVICE || row->type == TESS_ARG_AXIS_SET || row->type == TESS_ARG_U64)
            continue; /* those have defaults */
        char      *name = name_of_row(row->name);
        const bool may = row->flags & TESS_ARG_OPTIONAL || is_pixel_size(row);
        if (name)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s--%s %s%s", used ? " " : "", may ? "[" : "",
                                     name, row_value(row), may ? "]" : "");
        free(name);
    }
    const char *space = used ? " " : "";
    if (main_output(op))
        (void)snprintf(text + used, sizeof text - used, is_small(op) ? "%s[-o OUT]" : "%s-o OUT", space);
    return keep_text(text);
}

/* The help of descriptors is a sentence; that of verbs is not. */
static char *summary_of(const tess_function_info *op)
{
    char *text = keep_text(op->help);
    if (!text) return NULL;
    const size_t n = strlen(text);
    if (n > 1 && text[n - 1] == '.') text[n - 1] = '\0';
    if (isupper((unsigned char)text[0]) && (islower((unsigned char)text[1]) || text[1] == ' '))
        text[0] = (char)tolower((unsigned char)text[0]);
    return text;
}

/* The fields of a struct, with unit and default. */
static size_t fields_text(const tess_arg_info *row, char *text, size_t size)
{
    char   number[32], called[ROW_CALLED];
    size_t used =
        (size_t)snprintf(text, size, "\nFields of %s, by name or in this order:", row_called(called, row->name));
    for (const tess_arg_info *f = row->fields; f->name && used < size - 200; f++)
        used += (size_t)snprintf(text + used, size - used, "%s %s, %s%s%s [%s]", f == row->fields ? "" : ";", f->name,
                                 f->help, f->unit[0] ? ", in " : "", f->unit,
                                 f->computed ? f->computed : number_text(number, f->fallback));
    return used + (size_t)snprintf(text + used, size - used, ". pixel_size defaults to that of the file, if known.\n");
}

/* What its arguments and outputs are. */
static char *text_of(const tess_function_info *op)
{
    char   text[4000];
    size_t used = (size_t)snprintf(text, sizeof text, "The function tess_%s of tessera/%s.h.\n", op->name, op->module);
    for (size_t i = 0; i < op->n_args && used < sizeof text - 600; i++) {
        const tess_arg_info *row = &op->args[i];
        char                 name[64];
        if (row->type == TESS_ARG_STRUCT) used += fields_text(row, text + used, sizeof text - used);
        if (!is_file_argument(row) && (row->role != TESS_ROLE_OUT || row->type == TESS_ARG_RESULT)) continue;
        (void)snprintf(name, sizeof name, "%s", row->name);
        for (char *c = name; *c; c++) *c = (char)toupper((unsigned char)*c);
        used += (size_t)snprintf(text + used, sizeof text - used, "\n%s: %s.\n", name, row->help);
    }
    if (used < sizeof text - 300)
        (void)snprintf(text + used, sizeof text - used,
                       "\nAn input may be a number, or several: 1.5,-2. Without -o, a small result is printed. Shapes "
                       "are in the order b, d, h, w: batches, depth, height, width.\n");
    return keep_text(text);
}

/* Those that were made, to be found again. */
static struct kept {
    const tess_function_info *op;
    verb                      verb;
    struct kept              *next;
} * kept;

tess_status operation_verb(const tess_function_info *op, const verb **v)
{
    for (const struct kept *k = kept; k; k = k->next)
        if (k->op == op) return *v = &k->verb, TESS_OK;
    struct kept *k = calloc(1, sizeof *k);
    TESS_CHECK(k, TESS_ENOMEM, "%s: no memory", op->name);
    k->op = op;
    k->next = kept;
    kept = k;
    verb *made = &k->verb;
    *made = (verb){ .name = op->name,
                    .subject = "operations",
                    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_SLICES | GLOBAL_DEVICE |
                               GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS,
                    .run = operation_run };
    made->summary = summary_of(op);
    made->arguments = arguments_of(op, &made->min, &made->max);
    if (made->min == 1 && made->max == 1 && main_output(op)) made->max = -1, made->each = EACH_FILE;
    made->text = text_of(op);
    made->options = options_of(op);
    TESS_CHECK(made->summary && made->arguments && made->text && made->options, TESS_ENOMEM, "%s: no memory", op->name);
    *v = made;
    return TESS_OK;
}
