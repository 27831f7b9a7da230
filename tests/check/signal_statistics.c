/* Tapers and statistics: the same bits in every layout, on every instruction set and with any number of threads, and
 * tapers against naive loops, with guard bytes around the outputs. */
#include <math.h>

#include "support/isas.h"
#include "support/layouts.h"

enum { CALLS = 6 };
static const char *const names[CALLS] = { "taper",       "taper to the mean",    "radial taper",
                                          "standardize", "normalize_background", "average_power" };

static tess_shape logical;

/* `in` is real, or for standardize a half spectrum of the logical shape. */
static tess_status call(int which, tess_array *out, const tess_array *in)
{
    switch (which) {
    case 0: return tess_taper(out, in, &(tess_taper_opts){ .width_h = 3, .width_w = 4.5, .value = 1.25 });
    case 1: return tess_taper(out, in, &(tess_taper_opts){ .fraction = 0.3, .mean = 1 });
    case 2: return tess_taper_radial(out, in, 3, &(tess_taper_radial_opts){ .width = 4, .shift_w = 0.5 });
    case 3: return tess_standardize(out, in, logical, NULL);
    case 4: return tess_normalize_background(out, in, 1.5, NULL);
    default: return tess_average_power(out, in, TESS_SHAPE(1, 1, 3, 4), NULL);
    }
}

static void set_any(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    const int         n = tess_dtype_reals(a->dtype);
    unsigned char    *to = element_at(a, position);
    for (int i = 0; i < n; i++) {
        const double x = test_random_unit() * 8 - 3;
        const float  single = (float)x;
        if (tess_dtype_real(a->dtype) == TESS_F64) memcpy(to + i * 8, &x, 8);
        else memcpy(to + i * 4, &single, 4);
    }
}

static tess_shape any_shape(void)
{
    return TESS_SHAPE(test_random_in(1, 3), test_random_in(0, 2) ? 1 : test_random_in(2, 4), test_random_in(4, 12),
                      test_random_in(4, test_random_in(0, 3) ? 15 : 300));
}

/* Contiguous, on the baseline and with one thread, and then in any other way. */
static void check_call(int which, tess_dtype dtype)
{
    tess_shape shape = logical = any_shape();
    guarded    in, out;
    tess_array plain = { 0 }, want = { 0 };
    char       what[160];
    if (which == 3) shape.w = shape.w / 2 + 1, dtype = tess_dtype_complex(dtype);
    (void)snprintf(what, sizeof what, "%s of %s {%d,%d,%d,%d}", names[which], tess_dtype_name(dtype), (int)shape.b,
                   (int)shape.d, (int)shape.h, (int)shape.w);
    if (!test_wants_case(what)) return;
    guarded_make(&in, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    each_index(shape, set_any, &in.view);
    guarded_snapshot(&in);
    CHECK_OK(tess_copy(&plain, &in.view));
    CHECK_OK(tess_cpu_limit_set(tess__isas[0].name));
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(call(which, &want, &plain));
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_threads_set((int)test_random_in(1, 4)));
        guarded_make(&out, (layout)test_random_in(0, n_output_layouts - 1), want.shape, want.dtype);
        CHECK_OK(call(which, &out.view, &in.view));
        tess_array got = { 0 };
        CHECK_OK(tess_copy(&got, &out.view));
        if (memcmp(got.data, want.data, (size_t)tess_n_bytes(&want)) != 0)
            (void)test_failed(__FILE__, __LINE__, "%s: other bits on %s", what, isa->name);
        (void)guarded_check(&out, what);
        (void)guarded_check(&in, what);
        tess_release(&got);
        guarded_free(&out);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
    tess_release(&plain);
    tess_release(&want);
    guarded_free(&in);
}

TEST(the_same_bits_in_any_way)
{
    for (int which = 0; which < CALLS; which++)
        for (int k = 0; k < 24; k++) check_call(which, k % 2 ? TESS_F32 : TESS_F64);
}

/* ---- Naive loops ---- */

static double edge(int64_t i, int64_t n, double width)
{
    const double  most = (double)(n - 1) / 2, soft = width < most ? width : most;
    const int64_t near = i < n - 1 - i ? i : n - 1 - i;
    return n == 1 || (double)near >= soft ? 1 : 0.5 - 0.5 * cos(acos(-1) * (double)near / soft);
}

TEST(tapers_are_those_of_a_naive_loop)
{
    for (int k = 0; k < 20; k++) {
        const tess_shape      shape = any_shape();
        const tess_taper_opts opts = { .width_d = 1, .width_h = 2.5, .width_w = 6, .value = -2 };
        const double          radius = 2, width = 3;
        guarded               in;
        tess_array            edges = { 0 }, disc = { 0 };
        guarded_make(&in, (layout)test_random_in(0, n_layouts - 1), shape, TESS_F64);
        each_index(shape, set_any, &in.view);
        CHECK_OK(tess_taper(&edges, &in.view, &opts));
        CHECK_OK(tess_taper_radial(&disc, &in.view, radius, &(tess_taper_radial_opts){ .width = width }));
        double worst = 0;
        for (int64_t i = 0; i < tess_n_elements(&edges); i++) {
            const int64_t w = i % shape.w, h = i / shape.w % shape.h, d = i / shape.w / shape.h % shape.d;
            const int64_t p[4] = { i / shape.w / shape.h / shape.d, d, h, w };
            const double  weight = edge(d, shape.d, 1) * edge(h, shape.h, 2.5) * edge(w, shape.w, 6);
            const double  y = (double)(h - shape.h / 2), z = shape.d > 1 ? (double)(d - shape.d / 2) : 0;
            const double  x = (double)(w - shape.w / 2), r = sqrt(x * x + y * y + z * z);
            const double  kept = r <= radius           ? 1
                                 : r >= radius + width ? 0
                                                       : 0.5 + 0.5 * cos(acos(-1) * (r - radius) / width);
            double        value;
            memcpy(&value, element_at(&in.view, p), sizeof value);
            worst = fmax(worst, fabs(((double *)edges.data)[i] - (value * weight - 2 * (1 - weight))));
            worst = fmax(worst, fabs(((double *)disc.data)[i] - value * kept));
        }
        CHECK(worst < 1e-14);
        tess_release(&edges);
        tess_release(&disc);
        guarded_free(&in);
    }
}
