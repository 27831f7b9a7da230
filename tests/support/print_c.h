/* Operators as C for the CPU, which is compiled and compared with the virtual machine. */
#ifndef TESS_TEST_PRINT_C_H
#define TESS_TEST_PRINT_C_H

#include "lang/front/tree.h"

/* A tree with types as a C function `void name(const tess_tile *)` for each part that it has: name_body, name_join,
 * name_post, beside what tessera/op.h declares. To be freed with tess__free. */
tess_status print_c(char **out, const tess__tree *tree, const char *name);

#endif
