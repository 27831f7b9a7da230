/* Run-time faults of an operator (index out of bounds, trip limit, counter overflow) as statuses with messages. */
#include "lang/fault.h"

#include <inttypes.h>

#include "core/check/text.h"

tess_status tess__operator_fault(const tess__operator *op, const tess_fault *f, const int64_t (*shape)[4])
{
    char text[2][TESS__SHAPE_TEXT];
    if (f->view < 0 && f->set == TESS__FAULT_TRIPS)
        TESS_FAIL(TESS_ERANGE,
                  "%s: loops ran more than %" PRId64
                  " iterations for one element; max_trips of tess_op_parse_opts is the limit",
                  op->name, f->index[0]);
    if (f->view < 0 && f->set == TESS__FAULT_COUNTER)
        TESS_FAIL(TESS_ERANGE, "%s: a loop counts from %" PRId64 " to %" PRId64 ", but its counter is i32", op->name,
                  f->index[0], f->index[1]);
    const bool known = f->view >= 0 && f->view < op->n_params;
    TESS_FAIL(TESS_ERANGE, "%s: %s was read at %s, outside its shape %s", op->name,
              known ? op->params[f->view] : "a view", tess__shape_text(text[0], f->index),
              known ? tess__shape_text(text[1], shape[f->view]) : "");
}
