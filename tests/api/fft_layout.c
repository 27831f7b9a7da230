/* Layouts of spectra, frequencies, resizing and shifting: examples, special shapes, outputs, what is rejected. */
#include <math.h>

#include "support/arrays.h"
#include "support/gate.h"
#include "support/hooks.h"
#include "support/rows.h"

enum { LAYOUTS = 4 };

static bool is_half(int layout) { return layout <= TESS_FFT_HC; }

static tess_shape shape_of(tess_shape shape, int layout) { return is_half(layout) ? tess_rfft_shape(shape) : shape; }

/* Random numbers in the shape of a spectrum. */
static tess_array random_spectrum(tess_dtype dtype, tess_shape shape, int layout)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, shape_of(shape, layout), dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0, 1, test_random(), NULL));
    return a;
}

static tess_c64 number_at(const tess_array *a, int64_t d, int64_t h, int64_t w)
{
    tess_c64 z = { 0, 0 };
    CHECK_OK(tess_get_c64(&z, a, 0, d, h, w));
    return z;
}

/* Both contiguous, of one dtype: the same bytes? */
static bool same_bytes(const tess_array *a, const tess_array *b)
{
    return tess_same_shape(a, b) && (tess_is_empty(a) || memcmp(a->data, b->data, (size_t)tess_n_bytes(a)) == 0);
}

/* ---- Shapes ---- */

TEST(half_shapes)
{
    CHECK_DIMS(tess_rfft_shape(TESS_SHAPE(2, 3, 4, 5)), 2, 3, 4, 3);
    CHECK_DIMS(tess_rfft_shape(TESS_SHAPE(2, 3, 4, 6)), 2, 3, 4, 4);
    CHECK_DIMS(tess_rfft_shape(TESS_SHAPE(1, 1, 9, 1)), 1, 1, 9, 1);
    CHECK_DIMS(tess_rfft_shape(TESS_SHAPE(1, 1, 9, 0)), 1, 1, 9, 0);
}

static bool is_fast(int64_t n)
{
    if (n % 2) return false;
    for (int p = 2; p < 8; p++)
        while (n % p == 0) n /= p;
    return n == 1;
}

TEST(fast_sizes)
{
    static const int64_t pairs[][2] = {
        { -3, -3 },     { 0, 0 },       { 1, 1 },       { 2, 2 },         { 3, 4 },         { 7, 8 },
        { 13, 14 },     { 22, 24 },     { 97, 100 },    { 121, 128 },     { 721, 768 },     { 1025, 1050 },
        { 1121, 1152 }, { 3838, 3840 }, { 4092, 4096 }, { 16897, 17280 }, { 65537, 65856 },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) CHECK_I64(tess_fft_fast_size(pairs[i][0]), pairs[i][1]);
    for (int64_t n = 2, last = 0; n < 3000; n++) {
        const int64_t fast = tess_fft_fast_size(n);
        CHECK(fast >= n && fast >= last && is_fast(fast));
        last = fast;
    }
    for (int bits = 1; bits < 62; bits++)
        for (int i = 0; i < 4; i++) {
            const int64_t n = (INT64_C(1) << bits) + test_random_in(0, (INT64_C(1) << bits) - 1);
            const int64_t fast = tess_fft_fast_size(n);
            CHECK(fast >= n && fast <= INT64_C(2) << bits && is_fast(fast) && tess_fft_fast_size(fast) == fast);
        }
    const int64_t largest = INT64_C(9223372036854775807), half = INT64_C(1) << 62;
    CHECK_I64(tess_fft_fast_size(largest), largest); /* no other fits */
    CHECK_I64(tess_fft_fast_size(half), half);
    CHECK(tess_fft_fast_size(half + 1) > half && is_fast(tess_fft_fast_size(half + 1)));
    CHECK_DIMS(tess_fft_fast_shape(TESS_SHAPE(11, 1, 13, 97)), 11, 1, 14, 100);
    CHECK_DIMS(tess_fft_fast_shape(TESS_SHAPE(0, 0, 0, 0)), 0, 0, 0, 0);
}

TEST(storage_for_transforms_in_place)
{
    for (int64_t w = 0; w < 6; w++) {
        tess_array real = { 0 }, spectrum = { 0 };
        CHECK_OK(tess_fft_empty(&real, &spectrum, TESS_SHAPE(2, 3, 4, w), TESS_F32, tess_cpu()));
        CHECK_DIMS(real.shape, 2, 3, 4, w);
        CHECK_DIMS(spectrum.shape, 2, 3, 4, w ? w / 2 + 1 : 0);
        CHECK(real.dtype == TESS_F32 && spectrum.dtype == TESS_C32 && real.data == spectrum.data);
        if (w) CHECK_DIMS(real.strides, 24 * (w / 2 + 1), 8 * (w / 2 + 1), 2 * (w / 2 + 1), 1);
        tess_release(&spectrum);
        if (w) CHECK_OK(tess_fill(&real, 3)); /* it has a reference of its own */
        tess_release(&real);
    }
    tess_array real = { 0 }, spectrum = { 0 }, made = constant(TESS_F32, 1, 1, 1, 1, 0);
    CHECK_FAILS(tess_fft_empty(NULL, &spectrum, made.shape, TESS_F32, tess_cpu()), TESS_EARG, "real is NULL");
    CHECK_FAILS(tess_fft_empty(&real, NULL, made.shape, TESS_F32, tess_cpu()), TESS_EARG, "spectrum is NULL");
    CHECK_FAILS(tess_fft_empty(&real, &real, made.shape, TESS_F32, tess_cpu()), TESS_EARG, "same struct");
    CHECK_FAILS(tess_fft_empty(&real, &made, made.shape, TESS_F32, tess_cpu()), TESS_EARG, "spectrum is an allocated array",
                "zeroed");
    CHECK_FAILS(tess_fft_empty(&real, &spectrum, made.shape, TESS_C32, tess_cpu()), TESS_EDTYPE, "dtype is c32", "f32");
    CHECK_FAILS(tess_fft_empty(&real, &spectrum, made.shape, (tess_dtype)99, tess_cpu()), TESS_EDTYPE, "dtype is 99");
    CHECK_FAILS(tess_fft_empty(&real, &spectrum, TESS_SHAPE(1, 1, -1, 4), TESS_F32, tess_cpu()), TESS_ESHAPE,
                "fft_empty: shape is {1,1,-1,4}");
    CHECK_FAILS(tess_fft_empty(&real, &spectrum, made.shape, TESS_F32, tess_gpu(0)), TESS_EDEVICE, "fft_empty");
    CHECK(is_zeroed(&real) && is_zeroed(&spectrum));
    tess_release(&made);
}

/* ---- Frequencies ---- */

TEST(frequencies_of_indices)
{
    static const struct {
        int    layout, axis, n;
        double k[8];
    } rows[] = {
        { TESS_FFT_F, 3, 8, { 0, 1, 2, 3, -4, -3, -2, -1 } },
        { TESS_FFT_F, 3, 7, { 0, 1, 2, 3, -3, -2, -1 } },
        { TESS_FFT_FC, 3, 8, { -4, -3, -2, -1, 0, 1, 2, 3 } },
        { TESS_FFT_FC, 3, 7, { -3, -2, -1, 0, 1, 2, 3 } },
        { TESS_FFT_H, 3, 8, { 0, 1, 2, 3, 4 } },
        { TESS_FFT_HC, 3, 7, { 0, 1, 2, 3 } },
        { TESS_FFT_H, 2, 4, { 0, 1, -2, -1 } },
        { TESS_FFT_HC, 1, 4, { -2, -1, 0, 1 } },
        { TESS_FFT_LAYOUT_DEFAULT, -1, 2, { 0, 1 } },
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const bool half = rows[r].layout <= TESS_FFT_HC && (rows[r].axis == 3 || rows[r].axis == -1);
        for (int i = 0; i < (half ? rows[r].n / 2 + 1 : rows[r].n); i++) {
            double f = -9, at = -9;
            CHECK_OK(tess_fft_frequency(&f, (tess_fft_layout)rows[r].layout, rows[r].axis, rows[r].n, i));
            CHECK(f == rows[r].k[i] / rows[r].n);
            CHECK_OK(tess_fft_index(&at, (tess_fft_layout)rows[r].layout, rows[r].axis, rows[r].n, f));
            CHECK(at == i);
        }
    }
}

TEST(places_of_frequencies)
{
    double at = -9;
    CHECK_OK(tess_fft_index(&at, TESS_FFT_H, 3, 10, 0.25));
    CHECK(at == 2.5);
    CHECK_OK(tess_fft_index(&at, TESS_FFT_F, 3, 10, -0.25));
    CHECK(at == 7.5);
    CHECK_OK(tess_fft_index(&at, TESS_FFT_FC, 3, 10, -0.25));
    CHECK(at == 2.5);
    CHECK_OK(tess_fft_index(&at, TESS_FFT_FC, 3, 10, 0.5)); /* where -0.5 is */
    CHECK(at == 0);
    CHECK_OK(tess_fft_index(&at, TESS_FFT_F, 2, 10, 0.5));
    CHECK(at == 5);
    CHECK_OK(tess_fft_index(&at, TESS_FFT_H, 3, 10, 0.5));
    CHECK(at == 5);
    CHECK_OK(tess_fft_index(&at, TESS_FFT_FC, 1, 9, -0.5));
    CHECK(at == 8.5);
    CHECK_OK(tess_fft_index(&at, TESS_FFT_F, 1, 9, -1e-300));
    CHECK(at == 0);
}

TEST(bad_frequencies)
{
    double x = 7;
    CHECK_FAILS(tess_fft_frequency(NULL, TESS_FFT_H, 3, 8, 0), TESS_EARG, "fft_frequency: frequency is NULL");
    CHECK_FAILS(tess_fft_frequency(&x, (tess_fft_layout)5, 3, 8, 0), TESS_EARG, "layout is 5", "4 (fc)");
    CHECK_FAILS(tess_fft_frequency(&x, (tess_fft_layout)-1, 3, 8, 0), TESS_EARG, "layout is -1");
    CHECK_FAILS(tess_fft_frequency(&x, TESS_FFT_H, 4, 8, 0), TESS_ERANGE, "axis is 4");
    CHECK_FAILS(tess_fft_frequency(&x, TESS_FFT_H, 0, 8, 0), TESS_ERANGE, "axis is the batch");
    CHECK_FAILS(tess_fft_frequency(&x, TESS_FFT_H, 3, 0, 0), TESS_ESHAPE, "n is 0");
    CHECK_FAILS(tess_fft_frequency(&x, TESS_FFT_H, 3, INT64_MAX, 0), TESS_ESHAPE, "2^60");
    CHECK_FAILS(tess_fft_frequency(&x, TESS_FFT_H, 3, 8, 5), TESS_ERANGE, "index is 5", "0 to 4", "layout h");
    CHECK_FAILS(tess_fft_frequency(&x, TESS_FFT_F, 3, 8, 8), TESS_ERANGE, "index is 8", "0 to 7");
    CHECK_FAILS(tess_fft_frequency(&x, TESS_FFT_F, 3, 8, -1), TESS_ERANGE, "index is -1");
    CHECK_FAILS(tess_fft_index(NULL, TESS_FFT_H, 3, 8, 0), TESS_EARG, "fft_index: index is NULL");
    CHECK_FAILS(tess_fft_index(&x, TESS_FFT_F, 3, 8, 0.6), TESS_ERANGE, "frequency is 0.6", "-0.5 to 0.5");
    CHECK_FAILS(tess_fft_index(&x, TESS_FFT_H, 3, 8, -0.1), TESS_ERANGE, "frequency is -0.1", "0 to 0.5", "layout h");
    CHECK_FAILS(tess_fft_index(&x, TESS_FFT_F, 3, 8, (double)NAN), TESS_ERANGE, "frequency is nan");
    CHECK(x == 7);
}

TEST(frequencies_of_a_spectrum)
{
    tess_array out = { 0 };
    CHECK_OK(tess_fft_frequencies(&out, TESS_SHAPE(3, 1, 4, 6), NULL));
    CHECK_DIMS(out.shape, 1, 1, 4, 4);
    CHECK(out.dtype == TESS_F64 && value_at(&out, 0, 0, 2, 0) == 0.5 && value_at(&out, 0, 0, 0, 3) == 0.5);
    CHECK(value_at(&out, 0, 0, 3, 2) == sqrt(0.0625 + 1.0 / 9));
    tess_release(&out);
    CHECK_OK(
        tess_fft_frequencies(&out, TESS_SHAPE(1, 1, 4, 6),
                             &(tess_fft_frequencies_opts){ .layout = TESS_FFT_FC, .axes = TESS_H, .dtype = TESS_F32 }));
    CHECK_DIMS(out.shape, 1, 1, 4, 6);
    CHECK(out.dtype == TESS_F32 && value_at(&out, 0, 0, 0, 5) == -0.5 && value_at(&out, 0, 0, 3, 0) == 0.25);
    tess_release(&out);
    CHECK_OK(tess_fft_frequencies(&out, TESS_SHAPE(1, 1, 0, 6), NULL));
    CHECK_DIMS(out.shape, 1, 1, 0, 4);
    tess_release(&out);
    tess_array half = constant(TESS_F16, 2, 1, 4, 4, 9); /* any b */
    CHECK_OK(tess_fft_frequencies(&half, TESS_SHAPE(1, 1, 4, 6), NULL));
    CHECK(value_at(&half, 0, 0, 2, 0) == 0.5 && value_at(&half, 1, 0, 0, 3) == 0.5);
    tess_release(&half);
}

TEST(bad_arrays_of_frequencies)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 4, 6);
    tess_array       out = { 0 }, wide = constant(TESS_F32, 1, 1, 4, 6, 5), ints = constant(TESS_I32, 1, 1, 4, 4, 5);
    CHECK_FAILS(tess_fft_frequencies(NULL, shape, NULL), TESS_EARG, "fft_frequencies: out is NULL");
    CHECK_FAILS(tess_fft_frequencies(&out, TESS_SHAPE(1, 1, -4, 6), NULL), TESS_ESHAPE, "shape is {1,1,-4,6}");
    CHECK_FAILS(tess_fft_frequencies(&out, shape, &(tess_fft_frequencies_opts){ .layout = 9 }), TESS_EARG,
                "opts->layout is 9", "fc");
    CHECK_FAILS(tess_fft_frequencies(&out, shape, &(tess_fft_frequencies_opts){ .axes = TESS_B }), TESS_ERANGE,
                "opts->axes is 0x10");
    CHECK_FAILS(tess_fft_frequencies(&out, shape, &(tess_fft_frequencies_opts){ .axes = 3 }), TESS_ERANGE,
                "opts->axes is 0x3");
    CHECK_FAILS(tess_fft_frequencies(&out, shape, &(tess_fft_frequencies_opts){ .axes = -3 }), TESS_ERANGE,
                "opts->axes is 0xfffffffd", "a set of TESS_D", "not the number of an axis");
    CHECK_FAILS(tess_fft_frequencies(&out, shape, &(tess_fft_frequencies_opts){ .dtype = TESS_C32 }), TESS_EARG,
                "opts->dtype", "f64");
    CHECK_FAILS(tess_fft_frequencies(&out, shape, &(tess_fft_frequencies_opts){ .reserved = { 1 } }), TESS_EARG,
                "reserved");
    CHECK_FAILS(tess_fft_frequencies(&wide, shape, NULL), TESS_ESHAPE, "out has shape {1,1,4,6}",
                "half spectrum (opts->layout is h) is {1,1,4,4}");
    CHECK_FAILS(tess_fft_frequencies(&wide, TESS_SHAPE(3, 1, 4, 6), NULL), TESS_ESHAPE, "out has shape {1,1,4,6}",
                "shape is {3,1,4,6}", "any");
    CHECK_FAILS(tess_fft_frequencies(&ints, shape, NULL), TESS_EDTYPE, "out is i32", "f64");
    CHECK(is_zeroed(&out) && all_are(&wide, 5) && all_are(&ints, 5));
    tess_release(&wide);
    tess_release(&ints);
}

/* ---- Layouts ---- */

TEST(examples_of_remaps)
{
    tess_array out = { 0 }, h8 = row_of(TESS_F32, 5, (double[]){ 0, 1, 2, 3, 4 }),
               h7 = row_of(TESS_F32, 4, (double[]){ 0, 1, 2, 3 });
    CHECK_OK(tess_fft_remap(&out, &h8, TESS_SHAPE(1, 1, 1, 8), TESS_FFT_H, TESS_FFT_F));
    CHECK(row_is(&out, 8, (double[]){ 0, 1, 2, 3, 4, 3, 2, 1 }));
    CHECK_OK(tess_fft_remap(&out, &h8, TESS_SHAPE(1, 1, 1, 8), TESS_FFT_H, TESS_FFT_FC));
    CHECK(row_is(&out, 8, (double[]){ 4, 3, 2, 1, 0, 1, 2, 3 }));
    tess_release(&out);
    CHECK_OK(tess_fft_remap(&out, &h7, TESS_SHAPE(1, 1, 1, 7), TESS_FFT_LAYOUT_DEFAULT, TESS_FFT_FC));
    CHECK(row_is(&out, 7, (double[]){ 3, 2, 1, 0, 1, 2, 3 }));
    tess_release(&out);
    tess_release(&h8);
    tess_release(&h7);
}

/* Conjugates come from the negative frequency along every axis. */
TEST(what_half_a_spectrum_does_not_have)
{
    const tess_shape shape = TESS_SHAPE(1, 3, 4, 5);
    tess_array       half = random_spectrum(TESS_C64, shape, TESS_FFT_H), full = { 0 };
    CHECK_OK(tess_fft_remap(&full, &half, shape, TESS_FFT_H, TESS_FFT_F));
    for (int d = 0; d < 3; d++)
        for (int h = 0; h < 4; h++)
            for (int w = 3; w < 5; w++) {
                const tess_c64 a = number_at(&full, d, h, w), b = number_at(&half, (3 - d) % 3, (4 - h) % 4, 5 - w);
                CHECK(a.re == b.re && a.im == -b.im);
            }
    tess_release(&half);
    tess_release(&full);
}

/* To any layout and back: all of it, if nothing was left out on the way. */
TEST(there_and_back)
{
    static const tess_dtype dtypes[] = { TESS_C16, TESS_C32, TESS_C64, TESS_F32, TESS_I64 };
    for (int i = 0; i < 200; i++) {
        const tess_shape shape =
            TESS_SHAPE(test_random_in(1, 3), test_random_in(1, 5), test_random_in(1, 6), test_random_in(1, 9));
        const tess_fft_layout from = (tess_fft_layout)(1 + i % LAYOUTS),
                              to = (tess_fft_layout)(1 + i / LAYOUTS % LAYOUTS);
        const tess_dtype dtype = dtypes[i % 5];
        tess_array       in = { 0 }, there = { 0 }, back = { 0 };
        if (!is_half((int)from) && is_half((int)to)) continue;
        if (dtype == TESS_I64) in = numbers(dtype, shape.b, shape.d, shape.h, shape_of(shape, (int)from).w);
        else in = random_spectrum(dtype, shape, (int)from);
        CHECK_OK(tess_fft_remap(&there, &in, shape, from, to));
        CHECK_OK(tess_fft_remap(&back, &there, shape, to, from));
        CHECK(same_bytes(&in, &back));
        tess_release(&in);
        tess_release(&there);
        tess_release(&back);
    }
}

TEST(in_place)
{
    for (int64_t n = 1; n < 8; n++)
        for (int full = 0; full < 2; full++) {
            const tess_shape      shape = TESS_SHAPE(2, n, 8 - n, n + 1);
            const tess_fft_layout plain = full ? TESS_FFT_F : TESS_FFT_H, centred = full ? TESS_FFT_FC : TESS_FFT_HC;
            tess_array a = random_spectrum(TESS_C32, shape, (int)plain), want = { 0 }, view = { 0 }, got = { 0 };
            CHECK_OK(tess_reverse(&view, &a, TESS_B | TESS_W));
            CHECK_OK(tess_fft_remap(&want, &view, shape, plain, centred));
            CHECK_OK(tess_fft_remap(&view, &view, shape, plain, centred));
            CHECK_OK(tess_copy(&got, &view));
            CHECK(same_bytes(&got, &want));
            CHECK_OK(tess_fft_remap(&view, &view, shape, centred, centred));
            CHECK_OK(tess_copy(&got, &view));
            CHECK(same_bytes(&got, &want));
            tess_release(&a);
            tess_release(&want);
            tess_release(&got);
        }
    tess_array row = numbers(TESS_I16, 1, 1, 1, 7);
    CHECK_OK(tess_fftshift(&row, &row, 0));
    CHECK(row_is(&row, 7, (double[]){ 4, 5, 6, 0, 1, 2, 3 }));
    CHECK_OK(tess_ifftshift(&row, &row, TESS_W));
    CHECK(row_is(&row, 7, (double[]){ 0, 1, 2, 3, 4, 5, 6 }));
    tess_release(&row);
}

/* Integers, whose squares are exact. */
TEST(power_of_complex_numbers)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 3, 4);
    tess_array       in = constant(TESS_C32, 1, 1, 3, 3, 5), imag = { 0 }, full = { 0 }, want = { 0 };
    tess_array       out = constant(TESS_F32, 1, 1, 3, 4, 0), wide = constant(TESS_F64, 1, 1, 3, 4, 0);
    CHECK_OK(tess_imag_view(&imag, &in));
    CHECK_OK(tess_arange(&imag, imag.shape, TESS_F32, tess_cpu(), -4, 1));
    CHECK_OK(tess_fft_remap(&full, &in, shape, TESS_FFT_H, TESS_FFT_FC));
    CHECK_OK(tess_abs2(&want, &full));
    CHECK_OK(tess_fft_remap(&out, &in, shape, TESS_FFT_H, TESS_FFT_FC));
    CHECK(same_bytes(&out, &want));
    CHECK_OK(tess_fft_remap(&wide, &in, shape, TESS_FFT_H, TESS_FFT_FC));
    CHECK(same_values(&wide, &want));
    tess_release(&in);
    tess_release(&full);
    tess_release(&want);
    tess_release(&out);
    tess_release(&wide);
}

TEST(power_is_clamped_to_integers)
{
    tess_array in = constant(TESS_C32, 1, 1, 1, 2, 15), bytes = constant(TESS_U8, 1, 1, 1, 2, 0);
    CHECK_OK(tess_set_c64(&in, 0, 0, 0, 1, (tess_c64){ 0, -17 }));
    CHECK_OK(tess_fft_remap(&bytes, &in, TESS_SHAPE(1, 1, 1, 2), TESS_FFT_H, TESS_FFT_H));
    CHECK(row_is(&bytes, 2, (double[]){ 225, 255 }));
    tess_release(&in);
    tess_release(&bytes);
}

TEST(empty_and_single)
{
    tess_array one = constant(TESS_C32, 1, 1, 1, 1, 3), none = { 0 }, out = { 0 };
    for (int from = 1; from <= LAYOUTS; from++)
        for (int to = 1; to <= LAYOUTS; to++)
            for (int axis = 0; axis < 4; axis++) {
                tess_shape shape = TESS_SHAPE(2, 2, 2, 2);
                shape.dim[axis] = 0;
                CHECK_OK(tess_empty(&none, shape_of(shape, from), TESS_C32, tess_cpu()));
                CHECK_OK(tess_fft_remap(&out, &none, shape, (tess_fft_layout)from, (tess_fft_layout)to));
                CHECK(memcmp(&out.shape, (tess_shape[]){ shape_of(shape, to) }, sizeof shape) == 0);
                tess_release(&none);
                tess_release(&out);
                CHECK_OK(tess_fft_remap(&out, &one, one.shape, (tess_fft_layout)from, (tess_fft_layout)to));
                CHECK(number_at(&out, 0, 0, 0).re == 3);
                tess_release(&out);
            }
    CHECK_OK(tess_empty(&none, TESS_SHAPE(1, 1, 0, 4), TESS_U8, tess_cpu()));
    CHECK_OK(tess_fftshift(&out, &none, 0));
    CHECK_DIMS(out.shape, 1, 1, 0, 4);
    tess_release(&out);
    tess_release(&none);
    CHECK_OK(tess_fft_remap(&out, &tess_f32(4), TESS_SHAPE(1, 1, 1, 1), TESS_FFT_H, TESS_FFT_FC)); /* a number */
    CHECK(all_are(&out, 4));
    CHECK_OK(tess_fftshift(&out, &tess_f32(5), 0));
    CHECK(all_are(&out, 5));
    tess_release(&out);
    tess_release(&one);
}

TEST(bad_remaps)
{
    const tess_shape shape = TESS_SHAPE(1, 2, 4, 6);
    tess_array       h = random_spectrum(TESS_C32, shape, TESS_FFT_H), f = random_spectrum(TESS_C32, shape, TESS_FFT_F);
    tess_array       out = { 0 }, real = constant(TESS_F32, 1, 2, 4, 6, 7), wide = constant(TESS_C64, 1, 2, 4, 6, 7);
    tess_array       mats = constant(TESS_MAT22_F32, 1, 2, 4, 4, 0), other = on_gpu(f), fixed = read_only(f), part = h;
    CHECK_FAILS(tess_fft_remap(NULL, &h, shape, TESS_FFT_H, TESS_FFT_F), TESS_EARG, "fft_remap: out is NULL");
    CHECK_FAILS(tess_fft_remap(&out, NULL, shape, TESS_FFT_H, TESS_FFT_F), TESS_EARG, "in is NULL");
    CHECK_FAILS(tess_fft_remap(&out, &h, shape, (tess_fft_layout)7, TESS_FFT_F), TESS_EARG, "from is 7", "1 (h)");
    CHECK_FAILS(tess_fft_remap(&out, &h, shape, TESS_FFT_H, (tess_fft_layout)-2), TESS_EARG, "to is -2", "4 (fc)");
    CHECK_FAILS(tess_fft_remap(&out, &h, shape, TESS_FFT_F, TESS_FFT_H), TESS_ESHAPE, "in has shape {1,2,4,4}",
                "shape is {1,2,4,6}", "full spectrum (from is f) is {1,2,4,6}");
    CHECK_FAILS(tess_fft_remap(&out, &f, shape, TESS_FFT_HC, TESS_FFT_H), TESS_ESHAPE, "in has shape {1,2,4,6}",
                "half spectrum (from is hc) is {1,2,4,4}");
    CHECK_FAILS(tess_fft_remap(&out, &h, TESS_SHAPE(1, 2, 4, -6), TESS_FFT_H, TESS_FFT_F), TESS_ESHAPE,
                "shape is {1,2,4,-6}", "0 or more");
    CHECK_FAILS(tess_fft_remap(&out, &mats, shape, TESS_FFT_H, TESS_FFT_F), TESS_EDTYPE, "in is mat22_f32");
    CHECK(is_zeroed(&out));
    CHECK_FAILS(tess_fft_remap(&h, &f, shape, TESS_FFT_H, TESS_FFT_F), TESS_ESHAPE, "in has shape");
    CHECK_FAILS(tess_fft_remap(&real, &h, shape, TESS_FFT_H, TESS_FFT_H), TESS_ESHAPE, "out has shape {1,2,4,6}",
                "{1,2,4,4}");
    CHECK_FAILS(tess_fft_remap(&real, &h, shape, TESS_FFT_H, TESS_FFT_HC), TESS_ESHAPE, "(to is hc)");
    CHECK_FAILS(tess_fft_remap(&wide, &h, shape, TESS_FFT_H, TESS_FFT_F), TESS_EDTYPE, "out has dtype c64", "c32");
    CHECK_FAILS(tess_fft_remap(&f, &real, shape, TESS_FFT_F, TESS_FFT_FC), TESS_EDTYPE, "out has dtype c32", "f32");
    CHECK_FAILS(tess_fft_remap(&other, &h, shape, TESS_FFT_H, TESS_FFT_F), TESS_EDEVICE, "fft_remap");
    CHECK_FAILS(tess_fft_remap(&fixed, &h, shape, TESS_FFT_H, TESS_FFT_F), TESS_EWRITE, "read-only");
    part.data = f.data; /* half of what would be written */
    part.strides = f.strides;
    CHECK_FAILS(tess_fft_remap(&f, &part, shape, TESS_FFT_H, TESS_FFT_F), TESS_EALIAS, "use other memory");
    CHECK(all_are(&real, 7));
    tess_release(&h);
    tess_release(&f);
    tess_release(&real);
    tess_release(&wide);
    tess_release(&mats);
}

TEST(bad_shifts_by_half)
{
    tess_array in = numbers(TESS_F32, 1, 1, 2, 3), out = { 0 }, small = constant(TESS_F32, 1, 1, 2, 2, 7);
    CHECK_FAILS(tess_fftshift(NULL, &in, 0), TESS_EARG, "fftshift: out is NULL");
    CHECK_FAILS(tess_ifftshift(&out, NULL, 0), TESS_EARG, "ifftshift: in is NULL");
    CHECK_FAILS(tess_fftshift(&out, &in, 3), TESS_ERANGE, "axes is 0x3", "not the number of an axis");
    CHECK_FAILS(tess_fftshift(&small, &in, 0), TESS_ESHAPE, "out has shape {1,1,2,2}", "{1,1,2,3}");
    CHECK(is_zeroed(&out) && all_are(&small, 7));
    tess_release(&in);
    tess_release(&small);
}

/* ---- Resizing ---- */

static void check_resize(int layout, int n, int m, int correct, const double *in, const double *want)
{
    const tess_fft_resize_opts opts = { .layout = layout, .correct_nyquist = correct };
    const tess_shape           from = TESS_SHAPE(1, 1, 1, n), to = TESS_SHAPE(1, 1, 1, m);
    tess_array                 a = row_of(TESS_F32, (int)shape_of(from, layout).w, in), out = { 0 };
    CHECK_OK(tess_fft_resize(&out, &a, from, to, &opts));
    CHECK(row_is(&out, (int)shape_of(to, layout).w, want));
    tess_release(&a);
    tess_release(&out);
}

TEST(examples_of_resizing)
{
    check_resize(TESS_FFT_F, 5, 8, 0, (double[]){ 10, 11, 12, 8, 9 }, (double[]){ 10, 11, 12, 0, 0, 0, 8, 9 });
    check_resize(TESS_FFT_F, 4, 7, 0, (double[]){ 10, 11, 8, 9 }, (double[]){ 10, 11, 0, 0, 0, 8, 9 });
    check_resize(TESS_FFT_F, 4, 7, 1, (double[]){ 10, 11, 8, 9 }, (double[]){ 10, 11, 4, 0, 0, 4, 9 });
    check_resize(TESS_FFT_F, 4, 5, 1, (double[]){ 10, 11, 8, 9 }, (double[]){ 10, 11, 4, 4, 9 });
    check_resize(TESS_FFT_FC, 4, 7, 0, (double[]){ 8, 9, 10, 11 }, (double[]){ 0, 8, 9, 10, 11, 0, 0 });
    check_resize(TESS_FFT_FC, 4, 7, 1, (double[]){ 8, 9, 10, 11 }, (double[]){ 0, 4, 9, 10, 11, 4, 0 });
    check_resize(TESS_FFT_F, 7, 4, 0, (double[]){ 0, 1, 2, 3, 7, 8, 9 }, (double[]){ 0, 1, 8, 9 });
    check_resize(TESS_FFT_F, 7, 4, 1, (double[]){ 0, 1, 2, 3, 7, 8, 9 }, (double[]){ 0, 1, 5, 9 });
    check_resize(TESS_FFT_FC, 7, 4, 1, (double[]){ 7, 8, 9, 0, 1, 2, 3 }, (double[]){ 5, 9, 0, 1 });
    check_resize(TESS_FFT_F, 8, 3, 1, (double[]){ 0, 1, 2, 3, 6, 7, 8, 9 }, (double[]){ 0, 1, 9 });
    check_resize(TESS_FFT_H, 4, 7, 0, (double[]){ 10, 11, 12 }, (double[]){ 10, 11, 12, 0 });
    check_resize(TESS_FFT_H, 4, 7, 1, (double[]){ 10, 11, 12 }, (double[]){ 10, 11, 6, 0 });
    check_resize(TESS_FFT_HC, 7, 4, 1, (double[]){ 10, 11, 12, 13 }, (double[]){ 10, 11, 12 });
    check_resize(TESS_FFT_H, 4, 4, 1, (double[]){ 10, 11, 12 }, (double[]){ 10, 11, 12 });
    check_resize(TESS_FFT_F, 2, 1, 1, (double[]){ 10, 11 }, (double[]){ 10 });
    check_resize(TESS_FFT_F, 1, 4, 1, (double[]){ 10 }, (double[]){ 10, 0, 0, 0 });
    check_resize(TESS_FFT_F, 0, 3, 1, NULL, (double[]){ 0, 0, 0 });
    check_resize(TESS_FFT_H, 0, 3, 0, NULL, (double[]){ 0, 0 });
    check_resize(TESS_FFT_H, 3, 0, 0, (double[]){ 1, 2 }, NULL);
}

/* The coefficient at +n/2 and -n/2 of W, cropped to: the column and its mirror image, so what has no partner is real. */
TEST(half_spectra_cropped_to_even_widths)
{
    const tess_shape from = TESS_SHAPE(1, 1, 4, 8), to = TESS_SHAPE(1, 1, 4, 4);
    tess_array       in = random_spectrum(TESS_C64, from, TESS_FFT_H), out = { 0 };
    CHECK_OK(tess_fft_resize(&out, &in, from, to, &(tess_fft_resize_opts){ .correct_nyquist = 1 }));
    CHECK_DIMS(out.shape, 1, 1, 4, 3);
    for (int h = 0; h < 4; h++) {
        const tess_c64 a = number_at(&in, 0, h, 2), b = number_at(&in, 0, (4 - h) % 4, 2), c = number_at(&out, 0, h, 2);
        const tess_c64 same = number_at(&in, 0, h, 1), kept = number_at(&out, 0, h, 1);
        CHECK(c.re == (a.re + b.re) / 2 && c.im == (a.im - b.im) / 2);
        CHECK(same.re == kept.re && same.im == kept.im);
    }
    CHECK(number_at(&out, 0, 0, 2).im == 0 && number_at(&out, 0, 2, 2).im == 0);
    tess_release(&in);
    tess_release(&out);
}

TEST(norms_of_resizing)
{
    static const struct {
        int    norm;
        double scale;
    } rows[] = { { TESS_FFT_NORM_DEFAULT, 1 },
                 { TESS_FFT_NORM_NONE, 1 },
                 { TESS_FFT_NORM_FORWARD, 1 },
                 { TESS_FFT_NORM_ORTHO, 2 },
                 { TESS_FFT_NORM_BACKWARD, 4 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int correct = 0; correct < 2; correct++) {
            tess_array in = constant(TESS_C32, 3, 1, 4, 3, 8), out = { 0 };
            CHECK_OK(tess_fft_resize(&out, &in, TESS_SHAPE(3, 1, 4, 4), TESS_SHAPE(3, 1, 8, 8),
                                     &(tess_fft_resize_opts){ .norm = rows[i].norm, .correct_nyquist = correct }));
            CHECK_DIMS(out.shape, 3, 1, 8, 5);
            CHECK(number_at(&out, 0, 0, 0).re == 8 * rows[i].scale && number_at(&out, 0, 4, 0).re == 0);
            CHECK(number_at(&out, 0, 6, 2).re == (correct ? 2 : 8) * rows[i].scale);
            CHECK(number_at(&out, 0, 2, 2).re == (correct ? 2 : 0) * rows[i].scale);
            tess_release(&in);
            tess_release(&out);
        }
}

TEST(bad_resizing)
{
    const tess_shape from = TESS_SHAPE(1, 1, 4, 6), to = TESS_SHAPE(1, 1, 6, 4);
    tess_array in = random_spectrum(TESS_C32, from, TESS_FFT_H), out = { 0 }, ints = constant(TESS_I32, 1, 1, 4, 4, 1);
    tess_array wrong = constant(TESS_C32, 1, 1, 6, 4, 7), view = in;
    CHECK_FAILS(tess_fft_resize(NULL, &in, from, to, NULL), TESS_EARG, "fft_resize: out is NULL");
    CHECK_FAILS(tess_fft_resize(&out, NULL, from, to, NULL), TESS_EARG, "in is NULL");
    CHECK_FAILS(tess_fft_resize(&out, &in, to, from, NULL), TESS_ESHAPE, "in has shape {1,1,4,4}",
                "in_shape is {1,1,6,4}", "(opts->layout is h) is {1,1,6,3}");
    CHECK_FAILS(tess_fft_resize(&out, &in, from, TESS_SHAPE(1, 1, -6, 4), NULL), TESS_ESHAPE,
                "out_shape is {1,1,-6,4}");
    CHECK_FAILS(tess_fft_resize(&out, &in, from, TESS_SHAPE(2, 1, 6, 4), NULL), TESS_ESHAPE, "b must be equal", "{2,1,6,4}");
    CHECK_FAILS(tess_fft_resize(&wrong, &in, from, to, NULL), TESS_ESHAPE, "out has shape {1,1,6,4}",
                "out_shape is {1,1,6,4}", "{1,1,6,3}");
    CHECK_FAILS(tess_fft_resize(&out, &in, from, to, &(tess_fft_resize_opts){ .layout = 5 }), TESS_EARG,
                "opts->layout is 5", "1 (h)");
    CHECK_FAILS(tess_fft_resize(&out, &in, from, to, &(tess_fft_resize_opts){ .norm = 7 }), TESS_EARG,
                "opts->norm is 7", "ortho");
    CHECK_FAILS(tess_fft_resize(&out, &in, from, to, &(tess_fft_resize_opts){ .correct_nyquist = 2 }), TESS_ERANGE,
                "opts->correct_nyquist is 2");
    CHECK_FAILS(tess_fft_resize(&out, &ints, from, to, &(tess_fft_resize_opts){ .correct_nyquist = 1 }), TESS_EDTYPE,
                "in is i32", "opts->correct_nyquist");
    CHECK_FAILS(tess_fft_resize(&out, &ints, from, TESS_SHAPE(1, 1, 8, 8),
                                &(tess_fft_resize_opts){ .norm = TESS_FFT_NORM_ORTHO }),
                TESS_EDTYPE, "in is i32", "opts->norm");
    CHECK_FAILS(tess_fft_resize(&view, &in, from, from, NULL), TESS_EALIAS, "use other memory");
    CHECK(is_zeroed(&out));
    CHECK_OK(tess_fft_resize(&out, &ints, from, to, NULL)); /* integers that only move */
    CHECK(value_at(&out, 0, 0, 1, 2) == 1 && value_at(&out, 0, 0, 2, 2) == 0);
    tess_release(&out);
    tess_release(&in);
    tess_release(&ints);
    tess_release(&wrong);
}

/* ---- Shifting ---- */

/* By half of an even size: exactly 1 and -1, also after 10^15 times round. */
TEST(shifts_by_half_the_size)
{
    for (int layout = 1; layout <= LAYOUTS; layout++)
        for (int far = 0; far < 2; far++) {
            const tess_shape                shape = TESS_SHAPE(1, 4, 6, 10);
            const tess_fft_phase_shift_opts opts = { .layout = layout };
            const double                    times = far ? 1e15 : 0;
            tess_array                      out = { 0 }, in = random_spectrum(TESS_C32, shape, layout);
            tess_array s = row_of(TESS_F64, 3, (double[]){ 2 + times * 4, 3 - times / 2 * 6, 5 + times / 4 * 10 });
            CHECK_OK(tess_fft_phase_shift(&out, &in, shape, &s, &opts));
            for (int64_t d = 0; d < in.shape.d; d++)
                for (int64_t h = 0; h < in.shape.h; h++)
                    for (int64_t w = 0; w < in.shape.w; w++) {
                        const bool     odd = (d + h + w + (layout % 2 ? 0 : 5) + (layout == TESS_FFT_FC ? 5 : 0)) % 2;
                        const tess_c64 a = number_at(&in, d, h, w), b = number_at(&out, d, h, w);
                        CHECK(odd ? a.re == -b.re && a.im == -b.im : a.re == b.re && a.im == b.im);
                    }
            tess_release(&in);
            tess_release(&out);
            tess_release(&s);
        }
}

TEST(factors_alone)
{
    tess_array out = constant(TESS_C64, 2, 1, 1, 5, 9), s = { 0 };
    CHECK_OK(tess_empty(&s, TESS_SHAPE(2, 1, 1, 1), TESS_F32, tess_cpu()));
    CHECK_OK(tess_set_f64(&s, 0, 0, 0, 0, 2));
    CHECK_OK(tess_set_f64(&s, 1, 0, 0, 0, 0.5));
    CHECK_OK(tess_fft_phase_shift(&out, NULL, TESS_SHAPE(2, 1, 1, 8), &s, NULL));
    tess_c64 z = number_at(&out, 0, 0, 1);
    CHECK(z.re == 0 && z.im == -1);
    CHECK_OK(tess_get_c64(&z, &out, 1, 0, 0, 4));
    CHECK(z.re == 0 && z.im == -1);
    CHECK_OK(tess_fft_phase_shift(&out, NULL, TESS_SHAPE(2, 1, 1, 8), &s,
                                  &(tess_fft_phase_shift_opts){ .real_nyquist = 1, .cutoff = 0.25 }));
    CHECK_OK(tess_get_c64(&z, &out, 0, 0, 0, 2));
    CHECK(z.re == -1 && z.im == 0);
    CHECK_OK(tess_get_c64(&z, &out, 0, 0, 0, 3)); /* above 0.25 */
    CHECK(z.re == 1 && z.im == 0);
    CHECK_OK(tess_fft_phase_shift(&out, NULL, TESS_SHAPE(2, 1, 1, 8), &s,
                                  &(tess_fft_phase_shift_opts){ .real_nyquist = 1 }));
    CHECK_OK(tess_get_c64(&z, &out, 1, 0, 0, 4)); /* cos(pi / 2) */
    CHECK(z.re == 0 && z.im == 0);
    tess_release(&out);
    tess_release(&s);
}

/* A coefficient whose frequency is the cutoff is shifted, those above it are not. */
TEST(cutoffs_that_are_frequencies)
{
    const tess_shape shape = TESS_SHAPE(1, 3, 7, 10);
    tess_array       f = { 0 }, out = constant(TESS_C32, 1, 3, 7, 6, 0), s = row_of(TESS_F64, 3, (double[]){ 1, 1, 1 });
    tess_array       all = constant(TESS_C32, 1, 3, 7, 6, 0);
    CHECK_OK(tess_fft_frequencies(&f, shape, NULL));
    CHECK_OK(tess_fft_phase_shift(&all, NULL, shape, &s, NULL));
    for (int i = 1; i < 3 * 7 * 6; i++) { /* a cutoff of 0 is the default */
        const double cutoff = value_at(&f, 0, i / 42, i / 6 % 7, i % 6);
        CHECK_OK(tess_fft_phase_shift(&out, NULL, shape, &s, &(tess_fft_phase_shift_opts){ .cutoff = cutoff }));
        for (int k = 0; k < 3 * 7 * 6; k++) {
            const tess_c64 z = number_at(&out, k / 42, k / 6 % 7, k % 6), y = number_at(&all, k / 42, k / 6 % 7, k % 6);
            const bool     above = value_at(&f, 0, k / 42, k / 6 % 7, k % 6) > cutoff;
            CHECK(above ? z.re == 1 && z.im == 0 : z.re == y.re && z.im == y.im);
        }
    }
    tess_release(&f);
    tess_release(&out);
    tess_release(&all);
    tess_release(&s);
}

TEST(shifts_of_numbers_and_in_place)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 1, 6);
    tess_array       in = random_spectrum(TESS_C16, shape, TESS_FFT_H), out = { 0 };
    CHECK_OK(tess_fft_phase_shift(&out, &in, shape, &tess_f64(2.25), NULL));
    CHECK_OK(tess_fft_phase_shift(&in, &in, shape, &tess_num(2.25), NULL));
    CHECK(same_bytes(&in, &out));
    tess_release(&out);
    CHECK_OK(tess_fft_phase_shift(&out, &tess_c32(1, 2), TESS_SHAPE(1, 1, 1, 1), &tess_i32(3), NULL));
    CHECK(number_at(&out, 0, 0, 0).im == 2);
    tess_release(&out);
    tess_release(&in);
    tess_array none = { 0 };
    CHECK_OK(tess_empty(&none, TESS_SHAPE(1, 1, 0, 4), TESS_C32, tess_cpu()));
    CHECK_OK(tess_fft_phase_shift(&out, &none, TESS_SHAPE(1, 1, 0, 6), &tess_num(1), NULL));
    CHECK_DIMS(out.shape, 1, 1, 0, 4);
    tess_release(&none);
    tess_release(&out);
}

TEST(bad_phase_shifts)
{
    const tess_shape shape = TESS_SHAPE(2, 1, 4, 6);
    tess_array in = random_spectrum(TESS_C32, shape, TESS_FFT_H), out = { 0 }, real = constant(TESS_F32, 2, 1, 4, 4, 7);
    tess_array s = constant(TESS_F32, 2, 1, 1, 2, 1), z = constant(TESS_C32, 1, 1, 1, 2, 1);
    tess_array three = constant(TESS_F32, 3, 1, 1, 2, 1), one = constant(TESS_F32, 1, 1, 1, 1, 1), view = { 0 };
    tess_array four = constant(TESS_F32, 1, 1, 1, 4, 1), column = constant(TESS_F32, 1, 1, 2, 1, 1);
    tess_array volume = constant(TESS_C32, 1, 3, 4, 4, 1);
    CHECK_FAILS(tess_fft_phase_shift(NULL, &in, shape, &s, NULL), TESS_EARG, "fft_phase_shift: out is NULL");
    CHECK_FAILS(tess_fft_phase_shift(&out, &in, shape, NULL, NULL), TESS_EARG, "shifts is NULL");
    CHECK_FAILS(tess_fft_phase_shift(&out, NULL, shape, &s, NULL), TESS_EARG, "in is NULL and out is zeroed");
    CHECK_FAILS(tess_fft_phase_shift(&out, &real, shape, &s, NULL), TESS_EDTYPE, "in is f32", "complex");
    CHECK_FAILS(tess_fft_phase_shift(&real, NULL, shape, &s, NULL), TESS_EDTYPE, "out is f32", "complex");
    CHECK_FAILS(tess_fft_phase_shift(&real, &in, shape, &s, NULL), TESS_EDTYPE, "out has dtype f32");
    CHECK_FAILS(tess_fft_phase_shift(&out, &in, TESS_SHAPE(2, 1, 4, 8), &s, NULL), TESS_ESHAPE,
                "in has shape {2,1,4,4}", "(opts->layout is h) is {2,1,4,5}");
    CHECK_FAILS(tess_fft_phase_shift(&out, &in, shape, &z, NULL), TESS_EDTYPE, "shifts is c32", "real");
    CHECK_FAILS(tess_fft_phase_shift(&out, &in, shape, &three, NULL), TESS_ESHAPE, "shifts has shape {3,1,1,2}",
                "{1,1,1,m} or {2,1,1,m} is needed, with m from 2 to 3");
    CHECK_FAILS(tess_fft_phase_shift(&volume, NULL, TESS_SHAPE(1, 3, 4, 6), &s, NULL), TESS_ESHAPE,
                "shifts has shape {2,1,1,2}", "; {1,1,1,3} is needed");
    CHECK_FAILS(tess_fft_phase_shift(&out, &in, shape, &one, NULL), TESS_ESHAPE, "shifts has shape {1,1,1,1}");
    CHECK_FAILS(tess_fft_phase_shift(&out, &in, shape, &four, NULL), TESS_ESHAPE, "shifts has shape {1,1,1,4}");
    CHECK_FAILS(tess_fft_phase_shift(&out, &in, shape, &column, NULL), TESS_ESHAPE, "shifts has shape {1,1,2,1}");
    CHECK_FAILS(tess_fft_phase_shift(&out, &in, shape, &s, &(tess_fft_phase_shift_opts){ .layout = -1 }), TESS_EARG,
                "opts->layout is -1");
    CHECK_FAILS(tess_fft_phase_shift(&out, &in, shape, &s, &(tess_fft_phase_shift_opts){ .cutoff = -0.5 }), TESS_ERANGE,
                "opts->cutoff is -0.5", "0 to 1");
    CHECK_FAILS(tess_fft_phase_shift(&out, &in, shape, &s, &(tess_fft_phase_shift_opts){ .cutoff = (double)NAN }),
                TESS_ERANGE, "opts->cutoff");
    CHECK_OK(tess_real_view(&view, &in));
    CHECK_OK(tess_subregion_text(&view, &view, "0, 0, 0, :2"));
    CHECK_FAILS(tess_fft_phase_shift(&in, &in, shape, &view, NULL), TESS_EALIAS, "shifts");
    CHECK_OK(tess_reverse(&view, &in, TESS_W));
    CHECK_FAILS(tess_fft_phase_shift(&view, &in, shape, &s, NULL), TESS_EALIAS, "exactly the same view");
    CHECK(is_zeroed(&out) && all_are(&real, 7));
    tess_release(&in);
    tess_release(&real);
    tess_release(&s);
    tess_release(&z);
    tess_release(&three);
    tess_release(&one);
    tess_release(&four);
    tess_release(&column);
    tess_release(&volume);
}

/* ---- Spectra ---- */

TEST(what_is_shown_of_a_spectrum)
{
    tess_array in = constant(TESS_C32, 1, 1, 1, 3, 0), out = { 0 };
    CHECK_OK(tess_set_c64(&in, 0, 0, 0, 0, (tess_c64){ -2, 0 }));
    CHECK_OK(tess_set_c64(&in, 0, 0, 0, 1, (tess_c64){ 3, 4 }));
    CHECK_OK(tess_set_c64(&in, 0, 0, 0, 2, (tess_c64){ 0, 1 }));
    CHECK_OK(tess_fft_spectrum(&out, &in, TESS_SHAPE(1, 1, 1, 4), NULL));
    CHECK(out.dtype == TESS_F32 && row_is(&out, 4, (double[]){ 1, 25, 4, 25 }));
    CHECK_OK(tess_fft_spectrum(&out, &in, TESS_SHAPE(1, 1, 1, 4),
                               &(tess_fft_spectrum_opts){ .kind = TESS_FFT_SPECTRUM_AMPLITUDE }));
    CHECK(row_is(&out, 4, (double[]){ 1, 5, 2, 5 }));
    tess_release(&out);
    CHECK_OK(tess_fft_spectrum(&out, &in, TESS_SHAPE(1, 1, 1, 5),
                               &(tess_fft_spectrum_opts){ .kind = TESS_FFT_SPECTRUM_PHASE, .to = TESS_FFT_F }));
    const double right = (double)(float)1.5707963267948966, angle = (double)(float)0.9272952180016122;
    CHECK(row_is(&out, 5, (double[]){ (double)(float)3.141592653589793, angle, right, -right, -angle }));
    tess_release(&out);
    CHECK_OK(tess_fft_spectrum(&out, &in, TESS_SHAPE(1, 1, 1, 4),
                               &(tess_fft_spectrum_opts){ .kind = TESS_FFT_SPECTRUM_LOG, .to = TESS_FFT_H }));
    CHECK(fabs(value_at(&out, 0, 0, 0, 1) - log(6.0)) < 1e-6);
    tess_release(&out);
    tess_release(&in);
}

/* Numbers whose magnitudes f16 does not hold. */
TEST(logarithms_of_half_precision)
{
    tess_array in = constant(TESS_C16, 1, 1, 1, 2, 60000), out = constant(TESS_F16, 1, 1, 1, 2, 0), imag = { 0 };
    CHECK_OK(tess_imag_view(&imag, &in));
    CHECK_OK(tess_fill(&imag, 60000));
    CHECK_OK(tess_fft_spectrum(&out, &in, TESS_SHAPE(1, 1, 1, 2),
                               &(tess_fft_spectrum_opts){ .kind = TESS_FFT_SPECTRUM_LOG, .to = TESS_FFT_H }));
    CHECK(fabs(value_at(&out, 0, 0, 0, 0) - log(1 + 60000 * sqrt(2.0))) < 0.01);
    tess_release(&in);
    tess_release(&out);
}

TEST(bad_spectra)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 4, 6);
    tess_array in = random_spectrum(TESS_C32, shape, TESS_FFT_H), out = { 0 }, real = constant(TESS_F32, 1, 1, 4, 4, 7);
    tess_array same = random_spectrum(TESS_C32, shape, TESS_FFT_FC), ints = constant(TESS_I32, 1, 1, 4, 6, 7),
               view = { 0 };
    CHECK_FAILS(tess_fft_spectrum(NULL, &in, shape, NULL), TESS_EARG, "fft_spectrum: out is NULL");
    CHECK_FAILS(tess_fft_spectrum(&out, NULL, shape, NULL), TESS_EARG, "in is NULL");
    CHECK_FAILS(tess_fft_spectrum(&out, &real, shape, NULL), TESS_EDTYPE, "in is f32", "complex");
    CHECK_FAILS(tess_fft_spectrum(&real, &in, shape, NULL), TESS_ESHAPE, "out has shape {1,1,4,4}", "(opts->to is fc)");
    CHECK_FAILS(tess_fft_spectrum(&same, &in, shape, NULL), TESS_EDTYPE, "out is c32", "f32");
    CHECK_FAILS(tess_fft_spectrum(&ints, &in, shape, NULL), TESS_EDTYPE, "out is i32", "f32");
    CHECK_FAILS(tess_fft_spectrum(&out, &in, shape, &(tess_fft_spectrum_opts){ .kind = 9 }), TESS_EARG,
                "opts->kind is 9", "phase");
    CHECK_FAILS(tess_fft_spectrum(&out, &in, shape, &(tess_fft_spectrum_opts){ .from = 5 }), TESS_EARG,
                "opts->from is 5");
    CHECK_FAILS(tess_fft_spectrum(&out, &in, shape, &(tess_fft_spectrum_opts){ .to = 5 }), TESS_EARG, "opts->to is 5");
    CHECK_FAILS(tess_fft_spectrum(&out, &same, shape, NULL), TESS_ESHAPE, "in has shape {1,1,4,6}",
                "(opts->from is h) is {1,1,4,4}");
    CHECK_OK(tess_real_view(&view, &in));
    CHECK_FAILS(tess_fft_spectrum(&view, &in, shape, &(tess_fft_spectrum_opts){ .to = TESS_FFT_H }), TESS_EALIAS,
                "use other memory");
    CHECK(is_zeroed(&out) && all_are(&real, 7));
    tess_release(&in);
    tess_release(&real);
    tess_release(&same);
    tess_release(&ints);
}

/* Images for a volume: every function says so. */
TEST(batch_and_depth_swapped)
{
    const tess_shape shape = TESS_SHAPE(3, 1, 4, 6), other = TESS_SHAPE(1, 3, 4, 6);
    const char      *hint = "batch and depth are swapped";
    tess_array       in = random_spectrum(TESS_C32, shape, TESS_FFT_H), real = constant(TESS_F32, 1, 3, 4, 6, 7);
    tess_array       out = constant(TESS_C32, 1, 3, 4, 4, 7), wide = constant(TESS_C32, 1, 3, 4, 5, 7), none = { 0 };
    tess_array       full = random_spectrum(TESS_C32, shape, TESS_FFT_F), storage = constant(TESS_C32, 1, 3, 4, 6, 7);
    CHECK_FAILS(tess_fft_c2r(&real, &in, shape, NULL), TESS_ESHAPE, "fft_c2r: out has shape", hint);
    CHECK_FAILS(tess_fft_c2c(&storage, &full, TESS_FFT_FORWARD, NULL), TESS_ESHAPE, "fft_c2c: out has shape", hint);
    CHECK_FAILS(tess_fft_remap(&out, &in, shape, TESS_FFT_H, TESS_FFT_HC), TESS_ESHAPE, "fft_remap: out", hint);
    CHECK_FAILS(tess_fft_remap(&none, &in, other, TESS_FFT_H, TESS_FFT_HC), TESS_ESHAPE, "fft_remap: in", hint);
    CHECK_FAILS(tess_fft_resize(&wide, &in, shape, TESS_SHAPE(3, 1, 4, 8), NULL), TESS_ESHAPE, "fft_resize: out", hint);
    CHECK_FAILS(tess_fft_phase_shift(&out, &in, shape, &tess_num(1), NULL), TESS_ESHAPE, "fft_phase_shift: out", hint);
    CHECK_FAILS(tess_fft_spectrum(&real, &in, shape, NULL), TESS_ESHAPE, "fft_spectrum: out", hint);
    tess_release(&in);
    tess_release(&real);
    tess_release(&out);
    tess_release(&wide);
    tess_release(&full);
    tess_release(&storage);
}

/* ---- With transforms ---- */

/* The largest distance between elements of two arrays. */
static double distance(const tess_array *x, const tess_array *y)
{
    tess_array difference = { 0 }, size = { 0 };
    double     most = 0;
    CHECK_OK(tess_sub(&difference, x, y));
    CHECK_OK(tess_abs(&size, &difference));
    CHECK_OK(tess_host_max(&most, &size));
    tess_release(&difference);
    tess_release(&size);
    return most;
}

TEST(half_spectra_become_those_of_complex_transforms)
{
    for (int64_t n = 1; n < 7; n++) {
        const tess_shape shape = TESS_SHAPE(2, n, 7 - n, n + 3);
        tess_array       x = { 0 }, half = { 0 }, full = { 0 }, want = { 0 };
        CHECK_OK(tess_empty(&x, shape, TESS_F64, tess_cpu()));
        CHECK_OK(tess_random_normal(&x, 0, 1, test_random(), NULL));
        CHECK_OK(tess_fft_r2c(&half, &x, NULL));
        CHECK_OK(tess_fft_c2c(&want, &x, TESS_FFT_FORWARD, NULL));
        CHECK_OK(tess_fft_remap(&full, &half, shape, TESS_FFT_H, TESS_FFT_F));
        CHECK(distance(&full, &want) < 1e-12);
        tess_release(&x);
        tess_release(&half);
        tess_release(&full);
        tess_release(&want);
    }
}

/* Values of an image stay, under the norm of both transforms; with NONE they do not. */
TEST(resizing_keeps_values)
{
    for (int norm = TESS_FFT_NORM_BACKWARD; norm <= TESS_FFT_NORM_ORTHO; norm++)
        for (int64_t n = 3; n < 12; n++) {
            const tess_fft_opts        opts = { .norm = norm };
            const tess_fft_resize_opts resize = { .norm = norm, .correct_nyquist = 1 };
            const tess_shape           to = TESS_SHAPE(1, 1, n, 13 - n);
            tess_array                 x = constant(TESS_F64, 1, 1, 6, 7, 2.5), half = { 0 }, other = { 0 }, y = { 0 };
            tess_array                 want = constant(TESS_F64, 1, 1, n, 13 - n, 2.5);
            CHECK_OK(tess_fft_r2c(&half, &x, &opts));
            CHECK_OK(tess_fft_resize(&other, &half, x.shape, to, &resize));
            CHECK_OK(tess_fft_c2r(&y, &other, to, &opts));
            CHECK(distance(&y, &want) < 1e-13);
            tess_release(&x);
            tess_release(&half);
            tess_release(&other);
            tess_release(&y);
            tess_release(&want);
        }
}

/* Twice the size has the old values at every other index; also where all is at the highest frequency. */
TEST(padding_is_interpolation)
{
    for (int64_t n = 2; n < 10; n++) {
        const tess_shape shape = TESS_SHAPE(1, 1, n, n + 1), twice = TESS_SHAPE(1, 1, 2 * n, 2 * n + 2);
        tess_array       x = { 0 }, half = { 0 }, padded = { 0 }, y = { 0 }, view = { 0 };
        CHECK_OK(tess_empty(&x, shape, TESS_F64, tess_cpu()));
        CHECK_OK(tess_random_normal(&x, 0, 1, test_random(), NULL));
        CHECK_OK(tess_fft_r2c(&half, &x, NULL));
        CHECK_OK(tess_fft_resize(&padded, &half, shape, twice,
                                 &(tess_fft_resize_opts){ .norm = TESS_FFT_NORM_BACKWARD, .correct_nyquist = 1 }));
        CHECK_OK(tess_fft_c2r(&y, &padded, twice, NULL));
        CHECK_OK(tess_subregion_text(&view, &y, "..., ::2, ::2"));
        CHECK(distance(&view, &x) < 1e-13);
        tess_release(&x);
        tess_release(&half);
        tess_release(&padded);
        tess_release(&y);
    }
}

TEST(whole_pixels)
{
    const tess_shape shape = TESS_SHAPE(1, 3, 4, 5);
    tess_array       x = numbers(TESS_F64, 1, 3, 4, 5), half = { 0 }, y = { 0 };
    tess_array       shifts = row_of(TESS_I32, 3, (double[]){ 1, -1, 1002 });
    CHECK_OK(tess_fft_r2c(&half, &x, NULL));
    CHECK_OK(tess_fft_phase_shift(&half, &half, shape, &shifts, NULL));
    CHECK_OK(tess_fft_c2r(&y, &half, shape, NULL));
    for (int d = 0; d < 3; d++)
        for (int h = 0; h < 4; h++)
            for (int w = 0; w < 5; w++)
                CHECK(fabs(value_at(&y, 0, (d + 1) % 3, (h + 3) % 4, (w + 2) % 5) - value_at(&x, 0, d, h, w)) < 1e-12);
    tess_release(&x);
    tess_release(&half);
    tess_release(&y);
    tess_release(&shifts);
}

/* ---- Streams and memory ---- */

enum { REMAP, SHIFT, RESIZE, PHASE, CUT_PHASE, SPECTRUM, LOG, FREQUENCIES, ONE_FREQUENCY, IN_PLACE, FUNCTIONS };

/* One of the functions on half spectra {2,3,5,4} of {2,3,5,6}, and shifts {2,1,1,3}. */
static tess_status call(int function, tess_array *out, tess_array *in, const tess_array *shifts)
{
    const tess_shape                shape = TESS_SHAPE(2, 3, 5, 6);
    const tess_fft_resize_opts      resize = { .norm = TESS_FFT_NORM_BACKWARD, .correct_nyquist = 1 };
    const tess_fft_phase_shift_opts cut = { .cutoff = 0.3 };
    const tess_fft_spectrum_opts    logs = { .kind = TESS_FFT_SPECTRUM_LOG };
    const tess_fft_frequencies_opts one = { .axes = TESS_H };
    switch (function) {
    case REMAP: return tess_fft_remap(out, in, shape, TESS_FFT_H, TESS_FFT_FC);
    case SHIFT: return tess_fftshift(out, in, 0);
    case RESIZE: return tess_fft_resize(out, in, shape, TESS_SHAPE(2, 4, 4, 4), &resize);
    case PHASE: return tess_fft_phase_shift(out, in, shape, shifts, NULL);
    case CUT_PHASE: return tess_fft_phase_shift(out, in, shape, shifts, &cut);
    case SPECTRUM: return tess_fft_spectrum(out, in, shape, NULL);
    case LOG: return tess_fft_spectrum(out, in, shape, &logs);
    case FREQUENCIES: return tess_fft_frequencies(out, shape, NULL);
    case ONE_FREQUENCY: return tess_fft_frequencies(out, shape, &one);
    default: return tess_fft_remap(in, in, shape, TESS_FFT_H, TESS_FFT_HC);
    }
}

static const char *const names[FUNCTIONS] = {
    "fft_remap: ",    "fftshift: ",     "fft_resize: ",      "fft_phase_shift: ", "fft_phase_shift: ",
    "fft_spectrum: ", "fft_spectrum: ", "fft_frequencies: ", "fft_frequencies: ", "fft_remap: ",
};

static bool begins_with(const char *name) { return strncmp(tess_error_message(), name, strlen(name)) == 0; }

static tess_array shifts_of(void)
{
    tess_array s = { 0 };
    CHECK_OK(tess_linspace(&s, TESS_SHAPE(2, 1, 1, 3), TESS_F32, tess_cpu(), -3.7, 4.1, NULL));
    return s;
}

/* Work behind a gate, whose inputs are gone from here before it is opened, gives what work in the call gives. */
TEST(asynchronous_streams)
{
    tess_stream *stream = NULL;
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    for (int f = 0; f < FUNCTIONS; f++) {
        tess_array in = random_spectrum(TESS_C32, TESS_SHAPE(2, 3, 5, 6), TESS_FFT_H), again = { 0 }, out = { 0 };
        tess_array shifts = shifts_of(), want = { 0 }, kept = { 0 };
        gate       g;
        CHECK_OK(tess_copy(&again, &in));
        CHECK_OK(call(f, &want, &in, &shifts));
        if (f == IN_PLACE) kept = again;
        if (!gate_close(&g, stream)) return;
        CHECK_OK(tess_stream_set_current(stream));
        CHECK_OK(call(f, &out, &again, &shifts));
        tess_release(&shifts);
        if (f == IN_PLACE) CHECK_OK(tess_retain(&kept));
        tess_release(&again);
        CHECK_OK(tess_stream_set_current(NULL));
        gate_open(&g);
        CHECK_OK(tess_stream_sync(stream));
        CHECK(f == IN_PLACE ? same_bytes(&kept, &in) : same_bytes(&out, &want));
        tess_release(&in);
        tess_release(&out);
        tess_release(&want);
        tess_release(&kept);
    }
    tess_stream_free(stream);
}

static hooks h;

TEST(allocations_that_fail)
{
    tess_array   in = random_spectrum(TESS_C32, TESS_SHAPE(2, 3, 5, 6), TESS_FFT_H), out = { 0 }, shifts = shifts_of();
    tess_array   real = { 0 };
    tess_stream *stream = NULL;
    for (int f = 0; f < FUNCTIONS; f++) { /* what is made once is made now */
        CHECK_OK(call(f, &out, &in, &shifts));
        tess_release(&out);
    }
    hooks_on(&h);
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    for (int f = 0; f < FUNCTIONS; f++) {
        bool fired = true;
        int  n = 1;
        for (; fired && n < 100; n++) {
            atomic_store(&h.calls, 0);
            atomic_store(&h.fired, 0);
            atomic_store(&h.fail_at, n);
            const tess_status status = call(f, &out, &in, &shifts);
            atomic_store(&h.fail_at, 0);
            fired = atomic_load(&h.fired) > 0;
            if (fired) CHECK_FAILS(status, TESS_ENOMEM, "memory", "bytes");
            else CHECK_OK(status);
            if (fired) CHECK(begins_with(names[f]));
            if (fired) CHECK(is_zeroed(&out));
        }
        CHECK(n > 2 && n < 100);
        tess_release(&out);
    }
    atomic_store(&h.calls, 0);
    atomic_store(&h.fail_at, 1);
    CHECK_FAILS(tess_fft_empty(&real, &out, TESS_SHAPE(1, 1, 4, 4), TESS_F32, tess_cpu()), TESS_ENOMEM, "fft_empty");
    CHECK(is_zeroed(&out) && is_zeroed(&real));
    atomic_store(&h.fail_at, 0);
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(stream);
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    CHECK_I64(atomic_load(&h.wrong), 0);
    tess_release(&in);
    tess_release(&shifts);
}

/* The first call with a cutoff in this precision makes an operator, which stays. */
TEST(operators_that_cannot_be_made)
{
    static hooks                    first;
    const tess_shape                shape = TESS_SHAPE(1, 1, 1, 6);
    const tess_fft_phase_shift_opts opts = { .cutoff = 0.3 };
    tess_array                      in = random_spectrum(TESS_C16, shape, TESS_FFT_H), out = { 0 };
    hooks_on(&first);
    bool fired = true;
    for (long n = 1; fired && n < 1000; n++) {
        atomic_store(&first.calls, 0);
        atomic_store(&first.fired, 0);
        atomic_store(&first.fail_at, n);
        const tess_status status = tess_fft_phase_shift(&out, &in, shape, &tess_num(1), &opts);
        fired = atomic_load(&first.fired) > 0;
        if (!fired) CHECK_OK(status);
        else CHECK_FAILS(status, TESS_ENOMEM, "memory", "bytes");
        if (fired) CHECK(begins_with("fft_phase_shift: "));
    }
    atomic_store(&first.fail_at, 0);
    CHECK(!fired);
    hooks_off();
    tess_release(&in);
    tess_release(&out);
}

/* The same bits from any number of threads, for work that is large enough to be shared. */
TEST(threads)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 700, 601);
    tess_array in = random_spectrum(TESS_C32, shape, TESS_FFT_H), shifts = row_of(TESS_F64, 2, (double[]){ 0.3, 7.7 });
    tess_array first[3] = { { .data = NULL } };
    for (int threads = 1; threads < 4; threads++) {
        tess_array out[3] = { { .data = NULL } };
        CHECK_OK(tess_threads_set(threads));
        CHECK_OK(tess_fft_remap(&out[0], &in, shape, TESS_FFT_H, TESS_FFT_FC));
        CHECK_OK(tess_fft_phase_shift(&out[1], &in, shape, &shifts, NULL));
        CHECK_OK(tess_fft_resize(&out[2], &in, shape, TESS_SHAPE(1, 1, 640, 640),
                                 &(tess_fft_resize_opts){ .norm = TESS_FFT_NORM_ORTHO, .correct_nyquist = 1 }));
        for (int k = 0; k < 3; k++) {
            if (threads == 1) first[k] = out[k];
            else CHECK(same_bytes(&out[k], &first[k]));
            if (threads > 1) tess_release(&out[k]);
        }
    }
    CHECK_OK(tess_threads_set(0));
    for (int k = 0; k < 3; k++) tess_release(&first[k]);
    tess_release(&in);
    tess_release(&shifts);
}
