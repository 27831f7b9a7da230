/* Scans (sums, products, minima and maxima) against naive loops: operation x dtype x axis x length x options, then the same
 * bits for every layout, in place, for every number of threads and instruction set.
 *
 * `check_scan --bench` times running sums of each instruction set instead.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "support/isas.h"
#include "support/layouts.h"

typedef tess_status scan_fn(tess_array *out, const tess_array *in, int axis, const tess_scan_opts *opts);

enum { SUM, PROD, MIN, MAX, N_OPS };

static scan_fn *const    functions[N_OPS] = { tess_cumsum, tess_cumprod, tess_cummin, tess_cummax };
static const char *const op_names[N_OPS] = { "cumsum", "cumprod", "cummin", "cummax" };

static bool is_complex(tess_dtype dtype) { return tess_dtype_kind(dtype) == TESS_KIND_COMPLEX; }
static bool is_float(tess_dtype dtype) { return tess_dtype_kind(dtype) == TESS_KIND_FLOAT; }

/* The widest dtype of the same kind, in which everything is compared. */
static tess_dtype widest(tess_dtype dtype)
{
    switch (tess_dtype_kind(dtype)) {
    case TESS_KIND_UINT: return TESS_U64;
    case TESS_KIND_FLOAT: return TESS_F64;
    case TESS_KIND_COMPLEX: return TESS_C64;
    default: return TESS_I64;
    }
}

static tess_array wide(const tess_array *a)
{
    tess_array w = { 0 };
    CHECK_OK(tess_cast(&w, a, widest(a->dtype), NULL));
    return w;
}

/* Same numbers, bit for bit, any NaN being any other; both contiguous and of one wide dtype. */
static bool same_bits(const tess_array *x, const tess_array *y)
{
    const int64_t   n = tess_n_elements(x) * tess_dtype_reals(x->dtype);
    const double   *p = x->data, *q = y->data;
    const uint64_t *u = x->data, *v = y->data;
    for (int64_t i = 0; i < n; i++)
        if (u[i] != v[i] && (x->dtype == TESS_I64 || x->dtype == TESS_U64 || !(isnan(p[i]) && isnan(q[i]))))
            return false;
    return true;
}

/* ---- Data ---- */

/* special: a NaN, infinities and zeros of both signs are among them. */
static void set_numbers(tess_array *a, int op, bool special)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e30, -1e30 };
    const int64_t       n = tess_n_elements(a) * tess_dtype_reals(a->dtype);
    unsigned char      *bytes = a->data;
    if (!is_float(tess_dtype_real(a->dtype))) {
        for (int64_t i = 0; i < n * (int64_t)tess_dtype_size(a->dtype); i++)
            bytes[i] = (unsigned char)(a->dtype == TESS_BOOL ? test_random() & 1 : test_random());
        return;
    }
    tess_array numbers = { 0 };
    CHECK_OK(tess_empty(&numbers, a->shape, widest(a->dtype), tess_cpu()));
    double *x = numbers.data;
    for (int64_t i = 0; i < n; i++) {
        x[i] = test_random_unit() * 2 - 1;
        if (op == PROD) x[i] = 1 + x[i] / 8;
        else if (test_random_in(0, 3) == 0) x[i] = ldexp(x[i], (int)test_random_in(-12, 12));
        if (special && test_random_in(0, 40) == 0) x[i] = odd[test_random_in(0, sizeof odd / sizeof *odd - 1)];
    }
    CHECK_OK(tess_cast(a, &numbers, a->dtype, NULL));
    tess_release(&numbers);
}

/* ---- Reference: one line at a time, in wide numbers ---- */

typedef struct line {
    tess_dtype  result; /* dtype of the results before they were widened */
    int         op;
    int64_t     n, step; /* reals */
    const void *in;
    const void *out;
    bool        exclusive;
} line;

static bool check_integers(const line *l, bool is_signed)
{
    const uint64_t *x = l->in, *o = l->out;
    const int       bits = 8 * (int)tess_dtype_size(l->result);
    const uint64_t  least = is_signed ? (uint64_t)(INT64_MIN >> (64 - bits)) : 0;
    const uint64_t  most = l->result == TESS_BOOL ? 1
                           : is_signed            ? (uint64_t)(INT64_MAX >> (64 - bits))
                                                  : UINT64_MAX >> (64 - bits);
    uint64_t        s = l->op == SUM ? 0 : l->op == PROD ? 1 : l->op == MIN ? most : l->result == TESS_BOOL ? 0 : least;
    for (int64_t i = 0; i < l->n; i++) {
        const uint64_t v = x[i * l->step], before = s;
        const bool     below = is_signed ? (int64_t)v < (int64_t)s : v < s,
                   above = is_signed ? (int64_t)v > (int64_t)s : v > s;
        switch (l->op) {
        case SUM: s += v; break;
        case PROD: s *= v; break;
        case MIN: s = below ? v : s; break;
        default: s = above ? v : s; break;
        }
        if (o[i * l->step] != (l->exclusive ? before : s)) return false;
    }
    return true;
}

/* What infinities and NaNs make of the finite part of a sum. */
static double sum_of(long double finite, int plus, int minus, int nans)
{
    return nans || (plus && minus) ? (double)NAN : plus ? (double)INFINITY : minus ? -(double)INFINITY : (double)finite;
}

static bool check_sums(const line *l)
{
    const double *x = l->in, *o = l->out;
    const double  ulp = l->result == TESS_F32 || l->result == TESS_C32 ? ldexp(1, -23) : ldexp(1, -52);
    long double   s = 0, magnitudes = 0;
    int           plus = 0, minus = 0, nans = 0;
    double        before = 0;
    for (int64_t i = 0; i < l->n; i++) {
        const double v = x[i * l->step];
        nans |= isnan(v) != 0;
        plus |= v == (double)INFINITY;
        minus |= v == -(double)INFINITY;
        if (isfinite(v)) s += (long double)v, magnitudes += fabsl((long double)v);
        const double now = sum_of(s, plus, minus, nans), want = l->exclusive ? before : now, got = o[i * l->step];
        if (!isfinite(want)
                ? !(got == want || (isnan(got) && isnan(want)))
                : !(fabs(got - want) <= ulp * fabs(want) + (double)i * ldexp(1, -60) * (double)magnitudes +
                                            (ulp > 1e-10 ? (double)i * ldexp(1, -53) * (double)magnitudes : 0)))
            return false;
        before = now;
    }
    return true;
}

static double rounded(double x, tess_dtype result)
{
    return tess_dtype_real(result) == TESS_F64 ? x : (double)(float)x;
}

static bool equal(double x, double y) { return (isnan(x) && isnan(y)) || (x == y && signbit(x) == signbit(y)); }

static bool check_products(const line *l)
{
    const double *x = l->in, *o = l->out;
    double        s = 1;
    for (int64_t i = 0; i < l->n; i++) {
        const double before = s;
        s *= x[i * l->step];
        if (!equal(o[i * l->step], rounded(l->exclusive ? before : s, l->result))) return false;
    }
    return true;
}

static bool check_complex_products(const line *l)
{
    const double *x = l->in, *o = l->out;
    double        re = 1, im = 0;
    for (int64_t i = 0; i < l->n; i++) {
        const double *v = &x[i * l->step], *got = &o[i * l->step], was[2] = { re, im };
        re = i ? fma(was[0], v[0], -(was[1] * v[1])) : v[0];
        im = i ? fma(was[0], v[1], was[1] * v[0]) : v[1];
        if (!equal(got[0], rounded(l->exclusive ? was[0] : re, l->result))) return false;
        if (!equal(got[1], rounded(l->exclusive ? was[1] : im, l->result))) return false;
    }
    return true;
}

static bool check_extremes(const line *l)
{
    const double *x = l->in, *o = l->out, sign = l->op == MIN ? 1 : -1;
    double        s = sign * (double)INFINITY;
    for (int64_t i = 0; i < l->n; i++) {
        const double v = x[i * l->step], before = s;
        if (isnan(v) || sign * v < sign * s || (v == 0 && s == 0 && (signbit(v) != 0) == (l->op == MIN)))
            s = isnan(s) ? s : v;
        if (!equal(o[i * l->step], l->exclusive ? before : s)) return false;
    }
    return true;
}

static bool check_line(const line *l)
{
    if (!is_float(tess_dtype_real(l->result))) return check_integers(l, tess_dtype_kind(l->result) != TESS_KIND_UINT);
    if (l->op == SUM) return check_sums(l);
    if (l->op == PROD) return is_complex(l->result) ? check_complex_products(l) : check_products(l);
    return check_extremes(l);
}

/* Every line of contiguous results against the loops above. */
static bool check_lines(const tess_array *out, const tess_array *in, int op, int axis, const tess_scan_opts *o)
{
    tess_array    x = wide(in), y = wide(out);
    const int64_t reals = tess_dtype_reals(x.dtype), n = x.shape.dim[axis];
    const int64_t parts = is_complex(x.dtype) && op == SUM ? 2 : 1;
    const int64_t stride = x.strides.dim[axis] * reals, lines = n ? tess_n_elements(&x) / n : 0;
    bool          good = true;
    for (int64_t k = 0; k < lines * parts && good; k++) {
        const int64_t at = k / parts,
                      first = (at / x.strides.dim[axis] * n * x.strides.dim[axis] + at % x.strides.dim[axis]) * reals +
                              k % parts;
        const int64_t start = first + (o->reverse ? (n - 1) * stride : 0);
        const line    l = {
               out->dtype,  op, n, o->reverse ? -stride : stride, (double *)x.data + start, (double *)y.data + start,
               o->exclusive
        };
        good = check_line(&l);
    }
    tess_release(&x);
    tess_release(&y);
    return good;
}

/* ---- Cases ---- */

static const tess_shape shapes[] = {
    { { 1, 1, 1, 0 } },    { { 0, 3, 4, 5 } },     { { 1, 1, 1, 1 } },     { { 1, 1, 1, 67 } },   { { 2, 3, 4, 5 } },
    { { 1, 2, 33, 35 } },  { { 2, 1, 70, 9 } },    { { 1, 7, 3, 131 } },   { { 1, 1, 1, 2600 } }, { { 1, 1, 1100, 9 } },
    { { 3, 1, 2, 1300 } }, { { 1, 1, 1, 40000 } }, { { 1, 1, 30, 1500 } },
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static const char *isa_now;

typedef struct scan_case {
    tess_dtype     dtype;
    int            op, axis;
    tess_scan_opts opts;
    tess_array     in, out; /* contiguous; the results are known to be right */
    char           what[160];
} scan_case;

/* The same elements in other layouts, with other numbers of threads: the same bits. */
static void check_layouts(const scan_case *c)
{
    static const int threads[] = { 1, 2, 8 };
    guarded          in, out;
    tess_array       want = wide(&c->out), got = { 0 };
    const int        layout_in = (int)test_random_in(0, n_output_layouts - 1),
              layout_out = (int)test_random_in(0, n_output_layouts - 1);
    char what[256];
    snprintf(what, sizeof what, "%s, %s to %s", c->what, layout_names[layout_in], layout_names[layout_out]);
    guarded_make(&in, (layout)layout_in, c->in.shape, c->in.dtype);
    guarded_make(&out, (layout)layout_out, c->in.shape, c->out.dtype);
    CHECK_OK(tess_copy(&in.view, &c->in));
    CHECK_OK(tess_threads_set(threads[test_random_in(0, 2)]));
    CHECK_OK(functions[c->op](&out.view, &in.view, c->axis, &c->opts));
    got = wide(&out.view);
    if (!same_bits(&got, &want)) (void)test_failed(__FILE__, __LINE__, "%s: other bits", what);
    (void)guarded_check(&out, what);
    tess_release(&got);
    if (c->in.dtype == c->out.dtype) {
        guarded_snapshot(&in);
        CHECK_OK(functions[c->op](&in.view, &in.view, c->axis - 4, &c->opts));
        got = wide(&in.view);
        if (!same_bits(&got, &want)) (void)test_failed(__FILE__, __LINE__, "%s: other bits in place", what);
        (void)guarded_check(&in, what);
        tess_release(&got);
    }
    tess_release(&want);
    guarded_free(&in);
    guarded_free(&out);
}

static void check_case(scan_case *c, tess_shape shape, bool special)
{
    snprintf(c->what, sizeof c->what, "%s: %s %s of {%d,%d,%d,%d} along %d%s%s%s", isa_now, op_names[c->op],
             tess_dtype_name(c->dtype), (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w, c->axis,
             c->opts.exclusive ? ", exclusive" : "", c->opts.reverse ? ", reverse" : "", special ? ", special" : "");
    if (!test_wants_case(c->what)) return;
    memset(&c->in, 0, sizeof c->in);
    memset(&c->out, 0, sizeof c->out);
    CHECK_OK(tess_empty(&c->in, shape, c->dtype, tess_cpu()));
    set_numbers(&c->in, c->op, special);
    CHECK_OK(tess_threads_set(1));
    if (CHECK_OK(functions[c->op](&c->out, &c->in, c->axis, &c->opts))) {
        if (!check_lines(&c->out, &c->in, c->op, c->axis, &c->opts))
            (void)test_failed(__FILE__, __LINE__, "%s: wrong", c->what);
        for (int i = 0; i < 2; i++) check_layouts(c);
    }
    tess_release(&c->in);
    tess_release(&c->out);
}

/* Of large arrays, lines of one element and most options are left out. */
static void check_shape(int op, tess_dtype dtype, tess_shape shape)
{
    const bool large = shape.b * shape.d * shape.h * shape.w > 2000, is_real = is_float(dtype);
    for (int axis = 0; axis < 4; axis++) {
        if (large && shape.dim[axis] == 1) continue;
        for (int o = 0; o < 4; o += large ? 3 : 1) {
            if (!test_takes_case()) continue;
            scan_case c = { .dtype = dtype, .op = op, .axis = axis, .opts = { .exclusive = o & 1, .reverse = o >> 1 } };
            check_case(&c, shape, o == 0 && (is_real || (is_complex(dtype) && op == SUM)));
        }
    }
}

static void check_op(int op)
{
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++) {
        if (is_complex(dtype) && (op == MIN || op == MAX)) continue;
        for (int s = 0; s < N_SHAPES; s++) check_shape(op, dtype, shapes[s]);
    }
}

/* Runs an operation's cases once per instruction set of this processor. */
static void on_each_isa(int op)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        isa_now = isa->name;
        check_op(op);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
}

TEST(cumsum) { on_each_isa(SUM); }
TEST(cumprod) { on_each_isa(PROD); }
TEST(cummin) { on_each_isa(MIN); }
TEST(cummax) { on_each_isa(MAX); }

/* All lines from one: the input moves along the axis alone. */
TEST(broadcast_input)
{
    for (int op = 0; op < N_OPS; op++)
        for (int axis = 0; axis < 4; axis++) {
            tess_array in = { 0 }, whole = { 0 }, full = { 0 }, want = { 0 }, got = { 0 };
            tess_shape shape = TESS_SHAPE(1, 1, 1, 1);
            shape.dim[axis] = 9;
            CHECK_OK(tess_empty(&in, shape, TESS_F32, tess_cpu()));
            set_numbers(&in, op, false);
            CHECK_OK(tess_broadcast(&whole, &in, TESS_SHAPE(9, 9, 9, 9)));
            CHECK_OK(tess_copy(&full, &whole));
            CHECK_OK(functions[op](&want, &full, axis, NULL));
            CHECK_OK(functions[op](&got, &whole, axis, NULL));
            CHECK(memcmp(want.data, got.data, (size_t)tess_n_bytes(&want)) == 0);
            tess_release(&in);
            tess_release(&full);
            tess_release(&want);
            tess_release(&got);
        }
}

/* Every instruction set gives what the first does, on any number of threads. */
static void check_isas(int op, tess_dtype dtype, int axis)
{
    static const int threads[] = { 1, 2, 8 };
    tess_array       in = { 0 }, want = { 0 };
    CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 3, 20, 3000), dtype, tess_cpu()));
    set_numbers(&in, op, false);
    CHECK_OK(tess_threads_set(1));
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        tess_array got = { 0 };
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(functions[op](want.data ? &got : &want, &in, axis, NULL));
        if (got.data && memcmp(got.data, want.data, (size_t)tess_n_bytes(&want)) != 0) {
            tess_array x = wide(&got), y = wide(&want); /* NaNs may have any bits */
            if (!same_bits(&x, &y))
                (void)test_failed(__FILE__, __LINE__, "%s: %s %s along %d: other bits", isa->name, op_names[op],
                                  tess_dtype_name(dtype), axis);
            tess_release(&x);
            tess_release(&y);
        }
        tess_release(&got);
        CHECK_OK(tess_threads_set(threads[test_random_in(0, 2)]));
    }
    tess_release(&in);
    tess_release(&want);
}

TEST(same_bits_on_every_instruction_set)
{
    for (int op = 0; op < N_OPS; op++)
        for (tess_dtype dtype = TESS_F16; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
            for (int axis = 1; axis < 4; axis++)
                if (!is_complex(dtype) || op == SUM || op == PROD) check_isas(op, dtype, axis);
    CHECK_OK(tess_cpu_limit_set(NULL));
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
static double time_scan(scan_fn *scan, tess_dtype dtype, tess_shape shape, int axis, int rounds)
{
    tess_array in = { 0 }, out = { 0 };
    double     best = 1e9;
    if (!CHECK_OK(tess_ones(&in, shape, dtype, tess_cpu()))) return 0;
    for (int i = 0; i < rounds; i++) {
        const double start = seconds();
        if (!CHECK_OK(scan(&out, &in, axis, NULL))) break;
        const double took = seconds() - start;
        if (took < best) best = took;
    }
    best = best * 1e9 / (double)tess_n_elements(&in);
    tess_release(&in);
    tess_release(&out);
    return best;
}

static void bench(void)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_I64, TESS_U8, TESS_C32 };
    for (int threads = 1; threads <= 2; threads++) {
        CHECK_OK(tess_threads_set(threads));
        for (int d = 0; d < 5; d++)
            for (int op = 0; op < N_OPS - (dtypes[d] == TESS_C32 ? 2 : 0); op++) {
                printf("{\"work\": \"%s\", \"dtype\": \"%s\", \"threads\": %d", op_names[op],
                       tess_dtype_name(dtypes[d]), threads);
                printf(", \"1e3_ns\": %.3f", time_scan(functions[op], dtypes[d], TESS_SHAPE(1, 1, 1, 1000), 3, 300));
                printf(", \"1e5_ns\": %.3f", time_scan(functions[op], dtypes[d], TESS_SHAPE(1, 1, 1, 100000), 3, 60));
                printf(", \"1Mi_ns\": %.3f", time_scan(functions[op], dtypes[d], TESS_SHAPE(1, 1, 1, 1 << 20), 3, 20));
                for (int axis = 1; axis < 4; axis++)
                    printf(", \"stack_axis_%d_ns\": %.3f", axis - 1,
                           time_scan(functions[op], dtypes[d], TESS_SHAPE(1, 64, 512, 512), axis, 3));
                printf("}\n");
            }
    }
}

__attribute__((constructor)) static void offer_bench(void) { test_bench = bench; }
