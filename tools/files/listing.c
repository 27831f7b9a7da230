/* The images that a STAR file lists, opened for a verb. */
#include "files/listing.h"

#include <stdlib.h>

#include "files/open_file.h"
#include "files/outputs/output_names.h"

typedef struct opening {
    job    *job;
    listed *list;
    bool    any; /* a file was opened before */
} opening;

static tess_status look_at_file(void *user, const char *path, const tess_file *file)
{
    opening              *o = user;
    const tess_info_file *info = tess_file_info(file);
    TESS_TRY(output_names_check_input(o->job, path));
    tell_warnings(o->job, path, info);
    if (!o->any) o->list->info = *info;
    o->any = true;
    return TESS_OK;
}

static tess_status fill(listed *list, job *j, const char *path, const tess_read_opts *opts)
{
    opening                     o = { .job = j, .list = list };
    const tess_source_list_opts how = {
        .root = job_text(j, "root", NULL), .read = opts, .opened = look_at_file, .user = &o
    };
    TESS_TRY(tess_source_star(&list->source, path, &how));
    tess_info_file *info = &list->info;
    info->shape = list->source.shape;
    info->dtype = list->source.dtype;
    info->meta = *list->source.meta;
    info->sections = TESS_AS_STACK;
    info->sections_rule = 0;
    info->n_warnings = info->more_warnings = 0;
    return TESS_OK;
}

tess_status listing_open(listed **list, job *j, const char *path, const tess_read_opts *opts)
{
    *list = calloc(1, sizeof **list);
    TESS_CHECK(*list, TESS_ENOMEM, "%s: no memory", path);
    return fill(*list, j, path, opts);
}

void listing_close(listed *list)
{
    if (!list) return;
    tess_source_close(&list->source);
    free(list);
}
