/* Fourier, cosine and sine transforms: examples, the output rule, in place, strides, what is rejected. */
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "support/layouts.h"

#define SQRT2 1.4142135623730951

/* Numbers without a pattern, from -0.5 to 0.5; complex ones too. What is broadcast is set once. */
static void fill_random(tess_array *a)
{
    tess_array parts = *a;
    if (tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX) {
        CHECK_OK(tess_real_view(&parts, a));
        fill_random(&parts);
        CHECK_OK(tess_imag_view(&parts, a));
    }
    for (int k = 0; k < 4; k++)
        if (parts.strides.dim[k] == 0) parts.shape.dim[k] = 1;
    for (int64_t b = 0; b < parts.shape.b; b++)
        for (int64_t d = 0; d < parts.shape.d; d++)
            for (int64_t h = 0; h < parts.shape.h; h++)
                for (int64_t w = 0; w < parts.shape.w; w++)
                    CHECK_OK(tess_set_f64(&parts, b, d, h, w, test_random_unit() - 0.5));
}

static tess_array randoms(tess_dtype dtype, int64_t b, int64_t d, int64_t h, int64_t w)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(b, d, h, w), dtype, tess_cpu()));
    fill_random(&a);
    return a;
}

static tess_c64 complex_at(const tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w)
{
    tess_c64 value = { 0, 0 };
    CHECK_OK(tess_get_c64(&value, a, b, d, h, w));
    return value;
}

static bool is_near(tess_c64 x, double re, double im, double slack)
{
    return fabs(x.re - re) <= slack && fabs(x.im - im) <= slack;
}

/* The largest difference of two arrays. */
static double difference(const tess_array *x, const tess_array *y)
{
    double most = 0;
    for (int64_t b = 0; b < x->shape.b; b++)
        for (int64_t d = 0; d < x->shape.d; d++)
            for (int64_t h = 0; h < x->shape.h; h++)
                for (int64_t w = 0; w < x->shape.w; w++) {
                    const tess_c64 p = complex_at(x, b, d, h, w), q = complex_at(y, b, d, h, w);
                    most = fmax(most, fmax(fabs(p.re - q.re), fabs(p.im - q.im)));
                }
    return most;
}

static bool same(const tess_array *x, const tess_array *y) { return tess_same_shape(x, y) && difference(x, y) == 0; }

/* ---- Examples ---- */

TEST(transforms_of_four_numbers)
{
    tess_array a = numbers(TESS_F32, 1, 1, 1, 4), half = { 0 }, full = { 0 }, back = { 0 };
    CHECK_OK(tess_fft_r2c(&half, &a, NULL));
    CHECK(half.dtype == TESS_C32 && tess_is_contiguous(&half, 'C'));
    CHECK_DIMS(half.shape, 1, 1, 1, 3);
    CHECK(is_near(complex_at(&half, 0, 0, 0, 0), 6, 0, 0));
    CHECK(is_near(complex_at(&half, 0, 0, 0, 1), -2, 2, 0));
    CHECK(is_near(complex_at(&half, 0, 0, 0, 2), -2, 0, 0));
    CHECK_OK(tess_fft_c2r(&back, &half, a.shape, NULL));
    CHECK(back.dtype == TESS_F32 && same_values(&a, &back));
    CHECK_OK(tess_fft_c2c(&full, &a, TESS_FFT_FORWARD, NULL));
    CHECK(full.dtype == TESS_C32 && is_near(complex_at(&full, 0, 0, 0, 3), -2, -2, 0));
    CHECK_OK(tess_fft_c2c(&full, &a, TESS_FFT_BACKWARD, &(tess_fft_opts){ .norm = TESS_FFT_NORM_NONE }));
    CHECK(is_near(complex_at(&full, 0, 0, 0, 1), -2, -2, 0));
    tess_release(&a);
    tess_release(&half);
    tess_release(&full);
    tess_release(&back);
}

TEST(norms)
{
    static const double forward[5] = { 1, 1, 1.0 / 48, 1, 1 }, backward[5] = { 1.0 / 48, 1.0 / 48, 1, 1, 1 };
    tess_array          a = constant(TESS_F64, 2, 1, 6, 8, 1), half = { 0 }, back = { 0 };
    for (int norm = 0; norm < 5; norm++) {
        const tess_fft_opts opts = { .norm = norm };
        const double        root = norm == TESS_FFT_NORM_ORTHO ? 1 / sqrt(48) : 1;
        CHECK_OK(tess_fft_r2c(&half, &a, &opts));
        CHECK(is_near(complex_at(&half, 1, 0, 0, 0), 48 * forward[norm] * root, 0, 1e-13));
        CHECK(is_near(complex_at(&half, 1, 0, 2, 1), 0, 0, 1e-13));
        CHECK_OK(tess_fft_c2r(&back, &half, a.shape, &opts));
        CHECK(fabs(value_at(&back, 1, 0, 3, 3) - 48 * forward[norm] * backward[norm] * root * root) < 1e-12);
    }
    tess_release(&a);
    tess_release(&half);
    tess_release(&back);
}

/* A point at (h, w) of an image has a spectrum of waves. */
TEST(the_rank_follows_the_shape)
{
    tess_array images = constant(TESS_F64, 2, 1, 4, 6, 0), volume = { 0 }, out = { 0 };
    CHECK_OK(tess_set_f64(&images, 1, 0, 1, 0, 1));
    CHECK_OK(tess_fft_r2c(&out, &images, NULL));
    CHECK(is_near(complex_at(&out, 0, 0, 1, 1), 0, 0, 0) && is_near(complex_at(&out, 1, 0, 1, 2), 0, -1, 1e-15));
    tess_release(&out);
    CHECK_OK(tess_permute(&volume, &images, 1, 0, 2, 3));
    CHECK_OK(tess_fft_r2c(&out, &volume, NULL)); /* along D too: the point is at d = 1 of 2 */
    CHECK(is_near(complex_at(&out, 0, 1, 1, 2), 0, 1, 1e-15));
    tess_release(&out);
    CHECK_OK(tess_fft_r2c(&out, &images, &(tess_fft_opts){ .axes = TESS_W }));
    CHECK(is_near(complex_at(&out, 1, 0, 1, 3), 1, 0, 1e-15) && is_near(complex_at(&out, 1, 0, 2, 3), 0, 0, 0));
    tess_release(&out);
    CHECK_OK(tess_fft_r2c(&out, &images, &(tess_fft_opts){ .axes = TESS_B | TESS_W }));
    CHECK(is_near(complex_at(&out, 1, 0, 1, 3), -1, 0, 1e-15));
    tess_release(&out);
    tess_release(&images);
}

TEST(columns_have_their_whole_spectrum)
{
    tess_array a = numbers(TESS_F64, 1, 1, 4, 1), out = { 0 }, back = { 0 };
    CHECK_OK(tess_fft_r2c(&out, &a, NULL));
    CHECK_DIMS(out.shape, 1, 1, 4, 1);
    CHECK(is_near(complex_at(&out, 0, 0, 1, 0), -2, 2, 1e-15) && is_near(complex_at(&out, 0, 0, 3, 0), -2, -2, 1e-15));
    CHECK_OK(tess_fft_c2r(&back, &out, a.shape, NULL));
    CHECK(difference(&a, &back) < 1e-15);
    tess_release(&a);
    tess_release(&out);
    tess_release(&back);
}

TEST(dtypes)
{
    static const tess_dtype reals[3] = { TESS_F16, TESS_F32, TESS_F64 },
                            complexes[3] = { TESS_C16, TESS_C32, TESS_C64 };
    static const double slack[3] = { 4e-3, 2e-6, 4e-15 };
    for (int i = 0; i < 3; i++) {
        tess_array a = randoms(reals[i], 2, 1, 5, 12), half = { 0 }, full = { 0 }, back = { 0 }, cosine = { 0 };
        CHECK_OK(tess_fft_r2c(&half, &a, NULL));
        CHECK_OK(tess_fft_c2r(&back, &half, a.shape, NULL));
        CHECK(half.dtype == complexes[i] && back.dtype == reals[i] && difference(&a, &back) < slack[i]);
        CHECK_OK(tess_fft_c2c(&full, &a, TESS_FFT_FORWARD, NULL));
        CHECK(full.dtype == complexes[i]);
        CHECK_OK(tess_fft_c2c(&full, &full, TESS_FFT_BACKWARD, NULL));
        CHECK(difference(&a, &full) < slack[i]);
        CHECK_OK(tess_fft_r2r(&cosine, &a, TESS_FFT_DCT2, TESS_FFT_FORWARD, NULL));
        CHECK_OK(tess_fft_r2r(&cosine, &cosine, TESS_FFT_DCT2, TESS_FFT_BACKWARD, NULL));
        CHECK(cosine.dtype == reals[i] && difference(&a, &cosine) < 2 * slack[i]);
        tess_release(&a);
        tess_release(&half);
        tess_release(&full);
        tess_release(&back);
        tess_release(&cosine);
    }
}

/* ---- Cosine and sine transforms ---- */

TEST(cosine_and_sine_transforms_of_two_numbers)
{
    static const double want[8][2] = { { 5, -3 },
                                       { 10, -3 * SQRT2 },
                                       { 1 + 4 * SQRT2, 1 - 4 * SQRT2 },
                                       { 0, 0 },
                                       { 5 * 1.7320508075688772, -3 * 1.7320508075688772 },
                                       { 5 * SQRT2, -6 },
                                       { 4 + SQRT2, -4 + SQRT2 },
                                       { 0, 0 } };
    tess_array          a = { 0 }, out = { 0 };
    CHECK_OK(tess_arange(&a, TESS_SHAPE(1, 1, 1, 2), TESS_F64, tess_cpu(), 1, 3));
    for (int kind = 1; kind <= 8; kind++) {
        CHECK_OK(tess_fft_r2r(&out, &a, (tess_fft_r2r_kind)kind, TESS_FFT_FORWARD, NULL));
        if (kind % 4 != 0) {
            CHECK(fabs(value_at(&out, 0, 0, 0, 0) - want[kind - 1][0]) < 1e-14);
            CHECK(fabs(value_at(&out, 0, 0, 0, 1) - want[kind - 1][1]) < 1e-14);
        }
        CHECK_OK(tess_fft_r2r(&out, &out, (tess_fft_r2r_kind)kind, TESS_FFT_BACKWARD, NULL));
        CHECK(difference(&a, &out) < 1e-14);
    }
    tess_release(&a);
    tess_release(&out);
}

TEST(ortho_keeps_lengths)
{
    tess_array a = randoms(TESS_F64, 1, 3, 4, 5), out = { 0 };
    double     before = 0, after = 0;
    CHECK_OK(tess_host_norm(&before, &a, NULL));
    for (int kind = 1; kind <= 8; kind++)
        for (int sign = -1; sign <= 1; sign += 2) {
            CHECK_OK(tess_fft_r2r(&out, &a, (tess_fft_r2r_kind)kind, (tess_fft_sign)sign,
                                  &(tess_fft_opts){ .norm = TESS_FFT_NORM_ORTHO }));
            CHECK_OK(tess_host_norm(&after, &out, NULL));
            CHECK(fabs(before - after) < 1e-14);
        }
    tess_release(&a);
    tess_release(&out);
}

/* An axis of size 1 is a factor, if it is named. */
TEST(axes_of_one_element)
{
    static const double     factors[9] = { 0, 0, 2, 1, SQRT2, 2, 2, 1, SQRT2 };
    tess_array              a = constant(TESS_F64, 1, 1, 1, 1, 3), out = { 0 };
    const tess_fft_opts     w = { .axes = TESS_W }, ortho = { .axes = TESS_W, .norm = TESS_FFT_NORM_ORTHO };
    const tess_fft_opts     all = { .axes = TESS_ALL_AXES };
    const tess_fft_r2r_kind first = TESS_FFT_DCT1;
    for (int kind = 2; kind <= 8; kind++) {
        CHECK_OK(tess_fft_r2r(&out, &a, (tess_fft_r2r_kind)kind, TESS_FFT_FORWARD, NULL));
        CHECK(value_at(&out, 0, 0, 0, 0) == 3);
        CHECK_OK(tess_fft_r2r(&out, &a, (tess_fft_r2r_kind)kind, TESS_FFT_FORWARD, &w));
        CHECK(fabs(value_at(&out, 0, 0, 0, 0) - 3 * factors[kind]) < 1e-15);
        CHECK_OK(tess_fft_r2r(&out, &out, (tess_fft_r2r_kind)kind, TESS_FFT_BACKWARD, &w));
        CHECK(fabs(value_at(&out, 0, 0, 0, 0) - 3) < 1e-15);
        CHECK_OK(tess_fft_r2r(&out, &a, (tess_fft_r2r_kind)kind, TESS_FFT_FORWARD, &ortho));
        CHECK(value_at(&out, 0, 0, 0, 0) == 3);
        CHECK_OK(tess_fft_r2r(&out, &a, (tess_fft_r2r_kind)kind, TESS_FFT_BACKWARD, &all));
    }
    CHECK_OK(tess_fft_r2r(&out, &a, first, TESS_FFT_FORWARD, NULL));
    CHECK_FAILS(tess_fft_r2r(&out, &a, first, TESS_FFT_FORWARD, &w), TESS_ESHAPE, "fft_r2r", "{1,1,1,1}", "axis 3",
                "at least 2");
    tess_release(&a);
    tess_release(&out);
}

TEST(one_element)
{
    tess_array a = constant(TESS_F32, 1, 1, 1, 1, 5), half = { 0 }, full = { 0 }, back = { 0 };
    CHECK_OK(tess_fft_r2c(&half, &a, NULL));
    CHECK_DIMS(half.shape, 1, 1, 1, 1);
    CHECK(is_near(complex_at(&half, 0, 0, 0, 0), 5, 0, 0));
    CHECK_OK(tess_fft_c2c(&full, &half, TESS_FFT_BACKWARD, NULL));
    CHECK(is_near(complex_at(&full, 0, 0, 0, 0), 5, 0, 0));
    CHECK_OK(tess_fft_c2r(&back, &full, a.shape, NULL));
    CHECK(value_at(&back, 0, 0, 0, 0) == 5);
    tess_release(&full);
    CHECK_OK(tess_fft_c2c(&full, &tess_f32(2), TESS_FFT_FORWARD, NULL)); /* a number of the caller's */
    CHECK(is_near(complex_at(&full, 0, 0, 0, 0), 2, 0, 0));
    tess_release(&a);
    tess_release(&half);
    tess_release(&full);
    tess_release(&back);
}

/* ---- The output rule, strides, in place ---- */

TEST(empty_arrays)
{
    static const int64_t shapes[4][4] = { { 0, 1, 3, 4 }, { 2, 0, 3, 4 }, { 2, 1, 0, 4 }, { 2, 1, 3, 0 } };
    for (int i = 0; i < 4; i++) {
        const int64_t   *n = shapes[i];
        const tess_shape shape = TESS_SHAPE(n[0], n[1], n[2], n[3]);
        tess_array       a = { 0 }, half = { 0 }, full = { 0 }, back = { 0 }, cosine = { 0 };
        CHECK_OK(tess_empty(&a, shape, TESS_F32, tess_cpu()));
        CHECK_OK(tess_fft_r2c(&half, &a, NULL));
        CHECK_DIMS(half.shape, n[0], n[1], n[2], n[3] ? n[3] / 2 + 1 : 0);
        CHECK_OK(tess_fft_r2c(&half, &a, NULL));
        CHECK_OK(tess_fft_c2r(&back, &half, shape, NULL));
        CHECK_DIMS(back.shape, n[0], n[1], n[2], n[3]);
        CHECK_OK(tess_fft_c2c(&full, &a, TESS_FFT_FORWARD, NULL));
        CHECK_DIMS(full.shape, n[0], n[1], n[2], n[3]);
        CHECK_OK(tess_fft_r2r(&cosine, &a, TESS_FFT_DCT1, TESS_FFT_FORWARD, NULL));
        CHECK_DIMS(cosine.shape, n[0], n[1], n[2], n[3]);
        tess_release(&a);
        tess_release(&half);
        tess_release(&full);
        tess_release(&back);
        tess_release(&cosine);
    }
}

typedef tess_status transform_fn(tess_array *out, const tess_array *in, tess_shape shape);

static tess_status r2c(tess_array *out, const tess_array *in, tess_shape shape)
{
    (void)shape;
    return tess_fft_r2c(out, in, NULL);
}
static tess_status c2r(tess_array *out, const tess_array *in, tess_shape shape)
{
    return tess_fft_c2r(out, in, shape, NULL);
}
static tess_status c2c(tess_array *out, const tess_array *in, tess_shape shape)
{
    (void)shape;
    return tess_fft_c2c(out, in, TESS_FFT_FORWARD, NULL);
}
static tess_status r2r(tess_array *out, const tess_array *in, tess_shape shape)
{
    (void)shape;
    return tess_fft_r2r(out, in, TESS_FFT_DST3, TESS_FFT_FORWARD, &(tess_fft_opts){ .norm = TESS_FFT_NORM_ORTHO });
}

static const struct {
    const char   *name;
    transform_fn *run;
    tess_dtype    in, out; /* in f32 */
    bool          half_in, half_out;
} transforms[] = { { "fft_r2c", r2c, TESS_F32, TESS_C32, false, true },
                   { "fft_c2r", c2r, TESS_C32, TESS_F32, true, false },
                   { "fft_c2c", c2c, TESS_C32, TESS_C32, false, false },
                   { "fft_r2r", r2r, TESS_F32, TESS_F32, false, false } };
enum { TRANSFORMS = 4 };

static tess_shape half_of(tess_shape shape, bool half)
{
    return half ? TESS_SHAPE(shape.b, shape.d, shape.h, shape.w / 2 + 1) : shape;
}

/* Each transform from every layout to every other gives the bits of contiguous arrays, and writes nowhere else. */
TEST(any_strides)
{
    const tess_shape shape = TESS_SHAPE(2, 3, 10, 14);
    for (int t = 0; t < TRANSFORMS; t++)
        for (int from = 0; from < n_layouts; from++)
            for (int to = 0; to < n_output_layouts; to++) {
                guarded    in, out;
                tess_array plain = { 0 }, want = { 0 };
                guarded_make(&in, (layout)from, half_of(shape, transforms[t].half_in), transforms[t].in);
                guarded_make(&out, (layout)to, half_of(shape, transforms[t].half_out), transforms[t].out);
                fill_random(&in.view);
                guarded_snapshot(&in);
                CHECK_OK(tess_copy(&plain, &in.view));
                CHECK_OK(transforms[t].run(&want, &plain, shape));
                CHECK_OK(transforms[t].run(&out.view, &in.view, shape));
                if (!same(&want, &out.view))
                    (void)test_failed(__FILE__, __LINE__, "%s from %s to %s", transforms[t].name, layout_names[from],
                                      layout_names[to]);
                CHECK(guarded_check(&out, transforms[t].name));
                CHECK(memcmp(in.block, in.before, in.size) == 0);
                guarded_free(&in);
                guarded_free(&out);
                tess_release(&plain);
                tess_release(&want);
            }
}

TEST(any_number_of_threads)
{
    static const int64_t shapes[4][4] = {
        { 3, 1, 150, 200 }, { 1, 24, 30, 50 }, { 1, 1, 1, 30030 }, { 40, 1, 1, 509 }
    };
    for (int i = 0; i < 4; i++) {
        const tess_shape shape = TESS_SHAPE(shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]);
        for (int t = 0; t < TRANSFORMS; t++) {
            const tess_shape n = half_of(shape, transforms[t].half_in);
            tess_array       a = randoms(transforms[t].in, n.b, n.d, n.h, n.w), one = { 0 }, many = { 0 };
            CHECK_OK(tess_threads_set(1));
            CHECK_OK(transforms[t].run(&one, &a, shape));
            for (int threads = 2; threads <= 5; threads += 3) {
                CHECK_OK(tess_threads_set(threads));
                CHECK_OK(transforms[t].run(&many, &a, shape));
                CHECK(memcmp(one.data, many.data, (size_t)tess_n_bytes(&one)) == 0);
            }
            CHECK_OK(tess_threads_set(0));
            tess_release(&a);
            tess_release(&one);
            tess_release(&many);
        }
    }
}

/* A real view of the rows of a half spectrum, `spare` complex numbers longer than they need to be. */
static void make_pair(tess_array *real, tess_array *spectrum, tess_shape shape, int64_t spare)
{
    const tess_shape   half = half_of(shape, true);
    tess_array         storage = { 0 };
    const int64_t      row = 2 * (half.w + spare);
    const tess_strides strides = TESS_STRIDES(row * shape.h * shape.d, row * shape.h, row, 1);
    CHECK_OK(tess_empty(&storage, TESS_SHAPE(half.b, half.d, half.h, half.w + spare), TESS_C32, tess_cpu()));
    CHECK_OK(tess_wrap(real, storage.data, shape, TESS_F32, &(tess_wrap_opts){ .strides = &strides }));
    *spectrum = storage;
    spectrum->shape.w = half.w;
}

TEST(in_place)
{
    static const int64_t widths[4] = { 1, 2, 9, 12 };
    for (int i = 0; i < 4; i++)
        for (int spare = 0; spare < 2; spare++) {
            const tess_shape shape = TESS_SHAPE(2, 3, 4, widths[i]);
            tess_array       real = { 0 }, spectrum = { 0 }, a = { 0 }, want = { 0 }, back = { 0 }, cosine = { 0 };
            make_pair(&real, &spectrum, shape, spare);
            fill_random(&real);
            CHECK_OK(tess_copy(&a, &real));
            CHECK_OK(tess_fft_r2c(&want, &a, NULL));
            CHECK_OK(tess_fft_r2c(&spectrum, &real, NULL));
            CHECK(same(&want, &spectrum));
            CHECK_OK(tess_fft_c2r(&back, &want, shape, NULL));
            CHECK_OK(tess_fft_c2r(&real, &spectrum, shape, NULL));
            CHECK(same(&back, &real));
            tess_release(&back);
            CHECK_OK(tess_fft_c2c(&back, &want, TESS_FFT_FORWARD, NULL));
            CHECK_OK(tess_fft_c2c(&want, &want, TESS_FFT_FORWARD, NULL));
            CHECK(same(&back, &want));
            CHECK_OK(r2r(&cosine, &a, shape));
            CHECK_OK(r2r(&a, &a, shape));
            CHECK(same(&cosine, &a));
            tess_release(&a);
            tess_release(&want);
            tess_release(&back);
            tess_release(&cosine);
            tess_release(&spectrum);
        }
}

TEST(other_overlaps_are_refused)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 6, 8);
    tess_array real = { 0 }, spectrum = { 0 }, tight = { 0 }, a = randoms(TESS_C32, 1, 1, 8, 8), v = { 0 }, w = { 0 };
    make_pair(&real, &spectrum, shape, 0);
    CHECK_OK(tess_wrap(&tight, spectrum.data, shape, TESS_F32, NULL));
    CHECK_FAILS(tess_fft_r2c(&spectrum, &tight, NULL), TESS_EALIAS, "fft_r2c", "{1,1,6,8}",
                "stride 8 along axis 2 (height)", "must be 10", "tess_fft_empty");
    CHECK_FAILS(tess_fft_c2r(&tight, &spectrum, shape, NULL), TESS_EALIAS, "fft_c2r", "stride 8 along axis 2 (height)",
                "must be 10");
    real.data = (float *)real.data + 2;
    real.shape.w = 6;
    spectrum.shape.w = 4;
    CHECK_FAILS(tess_fft_r2c(&spectrum, &real, NULL), TESS_EALIAS, "fft_r2c", "shares memory");
    CHECK_OK(tess_subregion_text(&v, &a, "..., :7, :"));
    CHECK_OK(tess_subregion_text(&w, &a, "..., 1:, :"));
    CHECK_FAILS(tess_fft_c2c(&v, &w, TESS_FFT_FORWARD, NULL), TESS_EALIAS, "fft_c2c", "exactly the same view");
    CHECK_OK(tess_real_view(&v, &a));
    CHECK_FAILS(tess_fft_c2c(&a, &v, TESS_FFT_FORWARD, NULL), TESS_EALIAS, "fft_c2c", "use other memory");
    CHECK_OK(tess_reverse(&w, &v, TESS_W));
    CHECK_FAILS(tess_fft_r2r(&v, &w, TESS_FFT_DCT2, TESS_FFT_FORWARD, NULL), TESS_EALIAS, "fft_r2r");
    tess_release(&spectrum);
    tess_release(&a);
}

/* Messages name the axis that is in the way. */
TEST(strides_that_are_not_in_place)
{
    static const struct {
        int64_t     strides[4];
        const char *fault, *need;
    } rows[] = { { { 58, 58, 10, 1 }, "stride 58 along axis 0 (batch)", "must be 120" },
                 { { 120, 58, 10, 1 }, "stride 58 along axis 1 (depth)", "must be 60" },
                 { { 120, 60, 8, 1 }, "stride 8 along axis 2 (height)", "must be 10" },
                 { { 120, 60, 1, 6 }, "stride 6 along axis 3 (width)", "must be 1:" } };
    for (int i = 0; i < 4; i++) {
        const tess_shape   shape = TESS_SHAPE(2, i ? 2 : 1, 6, 8);
        const int64_t     *n = rows[i].strides;
        const tess_strides strides = TESS_STRIDES(n[0], n[1], n[2], n[3]);
        tess_array         spectrum = randoms(TESS_C32, 2, 2, 6, 5), real = { 0 };
        CHECK_OK(tess_wrap(&real, spectrum.data, shape, TESS_F32, &(tess_wrap_opts){ .strides = &strides }));
        spectrum.shape.d = shape.d;
        CHECK_FAILS(tess_fft_r2c(&spectrum, &real, NULL), TESS_EALIAS, "fft_r2c", rows[i].fault, rows[i].need);
        CHECK_FAILS(tess_fft_c2r(&real, &spectrum, shape, NULL), TESS_EALIAS, "fft_c2r", rows[i].fault, rows[i].need);
        tess_release(&spectrum);
    }
}

TEST(c2r_keeps_its_input)
{
    const tess_shape shape = TESS_SHAPE(2, 5, 6, 7);
    tess_array       a = randoms(TESS_C64, 2, 5, 6, 4), before = { 0 }, out = { 0 }, other = { 0 }, once = { 0 };
    CHECK_OK(tess_copy(&before, &a));
    CHECK_OK(tess_fft_c2r(&out, &a, shape, NULL));
    CHECK(memcmp(a.data, before.data, (size_t)tess_n_bytes(&a)) == 0);
    CHECK_OK(tess_fft_c2r(&other, &a, shape, &(tess_fft_opts){ .overwrite = 1 }));
    CHECK(same(&out, &other));
    before.flags |= TESS_READ_ONLY;
    CHECK_OK(tess_copy(&once, &before));
    CHECK_OK(tess_fft_c2r(&other, &before, shape, &(tess_fft_opts){ .overwrite = 1 })); /* it may, but must not */
    CHECK(same(&out, &other) && memcmp(once.data, before.data, (size_t)tess_n_bytes(&a)) == 0);
    tess_release(&a);
    tess_release(&before);
    tess_release(&out);
    tess_release(&other);
    tess_release(&once);
}

TEST(asynchronous_streams_keep_what_they_need)
{
    tess_stream *stream = NULL;
    tess_array   a = randoms(TESS_F32, 4, 1, 60, 64), half = { 0 }, back = { 0 }, cosine = { 0 }, want = { 0 };
    tess_array   narrow = { 0 }, full = { 0 };
    CHECK_OK(tess_copy(&want, &a));
    CHECK_OK(tess_cast(&narrow, &a, TESS_F16, NULL));
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_fft_r2c(&half, &a, NULL));
    CHECK_OK(tess_fft_c2r(&back, &half, a.shape, NULL));
    CHECK_OK(tess_fft_r2r(&cosine, &a, TESS_FFT_DCT4, TESS_FFT_FORWARD, NULL));
    CHECK_OK(tess_fft_r2r(&cosine, &cosine, TESS_FFT_DCT4, TESS_FFT_BACKWARD, NULL));
    CHECK_OK(tess_fft_c2c(&full, &narrow, TESS_FFT_FORWARD, NULL));
    CHECK_FAILS(tess_fft_c2r(&back, &half, TESS_SHAPE(4, 1, 60, 65), NULL), TESS_ESHAPE, "out has shape");
    tess_release(&a);
    tess_release(&half);
    tess_release(&narrow);
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(difference(&want, &back) < 1e-5 && difference(&want, &cosine) < 1e-5);
    tess_release(&want);
    tess_release(&back);
    tess_release(&cosine);
    tess_release(&full);
    tess_stream_free(stream);
}

/* ---- What is rejected ---- */

TEST(bad_arguments)
{
    tess_array a = numbers(TESS_F32, 2, 1, 6, 8), c = randoms(TESS_C32, 2, 1, 6, 5), out = { 0 };
    for (int t = 0; t < TRANSFORMS; t++) {
        const char *name = transforms[t].name;
        CHECK_FAILS(transforms[t].run(NULL, transforms[t].half_in ? &c : &a, a.shape), TESS_EARG, name, "out is NULL");
        CHECK_FAILS(transforms[t].run(&out, NULL, a.shape), TESS_EARG, name, "in is NULL");
        CHECK_FAILS(transforms[t].run(&out, &out, a.shape), TESS_EARG, name, "zeroed");
    }
    CHECK_FAILS(tess_fft_r2c(&out, &a, &(tess_fft_opts){ .norm = 5 }), TESS_EARG, "fft_r2c", "opts->norm is 5",
                "backward", "none");
    CHECK_FAILS(tess_fft_r2c(&out, &a, &(tess_fft_opts){ .axes = 3 }), TESS_ERANGE, "fft_r2c", "opts->axes is 0x3",
                "TESS_W");
    CHECK_FAILS(tess_fft_c2c(&out, &a, TESS_FFT_FORWARD, &(tess_fft_opts){ .axes = -1 }), TESS_ERANGE, "opts->axes");
    CHECK_FAILS(tess_fft_r2r(&out, &a, TESS_FFT_DCT2, TESS_FFT_FORWARD, &(tess_fft_opts){ .axes = 0x100 }), TESS_ERANGE,
                "fft_r2r", "opts->axes is 0x100");
    CHECK_FAILS(tess_fft_r2c(&out, &a, &(tess_fft_opts){ .axes = TESS_H }), TESS_EARG, "fft_r2c", "0x40", "width");
    CHECK_FAILS(tess_fft_c2r(&out, &c, a.shape, &(tess_fft_opts){ .axes = TESS_D | TESS_H }), TESS_EARG, "fft_c2r",
                "0x60", "width");
    CHECK_FAILS(tess_fft_c2r(&out, &c, a.shape, &(tess_fft_opts){ .overwrite = 2 }), TESS_ERANGE, "opts->overwrite");
    CHECK_FAILS(tess_fft_r2c(&out, &a, &(tess_fft_opts){ .reserved = { 0, 0, 0, 0, 1 } }), TESS_EARG, "reserved");
    CHECK_FAILS(tess_fft_c2c(&out, &a, (tess_fft_sign)0, NULL), TESS_EARG, "fft_c2c", "sign is 0", "FORWARD (-1)",
                "BACKWARD (1)");
    CHECK_FAILS(tess_fft_r2r(&out, &a, TESS_FFT_DCT2, (tess_fft_sign)2, NULL), TESS_EARG, "fft_r2r", "sign is 2");
    CHECK_FAILS(tess_fft_r2r(&out, &a, (tess_fft_r2r_kind)0, TESS_FFT_FORWARD, NULL), TESS_EARG, "kind is 0", "8");
    CHECK_FAILS(tess_fft_r2r(&out, &a, (tess_fft_r2r_kind)9, TESS_FFT_FORWARD, NULL), TESS_EARG, "kind is 9");
    CHECK(is_zeroed(&out));
    tess_release(&a);
    tess_release(&c);
}

TEST(bad_dtypes)
{
    tess_array i = numbers(TESS_I32, 2, 1, 6, 5), c = randoms(TESS_C32, 2, 1, 6, 5), f = numbers(TESS_F32, 2, 1, 6, 5);
    tess_array m = constant(TESS_MAT33_F32, 1, 1, 2, 2, 1), out = { 0 }, wide = constant(TESS_C64, 2, 1, 6, 3, 0);
    CHECK_FAILS(tess_fft_r2c(&out, &i, NULL), TESS_EDTYPE, "fft_r2c", "in is i32", "f16, f32 or f64", "tess_cast");
    CHECK_FAILS(tess_fft_r2c(&out, &c, NULL), TESS_EDTYPE, "fft_r2c", "in is c32", "tess_fft_c2c");
    CHECK_FAILS(tess_fft_c2r(&out, &f, TESS_SHAPE(2, 1, 6, 8), NULL), TESS_EDTYPE, "fft_c2r", "in is f32",
                "c16, c32 or c64");
    CHECK_FAILS(tess_fft_c2c(&out, &i, TESS_FFT_FORWARD, NULL), TESS_EDTYPE, "fft_c2c", "in is i32", "c16, c32 or c64",
                "f16, f32 or f64");
    CHECK_FAILS(tess_fft_c2c(&out, &m, TESS_FFT_FORWARD, NULL), TESS_EDTYPE, "fft_c2c", "in is mat33_f32");
    CHECK_FAILS(tess_fft_r2r(&out, &c, TESS_FFT_DCT2, TESS_FFT_FORWARD, NULL), TESS_EDTYPE, "fft_r2r", "in is c32",
                "f16, f32 or f64");
    CHECK_FAILS(tess_fft_r2c(&wide, &f, NULL), TESS_EDTYPE, "fft_r2c", "out has dtype c64", "c32");
    CHECK_FAILS(tess_fft_c2c(&f, &c, TESS_FFT_FORWARD, NULL), TESS_EDTYPE, "fft_c2c", "out has dtype f32", "c32");
    CHECK(is_zeroed(&out));
    tess_release(&i);
    tess_release(&c);
    tess_release(&f);
    tess_release(&m);
    tess_release(&wide);
}

TEST(bad_shapes)
{
    tess_array a = numbers(TESS_F32, 2, 1, 6, 8), half = randoms(TESS_C32, 2, 1, 6, 5),
               full = randoms(TESS_C32, 2, 1, 6, 8);
    tess_array out = { 0 };
    CHECK_FAILS(tess_fft_r2c(&full, &a, NULL), TESS_ESHAPE, "fft_r2c", "out has shape {2,1,6,8}",
                "half spectrum of a real array of {2,1,6,8} has {2,1,6,5}");
    CHECK_FAILS(tess_fft_c2r(&out, &full, a.shape, NULL), TESS_ESHAPE, "fft_c2r", "in has shape {2,1,6,8}",
                "{2,1,6,8} has {2,1,6,5}");
    CHECK_FAILS(tess_fft_c2r(&out, &half, TESS_SHAPE(1, 2, 6, 8), NULL), TESS_ESHAPE, "fft_c2r",
                "batch and depth are swapped");
    CHECK_FAILS(tess_fft_c2r(&out, &half, TESS_SHAPE(2, 1, 6, 10), NULL), TESS_ESHAPE, "{2,1,6,6}");
    CHECK_OK(tess_fft_c2r(&out, &half, TESS_SHAPE(2, 1, 6, 9), NULL));
    CHECK_FAILS(tess_fft_c2r(&out, &half, TESS_SHAPE(2, 1, 6, 8), NULL), TESS_ESHAPE, "fft_c2r",
                "out has shape {2,1,6,9}", "{2,1,6,8}");
    CHECK_FAILS(tess_fft_c2r(&out, &half, TESS_SHAPE(2, 1, -6, 8), NULL), TESS_ESHAPE, "fft_c2r",
                "shape is {2,1,-6,8}");
    CHECK_FAILS(tess_fft_c2c(&half, &full, TESS_FFT_FORWARD, NULL), TESS_ESHAPE, "fft_c2c", "out has shape {2,1,6,5}",
                "{2,1,6,8}");
    CHECK_FAILS(tess_fft_r2r(&out, &a, TESS_FFT_DST1, TESS_FFT_FORWARD, NULL), TESS_ESHAPE, "fft_r2r", "{2,1,6,9}");
    tess_release(&a);
    tess_release(&half);
    tess_release(&full);
    tess_release(&out);
}

TEST(outputs_that_cannot_be_written)
{
    tess_array a = numbers(TESS_F32, 2, 1, 6, 8), half = randoms(TESS_C32, 2, 1, 6, 5),
               row = randoms(TESS_C32, 1, 1, 6, 5);
    tess_array wide = { 0 }, far = on_gpu(half), locked = read_only(half);
    CHECK_OK(tess_broadcast(&wide, &row, half.shape));
    CHECK_FAILS(tess_fft_r2c(&wide, &a, NULL), TESS_EWRITE, "fft_r2c", "out");
    CHECK_FAILS(tess_fft_r2c(&locked, &a, NULL), TESS_EWRITE, "fft_r2c", "out");
    CHECK_FAILS(tess_fft_r2c(&far, &a, NULL), TESS_EDEVICE, "fft_r2c", "gpu");
    tess_release(&a);
    tess_release(&half);
    tess_release(&row);
}

/* ---- Memory ---- */

static hooks h;

/* With allocation 1, 2, 3 … failing: an error that says so, and an output that is as it was. */
static void torture(int t, tess_dtype in, bool async)
{
    const tess_shape shape = TESS_SHAPE(2, 1, 30, 34), n = half_of(shape, transforms[t].half_in);
    const char      *name = async ? "" : transforms[t].name; /* what fails in a queue has the name of the work */
    tess_stream     *stream = NULL;
    tess_array       a = randoms(in, n.b, n.d, n.h, n.w);
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = async }));
    CHECK_OK(tess_stream_set_current(stream));
    tess_fft_cache_clear();
    hooks_on(&h);
    for (long at = 1; at < 1000; at++) {
        tess_array out = { 0 };
        atomic_store(&h.calls, 0);
        atomic_store(&h.fired, 0);
        atomic_store(&h.fail_at, at);
        tess_status       status = transforms[t].run(&out, &a, shape);
        const tess_status end = tess_stream_sync(stream);
        if (status == TESS_OK) status = end;
        else CHECK(is_zeroed(&out));
        atomic_store(&h.fail_at, 0);
        tess_release(&out);
        tess_fft_cache_clear();
        if (atomic_load(&h.fired) == 0) break;
        if (status != TESS_OK) CHECK_FAILS(status, TESS_ENOMEM, "memory", name); /* a cache may do without */
    }
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(stream);
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    CHECK_I64(atomic_load(&h.wrong), 0);
    tess_release(&a);
}

TEST(allocations_that_fail)
{
    for (int t = 0; t < TRANSFORMS; t++)
        for (int async = 0; async < 2; async++) {
            torture(t, transforms[t].in, async);
            torture(t, transforms[t].in == TESS_F32 ? TESS_F16 : TESS_C16, async);
        }
    torture(2, TESS_F32, false); /* c2c of real numbers */
}
/* Lines that are long enough to be transformed one by one. */
TEST(infinities_stay_where_they_are_in_long_lines)
{
    tess_array a = { 0 }, out = { 0 };
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 1, 16385), TESS_F32, tess_cpu(), 3e34));
    CHECK_OK(tess_fft_r2c(&out, &a, NULL));
    const float *x = out.data;
    CHECK(isinf(x[0]) && x[1] == 0);
    tess_release(&a);
    tess_release(&out);
}
