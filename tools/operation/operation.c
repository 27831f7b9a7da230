/* Operations of the library as verbs: their options, usage and help, by their descriptors. */
#include "operation/operation.h"

#include <ctype.h>
#include <math.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

bool is_operation_verb(const tess_function_info *op)
{
    return op->call && op->n_args <= MAX_ROWS && strcmp(op->module, "io") != 0 && strcmp(op->name, "fft_empty") != 0;
}

/* Functions of the library that are no verbs, and the verb that does their work; "": there is none. */
static const char *const no_verbs[][2] = {
    { "mrc_check", "check" }, { "mrc_edit", "edit" }, { "read", "convert" }, { "write", "convert" },
    { "fft_empty", "" },      { "mdoc_write", "" },   { "star_write", "" },  { "star_write_table", "" },
    { "tilts_write", "" },    { "xf_write", "" },
};

const char *operation_call(char text[OPERATION_CALL], const tess_function_info *op)
{
    const char *instead = "";
    bool        hidden = false;
    for (int i = 0; verbs[i]; i++) hidden = hidden || strcmp(verbs[i]->name, op->name) == 0;
    for (size_t i = 0; i < sizeof no_verbs / sizeof *no_verbs; i++)
        if (strcmp(no_verbs[i][0], op->name) == 0) instead = no_verbs[i][1];
    if (is_operation_verb(op)) (void)snprintf(text, OPERATION_CALL, "tessera %s%s", hidden ? "op " : "", op->name);
    else if (instead[0]) (void)snprintf(text, OPERATION_CALL, "tessera %s", instead);
    else (void)snprintf(text, OPERATION_CALL, "in C: tess_%s", op->name);
    return text;
}

bool is_file_argument(const tess_arg_info *row)
{
    if (row->role == TESS_ROLE_IN)
        return (row->type == TESS_ARG_ARRAY || row->type == TESS_ARG_ARRAYS) && !(row->flags & TESS_ARG_OPTIONAL);
    return row->role == TESS_ROLE_OUT && (row->flags & TESS_ARG_KEPT);
}

bool is_file_option(const tess_arg_info *row)
{
    if (row->type != TESS_ARG_ARRAY || row->flags & TESS_ARG_WRITTEN) return false;
    return row->role == TESS_ROLE_OPTION || (row->role == TESS_ROLE_IN && (row->flags & TESS_ARG_OPTIONAL));
}

bool is_printed_option(const tess_arg_info *row)
{
    return row->role == TESS_ROLE_OPTION && row->type == TESS_ARG_RESULT && !(row->flags & TESS_ARG_IS_ARRAY);
}

bool is_file_written(const tess_arg_info *row)
{
    if (row->role == TESS_ROLE_OUT) return row->type == TESS_ARG_ARRAY;
    return row->role == TESS_ROLE_OPTION && row->type == TESS_ARG_RESULT && (row->flags & TESS_ARG_IS_ARRAY);
}

const tess_arg_info *main_output(const tess_function_info *op)
{
    for (size_t i = 0; i < op->n_args; i++)
        if (op->args[i].role == TESS_ROLE_OUT && op->args[i].type == TESS_ARG_ARRAY) return &op->args[i];
    return NULL;
}

bool is_verb_option(const tess_function_info *op, const tess_arg_info *row)
{
    switch (row->role) {
    case TESS_ROLE_IN: return is_file_option(row);
    case TESS_ROLE_OUT: return row->type == TESS_ARG_REDUCTIONS || (is_file_written(row) && row != main_output(op));
    case TESS_ROLE_REQUIRED: return row->type != TESS_ARG_DEVICE; /* that is --device */
    default:
        if (strcmp(row->name, "unused") == 0 || row->type == TESS_ARG_META) return false;
        if (row->type == TESS_ARG_RESULT) return true;
        return !(row->flags & TESS_ARG_WRITTEN); /* an array that is added to has no file to come from */
    }
}

bool is_frequency(const tess_arg_info *row)
{
    return row->type == TESS_ARG_F64 && strcmp(row->unit, "cycles per pixel") == 0;
}

static option_type type_of(const tess_arg_info *row)
{
    if (is_printed_option(row)) return OPTION_FLAG;
    if (is_frequency(row)) return OPTION_TEXT;
    switch (row->type) {
    case TESS_ARG_ARRAY:
    case TESS_ARG_RESULT:
    case TESS_ARG_SOURCE:
    case TESS_ARG_PATH: return OPTION_FILE;
    case TESS_ARG_F64:
    case TESS_ARG_ELEMENT: return OPTION_NUMBER;
    case TESS_ARG_I64:
    case TESS_ARG_I32:
    case TESS_ARG_U64:
    case TESS_ARG_U32: return OPTION_INTEGER;
    case TESS_ARG_FLAG: return OPTION_FLAG;
    case TESS_ARG_CHOICE: return OPTION_CHOICE;
    default: return OPTION_TEXT;
    }
}

/* What stands for its value. */
static const char *value_of(const tess_arg_info *row)
{
    if (is_printed_option(row)) return NULL;
    switch (row->type) {
    case TESS_ARG_ARRAY:
    case TESS_ARG_RESULT:
    case TESS_ARG_SOURCE:
    case TESS_ARG_PATH: return is_file_written(row) ? "OUT" : "FILE";
    case TESS_ARG_OP: return "TEXT";
    case TESS_ARG_STRUCT: return "NAME=X,...";
    case TESS_ARG_SHAPE: return "B,D,H,W";
    case TESS_ARG_DTYPE: return "T";
    case TESS_ARG_AXIS: return "AXIS";
    case TESS_ARG_AXES: return "bdhw";
    case TESS_ARG_AXIS_SET: return "AXES";
    case TESS_ARG_F64:
    case TESS_ARG_ELEMENT: return "X";
    case TESS_ARG_NUMBERS: return "X,Y";
    case TESS_ARG_CHOICE: return "WORD";
    case TESS_ARG_REDUCTIONS: return "WORDS";
    case TESS_ARG_TEXT: return "TEXT";
    case TESS_ARG_FLAG: return NULL;
    default: return "N";
    }
}

static char *keep_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

bool is_pixel_size(const tess_arg_info *row)
{
    return row->role == TESS_ROLE_REQUIRED && row->type == TESS_ARG_F64 && strcmp(row->name, "pixel_size") == 0;
}

/* Names of choices, with spaces between. */
static char *choices_of(const tess_arg_info *row)
{
    char   text[512] = "";
    size_t used = 0;
    for (const tess_choice *c = row->choices; c && c->name && used < sizeof text; c++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", c->name);
    return keep_text(text);
}

static const char *default_choice(const tess_arg_info *row)
{
    for (const tess_choice *c = row->choices; c && c->name; c++)
        if (c->value == (int32_t)row->fallback) return c->name;
    return NULL;
}

/* The range, where it is not that of the type. */
static void range_text(const tess_arg_info *row, char *text, size_t size)
{
    char min[32], max[32];
    text[0] = '\0';
    const bool has_min = isfinite(row->min) && row->min > -2147483647.0;
    const bool has_max = isfinite(row->max) && row->max < 2147483647.0;
    const bool is_positive = row->min == DBL_MIN;
    (void)number_text(min, row->min);
    (void)number_text(max, row->max);
    if (is_positive && has_max) (void)snprintf(text, size, ", above 0, at most %s", max);
    else if (is_positive) (void)snprintf(text, size, ", above 0");
    else if (has_min && has_max) (void)snprintf(text, size, ", %s to %s", min, max);
    else if (has_min) (void)snprintf(text, size, ", %s or more", min);
    else if (has_max) (void)snprintf(text, size, ", at most %s", max);
}

/* Help with unit, default and range: from the row alone. */
static char *help_of(const tess_arg_info *row)
{
    char text[600], range[80], number[32];
    int  n = snprintf(text, sizeof text, "%s%s%s%s", row->help, row->unit[0] ? ", in " : "", row->unit,
                     is_frequency(row) ? ", or as 8A" : "");
    if (n < 0 || n >= (int)sizeof text - 120) return keep_text(text);
    const bool is_number = type_of(row) == OPTION_NUMBER || type_of(row) == OPTION_INTEGER || is_frequency(row);
    if (row->role == TESS_ROLE_REQUIRED || row->role == TESS_ROLE_OUT) {
        if (row->type == TESS_ARG_AXIS) (void)snprintf(text + n, sizeof text - (size_t)n, ": b, d, h or w");
        if (row->type == TESS_ARG_AXIS_SET) (void)snprintf(text + n, sizeof text - (size_t)n, "; as hw");
        if (row->type == TESS_ARG_OP) (void)snprintf(text + n, sizeof text - (size_t)n, "; or @file");
        if (is_pixel_size(row)) (void)snprintf(text + n, sizeof text - (size_t)n, " [that of the file]");
    } else if (is_printed_option(row)) {
        (void)snprintf(text, sizeof text, "print this: %s", row->help);
    } else if (row->choices) {
        const char *word = default_choice(row);
        if (word) (void)snprintf(text + n, sizeof text - (size_t)n, " [%s]", word);
    } else if (row->computed && !is_number) {
        (void)snprintf(text + n, sizeof text - (size_t)n, " [%s]", row->computed);
    } else if (is_number) {
        range_text(row, range, sizeof range);
        (void)snprintf(text + n, sizeof text - (size_t)n, " [%s%s]",
                       row->computed ? row->computed : number_text(number, row->fallback), range);
    }
    return keep_text(text);
}

static char *name_of(const char *name)
{
    char *copy = keep_text(name);
    for (char *c = copy; c && *c; c++)
        if (*c == '_') *c = '-';
    return copy;
}

const char *row_called(char text[ROW_CALLED], const char *name)
{
    (void)snprintf(text, ROW_CALLED, "--%s", name);
    for (char *c = text; *c; c++)
        if (*c == '_') *c = '-';
    return text;
}

bool option_of_row(option *o, const tess_arg_info *row)
{
    *o = (option){ .name = name_of(row->name), .value = value_of(row), .help = help_of(row), .type = type_of(row) };
    o->writes = is_file_written(row);
    if (row->type == TESS_ARG_CHOICE) o->choices = choices_of(row);
    return o->name && o->help && (o->choices || row->type != TESS_ARG_CHOICE);
}

/* Shape and type of an output that must be there before the call, unless they are arguments themselves. */
static const option made_options[] = {
    { .name = "shape", .value = "B,D,H,W", .help = "of the result", .type = OPTION_TEXT },
    { .name = "dtype", .value = "T", .help = "of the result: f32, i32, c32 ... [f32]", .type = OPTION_TEXT },
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
        char      *name = name_of(row->name);
        const bool may = row->flags & TESS_ARG_OPTIONAL || is_pixel_size(row);
        if (name)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s--%s %s%s", used ? " " : "", may ? "[" : "",
                                     name, value_of(row), may ? "]" : "");
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
    return used + (size_t)snprintf(text + used, size - used, ". pixel_size is that of the file where it is known.\n");
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
                       "\nAn input may be a number, or a row of them: 1.5,-2. Without -o, a small result is printed. "
                       "Shapes are in the order b, d, h, w: batches, depth, height, width.\n");
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
