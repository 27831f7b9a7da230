/* Operations, called once on small arrays, so that what they need on a device is there later. */
#ifndef TESSERA_OPERATION_WARM_H
#define TESSERA_OPERATION_WARM_H

#include "tessera.h"

/* Call an operation on a device with small arrays of this type of real numbers, or as `sample` of its rows says. */
tess_status warm_operation(const tess_function_info *op, tess_device device, tess_dtype dtype);

/* Make ready an operator that is given as text, for f32. */
tess_status warm_text(const char *text, tess_device device);

#endif
