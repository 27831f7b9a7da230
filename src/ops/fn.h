/* TESS_FN marks the inline functions of *.op.h: plain C for the host compiler, device code in the GPU's prelude.
 *
 * Such a file is C11 and CUDA C++ at once: no _Generic, no compound literals, no designated initialisers, no restrict,
 * no system header of its own.
 */
#ifndef TESS_OPS_FN_H
#define TESS_OPS_FN_H

#ifndef TESS_FN
#include <stdint.h>
#include <string.h>
#define TESS_FN static inline
#endif

#endif
