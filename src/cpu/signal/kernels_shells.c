/* Sums into shells: the kernels of pairs and of powers. Built once per instruction set. */
#include <math.h>

#include "cpu/signal/kernels.h"
#include "cpu/template.h"
#include "ops/shells.op.h"

enum { BLOCK = 256 };

/* Where the columns of a block go. Column i adds `lower` of what it has to its shell and `upper` of it to the next. */
typedef struct places {
    _Alignas(64) double lower[BLOCK];
    _Alignas(64) double upper[BLOCK];
    _Alignas(64) double length[BLOCK]; /* of the frequency vector */
    _Alignas(64) int32_t shell[BLOCK];
} places;

static void find_places(places *at, const tess__shell_run *run, int64_t first, int64_t n)
{
    const double *x = run->x + first, *weight = run->weight + first;
    const double  row = run->z * run->z + run->y * run->y;
    const int32_t last = (int32_t)run->shells - 1;
    if (run->nearest) {
        for (int64_t i = 0; i < n; i++) {
            const double  length = sqrt(row + x[i] * x[i]);
            const int32_t shell = (int32_t)(length + 0.5);
            at->length[i] = length;
            at->shell[i] = shell < last ? shell : last;
            at->lower[i] = weight[i];
        }
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const double  length = sqrt(row + x[i] * x[i]);
        const int32_t shell = (int32_t)length;
        at->length[i] = length;
        at->shell[i] = shell;
        at->upper[i] = weight[i] * (length - (double)shell);
        at->lower[i] = weight[i] - at->upper[i];
    }
}

static bool is_inside(const tess__shell_run *run, const double *axis, double x, double length)
{
    return fabs(axis[0] * run->z + axis[1] * run->y + axis[2] * x) >= run->cosine * length;
}

#define T float
#define SUFFIX pair_c32
#define SUMS TESS__SHELL_PAIR
#include "cpu/signal/shells.c.inc"
#define T double
#define SUFFIX pair_c64
#define SUMS TESS__SHELL_PAIR
#include "cpu/signal/shells.c.inc"
#define T float
#define SUFFIX power_c32
#define SUMS TESS__SHELL_POWER
#include "cpu/signal/shells.c.inc"
#define T double
#define SUFFIX power_c64
#define SUMS TESS__SHELL_POWER
#include "cpu/signal/shells.c.inc"

void TESS__FILL_KERNELS(signal, shells)(tess__signal_kernels *kernels);

void TESS__FILL_KERNELS(signal, shells)(tess__signal_kernels *kernels)
{
    kernels->shell_pairs[0] = shells_pair_c32;
    kernels->shell_pairs[1] = shells_pair_c64;
    kernels->shell_powers[0] = shells_power_c32;
    kernels->shell_powers[1] = shells_power_c64;
}
