/* Short reductions over axes without W: sums, means, minima, maxima and variances beside loops in long double, and
 * bit for bit beside those of layouts that other kernels reduce. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "cpu/memory/row_copy.h"
#include "cpu/reduce/kernels.h"
#include "support/isas.h"
#include "support/reductions.h"

enum { MAX_NUMBERS = 40, MAX_LOOKED_AT = 48 };

/* ---- Inputs ---- */

enum {
    kind_unit,    /* in [0,1) */
    kind_far,     /* a mean far from 0, */
    kind_farther, /* and farther */
    kind_constant,
    kind_zeros, /* of both signs */
    kind_nan,
    kind_inf,
    kind_infs,     /* of both signs */
    kind_overflow, /* sums that leave f32 on the way */
    kind_huge,     /* squares that overflow, */
    kind_tiny,     /* and that underflow */
    kind_least,    /* subnormal numbers */
    n_kinds
};

enum { placed_together, placed_apart, placed_backwards, placed_on_one_row, n_placements };

static const char *const kind_names[] = { "unit", "far",  "farther",  "constant", "zeros", "nan",
                                          "inf",  "infs", "overflow", "huge",     "tiny",  "least" };
static const char *const placement_names[] = { "together", "apart", "backwards", "on one row" };

typedef struct problem {
    guarded    memory;
    tess_array in;
    int        axes, kind, placement;
    tess_shape shape;               /* of the results */
    int64_t    n, results;          /* numbers of a result, and how many there are of these */
    int64_t    offset[MAX_NUMBERS]; /* elements from a result's first number to each */
} problem;

/* The offset of an element whose index, over these axes alone, is i. */
static int64_t offset_of(const tess_array *a, int axes, int64_t i)
{
    int64_t offset = 0;
    for (int d = 3; d >= 0; d--)
        if (axes & TESS_B << d) {
            offset += i % a->shape.dim[d] * a->strides.dim[d];
            i /= a->shape.dim[d];
        }
    return offset;
}

static double get(const tess_array *a, int64_t offset)
{
    return a->dtype == TESS_F32 ? (double)((const float *)a->data)[offset] : ((const double *)a->data)[offset];
}

static void set(const tess_array *a, int64_t offset, double x)
{
    if (a->dtype == TESS_F32) ((float *)a->data)[offset] = (float)x;
    else ((double *)a->data)[offset] = x;
}

/* A NaN of either sign that says something, which results must not. */
static double random_nan(tess_dtype dtype)
{
    const uint32_t narrow = 0x7fc00000u | (uint32_t)test_random_in(0, 1) << 31 | (uint32_t)test_random_in(1, 1000);
    const uint64_t wide =
        0x7ff8000000000000u | (uint64_t)test_random_in(0, 1) << 63 | (uint64_t)test_random_in(1, 1000);
    float  f;
    double x;
    memcpy(&f, &narrow, sizeof f);
    memcpy(&x, &wide, sizeof x);
    return dtype == TESS_F32 ? (double)f : x;
}

/* Number i of n of a column of this kind; `chosen` is one of them. */
static double value_of(int kind, tess_dtype dtype, int64_t i, int64_t chosen, int64_t n)
{
    const bool   f32 = dtype == TESS_F32;
    const double x = test_random_unit(), y = x - 0.5;
    switch (kind) {
    case kind_far: return 1000 + x;
    case kind_farther: return 1e6 + x;
    case kind_constant: return 0.1;
    case kind_zeros: return chosen == 0 || test_random_in(0, 1) ? -0.0 : 0.0;
    case kind_nan: return i == chosen ? random_nan(dtype) : x;
    case kind_inf: return i == chosen ? (double)INFINITY : x;
    case kind_infs: return i == chosen ? (double)INFINITY : i == (chosen + 1) % n ? -(double)INFINITY : x;
    case kind_overflow: return i % 4 < 2 ? 3e38 : -3e38;
    case kind_huge: return (f32 ? 1e30 : 1e200) * y;
    case kind_tiny: return (f32 ? 1e-30 : 1e-200) * y;
    case kind_least: return (double)test_random_in(-3, 3) * (f32 ? 0x1p-149 : 0x1p-1074);
    default: return x;
    }
}

/* Columns of the kind beside ordinary ones: one in three, or a single one, or all. */
static void fill(const problem *p)
{
    const int64_t one_in = (const int64_t[]){ 3, p->results, 1 }[test_random_in(0, 2)];
    const int64_t single = test_random_in(0, p->results - 1);
    for (int64_t r = 0; r < p->results; r++) {
        const bool    hard = one_in == p->results ? r == single : test_random_in(1, one_in) == 1;
        const int64_t chosen = test_random_in(0, p->n - 1), first = offset_of(&p->in, TESS_ALL_AXES & ~p->axes, r);
        for (int64_t i = 0; i < p->n; i++)
            set(&p->in, first + p->offset[i], value_of(hard ? p->kind : kind_unit, p->in.dtype, i, chosen, p->n));
    }
}

/* Reverses the reduced axes, or makes all their rows the first one. */
static void place(problem *p)
{
    for (int d = 0; d < 3; d++) {
        int64_t *stride = &p->in.strides.dim[d];
        if (!(p->axes & TESS_B << d)) continue;
        if (p->placement == placed_backwards) {
            p->in.data =
                (char *)p->in.data + (p->in.shape.dim[d] - 1) * *stride * (int64_t)tess_dtype_size(p->in.dtype);
            *stride = -*stride;
        }
        if (p->placement == placed_on_one_row) *stride = 0;
    }
}

static void problem_make(problem *p, tess_dtype dtype, tess_shape shape, int axes, int kind, int placement)
{
    memset(p, 0, sizeof *p);
    guarded_make(&p->memory, placement == placed_apart ? layout_subregion : layout_misaligned, shape, dtype);
    p->in = p->memory.view;
    p->axes = axes, p->kind = kind, p->placement = placement;
    p->shape = shape;
    p->n = p->results = 1;
    for (int d = 0; d < 4; d++) {
        if (axes & TESS_B << d) p->n *= shape.dim[d], p->shape.dim[d] = 1;
        else p->results *= shape.dim[d];
    }
    place(p);
    for (int64_t i = 0; i < p->n; i++) p->offset[i] = offset_of(&p->in, axes, i);
    fill(p);
}

/* ---- Results of a plain loop ---- */

typedef struct expected {
    int64_t     result;
    long double sum, magnitudes, m2;
    double      least, largest;
} expected;

/* -0 is below +0, and NaN wins. */
static bool is_below(double x, double y) { return x < y || (x == y && signbit(x) && !signbit(y)); }

static expected expect(const problem *p, int64_t result)
{
    const int64_t first = offset_of(&p->in, TESS_ALL_AXES & ~p->axes, result);
    expected      e = { result, -0.0L, 0, 0, get(&p->in, first), get(&p->in, first) };
    for (int64_t i = 0; i < p->n; i++) {
        const double x = get(&p->in, first + p->offset[i]);
        e.sum += (long double)x;
        e.magnitudes += fabsl((long double)x);
        if (isnan(x) || is_below(x, e.least)) e.least = x;
        if (isnan(x) || is_below(e.largest, x)) e.largest = x;
    }
    for (int64_t i = 0; i < p->n; i++) {
        const long double distance = (long double)get(&p->in, first + p->offset[i]) - e.sum / (long double)p->n;
        e.m2 += distance * distance;
    }
    return e;
}

/* All results; of many, those at both ends and some between. */
static int expect_some(const problem *p, expected *e)
{
    int n = 0;
    for (int64_t r = 0; r < p->results; r++) {
        const int64_t end = MAX_LOOKED_AT / 3, left = p->results - r;
        const bool    between = r % (p->results / end + 1) == 0;
        if (p->results > MAX_LOOKED_AT && r >= end && left > end && !between) continue;
        if (n < MAX_LOOKED_AT) e[n++] = expect(p, r);
    }
    return n;
}

/* ---- Comparison ---- */

static bool is_the_nan(tess_dtype dtype, const void *x)
{
    return dtype == TESS_F32 ? memcmp(x, &(uint32_t){ 0x7fc00000u }, 4) == 0
                             : memcmp(x, &(uint64_t){ 0x7ff8000000000000u }, 8) == 0;
}

/* How far off a result may be, over its magnitude or the sum of those of its numbers. Variances of f64 of more rows
 * than kernel of short reductions take come from squares, of which up to three bits cancel. */
static long double slack_of(const problem *p, bool var)
{
    if (p->in.dtype == TESS_F32) return var ? 0x1p-23L : 3 * 0x1p-24L;
    return (!var ? (long double)p->n : p->n <= TESS__SHORT ? 16 : 8 * (long double)p->n) * 0x1p-53L;
}

/* Within so much, and of subnormal numbers within a unit; in f64 one and a half, since standard deviations round them
 * twice. */
static bool is_near(tess_dtype dtype, long double want, double got, long double slack)
{
    const bool        f32 = dtype == TESS_F32;
    const long double max = f32 ? (long double)FLT_MAX : (long double)DBL_MAX;
    if (fabsl(want) > max) return isinf(got) && !signbit(got) == !signbit(want);
    if (slack == 0) return got == 0 && !signbit(got) == !signbit(want);
    return fabsl((long double)got - want) <= slack + (f32 ? 0x1p-149L : 3 * 0x1p-1075L);
}

static long double wanted(const problem *p, function f, int ddof, const expected *e)
{
    const long double var = p->n > ddof ? e->m2 / (long double)(p->n - ddof) : (long double)NAN;
    switch ((int)f) {
    case fn_sum: return e->sum;
    case fn_mean: return e->sum / (long double)p->n;
    case fn_var: return var;
    case fn_std: return sqrtl(var);
    case fn_min: return (long double)e->least;
    default: return (long double)e->largest;
    }
}

static bool is_right(const problem *p, function f, const expected *e, long double want, const void *result)
{
    const tess_dtype dtype = p->in.dtype;
    const double     got = get(&(tess_array){ .data = (void *)(uintptr_t)result, .dtype = dtype }, 0);
    if (isnan(want)) return is_the_nan(dtype, result);
    switch ((int)f) {
    case fn_sum: return is_near(dtype, want, got, slack_of(p, false) * e->magnitudes);
    case fn_mean: return is_near(dtype, want, got, slack_of(p, false) * e->magnitudes / (long double)p->n);
    case fn_var:
    case fn_std: return is_near(dtype, want, got, slack_of(p, true) * want);
    default: return (long double)got == want && !signbit(got) == !signbit(want);
    }
}

typedef struct outputs {
    guarded    together, stepped; /* contiguous, and two elements apart, which no kernel of short reductions writes */
    tess_array turned;            /* a copy of the input, in which the numbers of a result are neighbours */
} outputs;

static void outputs_make(outputs *o, const problem *p)
{
    tess_shape twice = p->shape;
    tess_array view = { 0 };
    twice.w *= 2;
    guarded_make(&o->together, layout_misaligned, p->shape, p->in.dtype);
    guarded_make(&o->stepped, layout_misaligned, twice, p->in.dtype);
    o->stepped.view.shape.w = p->shape.w;
    o->stepped.view.strides.w = 2;
    CHECK_OK(tess_transpose(&view, &p->in));
    memset(&o->turned, 0, sizeof o->turned);
    CHECK_OK(tess_copy(&o->turned, &view));
}

static void outputs_free(outputs *o)
{
    guarded_free(&o->together), guarded_free(&o->stepped);
    tess_release(&o->turned);
}

/* A result that is not as it is elsewhere. */
static void tell(const problem *p, function f, int ddof, const void *result, const char *elsewhere, long double want)
{
    const int64_t *s = p->in.shape.dim;
    const double   got = get(&(tess_array){ .data = (void *)(uintptr_t)result, .dtype = p->in.dtype }, 0);
    char           shape[96];
    (void)snprintf(shape, sizeof shape, "{%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "}", s[0], s[1], s[2], s[3]);
    (void)test_failed(__FILE__, __LINE__, "%s, ddof %d, of %s %s over 0x%x, %s, %s: %.17g, %s %.17Lg",
                      function_names[f], ddof, tess_dtype_name(p->in.dtype), shape, (unsigned)p->axes,
                      kind_names[p->kind], placement_names[p->placement], got, elsewhere, want);
}

/* Does a result have the same bits in two places? */
static void compare(const problem *p, function f, int ddof, const void *x, const void *y, const char *elsewhere)
{
    if (memcmp(x, y, tess_dtype_size(p->in.dtype)) == 0) return;
    const tess_array other = { .data = (void *)(uintptr_t)y, .dtype = p->in.dtype };
    tell(p, f, ddof, x, elsewhere, (long double)get(&other, 0));
}

/* One function of the input, into each output. */
static void check_function(const problem *p, outputs *o, function f, int ddof, const expected *e, int n_expected)
{
    const size_t  size = tess_dtype_size(p->in.dtype);
    const options with = { .ddof = ddof };
    tess_array    view = { 0 }, other = { 0 };
    guarded_poison(&o->together), guarded_poison(&o->stepped);
    CHECK_OK(tess_transpose(&view, &o->turned));
    CHECK_OK(call_function(f, &o->together.view, &p->in, NULL, p->axes, with));
    CHECK_OK(call_function(f, &o->stepped.view, &p->in, NULL, p->axes, with));
    CHECK_OK(call_function(f, &other, &view, NULL, p->axes, with));
    (void)guarded_check(&o->together, function_names[f]), (void)guarded_check(&o->stepped, function_names[f]);
    const char *x = o->together.view.data, *y = o->stepped.view.data, *z = other.data;
    for (int64_t r = 0; r < p->results; r++) {
        const size_t at = (size_t)r * size;
        compare(p, f, ddof, x + at, y + 2 * at, "with steps");
        compare(p, f, ddof, x + at, z + at, "of the transposed");
    }
    for (int i = 0; i < n_expected; i++) {
        const char       *result = x + (size_t)e[i].result * size;
        const long double want = wanted(p, f, ddof, &e[i]);
        if (!is_right(p, f, &e[i], want, result)) tell(p, f, ddof, result, "not", want);
    }
    tess_release(&other);
}

/* All functions of a problem, by every instruction set. */
static void check_problem(tess_dtype dtype, tess_shape shape, int axes, int kind, int placement)
{
    static const function functions[] = { fn_sum, fn_mean, fn_min, fn_max };
    problem               p;
    outputs               o;
    expected              e[MAX_LOOKED_AT];
    problem_make(&p, dtype, shape, axes, kind, placement);
    outputs_make(&o, &p);
    const int n = expect_some(&p, e), ddof[] = { 0, 1, (int)p.n };
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa->supported() || !isa_has_turn(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        for (int f = 0; f < 4; f++) check_function(&p, &o, functions[f], 0, e, n);
        for (int k = 0; k < 3; k++) {
            check_function(&p, &o, fn_var, ddof[k], e, n);
            check_function(&p, &o, fn_std, ddof[k], e, n);
        }
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    outputs_free(&o);
    guarded_free(&p.memory);
}

/* ---- Cases ---- */

TEST(short_reductions_of_each_kind)
{
    static const int64_t widths[] = { 1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 300, 4100 };
    for (int64_t n = 2; n <= MAX_NUMBERS; n++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int kind = 0; kind < n_kinds; kind++)
                for (int wide = 0; wide < 2; wide++) {
                    const int64_t one_in = widths[w] >= 100 ? widths[w] / 25 : n > TESS__SHORT + 1 ? 3 : 1;
                    if (test_random_in(1, one_in) == 1 && test_takes_case())
                        check_problem(wide ? TESS_F64 : TESS_F32, TESS_SHAPE(1, 1, n, widths[w]), TESS_H, kind,
                                      (int)test_random_in(0, n_placements - 1));
                }
}

TEST(short_reductions_of_a_wide_array)
{
    for (int64_t n = 2; n <= MAX_NUMBERS; n++)
        for (int wide = 0; wide < 2; wide++)
            if (test_takes_case())
                check_problem(wide ? TESS_F64 : TESS_F32, TESS_SHAPE(1, 1, n, 4100), TESS_H,
                              n % 2 ? kind_unit : kind_far, placed_together);
}

/* Axes that are kept beside W, before and after those that are reduced. */
TEST(short_reductions_beside_kept_axes)
{
    static const struct {
        int64_t b, d, h;
        int     axes;
    } cases[] = { { 2, 3, 2, TESS_H },          { 3, 2, 5, TESS_H },          { 2, 2, 30, TESS_H },
                  { 4, 2, 3, TESS_B },          { 16, 1, 2, TESS_B },         { 3, 7, 2, TESS_D },
                  { 2, 3, 2, TESS_B | TESS_H }, { 3, 2, 5, TESS_B | TESS_H }, { 4, 3, 8, TESS_B | TESS_H },
                  { 5, 2, 8, TESS_B | TESS_H }, { 2, 4, 3, TESS_B | TESS_D }, { 2, 2, 2, TESS_B | TESS_D | TESS_H } };
    static const int64_t widths[] = { 5, 33, 70, 1030 };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int w = 0; w < 4; w++)
            for (int placement = 0; placement < n_placements; placement++)
                for (int wide = 0; wide < 2; wide++)
                    if (test_takes_case())
                        check_problem(wide ? TESS_F64 : TESS_F32,
                                      TESS_SHAPE(cases[c].b, cases[c].d, cases[c].h, widths[w]), cases[c].axes,
                                      test_random_in(0, 2) ? kind_unit : (int)test_random_in(0, n_kinds - 1),
                                      placement);
}

TEST(short_reductions_on_two_threads)
{
    const int before = tess_threads_get();
    CHECK_OK(tess_threads_set(2));
    for (int64_t n = 2; n <= MAX_NUMBERS; n += n < 10 ? 1 : 6)
        for (int kind = 0; kind < n_kinds; kind += 3) {
            if (test_takes_case()) check_problem(TESS_F32, TESS_SHAPE(1, 1, n, 5001), TESS_H, kind, placed_together);
            if (test_takes_case()) check_problem(TESS_F64, TESS_SHAPE(1, 3, n, 1501), TESS_H, kind, placed_apart);
        }
    CHECK_OK(tess_threads_set(before));
}

/* ---- Kernels ---- */

/* Does the kernel of short reductions reduce n rows of these COLUMNS columns? By stores of both kinds, aligned and not,
 * it writes the same, and nothing beside. */
static bool is_taken(int kernel, tess_dtype dtype, int64_t n, const char *x)
{
    enum { COLUMNS = 77, MOST_BYTES = (COLUMNS + 24) * 8 };
    const size_t      size = tess_dtype_size(dtype);
    const char       *rows[TESS__SHORT];
    bool              taken[4];
    _Alignas(64) char out[4][MOST_BYTES];
    void             *workspace = aligned_alloc(64, ((size_t)tess__columns_workspace(n, COLUMNS) + 63) / 64 * 64);
    for (int64_t i = 0; i < n; i++) rows[i] = x + i * COLUMNS * (int64_t)size;
    const tess__columns in = { .rows = rows, .n = n, .columns = COLUMNS, .workspace = workspace };
    memset(out, 'x', sizeof out);
    for (int k = 0; k < 4; k++) {
        const size_t offset = k < 2 ? 64 : 64 + size;
        taken[k] = tess__cpu_kernels()->reduce.shorts[kernel][dtype](
            &in, &(tess__short_output){ .to = out[k] + offset, .divisor = (double)n, .nt = k % 2 });
        tess__stores_done();
        CHECK(taken[k] == taken[0] && memcmp(out[k] + offset, out[0] + 64, COLUMNS * size) == 0);
        for (size_t i = 0; i < MOST_BYTES; i++) CHECK((i >= offset && i < offset + COLUMNS * size) || out[k][i] == 'x');
    }
    free(workspace);
    return taken[0];
}

/* Kernels take all rows that they are made for, so that the other tests are of them; and none with a NaN. */
TEST(kernels_of_short_reductions_take_them)
{
    static const struct {
        int        kernel;
        tess_dtype dtype;
        int64_t    most;
    } kernels[] = { { TESS__RK_BATCHED_SUM, TESS_F32, 8 }, { TESS__RK_COLUMN_SUM, TESS_F64, 8 },
                    { TESS__RK_MIN, TESS_F32, 8 },         { TESS__RK_MIN, TESS_F64, 8 },
                    { TESS__RK_MAX, TESS_F32, 8 },         { TESS__RK_MAX, TESS_F64, 8 },
                    { TESS__RK_COLUMN_VAR, TESS_F32, 16 }, { TESS__RK_COLUMN_VAR, TESS_F64, 32 } };
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
            for (int64_t n = 2; n <= kernels[k].most; n++) {
                tess_array x = { 0 };
                CHECK_OK(tess_empty(&x, TESS_SHAPE(1, 1, n, 77), kernels[k].dtype, tess_cpu()));
                CHECK_OK(tess_random_uniform(&x, 0, 1, (uint64_t)n, NULL));
                CHECK(is_taken(kernels[k].kernel, kernels[k].dtype, n, x.data));
                set(&x, test_random_in(0, n * 77 - 1), (double)NAN);
                CHECK(!is_taken(kernels[k].kernel, kernels[k].dtype, n, x.data));
                tess_release(&x);
            }
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
}

/* ---- Options of other reductions ---- */

/* ddof is for variances: a mean does not know it. */
TEST(means_beside_an_option_of_variances)
{
    for (int64_t n = 2; n <= 9; n++)
        for (int is_f64 = 0; is_f64 < 2; is_f64++) {
            const tess_var_opts opts = { .ddof = 1 };
            tess_array          x = { 0 }, mean = { 0 }, want = { 0 };
            CHECK_OK(tess_empty(&x, TESS_SHAPE(1, 1, n, 100), is_f64 ? TESS_F64 : TESS_F32, tess_cpu()));
            CHECK_OK(tess_random_uniform(&x, 0, 1, (uint64_t)n, NULL));
            CHECK_OK(tess_mean(&want, &x, TESS_H, NULL));
            CHECK_OK(tess_reduce(&(tess_reduction){ TESS_REDUCE_MEAN, &mean }, 1, &x, TESS_H, &opts));
            CHECK(memcmp(mean.data, want.data, (size_t)tess_n_bytes(&mean)) == 0);
            tess_release(&x), tess_release(&mean), tess_release(&want);
        }
}
