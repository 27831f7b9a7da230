/* The context of the library's jobs, by the global options. */
#include "command/context.h"

#include <stdlib.h>

#include "command/spelling.h"

/* A stage begins with 0 and ends with its total; one that was not completed ends when the next one begins. */
static int32_t show_progress(void *user, const tess_progress *p)
{
    job *j = user;
    if (p->done == 0) {
        progress_end(j->bar);
        /* Without memory there is no line, and the work goes on. */
        if (progress_start(&j->bar, j, p->stage, p->total, p->bytes_each) != TESS_OK) tess_error_clear();
        j->shown = 0;
        return 0;
    }
    progress_add(j->bar, p->done - j->shown);
    j->shown = p->done;
    if (p->done == p->total) {
        progress_end(j->bar);
        j->bar = NULL;
    }
    return 0;
}

/* In the words of the command. */
static void show_warning(void *user, const char *text)
{
    char spelled[768];
    (void)text;
    spell_message(spelled, sizeof spelled, user, tess_warning_marked());
    job_warn(user, "%s", spelled);
}

/* TESS_SLAB in the environment is for tests: small slabs of small files. */
static int64_t slab_bytes(void)
{
    const char *text = getenv("TESS_SLAB");
    const long  bytes = text ? strtol(text, NULL, 10) : 0;
    return bytes > 0 ? bytes : 0;
}

tess_context job_context(job *j)
{
    return (tess_context){ .device = j->device,
                           .memory = j->memory,
                           .seed = (uint64_t)job_integer(j, "seed", 0),
                           .slab = slab_bytes(),
                           .progress = show_progress,
                           .warning = show_warning,
                           .user = j };
}

tess_status job_context_end(job *j, tess_status status)
{
    progress_end(j->bar);
    j->bar = NULL;
    return status;
}
