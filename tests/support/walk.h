/* A tree with types run element by element, just as it reads: what programs are compared with. */
#ifndef TESS_TEST_WALK_H
#define TESS_TEST_WALK_H

#include "lang/front/tree.h"
#include "tessera/op.h"

/* The body, join or post block (a number of a node) on a tile; at most 1024 variables. */
void walk_tile(const tess__tree *tree, int32_t block, const tess_tile *tile);

#endif
