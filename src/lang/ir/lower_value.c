/* Lowering of constants, operators, conversions and conditions to SSA values. */
#include "lang/ir/lower.h"

#include <string.h>

#include "backend.h"
#include "core/dtype.h"
#include "lang/ir/monoid.h"
#include "tessera/math/f16.op.h"

void tess__constant_bytes(unsigned char *bytes, tess_dtype type, const tess__constant *c)
{
    const float f[2] = { (float)c->f[0], (float)c->f[1] };
    switch (type) {
    case TESS_BOOL: bytes[0] = c->u != 0; break;
    case TESS_F16: memcpy(bytes, &(uint16_t){ tess__f64_to_f16(c->f[0]) }, 2); break;
    case TESS_F32: memcpy(bytes, f, 4); break;
    case TESS_F64: memcpy(bytes, c->f, 8); break;
    case TESS_C16: memcpy(bytes, (uint16_t[2]){ tess__f64_to_f16(c->f[0]), tess__f64_to_f16(c->f[1]) }, 4); break;
    case TESS_C32: memcpy(bytes, f, 8); break;
    case TESS_C64: memcpy(bytes, c->f, 16); break;
    case TESS_I8:
    case TESS_U8: bytes[0] = (uint8_t)c->u; break;
    case TESS_I16:
    case TESS_U16: memcpy(bytes, &(uint16_t){ (uint16_t)c->u }, 2); break;
    case TESS_I32:
    case TESS_U32: memcpy(bytes, &(uint32_t){ (uint32_t)c->u }, 4); break;
    default: memcpy(bytes, &c->u, 8); break;
    }
}

int32_t tess__lower_constant(lowering *l, tess_dtype type, const tess__constant *c)
{
    unsigned char bytes[16] = { 0 };
    tess__constant_bytes(bytes, type, c);
    return tess__value_constant(&l->all, type, bytes);
}

int32_t tess__lower_neutral(lowering *l, const tess__param *p)
{
    const tess__constant c = tess__monoid_neutral(p->monoid, p->type);
    return tess__lower_constant(l, p->type, &c);
}

int32_t tess__lower_operation(lowering *l, int op, tess_dtype computed, tess_dtype type, int n, const int32_t *args)
{
    value like = { .kind = TESS__DO_OPERATOR,
                   .type = (uint8_t)computed,
                   .to = (uint8_t)type,
                   .op = (int16_t)op,
                   .uniform = true,
                   .n_args = (uint8_t)n,
                   .in_place = true };
    memcpy(like.args, args, (size_t)n * sizeof *args);
    return tess__value(&l->all, &like, false);
}

int32_t tess__lower_operator(lowering *l, int op, tess_dtype computed, tess_dtype type, int n, const int32_t *args)
{
    if (op == TESS__OP_mul && args[0] == args[1] && tess_dtype_kind(computed) != TESS_KIND_COMPLEX && l->all.v) {
        const value d = l->all.v[args[0]];
        if (d.kind == TESS__DO_OPERATOR && d.op == TESS__OP_sub && d.type == computed)
            return tess__lower_operation(l, TESS__OP_square_diff, computed, type, 2, d.args);
        return tess__lower_operation(l, TESS__OP_square, computed, type, 1, args);
    }
    return tess__lower_operation(l, op, computed, type, n, args);
}

int32_t tess__lower_cast(lowering *l, int32_t x, tess_dtype from, tess_dtype to)
{
    if (from == to || l->all.status != TESS_OK) return x;
    const bool complex = tess_dtype_kind(from) == TESS_KIND_COMPLEX || tess_dtype_kind(to) == TESS_KIND_COMPLEX;
    const bool counts = to == TESS_I32 || to == TESS_F32 || to == TESS_F64;
    if (tess__is_kind(l, x, TESS__DO_IOTA) && from == TESS_I64 && counts)
        return tess__value(&l->all, &(value){ .kind = TESS__DO_IOTA, .type = (uint8_t)to, .to = (uint8_t)to }, false);
    return tess__value(&l->all,
                       &(value){ .kind = complex ? TESS__DO_CONVERT : TESS__DO_CAST,
                                 .type = (uint8_t)from,
                                 .to = (uint8_t)to,
                                 .uniform = true,
                                 .n_args = 1,
                                 .args = { x },
                                 .in_place = tess_dtype_size(from) == tess_dtype_size(to) },
                       false);
}

int32_t tess__lower_choice(lowering *l, tess_dtype type, int32_t condition, int32_t yes, int32_t no)
{
    if (yes == no) return yes;
    return tess__value(&l->all,
                       &(value){ .kind = TESS__DO_SELECT,
                                 .type = (uint8_t)type,
                                 .to = (uint8_t)type,
                                 .uniform = true,
                                 .n_args = 3,
                                 .args = { condition, yes, no },
                                 .in_place = true },
                       false);
}

int32_t tess__lower_not(lowering *l, int32_t x)
{
    return tess__lower_operation(l, TESS__OP_logical_not, TESS_BOOL, TESS_BOOL, 1, (int32_t[]){ x });
}

int32_t tess__lower_logical(lowering *l, int op, int32_t x, int32_t y)
{
    return tess__lower_operation(l, op, TESS_BOOL, TESS_BOOL, 2, (int32_t[]){ x, y });
}

int32_t tess__lower_both(lowering *l, int32_t x, int32_t y)
{
    return x < 0 ? y : y < 0 ? x : tess__lower_logical(l, TESS__OP_logical_and, x, y);
}

int32_t tess__lower_live(lowering *l)
{
    return tess__lower_both(l, l->mask, l->skipped < 0 ? -1 : tess__lower_not(l, l->skipped));
}

int32_t tess__lower_gate(lowering *l)
{
    const int32_t here = tess__lower_live(l);
    return here >= 0 && l->all.status == TESS_OK && l->all.v[here].uniform ? tess__lower_both(l, l->gate, here)
                                                                           : l->gate;
}

int32_t tess__lower_load(lowering *l, int kind, int param, tess_dtype type, bool other)
{
    return tess__value(
        &l->all,
        &(value){
            .kind = (uint8_t)kind, .type = (uint8_t)type, .to = (uint8_t)type, .op = (int16_t)param, .flag = other },
        false);
}

int32_t tess__lower_leaf(lowering *l, int kind, int op, int64_t axis, tess_dtype type)
{
    return tess__value(&l->all,
                       &(value){ .kind = (uint8_t)kind,
                                 .type = (uint8_t)type,
                                 .to = (uint8_t)type,
                                 .op = (int16_t)op,
                                 .step = axis,
                                 .uniform = true },
                       false);
}
