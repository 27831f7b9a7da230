/* tessera op NAME: an operation of the library, also where another verb has its name. */
#include "command/job.h"

static tess_status run(job *j)
{
    TESS_FAIL(TESS_EARG, "op: %s comes before the name of the operation; tessera ops lists them", j->command);
}

static const char *const examples[] = { "tessera op bin --factors 2,2 stack.mrcs -o small.mrcs",
                                        "tessera op crop --before 4,4 --after 4,4 image.mrc -o inner.mrc", NULL };

const verb verb_op = {
    .name = "op",
    .subject = "about the command",
    .summary = "an operation of the library, also where a verb has its name",
    .arguments = "NAME ...",
    .text = "tessera op NAME --help says what it takes; tessera ops lists them all.",
    .examples = examples,
    .min = 1,
    .max = -1,
    .run = run,
};
