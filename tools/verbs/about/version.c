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
    .summary = "print the version and how the library was built",
    .arguments = "",
    .text = "Prints the compiler, the libraries found at build time (zlib, bzip2, png and tiff for files), and the "
            "instruction sets that have kernels; `tessera devices` shows which of them can run here.",
    .examples = examples,
    .globals = GLOBAL_TABLE,
    .run = run,
};
