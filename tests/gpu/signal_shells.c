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

static void make_spectrum(guarded *host, tess_array *gpu, tess_shape shape, tess_dtype dtype, tess_device device)
{
    guarded_make(host, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    CHECK_OK(tess_random_normal(&host->view, 0, 1, test_random(), NULL));
    *gpu = (tess_array){ .data = NULL };
    (void)test_mirror(gpu, &host->view, device);
}

static void make_cones(tess_array cones[2], int64_t n, tess_device device)
{
    CHECK_OK(tess_empty(&cones[0], TESS_SHAPE(1, 1, n, 3), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_normal(&cones[0], 0, 1, test_random(), NULL));
    CHECK_OK(tess_to_device(&cones[1], &cones[0], device));
}

/* Kernels are compiled for pairs of dtypes, of which some are tried. */
static void check_fsc(tess_shape shape, int64_t n_cones, int pair, tess_device device)
{
    static const tess_dtype dtypes[][2] = { { TESS_C32, TESS_C32 }, { TESS_C64, TESS_C32 }, { TESS_C16, TESS_C64 } };
    tess_fsc_opts           opts = { .layout = (int)test_random_in(TESS_FFT_H, TESS_FFT_FC),
                                     .nearest = (int)test_random_in(0, 1),
                                     .aperture = 0.7 };
    tess_shape              stored = shape;
    guarded                 lhs, rhs;
    tess_array gpu[2], cones[2] = { { .data = NULL } }, out[2] = { { .data = NULL } }, counts[2] = { { .data = NULL } };
    if (opts.layout == TESS_FFT_H || opts.layout == TESS_FFT_HC) stored.w = shape.w / 2 + 1;
    make_spectrum(&lhs, &gpu[0], stored, dtypes[pair][0], device);
    if (test_random() % 3 == 0) stored.b = 1;
    make_spectrum(&rhs, &gpu[1], stored, dtypes[pair][1], device);
    if (n_cones) make_cones(cones, n_cones, device);
    for (int k = 0; k < 2; k++) {
        opts.directions = n_cones ? &cones[k] : NULL;
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
    for (int i = 0; i < (test_large() ? 400 : test_fewer(60)); i++)
        check_fsc(random_shape(), i % 3 ? 0 : test_random_in(1, 3), i % 3, device);
}

/* More than one chunk along the width, many shells, and more than one group of chunks. */
TEST(fsc_of_many_chunks_has_the_bits_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    check_fsc(TESS_SHAPE(1, 1, 10, 601), 0, 0, device);
    check_fsc(TESS_SHAPE(1, 1, 150, 150), 0, 0, device);
    check_fsc(TESS_SHAPE(2, 70, 3, 4), 0, 0, device);
    if (test_large()) check_fsc(TESS_SHAPE(1, 90, 91, 200), 40, 0, device);
    if (test_large()) check_fsc(TESS_SHAPE(3, 1, 1200, 1300), 0, 0, device);
}

/* ---- What comes of the sums ---- */

typedef struct both {
    tess_array host, gpu;
} both;

static both make_both(tess_shape shape, tess_dtype dtype, tess_device device)
{
    both a = { { .data = NULL }, { .data = NULL } };
    CHECK_OK(tess_empty(&a.host, shape, dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a.host, 0.2, 1, test_random(), NULL));
    CHECK_OK(tess_to_device(&a.gpu, &a.host, device));
    return a;
}

static void drop_both(both *a)
{
    tess_release(&a->host);
    tess_release(&a->gpu);
}

static void check_spectra(tess_device device)
{
    const tess_shape shape = random_shape();
    both             in = make_both(tess_rfft_shape(shape), test_random() % 2 ? TESS_C32 : TESS_C64, device);
    both             power = { { .data = NULL }, { .data = NULL } }, white = power, random = power;
    CHECK_OK(tess_radial_power(&power.host, &in.host, shape, NULL));
    CHECK_OK(tess_radial_power(&power.gpu, &in.gpu, shape, NULL));
    CHECK(test_same_bits(&power.gpu, &power.host));
    const tess_whiten_opts range = { .stop = test_random() % 2 ? 0.4 : 0, .no_endpoint = (int32_t)(test_random() % 2) };
    CHECK_OK(tess_whiten(&white.host, &in.host, shape, &range));
    CHECK_OK(tess_whiten(&white.gpu, &in.gpu, shape, &range));
    CHECK(test_same_bits(&white.gpu, &white.host));
    CHECK_OK(tess_phase_randomize(&random.host, &in.host, shape, 0.2, 11, NULL));
    CHECK_OK(tess_phase_randomize(&random.gpu, &in.gpu, shape, 0.2, 11, NULL));
    CHECK(test_same_bits(&random.gpu, &random.host));
    drop_both(&in);
    drop_both(&power);
    drop_both(&white);
    drop_both(&random);
}

TEST(power_whitening_and_random_phases_have_the_bits_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 60 : test_fewer(6)); i++) check_spectra(device);
}

TEST(curves_have_the_bits_of_the_cpu)
{
    const tess_shape shape = TESS_SHAPE(3, 1, 16, 16);
    tess_device      device;
    if (!test_gpu(&device)) return;
    both curve = make_both(TESS_SHAPE(3, 1, 2, 9), TESS_F64, device),
         other = make_both(curve.host.shape, TESS_F64, device);
    both found = { { .data = NULL }, { .data = NULL } }, corrected = found;
    CHECK_OK(tess_fsc_resolution(&found.host, &curve.host, shape, NULL));
    CHECK_OK(tess_fsc_resolution(&found.gpu, &curve.gpu, shape, NULL));
    CHECK(test_same_bits(&found.gpu, &found.host));
    CHECK_OK(tess_fsc_corrected(&corrected.host, &curve.host, &other.host, shape, 0.1, NULL));
    CHECK_OK(tess_fsc_corrected(&corrected.gpu, &curve.gpu, &other.gpu, shape, 0.1, NULL));
    CHECK(test_same_bits(&corrected.gpu, &corrected.host));
    drop_both(&curve);
    drop_both(&other);
    drop_both(&found);
    drop_both(&corrected);
}

/* ---- Correlation ---- */

static void check_maps(int mode, tess_device device)
{
    const tess_shape          shape = random_shape();
    both                      l = make_both(shape, TESS_F32, device), r = make_both(shape, TESS_F32, device);
    both                      map = { { .data = NULL }, { .data = NULL } }, shifts = map, values = map, score = map;
    const tess_correlate_opts opts = { .mode = mode,
                                       .centred = (int)(test_random() % 2),
                                       .pad = (int)(test_random() % 2) };
    const tess_correlate_peak_opts  peak = { .fit = 1 + (int)(test_random() % 3), .centred = opts.centred };
    const tess_correlate_score_opts both_of = { .centre = 1, .normalize = 1 };
    CHECK_OK(tess_correlate(&map.host, &l.host, &r.host, &opts));
    CHECK_OK(tess_correlate(&map.gpu, &l.gpu, &r.gpu, &opts));
    CHECK(test_close(&map.gpu, &map.host, 1e-5));
    tess_release(&map.gpu);
    CHECK_OK(tess_to_device(&map.gpu, &map.host, device));
    CHECK_OK(tess_correlate_peak(&shifts.host, &values.host, &map.host, &peak));
    CHECK_OK(tess_correlate_peak(&shifts.gpu, &values.gpu, &map.gpu, &peak));
    CHECK(test_same_bits(&shifts.gpu, &shifts.host));
    CHECK(test_same_bits(&values.gpu, &values.host));
    CHECK_OK(tess_correlate_score(&score.host, &l.host, &r.host, &both_of));
    CHECK_OK(tess_correlate_score(&score.gpu, &l.gpu, &r.gpu, &both_of));
    CHECK(test_close_at(&score.gpu, &score.host, 1e-12, 1));
    drop_both(&l);
    drop_both(&r);
    drop_both(&map);
    drop_both(&shifts);
    drop_both(&values);
    drop_both(&score);
}

TEST(correlation_is_that_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 40 : 4); i++) check_maps(1 + i % 4, device);
}

TEST(template_matching_is_that_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    both image = make_both(TESS_SHAPE(2, 1, 12, 14), TESS_F32, device),
         part = make_both(TESS_SHAPE(1, 1, 5, 4), TESS_F32, device);
    both out = { { .data = NULL }, { .data = NULL } };
    CHECK_OK(tess_match_template(&out.host, &image.host, &part.host, NULL, NULL));
    CHECK_OK(tess_match_template(&out.gpu, &image.gpu, &part.gpu, NULL, NULL));
    CHECK(test_close(&out.gpu, &out.host, 1e-6));
    drop_both(&image);
    drop_both(&part);
    drop_both(&out);
}

TEST(lists_of_peaks)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64 };
    for (int k = 0; k < 2; k++) {
        const tess_peaks_opts o = { .distance = 3, .edge = 1 };
        both map = make_both(TESS_SHAPE(2, 3, 14, 15), dtypes[k], device), positions = { 0 }, values = { 0 };
        CHECK_OK(tess_peaks(&positions.host, &values.host, &map.host, 0, &o));
        CHECK_OK(tess_peaks(&positions.gpu, &values.gpu, &map.gpu, 0, &o));
        CHECK(positions.host.shape.b > 4);
        CHECK(test_close(&positions.gpu, &positions.host, 1e-12));
        CHECK(test_close(&values.gpu, &values.host, 1e-12));
        drop_both(&map);
        drop_both(&positions);
        drop_both(&values);
    }
}
