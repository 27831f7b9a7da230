/* tessera version: which library this is. */
#include "job.h"

static tess_status run(job *j)
{
    table *t = table_new(j, stdout);
    table_text(t, "version", tess_version());
    table_text(t, "compiler", __VERSION__);
    table_row(t);
    table_end(t);
    return TESS_OK;
}

static const char *const examples[] = { "tessera version", "tessera version --json", NULL };

const verb verb_version = {
    .name = "version",
    .subject = "about the command",
    .summary = "version of the library, and how it was built",
    .arguments = "",
    .examples = examples,
    .globals = GLOBAL_TABLE,
    .run = run,
};
