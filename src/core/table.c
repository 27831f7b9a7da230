/* Option parsing by descriptions: defaults, ranges, and the zeroed reserved fields. */
#include "core/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

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

/* Defaults are numbers that every type holds. */
static void write_field(const tess_arg_info *arg, void *field, double value)
{
    if (arg->type == TESS_ARG_F64) {
        memcpy(field, &value, sizeof value);
        return;
    }
    const int64_t i64 = (int64_t)value;
    const int32_t i32 = (int32_t)i64;
    if (arg->size == sizeof i64) memcpy(field, &i64, sizeof i64);
    else memcpy(field, &i32, sizeof i32);
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
    for (const tess_choice *c = arg->choices; c->name && used < size; c++) {
        int n = snprintf(text + used, size - used, "%s%" PRId32 " (%s)", used ? ", " : "", c->value, c->name);
        if (n > 0) used += (size_t)n;
    }
    return text;
}

/* Of an option: what has a range and a default. */
static bool is_number(tess_arg_type type)
{
    return type != TESS_ARG_RESULT && type != TESS_ARG_ARRAY && type != TESS_ARG_SHAPE && type != TESS_ARG_TEXT &&
           type != TESS_ARG_META;
}

/* 2^62, not 4.611686018427388e+18. */
static const char *limit_text(double limit, char *text)
{
    int exponent;
    if (fabs(limit) < 0x1p53 || fabs(frexp(limit, &exponent)) != 0.5) return tess__number_text(text, limit);
    (void)snprintf(text, 32, "%s2^%d", limit < 0 ? "-" : "", exponent - 1);
    return text;
}

/* Of a number that is not 0, which is always allowed. */
static const char *range_text(const tess_arg_info *arg, char *text, size_t size)
{
    const bool has_min = arg->min > -DBL_MAX, has_max = arg->max < DBL_MAX;
    const bool has_zero = arg->min <= 0 && arg->max >= 0;
    char       min[32], max[32];
    (void)limit_text(arg->min, min);
    (void)limit_text(arg->max, max);
    if (has_min) (void)snprintf(text, size, "%s%s to %s is", has_zero ? "" : "0 (the default) or ", min, max);
    else if (has_max) (void)snprintf(text, size, "%s or less is", max);
    else (void)snprintf(text, size, "any finite number is");
    return text;
}

static tess_status resolve_field(const tess_function_info *info, const tess_arg_info *arg, void *field)
{
    if (!is_number(arg->type)) return TESS_OK;
    if (arg->type == TESS_ARG_F64 && isinf(arg->min) && isinf(arg->max)) return TESS_OK; /* any, also NaN */
    const number set = read_field(arg, field);
    const double value = as_double(arg, set);
    if (value == 0) {
        write_field(arg, field, arg->fallback);
        return TESS_OK;
    }
    char text[32], range[96], choices[400];
    if (arg->choices)
        TESS_CHECK(is_choice(arg, value), TESS_EARG, "%s: opts->%s is %s; 0 (the default), %s are allowed", info->name,
                   arg->name, tess__number_text(text, value), choices_text(arg, choices, sizeof choices));
    TESS_CHECK(arg->type != TESS_ARG_FLAG || value == 1, TESS_ERANGE, "%s: opts->%s is %s; 0 or 1 is allowed",
               info->name, arg->name, tess__number_text(text, value));
    TESS_CHECK(arg->min != 0 || arg->max != 0, TESS_ERANGE, "%s: opts->%s is %s; it must be 0", info->name, arg->name,
               number_text(arg, set, text));
    TESS_CHECK(is_in_range(arg, set), TESS_ERANGE, "%s: opts->%s is %s; %s allowed", info->name, arg->name,
               number_text(arg, set, text), range_text(arg, range, sizeof range));
    return TESS_OK;
}

void tess__take_defaults(const tess_function_info *info, void *resolved)
{
    memset(resolved, 0, info->opts_size);
    for (size_t i = info->n_args; i-- > 0 && info->args[i].role == TESS_ROLE_OPTION;) /* options are the last rows */
        if (info->args[i].fallback != 0)
            write_field(&info->args[i], (char *)resolved + info->args[i].offset, info->args[i].fallback);
}

tess_status tess__resolve_scalars(const tess_function_info *info, const void *opts, void *resolved)
{
    memcpy(resolved, opts, info->opts_size);
    const unsigned char *bytes = resolved;
    for (size_t i = info->reserved_offset; i < info->opts_size; i++)
        TESS_CHECK(bytes[i] == 0, TESS_EARG,
                   "%s: opts->reserved is not 0; zero the options before setting fields (or a newer header was used "
                   "than the library knows)",
                   info->name);
    for (size_t i = 0; i < info->n_args; i++)
        if (info->args[i].role == TESS_ROLE_OPTION)
            TESS_TRY(resolve_field(info, &info->args[i], (char *)resolved + info->args[i].offset));
    return TESS_OK;
}
