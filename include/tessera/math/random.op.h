/* Random numbers, defined element by element: an element depends only on the seed, the stream and its index.
 *
 * Philox4x32-10 makes four words from a key, the two halves of the seed, and a counter: the two halves of a block's
 * number, a draw and the stream. Numbers of 32 bits take word p % 4 of block p / 4 for index p, those of 64 bits words
 * 2 (p % 2) and the next of block p / 2, the low half first, all of draw 0. Rejected numbers are drawn again from the
 * same words of draw 1, 2, … of their block. Normal numbers are computed in pairs, for indices 2 j and 2 j + 1.
 */
#ifndef TESSERA_MATH_RANDOM_OP_H
#define TESSERA_MATH_RANDOM_OP_H

#include "tessera/math/f32.op.h"
#include "tessera/math/f64.op.h"

/* ---- Words ---- */

/* A counter, and the words made from it. */
typedef struct tess__block {
    uint32_t a, b, c, d;
} tess__block;

TESS_FN tess__block tess__philox_round(tess__block x, uint32_t k0, uint32_t k1)
{
    const uint64_t p = (uint64_t)x.a * 0xd2511f53u, q = (uint64_t)x.c * 0xcd9e8d57u;
    tess__block    y;
    y.a = (uint32_t)(q >> 32) ^ x.b ^ k0;
    y.b = (uint32_t)q;
    y.c = (uint32_t)(p >> 32) ^ x.d ^ k1;
    y.d = (uint32_t)p;
    return y;
}

/* Increments of the key in each round of Philox. */
#define TESS__PHILOX_STEP0 0x9e3779b9u
#define TESS__PHILOX_STEP1 0xbb67ae85u
#define TESS__PHILOX_ROUNDS 10

TESS_FN tess__block tess__philox(tess__block x, uint32_t k0, uint32_t k1)
{
    for (int round = 0; round < TESS__PHILOX_ROUNDS; round++) {
        x = tess__philox_round(x, k0, k1);
        k0 += TESS__PHILOX_STEP0;
        k1 += TESS__PHILOX_STEP1;
    }
    return x;
}

TESS_FN tess__block tess__random_block(uint64_t seed, uint32_t stream, uint64_t block, uint32_t draw)
{
    tess__block x;
    x.a = (uint32_t)block;
    x.b = (uint32_t)(block >> 32);
    x.c = draw;
    x.d = stream;
    return tess__philox(x, (uint32_t)seed, (uint32_t)(seed >> 32));
}

TESS_FN uint32_t tess__random_u32(uint64_t seed, uint32_t stream, uint64_t index, uint32_t draw)
{
    const tess__block x = tess__random_block(seed, stream, index / 4, draw);
    const uint32_t    k = (uint32_t)index % 4;
    return k == 0 ? x.a : k == 1 ? x.b : k == 2 ? x.c : x.d;
}

TESS_FN uint64_t tess__random_join(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }

TESS_FN uint64_t tess__random_u64(uint64_t seed, uint32_t stream, uint64_t index, uint32_t draw)
{
    const tess__block x = tess__random_block(seed, stream, index / 2, draw);
    return index % 2 == 0 ? tess__random_join(x.a, x.b) : tess__random_join(x.c, x.d);
}

/* ---- From 0 to 1 ---- */

/* 1 left out: the leading 11, 24 and 53 bits. */
TESS_FN float tess__unit_f16(uint32_t x) { return (float)(int32_t)(x >> 21) * 0x1p-11f; }

TESS_FN float tess__unit_f32(uint32_t x) { return (float)(int32_t)(x >> 8) * 0x1p-24f; }

/* For processors that cannot convert 64-bit integers directly: halves as the mantissas of 2^84 and 2^52. Exact either
 * way. */
#if defined(__aarch64__) || defined(__AVX512DQ__)
TESS_FN double tess__unit_f64(uint64_t x) { return (double)(int64_t)(x >> 11) * 0x1p-53; }
#else
TESS_FN double tess__unit_f64(uint64_t x)
{
    const uint64_t bits = x >> 11;
    const double   high = tess__f64_of_bits(0x4530000000000000u | bits >> 32) - (0x1p84 + 0x1p52);
    const double   low = tess__f64_of_bits(0x4330000000000000u | (bits & 0xffffffffu));
    return (high + low) * 0x1p-53;
}
#endif

/* In (0, 1]: from 2^-33 with all 32 bits for f32, and from 2^-52 for f64. */
TESS_FN float tess__above_zero_f32(uint32_t x) { return __builtin_fmaf((float)x, 0x1p-32f, 0x1p-33f); }

TESS_FN double tess__above_zero_f64(uint64_t x) { return 2.0 - tess__f64_of_bits(0x3ff0000000000000u | x >> 12); }

/* ---- Distributions of floats; f16 is computed as f32 and rounded ---- */

/* low + u (high - low), limited to `most`, the largest number below high, if the sum is rounded up. */
TESS_FN float tess__uniform_f32(float u, float low, float range, float most)
{
    const float x = __builtin_fmaf(u, range, low);
    return x < most ? x : most;
}

TESS_FN double tess__uniform_f64(double u, double low, double range, double most)
{
    const double x = __builtin_fma(u, range, low);
    return x < most ? x : most;
}

/* Box-Muller transform: the squared radius from the bits of the first index, and the angle from those of the second. */
TESS_FN float tess__normal_square_f32(uint32_t x) { return -2.0f * tess__log_fast_f32(tess__above_zero_f32(x)); }

TESS_FN double tess__normal_square_f64(uint64_t x) { return -2.0 * tess__log_fast_f64(tess__above_zero_f64(x)); }

/* The angle is within pi/2 to either side; the last bit adds pi. Its cosine and sine are computed from half of it, h,
 * with errors of about 1e-7 and 1e-16 of the radius. hi belongs to the first index, lo to the second. */
TESS_FN tess__pair_f32 tess__normals_f32(float square, uint32_t y)
{
    const float    radius = __builtin_sqrtf(square);
    const float    sized = tess__f32_of_bits(tess__bits_of_f32(radius) ^ y << 31);
    const float    h = (float)(int32_t)y * 0x1.921fb6p-32f, s = h * h;
    const float    p = __builtin_fmaf(__builtin_fmaf(0x1.992be8p-13f, s, -0x1.1106e4p-7f), s, 0x1.555544p-3f);
    const float    q = __builtin_fmaf(__builtin_fmaf(0x1.99e8fep-16f, s, -0x1.6c0c2ap-10f), s, 0x1.55554ap-5f);
    const float    sine = __builtin_fmaf(-p, h * s, h);
    const float    cosine = __builtin_fmaf(__builtin_fmaf(q, s, -0.5f), s, 1.0f);
    tess__pair_f32 z;
    z.hi = sized * __builtin_fmaf(sine * -2.0f, sine, 1.0f);
    z.lo = sized * (sine * 2.0f * cosine);
    return z;
}

TESS_FN tess__two_f64 tess__normals_f64(double square, uint64_t y)
{
    const double radius = __builtin_sqrt(square);
    const double sized = tess__flip_f64(radius, y << 63);
    const double h = (tess__f64_of_bits(0x3ff0000000000000u | y >> 12) - 1.5) * 0x1.921fb54442d18p0;
    const double s = h * h, ss = s * s;
    const double a = tess__cubic_f64(s, ss, -0x1.5555555555555p-3, 0x1.1111111110c78p-7, -0x1.a01a019e9e16ep-13,
                                     0x1.71de37ad7fd05p-19);
    const double b = __builtin_fma(s, 0x1.5e0fdbacf9db9p-33, -0x1.ae601c62e787cp-26);
    const double c = tess__cubic_f64(s, ss, 0x1.5555555555555p-5, -0x1.6c16c16c168c7p-10, 0x1.a01a019f3748ap-16,
                                     -0x1.27e4fa017dd66p-22);
    const double d = __builtin_fma(s, -0x1.90724d2e44196p-37, 0x1.1eeb563bda84ep-29), s4 = ss * ss;
    const double sine = __builtin_fma(h * s, __builtin_fma(s4, b, a), h);
    const double cosine = __builtin_fma(__builtin_fma(__builtin_fma(s4, d, c), s, -0.5), s, 1.0);
    return tess__two_f64_of(sized * __builtin_fma(sine * -2.0, sine, 1.0), sized * (sine * 2.0 * cosine));
}

TESS_FN float tess__normal_f32(float z, float mean, float std) { return __builtin_fmaf(z, std, mean); }

TESS_FN double tess__normal_f64(double z, double mean, double std) { return __builtin_fma(z, std, mean); }

/* 0 less the logarithm: never -0. */
TESS_FN float tess__exponential_f32(uint32_t x, float scale)
{
    return scale * (0.0f - tess__log_fast_f32(tess__above_zero_f32(x)));
}

TESS_FN double tess__exponential_f64(uint64_t x, double scale)
{
    return scale * (0.0 - tess__log_fast_f64(tess__above_zero_f64(x)));
}

/* ---- Integers ---- */

/* Numbers from 0 to `most`: x (most + 1) / 2^32. Products whose lower half is below `least`, 2^32 modulo most + 1,
 * would bias the result and are drawn again. */
TESS_FN uint64_t tess__scaled_u32(uint32_t x, uint32_t most) { return (uint64_t)x * most + x; }

TESS_FN uint32_t tess__threshold_u32(uint32_t most)
{
    return most == 0xffffffffu ? 0u : (0u - (most + 1u)) % (most + 1u);
}

/* The same with 64 bits, for `most` from 2^32 on. */
TESS_FN uint64_t tess__threshold_u64(uint64_t most)
{
    return most == 0xffffffffffffffffu ? 0u : (0u - (most + 1u)) % (most + 1u);
}

/* The integer of an index, from draw `draw` on. */
TESS_FN uint64_t tess__random_to(uint64_t seed, uint32_t stream, uint64_t index, uint64_t most, uint32_t draw)
{
    if (most <= 0xffffffffu) {
        const uint32_t most32 = (uint32_t)most, least = tess__threshold_u32(most32);
        for (;; draw++) {
            const uint64_t product = tess__scaled_u32(tess__random_u32(seed, stream, index, draw), most32);
            if ((uint32_t)product >= least) return product >> 32;
        }
    }
    const uint64_t least = tess__threshold_u64(most);
    for (;; draw++) {
        const uint64_t x = tess__random_u64(seed, stream, index, draw), n = most + 1u;
        if (n == 0u) return x;
        if (x * n >= least) return tess__mul_high_u64(x, n);
    }
}

/* ---- Poisson ---- */

/* Means below this are searched for from 0 on. */
#define TESS__POISSON_FEW 10.0

/* Constants that depend only on the mean, named as in Hoermann's PTRS (1993). */
typedef struct tess__poisson {
    double mean;
    double none;                   /* few: the probability of 0 */
    double a, b, inverse_alpha, v; /* many */
} tess__poisson;

TESS_FN tess__poisson tess__poisson_of(double mean)
{
    tess__poisson p;
    p.mean = mean;
    p.none = mean < TESS__POISSON_FEW ? tess__exp_f64(-mean) : 0.0;
    p.b = __builtin_fma(2.53, __builtin_sqrt(mean), 0.931);
    p.a = __builtin_fma(0.02483, p.b, -0.059);
    p.v = 0.9277 - 3.6224 / (p.b - 2.0);
    p.inverse_alpha = 1.1239 + 1.1328 / (p.b - 3.4);
    return p;
}

/* ln(k!) less Stirling's approximation, k > 0 and whole. */
TESS_FN double tess__stirling_rest(double k)
{
    static const double first[8] = { 0x1.4c071bcda0a5bp-4, 0x1.52a9b923ea649p-5, 0x1.c579a268d80b3p-6,
                                     0x1.54a2662fd78a9p-6, 0x1.10b4e513fcbedp-6, 0x1.c6b167bebdf36p-7,
                                     0x1.85d4d612e4a86p-7, 0x1.552805e7b3076p-7 };
    if (k <= 8.0) return first[(int)k - 1];
    const double x = 1.0 / k, xx = x * x;
    double       s = __builtin_fma(xx, -1.0 / 1680.0, 1.0 / 1260.0);
    s = __builtin_fma(xx, s, -1.0 / 360.0);
    return tess__product_f64(x, __builtin_fma(xx, s, 1.0 / 12.0));
}

/* k ln(k / mean) + mean - k, accurate also for k close to the mean: Loader's series (2000) in the relative distance. */
TESS_FN double tess__poisson_distance(double k, double mean)
{
    const double d = k - mean, v = d / (k + mean), z = v * v;
    if (__builtin_fabs(v) >= 0.1) return __builtin_fma(k, tess__log_f64(k / mean), -d);
    double s = __builtin_fma(z, 1.0 / 17.0, 1.0 / 15.0);
    s = __builtin_fma(z, s, 1.0 / 13.0);
    s = __builtin_fma(z, s, 1.0 / 11.0);
    s = __builtin_fma(z, s, 1.0 / 9.0);
    s = __builtin_fma(z, s, 1.0 / 7.0);
    s = __builtin_fma(z, s, 1.0 / 5.0);
    s = __builtin_fma(z, s, 1.0 / 3.0);
    return __builtin_fma(d, v, tess__product_f64(2.0 * k * v, z * s));
}

/* Tests whether x is at most the probability of k, in logarithms, with Stirling's square root on the side of x. */
TESS_FN int tess__poisson_reaches(double k, double mean, double x)
{
    if (k == 0.0) return tess__log_f64(x) <= -mean;
    const double root = __builtin_sqrt(0x1.921fb54442d18p2 * k);
    return tess__log_f64(x * root) <= -tess__stirling_rest(k) - tess__poisson_distance(k, mean);
}

/* By inversion: sums probabilities from 0 on, until they add nothing more. */
TESS_FN double tess__poisson_few(tess__poisson p, double u)
{
    double k = 0.0, chance = p.none, sum = chance;
    while (u >= sum) {
        chance = tess__product_f64(chance, p.mean / (k + 1.0));
        if (sum + chance == sum) break;
        sum += chance;
        k += 1.0;
    }
    return k;
}

/* One trial of two uniform numbers; -1 if it is rejected. */
TESS_FN double tess__poisson_many(tess__poisson p, double u0, double v)
{
    const double u = u0 - 0.5, us = 0.5 - __builtin_fabs(u), t = __builtin_fma(2.0 * p.a / us + p.b, u, p.mean) + 0.43;
    if (!(t >= 0.0)) return -1.0;
    const double near = t < 0x1p52 ? (t + 0x1p52) - 0x1p52 : t, k = near > t ? near - 1.0 : near;
    if (us >= 0.07 && v <= p.v) return k;
    if (us < 0.013 && v > us) return -1.0;
    return tess__poisson_reaches(k, p.mean, v * p.inverse_alpha / (p.a / (us * us) + p.b)) ? k : -1.0;
}

/* The number for an index, whose block of draw 0 is x. Each draw uses the block `index`. */
TESS_FN double tess__random_poisson(tess__poisson p, uint64_t seed, uint32_t stream, uint64_t index, tess__block x)
{
    if (p.mean < TESS__POISSON_FEW) return tess__poisson_few(p, tess__unit_f64(tess__random_join(x.a, x.b)));
    for (uint32_t draw = 1;; draw++) {
        const double u = tess__unit_f64(tess__random_join(x.a, x.b)), v = tess__unit_f64(tess__random_join(x.c, x.d));
        const double k = tess__poisson_many(p, u, v);
        if (k >= 0.0) return k;
        x = tess__random_block(seed, stream, index, draw);
    }
}

#endif
