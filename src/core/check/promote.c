/* Type promotion: the one table, which is also in docs/elementwise.md.
 *
 * As in NumPy: the smallest type that holds every value of both, where there is one. i64 with u64, and wide integers
 * with floats, go to f64.
 */
#include "core/check/promote.h"

#include <math.h>
#include <string.h>

#include "core/dtype.h"

#define ROW(...)                                                                                                       \
    {                                                                                                                  \
        TESS_DTYPE_NONE, __VA_ARGS__                                                                                   \
    }
enum {
    B8 = TESS_BOOL,
    I8 = TESS_I8,
    I16 = TESS_I16,
    I32 = TESS_I32,
    I64 = TESS_I64,
    U8 = TESS_U8,
    U16 = TESS_U16,
    U32 = TESS_U32,
    U64 = TESS_U64,
    F16 = TESS_F16,
    F32 = TESS_F32,
    F64 = TESS_F64,
    C16 = TESS_C16,
    C32 = TESS_C32,
    C64 = TESS_C64,
};

static const uint8_t promotions[TESS_SCALAR_DTYPE_COUNT][TESS_SCALAR_DTYPE_COUNT] = {
    /*           bool, i8,  i16, i32, i64, u8,  u16, u32, u64, f16, f32, f64, c16, c32, c64, */
    [B8] = ROW(B8, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64, C16, C32, C64),
    [I8] = ROW(I8, I8, I16, I32, I64, I16, I32, I64, F64, F16, F32, F64, C16, C32, C64),
    [I16] = ROW(I16, I16, I16, I32, I64, I16, I32, I64, F64, F32, F32, F64, C32, C32, C64),
    [I32] = ROW(I32, I32, I32, I32, I64, I32, I32, I64, F64, F64, F64, F64, C64, C64, C64),
    [I64] = ROW(I64, I64, I64, I64, I64, I64, I64, I64, F64, F64, F64, F64, C64, C64, C64),
    [U8] = ROW(U8, I16, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64, C16, C32, C64),
    [U16] = ROW(U16, I32, I32, I32, I64, U16, U16, U32, U64, F32, F32, F64, C32, C32, C64),
    [U32] = ROW(U32, I64, I64, I64, I64, U32, U32, U32, U64, F64, F64, F64, C64, C64, C64),
    [U64] = ROW(U64, F64, F64, F64, F64, U64, U64, U64, U64, F64, F64, F64, C64, C64, C64),
    [F16] = ROW(F16, F16, F32, F64, F64, F16, F32, F64, F64, F16, F32, F64, C16, C32, C64),
    [F32] = ROW(F32, F32, F32, F64, F64, F32, F32, F64, F64, F32, F32, F64, C32, C32, C64),
    [F64] = ROW(F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, C64, C64, C64),
    [C16] = ROW(C16, C16, C32, C64, C64, C16, C32, C64, C64, C16, C32, C64, C16, C32, C64),
    [C32] = ROW(C32, C32, C32, C64, C64, C32, C32, C64, C64, C32, C32, C64, C32, C32, C64),
    [C64] = ROW(C64, C64, C64, C64, C64, C64, C64, C64, C64, C64, C64, C64, C64, C64, C64),
};
#undef ROW

tess_dtype tess_dtype_promote(tess_dtype a, tess_dtype b)
{
    const bool scalars = a > 0 && a < TESS_SCALAR_DTYPE_COUNT && b > 0 && b < TESS_SCALAR_DTYPE_COUNT;
    return scalars ? promotions[a][b] : a == b && tess__dtype_valid(a) ? a : TESS_DTYPE_NONE;
}

tess_dtype tess__float_of(tess_dtype dtype)
{
    const tess__dtype_row *row = &tess__dtypes[dtype];
    if (row->kind == TESS_KIND_FLOAT || row->kind == TESS_KIND_COMPLEX) return dtype;
    return row->size <= 2 ? TESS_F32 : TESS_F64;
}

tess_dtype tess__sum_of(tess_dtype dtype)
{
    switch (tess__dtypes[dtype].kind) {
    case TESS_KIND_UINT: return TESS_U64;
    case TESS_KIND_FLOAT: return dtype == TESS_F16 ? TESS_F32 : dtype;
    case TESS_KIND_COMPLEX: return dtype == TESS_C16 ? TESS_C32 : dtype;
    default: return TESS_I64;
    }
}

/* Can integers of this dtype hold the number? */
static bool holds(tess_dtype dtype, double value)
{
    const tess__dtype_row *row = &tess__dtypes[dtype];
    const int              bits = 8 * row->size - (row->kind == TESS_KIND_INT);
    const double           max = (double)(UINT64_C(1) << (bits - 1)) * 2;
    return value >= (row->kind == TESS_KIND_INT ? -max : 0) && value < max && value == trunc(value);
}

/* What a weak number makes of the dtype of the others. */
static tess_dtype with_weak(tess_dtype dtype, const tess_array *weak)
{
    double value;
    memcpy(&value, weak->data, sizeof value);
    const tess_kind kind = tess__dtypes[dtype].kind;
    if (kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX) return dtype;
    if (kind == TESS_KIND_BOOL) return holds(TESS_I64, value) ? TESS_I64 : TESS_F64;
    return holds(dtype, value) ? dtype : TESS_F64;
}

/* Floats and complex first, then integers one by one: among themselves integers might go to a wider type than the float
 * asks for, and the result would depend on the order. */
tess_dtype tess__promote_all(const tess_array *const *inputs, int n)
{
    tess_dtype common = TESS_DTYPE_NONE;
    for (int floats = 1; floats >= 0; floats--)
        for (int k = 0; k < n; k++) {
            const tess_dtype dtype = inputs[k]->dtype;
            if (inputs[k]->flags & TESS_WEAK || (dtype >= TESS_F16) != floats) continue;
            common = common ? promotions[common][dtype] : dtype;
        }
    if (!common) return TESS_F64;
    for (int k = 0; k < n; k++)
        if (inputs[k]->flags & TESS_WEAK) common = with_weak(common, inputs[k]);
    return common;
}
