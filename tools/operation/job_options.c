/* Values of the options of jobs: quantities with units as what the rows take. */
#include "operation/job_options.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/job_rows.h"
#include "command/options.h"
#include "command/units.h"

#define ANGSTROM "\xc3\x85"

/* A frequency in cycles per pixel as the resolution in Å that gives it again, bit for bit where that exists. */
static double resolution_of(double cycles, double pixel_size)
{
    double angstrom = pixel_size / cycles;
    for (int i = 0; i < 2 && pixel_size / angstrom != cycles; i++)
        angstrom = nextafter(angstrom, pixel_size / angstrom > cycles ? INFINITY : 0);
    return angstrom;
}

/* The option of a row as it is typed: "--cone-angle". */
static const char *called_option(char text[64], const char *name)
{
    (void)snprintf(text, 64, "--%s", name);
    for (char *c = text; *c; c++)
        if (*c == '_') *c = '-';
    return text;
}

/* Its range is told in degrees. */
static tess_status angle_of(const job *j, const tess_arg_info *row, double *radians)
{
    const tess_arg_info shown = row_in_degrees(row);
    const bool          is_positive = row->min == DBL_MIN;
    char                called[64];
    TESS_TRY(job_angle(j, row->name, radians));
    TESS_CHECK(*radians >= row->min && *radians <= row->max, TESS_EARG, "%s: %s is %g degrees; %s%g to %g are allowed",
               j->verb->name, called_option(called, row->name), *radians * 180 / TESS_PI, is_positive ? "above " : "",
               is_positive ? 0 : shown.min, shown.max);
    return TESS_OK;
}

/* A resolution in Å: as it was given, or by the pixel size and the smallest side where it has another unit. */
static tess_status take_resolution(const job *j, const char *name, job_scale scale, double *angstrom)
{
    char     called[64];
    quantity q;
    double   cycles;
    TESS_TRY(parse_quantity(called_option(called, name), OPTION_CUTOFF, job_text(j, name, ""), &q));
    *angstrom = q.value;
    if (q.unit == UNIT_NONE || q.unit == UNIT_ANGSTROM) return TESS_OK;
    TESS_TRY(job_cutoff(j, name, scale.pixel_size, scale.side, &cycles));
    *angstrom = resolution_of(cycles, scale.pixel_size);
    return TESS_OK;
}

static tess_status number_of(const job *j, const tess_arg_info *row, job_scale scale, double *value)
{
    if (strcmp(row->unit, "pixels") == 0) return job_length(j, row->name, scale.pixel_size, value);
    if (strcmp(row->unit, "cycles per pixel") == 0) return job_edge(j, row->name, scale.side, value);
    if (strcmp(row->unit, "radians") == 0) return angle_of(j, row, value);
    if (strcmp(row->unit, "\xc2\xb5m") == 0) return job_defocus(j, row->name, value);
    if (strcmp(row->unit, ANGSTROM) == 0) return take_resolution(j, row->name, scale, value);
    *value = job_number(j, row->name, 0);
    return TESS_OK;
}

/* Numbers along x, y and z; one is for both sides of an image. */
static tess_status shape_of(const job *j, const tess_arg_info *row, tess_shape *shape)
{
    double xyz[3] = { 1, 1, 1 };
    int    n = 0;
    TESS_TRY(job_xyz(j, row->name, xyz, &n));
    if (n == 1) xyz[1] = xyz[0];
    for (int k = 0; k < 3; k++)
        TESS_CHECK(xyz[k] >= 1 && xyz[k] <= INT32_MAX && xyz[k] == floor(xyz[k]), TESS_EARG,
                   "%s: --%s is %s; integers x,y of 1 or more are expected", j->verb->name, row->name,
                   job_text(j, row->name, ""));
    *shape = TESS_SHAPE(1, (int64_t)xyz[2], (int64_t)xyz[1], (int64_t)xyz[0]);
    return TESS_OK;
}

/* In what the user wrote, where the row's unit is another one. */
static tess_status check_typed(const job *j, const tess_arg_info *row, double value)
{
    char       called[64];
    const bool is_bounded = row->unit[0] && row->min > -DBL_MAX && row->min != DBL_MIN && row->max < DBL_MAX;
    TESS_CHECK(!is_bounded || (value >= row->min && value <= row->max), TESS_ERANGE,
               "%s: %s is %s; %g to %g %s are allowed", j->verb->name, called_option(called, row->name),
               job_text(j, row->name, ""), row->min, row->max, row->unit);
    return TESS_OK;
}

static tess_status choice_of(const job *j, const tess_arg_info *row, int32_t *value)
{
    const char *word = job_text(j, row->name, "");
    for (const tess_choice *c = row->choices; c->name; c++)
        if (strcmp(c->name, word) == 0) return *value = c->value, TESS_OK;
    char called[64];
    TESS_FAIL(TESS_EARG, "%s: %s is \"%s\"", j->verb->name, called_option(called, row->name), word);
}

static tess_status write_value(const job *j, const tess_arg_info *row, job_scale scale, void *field)
{
    double     f64 = 0;
    int64_t    i64;
    int32_t    i32 = 0;
    tess_shape shape;
    char       called[64];
    switch (row->type) {
    case TESS_ARG_F64:
        TESS_TRY(number_of(j, row, scale, &f64));
        TESS_TRY(check_typed(j, row, f64));
        memcpy(field, &f64, sizeof f64);
        return TESS_OK;
    case TESS_ARG_I64:
    case TESS_ARG_U64:
        i64 = job_integer(j, row->name, 0);
        memcpy(field, &i64, sizeof i64);
        return TESS_OK;
    case TESS_ARG_TEXT:
    case TESS_ARG_PATH: {
        const char *text = job_text(j, row->name, "");
        memcpy(field, &text, sizeof text);
        return TESS_OK;
    }
    case TESS_ARG_SHAPE:
        TESS_TRY(shape_of(j, row, &shape));
        memcpy(field, &shape, sizeof shape);
        return TESS_OK;
    case TESS_ARG_CHOICE: TESS_TRY(choice_of(j, row, &i32)); break;
    case TESS_ARG_FLAG: i32 = 1; break;
    default:
        i64 = job_integer(j, row->name, 0);
        TESS_CHECK(i64 > INT32_MIN && i64 <= INT32_MAX, TESS_ERANGE, "%s: %s is %s; %.0f to %.0f are allowed",
                   j->verb->name, called_option(called, row->name), job_text(j, row->name, ""),
                   fmax(row->min, -INT32_MAX), fmin(row->max, INT32_MAX));
        i32 = (int32_t)i64;
        break;
    }
    memcpy(field, &i32, sizeof i32);
    return TESS_OK;
}

tess_status job_fill_options(const job *j, const tess_job_info *info, job_scale scale, void *opts)
{
    const tess_function_info *f = &info->function;
    for (size_t i = 0; i < f->n_args; i++) {
        const tess_arg_info *row = &f->args[i];
        const bool           is_others = row->type == TESS_ARG_SOURCE || lists_name(j->verb->fills, row->name);
        if (!is_job_option(row) || is_others || !job_has(j, row->name)) continue;
        TESS_TRY(write_value(j, row, scale, (char *)opts + row->offset));
        TESS_TRY(tess_option_given(f, row, opts));
    }
    return TESS_OK;
}
