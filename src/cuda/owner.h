/* Whose memory an address is. */
#ifndef TESS_CUDA_OWNER_H
#define TESS_CUDA_OWNER_H

#include "tessera/error.h"

/* Is this memory of a GPU that the CPU cannot read? Then TESS_EDEVICE. Where no GPU has been used in this process, and
 * where the driver does not tell, nothing is refused; the driver is never opened for this. */
tess_status tess__cuda_check_host(const char *fn, const void *data);

#endif
