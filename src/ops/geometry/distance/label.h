/* Connected components of truth values. */
#ifndef TESS_OPS_GEOMETRY_DISTANCE_LABEL_H
#define TESS_OPS_GEOMETRY_DISTANCE_LABEL_H

#include "tessera/array.h"

/* Labels of `truth`, which is bool, into `out`, and their number in each batch into `counts`, or NULL; both made. */
tess_status tess__label_run(tess_array *out, tess_array *counts, const char *fn, const tess_array *truth, bool full);

/* Integers into an output of integers, or an error if it cannot hold one of them. Waits for the arrays' device. */
tess_status tess__put_labels(tess_array *out, const char *fn, const tess_array *labels);

#endif
