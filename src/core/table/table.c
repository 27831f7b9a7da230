/* Option parsing by descriptions: defaults, ranges, and the zeroed reserved fields. */
#include "core/table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/check/text.h"

/* Any field. */
typedef union number {
    int32_t  i32;
    uint32_t u32;
    int64_t  i64;
    uint64_t u64;
    double   f64;
} number;

static number read_field(const tess_arg_info *arg, const void *field)
{
    number value = { .u64 = 0 };
    memcpy(&value, field, arg->size < sizeof value ? arg->size : sizeof value);
    return value;
}

/* As a double; integers of up to 53 bits are exact. */
static double as_double(const tess_arg_info *arg, number value)
{
    switch (arg->type) {
    case TESS_ARG_F64: return value.f64;
    case TESS_ARG_I64: return (double)value.i64;
    case TESS_ARG_U64: return (double)value.u64;
    case TESS_ARG_U32: return value.u32;
    default: return value.i32;
    }
}

/* Compared as what they are: a number of 64 bits may be rounded to the end of its range. */
static bool is_in_range(const tess_arg_info *arg, number value)
{
    const double x = as_double(arg, value);
    if (!(x >= arg->min && x <= arg->max)) return false;
    if (arg->type == TESS_ARG_U64 && x == arg->max && x < 0x1p64) return value.u64 <= (uint64_t)arg->max;
    if (arg->type != TESS_ARG_I64) return true;
    return (x != arg->max || x >= 0x1p63 || value.i64 <= (int64_t)arg->max) &&
           (x != arg->min || value.i64 >= (int64_t)arg->min);
}

static const char *number_text(const tess_arg_info *arg, number value, char *text)
{
    if (arg->type == TESS_ARG_U64) (void)snprintf(text, 32, "%" PRIu64, value.u64);
    else if (arg->type == TESS_ARG_I64) (void)snprintf(text, 32, "%" PRId64, value.i64);
    else (void)tess__number_text(text, as_double(arg, value));
    return text;
}

/* A field that was left out and whose default the operation computes: a NaN of its own, which no arithmetic makes. */
static const number left_out = { .u64 = 0x7ff8000007e55e7a };

/* Defaults are numbers that every type holds. One that the operation computes is NaN or -1 where 0 may be given,
 * otherwise 0. */
static void write_field(const tess_arg_info *arg, void *field, double value)
{
    if (isnan(value)) value = arg->min > 0 ? 0 : arg->type == TESS_ARG_F64 ? left_out.f64 : -1;
    if (arg->type == TESS_ARG_F64) {
        memcpy(field, &value, sizeof value);
        return;
    }
    const int64_t i64 = (int64_t)value;
    const int32_t i32 = (int32_t)i64;
    if (arg->size == sizeof i64) memcpy(field, &i64, sizeof i64);
    else memcpy(field, &i32, sizeof i32);
}

/* A field that its caller left at 0, or options that are passed on. */
static bool is_left_out(const tess_arg_info *arg, number value)
{
    if (arg->type != TESS_ARG_F64) return as_double(arg, value) == 0;
    return (value.f64 == 0 && !signbit(value.f64)) || value.u64 == left_out.u64;
}

/* TESS_ZERO or TESS_ZERO_INT; the latter is a number of its own in a few options of 64 bits. */
static bool is_explicit_zero(const tess_arg_info *arg, number value)
{
    if (arg->type == TESS_ARG_F64) return value.f64 == 0;
    if (arg->type != TESS_ARG_I32 && arg->type != TESS_ARG_I64) return false;
    return as_double(arg, value) == TESS_ZERO_INT && (arg->fallback != 0 || arg->min > TESS_ZERO_INT);
}

static bool is_choice(const tess_arg_info *arg, double value)
{
    for (const tess_choice *c = arg->choices; c->name; c++)
        if (c->value == value) return true;
    return false;
}

/* "1 (clamp), 2 (wrap)" in `text`. */
static const char *choices_text(const tess_arg_info *arg, char *text, size_t size)
{
    size_t used = 0;
    for (const tess_choice *c = arg->choices; c->name && c->help && used < size; c++) {
        int n = snprintf(text + used, size - used, "%s%" PRId32 " (%s)", used ? ", " : "", c->value, c->name);
        if (n > 0) used += (size_t)n;
    }
    return text;
}

/* Of an option: what has a range and a default. */
static bool is_number(tess_arg_type type)
{
    return type != TESS_ARG_RESULT && type != TESS_ARG_ARRAY && type != TESS_ARG_SHAPE && type != TESS_ARG_TEXT &&
           type != TESS_ARG_META && type != TESS_ARG_SOURCE && type != TESS_ARG_SOURCES && type != TESS_ARG_SINK;
}

/* 2^62, not 4.611686018427388e+18. */
static const char *limit_text(double limit, char *text)
{
    int exponent;
    if (fabs(limit) < 0x1p53 || fabs(frexp(limit, &exponent)) != 0.5) return tess__number_text(text, limit);
    (void)snprintf(text, 32, "%s2^%d", limit < 0 ? "-" : "", exponent - 1);
    return text;
}

static const char *range_text(const tess_arg_info *arg, char *text, size_t size)
{
    const bool has_min = arg->min > -DBL_MAX, has_max = arg->max < DBL_MAX;
    char       min[32], max[32];
    (void)limit_text(arg->min, min);
    (void)limit_text(arg->max, max);
    if (arg->min == TESS__POSITIVE && has_max) (void)snprintf(text, size, "a number above 0 and at most %s is", max);
    else if (arg->min == TESS__POSITIVE) (void)snprintf(text, size, "a number above 0 is");
    else if (has_min && !has_max) (void)snprintf(text, size, "%s or more is", min);
    else if (has_min) (void)snprintf(text, size, "%s to %s is", min, max);
    else if (has_max) (void)snprintf(text, size, "%s or less is", max);
    else (void)snprintf(text, size, "any finite number is");
    return text;
}

/* Check a number that was given. */
static tess_status check_number(const tess_function_info *info, const tess_arg_info *arg, number set)
{
    const double value = as_double(arg, set);
    char         text[32], range[96], choices[400];
    if (arg->choices)
        TESS_CHECK(is_choice(arg, value), TESS_EARG, "%s: `opts->%s` is %s; 0 (the default), %s are allowed",
                   info->name, arg->name, tess__number_text(text, value), choices_text(arg, choices, sizeof choices));
    TESS_CHECK(arg->type != TESS_ARG_FLAG || value == 1, TESS_ERANGE, "%s: `opts->%s` is %s; 0 or 1 is allowed",
               info->name, arg->name, tess__number_text(text, value));
    TESS_CHECK(arg->min != 0 || arg->max != 0 || value == 0, TESS_ERANGE, "%s: `opts->%s` is %s; it must be 0",
               info->name, arg->name, number_text(arg, set, text));
    TESS_CHECK(!isinf(value) || is_in_range(arg, set), TESS_ERANGE, "%s: `opts->%s` is %s; it must be finite",
               info->name, arg->name, tess__number_text(text, value));
    TESS_CHECK(is_in_range(arg, set), TESS_ERANGE, "%s: `opts->%s` is %s; %s allowed", info->name, arg->name,
               number_text(arg, set, text), range_text(arg, range, sizeof range));
    return TESS_OK;
}

static bool takes_any(const tess_arg_info *arg) /* also NaN */
{
    return arg->type == TESS_ARG_F64 && isinf(arg->min) && isinf(arg->max);
}

/* Is a joint option other than `arg` given? */
static bool another_is_given(const tess_function_info *info, const tess_arg_info *arg, const void *opts)
{
    for (size_t i = 0; i < info->n_args; i++) {
        const tess_arg_info *other = &info->args[i];
        if (other == arg || other->role != TESS_ROLE_OPTION || !(other->flags & TESS_ARG_JOINT)) continue;
        if (!is_left_out(other, read_field(other, (const char *)opts + other->offset))) return true;
    }
    return false;
}

/* `opts` are those of the caller. */
static tess_status resolve_field(const tess_function_info *info, const tess_arg_info *arg, const void *opts,
                                 void *field)
{
    if (!is_number(arg->type) || takes_any(arg)) return TESS_OK;
    number set = read_field(arg, field);
    if (arg->flags & TESS_ARG_JOINT && set.u64 == 0 && another_is_given(info, arg, opts)) return TESS_OK;
    if (is_left_out(arg, set)) {
        write_field(arg, field, arg->fallback);
        return TESS_OK;
    }
    if (is_explicit_zero(arg, set)) {
        write_field(arg, field, 0);
        set = (number){ .u64 = 0 };
    }
    return check_number(info, arg, set);
}

void tess__take_defaults(const tess_function_info *info, void *resolved)
{
    memset(resolved, 0, info->opts_size);
    for (size_t i = info->n_args; i-- > 0 && info->args[i].role == TESS_ROLE_OPTION;) /* options are the last rows */
        if (info->args[i].fallback != 0 && is_number(info->args[i].type))             /* a shape of zeros stays one */
            write_field(&info->args[i], (char *)resolved + info->args[i].offset, info->args[i].fallback);
}

tess_status tess__resolve_scalars(const tess_function_info *info, const void *opts, void *resolved)
{
    memcpy(resolved, opts, info->opts_size);
    const unsigned char *bytes = resolved;
    for (size_t i = info->reserved_offset; i < info->opts_size; i++)
        TESS_CHECK(bytes[i] == 0, TESS_EARG,
                   "%s: `opts->reserved` is not 0; zero the options before setting fields (or the header is newer than "
                   "the library)",
                   info->name);
    for (size_t i = 0; i < info->n_args; i++)
        if (info->args[i].role == TESS_ROLE_OPTION)
            TESS_TRY(resolve_field(info, &info->args[i], opts, (char *)resolved + info->args[i].offset));
    return TESS_OK;
}

/* ---- Values that a caller gave, also 0 ---- */

/* The sizes of an option's shape are its defaults where they are 0. */
static tess_status check_given_shape(const tess_function_info *op, const tess_arg_info *row, const tess_shape *shape)
{
    char text[TESS__SHAPE_TEXT];
    for (int d = 0; d < 4; d++)
        TESS_CHECK(shape->dim[d] != 0, TESS_ERANGE, "%s: `opts->%s` is %s; sizes must not be 0", op->name, row->name,
                   tess__shape_text(text, shape->dim));
    return TESS_OK;
}

static bool has_range(tess_arg_type type)
{
    return type == TESS_ARG_F64 || type == TESS_ARG_I64 || type == TESS_ARG_I32 || type == TESS_ARG_U64 ||
           type == TESS_ARG_U32;
}

/* Joint options that were not given so far are left out, not 0. */
static void leave_out_others(const tess_function_info *op, const tess_arg_info *row, void *opts)
{
    for (size_t i = 0; i < op->n_args; i++) {
        const tess_arg_info *other = &op->args[i];
        void                *field = (char *)opts + other->offset;
        if (other == row || other->role != TESS_ROLE_OPTION || !(other->flags & TESS_ARG_JOINT)) continue;
        if (is_left_out(other, read_field(other, field))) write_field(other, field, other->fallback);
    }
}

tess_status tess_option_given(const tess_function_info *op, const tess_arg_info *row, void *opts)
{
    TESS_CHECK(op && row && opts, TESS_EARG, "option_given: `%s` is `NULL`", !op ? "op" : !row ? "row" : "opts");
    TESS_CHECK(row->role == TESS_ROLE_OPTION, TESS_EARG, "option_given: `row` is \"%s\" of %s; an option is expected",
               row->name, op->name);
    void *field = (char *)opts + row->offset;
    if (row->type == TESS_ARG_SHAPE) return check_given_shape(op, row, field);
    if (!has_range(row->type) || takes_any(row)) return TESS_OK;
    const number set = read_field(row, field);
    TESS_TRY(check_number(op, row, set));
    if (row->flags & TESS_ARG_JOINT) leave_out_others(op, row, opts);
    if (as_double(row, set) != 0 || row->fallback == 0) return TESS_OK;
    write_field(row, field, row->type == TESS_ARG_F64 ? TESS_ZERO : TESS_ZERO_INT);
    return TESS_OK;
}

void tess_field_given(const tess_arg_info *field, void *structure)
{
    double value;
    memcpy(&value, (char *)structure + field->offset, sizeof value);
    if (field->fallback != 0) value = tess_given(value);
    memcpy((char *)structure + field->offset, &value, sizeof value);
}

/* ---- Samples ---- */

/* -1 if there are none. Where they make too large a number, some are left. */
static int64_t read_digits(const char **at)
{
    int64_t n = **at >= '0' && **at <= '9' ? 0 : -1;
    for (; **at >= '0' && **at <= '9' && n < INT32_MAX; ++*at) n = 10 * n + (**at - '0');
    return n;
}

/* A number, or a size of the standard shape with what it is divided by and what is added to it; -1 if it is neither. */
static int64_t read_size(const char **at, tess_shape standard)
{
    static const char letters[] = "bdhw";
    const char       *letter = **at ? strchr(letters, **at) : NULL;
    if (!letter) return read_digits(at);
    int64_t size = standard.dim[letter - letters];
    ++*at;
    while (**at == '/' || **at == '+') {
        const bool    is_sum = *(*at)++ == '+';
        const int64_t n = read_digits(at);
        if (n < (is_sum ? 0 : 1)) return -1;
        size = is_sum ? size + n : size / n;
    }
    return size;
}

/* Four sizes, if `at` has sizes, and a blank before a word; returns the word, NULL if they are not four sizes. */
static const char *read_sizes(tess_shape *shape, const char *at, tess_shape standard)
{
    if (!strchr(at, ',')) return at;
    for (int k = 0; k < 4; k++) {
        shape->dim[k] = read_size(&at, standard);
        const bool ends = k < 3 ? *at == ',' : !*at || *at == ' ';
        if (shape->dim[k] < 0 || !ends) return NULL;
        if (*at) at++;
    }
    return at;
}

tess_status tess_arg_sample(tess_shape *shape, tess_sample_kind *kind, const tess_arg_info *row, tess_shape standard)
{
    static const char *const words[] = { "", "complex", "integer", "index", "mask", "identity" };
    const char              *missing = !shape ? "shape" : !kind ? "kind" : !row ? "row" : NULL;
    TESS_CHECK(!missing, TESS_EARG, "arg_sample: `%s` is `NULL`", missing);
    *shape = standard;
    const char *word = read_sizes(shape, row->sample ? row->sample : "", standard);
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) != 0) continue;
        *kind = (tess_sample_kind)i;
        return TESS_OK;
    }
    TESS_FAIL(TESS_EARG, "arg_sample: the sample of `row` \"%s\" is \"%s\"; four sizes, a word, or both are expected",
              row->name, row->sample);
}
