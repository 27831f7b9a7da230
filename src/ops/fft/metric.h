/* Metrics of frequencies: rows of options, and the check. */
#ifndef TESS_OPS_FFT_METRIC_H
#define TESS_OPS_FFT_METRIC_H

#include "core/table/table.h"
#include "formulas/metric.op.h"
#include "tessera/filter.h"

/* Rows for a field `metric` of options. */
#define TESS__METRIC_ROW(opts, element, fallback_, min_, help_)                                                        \
    {                                                                                                                  \
        .name = "metric_" #element, .help = (help_), .unit = "", .min = (min_), .max = 1e6, .fallback = (fallback_),   \
        .offset = offsetof(opts, metric.element), .size = sizeof(double), .role = TESS_ROLE_OPTION,                    \
        .type = TESS_ARG_F64                                                                                           \
    }
#define TESS__METRIC_ROWS(opts)                                                                                        \
    TESS__METRIC_ROW(opts, dd, 1, 1e-6, "squared length of a unit frequency along d"),                                 \
        TESS__METRIC_ROW(opts, hh, 1, 1e-6, "squared length of a unit frequency along h"),                             \
        TESS__METRIC_ROW(opts, ww, 1, 1e-6, "squared length of a unit frequency along w"),                             \
        TESS__METRIC_ROW(opts, dh, 0, -1e6, "product of unit frequencies along d and h; 0: at right angles"),          \
        TESS__METRIC_ROW(opts, dw, 0, -1e6, "product of unit frequencies along d and w; 0: at right angles"),          \
        TESS__METRIC_ROW(opts, hw, 0, -1e6, "product of unit frequencies along h and w; 0: at right angles")

/* The Cholesky factor of a metric, from options with their defaults. */
tess_status tess__metric_of(tess__metric *factor, const char *fn, const tess_metric *metric);

#endif
