/* Bytecode of the virtual machine: instructions over operands, in three lists. The first list runs once for each tile,
 * the second once for each row, the third once for each block of a row. In the first two all values are uniform, in
 * slots; in the third they are registers of a block of elements, or slots for loop counters and other uniform values.
 */
#ifndef TESS_LANG_CODEGEN_BYTECODE_H
#define TESS_LANG_CODEGEN_BYTECODE_H

#include "lang/codegen/program.h"
#include "lang/ir/fused.h"

/* Where an operand is. */
enum {
    TESS__OPERAND_REGISTER, /* offset: bytes from the start of the registers for blocks of one element */
    TESS__OPERAND_MOVING,   /* the same, but it may point to elements in place */
    TESS__OPERAND_SLOT,     /* number: of the slot */
    TESS__OPERAND_CONSTANT, /* number: of the constant */
    TESS__OPERAND_VAL,      /* number: of the parameter; index: of a struct, 1 + the byte of the member, otherwise 0 */
    TESS__OPERAND_SHAPE,    /* number: of the parameter; axis */
    TESS__OPERAND_SIZE,     /* axis */
    TESS__OPERAND_COUNT,
    TESS__OPERAND_INDEX /* axis 0 to 2 */
};

typedef struct tess__operand {
    uint8_t  kind, axis;
    uint16_t index; /* registers: its index in the register file; VAL: see there */
    int32_t  at;    /* offset or number */
} tess__operand;

/* Instructions. `result` and the `args` are operands; op, type and to are as said. Where elements are moved, step is
 * the logarithm of their size. */
enum {
    TESS__DO_OPERATOR, /* op: a TESS__OP_, type: of its operands */
    TESS__DO_FUSED,    /* op: a TESS__FUSED_, type: of its operands, f32 or f64 */
    TESS__DO_CAST,     /* from type to `to`, both real */
    TESS__DO_CONVERT,  /* the same where one is complex */
    TESS__DO_SELECT,   /* type; a bool and two operands */
    TESS__DO_COPY,     /* type */
    TESS__DO_IOTA,     /* the last index of each element; type i32, i64, f32 or f64 */
    TESS__DO_LOAD,     /* op: the parameter; `flag`: never in place */
    TESS__DO_LANES,    /* op: the parameter, whose lanes or results are an operand; `flag`: those to be joined; to: 0 if
                           never in place */
    TESS__DO_AIM,      /* op: the parameter, an output; its elements themselves may be the result */
    TESS__DO_STORE,    /* op: the parameter; an operand, which may be stored already */
    TESS__DO_ROW,      /* op: a view; type; b, d, h and what is added to the last index */
    TESS__DO_AT,       /* op: a view; type; four indices and perhaps a mask */
    TESS__DO_INTERP,   /* op: a view; type; step: that of TESS__INTERP, and TESS__INTERP_F64 if the coordinates are f64;
                           four operands, perhaps a mask */
    TESS__DO_RANDOM,   /* seed and counter */
    TESS__DO_SCATTER,  /* op: the parameter; type; four indices, what is added, perhaps a mask. Those that follow one
                           another are done element by element */
    TESS__DO_COMBINE,  /* op: the parameter, step: the operator by which an operand is combined into its lanes; type: of
                           the operand; to: of the lanes */
    TESS__DO_ADD_PRODUCTS,  /* op: the parameter; x y of f32 is added to lanes of f64 */
    TESS__DO_ADD_DISTANCES, /* the same for the square of x - y */
    TESS__DO_SET_LANES,     /* op: the parameter, type; an operand that becomes its lanes */
    TESS__DO_LOOP, /* result: the counter; from, to, and a slot for the state; `flag`: also for `to` itself; step;
                           target: what comes after it */
    TESS__DO_END,  /* the slot, the counter; step; target: what is repeated */
    TESS__DO_COUNT
};

enum {
    TESS__MAX_ARGS = 6,
    TESS__INTERP_F64 = TESS__INTERP_KINDS,
    TESS__MAX_ADDITIONS = 64 /* of one run of scatters */
};

typedef struct tess__instruction {
    uint8_t  kind, n_args, type, to;
    bool     uniform; /* for all elements: one is computed */
    bool     flag;
    int16_t  op;
    uint16_t result, args[TESS__MAX_ARGS + 1];
    int32_t  target;
    int64_t  step;
} tess__instruction;

/* Limits, so that a tile can be run with no memory but the stack. */
enum {
    TESS__MAX_PROGRAM_OPERANDS = 1024,
    TESS__MAX_SLOTS = 512,
    TESS__MAX_REGISTERS = 256,
    TESS__MAX_BLOCK = 1024,
    TESS__REGISTER_GAP = 192, /* bytes between registers, if they are few: else they would share cache sets */
    TESS__FEW_REGISTERS = 32
};

/* One allocation. */
struct tess__program {
    int32_t                  part;
    int32_t                  row, block, end; /* where the lists begin; the first one at 0 */
    int32_t                  length;          /* elements of a block: a divisor or multiple of 256 */
    int32_t                  register_bytes;  /* of all registers, for blocks of one element */
    int64_t                  max_trips;       /* of a loop and those around it */
    bool                     in_place;        /* one pass over elements in place, if they are contiguous */
    int32_t                  n_operands, n_slots, n_constants, n_registers, n_params;
    const tess__instruction *code;
    const tess__operand     *operands;
    const unsigned char (*constants)[16];
    uint8_t       type[TESS__MAX_PARAMS], role[TESS__MAX_PARAMS]; /* of the parameters */
    int32_t       border[TESS__MAX_PARAMS];
    int32_t       fill[TESS__MAX_PARAMS];        /* what lies outside views: as in tess__param, */
    unsigned char outside[TESS__MAX_PARAMS][16]; /* and `value` as an element */
};

#endif
