/* Results on the host into the outputs of a call. */
#ifndef TESS_OPS_DELIVER_H
#define TESS_OPS_DELIVER_H

#include "core/outputs.h"

/* Arrays on the host into the outputs, one for each in their order, converted. What needs memory comes before the first
 * output is written. It waits. */
tess_status tess__deliver(const tess__outputs *out, const tess_array *const results[TESS__MAX_OUTPUTS]);

#endif
