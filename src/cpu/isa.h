/* Which instruction set's kernels run. */
#ifndef TESS_CPU_ISA_H
#define TESS_CPU_ISA_H

#include "cpu/kernels.h"

/* An instruction set this library has kernels for. */
typedef struct tess__isa {
    const char *name;
    bool (*supported)(void);
    void (*fill)(tess__kernels *kernels);
} tess__isa;

/* All of this build, the plainest first; ended by a NULL name. */
extern const tess__isa tess__isas[];

/* The kernels in use: those of the best instruction set of this processor, or of the one that tess_cpu_limit or, at
 * the first call, TESS_CPU in the environment names. */
const tess__kernels *tess__cpu_kernels(void);

/* The name of that instruction set and why it was chosen, as "neon: best of this processor". */
void tess__isa_reason(char *text, size_t size);

#endif
