/* A scan (prefix operation) along the vectors of an axis. */
#ifndef TESS_REQUESTS_SCAN_H
#define TESS_REQUESTS_SCAN_H

#include "core/array/plan.h"
#include "requests/ewise.h"

/* Operators of scans. */
enum { TESS__SCAN_SUM, TESS__SCAN_PROD, TESS__SCAN_MIN, TESS__SCAN_MAX, TESS__SCANS };

/* A scan along the vectors of an axis. Plain data; operand 0 is the output. A reversed scan begins at the last
 * element, with negated strides. */
typedef struct tess__scan {
    const char   *name;
    tess_device   device;
    int32_t       op;        /* a TESS__SCAN_ */
    int32_t       kernel;    /* the dtype it is computed in */
    int32_t       stored[2]; /* dtypes in memory */
    bool          exclusive; /* each result is that of the element before; the first is `neutral` */
    bool          in_place;  /* both operands are the same */
    int64_t       n;         /* elements of a vector, not 0 */
    int64_t       along[2];  /* strides along a vector */
    tess__loop    vectors;   /* over the first elements of the vectors; not empty */
    tess__element neutral;   /* as stored in the output */
} tess__scan;

#endif
