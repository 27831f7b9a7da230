/* Monoids of accumulators: neutral element, combining operator, and the dtype of lanes. */
#include "lang/ir/monoid.h"

#include "backend.h"
#include "tessera/op.h"

tess_dtype tess_lane_dtype(tess_dtype acc, int is_sum_or_product)
{
    if (!is_sum_or_product) return acc;
    if (acc == TESS_F16 || acc == TESS_F32) return TESS_F64;
    return acc == TESS_C16 || acc == TESS_C32 ? TESS_C64 : acc;
}

int tess__monoid_operator(int monoid)
{
    static const int ops[] = { [TESS__MONOID_SUM] = TESS__OP_add,        [TESS__MONOID_PROD] = TESS__OP_mul,
                               [TESS__MONOID_MIN] = TESS__OP_fmin,       [TESS__MONOID_MAX] = TESS__OP_fmax,
                               [TESS__MONOID_ANY] = TESS__OP_logical_or, [TESS__MONOID_ALL] = TESS__OP_logical_and };
    return ops[monoid];
}

tess__constant tess__monoid_neutral(int monoid, tess_dtype type)
{
    const tess_kind kind = tess_dtype_kind(type);
    const int       bits = 8 * (int)tess_dtype_size(type);
    tess__constant  c = { .f = { 0, 0 } };
    if (kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX) {
        if (monoid == TESS__MONOID_SUM) c.f[0] = c.f[1] = -0.0;
        if (monoid == TESS__MONOID_PROD) c.f[0] = 1;
        if (monoid == TESS__MONOID_MIN) c.f[0] = (double)__builtin_inff();
        if (monoid == TESS__MONOID_MAX) c.f[0] = -(double)__builtin_inff();
        return c;
    }
    c.u = monoid == TESS__MONOID_PROD || monoid == TESS__MONOID_ALL;
    if (monoid == TESS__MONOID_MIN)
        c.u = kind == TESS_KIND_BOOL  ? 1
              : kind == TESS_KIND_INT ? UINT64_MAX >> (65 - bits)
                                      : UINT64_MAX >> (64 - bits);
    if (monoid == TESS__MONOID_MAX && kind == TESS_KIND_INT) c.i = -(INT64_MAX >> (64 - bits)) - 1;
    return c;
}

tess__constant tess__monoid_start(const tess__param *param)
{
    if (param->monoid == TESS__MONOID_NONE) return param->value;
    if (param->monoid == TESS__MONOID_SUM) return (tess__constant){ .f = { 0, 0 } };
    return tess__monoid_neutral(param->monoid, param->type);
}
