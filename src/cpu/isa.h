/* CPU dispatch: which instruction set's kernels run. */
#ifndef TESS_CPU_ISA_H
#define TESS_CPU_ISA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "cpu/kernels.h"

/* An instruction set this library has kernels for. */
typedef struct tess__isa {
    const char *name;
    bool (*supported)(void);
    void (*fill)(tess__kernels *kernels);
} tess__isa;

/* All of this build, the one that every processor has first; ended by a NULL name. */
extern const tess__isa tess__isas[];

enum { TESS__MAX_ISAS = 8 };

/* A table for each instruction set that this processor has, and which is in use: its index, with TESS__MAX_ISAS added
 * if it was requested by name; negative before the tables are filled. */
extern tess__kernels tess__kernel_tables[TESS__MAX_ISAS];
extern atomic_int    tess__isa_in_use;

/* Fills the tables at the first call; returns which is in use. */
int tess__isa_prepare(void);

/* The kernels in use: those of the best instruction set of this processor, or of the one that tess_cpu_limit_set or, at
 * the first call, TESS_CPU in the environment names. Every operation calls it, some several times. */
static inline const tess__kernels *tess__cpu_kernels(void)
{
    int in_use = atomic_load_explicit(&tess__isa_in_use, memory_order_acquire);
    if (in_use < 0) in_use = tess__isa_prepare();
    return &tess__kernel_tables[(unsigned)in_use % TESS__MAX_ISAS];
}

/* The name of that instruction set and why it was chosen, as "neon: best of this processor". */
void tess__isa_reason(char *text, size_t size);

#endif
