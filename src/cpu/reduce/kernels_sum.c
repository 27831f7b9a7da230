/* Sums, products, variances and counts of contiguous elements and of columns. Built once per instruction set. */
#include "cpu/reduce/complex_product.h"
#include "cpu/reduce/kernels.h"
#include "cpu/reduce/variance.h"
#include "cpu/reduce/vector.h"
#include "cpu/template.h"

/* Columns of a block: their sums stay in cache. */
enum { COLUMN_BLOCK = 512 };

/* ---- Floats ---- */

/* What is added up: numbers, their magnitudes or squares, or products of two. */
enum { NUMBERS, MAGNITUDES, SQUARES, PRODUCTS };

#define T float
#define LOAD2 load2_f32
#define ADD_PRODUCT add_exact_product
#define VAR_BITS TESS__VAR_BITS_F32
#define FLAT 0x1p-5
#define SUFFIX f32
#include "cpu/reduce/floats.c.inc"
#define T double
#define LOAD2 load2_f64
#define ADD_PRODUCT(sum, a, b) ((sum) + (a) * (b))
#define VAR_BITS TESS__VAR_BITS_F64
#define FLAT 0x1p-2
#define SUFFIX f64
#include "cpu/reduce/floats.c.inc"

static void weighted_f64(const tess__chunks *in, tess__slot *s, int64_t step)
{
    dot_f64(in, s, step);
    sum_f64(&(tess__chunks){ in->y, NULL, in->n, 0, in->chunk, false }, s + step, step);
}

/* ---- Complex numbers: as reals, or by their parts ---- */

/* One chunk, real and imaginary parts apart. */
typedef struct complex_parts {
    double re[TESS__CHUNK], im[TESS__CHUNK];
} complex_parts;

static void split(complex_parts *p, const double *z, int64_t n)
{
    for (int64_t i = 0; i < n; i++) p->re[i] = z[2 * i], p->im[i] = z[2 * i + 1];
}

static void var_c64(const tess__chunks *in, tess__slot *s, int64_t step)
{
    complex_parts p;
    EACH_CHUNK(in, c, at, n)
    {
        split(&p, (const double *)in->x + 2 * at, n);
        var_chunk_f64(p.re, n, s + c, step, false);
        var_chunk_f64(p.im, n, s + c + TESS__VAR_SLOTS * step, step, false);
    }
}

static void weighted_c64(const tess__chunks *in, tess__slot *s, int64_t step)
{
    complex_parts p;
    EACH_CHUNK(in, c, at, n)
    {
        const double *weights = (const double *)in->y + at;
        split(&p, (const double *)in->x + 2 * at, n);
        s[c].f = sum_chunk_f64(p.re, weights, n, false, PRODUCTS);
        s[c + step].f = sum_chunk_f64(weights, NULL, n, false, NUMBERS);
        s[c + 2 * step].f = sum_chunk_f64(p.im, weights, n, false, PRODUCTS);
    }
}

/* ---- Compensated sums (two-sum): each lane has a second one for its rounding errors ---- */

static inline void two_sum(double *sum, double *error, double x)
{
    const double t = *sum + x, back = t - *sum;
    *error += (*sum - (t - back)) + (x - back);
    *sum = t;
}

static inline TESS_ALWAYS_INLINE void two_sums(vf64 *sum, vf64 *error, vf64 x)
{
    const vf64 t = *sum + x, back = t - *sum;
    *error += (*sum - (t - back)) + (x - back);
    *sum = t;
}

/* Vectors of sums, with as many of errors, that fit in registers. */
enum { TOGETHER = 4 };

/* Adds the first TOGETHER vectors of each row of `lanes` numbers; n of all rows. */
static inline TESS_ALWAYS_INLINE void compensated_rows(const double *x, int64_t n, int64_t lanes, double *sum,
                                                       double *error, const bool prefetch)
{
    vf64 s[TOGETHER], e[TOGETHER];
    UNROLLED for (int v = 0; v < TOGETHER; v++)
    {
        s[v] = *(const vf64_in_memory *)(sum + v * WIDTH);
        e[v] = *(const vf64_in_memory *)(error + v * WIDTH);
    }
    for (int64_t i = 0; i < n; i += lanes) {
        if (prefetch) prefetch_later(x + i, TOGETHER * WIDTH * sizeof *x);
        UNROLLED for (int v = 0; v < TOGETHER; v++)
            two_sums(&s[v], &e[v], *(const vf64_in_memory *)(x + i + v * WIDTH));
    }
    STORE_VECTORS(sum, s, TOGETHER);
    STORE_VECTORS(error, e, TOGETHER);
}

/* Lane j + h into lane j, for all j < h, a multiple of WIDTH. */
static inline void join_compensated(double *sum, double *error, int h)
{
    for (int j = 0; j < h; j += WIDTH) {
        vf64_in_memory *s = (vf64_in_memory *)(sum + j), *e = (vf64_in_memory *)(error + j);
        vf64            total = *s, off = *e;
        two_sums(&total, &off, *(const vf64_in_memory *)(sum + j + h));
        *s = total;
        *e = off + *(const vf64_in_memory *)(error + j + h);
    }
}

/* `parts` interleaved numbers: 1 for reals, 2 for complex numbers. Slots: each part's sum, then each part's error. */
static inline TESS_ALWAYS_INLINE void compensated(const double *x, int64_t n, tess__slot *s, int64_t step,
                                                  const int parts, const bool prefetch)
{
    double        sum[2 * LANES], error[2 * LANES];
    const int     lanes = parts * LANES, left = parts * (int)((uint64_t)n % LANES);
    const int64_t whole = n * parts - left;
    for (int j = 0; j < lanes; j++) sum[j] = -0.0, error[j] = 0;
    for (int j = 0; j < lanes; j += TOGETHER * WIDTH)
        compensated_rows(x + j, whole, lanes, sum + j, error + j, prefetch);
    for (int i = 0; i < left; i++) two_sum(&sum[i], &error[i], x[whole + i]);
    int h = lanes / 2;
    for (; h >= WIDTH; h /= 2) join_compensated(sum, error, h);
    for (; h >= parts; h /= 2)
        for (int j = 0; j < h; j++) {
            two_sum(&sum[j], &error[j], sum[j + h]);
            error[j] += error[j + h];
        }
    for (int p = 0; p < parts; p++) s[p * step].f = sum[p], s[(parts + p) * step].f = error[p];
}

static void compensated_f64(const tess__chunks *in, tess__slot *s, int64_t step)
{
    EACH_CHUNK(in, c, at, n)
    {
        if (in->prefetch) compensated((const double *)in->x + at, n, s + c, step, 1, true);
        else compensated((const double *)in->x + at, n, s + c, step, 1, false);
    }
}

static void compensated_c64(const tess__chunks *in, tess__slot *s, int64_t step)
{
    EACH_CHUNK(in, c, at, n) compensated((const double *)in->x + 2 * at, n, s + c, step, 2, false);
}

/* ---- Products ---- */

static double prod_chunk(const double *x, int64_t n)
{
    double lane[LANES];
    for (int j = 0; j < LANES; j++) lane[j] = 1;
    for (int64_t i = 0; i < n; i += LANES) {
        const int64_t m = n - i < LANES ? n - i : LANES;
        for (int64_t j = 0; j < m; j++) lane[j] *= x[i + j];
    }
    for (int h = LANES / 2; h > 0; h /= 2)
        for (int j = 0; j < h; j++) lane[j] *= lane[j + h];
    return lane[0];
}

static void prod_f64(const tess__chunks *in, tess__slot *s, int64_t step)
{
    (void)step;
    EACH_CHUNK(in, c, at, n) s[c].f = prod_chunk((const double *)in->x + at, n);
}

/* Lanes without numbers are skipped: a product with 1 + 0i would change infinities. */
static void prod_c64(const tess__chunks *in, tess__slot *s, int64_t step)
{
    EACH_CHUNK(in, c, at, n)
    {
        const double *x = (const double *)in->x + 2 * at;
        double        re[LANES], im[LANES];
        const int64_t used = n < LANES ? n : LANES;
        for (int64_t j = 0; j < used; j++) re[j] = x[2 * j], im[j] = x[2 * j + 1];
        for (int64_t i = LANES; i < n; i++) tess__multiply_c64(&re[i % LANES], &im[i % LANES], x[2 * i], x[2 * i + 1]);
        for (int64_t h = LANES / 2; h > 0; h /= 2)
            for (int64_t j = 0; j < h && j + h < used; j++) tess__multiply_c64(&re[j], &im[j], re[j + h], im[j + h]);
        s[c].f = re[0];
        s[c + step].f = im[0];
    }
}

static void prod_i64(const tess__chunks *in, tess__slot *s, int64_t step)
{
    const uint64_t *x = in->x;
    uint64_t        lane[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    (void)step;
    for (int64_t i = 0; i < in->n; i++) lane[i % 8] *= x[i];
    for (int j = 0; j < 8; j++) s[0].u *= lane[j];
}

/* ---- Integers ---- */

#define T int8_t
#define A int32_t
#define B int16_t
#define SUFFIX i8
#include "cpu/reduce/int.c.inc"
#define T int16_t
#define A int32_t
#define B int32_t
#define SUFFIX i16
#include "cpu/reduce/int.c.inc"
#define T int32_t
#define A int64_t
#define B int64_t
#define SUFFIX i32
#include "cpu/reduce/int.c.inc"
#define T uint8_t
#define A uint32_t
#define B uint16_t
#define SUFFIX u8
#include "cpu/reduce/int.c.inc"
#define T uint16_t
#define A uint32_t
#define B uint32_t
#define SUFFIX u16
#include "cpu/reduce/int.c.inc"
#define T uint32_t
#define A uint64_t
#define B uint64_t
#define SUFFIX u32
#include "cpu/reduce/int.c.inc"
#define T uint64_t
#define A uint64_t
#define B uint64_t
#define SUFFIX u64
#include "cpu/reduce/int.c.inc"

static void dot_i64(const tess__chunks *in, tess__slot *s, int64_t step)
{
    const uint64_t *x = in->x, *y = in->y;
    uint64_t        sum = 0;
    (void)step;
    for (int64_t i = 0; i < in->n; i++) sum += x[i] * y[i];
    s[0].u += sum;
}

/* ---- Counts of nonzero elements ---- */

/* Sums of truths, in the elements' own width; floats without their signs. */
#define A uint32_t
#define T uint8_t
#define VALUE_OF(x) ((x) != 0)
#define SUFFIX b8
#include "cpu/reduce/int.c.inc"
#define T uint16_t
#define VALUE_OF(x) ((x) != 0)
#define SUFFIX nonzero_2
#include "cpu/reduce/int.c.inc"
#define T uint32_t
#define VALUE_OF(x) ((x) != 0)
#define SUFFIX nonzero_4
#include "cpu/reduce/int.c.inc"
#define T uint64_t
#define VALUE_OF(x) ((x) != 0)
#define SUFFIX nonzero_8
#include "cpu/reduce/int.c.inc"
#define T uint16_t
#define VALUE_OF(x) (((x)&0x7fff) != 0)
#define SUFFIX nonzero_f16
#include "cpu/reduce/int.c.inc"
#define T uint32_t
#define VALUE_OF(x) (((x)&0x7fffffff) != 0)
#define SUFFIX nonzero_f32
#include "cpu/reduce/int.c.inc"
#define T uint64_t
#define VALUE_OF(x) (((x)&INT64_MAX) != 0)
#define SUFFIX nonzero_f64
#include "cpu/reduce/int.c.inc"
#define T uint32_t
#define VALUE_OF(x) (((x)&0x7fff7fff) != 0)
#define SUFFIX nonzero_c16
#include "cpu/reduce/int.c.inc"
#define T uint64_t
#define VALUE_OF(x) (((x)&0x7fffffff7fffffff) != 0)
#define SUFFIX nonzero_c32
#include "cpu/reduce/int.c.inc"

static void nonzero_c64(const tess__chunks *in, tess__slot *s, int64_t step)
{
    const double *x = in->x;
    uint64_t      count = 0;
    (void)step;
    for (int64_t i = 0; i < in->n; i++) count += x[2 * i] != 0 || x[2 * i + 1] != 0;
    s[0].u += count;
}

/* ---- The table ---- */

typedef struct entry {
    int                 kernel, dtype;
    tess__reduce_kernel of;
} entry;

/* The kernels of a suffix for chunks and columns. */
#define INT(kernel, dtype, suffix)                                                                                     \
    {                                                                                                                  \
        TESS__RK_##kernel, TESS_##dtype, { sum_##suffix, sum_columns_##suffix }                                        \
    }
#define ONE(kernel, dtype, chunks)                                                                                     \
    {                                                                                                                  \
        TESS__RK_##kernel, TESS_##dtype, { chunks, NULL }                                                              \
    }

static const entry entries[] = {
    INT(SUM, BOOL, b8),
    INT(SUM, I8, i8),
    INT(SUM, I16, i16),
    INT(SUM, I32, i32),
    INT(SUM, I64, u64),
    INT(SUM, U8, u8),
    INT(SUM, U16, u16),
    INT(SUM, U32, u32),
    INT(SUM, U64, u64),
    INT(NONZERO, BOOL, b8),
    INT(NONZERO, I8, b8),
    INT(NONZERO, I16, nonzero_2),
    INT(NONZERO, I32, nonzero_4),
    INT(NONZERO, I64, nonzero_8),
    INT(NONZERO, U8, b8),
    INT(NONZERO, U16, nonzero_2),
    INT(NONZERO, U32, nonzero_4),
    INT(NONZERO, U64, nonzero_8),
    INT(NONZERO, F16, nonzero_f16),
    INT(NONZERO, F32, nonzero_f32),
    INT(NONZERO, F64, nonzero_f64),
    INT(NONZERO, C16, nonzero_c16),
    INT(NONZERO, C32, nonzero_c32),
    ONE(NONZERO, C64, nonzero_c64),
    ONE(PROD, I64, prod_i64),
    ONE(PROD, U64, prod_i64),
    ONE(DOT, I64, dot_i64),
    ONE(DOT, U64, dot_i64),
    ONE(COMPENSATED, F64, compensated_f64),
    ONE(COMPENSATED, C64, compensated_c64),
    ONE(PROD, F64, prod_f64),
    ONE(PROD, C64, prod_c64),
    ONE(VAR, C64, var_c64),
    ONE(WEIGHTED, F64, weighted_f64),
    ONE(WEIGHTED, C64, weighted_c64),
};

void TESS__FILL_KERNELS(reduce, sum)(tess__reduce_kernels *k);

void TESS__FILL_KERNELS(reduce, sum)(tess__reduce_kernels *k)
{
    fill_floats_f32(k, TESS_F32, TESS_C32);
    fill_floats_f64(k, TESS_F64, TESS_C64);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        k->of[entries[i].kernel][entries[i].dtype] = entries[i].of;
}
