/* Order-preserving sort keys, as in cpu/sort/keys.h: unsigned integers of the same size as the numbers and in the same
 * order, NaNs last in both directions.
 *
 * The program defines KEY_SIZE (bytes) and KEY_KIND (a TESS__GPU_KEY_). */
#include "cuda/sort/sort_params.h"

#if KEY_SIZE == 1
typedef uint8_t key;
typedef int8_t  signed_key;
#define INFINITY_BITS 0
#elif KEY_SIZE == 2
typedef uint16_t key;
typedef int16_t  signed_key;
#define INFINITY_BITS 0x7c00
#elif KEY_SIZE == 4
typedef uint32_t key;
typedef int32_t  signed_key;
#define INFINITY_BITS 0x7f800000
#else
typedef uint64_t key;
typedef int64_t  signed_key;
#define INFINITY_BITS UINT64_C(0x7ff0000000000000)
#endif

constexpr int KEY_BITS = 8 * KEY_SIZE;
constexpr key LAST_KEY = (key) ~(key)0;
constexpr key SIGN_BIT = (key)((key)1 << (KEY_BITS - 1));
constexpr key INFINITE = (key)INFINITY_BITS;
constexpr key BELOW = (key)((SIGN_BIT - 1) ^ INFINITE); /* the key of -inf, were the NaNs not moved to the end */
constexpr key QUIET = (key)(INFINITE | (INFINITE & (key)-INFINITE) >> 1);
constexpr key FIRST_NAN = (key)(2 * INFINITE + 2); /* the smallest key of a NaN */

static __device__ key key_of(key x, const tess__gpu_order &order)
{
    if constexpr (KEY_KIND == TESS__GPU_KEY_FLOAT) {
        x = (key)(x ^ (key)order.sign);
        x = (key)((key)(x ^ ((key)((signed_key)x >> (KEY_BITS - 1)) | SIGN_BIT)) - BELOW);
        if (order.alike) {
            const key zero = (key)(SIGN_BIT - BELOW);
            if (x == (key)(zero - 1)) x = zero;
            if (x >= FIRST_NAN) x = (key)((SIGN_BIT | QUIET) - BELOW);
        }
        return x;
    } else if constexpr (KEY_KIND == TESS__GPU_KEY_BOOL) {
        return (key)((x != 0) ^ (key)order.flip);
    } else {
        return (key)(x ^ (key)order.flip);
    }
}

static __device__ key number_of(key x, const tess__gpu_order &order)
{
    if constexpr (KEY_KIND == TESS__GPU_KEY_FLOAT) {
        x = (key)(x + BELOW);
        return (key)(x ^ ((key) ~(key)((signed_key)x >> (KEY_BITS - 1)) | SIGN_BIT) ^ (key)order.sign);
    } else {
        return (key)(x ^ (key)order.flip);
    }
}

/* A key as a result. */
static __device__ key result_of(key x, const tess__gpu_order &order)
{
    return order.raw_keys ? x : number_of(x, order);
}

/* A number that is taken as it is; a bool comes as 0 or 1. */
static __device__ key taken(key x) { return KEY_KIND == TESS__GPU_KEY_BOOL ? (key)(x != 0) : x; }
