/* Texts of options as values of operations. */
#include "operation/values.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/globals.h"
#include "command/units.h"

/* The option of a row, for a message. */
#define CALLED(row) row_called((char[ROW_CALLED]){ "" }, (row)->name)

/* b, d, h, w, or a number as the library takes it. */
static tess_status parse_axis(const tess_arg_info *row, const char *text, int32_t *axis)
{
    const char *letter = text[0] && !text[1] ? strchr("bdhw", tolower((unsigned char)text[0])) : NULL;
    if (letter) {
        *axis = (int32_t)(letter - "bdhw");
        return TESS_OK;
    }
    char      *end;
    const long number = strtol(text, &end, 10);
    TESS_CHECK(end != text && !*end && number >= -4 && number <= 3, TESS_EARG,
               "%s is \"%s\"; b, d, h or w is needed, or 0 to 3", CALLED(row), text);
    *axis = (int32_t)number;
    return TESS_OK;
}

/* "hw", "b,d", "all". */
static tess_status parse_axis_set(const tess_arg_info *row, const char *text, int32_t *axes)
{
    *axes = 0;
    if (strcmp(text, "all") == 0) {
        *axes = TESS_B | TESS_D | TESS_H | TESS_W;
        return TESS_OK;
    }
    for (const char *c = text; *c; c++) {
        const char *letter = strchr("bdhw", tolower((unsigned char)*c));
        if (*c == ',') continue;
        TESS_CHECK(letter, TESS_EARG, "%s is \"%s\"; expected letters from b, d, h, w, or all", CALLED(row), text);
        *axes |= TESS_B << (letter - "bdhw");
    }
    TESS_CHECK(*axes, TESS_EARG, "%s is empty; expected letters from b, d, h, w, or all", CALLED(row));
    return TESS_OK;
}

/* All four letters, in another order. */
static tess_status parse_permutation(const tess_arg_info *row, const char *text, int32_t axes[4])
{
    int n = 0;
    for (const char *c = text; *c && n < 5; c++) {
        const char *letter = strchr("bdhw", tolower((unsigned char)*c));
        if (*c == ',') continue;
        if (!letter || n == 4) n = 5;
        else axes[n++] = (int32_t)(letter - "bdhw");
    }
    TESS_CHECK(n == 4, TESS_EARG, "%s is \"%s\"; expected the four letters b, d, h, w in some order, as bdwh",
               CALLED(row), text);
    return TESS_OK;
}

static tess_status parse_choice(const tess_arg_info *row, const char *text, size_t n, int32_t *value)
{
    for (const tess_choice *c = row->choices; c->name; c++)
        if (strlen(c->name) == n && strncmp(c->name, text, n) == 0) {
            *value = c->value;
            return TESS_OK;
        }
    char   names[300] = "";
    size_t used = 0;
    for (const tess_choice *c = row->choices; c->name && c->help && used < sizeof names; c++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", c->name);
    TESS_FAIL(TESS_EARG, "%s is \"%.*s\"; expected one of: %s", CALLED(row), (int)n, text, names);
}

static tess_status parse_reductions(const tess_arg_info *row, const char *text, tess_value *value,
                                    value_workspace *workspace)
{
    value->list.n = 0;
    value->list.of.reductions = workspace->reductions;
    for (const char *at = text; *at;) {
        const size_t n = strcspn(at, ",");
        TESS_CHECK(value->list.n < 8, TESS_EARG, "%s has more than 8 words", CALLED(row));
        tess_reduction *r = &workspace->reductions[value->list.n];
        TESS_TRY(parse_choice(row, at, n, &r->kind));
        r->out = &workspace->reduced[value->list.n++];
        at += n + (at[n] == ',');
    }
    return TESS_OK;
}

static tess_status parse_numbers(const tess_arg_info *row, const char *text, tess_value *value,
                                 value_workspace *workspace)
{
    value->list.n = 0;
    value->list.of.numbers = workspace->numbers;
    for (const char *at = text;; at++) {
        char *end;
        TESS_CHECK(value->list.n < 64, TESS_EARG, "%s has more than 64 numbers", CALLED(row));
        workspace->numbers[value->list.n++] = strtod(at, &end);
        TESS_CHECK(end != at && (!*end || *end == ','), TESS_EARG,
                   "%s is \"%s\"; numbers separated by commas are needed", CALLED(row), text);
        at = end;
        if (!*end) return TESS_OK;
    }
}

/* An element of a dtype: a number brought to it. */
static tess_status parse_element(const char *text, tess_dtype dtype, tess_value *value, value_workspace *workspace)
{
    TESS_TRY(tess_full(&workspace->element, TESS_SHAPE(1, 1, 1, 1), dtype, tess_cpu(), strtod(text, NULL)));
    value->element = workspace->element.data;
    return TESS_OK;
}

/* ---- Structs ---- */

enum { FIELD_NAME = 64 };

/* The field that `text` names, with - or _ between words, up to its "="; NULL if there is none. */
static const tess_arg_info *find_field(const tess_arg_info *row, const char *text, size_t n)
{
    char name[FIELD_NAME];
    (void)snprintf(name, sizeof name, "%.*s", (int)n, text);
    for (char *c = name; *c; c++)
        if (*c == '-') *c = '_';
    for (const tess_arg_info *field = row->fields; field->name; field++)
        if (strcmp(field->name, name) == 0) return field;
    return NULL;
}

static tess_status unknown_field(const tess_arg_info *row, const char *text, size_t n)
{
    char   names[400] = "";
    size_t used = 0;
    for (const tess_arg_info *field = row->fields; field->name && used < sizeof names; field++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", field->name);
    TESS_FAIL(TESS_EARG, "%s has \"%.*s\"; its fields are: %s", CALLED(row), (int)n, text, names);
}

static tess_status parse_field(const tess_arg_info *row, const tess_arg_info *field, const char *text, double *value)
{
    char *end, range[80] = "any finite number", min[32], max[32];
    *value = strtod(text, &end);
    TESS_CHECK(end != text && (!*end || *end == ','), TESS_EARG, "%s has \"%.*s\" as %s; a number is needed",
               CALLED(row), (int)strcspn(text, ","), text, field->name);
    (void)number_text(min, field->min);
    (void)number_text(max, field->max);
    if (field->min == DBL_MIN) (void)snprintf(range, sizeof range, "a number above 0");
    else if (field->max < DBL_MAX) (void)snprintf(range, sizeof range, "%s to %s", min, max);
    else if (field->min > -DBL_MAX) (void)snprintf(range, sizeof range, "%s or more", min);
    TESS_CHECK(*value >= field->min && *value <= field->max, TESS_ERANGE, "%s has %.*s as %s; %s is allowed",
               CALLED(row), (int)strcspn(text, ","), text, field->name, range);
    return TESS_OK;
}

/* "defocus=1.5,voltage=300"; values without a name are those of the next fields. */
static tess_status parse_struct(const tess_arg_info *row, const char *text, tess_value *value,
                                value_workspace *workspace)
{
    const tess_arg_info *next = row->fields;
    TESS_CHECK(row->size <= sizeof workspace->structure, TESS_EUNSUPPORTED, "%s: a struct of %zu bytes", CALLED(row),
               row->size);
    memset(workspace->structure, 0, sizeof workspace->structure);
    value->structure = workspace->structure;
    for (const char *at = text; *at;) {
        const size_t n = strcspn(at, "=,"), length = strcspn(at, ",");
        const bool   named = at[n] == '=';
        double       number;
        if (named) next = find_field(row, at, n);
        if (!next) return unknown_field(row, at, n);
        TESS_CHECK(next->name, TESS_EARG, "%s has more numbers than it has fields; the last is %s", CALLED(row),
                   next[-1].name);
        TESS_TRY(parse_field(row, next, named ? at + n + 1 : at, &number));
        memcpy((char *)workspace->structure + next->offset, &number, sizeof number);
        tess_field_given(next, workspace->structure);
        next++;
        at += length + (at[length] == ',');
    }
    return TESS_OK;
}

/* ---- Operators ---- */

enum { MAX_OPERATOR = 1 << 20 };

/* The text of an operator, or @file: that of a file. */
static tess_status parse_operator(const tess_arg_info *row, const char *text, tess_value *value,
                                  value_workspace *workspace)
{
    char *read = NULL;
    if (text[0] == '@') {
        FILE *file = fopen(text + 1, "rb");
        TESS_CHECK(file, TESS_EIO, "%s: %s cannot be opened: %s", CALLED(row), text + 1, strerror(errno));
        read = calloc(1, MAX_OPERATOR + 1);
        const size_t n = read ? fread(read, 1, MAX_OPERATOR, file) : 0;
        const bool   good = read && !ferror(file) && n < MAX_OPERATOR;
        (void)fclose(file);
        if (!good) free(read);
        TESS_CHECK(good, TESS_EIO, "%s: %s cannot be read, or is longer than %d bytes", CALLED(row), text + 1,
                   MAX_OPERATOR);
    }
    tess_op_release(workspace->op);
    workspace->op = NULL;
    const tess_status status = tess_op_text(&workspace->op, read ? read : text);
    free(read);
    value->op = workspace->op;
    return status;
}

void value_workspace_free(value_workspace *workspace)
{
    for (int i = 0; i < 8; i++) tess_release(&workspace->reduced[i]);
    tess_release(&workspace->element);
    tess_op_release(workspace->op);
}

/* Seeds go up to 2^64 - 1, in decimal or hexadecimal. */
static tess_status parse_u64(const tess_arg_info *row, const char *text, uint64_t *value)
{
    char *end;
    *value = strtoull(text, &end, 0);
    TESS_CHECK(end != text && !*end && text[0] != '-', TESS_EARG, "%s is \"%s\"; a non-negative integer is needed",
               CALLED(row), text);
    return TESS_OK;
}

/* 0.175, or the resolution 8A that this is with pixels of 1.4 Å. */
static tess_status parse_frequency(const tess_arg_info *row, const char *text, double pixel_size, double *value)
{
    char     what[ROW_CALLED], *end;
    quantity q;
    *value = strtod(text, &end);
    if (end != text && !*end) return TESS_OK;
    (void)row_called(what, row->name);
    TESS_TRY(parse_quantity(what, OPTION_CUTOFF, text, &q));
    TESS_CHECK(q.unit != UNIT_SHELL, TESS_EARG, "%s is \"%s\"; cycles per pixel or a resolution, as 8A, is needed",
               what, text);
    return to_cycles(what, OPTION_CUTOFF, q, pixel_size, 0, value);
}

static tess_status parse_i32(const tess_arg_info *row, const char *text, int32_t *value)
{
    int64_t whole;
    char    what[ROW_CALLED];
    (void)row_called(what, row->name);
    TESS_TRY(parse_integer(what, text, &whole));
    TESS_CHECK(whole >= INT32_MIN && whole <= INT32_MAX, TESS_ERANGE, "%s is %s; -2^31 to 2^31 - 1 is allowed",
               CALLED(row), text);
    *value = (int32_t)whole;
    return TESS_OK;
}

tess_status value_from_text(const tess_arg_info *row, const char *text, tess_dtype dtype, tess_value *value,
                            value_workspace *workspace)
{
    char what[ROW_CALLED];
    (void)row_called(what, row->name);
    switch (row->type) {
    case TESS_ARG_SHAPE: return parse_sizes(&value->shape, what, text);
    case TESS_ARG_DTYPE: return parse_dtype(&value->dtype, what, text);
    case TESS_ARG_AXIS: return parse_axis(row, text, &value->i32);
    case TESS_ARG_AXES: return parse_permutation(row, text, value->axes);
    case TESS_ARG_AXIS_SET: return parse_axis_set(row, text, &value->i32);
    case TESS_ARG_CHOICE: return parse_choice(row, text, strlen(text), &value->i32);
    case TESS_ARG_NUMBERS: return parse_numbers(row, text, value, workspace);
    case TESS_ARG_REDUCTIONS: return parse_reductions(row, text, value, workspace);
    case TESS_ARG_ELEMENT: return parse_element(text, dtype, value, workspace);
    case TESS_ARG_I64: return parse_integer(what, text, &value->i64);
    case TESS_ARG_U64: return parse_u64(row, text, &value->u64);
    case TESS_ARG_F64:
        if (is_frequency(row)) return parse_frequency(row, text, workspace->pixel_size, &value->f64);
        value->f64 = strtod(text, NULL);
        return TESS_OK;
    case TESS_ARG_OP: return parse_operator(row, text, value, workspace);
    case TESS_ARG_STRUCT: return parse_struct(row, text, value, workspace);
    case TESS_ARG_TEXT:
    case TESS_ARG_PATH: value->text = text; return TESS_OK;
    default: return parse_i32(row, text, &value->i32);
    }
}

static tess_status field_from_text(const tess_arg_info *row, const char *text, void *opts, value_workspace *workspace)
{
    tess_value value = { .u64 = 0 };
    void      *field = (char *)opts + row->offset;
    if (row->type == TESS_ARG_FLAG) {
        value.i32 = 1;
    } else if (row->type == TESS_ARG_U32) {
        TESS_TRY(parse_u64(row, text, &value.u64));
        TESS_CHECK(value.u64 <= UINT32_MAX, TESS_ERANGE, "%s is %s; 0 to 2^32 - 1 is allowed", CALLED(row), text);
        const uint32_t small = (uint32_t)value.u64;
        memcpy(field, &small, sizeof small);
        return TESS_OK;
    } else {
        TESS_TRY(value_from_text(row, text, TESS_F64, &value, workspace));
    }
    for (int k = 0; k < 4 && row->type == TESS_ARG_SHAPE; k++)
        if (value.shape.dim[k] == INT64_MIN) value.shape.dim[k] = 1; /* not given */
    memcpy(field, &value, row->size);
    return TESS_OK;
}

tess_status option_from_text(const tess_function_info *op, const tess_arg_info *row, const char *text, void *opts,
                             value_workspace *workspace)
{
    TESS_TRY(field_from_text(row, text, opts, workspace));
    TESS_TRY(tess_option_given(op, row, opts));
    return TESS_OK;
}

bool number_argument(const char *text, double *value, tess_array *number)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end) return false;
    *number = tess_num(0);
    number->data = value;
    return true;
}

/* How many numbers a text has with commas between them; 0 if something else is in it. */
static int64_t count_numbers(const char *text)
{
    for (int64_t n = 1;; n++) {
        char *end;
        (void)strtod(text, &end);
        if (end == text || (*end && *end != ',')) return 0;
        if (!*end) return n;
        text = end + 1;
    }
}

tess_status numbers_argument(const char *text, tess_array *row, bool *is_one)
{
    const int64_t n = count_numbers(text);
    *is_one = n > 1;
    if (!*is_one) return TESS_OK;
    TESS_TRY(tess_empty(row, TESS_SHAPE(1, 1, 1, n), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < n; i++) {
        char *end;
        ((double *)row->data)[i] = strtod(text, &end);
        text = end + 1;
    }
    return TESS_OK;
}
