/* Operations of the library as verbs, by their descriptors. */
#include "operation.h"

#include <stdlib.h>

#include "job.h"

static tess_status run(job *j) { TESS_FAIL(TESS_EUNSUPPORTED, "%s: not from the command yet", j->verb->name); }

tess_status operation_verb(const tess_op_info *op, const verb **v)
{
    verb *made = calloc(1, sizeof *made);
    TESS_CHECK(made, TESS_ENOMEM, "%s: no memory", op->name);
    *made = (verb){ .name = op->name,
                    .subject = "operations",
                    .summary = op->help,
                    .arguments = "INPUT... -o OUT",
                    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_SLICES | GLOBAL_DEVICE | GLOBAL_TABLE |
                               GLOBAL_PROGRESS,
                    .most = -1,
                    .run = run };
    *v = made;
    return TESS_OK;
}
