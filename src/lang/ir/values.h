/* SSA values: numbered globally, so that equal ones are one, and hoisted to the outermost level possible. */
#ifndef TESS_LANG_IR_VALUES_H
#define TESS_LANG_IR_VALUES_H

#include "lang/codegen/bytecode.h"
#include "lang/front/source.h"

/* Kinds beyond those of instructions: values that are not computed, and loop variables. */
enum {
    VALUE_CONSTANT = TESS__DO_COUNT, /* step: number of the constant */
    VALUE_VAL,                       /* step: of a struct, 1 + the byte of the member; 0: it is none */
    VALUE_SHAPE,
    VALUE_SIZE,
    VALUE_COUNT,
    VALUE_INDEX,
    VALUE_COUNTER,       /* of the loop args[0] */
    VALUE_LOOP_VARIABLE, /* a loop variable at the start of an iteration (phi) */
    VALUE_AFTER,         /* the loop variable args[0] after the loop */
    VALUE_SET            /* args[0]: a loop variable; args[1]: its new value */
};

/* Levels: once for each tile, row, block, and then loops by their depth. */
enum { LEVEL_TILE, LEVEL_ROW, LEVEL_BLOCK, LEVEL_LOOP };

typedef struct value {
    uint8_t     kind, type, to, n_args;
    bool        uniform; /* equal for all elements */
    bool        flag;
    bool        used;
    bool        in_place; /* the result may overwrite an argument */
    int16_t     op, level;
    int32_t     args[TESS__MAX_ARGS];
    int64_t     step;
    int32_t     loop;        /* in which it is computed, if it is in one */
    int32_t     next, chain; /* in the list of its level; of values with the same hash */
    int32_t     first, last; /* positions of its first and last use */
    int32_t     operand;     /* -1: none yet */
    int32_t     same;        /* registers: the value whose register it has, or itself */
    tess__bytes span;        /* the text that it comes from */
} value;

typedef struct list {
    int32_t first, last;
} list;

enum { HASH_SIZE = 1024, MAX_VALUES = 16384, MAX_DEPTH = 256 };

/* The values of a program. They are numbered; -1 is none. */
typedef struct values {
    const tess__tree *tree;
    value            *v;
    int32_t           n, capacity;
    tess_status       status; /* the first failure; later calls do nothing */
    tess__source      source; /* for diagnostics */
    tess__bytes       at;     /* the text that is being lowered */
    unsigned char (*constants)[16];
    int32_t n_constants, constants_capacity;
    int32_t level;           /* of the current statement */
    int32_t loop[MAX_DEPTH]; /* the open loop of each level */
    list    lists[MAX_DEPTH];
    int32_t hash[HASH_SIZE];
} values;

void tess__values_start(values *all, const tess__tree *tree);
void tess__values_free(values *all);

/* The value equal to `like`, whose kind, type, op, args and so on are set: an earlier one, or a new one at the
 * outermost level possible. `pinned`: always a new one, at the level of the current statement. */
int32_t tess__value(values *all, const value *like, bool pinned);

/* A constant of 16 bytes. */
/* A constant as the bytes of an element, at most 16. */
void    tess__constant_bytes(unsigned char *bytes, tess_dtype type, const tess__constant *c);
int32_t tess__value_constant(values *all, tess_dtype type, const void *bytes);

/* Loops: open one, whose LOOP value is returned; close it again. */
int32_t tess__loop_open(values *all, int32_t from, int32_t to, int64_t step, bool inclusive);
void    tess__loop_close(values *all);

/* Fail once. */
void tess__values_fail(values *all, tess_status status);

/* Fail with a diagnostic about a span of the text. */
#define TESS__VALUES_WRONG(all, where, ...)                                                                            \
    do {                                                                                                               \
        tess__complain(&(all)->source, where, __VA_ARGS__);                                                            \
        tess__values_fail(all, (all)->source.status);                                                                  \
    } while (0)

/* Reports TESS_ENOMEM for `size` bytes. */
tess_status tess__no_program_memory(const tess__tree *tree, size_t size) TESS_COLD;

/* Code generation: registers, slots and instructions for all values that are used. */
tess_status tess__codegen(tess__program **out, values *all, int part, const tess_op_parse_opts *limits);

#endif
