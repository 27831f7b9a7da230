/* Blocks of small vectors and matrices: how many there are in one, which operations pack and kernels compute. */
#ifndef TESS_FORMULAS_ITEM_BLOCK_OP_H
#define TESS_FORMULAS_ITEM_BLOCK_OP_H

enum { TESS__ITEM_BLOCK = 64 };

#endif
