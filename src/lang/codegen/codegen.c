/* Code generation: the sequence of passes from SSA values to bytecode, and the program as one allocation. */
#include "lang/codegen/codegen.h"

#include <string.h>

#include "core/dtype.h"
#include "core/memory.h"
#include "lang/ir/fuse.h"

enum { PREFERRED_BYTES = 24576 /* of registers, to stay in the first cache */, LEAST_BLOCK = 8 };

int tess__class_of(tess_dtype type)
{
    const size_t size = tess_dtype_size(type);
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
}

static int32_t block_length(const assignment *a, int32_t bytes)
{
    int32_t most = TESS__MAX_BLOCK, length = LEAST_BLOCK;
    for (int32_t p = a->block; p < a->n; p++) {
        const int kind = tess__value_at(a, p)->kind;
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
    tess__order_values(a);
    tess__fuse(a->all, a->order, a->n, a->register_of);
    tess__drop_unused(a);
    tess__find_ends(a);
    for (int32_t p = 0; p < a->n; p++) tess__value_at(a, p)->first = p;
    tess__join_cells(a);
    tess__find_lives(a);
    tess__aim_stores(a);
    TESS_TRY(tess__give_registers(a, limits->max_registers));
    TESS_TRY(tess__instructions(a, code, &head));
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
