/* tessera help: the verbs by subject, or all about one. */
#include "help.h"

#include "find.h"
#include "job.h"

static tess_status run(job *j)
{
    const verb         *v;
    const tess_op_info *op;
    if (j->n_arguments == 0) {
        help_overview(stdout);
        return TESS_OK;
    }
    TESS_TRY(find_verb(j->arguments[0], &v, &op));
    help_manual(stdout, v);
    return TESS_OK;
}

static const char *const examples[] = { "tessera help", "tessera help version", NULL };

const verb verb_help = {
    .name = "help",
    .subject = "about the command",
    .summary = "the verbs by subject, or all about one",
    .arguments = "[VERB]",
    .examples = examples,
    .most = 1,
    .run = run,
};
