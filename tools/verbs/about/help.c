/* tessera help: the verbs by subject, or all about one; as text, or as manual pages. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "command/job.h"
#include "main/find.h"
#include "main/help.h"
#include "main/man.h"

static tess_status write_page(const char *folder, const verb *v)
{
    char      path[1024];
    const int n = snprintf(path, sizeof path, "%s/", folder);
    (void)snprintf(path + n, sizeof path - (size_t)n, "tessera%s%s.1", v ? "-" : "", v ? v->name : "");
    for (char *c = path + n; *c; c++) *c = *c == ' ' ? '-' : *c;
    FILE *file = fopen(path, "w");
    TESS_CHECK(file, TESS_EIO, "help: %s: %s", path, strerror(errno));
    if (v) man_verb(file, v);
    else man_command(file);
    const bool failed = ferror(file) != 0;
    TESS_CHECK(fclose(file) == 0 && !failed, TESS_EIO, "help: %s could not be written: %s", path, strerror(errno));
    return TESS_OK;
}

/* A page for the command, and one for each verb and sub-command that is not an operation. */
static tess_status write_pages(const char *folder)
{
    TESS_CHECK(mkdir(folder, 0777) == 0 || errno == EEXIST, TESS_EIO, "help: %s: %s", folder, strerror(errno));
    TESS_TRY(write_page(folder, NULL));
    for (int i = 0; verbs[i]; i++) {
        TESS_TRY(write_page(folder, verbs[i]));
        for (int k = 0; verbs[i]->commands && verbs[i]->commands[k]; k++)
            TESS_TRY(write_page(folder, verbs[i]->commands[k]));
    }
    return TESS_OK;
}

static tess_status run(job *j)
{
    const verb               *v;
    const tess_function_info *op;
    int                       used;
    if (job_has(j, "man-folder")) return write_pages(job_text(j, "man-folder", NULL));
    if (j->n_arguments == 0) {
        if (job_has(j, "man")) man_command(stdout);
        else help_overview(stdout);
        return TESS_OK;
    }
    TESS_TRY(find_verb_words(j->arguments, j->n_arguments, &v, &op, &used));
    if (job_has(j, "man")) man_verb(stdout, v);
    else help_manual(stdout, v);
    if (strcmp(v->name, "ops") == 0 && !job_has(j, "man")) help_operations(stdout);
    return TESS_OK;
}

static const option options[] = {
    FLAG("man", "print a manual page, in troff"),
    VALUE("man-folder", "DIR", OPTION_FILE, "write all manual pages into this folder"),
    { .name = NULL },
};
static const char *const examples[] = { "tessera help", "tessera help sqrt", "tessera help ops",
                                        "tessera help --man version > tessera-version.1", NULL };

const verb verb_help = {
    .name = "help",
    .subject = "about the command",
    .summary = "list all verbs, or explain one",
    .arguments = "[VERB]",
    .text = "tessera help ops also lists the operations of the library by header.",
    VERB_OF_FILE(0, 2),
};
