/* Programs of the virtual machine: bytecode over blocks of elements. */
#ifndef TESS_LANG_CODEGEN_PROGRAM_H
#define TESS_LANG_CODEGEN_PROGRAM_H

#include "lang/front/tree.h"
#include "tessera/op.h"

typedef struct tess__program tess__program;

enum { TESS__PART_BODY, TESS__PART_JOIN, TESS__PART_POST };

/* The program of one part of a typed tree. `limits`: max_registers and max_trips. */
tess_status tess__program_make(tess__program **out, const tess__tree *tree, int part, const tess_op_parse_opts *limits);
/* The program of the body for calls in which inputs `still`, as bits, are the same for all elements of a row: what is
 * made of them alone is computed once for each row. */
tess_status tess__program_make_still(tess__program **out, const tess__tree *tree, uint32_t still,
                                     const tess_op_parse_opts *limits);
void        tess__program_free(tess__program *program);

#endif
