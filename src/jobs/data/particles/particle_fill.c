/* Arguments of a job that particles have, by the names of its rows. */
#include <string.h>

#include "tessera/jobs/particles.h"

/* Tables that jobs may take. */
static const struct table {
    const char *name;
    int32_t     kind;
    size_t      offset; /* in tess_particles */
    const char *label;  /* a column that a file of them has */
} tables[] = {
    { "rotations", TESS_PARTICLES_POSES, offsetof(tess_particles, rotations), "_rlnAngleRot" },
    { "shifts", TESS_PARTICLES_POSES, offsetof(tess_particles, shifts), "_rlnAngleRot" },
    { "ctfs", TESS_PARTICLES_CTFS, offsetof(tess_particles, ctfs), "_rlnDefocusU" },
    { "halves", TESS_PARTICLES_HALVES, offsetof(tess_particles, halves), "_rlnRandomSubset" },
};

static const struct table *table_of(const tess_arg_info *row)
{
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        if (row->type == TESS_ARG_ARRAY && strcmp(row->name, tables[k].name) == 0) return &tables[k];
    return NULL;
}

/* What a caller gave for a row that is a table, and where it stands. */
typedef struct slot {
    const struct table *table; /* NULL: the row is none of these tables */
    const tess_array   *given;
    int64_t             value; /* index of a value; -1: an option */
} slot;

/* `value` counts the rows that are no options so far. */
static slot slot_of(const tess_arg_info *row, const tess_value *values, const void *opts, int64_t *value)
{
    slot at = { .value = -1 };
    if (row->role == TESS_ROLE_RESULT) return at;
    if (row->role != TESS_ROLE_OPTION) at.value = (*value)++;
    if (row->role == TESS_ROLE_IN || row->role == TESS_ROLE_OPTION) at.table = table_of(row);
    if (!at.table) return at;
    if (at.value >= 0) at.given = values[at.value].in;
    else if (opts) memcpy(&at.given, (const char *)opts + row->offset, sizeof at.given);
    return at;
}

/* The value of the first source; -1: the job has none. */
static int64_t first_source(const tess_job_info *job)
{
    int64_t value = 0;
    for (size_t i = 0; i < job->function.n_args; i++) {
        const tess_arg_info *row = &job->function.args[i];
        if (row->role == TESS_ROLE_RESULT || row->role == TESS_ROLE_OPTION) continue;
        if (row->type == TESS_ARG_SOURCE) return value;
        value++;
    }
    return -1;
}

int32_t tess_particles_wanted(const tess_job_info *job, const tess_value *values, const void *opts)
{
    int32_t wanted = 0;
    int64_t value = 0;
    bool    takes_any = false;
    if (!job || !values) return 0;
    for (size_t i = 0; i < job->function.n_args; i++) {
        const slot at = slot_of(&job->function.args[i], values, opts, &value);
        takes_any = takes_any || at.table;
        if (at.table && !at.given) wanted |= at.table->kind;
    }
    const int64_t source = first_source(job);
    if (takes_any && source >= 0 && !values[source].source) wanted |= TESS_PARTICLES_IMAGES;
    return wanted;
}

tess_status tess_particles_fill(const tess_particles *particles, const tess_job_info *job, tess_value *values,
                                void *opts)
{
    static const char fn[] = "particles_fill";
    int64_t           value = 0;
    TESS_CHECK(particles && job && values && opts, TESS_EARG, "%s: `%s` is `NULL`", fn,
               !particles ? "particles"
               : !job     ? "job"
               : !values  ? "values"
                          : "opts");
    const char   *name = particles->name ? particles->name : "the particles";
    const int64_t source = first_source(job);
    if (source >= 0 && !values[source].source && particles->images.read) values[source].source = &particles->images;
    for (size_t i = 0; i < job->function.n_args; i++) {
        const tess_arg_info *row = &job->function.args[i];
        const slot           at = slot_of(row, values, opts, &value);
        if (!at.table || at.given) continue;
        const tess_array *found = (const tess_array *)(const void *)((const char *)particles + at.table->offset);
        if (!found->data) found = NULL;
        TESS_CHECK(found || at.value < 0, TESS_EARG, "%s: `%s` is not given, and %s has no column %s",
                   job->function.name, row->name, name, at.table->label);
        if (at.value >= 0) values[at.value].in = found;
        else memcpy((char *)opts + row->offset, &found, sizeof found);
    }
    return TESS_OK;
}

/* The pixel size that the caller gave the job, or that of its images; 0: that of the file. */
static double pixel_size_of(const tess_job_info *job, const tess_value *values, const void *opts)
{
    const int64_t source = first_source(job);
    double        size = 0;
    for (size_t i = 0; i < job->function.n_args; i++) {
        const tess_arg_info *row = &job->function.args[i];
        if (row->role == TESS_ROLE_OPTION && row->type == TESS_ARG_F64 && strcmp(row->name, "pixel_size") == 0)
            memcpy(&size, (const char *)opts + row->offset, sizeof size);
    }
    if (size > 0 || source < 0 || !values[source].source || !values[source].source->meta) return size;
    return values[source].source->meta->pixel_size[2];
}

tess_status tess_particles_open_for_job(tess_particles *particles, const char *path, const tess_job_info *job,
                                        tess_value *values, void *opts, const tess_context *context)
{
    static const char fn[] = "particles_open_for_job";
    TESS_CHECK(job && values && opts, TESS_EARG, "%s: `%s` is `NULL`", fn, !job ? "job" : !values ? "values" : "opts");
    const tess_particles_opts o = { .what = tess_particles_wanted(job, values, opts),
                                    .pixel_size = pixel_size_of(job, values, opts) };
    if (o.what == 0) return TESS_OK;
    TESS_TRY(tess_particles_open(particles, path, &o, context));
    const tess_status status = tess_particles_fill(particles, job, values, opts);
    if (status != TESS_OK) tess_particles_release(particles);
    return status;
}
