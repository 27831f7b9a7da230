/* Motion of frames on a GPU beside the CPU: the same shifts, sums, resampled frames and repaired pixels. */
#include <math.h>

#include "support/gpu.h"
#include "tessera/random.h"
#include "tessera/signal.h"

/* Is a result of the GPU near that of the host? Complex numbers part by part. */
static void check_near(const tess_array *gpu, const tess_array *want, double tolerance)
{
    tess_array    got = { .data = NULL };
    const int64_t parts = tess_dtype_kind(want->dtype) == TESS_KIND_COMPLEX ? 2 : 1;
    if (!CHECK_OK(tess_to_device(&got, gpu, tess_cpu()))) return;
    for (int64_t i = 0; i < parts * tess_n_elements(want); i++) {
        const bool   wide = tess_dtype_real(want->dtype) == TESS_F64;
        const double x = wide ? ((double *)got.data)[i] : (double)((float *)got.data)[i];
        const double y = wide ? ((double *)want->data)[i] : (double)((float *)want->data)[i];
        if (fabs(x - y) > tolerance) {
            (void)test_failed(__FILE__, __LINE__, "number %d is %.9g, not %.9g", (int)i, x, y);
            break;
        }
    }
    tess_release(&got);
}

static tess_array noise(tess_shape shape, tess_dtype dtype)
{
    tess_array a = { .data = NULL };
    CHECK_OK(tess_empty(&a, shape, dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0, 1, test_random(), NULL));
    return a;
}

/* Frames of one image, moved. */
static tess_array movie(tess_shape shape, const tess_array *shifts)
{
    tess_array image = noise(TESS_SHAPE(1, 1, shape.h, shape.w), TESS_F32), all, frames = { .data = NULL };
    CHECK_OK(tess_bfactor_image(&image, &image, 30, 1, NULL));
    CHECK_OK(tess_broadcast(&all, &image, shape));
    CHECK_OK(tess_phase_shift_image(&frames, &all, shifts, NULL));
    tess_release(&image);
    return frames;
}

/* As a tilt series of equal angles. */
static void check_tilts(const tess_array *frames, tess_device device)
{
    tess_array there = { .data = NULL }, angles = { .data = NULL }, found[2] = { { .data = NULL }, { .data = NULL } };
    CHECK_OK(tess_full(&angles, TESS_SHAPE(frames->shape.b, 1, 1, 1), TESS_F64, tess_cpu(), 0.25));
    if (!test_mirror(&there, frames, device)) return;
    CHECK_OK(tess_align_tilts(&found[0], frames, &angles, NULL));
    CHECK_OK(tess_align_tilts(&found[1], &there, &angles, NULL));
    check_near(&found[1], &found[0], 1e-3);
    tess_array *all[] = { &there, &angles, &found[0], &found[1] };
    for (int i = 0; i < 4; i++) tess_release(all[i]);
}

TEST(shifts_and_sums)
{
    const tess_shape shape = TESS_SHAPE(3, 1, 40, 36);
    tess_device      device;
    tess_array by = { .data = NULL }, doses = { .data = NULL }, spectra = { .data = NULL }, there, found[2], sum[2];
    tess_array weighted[2], white[2];
    if (!test_gpu(&device)) return;
    for (int k = 0; k < 2; k++) found[k] = sum[k] = weighted[k] = white[k] = (tess_array){ .data = NULL };
    CHECK_OK(tess_arange(&by, TESS_SHAPE(3, 1, 1, 2), TESS_F64, tess_cpu(), 0, 0.75));
    CHECK_OK(tess_arange(&doses, TESS_SHAPE(3, 1, 1, 1), TESS_F64, tess_cpu(), 1, 2));
    tess_array frames = movie(shape, &by);
    CHECK_OK(tess_fft_r2c(&spectra, &frames, NULL));
    if (!test_mirror(&there, &spectra, device)) return;
    const tess_add_frames_opts opts = { .doses = &doses, .pixel_size = 1.5 };
    for (int k = 0; k < 2; k++) {
        tess_array *in = k ? &there : &spectra;
        CHECK_OK(
            tess_align_frames(&found[k], in, shape, 1, &(tess_align_frames_opts){ .tolerance = 1e-5, .iterations = 60 }));
        CHECK_OK(tess_add_frames(&sum[k], &weighted[k], in, shape, &by, &opts));
        CHECK_OK(tess_dose_normalize(&white[k], &weighted[k], TESS_SHAPE(1, 1, 40, 36), &doses, 1.5, NULL));
    }
    check_near(&found[1], &found[0], 1e-3);
    check_tilts(&frames, device);
    check_near(&sum[1], &sum[0], 1e-3);
    check_near(&weighted[1], &weighted[0], 1e-3);
    check_near(&white[1], &white[0], 1e-3);
    for (int k = 0; k < 2; k++) {
        tess_array *all[] = { &found[k], &sum[k], &weighted[k], &white[k] };
        for (int i = 0; i < 4; i++) tess_release(all[i]);
    }
    tess_array *all[] = { &by, &doses, &spectra, &frames, &there };
    for (int i = 0; i < 5; i++) tess_release(all[i]);
}

TEST(warped_frames_and_repaired_pixels)
{
    tess_device device;
    tess_array  in = noise(TESS_SHAPE(2, 1, 14, 19), TESS_F32), mask = { .data = NULL }, model = { .data = NULL };
    tess_array  times = { .data = NULL }, there = { .data = NULL }, mask_there = { .data = NULL }, out[2], fixed[2];
    if (!test_gpu(&device)) {
        tess_release(&in);
        return;
    }
    for (int k = 0; k < 2; k++) out[k] = fixed[k] = (tess_array){ .data = NULL };
    CHECK_OK(tess_full(&model, TESS_SHAPE(2, 1, 1, 18), TESS_F64, tess_cpu(), 0.05));
    CHECK_OK(tess_arange(&times, TESS_SHAPE(1, 1, 1, 2), TESS_F64, tess_cpu(), 1, 1));
    CHECK_OK(tess_zeros(&mask, TESS_SHAPE(1, 1, 14, 19), TESS_U8, tess_cpu()));
    for (int i = 0; i < 14 * 19; i++) ((uint8_t *)mask.data)[i] = i % 5 == 0 || (i > 40 && i < 90);
    if (!test_mirror(&there, &in, device) || !test_mirror(&mask_there, &mask, device)) return;
    for (int k = 0; k < 2; k++) {
        CHECK_OK(tess_motion_warp(&out[k], k ? &there : &in, &model, &times, NULL));
        CHECK_OK(tess_repair_pixels(&fixed[k], k ? &there : &in, k ? &mask_there : &mask));
    }
    check_near(&out[1], &out[0], 1e-5);
    check_near(&fixed[1], &fixed[0], 0);
    for (int k = 0; k < 2; k++) {
        tess_release(&out[k]);
        tess_release(&fixed[k]);
    }
    tess_array *all[] = { &in, &mask, &model, &times, &there, &mask_there };
    for (int i = 0; i < 6; i++) tess_release(all[i]);
}
