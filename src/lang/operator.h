/* An operator instance: the typed tree of an operator, its bytecode and its device code, as backends run it. */
#ifndef TESS_LANG_OPERATOR_H
#define TESS_LANG_OPERATOR_H

#include "core/device/memory.h"
#include "lang/codegen/program.h"
#include "lang/print/print_device.h"
#include "lang/scatters.h"
#include "lang/still.h"
#include "requests/op_call.h"
#include "tessera/op.h"

enum { TESS__PARTS_OF_OPERATOR = 3 }; /* TESS__PART_BODY, JOIN, POST */

/* The numbers of the parameters of each role, as bits. */
typedef struct tess__roles {
    uint32_t in, out, inout, val, view, scatter, acc;
} tess__roles;

/* An accumulator. */
typedef struct tess__accumulator {
    int32_t    param;
    int32_t    op;        /* the TESS__OP_ that combines; -1: a join block does */
    tess_dtype own, lane; /* of results, and of lanes */
    bool       has_constant;
    _Alignas(16) unsigned char start[16];    /* of lanes, as their dtype */
    _Alignas(16) unsigned char constant[16]; /* to be combined in at the end, likewise */
} tess__accumulator;

/* Immutable. It begins with its reference count. */
typedef struct tess__operator {
    tess_buffer        buffer;
    const char        *name;
    const char *const *params;                           /* their names */
    tess__tree        *tree;                             /* with types */
    tess_tile_fn       native[TESS__PARTS_OF_OPERATOR];  /* NULL: none */
    tess__program     *program[TESS__PARTS_OF_OPERATOR]; /* where there is no native code */
    tess__still       *still;                            /* further programs of the body; NULL where there is none */
    void              *ctx;                              /* of tess_op_loop_opts */
    tess__roles        roles;
    tess__accumulator  acc[TESS__MAX_PARAMS];
    int32_t            n_acc;
    int32_t            n_params;
    int32_t            mode;      /* a TESS_MODE_ */
    bool               indexed;   /* axes may not be reversed, sorted or merged */
    bool               careful;   /* native code may compute a block twice, so that inputs may not be overwritten */
    bool               has_trips; /* loops whose length depends on the call */
    float              cost;      /* estimated nanoseconds an element, moving it included */
    uint32_t           walked;    /* in, out, inout */
    tess_dtype         letters[TESS__LETTERS];
    tess__scatters     scatters;
    tess__device_code  device; /* what GPUs run */
    uint64_t           id[2];  /* equal for equal operators: a hash of text, dtypes and limits */
    tess_op           *owner;  /* held by an instance that is not kept with it */
} tess__operator;

/* Does each batch of a call add to a part of its own of all that is scattered to? */
static inline bool tess__is_batched(const tess__op_call *work)
{
    const tess__operator *op = work->op;
    bool                  batched = (op->roles.scatter & ~op->scatters.batched) == 0;
    for (uint32_t left = op->roles.scatter; left; left &= left - 1)
        batched &= work->param[__builtin_ctz(left)].array.shape.b == work->domain.b;
    return batched;
}

#endif
