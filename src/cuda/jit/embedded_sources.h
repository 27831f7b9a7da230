/* Kernel sources, embedded by the build: operators, their mathematics, kernels. */
#ifndef TESS_CUDA_JIT_EMBEDDED_SOURCES_H
#define TESS_CUDA_JIT_EMBEDDED_SOURCES_H

extern const int         tess__n_texts;
extern const char *const tess__texts[];      /* each ends in a zero byte */
extern const char *const tess__text_names[]; /* as they are included */
extern const char        tess__texts_hash[]; /* changes with any of them */

#endif
