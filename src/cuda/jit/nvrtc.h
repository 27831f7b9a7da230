/* Run-time compilation by NVRTC: from kernel source to code for a GPU. */
#ifndef TESS_CUDA_JIT_NVRTC_H
#define TESS_CUDA_JIT_NVRTC_H

#include "tessera/error.h"

/* The oldest version that compiles our kernels (__grid_constant__). */
enum { TESS__NVRTC_OLDEST = 11070 };

/* Its version, 13000 is 13.0; 0 if it is not there. */
int tess__nvrtc_version(void);

/* Its options, beside the architecture. */
enum { TESS__NVRTC_OPTIONS = 7 };
extern const char *const tess__nvrtc_options[TESS__NVRTC_OPTIONS];

/* Code for compute capability `sm` from a program, which may include the embedded kernel sources by their names.
 * `*code` is to be freed with tess__free. `name` begins messages. */
tess_status tess__nvrtc_compile(void **code, size_t *size, const char *name, const char *program, int sm);

#endif
