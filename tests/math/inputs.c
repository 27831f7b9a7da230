/* Arguments for the tests. Only exact or IEEE operations and explicit fma, so that they are the same everywhere. */
#include "inputs.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI_2 0x1.921fb54442d18p0
#define LN2 0x1.62e42fefa39efp-1
#define LOG10_2 0x1.34413509f79ffp-2

/* Where functions overflow, underflow, saturate or change their formula; the last two are the float and the double
 * nearest to a multiple of pi / 2. */
/* clang-format off */
static const double borders[] = {
    88.72283905206835, 87.33654475055310, 103.97207708399179, 89.41598629223294, 9.010913347279288, 17.32867951399863,
    709.782712893384, 708.3964185322641, 745.1332191019412, 744.4400719213812, 710.4758600739439, 19.06154746539849,
    38.53183944498959, 37.92977945366162, 45.15449934959718, 44.85346935393916, 308.2547155599167, 307.6526555685888,
    323.3062153431158, 323.6072453387798, 3.919205, 5.921587195794508, 9.194549, 10.05468, 26.54325845425098,
    27.22607163107446, 5.863584748755168, 0.84375, 1.25, 1 / 0.35, 0.4769362762044699, 0.70710678118654752,
    1.4142135623730951, 0.41421356237309503, 2.4142135623730951, 0.26794919243112270, 3.7320508075688772,
    0.66666666666666663, 1.3333333333333333, 0.3465735902799726, 0.6931471805599453, 1.0397207708399179, 0.975,
    16777217, 8388607.5, 4503599627370495.5, 9007199254740991, 6.5536e4, 823549.6, 105615, 48039, 2147483648, 1e5,
    1e30, 1e22, 16367173 * 0x1p72, 6381956970095103 * 0x1p797,
};
/* clang-format on */

/* Values whose pairs are all tried with functions of two arguments; each with both signs. */
/* clang-format off */
static const double specials[] = {
    0, 0x1p-1074, 0x1p-149, 0x1p-1022, 0x1p-126, 0x1p-60, 0x1p-30, 0.1, 0.5, 1 - 0x1p-53, 1 - 0x1p-24, 1, 1 + 0x1p-52,
    1 + 0x1p-23, 1.5, 2, 2.5, 3, 4, 5, 10, 27, 63, 127, 128, 150, 1023, 1024, 1075, 8388607.5, 8388609, 16777215,
    16777217, 0x1p31, 0x1p52 + 0.5, 0x1p52 + 1, 0x1p53 - 1, 0x1p53, 0x1p53 + 2, 0x1p64, 0x1p100, 0x1p127, 0x1p1000,
    0x1p1023, FLT_MAX, DBL_MAX, INFINITY, NAN,
};
/* clang-format on */
enum { N_BORDERS = sizeof borders / sizeof *borders, N_SPECIALS = sizeof specials / sizeof *specials };

static uint64_t scramble(uint64_t i)
{
    i = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    i = (i ^ (i >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    i = (i ^ (i >> 27)) * UINT64_C(0x94d049bb133111eb);
    return i ^ (i >> 31);
}

/* Next random number of a stream. At most one draw in an expression: the order of two would be up to the compiler. */
static uint64_t draw(uint64_t *state) { return scramble((*state)++); }

/* From 0 to below 1. */
static double unit(uint64_t *state) { return (double)(draw(state) >> 11) * 0x1p-53; }

static double uniform(uint64_t *state, double low, double high) { return fma(high - low, unit(state), low); }

static int64_t integer(uint64_t *state, int64_t least, int64_t most)
{
    return least + (int64_t)(draw(state) % (uint64_t)(most - least + 1));
}

/* log(x) for x from 0.25 to 0.75, by the series of atanh: the C library's would not be the same everywhere. */
static double logarithm(double x)
{
    const double z = (x - 1) / (x + 1), z2 = z * z;
    double       sum = 0;
    for (int k = 61; k > 0; k -= 2) sum = fma(sum, z2, 1.0 / k);
    return 2 * z * sum;
}

void inputs_free(void *hard_at) { free(hard_at); }

#define T float
#define BITS uint32_t
#define SIGNED int32_t
#define SUFFIX f32
#define DIGITS 24
#define LEAST_EXPONENT (-149)
#define MOST_EXPONENT 127
#include "inputs.c.inc"

#define T double
#define BITS uint64_t
#define SIGNED int64_t
#define SUFFIX f64
#define DIGITS 53
#define LEAST_EXPONENT (-1074)
#define MOST_EXPONENT 1023
#include "inputs.c.inc"
