/* Results on the host into the outputs of a call. */
#ifndef TESS_OPS_ARRAYS_DELIVER_H
#define TESS_OPS_ARRAYS_DELIVER_H

#include "core/check/outputs.h"

/* Converts and writes arrays on the host into the outputs, in their order. All memory is allocated before the first
 * output is written. Synchronises with the device. */
tess_status tess__deliver(const tess__outputs *out, const tess_array *const results[TESS__MAX_OUTPUTS]);

#endif
