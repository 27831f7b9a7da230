/* SSA values: numbered globally, so that equal ones are one, and hoisted to the outermost level possible. */
#ifndef TESS_LANG_IR_VALUES_H
#define TESS_LANG_IR_VALUES_H

#include "lang/codegen/bytecode.h"
#include "lang/front/source.h"

/* Kinds beyond those of instructions: values that are there without being computed, and variables of loops. */
enum {
    VALUE_CONSTANT = TESS__DO_COUNT, /* step: number of the constant */
    VALUE_VAL,
    VALUE_SHAPE,
    VALUE_SIZE,
    VALUE_COUNT,
    VALUE_INDEX,
    VALUE_COUNTER, /* of the loop args[0] */
    VALUE_CELL,    /* a variable that a loop changes: what it is at the start of a turn */
    VALUE_AFTER,   /* the same cell, args[0], after the loop */
    VALUE_SET      /* args[0]: a cell; args[1]: what it becomes */
};

/* Places: once a tile, a row, a block, and then loops by their depth. */
enum { LEVEL_TILE, LEVEL_ROW, LEVEL_BLOCK, LEVEL_LOOP };

typedef struct value {
    uint8_t     kind, type, to, n_args;
    bool        single; /* one number for all elements */
    bool        flag;
    bool        used;
    bool        in_place; /* the result may take the place of an argument */
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

/* What is being built. Values are numbered; -1 is none. */
typedef struct values {
    const tess__tree *tree;
    value            *v;
    int32_t           n, room;
    tess_status       status; /* the first failure; what comes after it does nothing */
    tess__source      source; /* for complaints */
    tess__bytes       at;     /* the text whose values are made now */
    unsigned char (*constants)[16];
    int32_t n_constants, constants_room;
    int32_t level;           /* where statements stand */
    int32_t loop[MAX_DEPTH]; /* the open loop of each level */
    list    lists[MAX_DEPTH];
    int32_t hash[HASH_SIZE];
} values;

void tess__values_start(values *all, const tess__tree *tree);
void tess__values_free(values *all);

/* The value like `like`, whose kind, type, op, args and so on are set: the same as before, or a new one at its place.
 * `pinned`: a new one where statements stand. */
int32_t tess__value(values *all, const value *like, bool pinned);

/* A constant of 16 bytes. */
int32_t tess__value_constant(values *all, tess_dtype type, const void *bytes);

/* Loops: open one, whose LOOP value is returned; close it again. */
int32_t tess__loop_open(values *all, int32_t from, int32_t to, int64_t step, bool inclusive);
void    tess__loop_close(values *all);

/* Fail once. */
void tess__values_fail(values *all, tess_status status);

/* Fail with a complaint about some of the text. */
#define TESS__VALUES_WRONG(all, where, ...)                                                                            \
    do {                                                                                                               \
        tess__complain(&(all)->source, where, __VA_ARGS__);                                                            \
        tess__values_fail(all, (all)->source.status);                                                                  \
    } while (0)

/* The status for want of so many bytes. */
tess_status tess__no_program_memory(const tess__tree *tree, size_t size) TESS_COLD;

/* Registers, slots and instructions for all values that are needed. */
tess_status tess__assign(tess__program **out, values *all, int part, const tess_op_parse_opts *limits);

#endif
