/* The current stream of a device, for operations. */
#ifndef TESS_CORE_DEVICE_STREAM_H
#define TESS_CORE_DEVICE_STREAM_H

#include "tessera/device.h"

/* The current stream of a device that must exist. */
tess_status tess__stream_need(tess_stream **stream, const char *fn, tess_device device);

/* Wait for the work queued on the current stream of a device. */
tess_status tess__sync(const char *fn, tess_device device);

/* Checked before work is queued whose result the call waits for: on the stream's own thread, in a callback that frees
 * storage, waiting would deadlock, and the work would write to freed memory. */
tess_status tess__check_waits(const char *fn, tess_device device);

#endif
