/* Random numbers against naive loops over the functions of tessera/math/random.op.h: kind x dtype x shape x offset, in
 * every layout, for every number of threads and instruction set; then shuffles against copies of slices.
 *
 * `check_random --bench` times each instruction set instead.
 */
#include <stdlib.h>
#include <time.h>

#include "tessera/math/f16.op.h"
#include "support/isas.h"
#include "support/layouts.h"
#include "tessera/math/random.op.h"

enum { UNIFORM, NORMAL, LOGNORMAL, EXPONENTIAL, POISSON, INTEGERS, WIDE_INTEGERS, PERMUTATION, KINDS };

static const char *const names[KINDS] = { "uniform", "normal",   "lognormal",     "exponential",
                                          "poisson", "integers", "wide integers", "permutation" };

static const double  LOW = -1.5, HIGH = 2.25, MEAN = 0.5, STD = 1.25, SCALE = 2.0;
static const int64_t FIRST = 3, LAST = 100, WIDE_LAST = INT64_C(3) << 33;

typedef struct random_case {
    int              kind;
    tess_dtype       dtype;
    uint64_t         seed;
    tess_random_opts opts;
    const char      *isa;
} random_case;

static bool is_complex(tess_dtype dtype) { return tess_dtype_kind(dtype) == TESS_KIND_COMPLEX; }

/* ---- Reference: one number at a time ---- */

static double mean_at(int64_t element) { return (double)(element % 31) * 1.5; }

static float single(const random_case *c, uint64_t index, bool half)
{
    const uint32_t x = tess__random_u32(c->seed, c->opts.stream, index, 0);
    if (c->kind == UNIFORM) {
        const float most = half ? 2.25f - 0x1p-9f : 2.25f - 0x1p-22f;
        return tess__uniform_f32(half ? tess__unit_f16(x) : tess__unit_f32(x), (float)LOW, (float)(HIGH - LOW), most);
    }
    if (c->kind == EXPONENTIAL) return tess__exponential_f32(x, (float)SCALE);
    const uint32_t       first = tess__random_u32(c->seed, c->opts.stream, index & ~UINT64_C(1), 0);
    const uint32_t       second = tess__random_u32(c->seed, c->opts.stream, index | 1, 0);
    const tess__pair_f32 z = tess__normals_f32(tess__normal_square_f32(first), second);
    const float          y = tess__normal_f32(index & 1 ? z.lo : z.hi, (float)MEAN, (float)STD);
    return c->kind == NORMAL ? y : tess__exp_f32(y);
}

static double wide(const random_case *c, uint64_t index)
{
    const uint64_t x = tess__random_u64(c->seed, c->opts.stream, index, 0);
    if (c->kind == UNIFORM) return tess__uniform_f64(tess__unit_f64(x), LOW, HIGH - LOW, HIGH - 0x1p-51);
    if (c->kind == EXPONENTIAL) return tess__exponential_f64(x, SCALE);
    const uint64_t      first = tess__random_u64(c->seed, c->opts.stream, index & ~UINT64_C(1), 0);
    const uint64_t      second = tess__random_u64(c->seed, c->opts.stream, index | 1, 0);
    const tess__two_f64 z = tess__normals_f64(tess__normal_square_f64(first), second);
    const double        y = tess__normal_f64(index & 1 ? z.lo : z.hi, MEAN, STD);
    return c->kind == NORMAL ? y : tess__exp_f64(y);
}

/* One real of the array, into its bytes. */
static void real_number(const random_case *c, unsigned char *to, uint64_t index)
{
    const tess_dtype real = tess_dtype_real(c->dtype);
    const double     f64 = real == TESS_F64 ? wide(c, index) : 0;
    const float      f32 = real == TESS_F64 ? 0 : single(c, index, real == TESS_F16);
    const uint16_t   f16 = tess__f32_to_f16(f32);
    if (real == TESS_F64) memcpy(to, &f64, 8);
    else if (real == TESS_F32) memcpy(to, &f32, 4);
    else memcpy(to, &f16, 2);
}

/* An integer as the library converts it. */
static double integer(const random_case *c, uint64_t index, int64_t element)
{
    if (c->kind == POISSON) {
        const tess__block x = tess__random_block(c->seed, c->opts.stream, index, 0);
        return tess__random_poisson(tess__poisson_of(mean_at(element)), c->seed, c->opts.stream, index, x);
    }
    const int64_t last = c->kind == INTEGERS ? LAST : WIDE_LAST;
    return (double)(FIRST + (int64_t)tess__random_to(c->seed, c->opts.stream, index, (uint64_t)(last - FIRST), 0));
}

/* Its index in the order: keys that are smaller, and equal ones before it. */
static tess_array order_of(const random_case *c, tess_shape shape)
{
    tess_array     out = { 0 };
    const uint64_t at = c->opts.offset;
    CHECK_OK(tess_zeros(&out, shape, TESS_F64, tess_cpu()));
    const int64_t n = tess_n_elements(&out);
    uint64_t     *key = malloc((size_t)(n + 1) * sizeof *key);
    for (int64_t i = 0; i < n; i++) key[i] = tess__random_u64(c->seed, c->opts.stream, at + (uint64_t)i, 0);
    for (int64_t i = 0; i < n; i++) {
        int64_t rank = 0;
        for (int64_t k = 0; k < n; k++) rank += key[k] < key[i] || (key[k] == key[i] && k < i);
        ((double *)out.data)[rank] = (double)i;
    }
    free(key);
    return out;
}

/* What the array should hold, contiguous, of its dtype. */
static tess_array wanted(const random_case *c, tess_shape shape)
{
    tess_array    out = { 0 }, f64 = { 0 };
    const int64_t parts = tess_dtype_reals(c->dtype), size = (int64_t)tess_dtype_size(tess_dtype_real(c->dtype));
    CHECK_OK(tess_zeros(&out, shape, c->dtype, tess_cpu()));
    const int64_t n = tess_n_elements(&out);
    if (c->kind < POISSON) {
        for (int64_t i = 0; i < n * parts; i++)
            real_number(c, (unsigned char *)out.data + i * size, c->opts.offset * (uint64_t)parts + (uint64_t)i);
        return out;
    }
    if (c->kind == PERMUTATION) {
        f64 = order_of(c, shape);
    } else {
        CHECK_OK(tess_zeros(&f64, shape, parts == 2 ? TESS_C64 : TESS_F64, tess_cpu()));
        for (int64_t i = 0; i < n * parts; i++)
            ((double *)f64.data)[i] = integer(c, c->opts.offset * (uint64_t)parts + (uint64_t)i, i / parts);
    }
    CHECK_OK(tess_cast(&out, &f64, c->dtype, NULL));
    tess_release(&f64);
    return out;
}

/* ---- Cases ---- */

static tess_status draw(const random_case *c, tess_array *out)
{
    tess_array means = { 0 };
    switch (c->kind) {
    case UNIFORM: TESS_TRY(tess_random_uniform(out, LOW, HIGH, c->seed, &c->opts)); return TESS_OK;
    case NORMAL: TESS_TRY(tess_random_normal(out, MEAN, STD, c->seed, &c->opts)); return TESS_OK;
    case LOGNORMAL: TESS_TRY(tess_random_lognormal(out, MEAN, STD, c->seed, &c->opts)); return TESS_OK;
    case EXPONENTIAL: TESS_TRY(tess_random_exponential(out, SCALE, c->seed, &c->opts)); return TESS_OK;
    case INTEGERS: TESS_TRY(tess_random_integers(out, FIRST, LAST, c->seed, &c->opts)); return TESS_OK;
    case WIDE_INTEGERS: TESS_TRY(tess_random_integers(out, FIRST, WIDE_LAST, c->seed, &c->opts)); return TESS_OK;
    case PERMUTATION: TESS_TRY(tess_random_permutation(out, c->seed, &c->opts)); return TESS_OK;
    default: break;
    }
    TESS_TRY(tess_arange(&means, out->shape, TESS_F64, tess_cpu(), 0, 1));
    for (int64_t i = 0; i < tess_n_elements(&means); i++) ((double *)means.data)[i] = mean_at(i);
    const tess_status status = tess_random_poisson(out, &means, c->seed, &c->opts);
    tess_release(&means);
    return status;
}

static const tess_shape shapes[] = {
    { { 1, 1, 1, 0 } },   { { 1, 1, 1, 1 } },   { { 1, 1, 1, 255 } }, { { 2, 3, 4, 5 } },
    { { 1, 2, 33, 35 } }, { { 1, 1, 700, 1 } }, { { 1, 7, 3, 131 } }, { { 1, 1, 1, 6000 } },
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static bool makes(int kind, tess_dtype dtype)
{
    const tess_kind k = tess_dtype_kind(dtype);
    const bool      is_float = k == TESS_KIND_FLOAT, is_whole = k == TESS_KIND_INT || k == TESS_KIND_UINT;
    switch (kind) {
    case UNIFORM:
    case NORMAL:
    case LOGNORMAL:
    case EXPONENTIAL: return is_float || is_complex(dtype);
    case POISSON: return is_float || is_whole || is_complex(dtype);
    case INTEGERS: return is_float || is_whole;
    case WIDE_INTEGERS: return dtype == TESS_F64 || (is_whole && tess_dtype_size(dtype) == 8);
    default: return is_whole && tess_dtype_size(dtype) > 1;
    }
}

static void check_case(random_case *c, tess_shape shape)
{
    static const int threads[] = { 1, 2, 3 };
    guarded          g;
    tess_array       want = { 0 }, got = { 0 };
    const int        layout_out = (int)test_random_in(0, n_output_layouts - 1);
    const int        n_threads = threads[test_random_in(0, 2)];
    char             what[200];
    c->seed = test_random();
    c->opts.stream = (uint32_t)test_random_in(0, 3);
    c->opts.offset = (uint64_t)test_random_in(0, 3) * (UINT64_C(0x3fffffff) << test_random_in(0, 5)) +
                     (uint64_t)test_random_in(0, 999);
    snprintf(what, sizeof what, "%s: %s %s of {%d,%d,%d,%d}, %s, %d threads", c->isa, names[c->kind],
             tess_dtype_name(c->dtype), (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w,
             layout_names[layout_out], n_threads);
    if (!test_wants_case(what)) return;
    CHECK_OK(tess_threads_set(n_threads));
    guarded_make(&g, (layout)layout_out, shape, c->dtype);
    if (CHECK_OK(draw(c, &g.view))) {
        CHECK_OK(tess_copy(&got, &g.view));
        want = wanted(c, shape);
        if (memcmp(got.data, want.data, (size_t)tess_n_bytes(&want)) != 0)
            (void)test_failed(__FILE__, __LINE__, "%s: other bits", what);
        (void)guarded_check(&g, what);
    }
    tess_release(&got);
    tess_release(&want);
    guarded_free(&g);
}

/* Runs the cases of a kind once per instruction set of this processor. */
static void on_each_isa(int kind)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
            for (int s = 0; s < N_SHAPES && makes(kind, dtype); s++)
                for (int round = 0; round < 4; round++) {
                    if (kind == PERMUTATION && round > 0 && s == N_SHAPES - 1) continue;
                    if (!test_takes_case()) continue;
                    random_case c = { .kind = kind, .dtype = dtype, .isa = isa->name };
                    check_case(&c, shapes[s]);
                }
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
}

TEST(uniform) { on_each_isa(UNIFORM); }
TEST(normal) { on_each_isa(NORMAL); }
TEST(lognormal) { on_each_isa(LOGNORMAL); }
TEST(exponential) { on_each_isa(EXPONENTIAL); }
TEST(poisson) { on_each_isa(POISSON); }
TEST(integers) { on_each_isa(INTEGERS); }
TEST(wide_integers) { on_each_isa(WIDE_INTEGERS); }
TEST(permutation) { on_each_isa(PERMUTATION); }

/* So many that of some keys the highest bits, all that fit into a word beside an index, are the same, and that the
 * indices of some of these are not in order: see cpu/random/permutation.c. */
TEST(permutation_of_many)
{
    enum { BITS = 22, N = 1 << BITS, SEED = 4 };
    tess_array keys = { 0 }, want = { 0 }, got = { 0 };
    int        unlike = 0;
    CHECK_OK(tess_empty(&keys, TESS_SHAPE(1, 1, 1, N), TESS_U64, tess_cpu()));
    CHECK_OK(tess_empty(&got, keys.shape, TESS_I64, tess_cpu()));
    uint64_t *key = keys.data;
    for (int64_t i = 0; i < N; i++) key[i] = tess__random_u64(SEED, 0, (uint64_t)i, 0);
    CHECK_OK(tess_argsort(&want, &keys, 3, NULL));
    const int64_t *at = want.data;
    for (int64_t i = 1; i < N; i++) unlike += at[i] < at[i - 1] && key[at[i]] >> BITS == key[at[i - 1]] >> BITS;
    CHECK(unlike > 0);
    for (int threads = 1; threads <= 2; threads++) {
        CHECK_OK(tess_threads_set(threads));
        CHECK_OK(tess_random_permutation(&got, SEED, NULL));
        CHECK(memcmp(got.data, want.data, (size_t)tess_n_bytes(&want)) == 0);
    }
    CHECK_OK(tess_threads_set(0));
    tess_release(&keys);
    tess_release(&want);
    tess_release(&got);
}

/* ---- Shuffles ---- */

static bool same_slices(const tess_array *out, const tess_array *in, int axis, const tess_array *order)
{
    const size_t size = tess_dtype_size(in->dtype);
    int64_t      at[4], from[4];
    for (int64_t i = 0; i < tess_n_elements(in); i++) {
        int64_t rest = i;
        for (int d = 3; d >= 0; d--) at[d] = from[d] = rest % in->shape.dim[d], rest /= in->shape.dim[d];
        from[axis] = ((const int64_t *)order->data)[at[axis]];
        if (memcmp(element_at(out, at), element_at(in, from), size) != 0) return false;
    }
    return true;
}

static void check_shuffle(tess_dtype dtype, tess_shape shape, int axis)
{
    guarded        in, out, both;
    const uint64_t seed = test_random();
    const int      layout_in = (int)test_random_in(0, n_layouts - 1);
    tess_array     order = { 0 };
    CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
    CHECK_OK(tess_zeros(&order, TESS_SHAPE(1, 1, 1, shape.dim[axis]), TESS_I64, tess_cpu()));
    CHECK_OK(tess_random_permutation(&order, seed, NULL));
    guarded_make(&in, (layout)layout_in, shape, dtype);
    guarded_make(&out, (layout)test_random_in(0, n_output_layouts - 1), in.view.shape, dtype);
    guarded_make(&both, (layout)test_random_in(0, n_output_layouts - 1), in.view.shape, dtype);
    CHECK_OK(tess_copy(&both.view, &in.view));
    CHECK_OK(tess_random_shuffle(&out.view, &in.view, axis, seed, NULL));
    CHECK_OK(tess_random_shuffle(&both.view, &both.view, axis, seed, NULL));
    if (!same_slices(&out.view, &in.view, axis, &order) || !same_slices(&both.view, &in.view, axis, &order))
        (void)test_failed(__FILE__, __LINE__, "shuffle of %s {%d,%d,%d,%d} along %d: %s", tess_dtype_name(dtype),
                          (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w, axis, layout_names[layout_in]);
    (void)guarded_check(&out, "shuffle");
    (void)guarded_check(&both, "shuffle in place");
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&both);
    tess_release(&order);
}

TEST(shuffle)
{
    for (tess_dtype dtype = 1; dtype < TESS_DTYPE_COUNT; dtype++)
        for (int s = 1; s < N_SHAPES; s++)
            for (int axis = 0; axis < 4; axis++) check_shuffle(dtype, shapes[s], axis);
    CHECK_OK(tess_threads_set(0));
}

/* ---- Timing ---- */

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Best time of an element, in nanoseconds. */
static double time_case(const random_case *c, int64_t n)
{
    tess_array out = { 0 };
    double     best = 1e9;
    CHECK_OK(tess_zeros(&out, TESS_SHAPE(1, 1, 1, n), c->dtype, tess_cpu()));
    for (int i = 0; i < 9; i++) {
        const double start = seconds();
        if (!CHECK_OK(draw(c, &out))) break;
        const double took = seconds() - start;
        if (took < best) best = took;
    }
    tess_release(&out);
    return best * 1e9 / (double)n;
}

static void bench(void)
{
    CHECK_OK(tess_threads_set(1));
    for (const tess__isa *isa = tess__isas; isa->name && isa->supported(); isa++) {
        CHECK_OK(tess_cpu_limit_set(isa->name));
        for (int kind = 0; kind < KINDS; kind++)
            for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++) {
                const random_case c = { .kind = kind, .dtype = dtype, .seed = 1 };
                if (makes(kind, dtype) && !is_complex(dtype))
                    printf(
                        "{\"isa\": \"%s\", \"work\": \"%s\", \"dtype\": \"%s\", \"1Ki_ns\": %.3f, \"32Ki_ns\": %.3f}\n",
                        isa->name, names[kind], tess_dtype_name(dtype), time_case(&c, 1 << 10), time_case(&c, 32000));
            }
    }
}

__attribute__((constructor)) static void offer_bench(void) { test_bench = bench; }
