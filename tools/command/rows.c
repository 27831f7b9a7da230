/* Rows of descriptors as options: name, type, value and help by type, unit, range and default. */
#include "command/rows.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

bool is_operation_verb(const tess_function_info *op)
{
    return op->call && op->n_args <= MAX_ROWS && strcmp(op->module, "io") != 0 && strcmp(op->name, "fft_empty") != 0;
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

const char *row_value(const tess_arg_info *row)
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

char *keep_text(const char *text)
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

char *name_of_row(const char *name)
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
    *o =
        (option){ .name = name_of_row(row->name), .value = row_value(row), .help = help_of(row), .type = type_of(row) };
    o->writes = is_file_written(row);
    if (row->type == TESS_ARG_CHOICE) o->choices = choices_of(row);
    return o->name && o->help && (o->choices || row->type != TESS_ARG_CHOICE);
}
