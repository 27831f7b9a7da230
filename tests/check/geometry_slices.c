/* Turned spectra and slices: the same bits on every instruction set, by any number of threads and in every layout of
 * memory; nothing written outside the outputs; trilinear slices beside a naive loop. */
#include <math.h>

#include "support/isas.h"
#include "support/layouts.h"
#include "tessera/device.h"
#include "tessera/geometry.h"
#include "tessera/random.h"

typedef enum work { EXTRACT, TURN, SYMMETRY, SPREAD, GATHER, PASS, n_works } work;

/* A call at random. */
typedef struct slice_case {
    work       kind;
    tess_dtype dtype;
    tess_shape slices, volume; /* logical */
    int        interp, from, to;
    tess_array rotations, others, in, weights;
    double     cutoff, window, radius;
} slice_case;

static tess_shape stored(tess_shape shape, int order)
{
    return order == TESS_FFT_H || order == TESS_FFT_HC ? tess_rfft_shape(shape) : shape;
}

static tess_array random_array(tess_shape shape, tess_dtype dtype)
{
    tess_array a = { .data = NULL };
    CHECK_OK(tess_empty(&a, shape, dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0, 1, test_random(), NULL));
    return a;
}

static void make_case(slice_case *c, work kind)
{
    const int64_t n = test_random_in(1, 3);
    *c = (slice_case){ .kind = kind,
                       .dtype = test_random() % 2 ? TESS_C32 : TESS_C64,
                       .slices = TESS_SHAPE(n, 1, test_random_in(1, 12), test_random_in(1, 80)),
                       .volume = TESS_SHAPE(1, test_random_in(1, 12), test_random_in(1, 12), test_random_in(1, 12)),
                       .interp = (int)test_random_in(TESS_INTERP_LINEAR, TESS_INTERP_LANCZOS8),
                       .from = (int)test_random_in(TESS_FFT_H, TESS_FFT_FC),
                       .to = (int)test_random_in(TESS_FFT_H, TESS_FFT_FC),
                       .cutoff = (double)test_random_in(2, 9) / 10 + 0.013,
                       .radius = test_random() % 2 ? 2 : 0 };
    if (test_random() % 2) c->interp = TESS_INTERP_LINEAR;
    c->rotations = random_array(TESS_SHAPE(n, 1, 1, 4), TESS_F64);
    c->others = random_array(TESS_SHAPE(2, 1, 1, 4), TESS_F64);
    const bool of_volume = kind <= SYMMETRY;
    c->in = random_array(stored(of_volume ? c->volume : c->slices, c->from), c->dtype);
    c->weights = random_array(c->in.shape, tess_dtype_real(c->dtype));
}

static void free_case(slice_case *c)
{
    tess_release(&c->rotations);
    tess_release(&c->others);
    tess_release(&c->in);
    tess_release(&c->weights);
}

static tess_shape out_shape(const slice_case *c)
{
    if (c->kind == EXTRACT) return stored(c->slices, c->to);
    if (c->kind == TURN) return stored(TESS_SHAPE(2, c->volume.d, c->volume.h, c->volume.w), c->to);
    if (c->kind == PASS) return stored(TESS_SHAPE(2, 1, c->slices.h, c->slices.w), c->to);
    return stored(c->volume, c->to);
}

static void run_case(const slice_case *c, tess_array *out, tess_array *weights, const tess_array *in)
{
    const double wide = 1;
    switch (c->kind) {
    case EXTRACT:
        CHECK_OK(tess_fourier_extract(
            out, in, c->volume, &c->rotations,
            &(tess_fourier_extract_opts){ .slice_shape = c->slices,
                                          .cutoff = c->cutoff,
                                          .ewald_h = c->radius,
                                          .ewald_w = -c->radius,
                                          .window = c->volume.d > 2 ? 2.5 / (double)c->volume.d : 0,
                                          .interp = c->interp,
                                          .from = c->from,
                                          .to = c->to,
                                          .sinc = wide }));
        break;
    case TURN:
        CHECK_OK(tess_transform_spectrum_3d(
            out, in, TESS_SHAPE(2, c->volume.d, c->volume.h, c->volume.w), &c->others,
            &(tess_transform_spectrum_opts){ .cutoff = c->cutoff, .interp = c->interp, .from = c->from, .to = c->to }));
        break;
    case SYMMETRY:
        CHECK_OK(tess_symmetrize_spectrum(
            out, in, c->volume, c->volume.d > 1 ? "O" : "D7",
            &(tess_symmetrize_spectrum_opts){
                .cutoff = c->cutoff, .centre_w = c->radius, .interp = c->interp, .from = c->from, .to = c->to }));
        break;
    case PASS:
        CHECK_OK(tess_fourier_insert_extract(out, weights, in, c->slices, &c->rotations, &c->others,
                                             &(tess_fourier_insert_extract_opts){ .slice_weights = &c->weights,
                                                                                  .cutoff = c->cutoff,
                                                                                  .ewald_h = c->radius,
                                                                                  .window = wide,
                                                                                  .sinc = wide,
                                                                                  .interp = c->interp,
                                                                                  .from = c->from,
                                                                                  .to = c->to,
                                                                                  .divide = 1 }));
        break;
    default:
        CHECK_OK(tess_fourier_insert(out, weights, in, c->slices, &c->rotations,
                                     &(tess_fourier_insert_opts){ .volume_shape = c->volume,
                                                                  .slice_weights = &c->weights,
                                                                  .cutoff = c->cutoff,
                                                                  .ewald_h = c->radius,
                                                                  .window = c->kind == GATHER ? wide : 0,
                                                                  .sinc = wide,
                                                                  .interp = c->interp,
                                                                  .from = c->from,
                                                                  .to = c->to }));
    }
}

static bool same(const tess_array *a, const tess_array *contiguous)
{
    tess_array copy = { .data = NULL };
    CHECK_OK(tess_copy(&copy, a));
    const bool equal = memcmp(copy.data, contiguous->data, (size_t)tess_n_bytes(&copy)) == 0;
    tess_release(&copy);
    return equal;
}

/* One call on the baseline, and the same with other strides, threads and instruction sets. */
static void check_case(work kind)
{
    slice_case c;
    make_case(&c, kind);
    tess_array want = { .data = NULL }, want_weights = { .data = NULL };
    const bool weighted = kind >= SPREAD;
    CHECK_OK(tess_cpu_limit_set(tess__isas->name));
    CHECK_OK(tess_threads_set(1));
    run_case(&c, &want, weighted ? &want_weights : NULL, &c.in);
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        guarded out, weights, in;
        if (!isa->supported() || !isa_has_turn(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
        guarded_make(&out, (layout)test_random_in(0, n_output_layouts - 1), out_shape(&c), c.dtype);
        guarded_make(&weights, (layout)test_random_in(0, n_output_layouts - 1), out_shape(&c),
                     tess_dtype_real(c.dtype));
        guarded_make(&in, (layout)test_random_in(0, n_output_layouts - 1), c.in.shape, c.dtype);
        CHECK_OK(tess_copy(&in.view, &c.in));
        run_case(&c, &out.view, weighted ? &weights.view : NULL, &in.view);
        CHECK(same(&out.view, &want));
        CHECK(!weighted || same(&weights.view, &want_weights));
        (void)guarded_check(&out, "out");
        if (weighted) (void)guarded_check(&weights, "weights");
        guarded_free(&out);
        guarded_free(&weights);
        guarded_free(&in);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    tess_release(&want);
    tess_release(&want_weights);
    free_case(&c);
}

TEST(slices_have_the_same_bits_everywhere)
{
    isas_tell_missing();
    for (int i = 0; i < test_fewer(400); i++) check_case((work)(i % n_works));
    CHECK_OK(tess_threads_set(0));
}

/* ---- A naive loop ---- */

static tess_c64 tap(const tess_array *v, int64_t n, const int64_t k[3])
{
    const int64_t side = k[2] < 0 ? -1 : 1;
    const int64_t z = (side * k[0] + n) % n, y = (side * k[1] + n) % n, x = side * k[2];
    tess_c64      c = { 0, 0 };
    for (int d = 0; d < 3; d++)
        if (k[d] > n / 2 || k[d] < -(n / 2)) return c;
    c = ((const tess_c64 *)v->data)[(z * n + y) * (n / 2 + 1) + x];
    c.im *= (double)side;
    return c;
}

static tess_c64 trilinear(const tess_array *v, int64_t n, const double c[3])
{
    tess_c64 sum = { 0, 0 };
    for (int i = 0; i < 8; i++) {
        double  w = 1;
        int64_t k[3];
        for (int d = 0; d < 3; d++) {
            const double base = floor(c[d]), t = c[d] - base;
            const int    upper = i >> d & 1;
            k[d] = (int64_t)base + upper;
            w *= upper ? t : 1 - t;
        }
        const tess_c64 one = tap(v, n, k);
        sum.re += w * one.re;
        sum.im += w * one.im;
    }
    return sum;
}

TEST(trilinear_slices_are_those_of_a_naive_loop)
{
    for (int64_t n = 9; n <= 10; n++) {
        const tess_shape shape = TESS_SHAPE(1, n, n, n);
        tess_array       v = random_array(tess_rfft_shape(shape), TESS_C64),
                   q = random_array(TESS_SHAPE(3, 1, 1, 4), TESS_F64);
        tess_array m = { .data = NULL }, out = { .data = NULL };
        CHECK_OK(tess_quat_to_matrix(&m, &q));
        CHECK_OK(tess_fourier_extract(&out, &v, shape, &q, NULL));
        for (int64_t b = 0; b < 3; b++)
            for (int64_t h = 0; h < n; h++)
                for (int64_t x = 0; x <= n / 2; x++) {
                    const double  *r = (const double *)m.data + 9 * b, y = (double)(h < (n + 1) / 2 ? h : h - n);
                    const tess_c64 got = ((const tess_c64 *)out.data)[(b * n + h) * (n / 2 + 1) + x];
                    tess_c64       want = { 0, 0 };
                    double         c[3];
                    for (int d = 0; d < 3; d++) c[d] = r[3 * d + 1] * y + r[3 * d + 2] * (double)x;
                    if (y * y + (double)(x * x) <= (double)(n * n) / 4) want = trilinear(&v, n, c);
                    CHECK(fabs(got.re - want.re) < 1e-12 && fabs(got.im - want.im) < 1e-12);
                }
        tess_release(&v);
        tess_release(&q);
        tess_release(&m);
        tess_release(&out);
    }
}
