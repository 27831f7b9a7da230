/* Sums into shells: the kernels of pairs and of powers. Built once per instruction set. */
#include <math.h>

#include "cpu/signal/kernels.h"
#include "cpu/signal/shells.h"
#include "cpu/template.h"

/* What columns have. */
typedef struct terms {
    _Alignas(64) double sum[TESS__SHELL_PAIR][TESS__SHELL_COLUMNS];
} terms;

static void find_places(const tess__shell_rows *rows, int64_t n)
{
    const double *restrict x = rows->x, *restrict weight = rows->weight;
    double *restrict length = rows->at.length, *restrict upper = rows->at.upper;
    int32_t *restrict shell = rows->at.shell;
    const double  row = rows->row, rounding = rows->nearest ? 0.5 : 0, split = rows->nearest ? 0 : 1;
    const int32_t last = rows->last;
    for (int64_t i = 0; i < n; i++) {
        length[i] = sqrt(row + x[i] * x[i]);
        const int32_t at = (int32_t)(length[i] + rounding);
        shell[i] = at < last ? at : last;
        upper[i] = at < last ? split * (weight[i] * (length[i] - (double)at)) : 0;
    }
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
    kernels->shell_places = find_places;
    kernels->shell_pairs[0] = shells_pair_c32;
    kernels->shell_pairs[1] = shells_pair_c64;
    kernels->shell_powers[0] = shells_power_c32;
    kernels->shell_powers[1] = shells_power_c64;
}
