/* Shell correlation and radial power on a GPU beside the CPU: the same bits, in every layout. */
#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/random.h"
#include "tessera/signal.h"

static tess_shape random_shape(void)
{
    const int64_t most = test_large() ? 60 : 12;
    const int     rank = (int)test_random_in(1, 3);
    tess_shape    shape = TESS_SHAPE(test_random_in(1, 2), 1, 1, test_random_in(1, rank == 1 ? 90 : 2 * most));
    if (rank > 1) shape.h = test_random_in(1, most);
    if (rank > 2) shape.d = test_random_in(1, most);
    return shape;
}

static void make_spectrum(guarded *host, tess_array *gpu, tess_shape shape, tess_device device)
{
    static const tess_dtype dtypes[] = { TESS_C32, TESS_C64, TESS_C16 };
    guarded_make(host, (layout)test_random_in(0, n_output_layouts - 1), shape, dtypes[test_random_in(0, 2)]);
    CHECK_OK(tess_random_normal(&host->view, 0, 1, test_random(), NULL));
    *gpu = (tess_array){ .data = NULL };
    (void)test_mirror(gpu, &host->view, device);
}

static void check_fsc(tess_device device)
{
    const tess_shape shape = random_shape();
    tess_fsc_opts    opts = { .layout = (int)test_random_in(TESS_FFT_H, TESS_FFT_FC),
                              .nearest = (int)test_random_in(0, 1),
                              .aperture = 0.7 };
    tess_shape       stored = shape;
    guarded          lhs, rhs;
    tess_array       gpu[2], cones[2] = { { .data = NULL } }, out[2] = { { .data = NULL } }, counts[2] = { { .data = NULL } };
    if (opts.layout == TESS_FFT_H || opts.layout == TESS_FFT_HC) stored.w = shape.w / 2 + 1;
    make_spectrum(&lhs, &gpu[0], stored, device);
    if (test_random() % 3 == 0) stored.b = 1;
    make_spectrum(&rhs, &gpu[1], stored, device);
    CHECK_OK(tess_empty(&cones[0], TESS_SHAPE(1, 1, test_random_in(1, 3), 3), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_normal(&cones[0], 0, 1, test_random(), NULL));
    CHECK_OK(tess_to_device(&cones[1], &cones[0], device));
    const bool conical = test_random() % 3 == 0;
    for (int k = 0; k < 2; k++) {
        opts.directions = conical ? &cones[k] : NULL;
        opts.counts = &counts[k];
        CHECK_OK(tess_fsc(&out[k], k ? &gpu[0] : &lhs.view, k ? &gpu[1] : &rhs.view, shape, &opts));
    }
    CHECK(test_same_bits(&out[1], &out[0]));
    CHECK(test_same_bits(&counts[1], &counts[0]));
    for (int k = 0; k < 2; k++) {
        tess_release(&gpu[k]);
        tess_release(&cones[k]);
        tess_release(&out[k]);
        tess_release(&counts[k]);
    }
    guarded_free(&lhs);
    guarded_free(&rhs);
}

TEST(fsc_has_the_bits_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 400 : 60); i++) check_fsc(device);
}
