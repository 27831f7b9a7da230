/* Rows of jobs, beside those of core/table/table.h: fields of results, sources and sinks. */
#ifndef TESS_JOBS_RUN_TABLE_H
#define TESS_JOBS_RUN_TABLE_H

#include "core/table/table.h"
#include "tessera/jobs/table.h"

#define TESS__RESULT_FLAGGED_FIELD(result, field, c_type, type_, choices_, unit_, help_, flags_)                       \
    {                                                                                                                  \
        .name = #field, .help = (help_), .unit = (unit_), .choices = (choices_), .min = -DBL_MAX, .max = DBL_MAX,      \
        .offset = offsetof(result, field),                                                                             \
        .size = _Generic(((result *)0)->field, c_type                                                                  \
                         : sizeof(c_type)),                                                                            \
        .role = TESS_ROLE_RESULT, .type = (type_), .flags = (flags_)                                                   \
    }
#define TESS__RESULT_FIELD(result, field, c_type, type, choices, unit, help)                                           \
    TESS__RESULT_FLAGGED_FIELD(result, field, c_type, type, choices, unit, help, 0)
#define TESS__RESULT_ARRAY(result, field, unit, help)                                                                  \
    TESS__RESULT_FIELD(result, field, tess_array, TESS_ARG_ARRAY, NULL, unit, help)
/* Images {n,1,h,w}, however many there are. */
#define TESS__RESULT_IMAGES(result, field, unit, help)                                                                 \
    TESS__RESULT_FLAGGED_FIELD(result, field, tess_array, TESS_ARG_ARRAY, NULL, unit, help, TESS_ARG_IMAGES)
/* A volume {1,d,h,w}, which a sink may take in its place. */
#define TESS__RESULT_VOLUME(result, field, unit, help)                                                                 \
    TESS__RESULT_FLAGGED_FIELD(result, field, tess_array, TESS_ARG_ARRAY, NULL, unit, help, TESS_ARG_VOLUME)
#define TESS__RESULT_COLUMNS(result, field, columns, help)                                                             \
    TESS__RESULT_FIELD(result, field, tess_array, TESS_ARG_COLUMNS, columns, "", help)
#define TESS__RESULT_F64(result, field, unit, help)                                                                    \
    TESS__RESULT_FIELD(result, field, double, TESS_ARG_F64, NULL, unit, help)
#define TESS__RESULT_I64(result, field, unit, help)                                                                    \
    TESS__RESULT_FIELD(result, field, int64_t, TESS_ARG_I64, NULL, unit, help)
#define TESS__RESULT_FLAG(result, field, help) TESS__RESULT_FIELD(result, field, int32_t, TESS_ARG_FLAG, NULL, "", help)

#define TESS__SOURCE(name, help) TESS__ARG(TESS_ROLE_IN, TESS_ARG_SOURCE, name, help)
/* The same of a volume: sections of a file that may be images are one. */
#define TESS__SOURCE_VOLUME(name, help) TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_SOURCE, TESS_ARG_VOLUME, name, help)
#define TESS__SOURCE_OPTIONAL(name, help) TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_SOURCE, TESS_ARG_OPTIONAL, name, help)
#define TESS__OPT_SOURCE(opts, field, help)                                                                            \
    TESS__FIELD(opts, field, const tess_source *, TESS_ARG_SOURCE, 0, 0, 0, NULL, "", help)
/* The same of images: sections of a file that may be a volume are images. */
#define TESS__SOURCE_IMAGES(name, help) TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_SOURCE, TESS_ARG_IMAGES, name, help)
#define TESS__OPT_IMAGES(opts, field, help)                                                                            \
    TESS__FLAGGED_FIELD(opts, field, const tess_source *, TESS_ARG_SOURCE, 0, 0, 0, NULL, "", TESS_ARG_IMAGES, help)
/* A list of sources, ended by NULL. */
#define TESS__OPT_SOURCES(opts, field, help)                                                                           \
    TESS__FIELD(opts, field, const tess_source *const *, TESS_ARG_SOURCES, 0, 0, 0, NULL, "", help)
#define TESS__OPT_SINK(opts, field, help)                                                                              \
    TESS__FIELD(opts, field, const tess_sink *, TESS_ARG_SINK, 0, 0, 0, NULL, "", help)

/* How a job is run by its description; stands before it. Arguments are made of v[0], v[1] …, `opts` and `context`. */
#define TESS__JOB_RUN(name, ...)                                                                                       \
    static tess_status run_##name(void *result, const tess_value *v, const void *opts, const tess_context *context)    \
    {                                                                                                                  \
        return tess_##name(result, __VA_ARGS__, opts, context);                                                        \
    }                                                                                                                  \
    static void release_##name(void *result) { tess_##name##_result_release(result); }

/* The same of a job that has no arguments but options. */
#define TESS__JOB_RUN_ALONE(name)                                                                                      \
    static tess_status run_##name(void *result, const tess_value *v, const void *opts, const tess_context *context)    \
    {                                                                                                                  \
        (void)v;                                                                                                       \
        return tess_##name(result, opts, context);                                                                     \
    }                                                                                                                  \
    static void release_##name(void *result) { tess_##name##_result_release(result); }

#define TESS__JOB(name_, help_, args_, opts_, result_)                                                                 \
    {                                                                                                                  \
        .function = { .name = #name_,                                                                                  \
                      .module = "jobs/" #name_,                                                                        \
                      .help = (help_),                                                                                 \
                      .args = (args_),                                                                                 \
                      .n_args = sizeof(args_) / sizeof *(args_),                                                       \
                      .opts_size = TESS__OPTS_SIZE(opts_),                                                             \
                      .reserved_offset = offsetof(opts_, reserved) },                                                  \
        .result_size = sizeof(result_), .run = run_##name_, .release = release_##name_                                 \
    }

#endif
