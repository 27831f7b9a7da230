/* The curves of low-pass filters with hard, raised-cosine, Gaussian and Butterworth edges, as a table: a filter without
 * an input returns the filter itself. */
#include <stdio.h>

#include "tessera.h"

enum { SIZE = 512, COUNT = SIZE / 2 + 1 };

int main(void)
{
    const double            cutoff = 0.2;
    const tess_shape        signal = TESS_SHAPE(1, 1, 1, SIZE);
    const tess_lowpass_opts edges[] = {
        { .width = 0 },
        { .width = 0.1, .edge = TESS_FILTER_COSINE },
        { .width = 0.05, .edge = TESS_FILTER_GAUSSIAN },
        { .order = 4, .edge = TESS_FILTER_BUTTERWORTH },
    };
    tess_array  curves = { 0 };
    tess_status status = tess_empty(&curves, TESS_SHAPE(4, 1, 1, COUNT), TESS_F64, tess_cpu());
    for (int64_t i = 0; i < 4 && status == TESS_OK; i++) {
        tess_array curve = { 0 };
        status = tess_slice(&curve, &curves, 0, i, i + 1, 1);
        if (status == TESS_OK) status = tess_lowpass(&curve, NULL, signal, cutoff, &edges[i]);
    }
    if (status) fputs(tess_error_trace(), stderr);
    const double *y = curves.data;
    printf("frequency\thard\tcosine\tGaussian\tButterworth\n");
    for (int i = 0; i < COUNT && status == TESS_OK; i++)
        printf("%.4f\t%.4f\t%.4f\t%.4f\t%.4f\n", (double)i / SIZE, y[i], y[COUNT + i], y[2 * COUNT + i],
               y[3 * COUNT + i]);
    tess_release(&curves);
    return status != TESS_OK;
}
