/* Reductions by number, random numbers for them, and the same by plain loops in long double. */
#include "support/reductions.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "support/isas.h"

/* ---- Functions under test ---- */

const char *const function_names[] = {
#define NAME(name) #name,
    FUNCTIONS(NAME)
#undef NAME
};

bool takes_two(function f) { return f == fn_dot || f == fn_weighted_mean || f == fn_rmsd; }

bool has_skip(function f)
{
    return f != fn_any && f != fn_all && f != fn_count_nonzero && f != fn_weighted_mean && f != fn_rmsd;
}

static bool is_last(function f) { return f == fn_argmin_last || f == fn_argmax_last; }

static bool is_place(function f) { return f == fn_argmin || f == fn_argmax || is_last(f); }

bool is_defined(function f, tess_dtype dtype)
{
    return is_real(dtype) || !(f == fn_min || f == fn_max || is_place(f) || f == fn_logsumexp);
}

tess_status call_function(function f, tess_array *out, const tess_array *a, const tess_array *b, int axes, options o)
{
    const tess_reduce_opts plain = { .skip_nan = o.skip_nan };
    const tess_argmin_opts place = { .skip_nan = o.skip_nan, .last = is_last(f) };
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
    case fn_argmin:
    case fn_argmin_last: return tess_argmin(out, a, axes, &place);
    case fn_argmax:
    case fn_argmax_last: return tess_argmax(out, a, axes, &place);
    case fn_any: return tess_any(out, a, axes);
    case fn_all: return tess_all(out, a, axes);
    case fn_count_nonzero: return tess_count_nonzero(out, a, axes);
    case fn_logsumexp: return tess_logsumexp(out, a, axes, &plain);
    case fn_dot: return tess_dot(out, a, b, axes, &sum);
    case fn_weighted_mean: return tess_weighted_mean(out, a, b, axes);
    default: return tess_rmsd(out, a, b, axes);
    }
}

tess_array second_input(function f, const tess_array *first)
{
    tess_array second = *first;
    if (f == fn_weighted_mean && !is_real(first->dtype)) CHECK_OK(tess_real_view(&second, first));
    return second;
}

/* ---- Elements ---- */

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

void set_random(void *context, const int64_t place[4])
{
    const filling   *f = context;
    const tess_dtype real = tess_dtype_real(f->array->dtype);
    for (int i = 0; i < tess_dtype_reals(f->array->dtype); i++)
        write_part(element_at(f->array, place) + (size_t)i * tess_dtype_size(real), real,
                   ldexp(random_value(f, real), f->exponent));
}

tess_array wrap_f64(double *x, int64_t n)
{
    return (tess_array){ .shape = { { 1, 1, 1, n } }, .strides = { { n, n, n, 1 } }, .data = x, .dtype = TESS_F64 };
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

static bool is_largest(const tally *t) { return t->f == fn_argmax || t->f == fn_argmax_last; }

static bool is_better(const tally *t, long double x) { return is_largest(t) ? x > t->largest : x < t->least; }

static bool is_equal(const tally *t, long double x, bool nan)
{
    return t->nan ? nan : x == (is_largest(t) ? t->largest : t->least);
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
    if (t->place < 0 || (nan && !t->nan) || (!t->nan && is_better(t, x.re)) ||
        (is_last(t->f) && is_equal(t, x.re, nan)))
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
    case fn_argmin_last:
    case fn_argmax:
    case fn_argmax_last: r.re = t->place; break;
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

/* True if sums are in the order of columns, and go to f16 or f32 from such: four numbers at a time are added in f32. */
static bool adds_in_f32(const comparison *c, int64_t n)
{
    int inner = 3;
    while (inner > 0 && c->a->shape.dim[inner] == 1) inner--;
    const bool columns = !(c->axes & TESS_B << inner) && c->a->shape.dim[inner] >= 8;
    return is_single(c->a->dtype) && is_single(c->out->dtype) && (columns || n <= 32);
}

void compare_result(void *context, const int64_t place[4])
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
    if (c->f == fn_sum && adds_in_f32(c, w.t.n)) slack += 2 * 0x1p-24L * w.t.sizes;
    if (c->f == fn_mean && adds_in_f32(c, w.t.n)) slack += 2 * 0x1p-24L * w.t.sizes / (long double)w.t.n;
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

/* The bytes of a C-contiguous array. */
static unsigned char *bytes_of(const tess_array *a, size_t *size)
{
    *size = (size_t)tess_n_bytes(a);
    return a->data;
}

void expect_bits(const char *what, const tess_array *got, const tess_array *want)
{
    size_t               n, m;
    const unsigned char *x = bytes_of(got, &n), *y = bytes_of(want, &m);
    if (n != m || memcmp(x, y, n) != 0) (void)test_failed(__FILE__, __LINE__, "%s: other bits", what);
}

/* ---- Cases ---- */

const tess_shape reduced_shapes[N_SHAPES] = {
    { { 1, 1, 1, 1 } },  { { 1, 1, 1, 3 } },  { { 1, 1, 1, 33 } },   { { 1, 1, 5, 7 } },    { { 2, 3, 4, 5 } },
    { { 3, 1, 9, 17 } }, { { 1, 2, 70, 9 } }, { { 1, 1, 1, 1500 } }, { { 1, 1, 1100, 3 } }, { { 2, 40, 3, 33 } },
};

static tess_shape result_shape(tess_shape shape, int axes)
{
    for (int d = 0; d < 4; d++)
        if (axes & TESS_B << d) shape.dim[d] = 1;
    return shape;
}

/* The dtype that a made output gets, for outputs that are there already. */
static tess_dtype dtype_of_result(function f, tess_dtype dtype)
{
    tess_array in = { 0 }, out = { 0 };
    CHECK_OK(tess_full(&in, tess_shape_of(1, 1, 1, 1), dtype, tess_cpu(), 1));
    const tess_array second = second_input(f, &in);
    CHECK_OK(call_function(f, &out, &in, &second, 0, (options){ 0 }));
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
             isa->name, function_names[r->f], tess_dtype_name(r->a.view.dtype), layout_names[r->kind], (int)shape.b,
             (int)shape.d, (int)shape.h, (int)shape.w, (unsigned)r->axes, r->o.skip_nan, r->o.ddof, r->o.exponent);
    if (!isa->supported() || !test_wants_case(what)) return;
    guarded_poison(&r->out);
    CHECK_OK(tess_cpu_limit_set(isa->name));
    CHECK_OK(call_function(r->f, &r->out.view, &r->a.view, &r->b.view, r->axes, r->o));
    if (*first && memcmp(*first, r->out.block, r->out.size) == 0) return;
    comparison c = {
        r->f, r->o, &r->out.view, &r->a.view, takes_two(r->f) ? &r->b.view : NULL, r->axes, what, 0, values
    };
    each_index(r->out.view.shape, compare_result, &c);
    if (!guarded_check(&r->out, what) || c.wrong || *first) return;
    *first = malloc(r->out.size);
    memcpy(*first, r->out.block, r->out.size);
}

void check_reduction(function f, tess_dtype dtype, layout kind, tess_shape shape, int axes, options o)
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
