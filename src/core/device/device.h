/* Backend lookup for a device argument, and the calling thread's cap on CPU threads. */
#ifndef TESS_CORE_DEVICE_DEVICE_H
#define TESS_CORE_DEVICE_DEVICE_H

#include "backend.h"

/* The backend of a device that must exist; otherwise a status with a message that begins with `fn`. */
tess_status tess__backend_need(const tess__backend **backend, const char *fn, tess_device device);

/* Work of the calling thread takes at most n threads from now on, below what tess_threads_set says; 0: as set. Returns
 * what it was. */
int tess__threads_cap(int n);

/* That number. */
int tess__threads_capped(void);

#endif
