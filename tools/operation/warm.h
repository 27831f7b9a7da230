/* Operations, called once on small arrays, so that what they need on a device is there later. */
#ifndef TESSERA_OPERATION_WARM_H
#define TESSERA_OPERATION_WARM_H

#include "tessera.h"

/* Call an operation on a device with arrays of this type, or one that it takes, and plain values where it needs
 * some. */
tess_status warm_operation(const tess_function_info *op, tess_device device, tess_dtype *dtype);

/* Make ready an operator that is given as text, for f32. */
tess_status warm_text(const char *text, tess_device device);

#endif
