/* Tables of the elementwise operators: name, cost, number of operands, types and result, real and complex. */
#ifndef TESS_REQUESTS_OPERATOR_ROWS_H
#define TESS_REQUESTS_OPERATOR_ROWS_H

#include <stdint.h>

/* Kinds of real types that an operator is computed in, as bits, and what ops/ewise/ewise.def calls them. */
enum {
    TESS__BOOLS = 1,
    TESS__INTEGERS = 2,
    TESS__FLOATS = 4,
    TESS__IN_ANY = TESS__BOOLS | TESS__INTEGERS | TESS__FLOATS,
    TESS__IN_NUMBER = TESS__INTEGERS | TESS__FLOATS,
    TESS__IN_WRAP = TESS__INTEGERS | TESS__FLOATS,
    TESS__IN_INTEGER = TESS__INTEGERS,
    TESS__IN_BITS = TESS__BOOLS | TESS__INTEGERS,
    TESS__IN_FLOAT = TESS__FLOATS,
    TESS__IN_TRUTH = TESS__BOOLS
};

/* What it gives. */
enum { TESS__GIVES_NOTHING, TESS__GIVES_SAME, TESS__GIVES_BOOL, TESS__GIVES_REAL, TESS__GIVES_MAKES_COMPLEX };

typedef struct tess__operator_row {
    const char *name;
    float       cost;   /* of an element, in nanoseconds */
    uint8_t     inputs; /* how many there are */
    uint8_t     types, result;
} tess__operator_row;

/* By TESS__OP_. Complex numbers have no `types`; what is not for them gives nothing. */
extern const tess__operator_row tess__operator_rows[];
extern const tess__operator_row tess__complex_rows[];

#endif
