/* Aligns a drifting movie, adds its frames, and prints the error of the shifts. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

enum { FRAMES = 12, SIZE = 256 };

static double drift_of(int frame, int axis) { return (axis ? -4 : 6) * (1 - exp(-frame / 4.0)); }

/* One structure that moves from frame to frame, with the same amount of noise in each frame. */
static tess_status simulate(tess_array *movie)
{
    const tess_shape shape = TESS_SHAPE(FRAMES, 1, SIZE, SIZE);
    tess_array       image = { 0 }, all, drift = { 0 }, moved = { 0 };
    TESS_TRY(tess_empty(movie, shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_empty(&image, TESS_SHAPE(1, 1, SIZE, SIZE), TESS_F32, tess_cpu()));
    TESS_TRY(tess_empty(&drift, TESS_SHAPE(FRAMES, 1, 1, 2), TESS_F64, tess_cpu()));
    for (int i = 0; i < FRAMES; i++)
        for (int k = 0; k < 2; k++) TESS_AT(double, drift, i, 0, 0, k) = drift_of(i, k);
    TESS_TRY(tess_random_normal(&image, 0, 3, 1, NULL));
    TESS_TRY(tess_bfactor_image(&image, &image, 40, 1, NULL));
    TESS_TRY(tess_broadcast(&all, &image, shape));
    TESS_TRY(tess_phase_shift_image(&moved, &all, &drift, NULL));
    TESS_TRY(tess_random_normal(movie, 0, 1, 2, NULL));
    TESS_TRY(tess_add(movie, movie, &moved));
    tess_release(&image);
    tess_release(&drift);
    tess_release(&moved);
    return TESS_OK;
}

static tess_status align(const tess_array *movie)
{
    tess_array spectra = { 0 }, shifts = { 0 }, sum = { 0 }, micrograph = { 0 };
    double     squares = 0;
    TESS_TRY(tess_fft_r2c(&spectra, movie, NULL));
    TESS_TRY(tess_align_frames(&shifts, &spectra, movie->shape, 1, NULL));
    TESS_TRY(tess_add_frames(&sum, NULL, &spectra, movie->shape, &shifts, NULL));
    TESS_TRY(tess_fft_c2r(&micrograph, &sum, TESS_SHAPE(1, 1, SIZE, SIZE), NULL));
    for (int i = 0; i < FRAMES; i++) {
        const double y = TESS_AT(double, shifts, i, 0, 0, 0), x = TESS_AT(double, shifts, i, 0, 0, 1);
        printf("frame %2d: %6.2f %6.2f\n", i, y, x);
        squares += pow(y + drift_of(i, 0), 2) + pow(x + drift_of(i, 1), 2);
    }
    printf("off by %.2f pixels rms\n", sqrt(squares / (2 * FRAMES)));
    tess_release(&spectra);
    tess_release(&shifts);
    tess_release(&sum);
    tess_release(&micrograph);
    return TESS_OK;
}

int main(void)
{
    tess_array  movie = { 0 };
    tess_status status = simulate(&movie);
    if (status == TESS_OK) status = align(&movie);
    if (status) fprintf(stderr, "%s\n", tess_error_message());
    tess_release(&movie);
    return status != TESS_OK;
}
