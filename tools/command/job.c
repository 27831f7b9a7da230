/* What a verb asks of its options. */
#include "command/job.h"

#include <math.h>
#include <string.h>

#include "command/options.h"
#include "command/slices.h"
#include "command/units.h"

/* The last that was given under this name, its alias or its letter. */
static const struct given *find(const job *j, const char *name)
{
    for (int i = j->n_given; i-- > 0;) {
        const option *o = j->given[i].option;
        if (option_is_named(o, name) || (o->letter && o->letter == name[0] && !name[1])) return &j->given[i];
    }
    return NULL;
}

bool job_has(const job *j, const char *name) { return find(j, name) != NULL; }

const char *job_text(const job *j, const char *name, const char *fallback)
{
    const struct given *g = find(j, name);
    return g ? g->value : fallback;
}

int64_t job_integer(const job *j, const char *name, int64_t fallback)
{
    int64_t             value;
    const struct given *g = find(j, name);
    return g && parse_integer(name, g->value, &value) == TESS_OK ? value : fallback;
}

double job_number(const job *j, const char *name, double fallback)
{
    quantity            q;
    const struct given *g = find(j, name);
    return g && parse_quantity(name, OPTION_NUMBER, g->value, &q) == TESS_OK ? q.value : fallback;
}

bool job_option(const job *j, int i, const char **name, const char **value)
{
    if (i < 0 || i >= j->n_given) return false;
    *name = j->given[i].option->name;
    *value = j->given[i].value;
    return true;
}

/* A quantity, if it was given. */
static tess_status find_quantity(const job *j, const char *name, option_type type, quantity *q, char called[48],
                                 bool *found)
{
    const struct given *g = find(j, name);
    *found = g != NULL;
    if (!g) return TESS_OK;
    return parse_quantity(option_called(g->option, called), type, g->value, q);
}

tess_status job_length(const job *j, const char *name, double pixel_size, double *pixels)
{
    char     called[48];
    bool     found;
    quantity q;
    TESS_TRY(find_quantity(j, name, OPTION_LENGTH, &q, called, &found));
    return found ? to_pixels(called, q, pixel_size, pixels) : TESS_OK;
}

tess_status job_cutoff(const job *j, const char *name, double pixel_size, int64_t n, double *cycles)
{
    char     called[48];
    bool     found;
    quantity q;
    TESS_TRY(find_quantity(j, name, OPTION_CUTOFF, &q, called, &found));
    return found ? to_cycles(called, OPTION_CUTOFF, q, pixel_size, n, cycles) : TESS_OK;
}

tess_status job_edge(const job *j, const char *name, int64_t n, double *cycles)
{
    char     called[48];
    bool     found;
    quantity q;
    TESS_TRY(find_quantity(j, name, OPTION_EDGE, &q, called, &found));
    return found ? to_cycles(called, OPTION_EDGE, q, 0, n, cycles) : TESS_OK;
}

tess_status job_angle(const job *j, const char *name, double *radians)
{
    char     called[48];
    bool     found;
    quantity q;
    TESS_TRY(find_quantity(j, name, OPTION_ANGLE, &q, called, &found));
    if (found) *radians = to_radians(q);
    return TESS_OK;
}

tess_status job_defocus(const job *j, const char *name, double *micrometres)
{
    char     called[48];
    bool     found;
    quantity q;
    TESS_TRY(find_quantity(j, name, OPTION_DEFOCUS, &q, called, &found));
    if (found) *micrometres = to_micrometres(q);
    return TESS_OK;
}

tess_status job_xyz(const job *j, const char *name, double xyz[3], int *n)
{
    char                called[48];
    const struct given *g = find(j, name);
    return g ? parse_xyz(option_called(g->option, called), g->value, xyz, n) : TESS_OK;
}

tess_status job_range(const job *j, const char *name, double two[2])
{
    double xyz[3];
    int    n = 0;
    TESS_TRY(job_xyz(j, name, xyz, &n));
    TESS_CHECK(n == 2 && xyz[0] < xyz[1], TESS_EARG, "%s: --%s is \"%s\"; two numbers, the smaller first, are needed",
               j->verb->name, name, job_text(j, name, ""));
    two[0] = xyz[0];
    two[1] = xyz[1];
    return TESS_OK;
}

tess_status job_lengths(const job *j, const char *name, const double pixel_size[3], int all, double xyz[3], int *n)
{
    char                called[48];
    quantity            q[3];
    const struct given *g = find(j, name);
    if (!g) return TESS_OK;
    TESS_TRY(parse_lengths(option_called(g->option, called), g->value, q, n));
    const bool is_one = *n == 1;
    for (; is_one && *n < all; ++*n) q[*n] = q[0];
    for (int i = 0; i < *n; i++) {
        TESS_TRY(to_pixels(called, q[i], pixel_size[2 - i], &xyz[i]));
        if (q[i].unit != UNIT_NONE && q[i].unit != UNIT_PIXEL) xyz[i] = rint(xyz[i]);
    }
    return TESS_OK;
}

tess_status job_slices(const job *j, const char *name, int64_t n, int64_t **chosen, int64_t *n_chosen)
{
    char                called[48];
    const struct given *g = find(j, name);
    if (!g) return TESS_OK;
    return slices_parse(option_called(g->option, called), g->value, n, job_has(j, "from-one"), chosen, n_chosen);
}
