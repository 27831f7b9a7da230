/* Turned spectra and slices on a GPU beside the CPU: the same bits, but of spreading at frequencies n/2. */
#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/geometry.h"
#include "tessera/random.h"

/* An array in any layout, and its like on the GPU. */
typedef struct twin {
    guarded    host;
    tess_array gpu;
} twin;

static void make_twin(twin *t, tess_shape shape, tess_dtype dtype, tess_device device)
{
    guarded_make(&t->host, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    CHECK_OK(tess_random_normal(&t->host.view, 0, 1, test_random(), NULL));
    t->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&t->gpu, &t->host.view, device);
}

static const tess_array *of(const twin *t, int k) { return k ? &t->gpu : &t->host.view; }

static void free_twin(twin *t)
{
    guarded_free(&t->host);
    tess_release(&t->gpu);
}

static tess_shape stored(tess_shape shape, int order)
{
    return order == TESS_FFT_H || order == TESS_FFT_HC ? tess_rfft_shape(shape) : shape;
}

/* Odd sizes, where nothing stands for two frequencies, or any. */
static tess_shape random_volume(bool odd)
{
    tess_shape s = TESS_SHAPE(1, test_random_in(1, 8), test_random_in(1, 8), test_random_in(1, 9));
    for (int k = 1; odd && k < 4; k++) s.dim[k] |= 1;
    return s;
}

static int random_layout(void) { return (int)test_random_in(TESS_FFT_H, TESS_FFT_FC); }

static void check_samples(int method, tess_dtype dtype, tess_device device)
{
    const tess_shape volume = random_volume(false), many = TESS_SHAPE(2, volume.d, volume.h, volume.w);
    const int        from = random_layout(), to = random_layout();
    twin             in, q, scales, shifts;
    tess_array       slices[2] = { { .data = NULL } }, turned[2] = { { .data = NULL } };
    make_twin(&in, stored(volume, from), dtype, device);
    make_twin(&q, TESS_SHAPE(2, 1, 1, 4), TESS_F64, device);
    make_twin(&scales, TESS_SHAPE(1, 1, 2, 2), TESS_F32, device);
    make_twin(&shifts, TESS_SHAPE(2, 1, 1, 3), TESS_F64, device);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(tess_fourier_extract(&slices[k], of(&in, k), volume, of(&q, k),
                                      &(tess_fourier_extract_opts){ .slice_shape = TESS_SHAPE(2, 1, 6, 7),
                                                                    .scales = method % 2 ? of(&scales, k) : NULL,
                                                                    .window = method % 3 ? 0 : 1,
                                                                    .sinc = 1,
                                                                    .ewald_h = 3,
                                                                    .interp = method,
                                                                    .from = from,
                                                                    .to = to }));
        CHECK_OK(tess_transform_spectrum_3d(
            &turned[k], of(&in, k), many, of(&q, k),
            &(tess_transform_spectrum_opts){ .shifts = of(&shifts, k), .interp = method, .from = from, .to = to }));
    }
    CHECK(test_same_bits(&slices[1], &slices[0]));
    CHECK(test_same_bits(&turned[1], &turned[0]));
    twin *all[] = { &in, &q, &scales, &shifts };
    for (int i = 0; i < 4; i++) free_twin(all[i]);
    for (int k = 0; k < 2; k++) {
        tess_release(&slices[k]);
        tess_release(&turned[k]);
    }
}

/* noa's textures set imaginary parts of conjugated taps to 1 or -1: half a turn conjugates, on a GPU too. */
TEST(noa_textures_set_imaginary_parts_to_1)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 7, 7);
    const double     half_turn[4] = { -1, 0, 0, -1 };
    tess_device      device;
    tess_array       m = { .data = NULL }, there = { .data = NULL }, turned = { .data = NULL }, out = { .data = NULL };
    twin             in;
    if (!test_gpu(&device)) return;
    make_twin(&in, tess_rfft_shape(shape), TESS_C32, device);
    CHECK_OK(tess_wrap(&m, (void *)(uintptr_t)half_turn, TESS_SHAPE(1, 1, 2, 2), TESS_F64, NULL));
    CHECK_OK(tess_to_device(&there, &m, device));
    CHECK_OK(
        tess_transform_spectrum_2d(&turned, &in.gpu, shape, &there, &(tess_transform_spectrum_opts){ .cutoff = 1 }));
    CHECK_OK(tess_to_device(&out, &turned, tess_cpu()));
    for (int64_t h = 0; h < 7; h++)
        for (int64_t w = 1; w < 4; w++) {
            tess_c64 got = { 0, 0 }, given = { 0, 0 };
            CHECK_OK(tess_get_c64(&got, &out, 0, 0, h, w));
            CHECK_OK(tess_get_c64(&given, &in.host.view, 0, 0, h, w));
            CHECK(got.re == given.re && got.im == -given.im);
        }
    free_twin(&in);
    tess_array *all[] = { &m, &there, &turned, &out };
    for (int i = 0; i < 4; i++) tess_release(all[i]);
}

static void check_symmetry(int method, tess_dtype dtype, tess_device device)
{
    tess_shape shape = random_volume(false);
    shape.b = 2;
    const int                     from = random_layout(), to = random_layout(), m = shape.d > 1 ? 3 : 2;
    twin                          in, before, shifts;
    tess_array                    out[2] = { { .data = NULL } };
    tess_symmetrize_spectrum_opts o = { .interp = method, .from = from, .to = to, .centre_w = 1.5, .sum = method % 2 };
    make_twin(&in, stored(shape, from), dtype, device);
    make_twin(&before, TESS_SHAPE(2, 1, m, m), TESS_F32, device);
    make_twin(&shifts, TESS_SHAPE(1, 1, 1, m), TESS_F64, device);
    for (int k = 0; k < 2; k++) {
        o.before = of(&before, test_random() % 2); /* on any device */
        o.shifts = of(&shifts, k);
        CHECK_OK(tess_symmetrize_spectrum(&out[k], of(&in, k), shape, m == 3 ? "D3" : "C5", &o));
    }
    CHECK(test_same_bits(&out[1], &out[0]));
    twin *all[] = { &in, &before, &shifts };
    for (int i = 0; i < 3; i++) free_twin(all[i]);
    tess_release(&out[0]);
    tess_release(&out[1]);
}

TEST(symmetric_spectra_have_the_bits_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 30 : 4); i++)
        check_symmetry(i % 2 ? TESS_INTERP_LANCZOS4 : TESS_INTERP_LINEAR, i % 2 ? TESS_C64 : TESS_C32, device);
}

TEST(samples_have_the_bits_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    static const struct {
        int        method;
        tess_dtype dtype;
    } cases[] = { { TESS_INTERP_LINEAR, TESS_C32 }, { TESS_INTERP_LANCZOS6, TESS_C64 } }; /* few, as each is compiled */
    for (int i = 0; i < (test_large() ? 30 : 6); i++) check_samples(cases[i % 2].method, cases[i % 2].dtype, device);
    for (int method = TESS_INTERP_NEAREST; test_large() && method <= TESS_INTERP_LANCZOS8; method++)
        check_samples(method, TESS_F64, device);
}

static void check_insertion(bool odd, bool gathered, bool weighted, tess_device device)
{
    const tess_shape slices = TESS_SHAPE(test_random_in(1, 40), 1, test_random_in(1, 7), test_random_in(1, 8));
    const tess_shape volume = random_volume(odd);
    const int        from = random_layout(), to = random_layout();
    const tess_dtype dtype = gathered ? TESS_C64 : TESS_C32;
    twin             in, own, q, scales;
    tess_array       out[2] = { { .data = NULL } }, weights[2] = { { .data = NULL } };
    make_twin(&in, stored(slices, from), dtype, device);
    make_twin(&own, stored(slices, from), tess_dtype_real(dtype), device);
    make_twin(&q, TESS_SHAPE(slices.b, 1, 1, 4), TESS_F64, device);
    make_twin(&scales, TESS_SHAPE(slices.b, 1, 2, 2), TESS_F64, device);
    for (int k = 0; k < 2; k++)
        CHECK_OK(tess_fourier_insert(&out[k], weighted ? &weights[k] : NULL, of(&in, k), slices, of(&q, k),
                                     &(tess_fourier_insert_opts){ .volume_shape = volume,
                                                                  .slice_weights = weighted ? of(&own, k) : NULL,
                                                                  .scales = odd ? NULL : of(&scales, k),
                                                                  .cutoff = odd ? 0.61 : 0.47,
                                                                  .ewald_w = weighted ? 2 : 0,
                                                                  .window = gathered ? 1 : 0,
                                                                  .sinc = 1,
                                                                  .from = from,
                                                                  .to = to }));
    CHECK(odd || gathered ? test_same_bits(&out[1], &out[0]) : test_close(&out[1], &out[0], 1e-5));
    if (weighted)
        CHECK(odd || gathered ? test_same_bits(&weights[1], &weights[0]) : test_close(&weights[1], &weights[0], 1e-5));
    twin *all[] = { &in, &own, &q, &scales };
    for (int i = 0; i < 4; i++) free_twin(all[i]);
    for (int k = 0; k < 2; k++) {
        tess_release(&out[k]);
        tess_release(&weights[k]);
    }
}

TEST(insertion_has_the_sums_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 64 : 12); i++) check_insertion(i % 2, i / 2 % 2, i / 2 % 2 == 0, device);
}

TEST(slices_of_slices_have_the_bits_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 20 : 3); i++) {
        const tess_shape slices = TESS_SHAPE(5, 1, test_random_in(1, 7), test_random_in(1, 8));
        twin             in, q, others;
        tess_array       out[2] = { { .data = NULL } };
        make_twin(&in, tess_rfft_shape(slices), TESS_C64, device);
        make_twin(&q, TESS_SHAPE(5, 1, 1, 4), TESS_F64, device);
        make_twin(&others, TESS_SHAPE(2, 1, 1, 4), TESS_F64, device);
        for (int k = 0; k < 2; k++)
            CHECK_OK(tess_fourier_insert_extract(
                &out[k], NULL, of(&in, k), slices, of(&q, k), of(&others, k),
                &(tess_fourier_insert_extract_opts){ .window = 1, .sinc = 1, .divide = 1, .out_ewald_h = 2 }));
        CHECK(test_same_bits(&out[1], &out[0]));
        free_twin(&in);
        free_twin(&q);
        free_twin(&others);
        for (int k = 0; k < 2; k++) tess_release(&out[k]);
    }
}
