/* Order-preserving keys: the order of a dtype, its NaN key, and the number that a key stands for. */
#include "cpu/sort/keys.h"

#include <string.h>

#include "core/dtype.h"
#include "tessera/math/f16.op.h"

tess__order tess__order_of(tess_dtype dtype, bool descending, bool alike)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    return (tess__order){ .size = (int)tess__dtype_size(dtype),
                          .kind = kind == TESS_KIND_FLOAT  ? TESS__KEY_FLOAT
                                  : kind == TESS_KIND_INT  ? TESS__KEY_SIGNED
                                  : kind == TESS_KIND_BOOL ? TESS__KEY_BOOL
                                                           : TESS__KEY_UNSIGNED,
                          .descending = descending,
                          .alike = alike };
}

/* Bits of the infinity of a float of this many bytes. */
static uint64_t infinity_bits(int size)
{
    return size == 2 ? 0x7c00 : size == 4 ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
}

uint64_t tess__order_nan(const tess__order *order)
{
    return order->kind == TESS__KEY_FLOAT ? 2 * infinity_bits(order->size) + 2 : 0;
}

double tess__order_number(const tess__order *order, uint64_t key)
{
    const int      bits = 8 * order->size;
    const uint64_t top = UINT64_C(1) << (bits - 1);
    if (order->kind == TESS__KEY_UNSIGNED || order->kind == TESS__KEY_BOOL) return (double)key;
    if (order->kind == TESS__KEY_SIGNED) return (double)((int64_t)((key ^ top) << (64 - bits)) >> (64 - bits));
    const uint64_t below = (top - 1) ^ infinity_bits(order->size), u = key + below;
    const uint64_t word = u & top ? u ^ top : ~u;
    if (order->size == 2) return (double)tess__f16_to_f32((uint16_t)word);
    if (order->size == 4) {
        const uint32_t half = (uint32_t)word;
        float          single;
        memcpy(&single, &half, sizeof single);
        return (double)single;
    }
    double number;
    memcpy(&number, &word, sizeof number);
    return number;
}
