/* Constant folding: conversions and simple operators of constants, computed while a text is checked. */
#include <math.h>

#include "backend.h"
#include "lang/check/check.h"

/* ---- Conversions ---- */

static bool is_signed(int32_t type) { return type >= TESS_I8 && type <= TESS_I64; }

static int bits_of(int32_t type) { return 8 * (int)tess_dtype_size(type); }

/* The low bits of an integer, as a number of that type. */
static tess__constant wrapped(uint64_t x, int32_t type)
{
    tess__constant out = { .u = 0 };
    const int      unused = 64 - bits_of(type);
    if (type == TESS_BOOL) out.u = x != 0;
    else if (is_signed(type)) out.i = (int64_t)(x << unused) >> unused;
    else out.u = x << unused >> unused;
    return out;
}

/* Clamped; NaN gives 0. */
static tess__constant integer_of(double x, int32_t type)
{
    tess__constant out = { .u = 0 };
    const double   over = ldexp(1, bits_of(type) - (is_signed(type) ? 1 : 0));
    if (type == TESS_BOOL) out.u = x != 0;
    else if (is_signed(type))
        out.i = x >= over   ? INT64_MAX >> (64 - bits_of(type))
                : x > -over ? (int64_t)x
                : x == x    ? INT64_MIN >> (64 - bits_of(type))
                            : 0;
    else out.u = x >= over ? UINT64_MAX >> (64 - bits_of(type)) : x > 0 ? (uint64_t)x : 0;
    return out;
}

static double rounded(double x, int32_t type)
{
    if (type == TESS_F16 || type == TESS_C16) return (double)tess_f16_to_f32(tess_f64_to_f16(x));
    return type == TESS_F32 || type == TESS_C32 ? (double)(float)x : x;
}

tess__constant tess__constant_as(tess__constant value, int32_t from, int32_t to)
{
    tess__constant out = { .f = { 0, 0 } };
    if (tess__is_integer(to)) return tess__is_integer(from) ? wrapped(value.u, to) : integer_of(value.f[0], to);
    if (is_signed(from)) out.f[0] = to == TESS_F32 || to == TESS_C32 ? (double)(float)value.i : (double)value.i;
    else if (tess__is_integer(from))
        out.f[0] = to == TESS_F32 || to == TESS_C32 ? (double)(float)value.u : (double)value.u;
    else out.f[0] = value.f[0], out.f[1] = tess__is_complex(from) && tess__is_complex(to) ? value.f[1] : 0;
    out.f[0] = rounded(out.f[0], to), out.f[1] = rounded(out.f[1], to);
    return out;
}

bool tess__constant_fits(tess__constant value, int32_t from, int32_t to)
{
    const tess__constant there = wrapped(value.u, to);
    if (is_signed(from) != is_signed(to) && value.i < 0) return false;
    return there.u == value.u && !(is_signed(from) != is_signed(to) && there.i < 0);
}

/* ---- Operators ---- */

/* Both as bits: wrapping arithmetic is the same for signed and unsigned integers. */
static bool fold_integers(int32_t op, int32_t type, tess__constant x, tess__constant y, uint64_t *out)
{
    const bool     is = is_signed(type);
    const uint64_t count = y.u & (uint64_t)(bits_of(type) - 1);
    switch (op) {
    case TESS__OP_add: *out = x.u + y.u; return true;
    case TESS__OP_sub: *out = x.u - y.u; return true;
    case TESS__OP_mul: *out = x.u * y.u; return true;
    case TESS__OP_div:
        if (y.u == 0) *out = 0;
        else if (is) *out = y.i == -1 ? 0 - x.u : (uint64_t)(x.i / y.i);
        else *out = x.u / y.u;
        return true;
    case TESS__OP_mod:
        if (y.u == 0) *out = 0;
        else if (is) *out = y.i == -1 ? 0 : (uint64_t)(x.i % y.i);
        else *out = x.u % y.u;
        return true;
    case TESS__OP_neg: *out = 0 - x.u; return true;
    case TESS__OP_bit_and: *out = x.u & y.u; return true;
    case TESS__OP_bit_or: *out = x.u | y.u; return true;
    case TESS__OP_bit_xor: *out = x.u ^ y.u; return true;
    case TESS__OP_bit_not: *out = ~x.u; return true;
    case TESS__OP_shift_left: *out = x.u << count; return true;
    case TESS__OP_shift_right: *out = is ? (uint64_t)(x.i >> count) : x.u >> count; return true;
    default: return false;
    }
}

static bool fold_reals(int32_t op, int32_t type, double x, double y, double *out)
{
    const bool single = type == TESS_F32;
    switch (op) {
    case TESS__OP_add: *out = single ? (double)((float)x + (float)y) : x + y; return true;
    case TESS__OP_sub: *out = single ? (double)((float)x - (float)y) : x - y; return true;
    case TESS__OP_mul: *out = single ? (double)((float)x * (float)y) : x * y; return true;
    case TESS__OP_div: *out = single ? (double)((float)x / (float)y) : x / y; return true;
    case TESS__OP_neg: *out = -x; return true;
    default: return false;
    }
}

/* -1, 0, 1, or 2 for a NaN. */
static int order_of(int32_t type, tess__constant x, tess__constant y)
{
    if (is_signed(type)) return (x.i > y.i) - (x.i < y.i);
    if (tess__is_integer(type)) return (x.u > y.u) - (x.u < y.u);
    return x.f[0] != x.f[0] || y.f[0] != y.f[0] ? 2 : (x.f[0] > y.f[0]) - (x.f[0] < y.f[0]);
}

static bool fold_truth(int32_t op, int32_t type, tess__constant x, tess__constant y, uint64_t *out)
{
    const int order = order_of(type, x, y);
    switch (op) {
    case TESS__OP_equal: *out = order == 0; return true;
    case TESS__OP_not_equal: *out = order != 0; return true;
    case TESS__OP_less: *out = order == -1; return true;
    case TESS__OP_less_equal: *out = order == -1 || order == 0; return true;
    case TESS__OP_greater: *out = order == 1; return true;
    case TESS__OP_greater_equal: *out = order == 1 || order == 0; return true;
    case TESS__OP_logical_and: *out = x.u & y.u; return true;
    case TESS__OP_logical_or: *out = x.u | y.u; return true;
    case TESS__OP_logical_not: *out = !x.u; return true;
    default: return false;
    }
}

bool tess__fold(tess__checker *c, int32_t at)
{
    tess__node          *node = &c->b.nodes[at];
    const tess__node    *nodes = c->b.nodes;
    const tess__constant none = { .u = 0 };
    for (int32_t k = node->first; k; k = nodes[k].next)
        if (nodes[k].kind != TESS__NUMBER) return false;
    const int32_t first = node->first, second = nodes[first].next;
    if (tess__is_complex(node->computed) || (second && nodes[second].next)) return false;
    const tess__constant x = nodes[first].value, y = second ? nodes[second].value : none;
    tess__constant       out = { .f = { 0, 0 } };
    uint64_t             bits;
    if (node->type == TESS_BOOL) {
        if (!fold_truth(node->op, node->computed, x, y, &bits)) return false;
        out.u = bits;
    } else if (tess__is_integer(node->computed)) {
        if (!fold_integers(node->op, node->computed, x, y, &bits)) return false;
        out = wrapped(bits, node->type);
    } else if (!fold_reals(node->op, node->computed, x.f[0], y.f[0], &out.f[0])) {
        return false;
    }
    node->kind = TESS__NUMBER;
    node->op = 0, node->first = 0, node->value = out;
    return true;
}
