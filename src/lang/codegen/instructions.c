/* Instruction selection: operands and instructions from values that have registers. */
#include "lang/codegen/codegen.h"

/* ---- Operands ---- */

static tess_status new_operand(assignment *a, uint16_t *out, const value *v, tess__operand o)
{
    if (a->n_operands == TESS__MOST_VALUES)
        return tess__too_many(a, v, "numbers, parameters and results", TESS__MOST_VALUES);
    a->operands[a->n_operands] = o;
    *out = (uint16_t)a->n_operands++;
    return TESS_OK;
}

static tess_status slot_operand(assignment *a, uint16_t *out, const value *v)
{
    if (a->n_slots == TESS__MAX_SLOTS)
        return tess__too_many(a, v, "values and loops that are the same for all elements of a row", TESS__MAX_SLOTS);
    return new_operand(a, out, v, (tess__operand){ .kind = TESS__OPERAND_SLOT, .at = a->n_slots++ });
}

/* Where a register begins, for blocks of one element: larger elements come first, so that all are aligned. */
static tess__operand register_operand(const assignment *a, int size, int32_t number, bool moving)
{
    int32_t offset = 0, rank = 0;
    for (int k = SIZES - 1; k > size; k--) {
        offset += a->n_made[k] << k;
        rank += a->n_made[k];
    }
    return (tess__operand){ .kind = moving ? TESS__OPERAND_MOVING : TESS__OPERAND_REGISTER,
                            .at = offset + (number << size),
                            .place = (uint16_t)(rank + number) };
}

static tess_status vector_operand(assignment *a, uint16_t *out, int32_t number)
{
    value    *v = &a->all->v[number];
    const int size = tess__class_of(v->to);
    if (a->register_of[number] < 0) {
        TESS__VALUES_WRONG(a->all, v->span, "this has no register, which is a mistake of the library");
        return a->all->status;
    }
    if (tess__moves_along(v)) {
        if (v->operand < 0) {
            TESS_TRY(new_operand(a, out, v, register_operand(a, size, a->register_of[number], true)));
            v->operand = *out;
        }
        *out = (uint16_t)v->operand;
        return TESS_OK;
    }
    int32_t *known = &a->operand_of[size][a->register_of[number]];
    if (*known < 0) {
        TESS_TRY(new_operand(a, out, v, register_operand(a, size, a->register_of[number], false)));
        *known = *out;
    }
    *out = (uint16_t)*known;
    return TESS_OK;
}

static tess_status operand(assignment *a, uint16_t *out, int32_t number)
{
    number = tess__holder(a, number);
    value *v = &a->all->v[number];
    if (tess__has_register(v)) return vector_operand(a, out, number);
    if (v->operand < 0) {
        tess__operand o = { .axis = (uint8_t)v->step, .at = v->op };
        switch (v->kind) {
        case VALUE_CONSTANT: o = (tess__operand){ .kind = TESS__OPERAND_CONSTANT, .at = (int32_t)v->step }; break;
        case VALUE_VAL: o.kind = TESS__OPERAND_VAL; break;
        case VALUE_SHAPE: o.kind = TESS__OPERAND_SHAPE; break;
        case VALUE_SIZE: o.kind = TESS__OPERAND_SIZE; break;
        case VALUE_COUNT: o.kind = TESS__OPERAND_COUNT; break;
        case VALUE_INDEX: o.kind = TESS__OPERAND_INDEX; break;
        case VALUE_COUNTER: /* the loop has it */
            TESS_TRY(operand(a, out, v->args[0]));
            v->operand = *out;
            return TESS_OK;
        default:
            TESS_TRY(slot_operand(a, out, v));
            v->operand = *out;
            return TESS_OK;
        }
        TESS_TRY(new_operand(a, out, v, o));
        v->operand = *out;
    }
    *out = (uint16_t)v->operand;
    return TESS_OK;
}

/* ---- Instructions ---- */

static tess_status set_instruction(assignment *a, tess__instruction *i, const value *v)
{
    i->kind = TESS__DO_COPY;
    i->n_args = 1;
    TESS_TRY(operand(a, &i->result, v->args[0]));
    return operand(a, &i->args[0], v->args[1]);
}

/* The state of a loop is a slot that its end finds again through the loop's own `chain`. */
static tess_status loop_instruction(assignment *a, tess__instruction *i, value *v, int32_t at)
{
    if (v->kind == TESS__DO_LOOP) {
        TESS_TRY(slot_operand(a, &i->args[2], v));
        i->n_args = 3;
        v->chain = i->args[2];
        v->next = at;
        return TESS_OK;
    }
    value *loop = &a->all->v[v->args[0]];
    TESS_TRY(operand(a, &i->result, v->args[0]));
    i->args[0] = (uint16_t)loop->chain;
    i->target = loop->next + 1;
    return TESS_OK;
}

static bool moves_elements(const value *v)
{
    switch (v->kind) {
    case TESS__DO_SELECT:
    case TESS__DO_COPY:
    case TESS__DO_LOAD:
    case TESS__DO_LANES:
    case TESS__DO_STORE:
    case TESS__DO_SET_LANES:
    case TESS__DO_ROW:
    case TESS__DO_AT:
    case VALUE_SET: return true;
    default: return false;
    }
}

static tess_status instruction(assignment *a, tess__instruction *i, int32_t number, int32_t at)
{
    value *v = &a->all->v[number];
    *i = (tess__instruction){ .kind = v->kind,
                              .n_args = v->n_args,
                              .type = v->type,
                              .to = v->to,
                              .single = v->single,
                              .flag = v->flag,
                              .op = v->op,
                              .step = v->step };
    if (moves_elements(v)) i->step = tess__class_of(v->type);
    if (v->kind == TESS__DO_LANES && v->step) i->to = 0;
    if (v->kind == VALUE_SET) return set_instruction(a, i, v);
    if (v->kind != TESS__DO_END)
        for (int k = 0; k < v->n_args; k++) TESS_TRY(operand(a, &i->args[k], v->args[k]));
    if (tess__has_register(v) || (v->single && v->kind != TESS__DO_END)) TESS_TRY(operand(a, &i->result, number));
    if (v->kind == TESS__DO_LOOP || v->kind == TESS__DO_END) return loop_instruction(a, i, v, at);
    return TESS_OK;
}

/* Outputs that are results themselves come first in a block. */
static tess_status aims(assignment *a, tess__instruction *code, int32_t *n)
{
    for (int32_t p = a->block; p < a->n; p++) {
        const value *v = tess__value_at(a, p);
        if (!v->used || !tess__computes_anywhere(v) || !v->flag) continue;
        tess__instruction *i = &code[(*n)++];
        *i = (tess__instruction){ .kind = TESS__DO_AIM, .op = (int16_t)v->next, .type = v->to };
        TESS_TRY(operand(a, &i->result, a->order[p]));
    }
    return TESS_OK;
}

tess_status tess__instructions(assignment *a, tess__instruction *code, tess__program *program)
{
    int32_t n = 0;
    program->row = program->block = -1;
    for (int32_t p = 0; p <= a->n; p++) {
        if (p == a->row) program->row = n;
        if (p == a->block) {
            program->block = n;
            TESS_TRY(aims(a, code, &n));
        }
        if (p == a->n || !tess__value_at(a, p)->used) continue;
        TESS_TRY(instruction(a, &code[n], a->order[p], n));
        if (code[n].kind == TESS__DO_END) code[code[n].target - 1].target = n + 1;
        n++;
    }
    program->end = n;
    return TESS_OK;
}
