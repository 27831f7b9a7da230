/* Operations of the library as verbs, by their descriptors. */
#ifndef TESSERA_OPERATION_H
#define TESSERA_OPERATION_H

#include "verb.h"

/* The verb that an operation is. Lives until the end of the process. */
tess_status operation_verb(const tess_op_info *op, const verb **v);

#endif
