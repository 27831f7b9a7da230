/* Reductions against plain loops in long double: function x dtype x layout x axes x shape x instruction set; and the
 * same bits from every layout, number of threads and instruction set. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "support/isas.h"
#include "support/layouts.h"

/* ---- Functions under test ---- */

#define FUNCTIONS(X)                                                                                                   \
    X(sum)                                                                                                             \
    X(compensated)                                                                                                     \
    X(prod)                                                                                                            \
    X(mean)                                                                                                            \
    X(var)                                                                                                             \
    X(std)                                                                                                             \
    X(norm_l2)                                                                                                         \
    X(norm_l1)                                                                                                         \
    X(norm_max)                                                                                                        \
    X(min) X(max) X(argmin) X(argmax) X(any) X(all) X(count_nonzero) X(logsumexp) X(dot) X(weighted_mean) X(rmsd)

typedef enum function {
#define ENUM(name) fn_##name,
    FUNCTIONS(ENUM)
#undef ENUM
        n_functions
} function;

static const char *const names[] = {
#define NAME(name) #name,
    FUNCTIONS(NAME)
#undef NAME
};

typedef struct options {
    int skip_nan, ddof;
    int exponent; /* of 2, by which all elements are multiplied */
} options;

static bool takes_two(function f) { return f == fn_dot || f == fn_weighted_mean || f == fn_rmsd; }

static bool has_skip(function f)
{
    return f != fn_any && f != fn_all && f != fn_count_nonzero && f != fn_weighted_mean && f != fn_rmsd;
}

static bool is_place(function f) { return f == fn_argmin || f == fn_argmax; }

static bool is_real(tess_dtype dtype) { return tess_dtype_kind(dtype) != TESS_KIND_COMPLEX; }

static bool is_integer(tess_dtype dtype) { return dtype >= TESS_BOOL && dtype <= TESS_U64; }

static bool is_defined(function f, tess_dtype dtype)
{
    return is_real(dtype) || !(f == fn_min || f == fn_max || is_place(f) || f == fn_logsumexp);
}

static tess_status call(function f, tess_array *out, const tess_array *a, const tess_array *b, int axes, options o)
{
    const tess_reduce_opts plain = { .skip_nan = o.skip_nan };
    const tess_var_opts    var = { .ddof = o.ddof, .skip_nan = o.skip_nan };
    const tess_sum_opts    sum = { .skip_nan = o.skip_nan }, comp = { .skip_nan = o.skip_nan, .compensated = 1 };
    tess_norm_opts         norm = { .skip_nan = o.skip_nan };
    switch (f) {
    case fn_sum: return tess_sum(out, a, axes, &sum);
    case fn_compensated: return tess_sum(out, a, axes, &comp);
    case fn_prod: return tess_prod(out, a, axes, &plain);
    case fn_mean: return tess_mean(out, a, axes, &sum);
    case fn_var: return tess_var(out, a, axes, &var);
    case fn_std: return tess_std(out, a, axes, &var);
    case fn_norm_l2: return tess_norm(out, a, axes, &norm);
    case fn_norm_l1: norm.order = TESS_NORM_L1; return tess_norm(out, a, axes, &norm);
    case fn_norm_max: norm.order = TESS_NORM_MAX; return tess_norm(out, a, axes, &norm);
    case fn_min: return tess_min(out, a, axes, &plain);
    case fn_max: return tess_max(out, a, axes, &plain);
    case fn_argmin: return tess_argmin(out, a, axes, &plain);
    case fn_argmax: return tess_argmax(out, a, axes, &plain);
    case fn_any: return tess_any(out, a, axes);
    case fn_all: return tess_all(out, a, axes);
    case fn_count_nonzero: return tess_count_nonzero(out, a, axes);
    case fn_logsumexp: return tess_logsumexp(out, a, axes, &plain);
    case fn_dot: return tess_dot(out, a, b, axes, &sum);
    case fn_weighted_mean: return tess_weighted_mean(out, a, b, axes);
    default: return tess_rmsd(out, a, b, axes);
    }
}

/* ---- Elements ---- */

typedef struct number {
    long double re, im;
    int64_t     whole; /* an integer itself, modulo 2^64 */
} number;

static void write_part(unsigned char *at, tess_dtype real, double x)
{
    const int64_t  whole = is_integer(real) ? (int64_t)x : 0;
    const uint8_t  truth = x != 0;
    const float    f32 = (float)x;
    const tess_f16 f16 = tess_f64_to_f16(x);
    if (real == TESS_BOOL) *at = truth;
    else if (is_integer(real)) memcpy(at, &whole, tess_dtype_size(real)); /* little-endian */
    else if (real == TESS_F16) memcpy(at, &f16, sizeof f16);
    else if (real == TESS_F32) memcpy(at, &f32, sizeof f32);
    else memcpy(at, &x, sizeof x);
}

static long double read_part(const unsigned char *at, tess_dtype real, int64_t *whole)
{
    uint64_t bits = 0;
    float    f32;
    double   f64;
    tess_f16 f16;
    memcpy(&bits, at, tess_dtype_size(real));
    memcpy(&f16, &bits, sizeof f16);
    memcpy(&f32, &bits, sizeof f32);
    memcpy(&f64, &bits, sizeof f64);
    *whole = (int64_t)bits;
    if (real == TESS_F16) return (long double)tess_f16_to_f32(f16);
    if (real == TESS_F32) return (long double)f32;
    if (real == TESS_F64) return (long double)f64;
    if (real == TESS_BOOL) *whole = bits != 0;
    if (real == TESS_I8) *whole = (int8_t)bits;
    if (real == TESS_I16) *whole = (int16_t)bits;
    if (real == TESS_I32) *whole = (int32_t)bits;
    return tess_dtype_kind(real) == TESS_KIND_UINT ? (long double)(uint64_t)*whole : (long double)*whole;
}

static number read_number(const unsigned char *at, tess_dtype dtype)
{
    const tess_dtype real = tess_dtype_real(dtype);
    number           x = { 0 };
    x.re = read_part(at, real, &x.whole);
    int64_t ignored;
    if (!is_real(dtype)) x.im = read_part(at + tess_dtype_size(real), real, &ignored);
    return x;
}

typedef struct filling {
    const tess_array *array;
    bool              near_one; /* for products */
    int               nans;     /* one in so many is NaN; 0: none */
    int               exponent; /* of 2, by which floats are multiplied */
} filling;

static double random_value(const filling *f, tess_dtype real)
{
    if (real == TESS_BOOL) return test_random_in(0, 3) != 0;
    if (tess_dtype_kind(real) == TESS_KIND_UINT) return (double)test_random_in(f->near_one, f->near_one ? 3 : 200);
    if (is_integer(real)) return (double)test_random_in(f->near_one ? -3 : -100, f->near_one ? 3 : 100);
    if (f->nans && test_random_in(1, f->nans) == 1) return (double)NAN;
    if (f->near_one) {
        const double x = (test_random() & 1 ? -1 : 1) * (0.7 + 0.6 * test_random_unit());
        return is_real(f->array->dtype) ? x : 0.7 * x; /* so that magnitudes are near 1 */
    }
    return test_random_in(0, 9) == 0 ? 0.0 : 4 * test_random_unit() - 1.5;
}

static void set_random(void *context, const int64_t place[4])
{
    const filling   *f = context;
    const tess_dtype real = tess_dtype_real(f->array->dtype);
    for (int i = 0; i < tess_dtype_reals(f->array->dtype); i++)
        write_part(element_at(f->array, place) + (size_t)i * tess_dtype_size(real), real,
                   ldexp(random_value(f, real), f->exponent));
}

/* ---- Reference ---- */

/* What a loop over the numbers of one result knows. */
typedef struct tally {
    function    f;
    options     o;
    bool        real;
    int64_t     n, place;
    number      sum, rest, prod;                               /* rest: what the sum lost by rounding */
    long double sizes, weights, squares, most, least, largest; /* sizes: of the terms, for the tolerance */
    long double rise, fall;                                    /* powers of 2 of the factors above 1 and below it */
    bool        nan;
    int64_t     nonzero;
    number     *values; /* of all numbers, for what needs the mean first */
} tally;

static long double magnitude(number x) { return x.im == 0 ? fabsl(x.re) : hypotl(x.re, x.im); }

/* Many equal numbers are rounded the same way: what each addition loses adds up. */
static void add_and_keep(long double *sum, long double *rest, long double x)
{
    const long double old = *sum, next = old + x, part = next - old;
    *sum = next;
    if (isfinite(next)) *rest += (old - (next - part)) + (x - part);
}

static void tally_add(tally *t, number x, number y, int64_t index)
{
    const bool nan = isnan(x.re) || isnan(x.im) || (t->f == fn_dot && (isnan(y.re) || isnan(y.im)));
    if (nan && t->o.skip_nan) return;
    number term = x;
    if (t->f == fn_dot) {
        term.re = x.re * y.re - x.im * y.im, term.im = x.re * y.im + x.im * y.re;
        term.whole = (int64_t)((uint64_t)x.whole * (uint64_t)y.whole);
    }
    if (t->f == fn_weighted_mean) term.re = x.re * y.re, term.im = x.im * y.re;
    add_and_keep(&t->sum.re, &t->rest.re, term.re);
    add_and_keep(&t->sum.im, &t->rest.im, term.im);
    t->sum.whole = (int64_t)((uint64_t)t->sum.whole + (uint64_t)term.whole);
    t->sizes += magnitude(term);
    t->weights += y.re;
    t->squares +=
        t->f == fn_rmsd ? (x.re - y.re) * (x.re - y.re) + (x.im - y.im) * (x.im - y.im) : x.re * x.re + x.im * x.im;
    const long double a = t->prod.re, b = t->prod.im;
    t->prod.re = t->real ? a * x.re : a * x.re - b * x.im, t->prod.im = t->real ? 0 : a * x.im + b * x.re;
    t->prod.whole = (int64_t)((uint64_t)t->prod.whole * (uint64_t)x.whole);
    const long double power = t->f == fn_prod ? log2l(magnitude(x)) : 0;
    if (power > 0) t->rise += power;
    else t->fall += power;
    t->most = fmaxl(t->most, magnitude(x));
    t->nonzero += x.re != 0 || x.im != 0;
    if (t->place < 0 || (nan && !t->nan) || (!t->nan && (t->f == fn_argmax ? x.re > t->largest : x.re < t->least)))
        t->place = index;
    if (t->n == 0 || x.re < t->least) t->least = x.re;
    if (t->n == 0 || x.re > t->largest) t->largest = x.re;
    t->nan = t->nan || nan;
    t->values[t->n++] = x;
}

static long double spread(const tally *t)
{
    const long double re = t->sum.re / t->n, im = t->sum.im / t->n;
    long double       squares = 0;
    for (int64_t i = 0; i < t->n; i++)
        squares += (t->values[i].re - re) * (t->values[i].re - re) + (t->values[i].im - im) * (t->values[i].im - im);
    return t->n > t->o.ddof ? squares / (t->n - t->o.ddof) : (long double)NAN;
}

static long double log_of_sum(const tally *t)
{
    long double sum = 0;
    if (t->n == 0) return -(long double)INFINITY;
    if (t->nan || isinf(t->largest)) return t->nan ? (long double)NAN : t->largest;
    for (int64_t i = 0; i < t->n; i++) sum += expl(t->values[i].re - t->largest);
    return t->largest + logl(sum);
}

/* Whose variances are within 2^-23, rounding included; others are as good as f64 is. */
static bool is_single(tess_dtype dtype) { return dtype == TESS_F32 || dtype == TESS_F16; }

/* The result, and how far from it one may be before the last rounding. */
static number expected(const tally *t, tess_dtype dtype, long double *slack)
{
    const long double u = 0x1p-53L, n = t->n;
    number            r = { .re = (long double)NAN };
    *slack = 0;
    switch (t->f) {
    case fn_sum:
    case fn_dot: r = t->sum, *slack = 60 * u * t->sizes; break;
    case fn_compensated: r = t->sum, *slack = u * u * n * t->sizes; break;
    case fn_prod: r = t->prod, *slack = 4 * n * u * hypotl(r.re, r.im); break;
    case fn_mean: r.re = t->sum.re / n, r.im = t->sum.im / n, *slack = 60 * u * t->sizes / n; break;
    /* The reference's mean is as good as a long double: equal numbers have a spread of its square. */
    case fn_var:
        r.re = spread(t);
        *slack = (is_single(dtype) ? 0x1p-24L : 2000 * u) * r.re + 0x1p-120L * t->most * t->most;
        break;
    case fn_std:
        r.re = sqrtl(spread(t));
        *slack = (is_single(dtype) ? 0x1p-25L : 2000 * u) * r.re + 0x1p-60L * t->most;
        break;
    case fn_norm_l2: r.re = sqrtl(t->squares), *slack = 60 * u * r.re; break;
    case fn_norm_l1: r.re = t->sizes, *slack = 60 * u * r.re; break;
    case fn_norm_max: r.re = t->nan ? (long double)NAN : t->most, *slack = is_real(dtype) ? 0 : 2 * u * r.re; break;
    case fn_min:
        if (!t->nan && t->n) r.re = t->least;
        break;
    case fn_max:
        if (!t->nan && t->n) r.re = t->largest;
        break;
    case fn_argmin:
    case fn_argmax: r.re = t->place; break;
    case fn_any: r.re = t->nonzero > 0; break;
    case fn_all: r.re = t->nonzero == t->n; break;
    case fn_count_nonzero: r.re = t->nonzero; break;
    case fn_logsumexp: r.re = log_of_sum(t), *slack = 60 * u * (fabsl(r.re) + 1); break;
    case fn_weighted_mean:
        r.re = t->sum.re / t->weights, r.im = t->sum.im / t->weights;
        *slack = 200 * u * (t->sizes / fabsl(t->weights)) * (1 + n / fabsl(t->weights));
        break;
    default: r.re = sqrtl(t->squares / n), *slack = 60 * u * r.re; break;
    }
    if (isinf(r.re)) *slack = 0;
    return r;
}

/* Half of the last place that a result of this dtype has at x. */
static long double last_place(tess_dtype real, long double x)
{
    const int bits = real == TESS_F64 ? 53 : real == TESS_F32 ? 24 : 11;
    const int least = real == TESS_F64 ? -1075 : real == TESS_F32 ? -150 : -25;
    return is_integer(real) ? 0 : fmaxl(ldexpl(fabsl(x), -bits), ldexpl(1, least));
}

/* ---- Comparison ---- */

typedef struct comparison {
    function          f;
    options           o;
    const tess_array *out, *a, *b;
    int               axes;
    const char       *what;
    int               wrong;
    number           *values; /* room for the numbers of a result */
} comparison;

typedef struct walk {
    comparison *c;
    tally       t;
    int64_t     origin[4], index;
} walk;

static number broadcast_number(const tess_array *a, const int64_t place[4])
{
    int64_t at[4];
    for (int d = 0; d < 4; d++) at[d] = a->shape.dim[d] == 1 ? 0 : place[d];
    return read_number(element_at(a, at), a->dtype);
}

static void visit_number(void *context, const int64_t inner[4])
{
    walk   *w = context;
    int64_t place[4];
    for (int d = 0; d < 4; d++) place[d] = w->origin[d] + inner[d];
    const number x = broadcast_number(w->c->a, place);
    tally_add(&w->t, x, w->c->b ? broadcast_number(w->c->b, place) : (number){ 0 }, w->index++);
}

static bool close_to(long double got, long double want, long double slack, tess_dtype real)
{
    const long double most = real == TESS_F32 ? (long double)FLT_MAX : (long double)DBL_MAX;
    if (isnan(want)) return isnan(got);
    if (isinf(want)) return got == want;
    if (isinf(got) && real != TESS_F16 && fabsl(want) > most) return (got > 0) == (want > 0);
    return fabsl(got - want) <= slack;
}

/* A product of complex numbers that leaves the range of f64 is no number any more, or infinite, in one part or both. */
static bool is_lost(number got, number want)
{
    const bool too_large = fabsl(want.re) > (long double)DBL_MAX || fabsl(want.im) > (long double)DBL_MAX;
    return too_large && !(isfinite(got.re) && isfinite(got.im));
}

/* Can a product whose result is in the range of f64 leave it on the way, depending on the order of its factors? */
static bool may_leave_the_range(const tally *t)
{
    enum { RANGE = 1020 };
    const long double whole = t->rise + t->fall;
    return (t->rise > RANGE && whole < RANGE) || (t->fall < -RANGE && whole > -RANGE);
}

static void compare_result(void *context, const int64_t place[4])
{
    comparison *c = context;
    walk        w = { .c = c, .t = { .f = c->f, .o = c->o, .real = is_real(c->a->dtype), .place = -1 } };
    w.t.prod.re = w.t.prod.whole = 1;
    w.t.values = c->values;
    memcpy(w.origin, place, sizeof w.origin);
    tess_shape inner = c->a->shape;
    for (int d = 0; d < 4; d++)
        if (!(c->axes & TESS_B << d)) inner.dim[d] = 1;
    each_index(inner, visit_number, &w);
    w.t.sum.re += w.t.rest.re, w.t.sum.im += w.t.rest.im;
    long double  slack;
    const number want = expected(&w.t, c->a->dtype, &slack),
                 got = read_number(element_at(c->out, place), c->out->dtype);
    const tess_dtype real = tess_dtype_real(c->out->dtype);
    bool             good;
    if (is_integer(c->a->dtype) && (c->f == fn_sum || c->f == fn_compensated || c->f == fn_prod || c->f == fn_dot))
        good = got.whole == want.whole;
    else if (c->f == fn_prod && may_leave_the_range(&w.t)) good = true;
    else if (c->f == fn_prod && !is_real(c->out->dtype) && is_lost(got, want)) good = true;
    else
        good = close_to(got.re, want.re, slack + 1.01L * last_place(real, want.re), real) &&
               (is_real(c->out->dtype) || close_to(got.im, want.im, slack + 1.01L * last_place(real, want.im), real));
    if (!good && c->wrong++ == 0)
        (void)test_failed(__FILE__, __LINE__, "%s: {%d,%d,%d,%d} is %.17Lg + %.17Lgi, not %.17Lg + %.17Lgi", c->what,
                          (int)place[0], (int)place[1], (int)place[2], (int)place[3], got.re, got.im, want.re, want.im);
}

/* ---- Cases ---- */

static const tess_shape shapes[] = {
    { { 1, 1, 1, 1 } },  { { 1, 1, 1, 3 } },  { { 1, 1, 1, 33 } },   { { 1, 1, 5, 7 } },    { { 2, 3, 4, 5 } },
    { { 3, 1, 9, 17 } }, { { 1, 2, 70, 9 } }, { { 1, 1, 1, 1500 } }, { { 1, 1, 1100, 3 } }, { { 2, 40, 3, 33 } },
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static tess_shape result_shape(tess_shape shape, int axes)
{
    for (int d = 0; d < 4; d++)
        if (axes & TESS_B << d) shape.dim[d] = 1;
    return shape;
}

/* What stands for the second input: weights are real. */
static tess_array second_input(function f, const tess_array *first)
{
    tess_array second = *first;
    if (f == fn_weighted_mean && !is_real(first->dtype)) CHECK_OK(tess_real_view(&second, first));
    return second;
}

/* The dtype that a made output gets, for outputs that are there already. */
static tess_dtype dtype_of_result(function f, tess_dtype dtype)
{
    tess_array in = { 0 }, out = { 0 };
    CHECK_OK(tess_full(&in, tess_shape_of(1, 1, 1, 1), dtype, tess_cpu(), 1));
    const tess_array second = second_input(f, &in);
    CHECK_OK(call(f, &out, &in, &second, 0, (options){ 0 }));
    const tess_dtype result = out.dtype;
    tess_release(&in);
    tess_release(&out);
    return result;
}

typedef struct reduction {
    function   f;
    options    o;
    layout     kind;
    tess_shape shape;
    int        axes;
    guarded    a, b, out;
} reduction;

/* On one instruction set. The block of the first one, once it is right, stands for all others that give the same. */
static void check_on(const tess__isa *isa, reduction *r, unsigned char **first, number *values)
{
    const tess_shape shape = r->shape;
    char             what[200];
    snprintf(what, sizeof what, "%s: %s of %s, %s, {%d,%d,%d,%d}, axes 0x%x, skip_nan %d, ddof %d, times 2^%d",
             isa->name, names[r->f], tess_dtype_name(r->a.view.dtype), layout_names[r->kind], (int)shape.b,
             (int)shape.d, (int)shape.h, (int)shape.w, (unsigned)r->axes, r->o.skip_nan, r->o.ddof, r->o.exponent);
    if (!isa->supported() || !test_wants_case(what)) return;
    guarded_poison(&r->out);
    CHECK_OK(tess_cpu_limit_set(isa->name));
    CHECK_OK(call(r->f, &r->out.view, &r->a.view, &r->b.view, r->axes, r->o));
    if (*first && memcmp(*first, r->out.block, r->out.size) == 0) return;
    comparison c = {
        r->f, r->o, &r->out.view, &r->a.view, takes_two(r->f) ? &r->b.view : NULL, r->axes, what, 0, values
    };
    each_index(r->out.view.shape, compare_result, &c);
    if (!guarded_check(&r->out, what) || c.wrong || *first) return;
    *first = malloc(r->out.size);
    memcpy(*first, r->out.block, r->out.size);
}

static void check_one(function f, tess_dtype dtype, layout kind, tess_shape shape, int axes, options o)
{
    reduction        r = { .f = f, .o = o, .kind = kind, .shape = shape, .axes = axes };
    const tess_dtype second = f == fn_weighted_mean ? tess_dtype_real(dtype) : dtype;
    tess_shape       second_shape = shape;
    unsigned char   *first = NULL;
    number          *values = malloc((size_t)(1 + shape.b * shape.d * shape.h * shape.w) * sizeof *values);
    if (test_random() & 1) second_shape.dim[test_random_in(0, 3)] = 1;
    guarded_make(&r.a, kind, shape, dtype);
    guarded_make(&r.out, (layout)test_random_in(0, n_output_layouts - 1), result_shape(shape, axes),
                 dtype_of_result(f, dtype));
    filling fill = { &r.a.view, f == fn_prod, o.skip_nan ? 3 : 0, o.exponent };
    each_index(shape, set_random, &fill);
    if (takes_two(f)) {
        guarded_make(&r.b, (layout)test_random_in(0, n_layouts - 1), second_shape, second);
        fill = (filling){ &r.b.view, f == fn_weighted_mean && !is_integer(dtype), 0, o.exponent };
        each_index(second_shape, set_random, &fill);
    }
    for (const tess__isa *isa = tess__isas; isa->name; isa++) check_on(isa, &r, &first, values);
    CHECK_OK(tess_cpu_limit_set(NULL));
    free(values);
    free(first);
    guarded_free(&r.a);
    guarded_free(&r.out);
    if (takes_two(f)) guarded_free(&r.b);
}

static void check_function(function f)
{
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++) {
        if (!is_defined(f, dtype)) continue;
        for (int s = 0; s < N_SHAPES; s++)
            for (int kind = 0; kind < n_layouts; kind++) {
                if (!test_takes_case()) continue;
                const int     axes = kind ? (int)test_random_in(1, 15) * TESS_B : TESS_ALL_AXES;
                const options o = { has_skip(f) && test_random_in(0, 2) == 0, (int)test_random_in(0, 1), 0 };
                check_one(f, dtype, (layout)kind, shapes[s], axes, o);
            }
    }
}

TEST(functions)
{
    isas_tell_missing();
    for (int f = 0; f < n_functions; f++) check_function((function)f);
}

TEST(many_numbers)
{
    static const tess_dtype dtypes[] = { TESS_U8, TESS_I16, TESS_F16, TESS_F32, TESS_F64, TESS_C32 };
    isas_tell_missing();
    for (int f = 0; f < n_functions; f++)
        for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
            if (is_defined((function)f, dtypes[i]))
                check_one((function)f, dtypes[i], (layout)test_random_in(0, n_layouts - 1),
                          tess_shape_of(1, 1, 263, 251), (int)test_random_in(1, 15) * TESS_B, (options){ 0, 1, 0 });
}

/* ---- Numbers whose squares leave the range, while the roots of these do not ---- */

TEST(roots_of_squares_that_leave_the_range)
{
    static const function functions[] = { fn_std, fn_rmsd, fn_norm_l2, fn_var };
    static const int      exponents[] = { 664, -664, 531, -531, 513, -450, 1020, -1000 };
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++)
            for (int s = 0; s < N_SHAPES; s++)
                for (int is_complex = 0; is_complex < 2; is_complex++) {
                    const int     axes = (int)test_random_in(1, 15) * TESS_B;
                    const options o = { has_skip(functions[f]) && test_random_in(0, 4) == 0, (int)test_random_in(0, 1),
                                        exponents[e] };
                    check_one(functions[f], is_complex ? TESS_C64 : TESS_F64, (layout)test_random_in(0, n_layouts - 1),
                              shapes[s], axes, o);
                }
    for (int s = 0; s < N_SHAPES; s++) /* distances that leave it, too; and squares of f32 */
        for (int axes = TESS_B; axes <= TESS_ALL_AXES; axes += TESS_B) {
            check_one(fn_std, TESS_F64, layout_contiguous, shapes[s], axes, (options){ 0, 0, 1022 });
            check_one(fn_std, TESS_F32, layout_contiguous, shapes[s], axes,
                      (options){ 0, 0, axes & TESS_H ? 110 : -110 });
        }
}

/* The numbers times a power of 2 have the same scaled numbers. */
static void check_normalized(const tess_array *in, const tess_array *scaled, int mode, int axes)
{
    tess_array                got = { 0 }, want = { 0 };
    const tess_normalize_opts opts = { .mode = mode };
    CHECK_OK(tess_normalize(&want, in, axes, &opts));
    CHECK_OK(tess_normalize(&got, scaled, axes, &opts));
    const double *x = got.data, *y = want.data;
    for (int64_t i = 0; i < tess_n_elements(in) * tess_dtype_reals(in->dtype); i++)
        if (!(fabs(x[i] - y[i]) <= 1e-13)) {
            (void)test_failed(__FILE__, __LINE__, "normalize %s by %d over 0x%x: %g, not %g",
                              tess_dtype_name(in->dtype), mode, (unsigned)axes, x[i], y[i]);
            break;
        }
    tess_release(&got), tess_release(&want);
}

/* What is made of the same numbers in other ways. */
static void check_scaled(tess_dtype dtype, tess_shape shape, int exponent)
{
    const bool real = is_real(dtype);
    guarded    in, scaled;
    tess_array std = { 0 }, mean = { 0 }, want = { 0 };
    double     whole[4] = { 0 };
    const int  axes = (int)test_random_in(1, 15) * TESS_B;
    guarded_make(&in, layout_contiguous, shape, dtype);
    guarded_make(&scaled, layout_contiguous, shape, dtype);
    filling fill = { &in.view, false, 0, 0 };
    each_index(shape, set_random, &fill);
    const double *x = in.view.data;
    double       *y = scaled.view.data;
    for (int64_t i = 0; i < tess_n_elements(&in.view) * (real ? 1 : 2); i++) y[i] = ldexp(x[i], exponent);
    check_normalized(&in.view, &scaled.view, TESS_NORMALIZE_MEAN_STD, axes);
    check_normalized(&in.view, &scaled.view, TESS_NORMALIZE_MEAN_L2, axes);
    check_normalized(&in.view, &scaled.view, TESS_NORMALIZE_L2, axes);
    CHECK_OK(tess_mean_std(&mean, &std, &scaled.view, axes, NULL));
    CHECK_OK(tess_std(&want, &scaled.view, axes, NULL));
    CHECK(memcmp(std.data, want.data, (size_t)tess_n_bytes(&std)) == 0);
    CHECK_OK(tess_host_std(&whole[0], &in.view, NULL));
    CHECK_OK(tess_host_std(&whole[1], &scaled.view, NULL));
    CHECK(fabs(ldexp(whole[1], -exponent) - whole[0]) <= 1e-13);
    CHECK_OK(tess_host_rmsd(&whole[0], &in.view, &tess_f64(0)));
    CHECK_OK(tess_host_rmsd(&whole[1], &scaled.view, &tess_f64(0)));
    CHECK(fabs(ldexp(whole[1], -exponent) - whole[0]) <= 1e-13);
    if (real) CHECK_OK(tess_host_mean_std(&whole[2], &whole[3], &scaled.view, NULL));
    if (real) CHECK_OK(tess_host_std(&whole[1], &scaled.view, NULL));
    CHECK(!real || whole[3] == whole[1]);
    tess_release(&std), tess_release(&mean), tess_release(&want);
    guarded_free(&in), guarded_free(&scaled);
}

TEST(scaled_numbers_have_scaled_spreads)
{
    static const int exponents[] = { 664, -664, 531, -531, 1000, -900 };
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++)
        for (int s = 1; s < N_SHAPES; s++) {
            check_scaled(TESS_F64, shapes[s], exponents[e]);
            check_scaled(TESS_C64, shapes[s], exponents[e]);
        }
}

/* ---- The same bits ---- */

static void copy_elements(void *context, const int64_t place[4])
{
    const tess_array *const *both = context;
    memcpy(element_at(both[0], place), element_at(both[1], place), tess_dtype_size(both[0]->dtype));
}

/* The bytes of a C-contiguous array. */
static unsigned char *bytes_of(const tess_array *a, size_t *size)
{
    *size = (size_t)tess_n_bytes(a);
    return a->data;
}

static void expect_bits(const char *what, const tess_array *got, const tess_array *want)
{
    size_t               n, m;
    const unsigned char *x = bytes_of(got, &n), *y = bytes_of(want, &m);
    if (n != m || memcmp(x, y, n) != 0) (void)test_failed(__FILE__, __LINE__, "%s: other bits", what);
}

/* The same values in every layout. */
static void lay_out_all(guarded all[n_output_layouts], tess_shape shape, tess_dtype dtype, filling fill)
{
    for (int kind = 0; kind < n_output_layouts; kind++) guarded_make(&all[kind], (layout)kind, shape, dtype);
    fill.array = &all[layout_contiguous].view;
    each_index(shape, set_random, &fill);
    for (int kind = 0; kind < n_output_layouts; kind++)
        if (kind != layout_contiguous)
            each_index(shape, copy_elements, (const tess_array *[]){ &all[kind].view, fill.array });
}

/* What has one output is numbered as above; these have several, or one for each element. */
enum {
    work_mean_std = n_functions,
    work_mean_var,
    work_minmax,
    work_reduce,
    work_normalize,
    work_mean_l2,
    work_log_normalize,
    n_works
};
enum { MOST_OUTPUTS = 8 };

static const char *name_of_work(int work)
{
    static const char *const others[] = { "mean_std",     "mean_var",  "minmax",
                                          "reduce",       "normalize", "normalize to length",
                                          "log_normalize" };
    return work < n_functions ? names[work] : others[work - n_functions];
}

static bool is_work_defined(int work, tess_dtype dtype)
{
    if (work < n_functions) return is_defined((function)work, dtype);
    return is_real(dtype) || (work != work_minmax && work != work_log_normalize);
}

/* All that one pass can make of the dtype, variance and norm among them. */
static tess_status reduce_several(tess_array *out, const tess_array *a, int axes, options o)
{
    static const int32_t kinds[] = { TESS_REDUCE_SUM, TESS_REDUCE_MEAN, TESS_REDUCE_STD,    TESS_REDUCE_NORM,
                                     TESS_REDUCE_ANY, TESS_REDUCE_MIN,  TESS_REDUCE_ARGMAX, TESS_REDUCE_VAR };
    tess_reduction       items[MOST_OUTPUTS];
    const int            n = is_real(a->dtype) ? 8 : 5;
    for (int i = 0; i < n; i++) items[i] = (tess_reduction){ kinds[i], &out[i] };
    return tess_reduce(items, n, a, axes, &(tess_var_opts){ .skip_nan = o.skip_nan });
}

static tess_status do_work(int work, tess_array *out, const tess_array *a, const tess_array *b, int axes, options o)
{
    const tess_var_opts       var = { .skip_nan = o.skip_nan };
    const tess_reduce_opts    plain = { .skip_nan = o.skip_nan };
    const tess_normalize_opts length = { .mode = TESS_NORMALIZE_MEAN_L2 };
    switch (work) {
    case work_mean_std: return tess_mean_std(&out[0], &out[1], a, axes, &var);
    case work_mean_var: return tess_mean_var(&out[0], &out[1], a, axes, &var);
    case work_minmax: return tess_minmax(&out[0], &out[1], a, axes, &plain);
    case work_reduce: return reduce_several(out, a, axes, o);
    case work_normalize: return tess_normalize(&out[0], a, axes, NULL);
    case work_mean_l2: return tess_normalize(&out[0], a, axes, &length);
    case work_log_normalize: return tess_log_normalize(&out[0], a, axes);
    default: return call((function)work, &out[0], a, b, axes, o);
    }
}

/* Once more, of the same values as they lie here, into outputs like those of the first time. */
static void repeat_work(const char *what, int work, const tess_array *want, const tess_array *a, const tess_array *b,
                        int axes, options o)
{
    tess_array got[MOST_OUTPUTS] = { { .data = NULL } };
    for (int i = 0; i < MOST_OUTPUTS && want[i].data; i++)
        CHECK_OK(tess_zeros(&got[i], want[i].shape, want[i].dtype, tess_cpu()));
    CHECK_OK(do_work(work, got, a, b, axes, o));
    for (int i = 0; i < MOST_OUTPUTS && want[i].data; i++) {
        expect_bits(what, &got[i], &want[i]);
        tess_release(&got[i]);
    }
}

/* One function of the same values in some layouts, with other numbers of threads, on every instruction set. */
static void check_bits(int work, const guarded all[n_output_layouts], int axes, int skip_nan)
{
    const tess_array *plain = &all[layout_contiguous].view;
    const tess_shape  shape = plain->shape;
    tess_array        want[MOST_OUTPUTS] = { { .data = NULL } };
    const options     o = { skip_nan, 0, 0 };
    static const int  threads[] = { 2, 3, 8, 1 };
    const tess_array  second = second_input((function)work, plain);
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(do_work(work, want, plain, &second, axes, o));
    for (int kind = 0; kind < n_output_layouts; kind++) {
        char what[160];
        if (kind != layout_contiguous && test_random() % 3 != 0) continue;
        snprintf(what, sizeof what, "%s of %s {%d,%d,%d,%d} axes 0x%x, %s, %d threads", name_of_work(work),
                 tess_dtype_name(plain->dtype), (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w, (unsigned)axes,
                 layout_names[kind], threads[kind % 4]);
        CHECK_OK(tess_threads_set(threads[kind % 4]));
        for (const tess__isa *isa = tess__isas; isa->name; isa++) {
            if (!isa->supported() || (kind != layout_contiguous && !isa_has_turn(isa))) continue;
            CHECK_OK(tess_cpu_limit_set(isa->name));
            repeat_work(what, work, want, &all[kind].view, &second, axes, o);
        }
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
    for (int i = 0; i < MOST_OUTPUTS; i++) tess_release(&want[i]);
}

/* Of each filling once for all functions: to lay numbers out takes longer than to reduce them. */
static void check_bits_of(tess_dtype dtype, tess_shape shape, filling fill)
{
    guarded all[n_output_layouts];
    lay_out_all(all, shape, dtype, fill);
    for (int work = 0; work < n_works; work++) {
        const int  axes = (int)test_random_in(1, fill.nans ? 15 : 14) * TESS_B;
        const bool skips = work < n_functions ? has_skip((function)work) : work < work_normalize;
        if (!is_work_defined(work, dtype) || !test_takes_case()) continue;
        if (fill.near_one != (work == fn_prod) || (fill.nans && !skips)) continue;
        check_bits(work, all, axes, fill.nans != 0);
        if (!fill.nans && work < work_normalize) check_bits(work, all, TESS_ALL_AXES, 0);
    }
    for (int kind = 0; kind < n_output_layouts; kind++) guarded_free(&all[kind]);
}

TEST(same_bits_from_every_layout_and_number_of_threads)
{
    static const tess_shape sizes[] = {
        { { 2, 3, 37, 41 } },   { { 1, 1, 700, 150 } }, { { 3, 35, 1, 90 } },   { { 1, 1, 1100, 36 } },
        { { 1, 4, 1, 16400 } }, { { 1, 1, 1, 65535 } }, { { 1, 1, 1, 65536 } },
    };
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
        for (int filled = 0; filled < 4; filled++) { /* near one or not, with NaNs or not */
            const filling fill = { NULL, filled & 1, filled & 2 ? 4 : 0, 0 };
            const int     times = is_integer(dtype) || fill.near_one ? 1 : fill.nans ? 2 : 3;
            const int64_t first = test_random_in(0, SIZES - 1);
            if (fill.nans && is_integer(dtype)) continue;
            for (int i = 0; i < times; i++) check_bits_of(dtype, sizes[(first + 2 * i) % SIZES], fill);
        }
}

/* One reduction of n elements in a row, by the base and then by every instruction set and two numbers of threads. */
static void check_large(function f, const tess_array *a, const tess_array *b)
{
    const options o = { 0, 0, 0 };
    tess_array    want = { 0 };
    number       *values = malloc((size_t)tess_n_elements(a) * sizeof *values);
    char          what[100];
    snprintf(what, sizeof what, "%s of many %s", names[f], tess_dtype_name(a->dtype));
    CHECK_OK(tess_cpu_limit_set("base"));
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(call(f, &want, a, b, TESS_ALL_AXES, o));
    comparison c = { f, o, &want, a, takes_two(f) ? b : NULL, TESS_ALL_AXES, what, 0, values };
    each_index(want.shape, compare_result, &c);
    for (const tess__isa *isa = tess__isas; isa->name; isa++)
        for (int threads = 1; threads <= 3 && isa->supported(); threads += 2) {
            tess_array got = { 0 };
            CHECK_OK(tess_cpu_limit_set(isa->name));
            CHECK_OK(tess_threads_set(threads));
            CHECK_OK(call(f, &got, a, b, TESS_ALL_AXES, o));
            expect_bits(what, &got, &want);
            tess_release(&got);
        }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
    tess_release(&want);
    free(values);
}

/* What is read from memory, from 4 MiB on, is read another way, by kernels of its own. */
TEST(same_bits_from_memory)
{
    static const function functions[] = { fn_dot,     fn_max, fn_sum, fn_compensated, fn_norm_l1,
                                          fn_norm_l2, fn_var, fn_min, fn_argmax };
    enum { FUNCTIONS = sizeof functions / sizeof *functions }; /* sanitizers take the first two */
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64 };
    for (int d = 0; d < 2; d++) {
        const tess_shape shape = TESS_SHAPE(1, 1, 1, d == 0 ? 1100003 : 550007);
        tess_array       a = { 0 }, b = { 0 };
        CHECK_OK(tess_empty(&a, shape, dtypes[d], tess_cpu()));
        CHECK_OK(tess_empty(&b, shape, dtypes[d], tess_cpu()));
        CHECK_OK(tess_random_normal(&a, 0.5, 1, 1, NULL));
        CHECK_OK(tess_random_normal(&b, 0.5, 1, 2, NULL));
        for (int f = 0; f < FUNCTIONS && f < test_fewer(2 * FUNCTIONS); f++) check_large(functions[f], &a, &b);
        tess_release(&a);
        tess_release(&b);
    }
}

TEST(several_at_once_are_each_their_own)
{
    static const function of_kind[] = { fn_sum, fn_prod,   fn_mean,   fn_var, fn_std, fn_norm_l2,      fn_min,
                                        fn_max, fn_argmin, fn_argmax, fn_any, fn_all, fn_count_nonzero };
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
        for (int round = 0; round < 12; round++) {
            guarded        in;
            tess_array     got[8] = { { .data = NULL } };
            tess_reduction items[8];
            const int      axes = (int)test_random_in(1, 15) * TESS_B, n = (int)test_random_in(1, 8);
            guarded_make(&in, (layout)test_random_in(0, n_layouts - 1), shapes[test_random_in(0, N_SHAPES - 1)], dtype);
            const filling fill = { &in.view, true, 0, 0 };
            each_index(in.view.shape, set_random, (void *)(uintptr_t)&fill);
            for (int i = 0; i < n; i++) {
                do items[i].kind = (int32_t)test_random_in(TESS_REDUCE_SUM, TESS_REDUCE_COUNT_NONZERO);
                while (!is_defined(of_kind[items[i].kind - 1], dtype));
                items[i].out = &got[i];
            }
            CHECK_OK(tess_reduce(items, n, &in.view, axes, &(tess_var_opts){ .ddof = 1 }));
            for (int i = 0; i < n; i++) {
                tess_array want = { 0 };
                CHECK_OK(call(of_kind[items[i].kind - 1], &want, &in.view, NULL, axes, (options){ 0, 1, 0 }));
                CHECK(got[i].dtype == want.dtype);
                expect_bits(names[of_kind[items[i].kind - 1]], &got[i], &want);
                tess_release(&want);
                tess_release(&got[i]);
            }
            guarded_free(&in);
        }
}

/* A dot over columns, of positive numbers, beside a loop. */
static void check_dot_of_columns(tess_dtype in, tess_dtype to, int64_t n, int64_t w)
{
    const double slack = in == TESS_F32 && to == TESS_F64 ? 1e-15 : to == TESS_F32 ? 6e-8 : 1e-14;
    tess_array   x = { 0 }, y = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&x, TESS_SHAPE(n, 1, 2, w), in, tess_cpu()));
    CHECK_OK(tess_empty(&y, TESS_SHAPE(n, 1, 2, w), in, tess_cpu()));
    CHECK_OK(tess_empty(&out, TESS_SHAPE(1, 1, 2, w), to, tess_cpu()));
    CHECK_OK(tess_random_uniform(&x, 0.5, 1, (uint64_t)n, NULL));
    CHECK_OK(tess_random_uniform(&y, 0.5, 1, (uint64_t)w + 1000, NULL));
    CHECK_OK(tess_dot(&out, &x, &y, TESS_B, NULL));
    for (int64_t i = 0; i < 2 * w; i++) {
        double      a, b, got;
        long double want = 0;
        for (int64_t k = 0; k < n; k++) {
            CHECK_OK(tess_get_f64(&a, &x, k, 0, i / w, i % w));
            CHECK_OK(tess_get_f64(&b, &y, k, 0, i / w, i % w));
            want += (long double)a * (long double)b;
        }
        CHECK_OK(tess_get_f64(&got, &out, 0, 0, i / w, i % w));
        if (fabsl((long double)got - want) <= (long double)(slack * (double)n) * want) continue;
        (void)test_failed(__FILE__, __LINE__, "dot of %d rows of %d %s as %s: %.17g, not %.17Lg", (int)n, (int)w,
                          tess_dtype_name(in), tess_dtype_name(to), got, want);
        break;
    }
    tess_release(&x);
    tess_release(&y);
    tess_release(&out);
}

TEST(dot_of_columns_into_each_dtype)
{
    static const int64_t rows[] = { 2, 9, 16, 17, 64, 70, 300 }, widths[] = { 8, 31, 64, 300, 1100 };
    for (int r = 0; r < 7; r++)
        for (int w = 0; w < 5; w++)
            for (int kind = 0; kind < 4; kind++)
                if (test_takes_case())
                    check_dot_of_columns(kind & 1 ? TESS_F64 : TESS_F32, kind & 2 ? TESS_F64 : TESS_F32, rows[r],
                                         widths[w]);
}

TEST(mean_of_mean_std_is_the_mean)
{
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
        for (int s = 0; s < N_SHAPES; s++) {
            guarded    in;
            tess_array mean = { 0 }, std = { 0 }, var = { 0 }, other = { 0 }, want[3] = { { .data = NULL } };
            const int  axes = (int)test_random_in(1, 15) * TESS_B;
            guarded_make(&in, (layout)test_random_in(0, n_layouts - 1), shapes[s], dtype);
            const filling fill = { &in.view, false, 0, 0 };
            each_index(shapes[s], set_random, (void *)(uintptr_t)&fill);
            CHECK_OK(tess_mean_std(&mean, &std, &in.view, axes, NULL));
            CHECK_OK(tess_mean_var(&other, &var, &in.view, axes, NULL));
            CHECK_OK(tess_mean(&want[0], &in.view, axes, NULL));
            CHECK_OK(tess_std(&want[1], &in.view, axes, NULL));
            CHECK_OK(tess_var(&want[2], &in.view, axes, NULL));
            expect_bits("mean of mean_std", &mean, &want[0]);
            expect_bits("mean of mean_var", &other, &mean);
            expect_bits("std of mean_std", &std, &want[1]);
            expect_bits("var of mean_var", &var, &want[2]);
            for (int i = 0; i < 3; i++) tess_release(&want[i]);
            tess_release(&mean), tess_release(&std), tess_release(&var), tess_release(&other);
            guarded_free(&in);
        }
}

/* ---- Spreads of f32, also of such as its own arithmetic is not enough for ---- */

enum {
    hard_outliers,
    hard_tiny,
    hard_huge,
    hard_offset,
    hard_half_tiny,
    hard_nearly_equal,
    hard_equal,
    hard_wide,
    hard_far,
    hard_farther, /* about as far as squares are good for */
    n_hards
};

/* Of unit spread, nearly normal. */
static double random_normal(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += test_random_unit() - 0.5;
    return sum;
}

static float hard_value(int kind, int64_t i, int64_t n)
{
    const float x = (float)test_random_in(-1000, 1000) / 512;
    switch (kind) {
    case hard_outliers: return i == 0 || i == n / 3 || i == n - 1 ? 1e10f + x : x;
    case hard_tiny: return 1e-30f * x;
    case hard_huge: return 1e25f * x;
    case hard_offset: return 1e6f + x;
    case hard_half_tiny: return i % 2 ? 1e-22f * x : 0;
    case hard_nearly_equal: return i == n / 2 ? nextafterf(0.1f, 1) : 0.1f;
    case hard_wide: return (float)exp(4 * random_normal());
    case hard_far: return (float)(100 + random_normal());
    case hard_farther: return (float)(1000 + (0.97 + 0.06 * (i % 7 == 0)) * random_normal());
    default: return 1e-20f;
    }
}

/* The same bits on every instruction set. */
static void check_hard_bits(const tess_array *in, int axes, const tess_array *mean, const tess_array *var)
{
    const tess_array want[MOST_OUTPUTS] = { *mean, *var };
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        repeat_work("mean_var of hard numbers", work_mean_var, want, in, NULL, axes, (options){ 0 });
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
}

static void check_hard(int kind, int64_t n, bool down)
{
    const int64_t columns = 37;
    tess_array    in = { 0 }, var = { 0 }, std = { 0 }, mean = { 0 }, want = { 0 };
    CHECK_OK(tess_empty(&in, down ? tess_shape_of(1, 1, n, columns) : tess_shape_of(1, 1, columns, n), TESS_F32,
                        tess_cpu()));
    float        *x = in.data;
    const int64_t along = down ? columns : 1, across = down ? 1 : n;
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0; i < n; i++) x[c * across + i * along] = hard_value(kind, i, n);
    CHECK_OK(tess_mean_var(&mean, &var, &in, down ? TESS_H : TESS_W, NULL));
    CHECK_OK(tess_std(&std, &in, down ? TESS_H : TESS_W, NULL));
    for (int64_t c = 0; c < columns; c++) {
        long double sum = 0, squares = 0;
        for (int64_t i = 0; i < n; i++) sum += (long double)x[c * across + i * along];
        for (int64_t i = 0; i < n; i++) squares += powl((long double)x[c * across + i * along] - sum / n, 2);
        const long double v = squares / n, got = ((const float *)var.data)[c];
        const long double s = sqrtl(v), root = ((const float *)std.data)[c];
        const bool        leaves = v > (long double)FLT_MAX || (v < (long double)FLT_MIN && v > 0);
        if ((!leaves && !(fabsl(got - v) <= 0x1p-23L * v)) || !(fabsl(root - s) <= 0x1p-23L * s))
            (void)test_failed(__FILE__, __LINE__, "kind %d, %d numbers %s: var %.9Lg, not %.9Lg", kind, (int)n,
                              down ? "down" : "in a row", got, v);
    }
    CHECK_OK(tess_mean(&want, &in, down ? TESS_H : TESS_W, NULL));
    expect_bits("mean of mean_var", &mean, &want);
    check_hard_bits(&in, down ? TESS_H : TESS_W, &mean, &var);
    tess_release(&in), tess_release(&var), tess_release(&std), tess_release(&mean), tess_release(&want);
}

TEST(hard_spreads)
{
    static const int64_t numbers[] = { 100, 257, 1000, 1024, 1025, 5000 };
    for (int kind = 0; kind < n_hards; kind++) {
        for (int64_t n = 1; n <= 40; n++) check_hard(kind, n, true), check_hard(kind, n, false);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            check_hard(kind, numbers[k], true), check_hard(kind, numbers[k], false);
    }
}

/* ---- Special values ---- */

static tess_array wrap_f64(double *x, int64_t n)
{
    return (tess_array){ .shape = { { 1, 1, 1, n } }, .strides = { { n, n, n, 1 } }, .data = x, .dtype = TESS_F64 };
}

static bool same_f64(double a, double b) { return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

/* Of the whole of a small array. */
static double whole(function f, const double *x, int64_t n, options o)
{
    double     copy[64], got = 77;
    tess_array in = wrap_f64(copy, n), out = wrap_f64(&got, 1);
    memcpy(copy, x, (size_t)n * sizeof *x);
    CHECK_OK(call(f, &out, &in, &in, 0, o));
    return got;
}

#define WHOLE(f, skip, ...)                                                                                            \
    whole(fn_##f, (const double[]){ __VA_ARGS__ }, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double),                 \
          (options){ skip, 0, 0 })

TEST(infinities_nans_and_zeros)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    CHECK(same_f64(WHOLE(sum, 0, -0.0), -0.0));
    CHECK(same_f64(WHOLE(sum, 0, -0.0, -0.0, -0.0), -0.0));
    CHECK(same_f64(WHOLE(sum, 0, -0.0, 0.0), 0.0));
    CHECK(same_f64(WHOLE(compensated, 0, -0.0, -0.0), -0.0));
    CHECK(same_f64(WHOLE(sum, 0, inf, 1), inf));
    CHECK(same_f64(WHOLE(sum, 0, inf, -inf), nan));
    CHECK(same_f64(WHOLE(compensated, 0, inf, 1, 2), inf));
    CHECK(same_f64(WHOLE(compensated, 0, 1, -inf, 2), -inf));
    CHECK(same_f64(WHOLE(compensated, 0, inf, -inf), nan));
    CHECK(same_f64(WHOLE(compensated, 0, 1e300, 1, -1e300), 1));
    CHECK(same_f64(WHOLE(compensated, 0, 1, 1e100, 1, -1e100), 2));
    CHECK(same_f64(WHOLE(sum, 1, nan, nan), 0));
    CHECK(same_f64(WHOLE(sum, 1, nan, -0.0), -0.0));
    CHECK(same_f64(WHOLE(prod, 1, nan), 1));
    CHECK(same_f64(WHOLE(mean, 1, nan), nan));
    CHECK(same_f64(WHOLE(min, 0, 0.0, -0.0), -0.0));
    CHECK(same_f64(WHOLE(max, 0, -0.0, 0.0), 0.0));
    CHECK(same_f64(WHOLE(min, 0, 1, nan, -inf), nan));
    CHECK(same_f64(WHOLE(max, 0, 1, -nan, inf), nan));
    CHECK(same_f64(WHOLE(min, 1, 1, nan, 2), 1));
    CHECK(same_f64(WHOLE(max, 1, nan, nan), nan));
    CHECK(same_f64(WHOLE(min, 0, inf, inf), inf));
    CHECK(same_f64(WHOLE(max, 0, -inf, -inf), -inf));
    CHECK(same_f64(WHOLE(argmin, 0, 1, 0.0, -0.0), 1));
    CHECK(same_f64(WHOLE(argmax, 0, -1, -0.0, 0.0), 1));
    CHECK(same_f64(WHOLE(argmin, 0, 1, nan, nan, 0), 1));
    CHECK(same_f64(WHOLE(argmax, 0, 1, -nan, nan, 9), 1));
    CHECK(same_f64(WHOLE(argmin, 1, nan, 5, nan, 5), 1));
    CHECK(same_f64(WHOLE(argmax, 1, nan, nan), -1));
    CHECK(same_f64(WHOLE(argmin, 1, nan, inf), 1));
    CHECK(same_f64(WHOLE(any, 0, 0.0, -0.0), 0));
    CHECK(same_f64(WHOLE(any, 0, 0.0, nan), 1));
    CHECK(same_f64(WHOLE(logsumexp, 0, -inf, -inf), -inf));
    CHECK(same_f64(WHOLE(logsumexp, 0, -inf, inf, 3), inf));
    CHECK(same_f64(WHOLE(logsumexp, 0, nan, inf), nan));
    CHECK(same_f64(WHOLE(logsumexp, 0, -0.0), -0.0));
    CHECK(same_f64(WHOLE(logsumexp, 0, 1000.25), 1000.25));
    CHECK(same_f64(WHOLE(logsumexp, 0, -inf, 3.7), 3.7));
    CHECK(same_f64(WHOLE(logsumexp, 1, nan), -inf));
    CHECK(same_f64(WHOLE(var, 0, 1, inf), nan));
    CHECK(same_f64(WHOLE(var, 0, -1e200, 1e200), inf));
    CHECK(same_f64(WHOLE(std, 0, -1e200, 1e200), 1e200));
    CHECK(same_f64(WHOLE(std, 0, 1.7e308, -1.7e308), 1.7e308));
    CHECK(same_f64(WHOLE(var, 0, 1e-200, 3e-200), 0));
    CHECK(same_f64(WHOLE(std, 0, 1e200, inf), nan));
    CHECK(same_f64(WHOLE(std, 0, 1e200, nan), nan));
    CHECK(same_f64(WHOLE(std, 0, 1e-200, 1e-200, 1e-200), 0));
    CHECK(fabs(WHOLE(std, 0, 1e200, 3e200, 2e200) / 8.1649658092772603e199 - 1) < 1e-15);
    CHECK(fabs(WHOLE(std, 0, 1e-200, 3e-200, 2e-200) / 8.1649658092772603e-201 - 1) < 1e-15);
    CHECK(fabs(WHOLE(std, 0, 2e-200, 1e-200, 3e-200) / 8.1649658092772603e-201 - 1) < 1e-15);
    CHECK(fabs(WHOLE(norm_l2, 0, 3e200, 4e200) / 5e200 - 1) < 1e-15);
    CHECK(fabs(WHOLE(norm_l2, 0, 3e-200, 4e-200) / 5e-200 - 1) < 1e-15);
    CHECK(fabs(WHOLE(norm_l2, 0, 3e-320, 4e-320) / 5e-320 - 1) < 1e-3);
    CHECK(fabs(WHOLE(norm_l2, 0, 1e-200, 3, 4) / 5 - 1) < 1e-15);
    CHECK(same_f64(WHOLE(norm_l2, 0, 1e200, -inf), inf));
    CHECK(same_f64(WHOLE(norm_max, 0, 1, nan), nan));
}

TEST(reductions_of_nothing)
{
    double     x = 0, got = 77;
    tess_array in = wrap_f64(&x, 0), out = wrap_f64(&got, 1);
    static const struct {
        function f;
        double   want;
    } cases[] = {
        { fn_sum, 0 },      { fn_compensated, 0 }, { fn_prod, 1 }, { fn_norm_l2, 0 }, { fn_norm_l1, 0 },
        { fn_norm_max, 0 }, { fn_any, 0 },         { fn_all, 1 },  { fn_dot, 0 },     { fn_count_nonzero, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_OK(call(cases[i].f, &out, &in, &in, 0, (options){ 0 }));
        if (got != cases[i].want) (void)test_failed(__FILE__, __LINE__, "%s of nothing", names[cases[i].f]);
    }
    CHECK_OK(call(fn_logsumexp, &out, &in, NULL, 0, (options){ 0 }));
    CHECK(got == -(double)INFINITY);
    CHECK_OK(call(fn_var, &out, &in, NULL, 0, (options){ 0 }));
    CHECK(isnan(got));
    static const function errors[] = { fn_mean, fn_min, fn_max, fn_argmin, fn_argmax, fn_weighted_mean, fn_rmsd };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        CHECK_FAILS(call(errors[i], &out, &in, &in, 0, (options){ 0 }), TESS_ESHAPE, "no elements");
}

/* ---- Accuracy ---- */

TEST(variance_far_from_zero)
{
    enum { N = 100000 };
    double *x = malloc(N * sizeof *x);
    float  *y = malloc(N * sizeof *y);
    for (int power = 0; power <= 9; power++) {
        const double mean = pow(10, power);
        double       got32 = 0, got64 = 0;
        long double  sum[2] = { 0, 0 }, squares[2] = { 0, 0 };
        for (int i = 0; i < N; i++) {
            x[i] = mean + test_random_unit() - 0.5;
            y[i] = (float)x[i];
            sum[0] += (long double)x[i], sum[1] += (long double)y[i];
        }
        for (int i = 0; i < N; i++) {
            const long double d = (long double)x[i] - sum[0] / N, e = (long double)y[i] - sum[1] / N;
            squares[0] += d * d, squares[1] += e * e;
        }
        tess_array a = wrap_f64(x, N), b = wrap_f64(x, N);
        b.data = y;
        b.dtype = TESS_F32;
        CHECK_OK(tess_host_var(&got64, &a, NULL));
        CHECK_OK(tess_host_var(&got32, &b, NULL));
        CHECK(fabs((double)((long double)got64 / (squares[0] / N) - 1)) < 1e-11);
        CHECK(squares[1] == 0 ? got32 == 0 : fabs((double)((long double)got32 / (squares[1] / N) - 1)) < 1e-11);
    }
    for (int i = 0; i < N; i++) x[i] = 0.1;
    tess_array a = wrap_f64(x, N);
    double     var = 7;
    CHECK_OK(tess_host_var(&var, &a, NULL));
    CHECK(var == 0);
    a.shape.w = 1;
    CHECK_OK(tess_host_var(&var, &a, &(tess_var_opts){ .ddof = 1 }));
    CHECK(isnan(var));
    free(x);
    free(y);
}

TEST(sums_are_accurate)
{
    enum { N = 1 << 20 };
    float  *x = malloc(N * sizeof *x);
    double *y = malloc(N * sizeof *y);
    for (int i = 0; i < N; i++) x[i] = 0.1f, y[i] = ldexp(test_random_unit() - 0.5, (int)test_random_in(-60, 60));
    tess_array a = wrap_f64(y, N), b = a, out = { 0 };
    a.data = x;
    a.dtype = TESS_F32;
    CHECK_OK(tess_sum(&out, &a, 0, NULL));
    const float got = *(float *)out.data, want = (float)((double)0.1f * N);
    CHECK(fabsf(got - want) <= ldexpf(want, -23));
    tess_release(&out);
    long double exact = 0; /* 113 bits, or 64 on x86 */
    for (int i = 0; i < N; i++) exact += (long double)y[i];
    CHECK_OK(tess_sum(&out, &b, 0, &(tess_sum_opts){ .compensated = 1 }));
    const long double far = fabsl((long double)*(double *)out.data - exact);
    CHECK(far <= fabsl(exact) * 0x1p-52L + (sizeof(long double) > 8 && LDBL_MANT_DIG < 100 ? 1e6L : 0));
    tess_release(&out);
    free(x);
    free(y);
}

/* ---- Numbers on the host ---- */

TEST(whole_arrays_to_the_host)
{
    double     x[24], f = 0, g = 0, z[2];
    int64_t    place[4], flat = -1, i = 0;
    bool       truth = false;
    tess_array a = { .shape = { { 1, 2, 3, 4 } }, .strides = { { 24, 12, 4, 1 } }, .data = x, .dtype = TESS_F64 };
    for (int k = 0; k < 24; k++) x[k] = k == 17 ? -5 : k;
    CHECK_OK(tess_host_sum(&f, &a));
    CHECK(f == 276 - 17 - 5);
    CHECK_OK(tess_host_mean(&g, &a));
    CHECK(g == f / 24);
    CHECK_OK(tess_host_min(&f, &a));
    CHECK(f == -5);
    CHECK_OK(tess_host_max(&f, &a));
    CHECK(f == 23);
    CHECK_OK(tess_host_argmin(place, &flat, &a));
    CHECK(flat == 17 && place[0] == 0 && place[1] == 1 && place[2] == 1 && place[3] == 1);
    CHECK_OK(tess_host_argmax(place, NULL, &a));
    CHECK(place[1] == 1 && place[2] == 2 && place[3] == 3);
    CHECK_OK(tess_host_count_nonzero(&i, &a));
    CHECK(i == 23);
    CHECK_OK(tess_host_any(&truth, &a));
    CHECK(truth);
    CHECK_OK(tess_host_all(&truth, &a));
    CHECK(!truth);
    CHECK_OK(tess_host_dot(&f, &a, &a));
    CHECK_OK(tess_host_norm(&g, &a, NULL));
    CHECK(fabs(g * g - f) < 1e-9);
    CHECK_OK(tess_host_rmsd(&f, &a, &a));
    CHECK(f == 0);
    CHECK_OK(tess_host_mean_std(&f, &g, &a, NULL));
    CHECK_OK(tess_host_sum_complex(z, &a));
    CHECK(z[0] == 254 && z[1] == 0);
    CHECK_FAILS(tess_host_sum_int(&i, &a), TESS_EDTYPE, "integers");
    CHECK_FAILS(tess_host_sum(NULL, &a), TESS_EARG, "out");
    CHECK_FAILS(tess_sum(&a, &a, 3, NULL), TESS_ERANGE, "axes is 0x3");
}

/* Numbers from a few, a NaN among some: the same bits by all instruction sets, also of parts of vectors. */
static void check_extremes(tess_dtype dtype, int64_t n, const double few[4], int nans)
{
    const size_t size = tess_dtype_size(dtype);
    tess_array   a = { 0 }, want[2] = { { .data = NULL } };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, 1, n), dtype, tess_cpu()));
    for (int64_t i = 0; i < n; i++) {
        const bool   nan = nans && test_random_in(0, n - 1) == 0;
        const double x = nan ? (nans == 1 ? (double)NAN : -(double)NAN) : few[test_random_in(0, 3)];
        if (dtype == TESS_F64) ((double *)a.data)[i] = x;
        else ((float *)a.data)[i] = (float)x;
    }
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        tess_array got[4] = { { .data = NULL } };
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_minmax(&got[0], &got[1], &a, TESS_W, NULL));
        CHECK_OK(tess_min(&got[2], &a, TESS_W, NULL));
        CHECK_OK(tess_max(&got[3], &a, TESS_W, NULL));
        for (int k = 0; k < 2 && isa == tess__isas; k++) CHECK_OK(tess_copy(&want[k], &got[k]));
        for (int k = 0; k < 4; k++) {
            if (memcmp(got[k].data, want[k % 2].data, size) != 0)
                (void)test_failed(__FILE__, __LINE__, "%s of %d %s by %s differ", k % 2 ? "max" : "min", (int)n,
                                  tess_dtype_name(dtype), isa->name);
            tess_release(&got[k]);
        }
    }
    for (int k = 0; k < 2; k++) tess_release(&want[k]);
    tess_release(&a);
}

TEST(extremes_tell_zeros_apart)
{
    static const double few[][4] = { { -0.0, 0.0, -1, -2 },
                                     { -0.0, 0.0, 1, 2 },
                                     { -0.0, -0.0, 0.0, -0.0 },
                                     { -HUGE_VAL, -3, -0.0, 0.0 },
                                     { HUGE_VAL, -HUGE_VAL, 5, -5 } };
    for (int64_t n = 1; n < 700; n += n < 150 ? 1 : 37)
        for (int s = 0; s < 5; s++)
            for (int nans = 0; nans < 3; nans++) {
                check_extremes(TESS_F32, n, few[s], nans);
                check_extremes(TESS_F64, n, few[s], nans);
            }
    CHECK_OK(tess_cpu_limit_set(NULL));
}
