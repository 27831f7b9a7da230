/* Gather, scatter, compress and expand. Built once per instruction set. */
#include <string.h>

#include "cpu/convert/add_types.h"
#include "cpu/index/kernels.h"
#include "cpu/memory/bytes.h"
#include "cpu/template.h"
#include "tessera/math/fn.h"

/* ---- Indices ---- */

#include "formulas/whole.op.inc"

/* 64-bit integers are multiplied one by one, without SIMD, and most steps are powers of 2. */
static void offsets(int64_t *o, const int64_t *indices, int64_t count, int64_t n, int64_t step, int64_t next)
{
    if (step > 0 && (step & (step - 1)) == 0 && next == 0) {
        const int shift = __builtin_ctzll((uint64_t)step);
        TESS_IVDEP for (int64_t i = 0; i < count; i++) o[i] = (indices[i] + (indices[i] >> 63 & n)) << shift;
    } else {
        for (int64_t i = 0; i < count; i++) o[i] = (indices[i] + (indices[i] < 0 ? n : 0)) * step + i * next;
    }
}

static void whole_offsets(int64_t *o, const int64_t *indices, int64_t count, int64_t n, const tess__whole *whole)
{
    const tess__whole own = *whole;
    for (int64_t i = 0; i < count; i++) o[i] = tess__whole_offset(&own, indices[i] + (indices[i] < 0 ? n : 0));
}

static int64_t bad_index(const int64_t *indices, int64_t count, int64_t n)
{
    const uint64_t all = 2 * (uint64_t)n;
    uint64_t       bad = 0;
    for (int64_t i = 0; i < count; i++) bad |= (uint64_t)indices[i] + (uint64_t)n >= all ? 1 : 0;
    if (!bad) return count;
    int64_t i = 0;
    while (indices[i] >= -n && indices[i] < n) i++;
    return i;
}

/* ---- Masks ---- */

/* 8 mask bytes, normalised to 1 where they are not 0. */
static inline uint64_t ones_of_8(const uint8_t *mask)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t       x;
    memcpy(&x, mask, sizeof x);
    return (((x & low) + low) | x) >> 7 & UINT64_C(0x0101010101010101);
}

/* The same as bits. */
static inline uint64_t bits_of_8(const uint8_t *mask)
{
    return ones_of_8(mask) * UINT64_C(0x0102040810204080) >> 56; /* brings bit 8k to bit 56+k */
}

/* Bits of 64 mask bytes, or of the n that are left. */
static inline uint64_t bits_of(const uint8_t *mask, int64_t n)
{
    uint64_t bits = 0;
    if (n >= 64) {
        for (int k = 0; k < 8; k++) bits |= bits_of_8(mask + 8 * k) << 8 * k;
        return bits;
    }
    for (int64_t i = 0; i < n; i++) bits |= (uint64_t)(mask[i] != 0) << i;
    return bits;
}

static int64_t count_set(const uint8_t *mask, int64_t n)
{
    enum { MAX = 31 }; /* whose sums a byte can hold */
    int64_t i = 0, count = 0;
    while (n - i >= 8) {
        const int64_t end = n - i < 8 * MAX ? i + (n - i) / 8 * 8 : i + 8 * MAX;
        uint64_t      sums = 0;
        for (; i < end; i += 8) sums += ones_of_8(mask + i);
        sums = (sums & UINT64_C(0x00ff00ff00ff00ff)) + (sums >> 8 & UINT64_C(0x00ff00ff00ff00ff));
        count += (int64_t)(sums * UINT64_C(0x0001000100010001) >> 48);
    }
    for (; i < n; i++) count += mask[i] != 0;
    return count;
}

static int64_t indices(int64_t *out, int64_t first, const uint8_t *mask, int64_t n)
{
    int64_t done = 0;
    for (int64_t i = 0; i < n; i += 64)
        for (uint64_t bits = bits_of(mask + i, n - i); bits; bits &= bits - 1)
            out[done++] = first + i + __builtin_ctzll(bits);
    return done;
}

/* Of 64 bits: below FEW set ones they are found bit by bit; below SPARSE on average over GROUPS of 64, indices are
 * listed first. */
enum { FEW = 24, SPARSE = 8, GROUPS = 16 };

#define T bytes1
#define SUFFIX 1
#include "cpu/index/take_put.c.inc"
#define T bytes2
#define SUFFIX 2
#include "cpu/index/take_put.c.inc"
#define T bytes4
#define SUFFIX 4
#include "cpu/index/take_put.c.inc"
#define T bytes8
#define SUFFIX 8
#include "cpu/index/take_put.c.inc"
#define T bytes16
#define SUFFIX 16
#include "cpu/index/take_put.c.inc"

/* ---- Elements of any size ---- */

static void gather_any(char *out, int64_t so, const char *in, const int64_t *offset, int64_t n, int64_t size)
{
    for (int64_t i = 0; i < n; i++) memcpy(out + i * so, in + offset[i], (size_t)size);
}

static void scatter_any(char *out, const int64_t *offset, const char *in, int64_t si, int64_t n, int64_t size)
{
    for (int64_t i = 0; i < n; i++) memcpy(out + offset[i], in + i * si, (size_t)size);
}

static int64_t compress_any(char *out, int64_t capacity, const char *in, int64_t si, const uint8_t *mask, int64_t n,
                            int64_t size)
{
    (void)capacity;
    int64_t done = 0;
    for (int64_t i = 0; i < n; i++)
        if (mask[i]) memcpy(out + done++ * size, in + i * si, (size_t)size);
    return done;
}

static int64_t expand_any(char *out, int64_t so, const char *in, const uint8_t *mask, int64_t n, int64_t size)
{
    int64_t done = 0;
    for (int64_t i = 0; i < n; i++)
        if (mask[i]) memcpy(out + i * so, in + done++ * size, (size_t)size);
    return done;
}

/* ---- Scatter-add ---- */

#define ADD_AT(t)                                                                                                      \
    static void add_at_##t(char *out, const int64_t *offset, const char *in, int64_t si, int64_t n, int64_t reals)     \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            TYPE(t) *o = (TYPE(t) *)(void *)(out + offset[i]);                                                         \
            const TYPE(t) *x = (const TYPE(t) *)(const void *)(in + i * si);                                           \
            TESS_IVDEP for (int64_t r = 0; r < reals; r++) o[r] = ADD(t, o[r], x[r]);                                  \
        }                                                                                                              \
    }
ALL_REALS(ADD_AT)
#undef ADD_AT

void TESS__FILL_KERNELS(index, index)(tess__index_kernels *kernels)
{
    kernels->offsets = offsets;
    kernels->whole_offsets = whole_offsets;
    kernels->bad_index = bad_index;
    kernels->indices = indices;
    kernels->count_set = count_set;
#define SIZED(name)                                                                                                    \
    {                                                                                                                  \
        name##_1, name##_2, name##_4, name##_8, name##_16, name##_any                                                  \
    }
    static tess__gather_fn *const   gather[] = SIZED(gather);
    static tess__scatter_fn *const  scatter[] = SIZED(scatter);
    static tess__pick_fn *const     pick[] = { pick_1, pick_2, pick_4, pick_8, pick_16 };
    static tess__compress_fn *const compress[] = SIZED(compress);
    static tess__expand_fn *const   expand[] = SIZED(expand);
#undef SIZED
    memcpy(kernels->gather, gather, sizeof gather);
    memcpy(kernels->scatter, scatter, sizeof scatter);
    memcpy(kernels->pick, pick, sizeof pick);
    memcpy(kernels->compress, compress, sizeof compress);
    memcpy(kernels->expand, expand, sizeof expand);
#define ENTRY(t) kernels->add_at[DTYPE(t)] = add_at_##t;
    ALL_REALS(ENTRY)
#undef ENTRY
}
