/* tessera op NAME: runs an operation of the library, even one named like a verb. */
#include "command/job.h"

static tess_status run(job *j)
{
    TESS_FAIL(TESS_EARG, "op: %s: expected the name of an operation first; tessera ops lists them", j->command);
}

static const char *const examples[] = { "tessera op bin --factors 2,2 stack.mrcs -o small.mrcs",
                                        "tessera op crop --before 4,4 --after 4,4 image.mrc -o inner.mrc", NULL };

const verb verb_op = {
    .name = "op",
    .subject = "about the command",
    .summary = "run an operation of the library, even one named like a verb",
    .arguments = "NAME ...",
    .text = "tessera op NAME --help shows the arguments of an operation; tessera ops lists all operations.",
    .examples = examples,
    .min = 1,
    .max = -1,
    .run = run,
};
