/* Operators at work on the CPU. */
#ifndef TESS_CPU_EWISE_APPLY_H
#define TESS_CPU_EWISE_APPLY_H

#include "backend.h"

void tess__cpu_operate(const tess__ewise *work);

#endif
