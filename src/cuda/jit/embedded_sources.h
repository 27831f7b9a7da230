/* Kernel sources, embedded by the build: operators, their mathematics, kernels. */
#ifndef TESS_CUDA_JIT_EMBEDDED_SOURCES_H
#define TESS_CUDA_JIT_EMBEDDED_SOURCES_H

extern const int         tess__n_sources;
extern const char *const tess__sources[];      /* each ends in a zero byte */
extern const char *const tess__source_names[]; /* as they are included */
extern const char        tess__sources_hash[]; /* changes with any of them */

#endif
