/* Uniformity analysis: the variables that may differ between the elements of a row, and those that a loop assigns. */
#ifndef TESS_LANG_IR_UNIFORM_H
#define TESS_LANG_IR_UNIFORM_H

#include "lang/front/tree.h"

/* For each variable: may it differ from element to element of a row, at some time in this block? Inputs `still`, as
 * bits, do not. */
void tess__find_varying(const tess__tree *tree, int32_t block, uint32_t still, bool *varies);

/* For each variable: 1 if a statement of this list, or within one, assigns to it, else 0. */
void tess__mark_assigned(const tess__tree *tree, int32_t first, int32_t *assigned);

#endif
