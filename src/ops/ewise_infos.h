/* The descriptions of the element-wise operations, by their ids. */
#ifndef TESS_OPS_EWISE_INFOS_H
#define TESS_OPS_EWISE_INFOS_H

#include "backend.h"
#include "tessera/table.h"

extern const tess_op_info tess__ewise_infos[TESS__OPS];

#endif
