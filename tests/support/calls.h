/* Calls of any operation by its description, with arguments at random, on any device.
 *
 *     random_call call;
 *     call_make(&call, tess_function_find("sort"), TESS_F32);
 *     call_run(&call, &here, tess_cpu(), NULL);
 *     call_run(&call, &there, tess_gpu(0), &here);
 *
 * Most arguments fit each other, not all: a call that one device rejects must be rejected by every one.
 */
#ifndef TESS_TEST_CALLS_H
#define TESS_TEST_CALLS_H

#include "support/layouts.h"

enum { CALL_ROWS = 24, CALL_REDUCTIONS = 2, CALL_PARTS = 2 };

/* The arguments, on the host. */
typedef struct random_call {
    const tess_function_info *op;
    tess_dtype                dtype; /* of the main input, or of the output where there is none */
    tess_shape                shape; /* the main one, which others are made from */
    int32_t                   axis;
    int64_t                   n_set;            /* elements of a mask */
    bool                      is_asked;         /* only whether it is done is asked: results are left where they are */
    bool                      half;             /* spectra: only half of them is stored */
    guarded                   given[CALL_ROWS]; /* inputs, and outputs that must have been made */
    guarded                   part;             /* the second of a list of arrays */
    bool                      is_option[CALL_ROWS];   /* inputs that are options, and are given */
    tess_value                values[CALL_ROWS];      /* what is no array */
    int32_t                   kinds[CALL_REDUCTIONS]; /* of reductions */
    tess_op                  *made;                   /* an operator */
    _Alignas(16) unsigned char element[128];
    _Alignas(16) unsigned char opts[256];
} random_call;

/* What came of it on a device. Arrays are on the host. */
typedef struct call_outcome {
    tess_status status;
    char        message[400];
    tess_array  results[CALL_ROWS];
    tess_array  reduced[CALL_REDUCTIONS];
    double      number;
    tess_shape  shape;
} call_outcome;

void call_make(random_call *c, const tess_function_info *op, tess_dtype dtype);
void call_free(random_call *c);

/* Call it on a device; what is written there over an input stays there. Where `like` is given, outputs are laid out in
 * any way before, with the shapes that they have there; else the operation makes them. Bytes around an output that
 * change fail the test. */
void call_run(const random_call *c, call_outcome *out, tess_device device, const call_outcome *like);
void outcome_free(call_outcome *out);

#endif
