/* Overlap of strided views: exact answers, without visiting elements one by one. */
#ifndef TESS_CORE_ARRAY_OVERLAP_H
#define TESS_CORE_ARRAY_OVERLAP_H

#include "tessera/array.h"

/* True if no two indices of the array share an element. Broadcast dimensions make it false. */
bool tess__elements_unique(const tess_array *a);

#endif
