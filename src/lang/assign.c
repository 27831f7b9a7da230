/* From values to a program: what is needed, in order; registers by linear scan; instructions. */
#include <string.h>

#include "core/dtype.h"
#include "core/memory.h"
#include "lang/fuse.h"
#include "lang/values.h"

enum { SIZES = 5, PREFERRED_BYTES = 24576 /* of registers, to stay in the first cache */, LEAST_BLOCK = 8 };

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

static int size_class(tess_dtype type)
{
    const size_t size = tess_dtype_size(type);
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
}

static value *value_at(const assignment *a, int32_t position) { return &a->all->v[a->order[position]]; }

/* The value whose register this one has. */
static int32_t holder(const assignment *a, int32_t v)
{
    const value *all = a->all->v;
    if (all[v].kind == VALUE_AFTER) v = all[v].args[0];
    while (all[v].same != v) {
        v = all[v].same;
        if (all[v].kind == VALUE_AFTER) v = all[v].args[0];
    }
    return v;
}

static bool has_register(const value *v)
{
    if (v->single) return false;
    switch (v->kind) {
    case TESS__DO_STORE:
    case TESS__DO_SCATTER:
    case TESS__DO_COMBINE:
    case TESS__DO_ADD_PRODUCTS:
    case TESS__DO_ADD_DISTANCES:
    case TESS__DO_SET_LANES:
    case TESS__DO_LOOP:
    case TESS__DO_END:
    case VALUE_SET: return false;
    default: return true;
    }
}

/* ---- What is needed ---- */

static bool has_effect(const assignment *a, const value *v)
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
    case TESS__DO_ROW:
    case TESS__DO_AT:
    case TESS__DO_INTERP: return a->all->tree->params[v->op].border == TESS__BORDER_FAULT;
    default: return false;
    }
}

static bool use(assignment *a, int32_t number)
{
    value *v = &a->all->v[number];
    bool   changed = !v->used;
    v->used = true;
    if (v->kind == VALUE_AFTER) changed |= use(a, v->args[0]);
    return changed;
}

/* From the end backwards, again as long as the variables of loops make something new needed. */
static void find_used(assignment *a)
{
    for (bool again = true; again;) {
        again = false;
        for (int32_t p = a->n - 1; p >= 0; p--) {
            value     *v = value_at(a, p);
            const bool set = v->kind == VALUE_SET;
            if (!v->used && !has_effect(a, v) && !(set && a->all->v[v->args[0]].used)) continue;
            v->used = true;
            for (int k = set; k < v->n_args; k++) again |= use(a, v->args[k]);
        }
    }
}

static void append_list(assignment *a, const list *l)
{
    for (int32_t v = l->first; v >= 0; v = a->all->v[v].next) a->order[a->n++] = v;
}

/* Parts of the order that are not needed go. */
static void drop_unused(assignment *a)
{
    const int32_t n = a->n, row = a->row, block = a->block;
    a->n = 0;
    for (int32_t p = 0; p <= n; p++) {
        if (p == row) a->row = a->n;
        if (p == block) a->block = a->n;
        if (p < n && a->all->v[a->order[p]].used) a->order[a->n++] = a->order[p];
    }
}

/* ---- From where to where ---- */

static void find_ends(assignment *a)
{
    int32_t open[MAX_DEPTH], depth = 0;
    for (int32_t p = 0; p < a->n; p++) {
        const value *v = value_at(a, p);
        a->end_of[p] = -1;
        if (v->kind == TESS__DO_LOOP) open[depth++] = p;
        if (v->kind == TESS__DO_END) a->end_of[open[--depth]] = p;
    }
}

/* Used at p, within loops that begin at `open`: what was there before a loop must last until the loop ends. */
static void touch(assignment *a, int32_t number, int32_t p, const int32_t *open, int depth)
{
    value  *v = &a->all->v[holder(a, number)];
    int32_t last = p;
    if (v->first < 0) v->first = p;
    for (int k = depth - 1; k >= 0 && v->first < open[k]; k--) last = a->end_of[open[k]];
    if (last > v->last) v->last = last;
}

/* The same for what is read of a cell before it is set again; kept in `first` of the cell's SET is its start. */
static void find_lives(assignment *a)
{
    int32_t open[MAX_DEPTH];
    int     depth = 0;
    for (int32_t p = 0; p < a->n; p++) a->all->v[a->order[p]].first = p;
    for (int32_t p = 0; p < a->n; p++) {
        value *v = value_at(a, p);
        if (v->kind == VALUE_SET) {
            value *cell = &a->all->v[v->args[0]];
            if (cell->first < 0) cell->first = p;
        }
        if (v->last < p) v->last = p;
        for (int k = 0; k < v->n_args; k++) touch(a, v->args[k], p, open, depth);
        if (v->kind == TESS__DO_LOOP) open[depth++] = p;
        if (v->kind == TESS__DO_END) depth--;
    }
}

/* ---- Variables of loops: no copies where they can be helped ---- */

/* The last place where a cell is read, other than to be set, and not by way of what comes after its loop. */
static int32_t last_read(const assignment *a, int32_t cell, int32_t from, int32_t to)
{
    int32_t last = -1, outer_end = -1;
    for (int32_t p = from; p < to; p++) {
        const value *v = value_at(a, p);
        if (v->kind == TESS__DO_LOOP && outer_end < p) outer_end = a->end_of[p];
        for (int k = v->kind == VALUE_SET; k < v->n_args; k++)
            if (v->args[k] == cell) last = outer_end > p ? outer_end : p;
    }
    return last;
}

static bool is_plain(const value *v)
{
    switch (v->kind) {
    case TESS__DO_OPERATOR:
    case TESS__DO_FUSED:
    case TESS__DO_CAST:
    case TESS__DO_CONVERT:
    case TESS__DO_SELECT:
    case TESS__DO_COPY:
    case TESS__DO_IOTA:
    case TESS__DO_AT:
    case TESS__DO_INTERP:
    case TESS__DO_RANDOM: return true;
    default: return false;
    }
}

/* The end of a turn sets `cell` to x: x can be computed there at once if nobody reads the cell after it. */
static void join_with_cell(assignment *a, value *set, int32_t p, int32_t loop_at)
{
    const int32_t cell = set->args[0], number = set->args[1];
    value        *c = &a->all->v[cell], *x = &a->all->v[number];
    if (c->single || x->single || x->same != number || tess_dtype_size(c->type) != tess_dtype_size(x->to)) return;
    if (is_plain(x) && x->loop == set->loop && x->first > loop_at) {
        const int32_t read = last_read(a, cell, loop_at + 1, p);
        if (read > x->first || (read == x->first && !x->in_place)) return;
        x->same = cell;
        set->used = false;
        return;
    }
    if (x->kind != VALUE_AFTER) return;
    const int32_t inner = x->args[0];
    if (a->all->v[inner].same != inner) return;
    for (int32_t q = loop_at + 1; q < p; q++) { /* the inner one starts as the outer one, which is not read later */
        value *start = value_at(a, q);
        if (start->kind != VALUE_SET || start->args[0] != inner) continue;
        if (start->args[1] != cell || last_read(a, cell, loop_at + 1, p) > q) return;
        a->all->v[inner].same = cell;
        start->used = set->used = false;
        return;
    }
}

static void join_cells(assignment *a)
{
    int32_t open[MAX_DEPTH];
    int     depth = 0;
    for (int32_t p = 0; p < a->n; p++) {
        value *v = value_at(a, p);
        if (v->kind == TESS__DO_LOOP) open[depth++] = p;
        if (v->kind == TESS__DO_END) depth--;
        if (v->kind == VALUE_SET && depth && a->order[open[depth - 1]] == a->all->v[v->args[0]].loop)
            join_with_cell(a, v, p, open[depth - 1]);
    }
}

/* ---- Outputs ---- */

/* A result can go straight to its output if no input is read after it: the output may be one of them. */
static void aim_stores(assignment *a)
{
    int32_t last_load = -1, stores = 0;
    for (int32_t p = a->block; p < a->n; p++) {
        const value *v = value_at(a, p);
        if (v->kind == TESS__DO_LOAD && v->last > last_load) last_load = v->last;
        stores += v->kind == TESS__DO_STORE;
    }
    for (int32_t p = a->block; p < a->n; p++) {
        value *store = value_at(a, p);
        if (store->kind != TESS__DO_STORE && store->kind != TESS__DO_SET_LANES) continue;
        value *x = &a->all->v[store->args[0]];
        if (x->kind == TESS__DO_LANES) x->step = 1; /* they may be set before they are read */
        if (store->kind != TESS__DO_STORE) continue;
        if (x->kind == TESS__DO_LOAD && stores > 1) x->flag = true;
        if (!is_plain(x) || x->single || x->level != LEVEL_BLOCK || x->same != store->args[0] || x->flag) continue;
        if (last_load > x->first || (last_load == x->first && !x->in_place)) continue;
        x->flag = true; /* plain values have no other use for it */
        x->next = store->op;
    }
}

static bool is_moving(const value *v)
{
    return v->kind == TESS__DO_LOAD || v->kind == TESS__DO_LANES || v->kind == TESS__DO_ROW || (is_plain(v) && v->flag);
}

/* ---- Registers ---- */

static tess_status too_many(const assignment *a, const value *v, const char *what, int64_t most)
{
    TESS__VALUES_WRONG(a->all, v->span, "more than %lld %s, which is the limit; split the operator", (long long)most,
                       what);
    return a->all->status;
}

static void release_dead(assignment *a, int32_t p, const value *only_for)
{
    for (int32_t k = 0; k < a->n_active;) {
        const int32_t number = a->active[k];
        const value  *v = &a->all->v[number];
        const int     size = size_class(v->to);
        bool          dead = v->last < p;
        if (!dead && v->last == p && only_for && only_for->in_place && size == size_class(only_for->to))
            for (int i = 0; i < only_for->n_args; i++) dead |= holder(a, only_for->args[i]) == number;
        if (dead) {
            a->free_at[size][a->n_free[size]++] = a->register_of[number];
            a->active[k] = a->active[--a->n_active];
        } else {
            k++;
        }
    }
}

static tess_status give_register(assignment *a, int32_t number, int64_t most)
{
    const value *v = &a->all->v[number];
    const int    size = size_class(v->to);
    if (a->n_active >= most) return too_many(a, v, "values are needed at once (max_registers)", most);
    if (a->n_free[size]) {
        a->register_of[number] = a->free_at[size][--a->n_free[size]];
    } else {
        if (a->n_made[size] >= TESS__MAX_REGISTERS)
            return too_many(a, v, "values of one size are needed at once", TESS__MAX_REGISTERS);
        a->register_of[number] = a->n_made[size]++;
    }
    a->active[a->n_active++] = number;
    return TESS_OK;
}

static tess_status scan(assignment *a, int64_t max_registers)
{
    const int64_t most = max_registers < TESS__MAX_REGISTERS ? max_registers : TESS__MAX_REGISTERS;
    for (int32_t k = 0; k < a->all->n; k++) a->register_of[k] = -1;
    for (int32_t p = a->block; p < a->n; p++) {
        const value *v = value_at(a, p);
        if (!v->used) continue;
        const int32_t number = holder(a, v->kind == VALUE_SET ? v->args[0] : a->order[p]);
        const value  *held = &a->all->v[number];
        if (!has_register(held) || a->register_of[number] >= 0) continue;
        release_dead(a, p, is_moving(held) ? NULL : v);
        TESS_TRY(give_register(a, number, most));
    }
    return TESS_OK;
}

/* ---- Operands ---- */

static tess_status new_operand(assignment *a, uint16_t *out, const value *v, tess__operand o)
{
    if (a->n_operands == TESS__MOST_VALUES) return too_many(a, v, "numbers, parameters and results", TESS__MOST_VALUES);
    a->operands[a->n_operands] = o;
    *out = (uint16_t)a->n_operands++;
    return TESS_OK;
}

static tess_status slot_operand(assignment *a, uint16_t *out, const value *v)
{
    if (a->n_slots == TESS__MAX_SLOTS)
        return too_many(a, v, "values and loops that are the same for all elements of a row", TESS__MAX_SLOTS);
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
    const int size = size_class(v->to);
    if (a->register_of[number] < 0) {
        TESS__VALUES_WRONG(a->all, v->span, "this has no register, which is a mistake of the library");
        return a->all->status;
    }
    if (is_moving(v)) {
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
    number = holder(a, number);
    value *v = &a->all->v[number];
    if (has_register(v)) return vector_operand(a, out, number);
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
    if (moves_elements(v)) i->step = size_class(v->type);
    if (v->kind == TESS__DO_LANES && v->step) i->to = 0;
    if (v->kind == VALUE_SET) return set_instruction(a, i, v);
    if (v->kind != TESS__DO_END)
        for (int k = 0; k < v->n_args; k++) TESS_TRY(operand(a, &i->args[k], v->args[k]));
    if (has_register(v) || (v->single && v->kind != TESS__DO_END)) TESS_TRY(operand(a, &i->result, number));
    if (v->kind == TESS__DO_LOOP || v->kind == TESS__DO_END) return loop_instruction(a, i, v, at);
    return TESS_OK;
}

/* Outputs that are results themselves come first in a block. */
static tess_status aims(assignment *a, tess__instruction *code, int32_t *n)
{
    for (int32_t p = a->block; p < a->n; p++) {
        const value *v = value_at(a, p);
        if (!v->used || !is_plain(v) || !v->flag) continue;
        tess__instruction *i = &code[(*n)++];
        *i = (tess__instruction){ .kind = TESS__DO_AIM, .op = (int16_t)v->next, .type = v->to };
        TESS_TRY(operand(a, &i->result, a->order[p]));
    }
    return TESS_OK;
}

static tess_status instructions(assignment *a, tess__instruction *code, tess__program *program)
{
    int32_t n = 0;
    program->row = program->block = -1;
    for (int32_t p = 0; p <= a->n; p++) {
        if (p == a->row) program->row = n;
        if (p == a->block) {
            program->block = n;
            TESS_TRY(aims(a, code, &n));
        }
        if (p == a->n || !value_at(a, p)->used) continue;
        TESS_TRY(instruction(a, &code[n], a->order[p], n));
        if (code[n].kind == TESS__DO_END) code[code[n].target - 1].target = n + 1;
        n++;
    }
    program->end = n;
    return TESS_OK;
}

/* ---- The whole ---- */

static int32_t block_length(const assignment *a, int32_t bytes)
{
    int32_t most = TESS__MAX_BLOCK, length = LEAST_BLOCK;
    for (int32_t p = a->block; p < a->n; p++) {
        const int kind = value_at(a, p)->kind;
        if (a->part == TESS__PART_BODY && (kind == TESS__DO_LANES || kind == TESS__DO_SET_LANES)) most = 256;
    }
    while (length < most && 2 * length * bytes <= PREFERRED_BYTES) length *= 2;
    return length;
}

/* Are all registers such as inputs and outputs may take the place of, and is one instruction all that is done? Then
 * blocks would be of no use. */
static bool is_in_place(const assignment *a, const tess__instruction *code, const tess__program *head)
{
    for (int32_t k = 0; k < a->n_operands; k++)
        if (a->operands[k].kind == TESS__OPERAND_REGISTER) return false;
    int passes = 0;
    for (int32_t k = head->block; k < head->end; k++) {
        const int kind = code[k].kind;
        if (kind == TESS__DO_ROW || kind == TESS__DO_LANES || kind == TESS__DO_SET_LANES) return false;
        if (kind == TESS__DO_LOAD && code[k].flag) return false;
        passes += kind != TESS__DO_LOAD && kind != TESS__DO_AIM && kind != TESS__DO_STORE;
    }
    return passes <= 1;
}

static size_t rounded(size_t size) { return (size + 15) / 16 * 16; }

static tess_status put_together(tess__program **out, assignment *a, tess__instruction *code, tess__program *head)
{
    const size_t code_size = rounded((size_t)head->end * sizeof *code);
    const size_t operand_size = rounded((size_t)a->n_operands * sizeof *a->operands);
    const size_t constant_size = (size_t)a->all->n_constants * 16;
    const size_t size = rounded(sizeof *head) + code_size + operand_size + constant_size;
    char        *memory = tess__alloc(size);
    if (!memory) return tess__no_program_memory(a->all->tree, size);
    char *at = memory + rounded(sizeof *head);
    head->code = memcpy(at, code, (size_t)head->end * sizeof *code);
    head->operands = memcpy(at + code_size, a->operands, (size_t)a->n_operands * sizeof *a->operands);
    if (constant_size) memcpy(at + code_size + operand_size, a->all->constants, constant_size);
    head->constants = (const unsigned char(*)[16])(void *)(at + code_size + operand_size);
    *out = memcpy(memory, head, sizeof *head);
    return TESS_OK;
}

static tess_status assign_all(tess__program **out, assignment *a, tess__instruction *code,
                              const tess_op_parse_opts *limits)
{
    const tess__tree *tree = a->all->tree;
    tess__program     head = { .part = a->part, .n_params = tree->n_params, .n_constants = a->all->n_constants };
    append_list(a, &a->all->lists[LEVEL_TILE]);
    a->row = a->n;
    append_list(a, &a->all->lists[LEVEL_ROW]);
    a->block = a->n;
    append_list(a, &a->all->lists[LEVEL_BLOCK]);
    find_used(a);
    drop_unused(a);
    tess__fuse(a->all, a->order, a->n, a->register_of);
    drop_unused(a);
    find_ends(a);
    for (int32_t p = 0; p < a->n; p++) value_at(a, p)->first = p;
    join_cells(a);
    find_lives(a);
    aim_stores(a);
    for (int32_t p = 0; p < a->n; p++) /* an output's own result stays until it is stored */
        if (value_at(a, p)->kind == TESS__DO_STORE) touch(a, value_at(a, p)->args[0], p, NULL, 0);
    TESS_TRY(scan(a, limits->max_registers));
    TESS_TRY(instructions(a, code, &head));
    for (int k = 0; k < tree->n_params; k++) {
        head.type[k] = (uint8_t)tree->params[k].type;
        head.role[k] = (uint8_t)tree->params[k].role;
        head.border[k] = tree->params[k].border;
    }
    head.max_trips = limits->max_trips;
    head.n_operands = a->n_operands;
    head.n_slots = a->n_slots;
    for (int k = 0; k < SIZES; k++) {
        head.n_registers += a->n_made[k];
        head.register_bytes += a->n_made[k] << k;
    }
    head.length = block_length(a, head.register_bytes);
    head.in_place = is_in_place(a, code, &head);
    return put_together(out, a, code, &head);
}

tess_status tess__assign(tess__program **out, values *all, int part, const tess_op_parse_opts *limits)
{
    const size_t n = (size_t)all->n + 1;
    const size_t code_size = 2 * n * sizeof(tess__instruction);
    const size_t operand_size = TESS__MOST_VALUES * sizeof(tess__operand);
    const size_t size = rounded(sizeof(assignment)) + code_size + operand_size + 4 * n * sizeof(int32_t);
    char        *memory = tess__alloc(size);
    if (!memory) return tess__no_program_memory(all->tree, size);
    assignment        *a = (assignment *)(void *)memory;
    tess__instruction *code = (tess__instruction *)(void *)(memory + rounded(sizeof *a));
    a->all = all;
    a->part = part;
    a->n = a->n_active = a->n_operands = a->n_slots = 0;
    memset(a->n_free, 0, sizeof a->n_free);
    memset(a->n_made, 0, sizeof a->n_made);
    memset(a->operand_of, 0xff, sizeof a->operand_of);
    a->operands = (tess__operand *)(void *)((char *)code + code_size);
    a->order = (int32_t *)(void *)((char *)a->operands + operand_size);
    a->end_of = a->order + n;
    a->active = a->end_of + n;
    a->register_of = a->active + n;
    const tess_status status = assign_all(out, a, code, limits);
    tess__free(memory);
    return status;
}

void tess__program_free(tess__program *program) { tess__free(program); }
