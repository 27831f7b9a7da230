/* Rank of a shape: 1 of signals, 2 of images, 3 of volumes, whatever the number of batches. */
#ifndef TESS_CORE_ARRAY_RANK_H
#define TESS_CORE_ARRAY_RANK_H

#include "tessera/array.h"

static inline int tess__rank(tess_shape shape) { return shape.d > 1 ? 3 : shape.h > 1 ? 2 : 1; }

#endif
