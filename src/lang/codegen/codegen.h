/* Code generation: the state, and the functions that its passes share. */
#ifndef TESS_LANG_CODEGEN_CODEGEN_H
#define TESS_LANG_CODEGEN_CODEGEN_H

#include "lang/ir/values.h"

enum { SIZES = 5 };

typedef struct assignment {
    values        *all;
    int            part;
    int32_t       *order; /* values in the order of the program */
    int32_t        n, row, block;
    int32_t       *end_of;            /* of each position: that of the end of the loop that begins there */
    int32_t        n_active, *active; /* values that have a register now */
    int32_t        free_at[SIZES][TESS__MAX_REGISTERS];
    int32_t        n_free[SIZES], n_made[SIZES];
    int32_t       *register_of; /* of each value: number among those of its size */
    tess__operand *operands;
    int32_t        n_operands, n_slots;
    int32_t        operand_of[SIZES][TESS__MAX_REGISTERS];
} assignment;

/* Of the sizes of elements, from 0 for 1 byte to 4 for 16. */
int tess__class_of(tess_dtype type);

static inline value *tess__value_at(const assignment *a, int32_t position) { return &a->all->v[a->order[position]]; }

/* What is done for its effect alone. */
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

/* What is needed, in the order of the program. */
void tess__order_values(assignment *a);
/* Parts of the order that are not needed go. */
void tess__drop_unused(assignment *a);

/* ---- No copies where they can be helped (copies.c) ---- */

/* The result may be computed anywhere: in the cell of a loop, or in an output. */
bool tess__computes_anywhere(const value *v);
/* Its operand may be set to elements where they lie. */
bool tess__moves_along(const value *v);
/* Variables of loops. */
void tess__join_cells(assignment *a);
/* Outputs. */
void tess__aim_stores(assignment *a);

/* ---- Registers (registers.c) ---- */

/* The value whose register this one has. */
int32_t tess__holder(const assignment *a, int32_t v);
bool    tess__has_register(const value *v);
/* Of each loop. */
void tess__find_ends(assignment *a);
/* From where to where values are needed. */
void        tess__find_lives(assignment *a);
tess_status tess__give_registers(assignment *a, int64_t max_registers);

/* ---- Instructions (instructions.c) ---- */

tess_status tess__instructions(assignment *a, tess__instruction *code, tess__program *program);

/* A complaint about the value that is one too many. */
tess_status tess__too_many(const assignment *a, const value *v, const char *what, int64_t most) TESS_COLD;

#endif
