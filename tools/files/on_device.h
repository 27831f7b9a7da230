/* Arrays between the host, where files are read and written, and the device that computes. */
#ifndef TESSERA_FILES_ON_DEVICE_H
#define TESSERA_FILES_ON_DEVICE_H

#include "tessera.h"

/* Put an array that is owned onto a device: it is replaced by a copy there, unless it is there, or has no elements of
 * its own. */
tess_status move_array(tess_array *array, tess_device device);

#endif
