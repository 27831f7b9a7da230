/* Kernels of spectrum filters. Built once per instruction set. */
#include "cpu/kernels.h"
#include "cpu/template.h"
#include "formulas/spectrum_filter.op.h"

static void inverse_doses(void *out, const tess__filter_row *row, int64_t first, int64_t n)
{
    const tess__metric_row line = row->line;
    double                *m = out;
    for (int64_t i = 0; i < n; i++)
        m[i] = tess__filter_inverse_dose(row->values, tess__metric_square(&line, row->fw[first + i]));
}

/* tess__filter_dose_norm, with the loop over doses outside, so that the one over frequencies is vectorised. */
static void dose_norms(void *out, const tess__filter_row *row, int64_t first, int64_t n)
{
    double       *m = out;
    const double *inverse = row->doses + first;
    for (int64_t i = 0; i < n; i++) m[i] = 0.0;
    for (int64_t b = 0; b < row->n_values; b++) {
        const double rate = row->values[b].rate;
        TESS_IVDEP
        for (int64_t i = 0; i < n; i++) m[i] = tess__filter_dose_add(m[i], rate, inverse[i]);
    }
    for (int64_t i = 0; i < n; i++) m[i] = tess__filter_dose_root(m[i], row->n_values, row->batches);
}

#define T float
#define MOST TESS__FILTER_MOST_F32
#define C tess_c32
#define AT 0
#define SUFFIX f32
#define CSUFFIX c32
#include "cpu/signal/filter.c.inc"
#define T double
#define MOST TESS__FILTER_MOST_F64
#define C tess_c64
#define AT 1
#define SUFFIX f64
#define CSUFFIX c64
#include "cpu/signal/filter.c.inc"

void TESS__FILL_KERNELS(signal, filter)(tess__signal_kernels *kernels);

void TESS__FILL_KERNELS(signal, filter)(tess__signal_kernels *kernels)
{
    fill_filter_f32(&kernels->filter);
    fill_filter_f64(&kernels->filter);
    kernels->filter.inverse_doses = inverse_doses;
    kernels->filter.dose_norms = dose_norms;
}
