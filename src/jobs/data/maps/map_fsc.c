/* Fourier shell correlation of two maps, and where it falls below a threshold. */
#include "jobs/data/maps/map_fsc.h"

#include "tessera/fft.h"
#include "tessera/fsc.h"

tess_status tess__map_fsc(tess_array *curve, const tess_array *one, const tess_array *other)
{
    tess_array  spectra[2] = { { .data = NULL } };
    tess_status status;
    TESS_GOTO(done, status, tess_fft_r2c(&spectra[0], one, NULL));
    TESS_GOTO(done, status, tess_fft_r2c(&spectra[1], other, NULL));
    TESS_GOTO(done, status, tess_fsc(curve, &spectra[0], &spectra[1], one->shape, &(tess_fsc_opts){ .nearest = 1 }));
done:
    tess_release(&spectra[0]);
    tess_release(&spectra[1]);
    return status;
}

tess_status tess__fsc_frequency(double *frequency, const tess_array *curve, tess_shape shape, double threshold)
{
    const tess_fsc_resolution_opts opts = { .threshold = tess_given(threshold) };
    tess_array                     found = { 0 };
    TESS_TRY(tess_fsc_resolution(&found, curve, shape, &opts));
    *frequency = *(const double *)found.data;
    tess_release(&found);
    return TESS_OK;
}
