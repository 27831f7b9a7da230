/* A call of a user's operator. */
#ifndef TESS_REQUESTS_OP_CALL_H
#define TESS_REQUESTS_OP_CALL_H

#include "tessera/array.h"

struct tess__operator;

/* A user's operator to apply. Plain data; only the first n_params are set, as many as the operator has. */
typedef struct tess__op_call {
    const char                  *name;
    const struct tess__operator *op;
    tess_buffer                 *keep; /* the operator's own: held until the work is done */
    int32_t                      n_params;
    uint32_t                     scalars; /* scalar mask: inputs whose one element is in `value` */
    uint32_t                     same;    /* inputs that are exactly an output */
    int64_t                      row;     /* element-wise: all arrays are one row of this many elements; 0: not */
    tess_shape                   domain;
    uint32_t                     axes; /* of a reduction, as bits from 1 for b to 8 for w: those that are reduced */
    _Alignas(16) unsigned char structs[1024]; /* values that are structs, where the operator's tree places them */
    struct {
        _Alignas(16) unsigned char value[16]; /* val */
        tess_array array;                     /* in, out, inout, view, scatter. Outputs in host memory too */
    } param[24];
} tess__op_call;

#endif
