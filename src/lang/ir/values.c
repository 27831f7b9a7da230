/* Global value numbering with loop-invariant code motion: each value once, at the outermost level possible. */
#include "lang/ir/values.h"

#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"

void tess__values_start(values *all, const tess__tree *tree)
{
    all->tree = tree;
    all->v = NULL;
    all->constants = NULL;
    all->n = all->capacity = all->n_constants = all->constants_capacity = 0;
    all->status = TESS_OK;
    all->source = tess__source_of(tree);
    all->at = tree->name;
    all->level = LEVEL_BLOCK;
    memset(all->hash, 0xff, sizeof all->hash);
    for (int k = 0; k <= LEVEL_BLOCK; k++) {
        all->loop[k] = -1;
        all->lists[k] = (list){ -1, -1 };
    }
}

void tess__values_free(values *all)
{
    tess__free(all->v);
    tess__free(all->constants);
}

void tess__values_fail(values *all, tess_status status)
{
    if (all->status == TESS_OK) all->status = status;
}

tess_status tess__no_program_memory(const tess__tree *tree, size_t size)
{
    TESS_FAIL(TESS_ENOMEM, "%.*s: no memory for %zu bytes of its program", tess__shown(tree->name),
              tree->text + tree->name.at, size);
}

/* Twice the capacity, or a first one; NULL with no memory. */
static void *grown(values *all, void *old, int32_t n, int32_t *capacity, size_t size)
{
    const int32_t wanted = *capacity ? 2 * *capacity : 64;
    void         *memory = tess__alloc((size_t)wanted * size);
    if (!memory) {
        tess__values_fail(all, tess__no_program_memory(all->tree, (size_t)wanted * size));
        return NULL;
    }
    if (n) memcpy(memory, old, (size_t)n * size);
    tess__free(old);
    *capacity = wanted;
    return memory;
}

static int32_t append_value(values *all, const value *like)
{
    if (all->n == all->capacity) {
        if (all->n >= MAX_VALUES) {
            TESS__VALUES_WRONG(all, all->at,
                               "more than %d values after inlining functions, which is the limit; split the operator",
                               MAX_VALUES);
            return 0;
        }
        value *memory = grown(all, all->v, all->n, &all->capacity, sizeof *memory);
        if (!memory) return 0;
        all->v = memory;
    }
    value *v = &all->v[all->n];
    *v = *like;
    v->used = false;
    v->next = v->operand = -1;
    v->first = v->last = -1;
    v->same = all->n;
    v->span = all->at;
    return all->n++;
}

static void link_value(values *all, int32_t number, int32_t level)
{
    list *l = &all->lists[level];
    if (l->last < 0) l->first = number;
    else all->v[l->last].next = number;
    l->last = number;
}

/* In a list when it is created. Loops are linked when they are closed, behind the values hoisted out of them. */
static bool is_computed(const value *v)
{
    return (v->kind < VALUE_CONSTANT && v->kind != TESS__DO_LOOP) || v->kind == VALUE_SET;
}

static uint32_t hash_of(const value *v)
{
    uint64_t h = (uint64_t)v->kind * 31 + v->type + (uint64_t)v->to * 7919 + (uint64_t)v->op * 131 +
                 (uint64_t)v->step * UINT64_C(0x9e3779b97f4a7c15) + v->flag;
    for (int k = 0; k < v->n_args; k++) h = (h ^ (uint32_t)v->args[k]) * UINT64_C(0xff51afd7ed558ccd);
    return (uint32_t)(h ^ h >> 29) % HASH_SIZE;
}

static bool is_same(const value *a, const value *b)
{
    return a->kind == b->kind && a->type == b->type && a->to == b->to && a->op == b->op && a->step == b->step &&
           a->flag == b->flag && a->n_args == b->n_args &&
           memcmp(a->args, b->args, (size_t)a->n_args * sizeof *a->args) == 0;
}

/* The level where all arguments are known, and whether they are uniform. */
static void set_level(const values *all, value *v)
{
    int level = LEVEL_TILE;
    for (int k = 0; k < v->n_args; k++) {
        const value *arg = &all->v[v->args[k]];
        if (arg->level > level) level = arg->level;
        v->uniform &= arg->uniform;
    }
    const bool of_row = v->kind == VALUE_INDEX || v->kind == TESS__DO_LOAD;
    if (of_row && level < LEVEL_ROW) level = LEVEL_ROW;
    if (!v->uniform && level < LEVEL_BLOCK) level = LEVEL_BLOCK;
    v->level = (int16_t)level;
}

int32_t tess__value(values *all, const value *like, bool pinned)
{
    if (all->status != TESS_OK) return 0;
    value v = *like;
    set_level(all, &v);
    if (pinned) v.level = (int16_t)all->level;
    v.loop = all->loop[v.level];
    const uint32_t h = hash_of(&v);
    for (int32_t k = pinned ? -1 : all->hash[h]; k >= 0; k = all->v[k].chain) {
        const value *other = &all->v[k];
        if (is_same(other, &v) && other->level <= all->level && other->loop == all->loop[other->level]) return k;
    }
    const int32_t number = append_value(all, &v);
    if (all->status != TESS_OK) return 0;
    if (!pinned) {
        all->v[number].chain = all->hash[h];
        all->hash[h] = number;
    }
    if (is_computed(&v)) link_value(all, number, v.level);
    return number;
}

int32_t tess__value_constant(values *all, tess_dtype type, const void *bytes)
{
    if (all->status != TESS_OK) return 0;
    int32_t       k = 0;
    unsigned char padded[16] = { 0 };
    memcpy(padded, bytes, tess_dtype_size(type));
    while (k < all->n_constants && memcmp(all->constants[k], padded, 16) != 0) k++;
    if (k == all->n_constants) {
        if (k == all->constants_capacity) {
            void *memory = grown(all, all->constants, k, &all->constants_capacity, 16);
            if (!memory) return 0;
            all->constants = memory;
        }
        memcpy(all->constants[all->n_constants++], padded, 16);
    }
    return tess__value(all, &(value){ .kind = VALUE_CONSTANT, .type = (uint8_t)type, .uniform = true, .step = k },
                       false);
}

int32_t tess__loop_open(values *all, int32_t from, int32_t to, int64_t step, bool inclusive)
{
    if (all->level + 1 >= MAX_DEPTH)
        TESS__VALUES_WRONG(all, all->at,
                           "more than %d nested loops after inlining functions, which is the limit; split the operator",
                           MAX_DEPTH - LEVEL_LOOP);
    const value   like = { .kind = TESS__DO_LOOP,
                           .type = TESS_I32,
                           .uniform = true,
                           .flag = inclusive,
                           .n_args = 2,
                           .args = { from, to },
                           .step = step };
    const int32_t loop = tess__value(all, &like, true);
    if (all->status != TESS_OK) return 0;
    all->level++;
    all->loop[all->level] = loop;
    all->lists[all->level] = (list){ -1, -1 };
    return loop;
}

void tess__loop_close(values *all)
{
    if (all->status != TESS_OK) return;
    const int32_t loop = all->loop[all->level];
    const list    body = all->lists[all->level];
    const value   like = {
          .kind = TESS__DO_END, .uniform = true, .n_args = 1, .args = { loop }, .step = all->v[loop].step
    };
    all->level--;
    link_value(all, loop, all->level);
    if (body.first >= 0) {
        all->v[all->lists[all->level].last].next = body.first;
        all->lists[all->level].last = body.last;
    }
    (void)tess__value(all, &like, true);
}
