/* Instruction selection: operands and instructions from values that have registers. */
#include "lang/codegen/codegen.h"

/* ---- Operands ---- */

static tess_status new_operand(codegen *g, uint16_t *out, const value *v, tess__operand o)
{
    if (g->n_operands == TESS__MAX_PROGRAM_OPERANDS)
        return tess__too_many(g, v, "numbers, parameters and results", TESS__MAX_PROGRAM_OPERANDS);
    g->operands[g->n_operands] = o;
    *out = (uint16_t)g->n_operands++;
    return TESS_OK;
}

static tess_status slot_operand(codegen *g, uint16_t *out, const value *v)
{
    if (g->n_slots == TESS__MAX_SLOTS)
        return tess__too_many(g, v, "values and loops uniform over a row", TESS__MAX_SLOTS);
    return new_operand(g, out, v, (tess__operand){ .kind = TESS__OPERAND_SLOT, .at = g->n_slots++ });
}

/* The offset of a register, for blocks of one element: larger elements come first, so that all are aligned. */
static tess__operand register_operand(const codegen *g, int size, int32_t number, bool moving)
{
    int32_t offset = 0, rank = 0;
    for (int k = SIZES - 1; k > size; k--) {
        offset += g->n_registers[k] << k;
        rank += g->n_registers[k];
    }
    return (tess__operand){ .kind = moving ? TESS__OPERAND_MOVING : TESS__OPERAND_REGISTER,
                            .at = offset + (number << size),
                            .index = (uint16_t)(rank + number) };
}

static tess_status vector_operand(codegen *g, uint16_t *out, int32_t number)
{
    value    *v = &g->all->v[number];
    const int size = tess__bucket_of(v->to);
    if (g->register_of[number] < 0) {
        TESS__VALUES_WRONG(g->all, v->span, "this has no register: an internal error of the library");
        return g->all->status;
    }
    if (tess__moves_along(v)) {
        if (v->operand < 0) {
            TESS_TRY(new_operand(g, out, v, register_operand(g, size, g->register_of[number], true)));
            v->operand = *out;
        }
        *out = (uint16_t)v->operand;
        return TESS_OK;
    }
    int32_t *known = &g->operand_of[size][g->register_of[number]];
    if (*known < 0) {
        TESS_TRY(new_operand(g, out, v, register_operand(g, size, g->register_of[number], false)));
        *known = *out;
    }
    *out = (uint16_t)*known;
    return TESS_OK;
}

static tess_status operand(codegen *g, uint16_t *out, int32_t number)
{
    number = tess__holder(g, number);
    value *v = &g->all->v[number];
    if (tess__has_register(v)) return vector_operand(g, out, number);
    if (v->operand < 0) {
        tess__operand o = { .axis = (uint8_t)v->step, .at = v->op };
        switch (v->kind) {
        case VALUE_CONSTANT: o = (tess__operand){ .kind = TESS__OPERAND_CONSTANT, .at = (int32_t)v->step }; break;
        case VALUE_VAL:
            o = (tess__operand){ .kind = TESS__OPERAND_VAL, .at = v->op, .index = (uint16_t)v->step };
            break;
        case VALUE_SHAPE: o.kind = TESS__OPERAND_SHAPE; break;
        case VALUE_SIZE: o.kind = TESS__OPERAND_SIZE; break;
        case VALUE_COUNT: o.kind = TESS__OPERAND_COUNT; break;
        case VALUE_INDEX: o.kind = TESS__OPERAND_INDEX; break;
        case VALUE_COUNTER: /* it is the loop's operand */
            TESS_TRY(operand(g, out, v->args[0]));
            v->operand = *out;
            return TESS_OK;
        default:
            TESS_TRY(slot_operand(g, out, v));
            v->operand = *out;
            return TESS_OK;
        }
        TESS_TRY(new_operand(g, out, v, o));
        v->operand = *out;
    }
    *out = (uint16_t)v->operand;
    return TESS_OK;
}

/* ---- Instructions ---- */

static tess_status set_instruction(codegen *g, tess__instruction *i, const value *v)
{
    i->kind = TESS__DO_COPY;
    i->n_args = 1;
    TESS_TRY(operand(g, &i->result, v->args[0]));
    return operand(g, &i->args[0], v->args[1]);
}

/* The state of a loop is a slot that its end finds again through the loop's own `chain`. */
static tess_status loop_instruction(codegen *g, tess__instruction *i, value *v, int32_t at)
{
    if (v->kind == TESS__DO_LOOP) {
        TESS_TRY(slot_operand(g, &i->args[2], v));
        i->n_args = 3;
        v->chain = i->args[2];
        v->next = at;
        return TESS_OK;
    }
    value *loop = &g->all->v[v->args[0]];
    TESS_TRY(operand(g, &i->result, v->args[0]));
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

static tess_status instruction(codegen *g, tess__instruction *i, int32_t number, int32_t at)
{
    value *v = &g->all->v[number];
    *i = (tess__instruction){ .kind = v->kind,
                              .n_args = v->n_args,
                              .type = v->type,
                              .to = v->to,
                              .uniform = v->uniform,
                              .flag = v->flag,
                              .op = v->op,
                              .step = v->step };
    if (moves_elements(v)) i->step = tess__bucket_of(v->type);
    if (v->kind == TESS__DO_LANES && v->step) i->to = 0;
    if (v->kind == VALUE_SET) return set_instruction(g, i, v);
    if (v->kind != TESS__DO_END)
        for (int k = 0; k < v->n_args; k++) TESS_TRY(operand(g, &i->args[k], v->args[k]));
    if (tess__has_register(v) || (v->uniform && v->kind != TESS__DO_END)) TESS_TRY(operand(g, &i->result, number));
    if (v->kind == TESS__DO_LOOP || v->kind == TESS__DO_END) return loop_instruction(g, i, v, at);
    return TESS_OK;
}

/* Outputs that results are computed in come first in a block. */
static tess_status aims(codegen *g, tess__instruction *code, int32_t *n)
{
    for (int32_t p = g->block; p < g->n; p++) {
        const value *v = tess__value_at(g, p);
        if (!v->used || !tess__computes_anywhere(v) || !v->flag) continue;
        tess__instruction *i = &code[(*n)++];
        *i = (tess__instruction){ .kind = TESS__DO_AIM, .op = (int16_t)v->next, .type = v->to };
        TESS_TRY(operand(g, &i->result, g->order[p]));
    }
    return TESS_OK;
}

tess_status tess__instructions(codegen *g, tess__instruction *code, tess__program *program)
{
    int32_t n = 0;
    program->row = program->block = -1;
    for (int32_t p = 0; p <= g->n; p++) {
        if (p == g->row) program->row = n;
        if (p == g->block) {
            program->block = n;
            TESS_TRY(aims(g, code, &n));
        }
        if (p == g->n || !tess__value_at(g, p)->used) continue;
        TESS_TRY(instruction(g, &code[n], g->order[p], n));
        if (code[n].kind == TESS__DO_END) code[code[n].target - 1].target = n + 1;
        n++;
    }
    program->end = n;
    return TESS_OK;
}
