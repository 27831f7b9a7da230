/* Code generation: the state, and the functions that its passes share. */
#ifndef TESS_LANG_CODEGEN_CODEGEN_H
#define TESS_LANG_CODEGEN_CODEGEN_H

#include "lang/ir/values.h"

enum { SIZES = 5 };

typedef struct codegen {
    values        *all;
    int            part;
    int32_t       *order; /* values in the order of the program */
    int32_t        n, row, block;
    int32_t       *end_of;            /* of each position: where the loop that begins there ends */
    int32_t        n_active, *active; /* values that have a register now */
    int32_t        free_registers[SIZES][TESS__MAX_REGISTERS];
    int32_t        n_free[SIZES], n_registers[SIZES];
    int32_t       *register_of; /* of each value: number among those of its size */
    tess__operand *operands;
    int32_t        n_operands, n_slots;
    int32_t        operand_of[SIZES][TESS__MAX_REGISTERS];
} codegen;

/* Size class of an element, from 0 for 1 byte to 4 for 16. */
int tess__bucket_of(tess_dtype type);

static inline value *tess__value_at(const codegen *g, int32_t position) { return &g->all->v[g->order[position]]; }

/* Executed for its side effect alone. */
static inline bool tess__has_no_result(const value *v)
{
    switch (v->kind) {
    case TESS__DO_STORE:
    case TESS__DO_SCATTER:
    case TESS__DO_COMBINE:
    case TESS__DO_ADD_PRODUCTS:
    case TESS__DO_ADD_DISTANCES:
    case TESS__DO_SET_LANES:
    case TESS__DO_LOOP:
    case TESS__DO_END: return true;
    default: return false;
    }
}

/* ---- Order (order.c) ---- */

/* The values that are used, in the order of the program. */
void tess__order_values(codegen *g);
/* Remove unused values from the order. */
void tess__drop_unused(codegen *g);

/* ---- Copy coalescing (copies.c) ---- */

/* The result may be computed in any memory: in a loop variable, or in an output. */
bool tess__computes_anywhere(const value *v);
/* Its operand may point to elements in place. */
bool tess__moves_along(const value *v);
/* Of loop variables. */
void tess__coalesce_loop_variables(codegen *g);
/* Of outputs. */
void tess__aim_stores(codegen *g);

/* ---- Registers (registers.c) ---- */

/* The value whose register this one shares. */
int32_t tess__holder(const codegen *g, int32_t v);
bool    tess__has_register(const value *v);
/* The end of each loop. */
void tess__find_loop_ends(codegen *g);
/* First and last use of each value. */
void        tess__find_live_ranges(codegen *g);
tess_status tess__allocate_registers(codegen *g, int64_t max_registers);

/* ---- Instructions (instructions.c) ---- */

tess_status tess__instructions(codegen *g, tess__instruction *code, tess__program *program);

/* A diagnostic about the value that exceeds a limit. */
tess_status tess__too_many(const codegen *g, const value *v, const char *what, int64_t max) TESS_COLD;

#endif
