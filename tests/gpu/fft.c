/* Fourier transforms on a GPU beside those on the CPU: every kind, sets of axes, layouts, in place and out of place. */
#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/fft.h"
#include "tessera/random.h"

static const tess_shape shapes[] = {
    { { 1, 1, 1, 16 } }, { { 3, 1, 6, 8 } }, { { 2, 4, 5, 6 } }, { { 1, 1, 7, 9 } }, { { 2, 3, 1, 7 } },
    { { 2, 3, 4, 1 } },  { { 1, 1, 1, 1 } }, { { 5, 1, 2, 3 } }, { { 2, 2, 2, 2 } }, { { 1, 31, 1, 2 } },
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static const int axes_sets[] = {
    0, TESS_W, TESS_H | TESS_W, TESS_D | TESS_W, TESS_B | TESS_W, TESS_B | TESS_D | TESS_H | TESS_W
};
static const int free_sets[] = { TESS_H, TESS_B, TESS_D | TESS_H, TESS_B | TESS_H };

static void fill(const tess_array *a)
{
    tess_array out = *a;
    CHECK_OK(tess_random_normal(&out, 0, 1, test_random(), NULL));
}

/* An array of the CPU in some layout, and the same on the GPU. */
typedef struct pair {
    guarded    host;
    tess_array gpu;
} pair;

static void make(pair *p, tess_shape shape, tess_dtype dtype, bool output, tess_device device)
{
    const layout kind = (layout)test_random_in(0, (output ? n_output_layouts : n_layouts) - 1);
    guarded_make(&p->host, kind, shape, dtype);
    if (kind != layout_broadcast) fill(&p->host.view);
    else guarded_free(&p->host), guarded_make(&p->host, layout_contiguous, shape, dtype), fill(&p->host.view);
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

static void drop(pair *p)
{
    tess_release(&p->gpu);
    guarded_free(&p->host);
}

static double bound(tess_dtype dtype) { return tess_dtype_real(dtype) == TESS_F64 ? 2e-14 : 4e-6; }

static tess_status transform(tess_fft_kind kind, tess_array *out, const tess_array *in, tess_shape shape, int sign,
                             const tess_fft_opts *o)
{
    if (kind == TESS_FFT_R2C) return tess_fft_r2c(out, in, o);
    if (kind == TESS_FFT_C2R) return tess_fft_c2r(out, in, shape, o);
    return tess_fft_c2c(out, in, (tess_fft_sign)sign, o);
}

static void check_norm(tess_fft_kind kind, tess_dtype real, tess_shape shape, int axes, tess_fft_norm norm,
                       tess_device device)
{
    const tess_dtype complex = tess_dtype_complex(real);
    const tess_shape half = tess_rfft_shape(shape);
    tess_fft_opts    o = { .axes = axes, .norm = (int32_t)norm };
    const int        sign = test_random() & 1 ? TESS_FFT_FORWARD : TESS_FFT_BACKWARD;
    pair             in, out;
    make(&in, kind == TESS_FFT_C2R ? half : shape, kind == TESS_FFT_R2C ? real : complex, false, device);
    make(&out, kind == TESS_FFT_R2C ? half : shape, kind == TESS_FFT_C2R ? real : complex, true, device);
    if (kind == TESS_FFT_C2R) { /* such as a real array has */
        tess_array source = { .data = NULL };
        CHECK_OK(tess_empty(&source, shape, real, tess_cpu()));
        fill(&source);
        CHECK_OK(tess_fft_r2c(&in.host.view, &source, &o));
        tess_release(&source);
        tess_release(&in.gpu);
        (void)test_mirror(&in.gpu, &in.host.view, device);
    }
    CHECK_OK(transform(kind, &out.host.view, &in.host.view, shape, sign, &o));
    CHECK_OK(transform(kind, &out.gpu, &in.gpu, shape, sign, &o));
    if (!test_close(&out.gpu, &out.host.view, bound(real)))
        (void)test_failed(__FILE__, __LINE__, "kind %d, axes %d, shape %d %d %d %d", (int)kind, axes, (int)shape.b,
                          (int)shape.d, (int)shape.h, (int)shape.w);
    (void)test_same_bits(&in.gpu, &in.host.view); /* it is kept */
    drop(&in);
    drop(&out);
}

static void check_kind(tess_fft_kind kind, tess_dtype real, tess_shape shape, int axes, tess_device device)
{
    static const tess_fft_norm norms[] = { TESS_FFT_NORM_DEFAULT, TESS_FFT_NORM_ORTHO, TESS_FFT_NORM_NONE };
    check_norm(kind, real, shape, axes, norms[test_random_in(0, 2)], device);
}

static void check_all(tess_fft_kind kind, const int *sets, int n_sets)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int s = 0; s < N_SHAPES; s++)
        for (int a = 0; a < n_sets; a++)
            for (int k = 0; k < 2; k++) check_kind(kind, k ? TESS_F64 : TESS_F32, shapes[s], sets[a], device);
}

enum { N_SETS = sizeof axes_sets / sizeof axes_sets[0], N_FREE = sizeof free_sets / sizeof free_sets[0] };

TEST(real_to_complex) { check_all(TESS_FFT_R2C, axes_sets, N_SETS); }
TEST(complex_to_real) { check_all(TESS_FFT_C2R, axes_sets, N_SETS); }
TEST(complex_to_complex)
{
    check_all(TESS_FFT_C2C, axes_sets, N_SETS);
    check_all(TESS_FFT_C2C, free_sets, N_FREE);
}

/* Large enough for the kernel that transforms columns and scales them: lengths of one to four stages, with threads and
 * columns of a block that are left over, along any axis but W. */
TEST(columns_by_a_kernel_of_ours)
{
    static const struct {
        tess_shape    shape;
        int           axes;
        tess_dtype    real;
        tess_fft_norm norm;
    } some[] = {
        { { { 1, 1, 1024, 512 } }, TESS_H | TESS_W, TESS_F32, TESS_FFT_NORM_DEFAULT },
        { { { 2, 1, 1000, 270 } }, TESS_H | TESS_W, TESS_F32, TESS_FFT_NORM_ORTHO },
        { { { 1, 360, 1, 1502 } }, TESS_D | TESS_W, TESS_F64, TESS_FFT_NORM_DEFAULT },
        { { { 15, 2, 140, 127 } }, TESS_B | TESS_D | TESS_H | TESS_W, TESS_F32, TESS_FFT_NORM_DEFAULT },
        { { { 2, 96, 40, 70 } }, TESS_D | TESS_H | TESS_W, TESS_F64, TESS_FFT_NORM_ORTHO },
        { { { 1, 1, 2058, 258 } }, TESS_H | TESS_W, TESS_F32, TESS_FFT_NORM_NONE },
        { { { 3, 1, 486, 361 } }, TESS_H | TESS_W, TESS_F32, TESS_FFT_NORM_ORTHO },
    };
    tess_device device;
    if (!test_gpu(&device)) return;
    for (size_t k = 0; k < sizeof some / sizeof *some; k++)
        for (int kind = TESS_FFT_R2C; kind <= TESS_FFT_C2C;
             kind++) /* one after the other, where there is little time */
            if (test_large() || kind == TESS_FFT_R2C + (int)k % 3)
                check_norm((tess_fft_kind)kind, some[k].real, some[k].shape, some[k].axes, some[k].norm, device);
    check_norm(TESS_FFT_C2C, TESS_F32, TESS_SHAPE(20, 1, 64, 300), TESS_H, TESS_FFT_NORM_NONE, device);
}

TEST(in_place_on_padded_rows)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    tess_array real = { .data = NULL }, spectrum = { .data = NULL }, host = { .data = NULL }, wanted = { .data = NULL };
    CHECK_OK(tess_fft_empty(&real, &spectrum, TESS_SHAPE(3, 1, 6, 10), TESS_F32, device));
    CHECK_OK(tess_empty(&host, TESS_SHAPE(3, 1, 6, 10), TESS_F32, tess_cpu()));
    fill(&host);
    CHECK_OK(tess_to_device(&real, &host, device));
    CHECK_OK(tess_fft_r2c(&spectrum, &real, NULL));
    CHECK_OK(tess_fft_r2c(&wanted, &host, NULL));
    (void)test_close(&spectrum, &wanted, 4e-6);
    CHECK_OK(tess_fft_c2r(&real, &spectrum, host.shape, NULL));
    (void)test_close(&real, &host, 4e-6);
    tess_release(&spectrum);
    tess_release(&real);
    tess_release(&host);
    tess_release(&wanted);
}

TEST(real_input_of_a_complex_transform)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    pair in;
    make(&in, TESS_SHAPE(2, 1, 5, 6), TESS_F32, false, device);
    tess_array out = { .data = NULL }, wanted = { .data = NULL };
    CHECK_OK(tess_fft_c2c(&out, &in.gpu, TESS_FFT_FORWARD, NULL));
    CHECK_OK(tess_fft_c2c(&wanted, &in.host.view, TESS_FFT_FORWARD, NULL));
    (void)test_close(&out, &wanted, 4e-6);
    tess_release(&out);
    tess_release(&wanted);
    drop(&in);
}

TEST(cosine_and_sine_transforms)
{
    static const tess_shape some[] = { { { 2, 1, 5, 6 } }, { { 1, 3, 4, 7 } }, { { 3, 1, 1, 2 } } };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int kind = TESS_FFT_DCT1; kind <= TESS_FFT_DST4; kind++)
        for (int s = 0; s < 3; s++) {
            const tess_dtype    dtype = s == 1 ? TESS_F64 : TESS_F32;
            const tess_fft_opts o = { .norm = s == 2 ? TESS_FFT_NORM_ORTHO : TESS_FFT_NORM_DEFAULT };
            const int           sign = kind & 1 ? TESS_FFT_FORWARD : TESS_FFT_BACKWARD;
            pair                in, out;
            make(&in, some[s], dtype, false, device);
            make(&out, some[s], dtype, true, device);
            CHECK_OK(tess_fft_r2r(&out.host.view, &in.host.view, (tess_fft_r2r_kind)kind, (tess_fft_sign)sign, &o));
            CHECK_OK(tess_fft_r2r(&out.gpu, &in.gpu, (tess_fft_r2r_kind)kind, (tess_fft_sign)sign, &o));
            if (!test_close(&out.gpu, &out.host.view, bound(dtype)))
                (void)test_failed(__FILE__, __LINE__, "kind %d, shape %d", kind, s);
            drop(&in);
            drop(&out);
        }
}

TEST(plans_say_who_computes)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    tess_fft_plan     *plan = NULL;
    tess_info_fft_plan info;
    CHECK_OK(tess_fft_plan_new(&plan, TESS_FFT_R2C, TESS_SHAPE(4, 1, 16, 16), TESS_F32, device, NULL));
    CHECK_OK(tess_fft_plan_info(&info, plan));
    CHECK_TEXT(info.provider, "cufft");
    tess_fft_plan_release(plan);
}

TEST(f16_is_transformed_in_f32)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    pair in;
    make(&in, TESS_SHAPE(1, 1, 4, 8), TESS_F16, false, device);
    tess_array out = { .data = NULL }, wanted = { .data = NULL }, wide[2] = { { .data = NULL }, { .data = NULL } };
    CHECK_OK(tess_fft_r2c(&out, &in.gpu, NULL));
    CHECK_OK(tess_fft_r2c(&wanted, &in.host.view, NULL));
    CHECK_OK(tess_cast(&wide[0], &out, TESS_C32, NULL));
    CHECK_OK(tess_cast(&wide[1], &wanted, TESS_C32, NULL));
    (void)test_close(&wide[0], &wide[1], 2e-3);
    tess_release(&out);
    tess_release(&wanted);
    for (int k = 0; k < 2; k++) tess_release(&wide[k]);
    drop(&in);
}
