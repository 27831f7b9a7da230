/* tessera formats: the file formats that are read and written. */
#include <string.h>

#include "command/job.h"

/* The formats, as choices of what reads them. */
static const tess_choice *readable_formats(void)
{
    const tess_function_info *op = tess_function_find("read");
    for (size_t i = 0; op && i < op->n_args; i++)
        if (strcmp(op->args[i].name, "format") == 0) return op->args[i].choices;
    return NULL;
}

static void add_compression(table *t, tess_file_format format)
{
    const bool gzip = tess_file_format_supported(format, TESS_COMPRESSION_GZIP);
    const bool bzip2 = tess_file_format_supported(format, TESS_COMPRESSION_BZIP2);
    table_text(t, "compressed", gzip && bzip2 ? "gz bz2" : gzip ? "gz" : bzip2 ? "bz2" : "-");
}

static tess_status run(job *j)
{
    table *t = table_new(j, stdout);
    for (const tess_choice *c = readable_formats(); c && c->name; c++) {
        const tess_file_format format = (tess_file_format)c->value;
        const bool             built_in = tess_file_format_supported(format, TESS_COMPRESSION_DEFAULT);
        table_text(t, "format", c->name);
        table_text(t, "read", built_in ? "yes" : "no");
        table_text(t, "written", built_in && tess_file_format_writes(format) ? "yes" : "no");
        add_compression(t, format);
        table_text(t, "extensions", tess_file_format_extensions(format));
        table_text(t, "contents", c->help);
        table_row(t);
    }
    table_end(t);
    return TESS_OK;
}

static const char *const examples[] = { "tessera formats", "tessera formats --json", NULL };

const verb verb_formats = {
    .name = "formats",
    .subject = "about the command",
    .summary = "list the file formats that can be read and written",
    .arguments = "",
    .text = "A file is read by its contents, whatever its name. A file is written in the format of its extension, or "
            "of a word after a colon: out.dat:mrc. \"compressed\" lists what may follow the extension. A format is "
            "neither read nor written if the library was built without what it needs, or cannot find it.",
    .examples = examples,
    .globals = GLOBAL_TABLE,
    .run = run,
};
