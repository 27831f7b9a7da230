/* Filters of spectra against a naive loop: every layout pair, dtype, edge and instruction set; any strides of the
 * arrays, any number of threads, in place, and nothing written outside the output. */
#include <math.h>

#include "support/filters.h"
#include "support/isas.h"
#include "tessera/random.h"

/* A number of a float or complex array. */
static void read_number(double z[2], const tess_array *a, const int64_t position[4])
{
    tess_array one = *a, wide = { .data = NULL };
    one.shape = TESS_SHAPE(1, 1, 1, 1);
    one.data = element_at(a, position);
    CHECK_OK(tess_cast(&wide, &one, TESS_C64, NULL));
    z[0] = ((double *)wide.data)[0];
    z[1] = ((double *)wide.data)[1];
    tess_release(&wide);
}

/* Phases of a CTF are some thousand radians, whose f64 are as far apart. */
static double eps_of(const filter_case *c, tess_dtype dtype)
{
    const tess_dtype real = tess_dtype_real(dtype);
    return real == TESS_F64   ? (c->function >= FILTER_CTF     ? 5e-12
                                 : c->function == FILTER_SHIFT ? 1e-13
                                 : c->function > FILTER_SHIFT  ? 1e-11
                                                               : 2e-15)
           : real == TESS_F32 ? 4e-7
                              : 2e-3;
}

typedef struct comparison {
    const filter_case *c;
    const tess_array  *out, *in; /* in NULL: none */
    int64_t            wrong;
} comparison;

/* Within rounding; where f lies at an edge by rounding alone, hard edges may differ: cases avoid that at random. */
static void compare_one(void *context, const int64_t position[4])
{
    comparison *t = context;
    double      m[2], x[2] = { 1, 0 }, got[2];
    int64_t     source[4];
    bool        mirrored;
    filter_want(t->c, position, m, source, &mirrored);
    if (t->in) read_number(x, t->in, source);
    if (t->in && mirrored) x[1] = -x[1];
    double want[2] = { x[0] * m[0] - x[1] * m[1], x[0] * m[1] + x[1] * m[0] };
    if (t->in && tess_dtype_kind(t->in->dtype) == TESS_KIND_COMPLEX &&
        tess_dtype_kind(t->out->dtype) != TESS_KIND_COMPLEX)
        want[0] = want[0] * want[0] + want[1] * want[1], want[1] = 0;
    read_number(got, t->out, position);
    const double scale = pow(1 + fabs(m[0]) + fabs(m[1]), 2);
    const double bound = eps_of(t->c, t->out->dtype) * scale * (1 + 4 * (x[0] * x[0] + x[1] * x[1]));
    t->wrong += !(fabs(got[0] - want[0]) <= bound && fabs(got[1] - want[1]) <= bound);
}

static void check_values(const filter_case *c, const tess_array *out, const tess_array *in)
{
    comparison t = { c, out, in, 0 };
    each_index(out->shape, compare_one, &t);
    if (t.wrong)
        (void)test_failed(__FILE__, __LINE__, "%s: %d of %d differ", c->text, (int)t.wrong, (int)tess_n_elements(out));
}

static void check_bits(const filter_case *c, const tess_array *got, const tess_array *want, const char *what)
{
    tess_array a = { .data = NULL }, b = { .data = NULL };
    CHECK_OK(tess_copy(&a, got));
    CHECK_OK(tess_copy(&b, want));
    if (memcmp(a.data, b.data, (size_t)tess_n_bytes(&a)) != 0)
        (void)test_failed(__FILE__, __LINE__, "%s: other bits %s", c->text, what);
    tess_release(&a);
    tess_release(&b);
}

static layout any_layout(layout n) { return (layout)test_random_in(0, (int64_t)n - 1); }

/* The same call with other strides, threads and instruction sets. */
static void check_variants(const filter_case *c, const tess_array *want, const tess_array *in,
                           const tess_array *parameters)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        guarded other;
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
        guarded_make(&other, any_layout(n_output_layouts), filter_shape(c, c->to), c->out_dtype);
        CHECK_OK(filter_call(c, &other.view, in, parameters));
        check_bits(c, &other.view, want, isa->name);
        CHECK(guarded_check(&other, c->text));
        guarded_free(&other);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
}

static void check_in_place(const filter_case *c, const tess_array *want, const tess_array *in,
                           const tess_array *parameters)
{
    tess_array copy = { .data = NULL };
    if (!in || c->from != c->to || c->in_dtype != c->out_dtype) return;
    CHECK_OK(tess_copy(&copy, in));
    CHECK_OK(filter_call(c, &copy, &copy, parameters));
    check_bits(c, &copy, want, "in place");
    tess_release(&copy);
}

static void check_case(const filter_case *c)
{
    guarded           in, parameters;
    tess_array        out = { .data = NULL };
    const bool        has_in = c->in_dtype != TESS_DTYPE_NONE;
    const tess_array *source = has_in ? &in.view : NULL, *own = c->columns ? &parameters.view : NULL;
    if (has_in) {
        guarded_make(&in, any_layout(n_output_layouts), filter_shape(c, c->from), c->in_dtype);
        CHECK_OK(tess_random_normal(&in.view, 0, 1, test_random(), NULL));
    }
    if (own) filter_parameters(&parameters, c);
    CHECK_OK(tess_empty(&out, filter_shape(c, c->to), c->out_dtype, tess_cpu()));
    CHECK_OK(filter_call(c, &out, source, own));
    check_values(c, &out, source);
    check_variants(c, &out, source, own);
    check_in_place(c, &out, source, own);
    tess_release(&out);
    if (has_in) guarded_free(&in);
    if (own) guarded_free(&parameters);
}

static void check_function(filter_function function, int n)
{
    filter_case c;
    for (int i = 0; i < n; i++) {
        filter_choose(&c, function);
        check_case(&c);
    }
}

TEST(lowpass_of_any_layout) { check_function(FILTER_LOWPASS, 300); }
TEST(highpass_of_any_layout) { check_function(FILTER_HIGHPASS, 300); }
TEST(bandpass_of_any_layout) { check_function(FILTER_BANDPASS, 300); }
TEST(bfactor_of_any_layout) { check_function(FILTER_BFACTOR, 200); }
TEST(dose_weight_of_any_layout) { check_function(FILTER_DOSE, 200); }
TEST(filter_curve_of_any_layout) { check_function(FILTER_CURVE, 200); }
TEST(phase_shift_of_any_layout) { check_function(FILTER_SHIFT, 200); }
TEST(fourier_wedge_of_any_layout) { check_function(FILTER_WEDGE, 150); }
TEST(fourier_cone_of_any_layout) { check_function(FILTER_CONE, 150); }
TEST(fourier_ellipsoid_of_any_layout) { check_function(FILTER_ELLIPSOID, 150); }
TEST(fourier_cross_of_any_layout) { check_function(FILTER_CROSS, 150); }
TEST(ctf_apply_of_any_layout) { check_function(FILTER_CTF, 200); }
TEST(ctf_flip_of_any_layout) { check_function(FILTER_FLIP, 200); }
TEST(ctf_wiener_of_any_layout) { check_function(FILTER_WIENER, 200); }

/* Where a filter is 0, results are 0 even of NaN and infinity; where it is 1, they are the input's bits. */
TEST(nothing_is_computed_outside_the_edge)
{
    tess_array in = { .data = NULL }, out = { .data = NULL };
    CHECK_OK(tess_full(&in, TESS_SHAPE(2, 1, 16, 9), TESS_C32, tess_cpu(), NAN));
    CHECK_OK(tess_lowpass(&out, &in, TESS_SHAPE(2, 1, 16, 16), 0.2, &(tess_lowpass_opts){ .width = 0.05 }));
    const float *x = out.data;
    for (int64_t i = 0; i < 2 * 16 * 9; i++) {
        const int64_t h = i / 9 % 16, k = h < 8 ? h : h - 16, w = i % 9;
        const double  f = sqrt((double)(k * k + w * w)) / 16;
        if (f > 0.2501) CHECK(x[2 * i] == 0 && x[2 * i + 1] == 0 && !signbit(x[2 * i]));
        if (f < 0.2) CHECK(isnan(x[2 * i]));
    }
    tess_release(&in);
    tess_release(&out);
}

/* Rows that go by non-temporal stores, and several blocks. */
TEST(a_large_spectrum)
{
    filter_case c = { .function = FILTER_BANDPASS,
                      .shape = TESS_SHAPE(3, 1, 600, 1023),
                      .in_dtype = TESS_C32,
                      .out_dtype = TESS_C32,
                      .edge = TESS_FILTER_COSINE,
                      .order = 4,
                      .low = 0.05,
                      .low_width = 0.02,
                      .high = 0.3,
                      .high_width = 0.1,
                      .text = "large" };
    tess_array  in = { .data = NULL }, half = { .data = NULL }, again = { .data = NULL }, full = { .data = NULL };
    c.from = TESS_FFT_H;
    c.to = TESS_FFT_HC;
    CHECK_OK(tess_empty(&in, filter_shape(&c, c.from), TESS_C32, tess_cpu()));
    CHECK_OK(tess_random_normal(&in, 0, 1, 5, NULL));
    CHECK_OK(filter_call(&c, &half, &in, NULL));
    CHECK_OK(tess_fft_remap(&full, &half, c.shape, TESS_FFT_HC, TESS_FFT_FC));
    c.to = TESS_FFT_FC;
    CHECK_OK(filter_call(&c, &again, &in, NULL));
    const float *x = again.data, *y = full.data; /* of which zeros that were conjugated are negative */
    int64_t      wrong = 0;
    for (int64_t i = 0; i < 2 * tess_n_elements(&again); i++) wrong += !(x[i] == y[i]);
    CHECK_I64(wrong, 0);
    tess_release(&in);
    tess_release(&half);
    tess_release(&again);
    tess_release(&full);
}
