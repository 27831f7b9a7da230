/* Register virtual machine: interprets a program on a tile, row by row and block by block. */
#include "cpu/op/vm.h"

#include <string.h>

#include "core/dtype.h"
#include "cpu/convert/convert.h"
#include "cpu/isa.h"
#include "cpu/op/half_lanes.h"
#include "lang/codegen/bytecode.h"
#include "tessera/array.h"
#include "tessera/border.h"

typedef struct machine {
    const tess__program *program;
    const tess_tile     *tile;
    const tess__kernels *kernels;
    char               **ptr;    /* of each operand */
    int64_t             *stride; /* 0 or 1 */
    unsigned char (*slots)[16];
    int64_t    *scratch; /* a block of i64 */
    char       *registers;
    int64_t     gap;                   /* bytes between registers */
    int64_t     position[3];           /* b, d, h of the row */
    bool        stopped;               /* no loop is run any more */
    uint32_t    block;                 /* number of the block, from 1 on */
    int64_t     length;                /* of blocks, but the last */
    int64_t     first, n;              /* of the block: its index in the row of the tile, and its elements */
    char       *row[TESS__MAX_PARAMS]; /* inputs and outputs: the first element of the row */
    tess__frame window[TESS__MAX_PARAMS];
} machine;

/* ---- Workspace ---- */

static size_t rounded(size_t size) { return (size + 63) / 64 * 64; }

static int64_t gap_of(const tess__program *p) { return p->n_registers <= TESS__FEW_REGISTERS ? TESS__REGISTER_GAP : 0; }

static size_t scratch_size(const tess__program *p) { return rounded((size_t)p->length * 16); }

size_t tess__vm_workspace(const tess__program *p)
{
    return rounded(sizeof(machine)) + rounded((size_t)p->n_operands * (sizeof(char *) + sizeof(int64_t))) +
           rounded((size_t)p->n_slots * 16) + scratch_size(p) +
           rounded((size_t)p->length * (size_t)p->register_bytes + (size_t)(p->n_registers * gap_of(p)));
}

static inline char *home(const machine *m, const tess__operand *o)
{
    return m->registers + o->at * (int64_t)m->program->length + o->index * m->gap;
}

/* A value, or a member of one that is a struct. */
static const char *value_of(const machine *m, const tess__operand *o)
{
    const char *at = (const char *)m->tile->val + 16 * o->at;
    return o->index ? *(const char *const *)(const void *)at + o->index - 1 : at;
}

static void place_operand(machine *m, int32_t k)
{
    const tess__operand *o = &m->program->operands[k];
    const void          *at = NULL;
    switch (o->kind) {
    case TESS__OPERAND_REGISTER:
    case TESS__OPERAND_MOVING: at = home(m, o); break;
    case TESS__OPERAND_SLOT: at = m->slots[o->at]; break;
    case TESS__OPERAND_CONSTANT: at = m->program->constants[o->at]; break;
    case TESS__OPERAND_VAL: at = value_of(m, o); break;
    case TESS__OPERAND_SHAPE: at = &m->tile->shape[o->at][o->axis]; break;
    case TESS__OPERAND_SIZE: at = &m->tile->size[o->axis]; break;
    case TESS__OPERAND_COUNT: at = &m->tile->count; break;
    default: at = &m->position[o->axis]; break;
    }
    m->ptr[k] = (char *)(uintptr_t)at;
    m->stride[k] = o->kind == TESS__OPERAND_REGISTER || o->kind == TESS__OPERAND_MOVING;
}

/* A view of no elements has the element that lies outside. */
static void place_window(machine *m, int k)
{
    const tess_tile *tile = m->tile;
    tess__frame     *w = &m->window[k];
    const bool       empty =
        tile->shape[k][0] == 0 || tile->shape[k][1] == 0 || tile->shape[k][2] == 0 || tile->shape[k][3] == 0;
    const bool    none = empty && m->program->role[k] == TESS__PARAM_VIEW;
    const int32_t fill = m->program->fill[k];
    w->data = none ? (char *)w->value : tile->ptr[k];
    for (int d = 0; d < 4; d++) {
        w->stride[d] = none ? 0 : tile->stride[k][d];
        w->shape[d] = tile->shape[k][d];
    }
    memcpy(w->value, fill ? (const unsigned char *)tile->val + 16 * (fill - 1) : m->program->outside[k], 16);
    w->border = m->program->border[k];
    w->number = k;
    w->fault = tile->fault;
}

static machine *prepare(const tess__program *p, const tess_tile *tile, void *workspace)
{
    machine *m = workspace;
    char    *at = (char *)workspace + rounded(sizeof *m);
    m->program = p;
    m->tile = tile;
    m->kernels = tess__cpu_kernels();
    m->ptr = (char **)(void *)at;
    m->stride = (int64_t *)(void *)(m->ptr + p->n_operands);
    at += rounded((size_t)p->n_operands * (sizeof(char *) + sizeof(int64_t)));
    m->slots = (unsigned char(*)[16])(void *)at;
    at += rounded((size_t)p->n_slots * 16);
    memset(m->slots, 0, (size_t)p->n_slots * 16);
    m->scratch = (int64_t *)(void *)at;
    m->registers = at + scratch_size(p);
    m->gap = gap_of(p);
    m->stopped = false;
    m->block = 0;
    for (int32_t k = 0; k < p->n_operands; k++) place_operand(m, k);
    for (int k = 0; k < p->n_params && p->part == TESS__PART_BODY; k++) /* nothing else reads views */
        if (p->role[k] == TESS__PARAM_VIEW || p->role[k] == TESS__PARAM_SCATTER) place_window(m, k);
    return m;
}

/* ---- Instructions ---- */

static inline char *element(const machine *m, int param, int size_class)
{
    const int64_t step = m->tile->stride[param][3] * (INT64_C(1) << size_class);
    return m->row[param] + m->first * step;
}

static void copy(const machine *m, int64_t size_class, char *to, int64_t so, char *from, int64_t si, int64_t n)
{
    m->kernels->memory.copy[size_class]((char *[]){ to, from }, (int64_t[]){ so, si }, n, NULL);
}

/* An input is used without a copy if kernels can: contiguous, or one element for all. */
static void load(machine *m, const tess__instruction *in)
{
    const int64_t s = m->tile->stride[in->op][3];
    char         *at = element(m, in->op, (int)in->step);
    if ((s == 0 || s == 1) && !in->flag) {
        m->ptr[in->result] = at;
        m->stride[in->result] = s;
    } else {
        copy(m, in->step, m->ptr[in->result], 1, at, s, m->n);
    }
}

/* The lanes of the tile are counted in the body; elsewhere there is one for each element. */
static char *lane(const machine *m, void *const *lanes, int param, int size_class)
{
    const int64_t first = m->program->part == TESS__PART_BODY ? m->first % m->tile->lanes : m->first;
    return (char *)lanes[param] + (first << size_class);
}

static void load_lanes(machine *m, const tess__instruction *in)
{
    char *at = lane(m, in->flag ? m->tile->other : m->tile->acc, in->op, (int)in->step);
    if (in->to) m->ptr[in->result] = at;
    else copy(m, in->step, m->ptr[in->result], 1, at, 1, m->n);
}

static void aim(machine *m, const tess__instruction *in)
{
    if (m->tile->stride[in->op][3] == 1)
        m->ptr[in->result] = element(m, in->op, tess__size_class(tess__dtypes[in->type].size));
}

static void store(const machine *m, const tess__instruction *in)
{
    char *to = element(m, in->op, (int)in->step), *from = m->ptr[in->args[0]];
    if (to != from) copy(m, in->step, to, m->tile->stride[in->op][3], from, m->stride[in->args[0]], m->n);
}

static void set_lanes(const machine *m, const tess__instruction *in)
{
    char *to = lane(m, m->tile->acc, in->op, (int)in->step), *from = m->ptr[in->args[0]];
    if (to != from) copy(m, in->step, to, 1, from, m->stride[in->args[0]], m->n);
}

static int step_of(int64_t op)
{
    switch (op) {
    case TESS__OP_add: return TESS__STEP_add;
    case TESS__OP_mul: return TESS__STEP_mul;
    case TESS__OP_fmin: return TESS__STEP_fmin;
    case TESS__OP_fmax: return TESS__STEP_fmax;
    case TESS__OP_logical_or: return TESS__STEP_logical_or;
    default: return TESS__STEP_logical_and;
    }
}

static void combine_into(const machine *m, const tess__instruction *in, char *lanes)
{
    const int64_t size_x = tess__dtypes[in->type].size, sx = m->stride[in->args[0]];
    char         *x = m->ptr[in->args[0]];
    if (m->tile->lanes == TESS_ROW_LANES) {
        m->kernels->ewise.lanes[step_of(in->step)][in->type](lanes, x, sx, m->n);
        return;
    }
    if (in->type == TESS_F32 && in->to == TESS_F64) {
        const int way = in->step == TESS__OP_add ? TESS__WIDEN_ADD : TESS__WIDEN_MUL;
        m->kernels->op.widen[way]((double *)(void *)lanes, (const float *)(const void *)x, sx, m->n);
        return;
    }
    for (int64_t done = 0; done < m->n; done += TESS_LANES) {
        const int64_t n = m->n - done < TESS_LANES ? m->n - done : TESS_LANES;
        m->kernels->ewise.op[in->step][in->type]((char *[]){ lanes, lanes, x }, (int64_t[]){ 1, 1, sx }, n, NULL);
        x += n * sx * size_x;
    }
}

static void combine(const machine *m, const tess__instruction *in)
{
    char *lanes = lane(m, m->tile->acc, in->op, tess__size_class(tess__dtypes[in->to].size));
    if (in->to != TESS_F16) {
        combine_into(m, in, lanes);
        return;
    }
    float         wide[TESS_LANES];
    const int64_t n = m->n < m->tile->lanes ? m->n : m->tile->lanes;
    tess__widen_halves(wide, lanes, 1, n);
    combine_into(m, in, (char *)wide);
    tess__narrow_halves(lanes, wide, n);
}

static void add_pairs(const machine *m, const tess__instruction *in)
{
    char           *lanes = lane(m, m->tile->acc, in->op, 3);
    tess__pairs_fn *add = m->kernels->op.add_pairs[in->kind == TESS__DO_ADD_DISTANCES];
    add((double *)(void *)lanes, m->tile->lanes, (const float *)(const void *)m->ptr[in->args[0]],
        (const float *)(const void *)m->ptr[in->args[1]], m->stride[in->args[0]], m->stride[in->args[1]], m->n);
}

/* ---- Views ---- */

static inline int64_t number(const machine *m, uint16_t operand)
{
    return *(const int64_t *)(const void *)m->ptr[operand];
}

/* Elements `from` to `to` - 1 of a row that is read with its first element at `x`, by the border. */
static void read_outside(const machine *m, const tess__instruction *in, char *out, int64_t x, int64_t from, int64_t to)
{
    if (from >= to) return;
    const void *const p[5] = { m->ptr[in->args[0]], m->ptr[in->args[1]], m->ptr[in->args[2]], m->scratch, NULL };
    const int64_t     s[5] = { 0, 0, 0, 1, 0 };
    m->kernels->op.iota[TESS_I64](m->scratch, (int64_t)((uint64_t)x + (uint64_t)from), to - from);
    m->kernels->op.at[in->step](out + (from << in->step), &m->window[in->op], p, s, to - from);
}

/* A row of a view, shifted: used without a copy, or copied, with the border at its ends. */
static void read_row(machine *m, const tess__instruction *in)
{
    const tess__frame   *w = &m->window[in->op];
    const tess__operand *o = &m->program->operands[in->result];
    const int64_t        n = m->n, size = w->shape[3];
    const int64_t        x = (int64_t)((uint64_t)(m->tile->origin[3] + m->first) + (uint64_t)number(m, in->args[3]));
    int64_t              outside = 0, at = 0;
    for (int k = 0; k < 3; k++) {
        const int64_t index = number(m, in->args[k]);
        const bool    inside = index >= 0 && index < w->shape[k];
        const int64_t found = inside || w->border == TESS__BORDER_FAULT
                                  ? (inside ? index : -1)
                                  : tess_border_index((tess_border)w->border, index, w->shape[k]);
        outside |= found;
        at += found * w->stride[k];
    }
    m->stride[in->result] = 1;
    m->ptr[in->result] = home(m, o);
    if (outside < 0) {
        if (w->border == TESS__BORDER_FAULT) read_outside(m, in, m->ptr[in->result], x, 0, n);
        m->ptr[in->result] = (char *)(uintptr_t)w->value;
        m->stride[in->result] = 0;
        return;
    }
    if (x <= -n || x >= size) { /* and nothing may be added to it */
        read_outside(m, in, m->ptr[in->result], x, 0, n);
        return;
    }
    const int64_t left = x < 0 ? -x : 0, right = n < size - x ? n : size - x;
    char         *first = w->data + (at + (x + left) * w->stride[3]) * (INT64_C(1) << in->step);
    if (left == 0 && right == n && w->stride[3] == 1) {
        m->ptr[in->result] = first;
        return;
    }
    read_outside(m, in, m->ptr[in->result], x, 0, left);
    if (left < right) copy(m, in->step, m->ptr[in->result] + (left << in->step), 1, first, w->stride[3], right - left);
    read_outside(m, in, m->ptr[in->result], x, right, n);
}

static void gather_args(const machine *m, const tess__instruction *in, int max, const void **p, int64_t *s)
{
    for (int k = 0; k < max; k++) {
        const bool there = k < in->n_args;
        p[k] = there ? m->ptr[in->args[k]] : NULL;
        s[k] = there ? m->stride[in->args[k]] : 0;
    }
}

static void read_view(const machine *m, const tess__instruction *in, int64_t n)
{
    const void *p[5];
    int64_t     s[5];
    gather_args(m, in, 5, p, s);
    if (in->kind == TESS__DO_AT && tess__is_spectrum(m->window[in->op].border))
        m->kernels->op.spectrum_at[m->program->type[in->op]](m->ptr[in->result], &m->window[in->op], p, s, n);
    else if (in->kind == TESS__DO_AT) m->kernels->op.at[in->step](m->ptr[in->result], &m->window[in->op], p, s, n);
    else
        m->kernels->op.interp[in->step / TESS__INTERP_F64][in->type](m->ptr[in->result], &m->window[in->op],
                                                                     (int32_t)(in->step % TESS__INTERP_F64), p, s, n);
}

/* All scatters from instruction `first` on, those of each dtype together; returns what comes after them. */
static int32_t scatter(const machine *m, int32_t first, int32_t end)
{
    const tess__instruction *code = m->program->code;
    tess__addition           additions[TESS__MAX_ADDITIONS];
    int32_t                  next = first;
    uint64_t                 left = 0;
    for (; next < end && code[next].kind == TESS__DO_SCATTER && next - first < TESS__MAX_ADDITIONS; next++)
        left |= UINT64_C(1) << (next - first);
    while (left) {
        const uint8_t type = code[first + __builtin_ctzll(left)].type;
        int           n = 0;
        for (uint64_t others = left; others; others &= others - 1) {
            const int                k = __builtin_ctzll(others);
            const tess__instruction *in = &code[first + k];
            if (in->type != type) continue;
            additions[n].to = &m->window[in->op];
            gather_args(m, in, 6, additions[n].p, additions[n].s);
            n++;
            left &= ~(UINT64_C(1) << k);
        }
        m->kernels->op.add_to[type](additions, n, m->n);
    }
    return next;
}

static void uniform(const machine *m, const tess__instruction *in, int64_t n)
{
    const void *p[2];
    int64_t     s[2];
    gather_args(m, in, 2, p, s);
    m->kernels->random.uniform((float *)(void *)m->ptr[in->result], p, s, n);
}

/* ---- Loops ---- */

/* All iterations of a loop in a block are counted: so those of nested loops are multiplied. */
typedef struct loop_state {
    int32_t  counter;
    uint32_t left;              /* iterations after this one */
    uint32_t block, iterations; /* in this block, of all runs of the loop */
} loop_state;

static int32_t stop_loops(machine *m, const tess__instruction *in, int why, int64_t x, int64_t y)
{
    tess_fault *fault = m->tile->fault;
    m->stopped = true;
    if (fault && !fault->set) *fault = (tess_fault){ .set = why, .view = -1, .index = { x, y } };
    return in->target;
}

static int32_t begin_loop(machine *m, const tess__instruction *in, int32_t next)
{
    const int64_t  from = number(m, in->args[0]), to = number(m, in->args[1]);
    const uint64_t span = (uint64_t)to - (uint64_t)from, step = (uint64_t)in->step;
    const uint64_t max = (uint64_t)m->program->max_trips;
    loop_state    *state = (loop_state *)(void *)m->ptr[in->args[2]];
    if (m->stopped || (in->flag ? from > to : from >= to)) return in->target;
    const uint64_t left = (in->flag ? span : span - 1) / step;
    const uint64_t before = state->block == m->block ? state->iterations : 0;
    if (left >= max - before) return stop_loops(m, in, TESS__FAULT_TRIPS, (int64_t)max, 0);
    if (from < INT32_MIN || (int64_t)((uint64_t)from + left * step) > INT32_MAX)
        return stop_loops(m, in, TESS__FAULT_COUNTER, from, to);
    *state = (loop_state){ (int32_t)from, (uint32_t)left, m->block, (uint32_t)(before + left + 1) };
    *(int32_t *)(void *)m->ptr[in->result] = (int32_t)from;
    return next;
}

static int32_t end_loop(const machine *m, const tess__instruction *in, int32_t next)
{
    loop_state *state = (loop_state *)(void *)m->ptr[in->args[0]];
    if (state->left == 0 || m->stopped) return next;
    state->left--;
    state->counter += (int32_t)in->step;
    *(int32_t *)(void *)m->ptr[in->result] = state->counter;
    return in->target;
}

/* ---- The machine ---- */

static void convert(const machine *m, const tess__instruction *in, int64_t n)
{
    const tess__conversion c = tess__conversion_of(in->type, in->to, TESS__CLAMP, TESS_PART_ABS);
    char *const            p[2] = { m->ptr[in->result], m->ptr[in->args[0]] };
    c.row(p, (int64_t[]){ 1, m->stride[in->args[0]] }, n, &c);
}

static int cast_mode(const tess__instruction *in)
{
    const bool from_float = in->type == TESS_F16 || in->type == TESS_F32 || in->type == TESS_F64;
    return from_float ? TESS__CLAMP : TESS__WRAP;
}

static inline void row(const machine *m, const tess__instruction *in, tess__row_fn *kernel, int64_t n)
{
    char *const   p[4] = { m->ptr[in->result], m->ptr[in->args[0]], m->ptr[in->args[1]], m->ptr[in->args[2]] };
    const int64_t s[4] = { 1, m->stride[in->args[0]], m->stride[in->args[1]], m->stride[in->args[2]] };
    kernel(p, s, n, NULL);
}

static void run(machine *m, int32_t next, int32_t end)
{
    const tess__kernels     *k = m->kernels;
    const tess__instruction *code = m->program->code;
    while (next < end) {
        const tess__instruction *in = &code[next++];
        const int64_t            n = in->uniform ? 1 : m->n;
        switch (in->kind) {
        case TESS__DO_OPERATOR: row(m, in, k->ewise.op[in->op][in->type], n); break;
        case TESS__DO_FUSED: row(m, in, k->op.fused[in->type == TESS_F64][in->op], n); break;
        case TESS__DO_CAST: row(m, in, k->convert.cast[cast_mode(in)][in->type][in->to], n); break;
        case TESS__DO_CONVERT: convert(m, in, n); break;
        case TESS__DO_SELECT: row(m, in, k->memory.where[in->step], n); break;
        case TESS__DO_COPY: row(m, in, k->memory.copy[in->step], n); break;
        case TESS__DO_IOTA: k->op.iota[in->type](m->ptr[in->result], m->tile->origin[3] + m->first, n); break;
        case TESS__DO_LOAD: load(m, in); break;
        case TESS__DO_LANES: load_lanes(m, in); break;
        case TESS__DO_AIM: aim(m, in); break;
        case TESS__DO_STORE: store(m, in); break;
        case TESS__DO_ROW: read_row(m, in); break;
        case TESS__DO_AT:
        case TESS__DO_INTERP: read_view(m, in, n); break;
        case TESS__DO_RANDOM: uniform(m, in, n); break;
        case TESS__DO_SCATTER: next = scatter(m, next - 1, end); break;
        case TESS__DO_COMBINE: combine(m, in); break;
        case TESS__DO_ADD_PRODUCTS:
        case TESS__DO_ADD_DISTANCES: add_pairs(m, in); break;
        case TESS__DO_SET_LANES: set_lanes(m, in); break;
        case TESS__DO_LOOP: next = begin_loop(m, in, next); break;
        default: next = end_loop(m, in, next); break;
        }
    }
}

static void start_row(machine *m)
{
    const tess__program *p = m->program;
    const tess_tile     *tile = m->tile;
    for (int k = 0; k < p->n_params; k++) {
        if (p->role[k] > TESS__PARAM_INOUT || !tile->ptr[k]) continue;
        const int64_t *s = tile->stride[k];
        const int64_t  at =
            m->position[0] * s[0] + m->position[1] * s[1] + m->position[2] * s[2] + tile->origin[3] * s[3];
        m->row[k] = (char *)tile->ptr[k] + at * tess__dtypes[p->type[k]].size;
    }
    m->first = 0;
    m->n = 1;
    run(m, p->row, p->block);
}

/* Whole rows where no register is in use; these are for blocks of program->length elements. */
static int64_t block_length(const machine *m)
{
    const tess__program *p = m->program;
    if (!p->in_place) return p->length;
    for (int32_t k = p->block; k < p->end; k++) {
        const tess__instruction *in = &p->code[k];
        if (in->kind != TESS__DO_LOAD && in->kind != TESS__DO_AIM) continue;
        const int64_t s = m->tile->stride[in->op][3];
        if (s != 1 && !(s == 0 && in->kind == TESS__DO_LOAD)) return p->length;
    }
    return m->tile->extent[3];
}

static void run_row(machine *m)
{
    const int64_t length = m->length, n = m->tile->extent[3];
    start_row(m);
    for (m->first = 0; m->first < n; m->first += length) {
        m->block++;
        m->n = n - m->first < length ? n - m->first : length;
        run(m, m->program->block, m->program->end);
    }
}

void tess__vm_run(const tess__program *program, const tess_tile *tile, void *workspace)
{
    machine       *m = prepare(program, tile, workspace);
    const int64_t *o = tile->origin, *e = tile->extent;
    m->n = 1;
    m->length = block_length(m);
    run(m, 0, program->row);
    for (m->position[0] = o[0]; m->position[0] < o[0] + e[0]; m->position[0]++)
        for (m->position[1] = o[1]; m->position[1] < o[1] + e[1]; m->position[1]++)
            for (m->position[2] = o[2]; m->position[2] < o[2] + e[2]; m->position[2]++) run_row(m);
}
