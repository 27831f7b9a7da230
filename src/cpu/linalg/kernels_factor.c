/* Steps of factorisations for each instruction set. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "cpu/linalg/kernels.h"
#include "cpu/template.h"

static double dot_f64(const double *x, const double *y, int64_t n)
{
    double  s[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++) s[l] += x[i + l] * y[i + l];
    for (; i < n; i++) s[0] += x[i] * y[i];
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

static void add_f64(double *y, double s, const double *x, int64_t n)
{
    TESS_IVDEP
    for (int64_t i = 0; i < n; i++) y[i] += s * x[i];
}

static void add_both_f64(double *z, double s, const double *x, double t, const double *y, int64_t n)
{
    TESS_IVDEP
    for (int64_t i = 0; i < n; i++) z[i] += s * x[i] + t * y[i];
}

#define T double
#define SUFFIX f64
#define MUL(x, y) ((x) * (y))
#define CONJ(x) (x)
#define REAL(x) (x)
#define SQUARE(x) ((x) * (x))
#define SIZE(x) fabs(x)
#include "cpu/linalg/factor_steps.c.inc"

static inline double _Complex of_parts(double real, double imaginary)
{
    const double parts[2] = { real, imaginary };
    double _Complex x; /* C11's CMPLX is not everywhere */
    memcpy(&x, parts, sizeof x);
    return x;
}

/* Without what C adds for infinities. As vectors, since gcc contracts products that are spelt out in parts. */
typedef double one __attribute__((vector_size(2 * sizeof(double))));

static inline double _Complex product(double _Complex x, double _Complex y)
{
    const one real = { creal(x), creal(x) }, imaginary = { -cimag(x), cimag(x) };
    const one direct = { creal(y), cimag(y) }, crossed = { cimag(y), creal(y) };
    const one sum = real * direct + imaginary * crossed;
    return of_parts(sum[0], sum[1]);
}

/* Two numbers, as parts. */
typedef double  pair __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t places __attribute__((vector_size(4 * sizeof(int64_t))));
#if defined(__clang__)
#define SWAPPED(x) __builtin_shufflevector(x, x, 1, 0, 3, 2)
#else
#define SWAPPED(x) __builtin_shuffle(x, (places){ 1, 0, 3, 2 })
#endif

#define PAIR_AT(x) (*(const pair *)(const void *)(x))
#define PUT_PAIR(x, value) (*(pair *)(void *)(x) = (value))

/* A factor of both, and the products with it. */
typedef struct factor {
    pair real, imaginary;
} factor;

#define FACTOR_OF(s)                                                                                                   \
    {                                                                                                                  \
        { creal(s), creal(s), creal(s), creal(s) }, { -cimag(s), cimag(s), -cimag(s), cimag(s) }                       \
    }
#define TIMES(s, x) ((s).real * (x) + (s).imaginary * SWAPPED(x))

/* Products of parts, and of parts that are exchanged, are summed by themselves. */
static double _Complex dot_c64(const double _Complex *x, const double _Complex *y, int64_t n)
{
    pair    direct[2] = { { 0 }, { 0 } }, crossed[2] = { { 0 }, { 0 } };
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 2; l++) {
            const pair a = PAIR_AT(x + i + 2 * l), b = PAIR_AT(y + i + 2 * l);
            direct[l] += a * b;
            crossed[l] += a * SWAPPED(b);
        }
    const pair d = direct[0] + direct[1], c = crossed[0] + crossed[1];
    double _Complex sum = of_parts((d[0] + d[1]) + (d[2] + d[3]), (c[0] - c[1]) + (c[2] - c[3]));
    for (; i < n; i++) sum += product(conj(x[i]), y[i]);
    return sum;
}

static void add_c64(double _Complex *y, double _Complex s, const double _Complex *x, int64_t n)
{
    const factor by = FACTOR_OF(s);
    int64_t      i = 0;
    for (; i + 2 <= n; i += 2) { PUT_PAIR(y + i, PAIR_AT(y + i) + TIMES(by, PAIR_AT(x + i))); }
    if (i < n) y[i] += product(s, x[i]);
}

static void add_both_c64(double _Complex *z, double _Complex s, const double _Complex *x, double _Complex t,
                         const double _Complex *y, int64_t n)
{
    const factor first = FACTOR_OF(s), second = FACTOR_OF(t);
    int64_t      i = 0;
    for (; i + 2 <= n; i += 2) {
        PUT_PAIR(z + i, PAIR_AT(z + i) + (TIMES(first, PAIR_AT(x + i)) + TIMES(second, PAIR_AT(y + i))));
    }
    if (i < n) z[i] += product(s, x[i]) + product(t, y[i]);
}

#define T double _Complex
#define SUFFIX c64
#define MUL(x, y) product(x, y)
#define CONJ(x) conj(x)
#define REAL(x) creal(x)
#define SQUARE(x) (creal(x) * creal(x) + cimag(x) * cimag(x))
#define SIZE(x) (fabs(creal(x)) + fabs(cimag(x)))
#include "cpu/linalg/factor_steps.c.inc"

/* Components that are kept in registers from one rotation to the next. */
enum { LANES = 4, VECTORS = 4 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

/* These rotations of LANES * VECTORS components. One of the two vectors of a rotation is not stored if the next
 * rotation needs it again. */
static void rotate_chain(double *x, int64_t stride, const tess__rotation *rotations, int64_t count)
{
    lanes   held[VECTORS], low[VECTORS], high[VECTORS];
    int64_t which = -1; /* vector is held */
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = rotations[k].at;
        const double  c = rotations[k].c, s = rotations[k].s;
        lanes *const p = (lanes *)(void *)(x + at * stride), *const q = (lanes *)(void *)(x + (at + 1) * stride);
        const bool keep_high = k + 1 < count && rotations[k + 1].at == at + 1;
        if (which >= 0 && which != at && which != at + 1)
            UNROLL_ALL for (int v = 0; v < VECTORS; v++)((lanes *)(void *)(x + which * stride))[v] = held[v];
        UNROLL_ALL for (int v = 0; v < VECTORS; v++)
        {
            const lanes first = which == at ? held[v] : p[v], second = which == at + 1 ? held[v] : q[v];
            low[v] = c * first - s * second;
            high[v] = s * first + c * second;
        }
        UNROLL_ALL for (int v = 0; v < VECTORS; v++)
        {
            if (keep_high) p[v] = low[v], held[v] = high[v];
            else q[v] = high[v], held[v] = low[v];
        }
        which = keep_high ? at + 1 : at;
    }
    for (int v = 0; v < VECTORS && which >= 0; v++) ((lanes *)(void *)(x + which * stride))[v] = held[v];
}

static void rotate_all(double *x, int64_t stride, int64_t n, const tess__rotation *rotations, int64_t count)
{
    int64_t i = 0;
    for (; i + LANES * VECTORS <= n; i += LANES * VECTORS) rotate_chain(x + i, stride, rotations, count);
    for (int64_t k = 0; k < count && i < n; k++) {
        double *const low = x + i + rotations[k].at * stride, *const high = low + stride;
        TESS_IVDEP
        for (int64_t l = 0; l < n - i; l++) {
            const double first = low[l], second = high[l];
            low[l] = rotations[k].c * first - rotations[k].s * second;
            high[l] = rotations[k].s * first + rotations[k].c * second;
        }
    }
}

void TESS__FILL_KERNELS(linalg, factor)(tess__linalg_kernels *k);

void TESS__FILL_KERNELS(linalg, factor)(tess__linalg_kernels *k)
{
    k->f64 = steps_f64;
    k->c64 = steps_c64;
    k->rotate_all = rotate_all;
}
