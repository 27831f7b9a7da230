/* The options of a verb that runs a job of the library: the rows of the job, which have units. */
#include "command/job_rows.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/options.h"
#include "command/rows.h"

#define ANGSTROM "\xc3\x85"

/* --apix gives the pixel size, -o the file of a sink, and --dtype the numbers in it. */
bool is_job_option(const tess_arg_info *row)
{
    return row->role == TESS_ROLE_OPTION && row->type != TESS_ARG_SINK && row->type != TESS_ARG_DTYPE &&
           strcmp(row->name, "pixel_size") != 0;
}

/* By the unit of a number: lengths, resolutions and angles may have units of their own on the command line. */
static void take_unit(option *o, const tess_arg_info *row)
{
    static const struct {
        const char *unit, *value;
        option_type type;
    } units[] = {
        { "pixels", "LENGTH", OPTION_LENGTH },        { ANGSTROM, "RES", OPTION_CUTOFF },
        { "cycles per pixel", "WIDTH", OPTION_EDGE }, { "radians", "ANGLE", OPTION_ANGLE },
        { "\xc2\xb5m", "DEFOCUS", OPTION_DEFOCUS },
    };
    for (size_t i = 0; row->type == TESS_ARG_F64 && i < sizeof units / sizeof *units; i++)
        if (strcmp(row->unit, units[i].unit) == 0) o->type = units[i].type, o->value = units[i].value;
    if (row->type == TESS_ARG_SHAPE) o->type = OPTION_XYZ, o->value = "X,Y";
}

/* Rows whose options have another name on the command line, or two. */
static void name_option(option *o, const tess_arg_info *row)
{
    static const struct {
        const char *row, *name, *alias;
    } names[] = { { "sym", "sym", "group" }, { "global_iterations", "global", "global-iterations" } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].row, row->name) == 0) o->name = names[i].name, o->alias = names[i].alias;
}

/* Bare numbers of angles are degrees on the command line; help has four digits of their range and default. */
tess_arg_info row_in_degrees(const tess_arg_info *row)
{
    tess_arg_info shown = *row;
    double *const numbers[] = { &shown.min, &shown.max, &shown.fallback };
    if (row->type != TESS_ARG_F64 || strcmp(row->unit, "radians") != 0) return shown;
    shown.unit = "degrees";
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[32];
        if (!(fabs(*numbers[i]) > DBL_MIN && fabs(*numbers[i]) < DBL_MAX)) continue;
        (void)snprintf(text, sizeof text, "%.4g", *numbers[i] * 180 / TESS_PI);
        *numbers[i] = strtod(text, NULL);
    }
    return shown;
}

/* Options of a job, but for those that a verb fills itself, made once. */
static struct kept {
    const tess_job_info *info;
    const char          *fills;
    option              *options;
    struct kept         *next;
} * kept;

static option *make_options(const tess_job_info *info, const char *fills)
{
    const tess_function_info *f = &info->function;
    option                   *options = calloc(f->n_args + 1, sizeof *options);
    int                       n = 0;
    for (size_t i = 0; options && i < f->n_args; i++) {
        if (!is_job_option(&f->args[i]) || lists_name(fills, f->args[i].name)) continue;
        const tess_arg_info shown = row_in_degrees(&f->args[i]);
        if (!option_of_row(&options[n], &shown)) return NULL;
        name_option(&options[n], &f->args[i]);
        take_unit(&options[n++], &f->args[i]);
    }
    return options;
}

/* Without memory there are none. */
const option *job_row_options(const tess_job_info *info, const char *fills)
{
    static const option none[1];
    for (const struct kept *k = kept; k; k = k->next)
        if (k->info == info && k->fills == fills) return k->options;
    struct kept *k = calloc(1, sizeof *k);
    option      *made = k ? make_options(info, fills) : NULL;
    if (!made) return free(k), none;
    *k = (struct kept){ info, fills, made, kept };
    kept = k;
    return made;
}
