/* Run-time faults of an operator (index out of bounds, trip limit, counter overflow) as statuses with messages. */
#ifndef TESS_LANG_FAULT_H
#define TESS_LANG_FAULT_H

#include "lang/operator.h"

/* `shape`: of the operator's views, by their numbers. */
tess_status tess__operator_fault(const tess__operator *op, const tess_fault *fault, const int64_t (*shape)[4]);

#endif
