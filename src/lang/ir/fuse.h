/* Peephole fusion of neighbouring operations into one instruction. */
#ifndef TESS_LANG_IR_FUSE_H
#define TESS_LANG_IR_FUSE_H

#include "lang/ir/values.h"

/* Fuse operations of f32 and f64 that often occur together, where the second is the only user of the first. `order` is
 * the n values in the order of the program; those that are no longer needed are marked as not used. `uses` is workspace
 * for as many numbers as there are values. */
void tess__fuse(values *all, const int32_t *order, int32_t n, int32_t *uses);

#endif
