/* Which instruction set's kernels run. */
#ifndef TESS_CPU_ISA_H
#define TESS_CPU_ISA_H

#include "cpu/kernels.h"

/* An instruction set this library has kernels for. */
typedef struct tess__isa {
    const char *name;
    const char *needs; /* what the processor must have, in words */
    bool (*supported)(void);
    void (*fill)(tess__kernels *kernels);
} tess__isa;

/* All of this build, the plainest first; ended by a NULL name. */
extern const tess__isa tess__isas[];

/* The kernels in use: the best instruction set of this processor, or the one that TESS_CPU names in the environment
 * when the processor has it. Chosen at the first call. */
const tess__kernels *tess__cpu_kernels(void);

/* Its name and why it was chosen, as "neon: best of this processor". */
const char *tess__isa_reason(void);

#endif
