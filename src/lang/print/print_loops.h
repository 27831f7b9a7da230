/* Loop guards in device code: where bounds are not all constants, trips are counted for each element, and too many end
 * in a fault, as in the virtual machine. */
#ifndef TESS_LANG_PRINT_PRINT_LOOPS_H
#define TESS_LANG_PRINT_PRINT_LOOPS_H

#include "lang/print/print_c.h"

/* Are the turns of this operator's loops counted? */
bool tess__turns_counted(const tess__tree *tree);

/* How many counters a function needs, with those of the functions that it calls: each call has its own. 0 if turns are
 * not counted. */
int32_t tess__turns_in_function(const tess__tree *tree, int32_t function);

/* Definitions of the counters of a part, if it has any; `first`: its statements. */
void tess__turns_start(tess__c_printer *p, int32_t first);

/* Members of a dialect. */
void tess__turns_for(tess__c_printer *p, const tess__node *node, int indent);
void tess__turns_call(tess__c_printer *p, int32_t function);

#endif
