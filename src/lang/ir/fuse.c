/* Peephole fusion of neighbouring operations: fewer passes over registers, and memory access hidden by arithmetic. */
#include "lang/ir/fuse.h"

#include <string.h>

#include "backend.h"

typedef struct fusion {
    values  *all;
    int32_t *uses;
} fusion;

/* An operation on elements, of the same type and in the same list as `by`, its only user; else NULL. */
static value *only_for(const fusion *f, const value *by, int32_t number)
{
    value *v = &f->all->v[number];
    if (v->kind != TESS__DO_OPERATOR || v->uniform || v->type != by->type || f->uses[number] != 1) return NULL;
    return v->level == by->level && v->loop == by->loop ? v : NULL;
}

static value *only_with(const fusion *f, const value *by, int32_t number, int op)
{
    value *v = only_for(f, by, number);
    return v && v->op == op ? v : NULL;
}

static void set_fused(value *v, int op, int n, int32_t x, int32_t y, int32_t z)
{
    v->kind = TESS__DO_FUSED;
    v->op = (int16_t)op;
    v->n_args = (uint8_t)n;
    v->args[0] = x;
    v->args[1] = y;
    v->args[2] = z;
}

static void fuse_sum(const fusion *f, value *v)
{
    value *a = only_with(f, v, v->args[0], TESS__OP_square), *b = only_with(f, v, v->args[1], TESS__OP_square);
    if (a && b) {
        a->used = b->used = false;
        set_fused(v, TESS__FUSED_SUM_SQUARES, 2, a->args[0], b->args[0], 0);
        return;
    }
    for (int k = 0; k < 2; k++) {
        value *square = only_with(f, v, v->args[k], TESS__OP_square);
        value *product = square ? square : only_with(f, v, v->args[k], TESS__OP_mul);
        if (!product) continue;
        product->used = false;
        set_fused(v, TESS__FUSED_MUL_ADD, 3, product->args[0], product->args[square ? 0 : 1], v->args[1 - k]);
        return;
    }
}

static void fuse_sqrt(const fusion *f, value *v)
{
    value *sum = &f->all->v[v->args[0]];
    if (sum->kind != TESS__DO_FUSED || sum->op != TESS__FUSED_SUM_SQUARES || f->uses[v->args[0]] != 1) return;
    if (sum->level != v->level || sum->loop != v->loop) return;
    sum->used = false;
    set_fused(v, TESS__FUSED_ROOT_SQUARES, 2, sum->args[0], sum->args[1], 0);
}

/* A cast to f64 before a combination into lanes of f64: the kernels that combine f32 widen on the way. */
static void fuse_widening(const fusion *f, value *v)
{
    value     *cast = &f->all->v[v->args[0]];
    const bool widens = v->step == TESS__OP_add || v->step == TESS__OP_mul;
    if (!widens || v->type != TESS_F64 || v->to != TESS_F64) return;
    if (cast->kind != TESS__DO_CAST || cast->uniform || cast->type != TESS_F32) return;
    if (--f->uses[v->args[0]] == 0) cast->used = false; /* and its argument has as many uses as before */
    else f->uses[cast->args[0]]++;
    v->type = TESS_F32;
    v->args[0] = cast->args[0];
}

/* Sums of f32 in lanes of f64: of products, and of squares of differences. */
static void fuse_lanes(const fusion *f, value *v)
{
    value *x = &f->all->v[v->args[0]];
    if (v->step != TESS__OP_add || v->type != TESS_F32 || v->to != TESS_F64 || f->uses[v->args[0]] != 1) return;
    if (x->kind != TESS__DO_OPERATOR || x->uniform || x->type != TESS_F32 || x->level != v->level) return;
    if (x->op != TESS__OP_mul && x->op != TESS__OP_square && x->op != TESS__OP_square_diff) return;
    x->used = false;
    v->kind = x->op == TESS__OP_square_diff ? TESS__DO_ADD_DISTANCES : TESS__DO_ADD_PRODUCTS;
    v->n_args = 2;
    v->args[0] = x->args[0];
    v->args[1] = x->args[x->op == TESS__OP_square ? 0 : 1];
}

void tess__fuse(values *all, const int32_t *order, int32_t n, int32_t *uses)
{
    const fusion f = { all, uses };
    memset(uses, 0, (size_t)all->n * sizeof *uses);
    for (int32_t p = 0; p < n; p++)
        for (int k = 0; k < all->v[order[p]].n_args; k++) uses[all->v[order[p]].args[k]]++;
    for (int32_t p = 0; p < n; p++) {
        value *v = &all->v[order[p]];
        if (v->kind == TESS__DO_COMBINE) {
            fuse_widening(&f, v);
            fuse_lanes(&f, v);
        }
        if (v->kind != TESS__DO_OPERATOR || v->uniform || (v->type != TESS_F32 && v->type != TESS_F64)) continue;
        if (v->op == TESS__OP_add) fuse_sum(&f, v);
        else if (v->op == TESS__OP_sqrt) fuse_sqrt(&f, v);
    }
}
