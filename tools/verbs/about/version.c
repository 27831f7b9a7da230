/* tessera version: which library this is. */
#include "command/job.h"

static tess_status run(job *j)
{
    table *t = table_new(j, stdout);
    table_text(t, "version", tess_version());
    table_text(t, "compiler", TESS_COMPILER);
    table_text(t, "with", TESS_BUILT_IN[0] ? TESS_BUILT_IN : "nothing else");
    table_text(t, "instructions", TESS_BUILT_ISAS);
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
    .text = "The compiler, the other libraries that were there when it was built (zlib, bzip2, png and tiff for "
            "files), and the instruction sets that there are kernels for; `tessera devices` says which of them run.",
    .examples = examples,
    .globals = GLOBAL_TABLE,
    .run = run,
};
