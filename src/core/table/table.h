/* Argument descriptions: rows for each argument of an operation, and how an operation gets its options. */
#ifndef TESS_CORE_TABLE_TABLE_H
#define TESS_CORE_TABLE_TABLE_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "tessera/error.h"
#include "tessera/table.h"

/* The least value of an option that must be above 0. */
#define TESS__POSITIVE DBL_MIN

/* The sample of a spectrum in layout h. */
#define TESS__HALF_SPECTRUM "b,d,h,w/2+1 complex"

/* Rows for the parameters of the call itself. After the help may stand further fields, as .sample = "b,1,1,4"
 * or .axes = "B,1,1,4". */
#define TESS__ARG(role_, type_, name_, ...) TESS__FLAGGED(role_, type_, 0, name_, __VA_ARGS__)
#define TESS__FLAGGED(role_, type_, flags_, name_, ...)                                                                \
    {                                                                                                                  \
        .name = (name_), .unit = "", .min = -DBL_MAX, .max = DBL_MAX, .role = (role_), .type = (type_),                \
        .flags = (flags_), .help = __VA_ARGS__                                                                         \
    }
#define TESS__OUT(name, ...) TESS__ARG(TESS_ROLE_OUT, TESS_ARG_ARRAY, name, __VA_ARGS__)
#define TESS__OUT_OPTIONAL(name, ...) TESS__FLAGGED(TESS_ROLE_OUT, TESS_ARG_ARRAY, TESS_ARG_OPTIONAL, name, __VA_ARGS__)
#define TESS__OUT_ALLOCATED(name, ...) TESS__FLAGGED(TESS_ROLE_OUT, TESS_ARG_ARRAY, TESS_ARG_MADE, name, __VA_ARGS__)
#define TESS__OUT_KEPT(name, ...) TESS__FLAGGED(TESS_ROLE_OUT, TESS_ARG_ARRAY, TESS_ARG_KEPT, name, __VA_ARGS__)
#define TESS__IN(name, ...) TESS__ARG(TESS_ROLE_IN, TESS_ARG_ARRAY, name, __VA_ARGS__)
#define TESS__IN_OPTIONAL(name, ...) TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_OPTIONAL, name, __VA_ARGS__)
/* A row of numbers for each batch, or one for all. */
#define TESS__IN_ROWS(name, ...)                                                                                       \
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_PER_BATCH | TESS_ARG_ROWS, name, __VA_ARGS__)
/* A row of numbers for each item of a result, as the origin of each box: also a table {n,m} on the command line. */
#define TESS__IN_TABLE(name, ...) TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_ROWS, name, __VA_ARGS__)
#define TESS__IN_MANY(name, help) TESS__ARG(TESS_ROLE_IN, TESS_ARG_ARRAYS, name, help)
#define TESS__NEED(type, name, ...) TESS__ARG(TESS_ROLE_REQUIRED, type, name, __VA_ARGS__)
#define TESS__NEED_FREQUENCY(name_, ...)                                                                               \
    {                                                                                                                  \
        .name = (name_), .unit = "cycles per pixel", .min = 0, .max = DBL_MAX, .role = TESS_ROLE_REQUIRED,             \
        .type = TESS_ARG_F64, .help = __VA_ARGS__                                                                      \
    }
/* The shape of all batches together. */
#define TESS__NEED_SHAPE(name, ...)                                                                                    \
    TESS__FLAGGED(TESS_ROLE_REQUIRED, TESS_ARG_SHAPE, TESS_ARG_COUNTS_BATCH, name, __VA_ARGS__)
/* Numbers for each axis, which change nothing along an axis where they are `neutral`. */
#define TESS__NEED_SIZES(neutral_, name_, ...)                                                                         \
    {                                                                                                                  \
        .name = (name_), .unit = "", .min = -DBL_MAX, .max = DBL_MAX, .fallback = (neutral_),                          \
        .role = TESS_ROLE_REQUIRED, .type = TESS_ARG_SHAPE, .flags = TESS_ARG_PER_AXIS, .help = __VA_ARGS__            \
    }
/* The set of axes that a reduction is over; `several_`: TESS_ARG_SEVERAL, or 0. */
#define TESS__NEED_REDUCED(several_, help)                                                                             \
    TESS__FLAGGED(TESS_ROLE_REQUIRED, TESS_ARG_AXIS_SET, TESS_ARG_REDUCED | (several_), "axes", help)
/* A set of axes of which 0 is not all, but `zero`. */
#define TESS__NEED_AXES(zero_, name_, help_)                                                                           \
    {                                                                                                                  \
        .name = (name_), .help = (help_), .unit = "", .min = -DBL_MAX, .max = DBL_MAX, .fallback = (zero_),            \
        .role = TESS_ROLE_REQUIRED, .type = TESS_ARG_AXIS_SET                                                          \
    }

/* A pointer to a struct, which `fields_` describes: rows of TESS__STRUCT_F64, then { .name = NULL }. */
#define TESS__NEED_STRUCT(struct_, fields_, flags_, name_, help_)                                                      \
    {                                                                                                                  \
        .name = (name_), .help = (help_), .unit = "", .min = -DBL_MAX, .max = DBL_MAX, .size = sizeof(struct_),        \
        .role = TESS_ROLE_REQUIRED, .type = TESS_ARG_STRUCT, .flags = (flags_), .fields = (fields_)                    \
    }
#define TESS__STRUCT_F64(struct_, field, name_, unit_, fallback_, min_, max_, ...)                                     \
    {                                                                                                                  \
        .name = (name_), .unit = (unit_), .min = (min_), .max = (max_), .fallback = (fallback_),                       \
        .offset = offsetof(struct_, field), .size = sizeof(double), .role = TESS_ROLE_REQUIRED, .type = TESS_ARG_F64,  \
        .help = __VA_ARGS__                                                                                            \
    }

/* Rows for fields of an options struct. Naming a field of another type does not compile. */
#define TESS__FIELD(opts, field, c_type, type_, min_, max_, fallback_, choices_, unit_, ...)                           \
    TESS__FLAGGED_FIELD(opts, field, c_type, type_, min_, max_, fallback_, choices_, unit_, 0, __VA_ARGS__)
#define TESS__FLAGGED_FIELD(opts, field, c_type, type_, min_, max_, fallback_, choices_, unit_, flags_, ...)           \
    {                                                                                                                  \
        .name = #field, .unit = (unit_), .choices = (choices_), .min = (min_), .max = (max_),                          \
        .fallback = (fallback_), .offset = offsetof(opts, field),                                                      \
        .size = _Generic(((opts *)0)->field, c_type                                                                    \
                         : sizeof(c_type)),                                                                            \
        .role = TESS_ROLE_OPTION, .type = (type_),                                                                     \
        .flags = (flags_) | _Generic(((opts *)0)->field, tess_array *                                                  \
                                     : TESS_ARG_OPTIONAL | TESS_ARG_IS_ARRAY | TESS_ARG_WRITTEN, const tess_array *    \
                                     : TESS_ARG_OPTIONAL | TESS_ARG_IS_ARRAY, double *                                 \
                                     : TESS_ARG_OPTIONAL, default                                                      \
                                     : 0),                                                                             \
        .help = __VA_ARGS__ \
    }
#define TESS__FLAG(opts, field, help) TESS__FIELD(opts, field, int32_t, TESS_ARG_FLAG, 0, 1, 0, NULL, "", help)
#define TESS__JOINING_FLAG(opts, field, help)                                                                          \
    TESS__FLAGGED_FIELD(opts, field, int32_t, TESS_ARG_FLAG, 0, 1, 0, NULL, "", TESS_ARG_JOINS, help)
#define TESS__FIRST_BATCH(opts, field, help)                                                                           \
    TESS__FLAGGED_FIELD(opts, field, int64_t, TESS_ARG_I64, 0, 0x1p62, 0, NULL, "", TESS_ARG_FIRST, help)
#define TESS__OPT_I32(opts, field, unit, fallback, min, max, help)                                                     \
    TESS__FIELD(opts, field, int32_t, TESS_ARG_I32, min, max, fallback, NULL, unit, help)
#define TESS__OPT_I64(opts, field, unit, fallback, min, max, help)                                                     \
    TESS__FIELD(opts, field, int64_t, TESS_ARG_I64, min, max, fallback, NULL, unit, help)
#define TESS__OPT_U64(opts, field, unit, fallback, max, help)                                                          \
    TESS__FIELD(opts, field, uint64_t, TESS_ARG_U64, 0, max, fallback, NULL, unit, help)
#define TESS__OPT_U32(opts, field, unit, fallback, max, help)                                                          \
    TESS__FIELD(opts, field, uint32_t, TESS_ARG_U32, 0, max, fallback, NULL, unit, help)
#define TESS__OPT_F64(opts, field, unit, fallback, min, max, help)                                                     \
    TESS__FIELD(opts, field, double, TESS_ARG_F64, min, max, fallback, NULL, unit, help)
/* Options whose default the operation computes, as `how_` says. A resolved field that was left out is 0 if its range
 * begins above 0, and otherwise NaN, or -1 for an integer, whose range begins at 0. */
#define TESS__AUTO_FIELD(opts, field, c_type, type_, how_, min_, max_, unit_, help_, flags_)                           \
    {                                                                                                                  \
        .name = #field, .help = (help_), .unit = (unit_), .min = (min_), .max = (max_), .fallback = NAN,               \
        .computed = (how_), .offset = offsetof(opts, field),                                                           \
        .size = _Generic(((opts *)0)->field, c_type                                                                    \
                         : sizeof(c_type)),                                                                            \
        .role = TESS_ROLE_OPTION, .type = (type_), .flags = (flags_)                                                   \
    }
#define TESS__AUTO_I32(opts, field, unit, how, min, max, help)                                                         \
    TESS__AUTO_FIELD(opts, field, int32_t, TESS_ARG_I32, how, min, max, unit, help, 0)
#define TESS__AUTO_I64(opts, field, unit, how, min, max, help)                                                         \
    TESS__AUTO_FIELD(opts, field, int64_t, TESS_ARG_I64, how, min, max, unit, help, 0)
#define TESS__AUTO_F64(opts, field, unit, how, min, max, help)                                                         \
    TESS__AUTO_FIELD(opts, field, double, TESS_ARG_F64, how, min, max, unit, help, 0)
/* Options that belong together, as the ends of a range: where one of them is given, a 0 in another one is 0. */
#define TESS__JOINT_F64(opts, field, unit, how, min, max, help)                                                        \
    TESS__AUTO_FIELD(opts, field, double, TESS_ARG_F64, how, min, max, unit, help, TESS_ARG_JOINT)
#define TESS__JOINT_I32(opts, field, unit, fallback, min, max, help)                                                   \
    TESS__FLAGGED_FIELD(opts, field, int32_t, TESS_ARG_I32, min, max, fallback, NULL, unit, TESS_ARG_JOINT, help)
#define TESS__OPT_ARRAY(opts, field, c_type, ...)                                                                      \
    TESS__FIELD(opts, field, c_type, TESS_ARG_ARRAY, 0, 0, 0, NULL, "", __VA_ARGS__)
#define TESS__OPT_FLAGGED_ARRAY(opts, field, flags, ...)                                                               \
    TESS__FLAGGED_FIELD(opts, field, const tess_array *, TESS_ARG_ARRAY, 0, 0, 0, NULL, "", flags, __VA_ARGS__)
#define TESS__OPT_ROWS(opts, field, ...)                                                                               \
    TESS__OPT_FLAGGED_ARRAY(opts, field, TESS_ARG_PER_BATCH | TESS_ARG_ROWS, __VA_ARGS__)
#define TESS__OPT_CHOICE(opts, field, fallback, choices, help)                                                         \
    TESS__FIELD(opts, field, int32_t, TESS_ARG_CHOICE, 0, INT32_MAX, fallback, choices, "", help)
#define TESS__OPT_RESULT(opts, field, c_type, ...)                                                                     \
    TESS__FIELD(opts, field, c_type, TESS_ARG_RESULT, 0, 0, 0, NULL, "", __VA_ARGS__)
/* The same for each part, where work is cut along b. */
#define TESS__OPT_RESULT_OF_ALL(opts, field, ...)                                                                      \
    TESS__FLAGGED_FIELD(opts, field, tess_array *, TESS_ARG_RESULT, 0, 0, 0, NULL, "", TESS_ARG_OF_ALL, __VA_ARGS__)

#define TESS__OPT_TEXT(opts, field, help) TESS__FIELD(opts, field, const char *, TESS_ARG_TEXT, 0, 0, 0, NULL, "", help)
#define TESS__OPT_SHAPE(opts, field, help)                                                                             \
    TESS__FIELD(opts, field, tess_shape, TESS_ARG_SHAPE, 0, DBL_MAX, 0, NULL, "", help)
#define TESS__AUTO_SHAPE(opts, field, how, help)                                                                       \
    TESS__AUTO_FIELD(opts, field, tess_shape, TESS_ARG_SHAPE, how, 0, DBL_MAX, "", help, 0)
#define TESS__OPT_DTYPE(opts, field, help)                                                                             \
    TESS__FIELD(opts, field, int32_t, TESS_ARG_DTYPE, 0, INT32_MAX, 0, NULL, "", help)

#define TESS__INFO(name_, module_, help_, args_)                                                                       \
    {                                                                                                                  \
        .name = (name_), .module = (module_), .help = (help_), .args = (args_),                                        \
        .n_args = sizeof(args_) / sizeof *(args_)                                                                      \
    }

/* The size of options. `reserved` reaches to their end: there is no padding after it that a compiler may not zero. */
#define TESS__OPTS_SIZE(opts_)                                                                                         \
    (sizeof(opts_) + 0 * sizeof(struct {                                                                               \
                         char some;                                                                                    \
                         _Static_assert(offsetof(opts_, reserved) + sizeof(((opts_ *)0)->reserved) == sizeof(opts_),   \
                                        "reserved of " #opts_ " ends before the struct does");                         \
                     }))
#define TESS__INFO_OPTS(name_, module_, help_, args_, opts_)                                                           \
    {                                                                                                                  \
        .name = (name_), .module = (module_), .help = (help_), .args = (args_),                                        \
        .n_args = sizeof(args_) / sizeof *(args_), .opts_size = TESS__OPTS_SIZE(opts_),                                \
        .reserved_offset = offsetof(opts_, reserved)                                                                   \
    }

/* How an operation is called by its description; stands before it. The arguments are made of v[0], v[1] …, and opts. */
#define TESS__CALL(name, ...)                                                                                          \
    static tess_status call_##name(const tess_value *v, const void *opts)                                              \
    {                                                                                                                  \
        (void)opts;                                                                                                    \
        return tess_##name(__VA_ARGS__);                                                                               \
    }

/* The same for an operation that can be called so. At the end may stand further fields, as .work_bytes = 48. */
#define TESS__OP(cut_, name_, module_, help_, ...) TESS__OP_OF(cut_, name_, module_, help_, __VA_ARGS__, )
#define TESS__OP_OF(cut_, name_, module_, help_, args_, ...)                                                           \
    {                                                                                                                  \
        .name = #name_, .module = (module_), .help = (help_), .args = (args_),                                         \
        .n_args = sizeof(args_) / sizeof *(args_), .cut = (cut_), .call = call_##name_, __VA_ARGS__                    \
    }
#define TESS__OP_OPTS(cut_, name_, module_, help_, args_, ...)                                                         \
    TESS__OP_OPTS_OF(cut_, name_, module_, help_, args_, __VA_ARGS__, )
#define TESS__OP_OPTS_OF(cut_, name_, module_, help_, args_, opts_, ...)                                               \
    {                                                                                                                  \
        .name = #name_, .module = (module_), .help = (help_), .args = (args_),                                         \
        .n_args = sizeof(args_) / sizeof *(args_), .opts_size = TESS__OPTS_SIZE(opts_),                                \
        .reserved_offset = offsetof(opts_, reserved), .cut = (cut_), .call = call_##name_, __VA_ARGS__                 \
    }

/* Fill `resolved`, a struct of the operation's options type: the caller's values, and the rows' defaults where they are
 * 0 or `opts` is NULL. TESS_ZERO and TESS_ZERO_INT become 0: fields of `resolved` that are passed on as options of
 * another operation go through tess_given. Values out of range and a `reserved` that is not 0 are errors. */
void        tess__take_defaults(const tess_function_info *info, void *resolved);
tess_status tess__resolve_scalars(const tess_function_info *info, const void *opts, void *resolved);

static inline tess_status tess__resolve(const tess_function_info *info, const void *opts, void *resolved)
{
    if (opts) return tess__resolve_scalars(info, opts, resolved);
    tess__take_defaults(info, resolved);
    return TESS_OK;
}

#endif
