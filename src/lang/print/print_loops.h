/* Loop guards in device code: where bounds are not all constants, trips are counted for each element, and too many end
 * in a fault, as in the virtual machine. */
#ifndef TESS_LANG_PRINT_PRINT_LOOPS_H
#define TESS_LANG_PRINT_PRINT_LOOPS_H

#include "lang/print/print_c.h"

/* Do the loops of this operator need guards? */
bool tess__loop_guard_needed(const tess__tree *tree);

/* How many trip counters a function needs, with those of the functions that it calls: each call has its own. 0 without
 * guards. */
int32_t tess__loop_guard_counters(const tess__tree *tree, int32_t function);

/* Definitions of the trip counters of a part, if it has any; `first`: its statements. */
void tess__loop_guard_start(tess__c_printer *p, int32_t first);

/* Members of a dialect. */
void tess__loop_guard_for(tess__c_printer *p, const tess__node *node, int indent);
void tess__loop_guard_call(tess__c_printer *p, int32_t function);

#endif
