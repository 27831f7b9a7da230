/* Code generation: the sequence of passes from SSA values to bytecode, and the program as one allocation. */
#include "lang/codegen/codegen.h"

#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "lang/ir/fuse.h"

enum { PREFERRED_BYTES = 24576 /* of registers, to stay in the first cache */, MIN_BLOCK = 8 };

int tess__bucket_of(tess_dtype type)
{
    const size_t size = tess_dtype_size(type);
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
}

static int32_t block_length(const codegen *g, int32_t bytes)
{
    int32_t max = TESS__MAX_BLOCK, length = MIN_BLOCK;
    for (int32_t p = g->block; p < g->n; p++) {
        const int kind = tess__value_at(g, p)->kind;
        if (g->part == TESS__PART_BODY && (kind == TESS__DO_LANES || kind == TESS__DO_SET_LANES)) max = 256;
    }
    while (length < max && 2 * length * bytes <= PREFERRED_BYTES) length *= 2;
    return length;
}

/* Can inputs and outputs replace all registers, and is there at most one pass over the elements? Then blocks would be
 * of no use. */
static bool is_in_place(const codegen *g, const tess__instruction *code, const tess__program *head)
{
    for (int32_t k = 0; k < g->n_operands; k++)
        if (g->operands[k].kind == TESS__OPERAND_REGISTER) return false;
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

static tess_status pack_program(tess__program **out, codegen *g, tess__instruction *code, tess__program *head)
{
    const size_t code_size = rounded((size_t)head->end * sizeof *code);
    const size_t operand_size = rounded((size_t)g->n_operands * sizeof *g->operands);
    const size_t constant_size = (size_t)g->all->n_constants * 16;
    const size_t size = rounded(sizeof *head) + code_size + operand_size + constant_size;
    char        *memory = tess__alloc(size);
    if (!memory) return tess__no_program_memory(g->all->tree, size);
    char *at = memory + rounded(sizeof *head);
    head->code = memcpy(at, code, (size_t)head->end * sizeof *code);
    head->operands = memcpy(at + code_size, g->operands, (size_t)g->n_operands * sizeof *g->operands);
    if (constant_size) memcpy(at + code_size + operand_size, g->all->constants, constant_size);
    head->constants = (const unsigned char(*)[16])(void *)(at + code_size + operand_size);
    *out = memcpy(memory, head, sizeof *head);
    return TESS_OK;
}

static tess_status generate(tess__program **out, codegen *g, tess__instruction *code, const tess_op_parse_opts *limits)
{
    const tess__tree *tree = g->all->tree;
    tess__program     head = { .part = g->part, .n_params = tree->n_params, .n_constants = g->all->n_constants };
    tess__order_values(g);
    tess__fuse(g->all, g->order, g->n, g->register_of);
    tess__drop_unused(g);
    tess__find_loop_ends(g);
    for (int32_t p = 0; p < g->n; p++) tess__value_at(g, p)->first = p;
    tess__coalesce_loop_variables(g);
    tess__find_live_ranges(g);
    tess__aim_stores(g);
    TESS_TRY(tess__allocate_registers(g, limits->max_registers));
    TESS_TRY(tess__instructions(g, code, &head));
    for (int k = 0; k < tree->n_params; k++) {
        head.type[k] = (uint8_t)tree->params[k].type;
        head.role[k] = (uint8_t)tree->params[k].role;
        head.border[k] = tree->params[k].border;
        head.fill[k] = tree->params[k].fill;
        if (tree->params[k].border == TESS_BORDER_VALUE && !head.fill[k])
            tess__constant_bytes(head.outside[k], tree->params[k].type, &tree->params[k].value);
    }
    head.max_trips = limits->max_trips;
    head.n_operands = g->n_operands;
    head.n_slots = g->n_slots;
    for (int k = 0; k < SIZES; k++) {
        head.n_registers += g->n_registers[k];
        head.register_bytes += g->n_registers[k] << k;
    }
    head.length = block_length(g, head.register_bytes);
    head.in_place = is_in_place(g, code, &head);
    return pack_program(out, g, code, &head);
}

tess_status tess__codegen(tess__program **out, values *all, int part, const tess_op_parse_opts *limits)
{
    const size_t n = (size_t)all->n + 1;
    const size_t code_size = 2 * n * sizeof(tess__instruction);
    const size_t operand_size = TESS__MAX_PROGRAM_OPERANDS * sizeof(tess__operand);
    const size_t size = rounded(sizeof(codegen)) + code_size + operand_size + 4 * n * sizeof(int32_t);
    char        *memory = tess__alloc(size);
    if (!memory) return tess__no_program_memory(all->tree, size);
    codegen           *g = (codegen *)(void *)memory;
    tess__instruction *code = (tess__instruction *)(void *)(memory + rounded(sizeof *g));
    g->all = all;
    g->part = part;
    g->n = g->n_active = g->n_operands = g->n_slots = 0;
    memset(g->n_free, 0, sizeof g->n_free);
    memset(g->n_registers, 0, sizeof g->n_registers);
    memset(g->operand_of, 0xff, sizeof g->operand_of);
    g->operands = (tess__operand *)(void *)((char *)code + code_size);
    g->order = (int32_t *)(void *)((char *)g->operands + operand_size);
    g->end_of = g->order + n;
    g->active = g->end_of + n;
    g->register_of = g->active + n;
    const tess_status status = generate(out, g, code, limits);
    tess__free(memory);
    return status;
}

void tess__program_free(tess__program *program) { tess__free(program); }
