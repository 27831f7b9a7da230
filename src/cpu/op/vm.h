/* Register virtual machine: programs run on tiles. */
#ifndef TESS_CPU_OP_VM_H
#define TESS_CPU_OP_VM_H

#include <stddef.h>

#include "lang/codegen/program.h"
#include "tessera/op.h"

/* Bytes of workspace of a run of the program. */
size_t tess__vm_workspace(const tess__program *program);

/* Run a program on a tile, as a tess_tile_fn would. The workspace is that many bytes, aligned to 64, for this run
 * alone; what an earlier run of the same program left in it need not be there. Cannot fail. */
void tess__vm_run(const tess__program *program, const tess_tile *tile, void *workspace);

#endif
