/* Shell correlation against naive loops, on every instruction set: any layout of spectrum and memory, any number of
 * threads; and the same bits whatever these are. */
#include <math.h>
#include <stdlib.h>

#include "support/isas.h"
#include "support/layouts.h"
#include "tessera/signal.h"

static void on_each_isa(void (*cases)(void))
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        cases();
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
}

/* ---- Spectra ---- */

static tess_shape stored_shape(tess_shape shape, int spectrum)
{
    if (spectrum == TESS_FFT_H || spectrum == TESS_FFT_HC) shape.w = shape.w / 2 + 1;
    return shape;
}

static void make_spectrum(guarded *g, tess_shape shape, tess_dtype dtype)
{
    guarded_make(g, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    CHECK_OK(tess_random_normal(&g->view, 0.1, 1, test_random(), NULL));
}

static tess_c64 at(const tess_array *a, const int64_t p[4])
{
    tess_c64 z = { 0, 0 };
    CHECK_OK(tess_get_c64(&z, a, a->shape.b == 1 ? 0 : p[0], p[1], p[2], p[3]));
    return z;
}

static tess_shape random_shape(int rank)
{
    const int64_t most = rank == 1 ? 300 : rank == 2 ? 40 : 14;
    tess_shape    shape = TESS_SHAPE(1, 1, 1, test_random_in(1, most));
    if (rank > 1) shape.h = test_random_in(1, most);
    if (rank > 2) shape.d = test_random_in(1, most);
    if (test_random() % 3 == 0) shape.h = rank > 1 ? shape.w : 1, shape.d = rank > 2 ? shape.w : 1;
    return shape;
}

/* ---- The naive loop ---- */

enum { MAX_SHELLS = 200, MAX_CONES = 4 };

typedef struct expected {
    double both[MAX_CONES][MAX_SHELLS], lhs[MAX_CONES][MAX_SHELLS], rhs[MAX_CONES][MAX_SHELLS],
        count[MAX_CONES][MAX_SHELLS];
} expected;

typedef struct geometry {
    tess_shape shape;
    int        layout, nearest;
    int64_t    m, cones;
    double     axes[MAX_CONES][3], cosine;
} geometry;

static void add_to(expected *e, const geometry *g, const double f[3], double weight, int64_t shell, const double q[3])
{
    const double length = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    for (int64_t c = 0; c < (g->cones ? g->cones : 1); c++) {
        const double *a = g->axes[c];
        if (g->cones && fabs(a[0] * f[0] + a[1] * f[1] + a[2] * f[2]) < g->cosine * length) continue;
        e->both[c][shell] += weight * q[0];
        e->lhs[c][shell] += weight * q[1];
        e->rhs[c][shell] += weight * q[2];
        e->count[c][shell] += weight;
    }
}

static void add_coefficient(expected *e, const geometry *g, const int64_t p[4], tess_c64 l, tess_c64 r)
{
    double        f[3], weight = 1;
    const double  q[3] = { l.re * r.re + l.im * r.im, l.re * l.re + l.im * l.im, r.re * r.re + r.im * r.im };
    const int64_t last = g->m / 2;
    for (int k = 0; k < 3; k++) {
        CHECK_OK(tess_fft_frequency(&f[k], (tess_fft_layout)g->layout, k + 1, g->shape.dim[k + 1], p[k + 1]));
        f[k] = round(f[k] * (double)g->shape.dim[k + 1]) * (double)g->m / (double)g->shape.dim[k + 1];
    }
    const double rho = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    if (f[0] * f[0] + f[1] * f[1] + f[2] * f[2] > (double)g->m * (double)g->m / 4) return;
    if ((g->layout == TESS_FFT_H || g->layout == TESS_FFT_HC) && p[3] != 0 && 2 * p[3] != g->shape.w) weight = 2;
    if (g->nearest) {
        const int64_t shell = (int64_t)floor(rho + 0.5);
        add_to(e, g, f, weight, shell < last ? shell : last, q);
        return;
    }
    const int64_t shell = (int64_t)floor(rho);
    const double  t = rho - (double)shell;
    add_to(e, g, f, weight * (1 - t), shell, q);
    add_to(e, g, f, weight * t, shell < last ? shell + 1 : last, q);
}

static void expect(expected *e, const geometry *g, const tess_array *lhs, const tess_array *rhs, int64_t b)
{
    const tess_shape stored = stored_shape(g->shape, g->layout);
    memset(e, 0, sizeof *e);
    for (int64_t d = 0; d < stored.d; d++)
        for (int64_t h = 0; h < stored.h; h++)
            for (int64_t w = 0; w < stored.w; w++) {
                const int64_t p[4] = { b, d, h, w };
                add_coefficient(e, g, p, at(lhs, p), at(rhs, p));
            }
}

static bool near(double got, double want, double bound) { return fabs(got - want) <= bound * (1 + fabs(want)); }

static double value_of(const tess_array *a, int64_t b, int64_t h, int64_t w)
{
    double x = NAN;
    CHECK_OK(tess_get_f64(&x, a, b, 0, h, w));
    return x;
}

static double ratio_of(double both, double lhs, double rhs)
{
    return lhs == 0 || rhs == 0 ? 0 : both / sqrt(lhs * rhs);
}

static void choose_cones(geometry *g, tess_array *directions)
{
    g->cones = test_random() % 2 ? test_random_in(1, MAX_CONES) : 0;
    if (!g->cones) return;
    CHECK_OK(tess_empty(directions, TESS_SHAPE(1, 1, g->cones, 3), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_normal(directions, 0, 2, test_random(), NULL));
    for (int64_t c = 0; c < g->cones; c++) {
        double length = 0;
        for (int k = 0; k < 3; k++)
            g->axes[c][k] = value_of(directions, 0, c, k), length += g->axes[c][k] * g->axes[c][k];
        for (int k = 0; k < 3; k++) g->axes[c][k] /= sqrt(length);
    }
}

static void compare_fsc(const geometry *g, const tess_array *lhs, const tess_array *rhs, const tess_array *got,
                        const tess_array *counts)
{
    static expected e;
    const int64_t   shells = g->m / 2 + 1, cones = g->cones ? g->cones : 1;
    CHECK_DIMS(got->shape, g->shape.b, 1, cones, shells);
    for (int64_t b = 0; b < g->shape.b; b++) {
        expect(&e, g, lhs, rhs, b);
        for (int64_t c = 0; c < cones; c++)
            for (int64_t s = 0; s < shells; s++) {
                const double want = ratio_of(e.both[c][s], e.lhs[c][s], e.rhs[c][s]);
                if (!near(value_of(got, b, c, s), want, 1e-12))
                    (void)test_failed(__FILE__, __LINE__, "{%d,%d,%d} layout %d cone %d shell %d: %.17g, not %.17g",
                                      (int)g->shape.d, (int)g->shape.h, (int)g->shape.w, g->layout, (int)c, (int)s,
                                      value_of(got, b, c, s), want);
                CHECK(near(value_of(counts, 0, c, s), e.count[c][s], 1e-12));
            }
    }
}

static void check_fsc(void)
{
    static const tess_dtype dtypes[] = { TESS_C32, TESS_C64, TESS_C16 };
    geometry                g = { .layout = (int)test_random_in(TESS_FFT_H, TESS_FFT_FC) };
    const int64_t           b = test_random_in(1, 3), one = test_random_in(0, 2);
    guarded                 lhs, rhs;
    tess_array              directions = { 0 }, out = { 0 }, counts = { 0 };
    g.shape = random_shape((int)test_random_in(1, 3));
    g.shape.b = b;
    g.nearest = (int)test_random_in(0, 1);
    g.cosine = cos(0.6);
    for (int k = 1; k < 4; k++)
        if (g.shape.dim[k] > 1 && (g.m == 0 || g.shape.dim[k] < g.m)) g.m = g.shape.dim[k];
    if (g.m == 0) g.m = 1;
    CHECK_I64(tess_fsc_shells(g.shape), g.m / 2 + 1);
    choose_cones(&g, &directions);
    tess_shape stored = stored_shape(g.shape, g.layout);
    stored.b = one == 1 ? 1 : b;
    make_spectrum(&lhs, stored, dtypes[test_random_in(0, 2)]);
    stored.b = one == 2 ? 1 : b;
    make_spectrum(&rhs, stored, dtypes[test_random_in(0, 2)]);
    guarded_snapshot(&lhs);
    const tess_fsc_opts opts = { .layout = g.layout,
                                 .nearest = g.nearest,
                                 .directions = g.cones ? &directions : NULL,
                                 .aperture = 0.6,
                                 .counts = &counts };
    CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
    CHECK_OK(tess_fsc(&out, &lhs.view, &rhs.view, g.shape, &opts));
    compare_fsc(&g, &lhs.view, &rhs.view, &out, &counts);
    CHECK(guarded_check(&lhs, "lhs"));
    tess_release(&out);
    tess_release(&counts);
    tess_release(&directions);
    guarded_free(&lhs);
    guarded_free(&rhs);
}

static void many_fscs(void)
{
    for (int i = 0; i < test_fewer(300); i++) check_fsc();
}

TEST(fsc_is_that_of_a_naive_loop) { on_each_isa(many_fscs); }

/* ---- The same bits ---- */

static tess_array first_result;

static void same_as_first(void)
{
    const tess_shape  shape = TESS_SHAPE(1, 60, 61, 62), stored = stored_shape(shape, TESS_FFT_H);
    static tess_array lhs, rhs;
    tess_array        permuted = { 0 }, view = { 0 }, out = { 0 };
    if (!lhs.data) {
        CHECK_OK(tess_empty(&lhs, stored, TESS_C32, tess_cpu()));
        CHECK_OK(tess_empty(&rhs, stored, TESS_C32, tess_cpu()));
        CHECK_OK(tess_random_normal(&lhs, 0, 1, 1, NULL));
        CHECK_OK(tess_random_normal(&rhs, 0, 1, 2, NULL));
        CHECK_OK(tess_fsc(&first_result, &lhs, &rhs, shape, NULL));
    }
    CHECK_OK(tess_permute_copy(&permuted, &rhs, 0, 3, 1, 2));
    CHECK_OK(tess_permute(&view, &permuted, 0, 2, 3, 1));
    for (int threads = 1; threads <= 8; threads = threads * 2 + (threads == 2)) {
        CHECK_OK(tess_threads_set(threads));
        CHECK_OK(tess_fsc(&out, &lhs, threads % 2 ? &rhs : &view, shape, NULL));
        CHECK(memcmp(out.data, first_result.data, (size_t)tess_n_elements(&out) * 8) == 0);
    }
    tess_release(&permuted);
    tess_release(&out);
}

TEST(fsc_has_the_same_bits_on_every_isa_for_any_threads_and_strides) { on_each_isa(same_as_first); }
