/* Two half maps of the same signal with independent noise: prints their Fourier shell correlation beside the
 * theoretical SNR / (1 + SNR), as a table. The program fails if the curves disagree. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

enum { SIZE = 96 };
#define PEAK 20.0      /* SNR at frequency 0 */
#define BFACTOR 100.0 /* by which it falls */

/* A spectrum of white noise times `factor`. */
static tess_status make_noise(tess_array *spectrum, double factor, uint64_t seed)
{
    tess_array volume = { 0 };
    TESS_TRY(tess_empty(&volume, TESS_SHAPE(1, SIZE, SIZE, SIZE), TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(&volume, 0, factor, seed, NULL));
    TESS_TRY(tess_fft_r2c(spectrum, &volume, NULL));
    tess_release(&volume);
    return TESS_OK;
}

/* The signal with independent noise. */
static tess_status make_half(tess_array *half, const tess_array *signal, uint64_t seed)
{
    TESS_TRY(make_noise(half, 1, seed));
    TESS_TRY(tess_add(half, half, signal));
    return TESS_OK;
}

static tess_status print_curves(const tess_array *fsc, double *worst)
{
    const int64_t shells = fsc->shape.w;
    *worst = 0;
    printf("frequency\tFSC\tSNR/(1+SNR)\n");
    for (int64_t k = 1; k < shells; k++) {
        const double f = (double)k / SIZE, snr = PEAK * exp(-BFACTOR * f * f / 2), theory = snr / (1 + snr);
        double       found;
        TESS_TRY(tess_get_f64(&found, fsc, 0, 0, 0, k));
        printf("%.4f\t%.4f\t%.4f\n", f, found, theory);
        if (k > 8) *worst = fmax(*worst, fabs(found - theory)); /* shells before have few coefficients */
    }
    return TESS_OK;
}

static tess_status run(double *worst)
{
    const tess_shape shape = TESS_SHAPE(1, SIZE, SIZE, SIZE);
    tess_array       signal = { 0 }, one = { 0 }, two = { 0 }, fsc = { 0 }, limit = { 0 };
    double           resolution;
    TESS_TRY(make_noise(&signal, sqrt(PEAK), 1));
    TESS_TRY(tess_bfactor(&signal, &signal, shape, BFACTOR, 1, NULL));
    TESS_TRY(make_half(&one, &signal, 2));
    TESS_TRY(make_half(&two, &signal, 3));
    TESS_TRY(tess_fsc(&fsc, &one, &two, shape, NULL));
    TESS_TRY(print_curves(&fsc, worst));
    TESS_TRY(tess_fsc_resolution(&limit, &fsc, shape, &(tess_fsc_resolution_opts){ .pixel_size = 1 }));
    TESS_TRY(tess_get_f64(&resolution, &limit, 0, 0, 0, 0));
    fprintf(stderr, "resolution at 0.143: %.2f pixels; at most %.3f from theory\n", resolution, *worst);
    tess_array *all[] = { &signal, &one, &two, &fsc, &limit };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
    return TESS_OK;
}

int main(void)
{
    double worst;
    if (run(&worst) == TESS_OK) return worst > 0.1;
    fputs(tess_error_trace(), stderr);
    return 1;
}
