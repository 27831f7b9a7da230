/* Resampling by cropping or padding Fourier transforms. */
#include "jobs/data/maps/fourier_box.h"

#include "tessera/fft.h"

tess_status tess__fourier_box(tess_array *out, const tess_array *in, tess_shape to)
{
    tess_array                 spectrum = { 0 }, resized = { 0 };
    const tess_fft_resize_opts opts = { .norm = TESS_FFT_NORM_BACKWARD, .correct_nyquist = 1 };
    tess_status                status;
    to.b = in->shape.b;
    TESS_GOTO(done, status, tess_fft_r2c(&spectrum, in, NULL));
    TESS_GOTO(done, status, tess_fft_resize(&resized, &spectrum, in->shape, to, &opts));
    tess_release(&spectrum);
    TESS_GOTO(done, status, tess_fft_c2r(out, &resized, to, &(tess_fft_opts){ .overwrite = 1 }));
done:
    tess_release(&spectrum);
    tess_release(&resized);
    return status;
}
