/* Pointer attributes: whose memory an address is. */
#ifndef TESS_CUDA_RUNTIME_POINTER_INFO_H
#define TESS_CUDA_RUNTIME_POINTER_INFO_H

#include "cuda/runtime/device.h"

/* What CUDA knows about memory; a type of 0: it is not CUDA's, and the ordinal means nothing. */
typedef struct tess__cuda_pointer {
    unsigned type;    /* TESS__CU_MEMORY_TYPE_… */
    int      ordinal; /* of the device */
    int      managed; /* it can be read on both sides */
} tess__cuda_pointer;

/* The driver is open. */
tess__cu_result tess__cuda_pointer_of(tess__cuda_pointer *pointer, const void *memory);

/* Can the device reach it, and is it not another one's? */
tess_status tess__cuda_check_memory(const char *fn, const void *data, tess_device device);

/* Is this memory of a GPU that the CPU cannot read? Then TESS_EDEVICE. Where no GPU has been used in this process, and
 * where the driver does not tell, nothing is rejected; the driver is never opened for this. */
tess_status tess__cuda_check_host(const char *fn, const void *data);

#endif
