/* Options from their descriptions: defaults, ranges, and the zeroed tail. */
#include "core/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/check.h"

/* A field as a number; whole numbers of up to 53 bits are exact. */
static double read_field(const tess_arg_info *arg, const void *field)
{
    union {
        int32_t  i32;
        uint32_t u32;
        int64_t  i64;
        uint64_t u64;
        double   f64;
    } value;
    memcpy(&value, field, arg->size < sizeof value ? arg->size : sizeof value);
    switch (arg->type) {
    case TESS_ARG_F64: return value.f64;
    case TESS_ARG_I64: return (double)value.i64;
    case TESS_ARG_U64: return (double)value.u64;
    case TESS_ARG_U32: return value.u32;
    default: return value.i32;
    }
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

static tess_status resolve_field(const tess_op_info *info, const tess_arg_info *arg, void *field)
{
    if (arg->type == TESS_ARG_RESULT || arg->type == TESS_ARG_ARRAY) return TESS_OK;
    if (arg->type == TESS_ARG_F64 && isinf(arg->least) && isinf(arg->most)) return TESS_OK; /* any, also NaN */
    const double value = read_field(arg, field);
    if (value == 0) {
        write_field(arg, field, arg->fallback);
        return TESS_OK;
    }
    char text[3][32], choices[400];
    if (arg->choices)
        TESS_CHECK(is_choice(arg, value), TESS_EARG, "%s: opts->%s is %s; 0 (the default), %s are allowed", info->name,
                   arg->name, tess__number_text(text[0], value), choices_text(arg, choices, sizeof choices));
    TESS_CHECK(arg->type != TESS_ARG_FLAG || value == 1, TESS_ERANGE, "%s: opts->%s is %s; 0 or 1 is allowed",
               info->name, arg->name, tess__number_text(text[0], value));
    TESS_CHECK(value >= arg->least && value <= arg->most, TESS_ERANGE,
               "%s: opts->%s is %s; 0 (the default) or %s to %s is allowed", info->name, arg->name,
               tess__number_text(text[0], value), tess__number_text(text[1], arg->least),
               tess__number_text(text[2], arg->most));
    return TESS_OK;
}

void tess__take_defaults(const tess_op_info *info, void *resolved)
{
    memset(resolved, 0, info->opts_size);
    for (size_t i = info->n_args; i-- > 0 && info->args[i].role == TESS_ROLE_OPTION;) /* options are the last rows */
        if (info->args[i].fallback != 0)
            write_field(&info->args[i], (char *)resolved + info->args[i].offset, info->args[i].fallback);
}

tess_status tess__resolve_given(const tess_op_info *info, const void *opts, void *resolved)
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
