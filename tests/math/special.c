/* Results that are exact by definition: values and signs of C11 Annex F, and identities that hold bit for bit. */
#include "special.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "inputs.h"

#define INF INFINITY
#define PI 0x1.921fb54442d18p1
#define PI_2 0x1.921fb54442d18p0
#define PI_4 0x1.921fb54442d18p-1
#define PI_3_4 0x1.2d97c7f3321d2p1

typedef struct row {
    int    fn;
    double x, y, wanted;
} row;

static const row rows[] = {
#define VALUE(name, x, wanted) { FN_##name, x, 0, wanted },
#define EVEN(name, x, wanted) VALUE(name, x, wanted) VALUE(name, -(x), wanted)
#define ODD(name, x, wanted) VALUE(name, x, wanted) VALUE(name, -(x), -(wanted))
#define VALUE2(name, x, y, wanted) { FN_##name, x, y, wanted },
#include "special.def"
#undef VALUE
#undef EVEN
#undef ODD
#undef VALUE2
};

static bool same_f32(float a, float b) { return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

static bool same_f64(double a, double b) { return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

#define T float
#define SUFFIX f32
#define DIGITS 24
#define LEAST_EXPONENT (-149)
#include "special.c.inc"

#define T double
#define SUFFIX f64
#define DIGITS 53
#define LEAST_EXPONENT (-1074)
#include "special.c.inc"

int special_values(int fn, int *tried)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].fn != fn) continue;
        failed += value_f32(&rows[i]) + value_f64(&rows[i]);
        *tried += 2;
    }
    if (fn_infos[fn].arity == 1) {
        const row nan_row = { fn, NAN, 0, NAN };
        failed += value_f32(&nan_row) + value_f64(&nan_row);
        *tried += 2;
    }
    return failed;
}

int special_identities(int fn, int *tried) { return identities_f32(fn, tried) + identities_f64(fn, tried); }
