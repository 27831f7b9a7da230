/* Philox random numbers and their distributions, in groups of interleaved blocks. Built once per instruction set. */
#include <string.h>

#include "cpu/random/kernels.h"
#include "cpu/template.h"
#include "tessera/math/random.op.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "two words are a number of 64 bits, the low half first");

/* What the blocks of a sequence have in common. */
typedef struct sequence {
    uint32_t k0[TESS__PHILOX_ROUNDS], k1[TESS__PHILOX_ROUNDS]; /* keys of the rounds */
    uint32_t stream;
} sequence;

static sequence sequence_of(const tess__random_spec *spec)
{
    sequence s = { .stream = spec->stream };
    for (uint32_t r = 0; r < TESS__PHILOX_ROUNDS; r++) {
        s.k0[r] = (uint32_t)spec->seed + r * TESS__PHILOX_STEP0;
        s.k1[r] = (uint32_t)(spec->seed >> 32) + r * TESS__PHILOX_STEP1;
    }
    return s;
}

/* How the words of blocks are stored: each of the four by itself, in their order, or in their order as f32 from 0 to 1,
 * 1 left out. */
enum { DEINTERLEAVED, IN_ORDER, AS_UNITS };

/* BLOCKS, how many make a group, and `make_group`, which stores their words: the counters differ in the lowest word
 * alone. Deinterleaved, word k of block i is at k * BLOCKS + i. */
#if defined(__aarch64__) && !defined(__ARM_FEATURE_SVE)
#include "cpu/random/philox_neon.c.inc"
#elif defined(__x86_64__)
#include "cpu/random/philox_x86.c.inc"
#else
#include "cpu/random/philox.c.inc"
#endif

enum { WORDS = 4 * BLOCKS, PAIRS = 2 * BLOCKS };
_Static_assert((int)BLOCKS <= (int)TESS__RANDOM_BLOCKS, "a chunk holds whole groups");

/* The four words of each block of a group. */
typedef struct words {
    _Alignas(64) uint32_t a[BLOCKS];
    uint32_t b[BLOCKS], c[BLOCKS], d[BLOCKS];
} words;

/* Groups whose counters carry beyond the lowest word. */
static TESS_NOINLINE void make_slowly(uint32_t *w, uint64_t first, const tess__random_spec *spec, int order)
{
    for (uint64_t i = 0; i < BLOCKS; i++) {
        const tess__block x = tess__random_block(spec->seed, spec->stream, first + i, 0);
        const uint32_t    word[4] = { x.a, x.b, x.c, x.d };
        for (uint64_t k = 0; k < 4; k++) {
            const float unit = tess__unit_f32(word[k]);
            if (order == AS_UNITS) memcpy(w + 4 * i + k, &unit, sizeof unit);
            else w[order == DEINTERLEAVED ? k * BLOCKS + i : 4 * i + k] = word[k];
        }
    }
}

static inline TESS_ALWAYS_INLINE void make_any(uint32_t *w, uint64_t first, const tess__random_spec *spec, int order)
{
    const sequence s = sequence_of(spec);
    if ((uint32_t)first > UINT32_MAX - BLOCKS) make_slowly(w, first, spec, order);
    else make_group(w, first, &s, order);
}

static TESS_NOINLINE void make_words(words *w, uint64_t first, const tess__random_spec *spec)
{
    make_any((uint32_t *)(void *)w, first, spec, DEINTERLEAVED);
}

static TESS_NOINLINE void make_pairs(uint64_t *pairs, uint64_t first, const tess__random_spec *spec)
{
    make_any((uint32_t *)(void *)pairs, first, spec, IN_ORDER);
}

static TESS_NOINLINE void make_units(float *u, uint64_t first, const tess__random_spec *spec)
{
    make_any((uint32_t *)(void *)u, first, spec, AS_UNITS);
}

/* The numbers of one group, `first` being its first block. */
typedef void group_fn(void *out, uint64_t first, const tess__random_spec *spec);

/* Whole groups are written directly, parts of one by way of a buffer. A block is `each` numbers of `size` bytes. */
static void make_groups(void *out, uint64_t index, int64_t n, const tess__random_spec *spec, group_fn *group,
                        int64_t each, int64_t size)
{
    _Alignas(64) char buffer[4 * BLOCKS * 8];
    char             *to = out;
    const int64_t     max = BLOCKS * each;
    while (n > 0) {
        const uint64_t first = index / (uint64_t)max * BLOCKS;
        const int64_t  skip = (int64_t)(index % (uint64_t)max), m = n < max - skip ? n : max - skip;
        if (m == max) {
            group(to, first, spec);
        } else {
            group(buffer, first, spec);
            memcpy(to, buffer + skip * size, (size_t)(m * size));
        }
        to += m * size;
        index += (uint64_t)m;
        n -= m;
    }
}

/* ---- Floats of 32 bits, also for f16 ---- */

/* From 0 to 1 the numbers are as they come. */
static bool is_unit(const tess__random_spec *spec) { return spec->low == 0 && spec->range == 1; }

static void scale_f32(float *o, const tess__random_spec *spec)
{
    const float low = (float)spec->low, range = (float)spec->range, max = (float)spec->max;
    if (is_unit(spec)) return;
    for (int i = 0; i < WORDS; i++) o[i] = tess__uniform_f32(o[i], low, range, max);
}

static void group_uniform_f32(void *out, uint64_t first, const tess__random_spec *spec)
{
    make_units(out, first, spec);
    scale_f32(out, spec);
}

/* Of the leading 24 bits, the leading 11. */
static void group_uniform_f16(void *out, uint64_t first, const tess__random_spec *spec)
{
    float *o = out;
    make_units(out, first, spec);
    for (int i = 0; i < WORDS; i++) o[i] = (float)(int32_t)(o[i] * 0x1p11f) * 0x1p-11f;
    scale_f32(out, spec);
}

static void group_exponential_f32(void *out, uint64_t first, const tess__random_spec *spec)
{
    words       w;
    float      *o = out;
    const float scale = (float)spec->mean;
    make_words(&w, first, spec);
    for (int i = 0; i < BLOCKS; i++) {
        o[4 * i] = tess__exponential_f32(w.a[i], scale);
        o[4 * i + 1] = tess__exponential_f32(w.b[i], scale);
        o[4 * i + 2] = tess__exponential_f32(w.c[i], scale);
        o[4 * i + 3] = tess__exponential_f32(w.d[i], scale);
    }
}

/* In loops that are short enough for the processor to overlap their iterations. */
static void group_normal_f32(void *out, uint64_t first, const tess__random_spec *spec)
{
    words       w;
    float      *o = out, square[2][BLOCKS];
    const float mean = (float)spec->mean, std = (float)spec->std;
    make_words(&w, first, spec);
    for (int i = 0; i < BLOCKS; i++) square[0][i] = tess__normal_square_f32(w.a[i]);
    for (int i = 0; i < BLOCKS; i++) square[1][i] = tess__normal_square_f32(w.c[i]);
    for (int i = 0; i < BLOCKS; i++) {
        const tess__pair_f32 x = tess__normals_f32(square[0][i], w.b[i]), y = tess__normals_f32(square[1][i], w.d[i]);
        o[4 * i] = tess__normal_f32(x.hi, mean, std);
        o[4 * i + 1] = tess__normal_f32(x.lo, mean, std);
        o[4 * i + 2] = tess__normal_f32(y.hi, mean, std);
        o[4 * i + 3] = tess__normal_f32(y.lo, mean, std);
    }
}

static void group_lognormal_f32(void *out, uint64_t first, const tess__random_spec *spec)
{
    float *o = out;
    group_normal_f32(out, first, spec);
    for (int i = 0; i < 4 * BLOCKS; i++) o[i] = tess__exp_f32(o[i]);
}

/* ---- Floats of 64 bits ---- */

static void group_uniform_f64(void *out, uint64_t first, const tess__random_spec *spec)
{
    _Alignas(64) uint64_t x[PAIRS];
    double               *o = out;
    const double          low = spec->low, range = spec->range, max = spec->max;
    make_pairs(x, first, spec);
    for (int i = 0; i < PAIRS; i++) o[i] = tess__unit_f64(x[i]);
    if (is_unit(spec)) return;
    for (int i = 0; i < PAIRS; i++) o[i] = tess__uniform_f64(o[i], low, range, max);
}

static void group_exponential_f64(void *out, uint64_t first, const tess__random_spec *spec)
{
    words        w;
    double      *o = out;
    const double scale = spec->mean;
    make_words(&w, first, spec);
    for (int i = 0; i < BLOCKS; i++) {
        o[2 * i] = tess__exponential_f64(tess__random_join(w.a[i], w.b[i]), scale);
        o[2 * i + 1] = tess__exponential_f64(tess__random_join(w.c[i], w.d[i]), scale);
    }
}

static void group_normal_f64(void *out, uint64_t first, const tess__random_spec *spec)
{
    words        w;
    double      *o = out, square[BLOCKS];
    const double mean = spec->mean, std = spec->std;
    make_words(&w, first, spec);
    for (int i = 0; i < BLOCKS; i++) square[i] = tess__normal_square_f64(tess__random_join(w.a[i], w.b[i]));
    for (int i = 0; i < BLOCKS; i++) {
        const tess__two_f64 z = tess__normals_f64(square[i], tess__random_join(w.c[i], w.d[i]));
        o[2 * i] = tess__normal_f64(z.hi, mean, std);
        o[2 * i + 1] = tess__normal_f64(z.lo, mean, std);
    }
}

static void group_lognormal_f64(void *out, uint64_t first, const tess__random_spec *spec)
{
    double *o = out;
    group_normal_f64(out, first, spec);
    for (int i = 0; i < 2 * BLOCKS; i++) o[i] = tess__exp_f64(o[i]);
}

/* ---- Their kernels ---- */

#define KERNEL(name, suffix, each, size)                                                                               \
    static void name##_##suffix(void *out, uint64_t index, int64_t n, const tess__random_spec *spec)                   \
    {                                                                                                                  \
        make_groups(out, index, n, spec, group_##name##_##suffix, each, size);                                         \
    }
KERNEL(uniform, f16, 4, 4)
KERNEL(uniform, f32, 4, 4)
KERNEL(uniform, f64, 2, 8)
KERNEL(normal, f32, 4, 4)
KERNEL(normal, f64, 2, 8)
KERNEL(lognormal, f32, 4, 4)
KERNEL(lognormal, f64, 2, 8)
KERNEL(exponential, f32, 4, 4)
KERNEL(exponential, f64, 2, 8)
#undef KERNEL

/* ---- Integers ---- */

static void group_keys(void *out, uint64_t first, const tess__random_spec *spec) { make_pairs(out, first, spec); }

static void keys(void *out, uint64_t index, int64_t n, const tess__random_spec *spec)
{
    make_groups(out, index, n, spec, group_keys, 2, 8);
}

/* Numbers up to 32 bits; those rejected are few, and drawn again one by one. */
static void group_small(void *out, uint64_t first, const tess__random_spec *spec)
{
    words          w;
    uint64_t      *o = out, product[4 * BLOCKS];
    const uint64_t low = (uint64_t)spec->first;
    const uint32_t max = (uint32_t)spec->span, min = tess__threshold_u32(max);
    uint32_t       again = 0;
    make_words(&w, first, spec);
    for (int i = 0; i < BLOCKS; i++) {
        product[4 * i] = tess__scaled_u32(w.a[i], max);
        product[4 * i + 1] = tess__scaled_u32(w.b[i], max);
        product[4 * i + 2] = tess__scaled_u32(w.c[i], max);
        product[4 * i + 3] = tess__scaled_u32(w.d[i], max);
    }
    for (int i = 0; i < 4 * BLOCKS; i++) {
        o[i] = low + (product[i] >> 32);
        again |= (uint32_t)product[i] < min ? 1u : 0u;
    }
    for (int i = 0; again && i < 4 * BLOCKS; i++)
        if ((uint32_t)product[i] < min)
            o[i] = low + tess__random_to(spec->seed, spec->stream, 4 * first + (uint64_t)i, spec->span, 1);
}

static void group_large(void *out, uint64_t first, const tess__random_spec *spec)
{
    uint64_t      *o = out;
    const uint64_t low = (uint64_t)spec->first, n = spec->span + 1, min = tess__threshold_u64(spec->span);
    group_keys(out, first, spec);
    for (int i = 0; i < 2 * BLOCKS; i++) {
        const uint64_t x = o[i], index = 2 * first + (uint64_t)i;
        if (n == 0) o[i] = low + x;
        else if (x * n >= min) o[i] = low + tess__mul_high_u64(x, n);
        else o[i] = low + tess__random_to(spec->seed, spec->stream, index, spec->span, 1);
    }
}

static void integers(void *out, uint64_t index, int64_t n, const tess__random_spec *spec)
{
    if (spec->span <= UINT32_MAX) make_groups(out, index, n, spec, group_small, 4, 8);
    else make_groups(out, index, n, spec, group_large, 2, 8);
}

/* ---- Poisson ---- */

static void poisson(double *out, const double *means, uint64_t index, int64_t n, const tess__random_spec *spec)
{
    words         w;
    tess__poisson p = tess__poisson_of(0.0);
    for (int64_t i = 0; i < n; i++, index++) {
        const size_t at = (size_t)(index % BLOCKS);
        if (i == 0 || at == 0) make_words(&w, index - at, spec);
        if (means[i] != p.mean) p = tess__poisson_of(means[i]);
        const tess__block x = { w.a[at], w.b[at], w.c[at], w.d[at] };
        out[i] = tess__random_poisson(p, spec->seed, spec->stream, index, x);
    }
}

/* ---- In programs ---- */

/* A number for each seed and counter. */
static void uniform_at(float *out, const void *const *p, const int64_t *s, int64_t n)
{
    const uint64_t *seed = p[0], *counter = p[1];
    TESS_IVDEP for (int64_t i = 0; i < n; i++) out[i] =
        tess__unit_f32(tess__random_u32(seed[i * s[0]], 0, counter[i * s[1]], 0));
}

void TESS__FILL_KERNELS(random, random)(tess__random_kernels *k);

void TESS__FILL_KERNELS(random, random)(tess__random_kernels *k)
{
    k->floats[TESS__RANDOM_UNIFORM][TESS_F16] = uniform_f16;
    k->floats[TESS__RANDOM_UNIFORM][TESS_F32] = uniform_f32;
    k->floats[TESS__RANDOM_UNIFORM][TESS_F64] = uniform_f64;
    k->floats[TESS__RANDOM_NORMAL][TESS_F16] = normal_f32;
    k->floats[TESS__RANDOM_NORMAL][TESS_F32] = normal_f32;
    k->floats[TESS__RANDOM_NORMAL][TESS_F64] = normal_f64;
    k->floats[TESS__RANDOM_LOGNORMAL][TESS_F16] = lognormal_f32;
    k->floats[TESS__RANDOM_LOGNORMAL][TESS_F32] = lognormal_f32;
    k->floats[TESS__RANDOM_LOGNORMAL][TESS_F64] = lognormal_f64;
    k->floats[TESS__RANDOM_EXPONENTIAL][TESS_F16] = exponential_f32;
    k->floats[TESS__RANDOM_EXPONENTIAL][TESS_F32] = exponential_f32;
    k->floats[TESS__RANDOM_EXPONENTIAL][TESS_F64] = exponential_f64;
    k->blocks = BLOCKS;
    k->integers = integers;
    k->keys = keys;
    k->poisson = poisson;
    k->uniform = uniform_at;
}
